"""Kernels that are not loops over statements: matrix products through BLAS, and writing through indices.

They share the ABI and the descriptor's style; each function's docstring gives its words.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.flow import larger, loop, smaller
from nbgrad.kernels.frame import SIGNATURE
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I8, I32, I64, POINTER, SCALARS, memory_type
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, OK, KernelText

_SHAPE_WORDS: Final = ("fn", "m", "n", "k", "trans_a", "trans_b", "lda", "ldb", "ldc")
GEMM_WORDS: Final = (*_SHAPE_WORDS, "tile_m", "tile_n", "tiles_m", "tiles_n")

# Fortran's sgemm and dgemm: all by address; gfortran appends the lengths of the two character arguments.
GEMM: Final = ir.FunctionType(ir.VoidType(), [POINTER] * 13 + [I64, I64])


class _Words:
    """A plain function with the kernel ABI and access to the descriptor's words."""

    def __init__(self, module: ir.Module, text: KernelText) -> None:
        self.function = ir.Function(module, SIGNATURE, text.symbol)
        self.function.attributes.add("nounwind")
        self.ir = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.desc, self.begin, self.end = self.function.args

    def __getitem__(self, index: int) -> Any:
        return self.ir.load(self.ir.gep(self.desc, [I64(index)], source_etype=I64), typ=I64)


def emit_gemm(module: ir.Module, text: KernelText, target: Target) -> Any:
    """Row-major C = op(A) @ op(B), one BLAS call a tile; an item is one tile of one matrix of the batch.

    Words: GEMM_WORDS, batch sizes[rank], then for a, b, c: address, batch strides[rank] in bytes. Leading dimensions
    are the row strides of what is stored, in elements; with trans_a, A is stored k x m. BLAS is column-major, which
    turns the product round: C^T = op(B)^T op(A)^T.
    """
    words = _Words(module, text)
    builder, rank = words.ir, text.rank
    word = {name: words[i] for i, name in enumerate(GEMM_WORDS)}
    item_bytes = I64(by_name(text.operands[0].dtype).itemsize)
    slots = _GemmSlots(builder, SCALARS[text.operands[0].dtype], word)
    with loop(builder, words.begin, words.end) as item:
        tiles = builder.mul(word["tiles_m"], word["tiles_n"])
        a, b, c = _batch_addresses(words, rank, builder.udiv(item, tiles))
        tile = builder.urem(item, tiles)
        row = builder.mul(builder.udiv(tile, word["tiles_n"]), word["tile_m"])
        column = builder.mul(builder.urem(tile, word["tiles_n"]), word["tile_n"])
        rows = smaller(builder, word["tile_m"], builder.sub(word["m"], row))
        columns = smaller(builder, word["tile_n"], builder.sub(word["n"], column))

        def moved(address: Any, elements: Any) -> Any:
            return builder.add(address, builder.mul(elements, item_bytes))

        is_a, is_b = (builder.icmp_signed("!=", word[name], I64(0)) for name in ("trans_a", "trans_b"))
        a = moved(a, builder.select(is_a, row, builder.mul(row, word["lda"])))
        b = moved(b, builder.select(is_b, builder.mul(column, word["ldb"]), column))
        c = moved(c, builder.add(builder.mul(row, word["ldc"]), column))
        slots.call(word["fn"], rows, columns, a, b, c)
    builder.ret(I32(OK))
    return words.function


def _batch_addresses(words: _Words, rank: int, batch: Any) -> list[Any]:
    """Where the matrices a, b and c of one batch index start."""
    builder, sizes = words.ir, len(GEMM_WORDS)
    places = [words[sizes + rank + k * (1 + rank)] for k in range(3)]
    for dim in reversed(range(rank)):
        position = builder.urem(batch, words[sizes + dim])
        batch = builder.udiv(batch, words[sizes + dim])
        for k in range(3):
            stride = words[sizes + rank + k * (1 + rank) + 1 + dim]
            places[k] = builder.add(places[k], builder.mul(position, stride))
    return places


class _Callee:
    """A function known by address; llvmlite wants to see its type, which an opaque pointer doesn't tell."""

    def __init__(self, pointer: Any, function_type: Any) -> None:
        self.type = pointer.type
        self.function_type = function_type
        self.get_reference = pointer.get_reference


class _GemmSlots:
    """The stack words through which Fortran takes its arguments."""

    def __init__(self, builder: ir.IRBuilder, scalar: Any, word: dict[str, Any]) -> None:
        self.ir = builder
        self.rows, self.columns = builder.alloca(I32), builder.alloca(I32)
        self.k = self._filled(builder.trunc(word["k"], I32))
        self.ld = {name: self._filled(self._leading(word, name)) for name in ("lda", "ldb", "ldc")}
        self.trans = {name: self._filled(self._letter(word[name])) for name in ("trans_a", "trans_b")}
        self.one, self.zero = self._filled(scalar(1.0)), self._filled(scalar(0.0))

    def _filled(self, value: Any) -> Any:
        place = self.ir.alloca(value.type)
        self.ir.store(value, place)
        return place

    def _leading(self, word: dict[str, Any], name: str) -> Any:
        """At least a row's length and 1, or BLAS refuses; a matrix of one row or none may say anything less."""
        row = word["n"]
        if name != "ldc":
            plain, transposed = ("k", "m") if name == "lda" else ("n", "k")
            is_transposed = self.ir.icmp_signed("!=", word[f"trans_{name[-1]}"], I64(0))
            row = self.ir.select(is_transposed, word[transposed], word[plain])
        return self.ir.trunc(larger(self.ir, larger(self.ir, word[name], row), I64(1)), I32)

    def _letter(self, transposed: Any) -> Any:
        return self.ir.select(self.ir.icmp_signed("!=", transposed, I64(0)), I8(ord("T")), I8(ord("N")))

    def call(self, fn: Any, rows: Any, columns: Any, a: Any, b: Any, c: Any) -> None:
        builder = self.ir
        builder.store(builder.trunc(rows, I32), self.rows)
        builder.store(builder.trunc(columns, I32), self.columns)
        a, b, c = (builder.inttoptr(x, POINTER) for x in (a, b, c))
        left = [self.trans["trans_b"], self.trans["trans_a"], self.columns, self.rows, self.k, self.one]
        right = [b, self.ld["ldb"], a, self.ld["lda"], self.zero, c, self.ld["ldc"]]
        builder.call(_Callee(builder.inttoptr(fn, POINTER), GEMM), [*left, *right, I64(1), I64(1)])


def emit_scatter(module: ir.Module, text: KernelText, target: Target) -> Any:
    """dst[index[i]] += values[i] (scatter_add) or = values[i] (scatter_put) for i = 0, 1, ..., in this order.

    Operands dst, index, values, all 1-d and contiguous. Words: n, then address and length of each. One item.
    """
    words = _Words(module, text)
    builder, dtype = words.ir, by_name(text.operands[0].dtype)
    count, dst, length, index, values = (words[i] for i in (0, 1, 2, 3, 5))
    kind, size = memory_type(dtype), I64(dtype.itemsize)
    stop = builder.select(builder.icmp_signed("<", words.begin, words.end), count, I64(0))

    def place(address: Any, i: Any, step: Any) -> Any:
        return builder.inttoptr(builder.add(address, builder.mul(i, step)), POINTER)

    with loop(builder, I64(0), stop) as i:
        target_index = builder.load(place(index, i, I64(8)), typ=I64)
        with builder.if_then(builder.icmp_unsigned(">=", target_index, length), likely=False):
            builder.ret(I32(INDEX_OUT_OF_RANGE))
        value = builder.load(place(values, i, size), typ=kind)
        slot = place(dst, target_index, size)
        if text.form == "scatter_add":
            before = builder.load(slot, typ=kind)
            value = (builder.fadd if dtype.is_floating_point else builder.add)(before, value)
        builder.store(value, slot)
    builder.ret(I32(OK))
    return words.function


def emit_cumsum(module: ir.Module, text: KernelText, target: Target) -> Any:
    """out[o, i, k] = in[o, i, k] + out[o, i - 1, k], additions in the order of i; an item is one o.

    Operands in and out, contiguous. Words: length of i, length of k, then the two addresses.
    """
    words = _Words(module, text)
    builder, dtype = words.ir, by_name(text.operands[0].dtype)
    length, inner, source, sums = (words[i] for i in range(4))
    kind, size = memory_type(dtype), I64(dtype.itemsize)

    def place(address: Any, i: Any) -> Any:
        return builder.inttoptr(builder.add(address, builder.mul(i, size)), POINTER)

    with (
        loop(builder, words.begin, words.end) as item,
        loop(builder, I64(0), length) as row,
        loop(builder, I64(0), inner) as column,
    ):
        at = builder.add(builder.mul(builder.add(builder.mul(item, length), row), inner), column)
        is_first = builder.icmp_signed("==", row, I64(0))
        earlier = builder.load(place(sums, builder.select(is_first, at, builder.sub(at, inner))), typ=kind)
        value = builder.load(place(source, at), typ=kind)
        total = (builder.fadd if dtype.is_floating_point else builder.add)(earlier, value)
        builder.store(builder.select(is_first, value, total), place(sums, at))
    builder.ret(I32(OK))
    return words.function

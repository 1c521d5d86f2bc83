"""Where a kernel stands in its operands: reads the descriptor, keeps one address for each operand.

Dims are numbered as in the descriptor: the kept ones, then the reduced ones. ``base`` is the place of the current item,
``at`` the place of the current row in it; both are int64 (an address, or the value of an "index" operand).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.flow import NarrowBuilder, Variable, quotient, remainder, widened
from nbgrad.kernels.values import I32, I64, load_word
from nbgrad.tape.kernel import STRIDE_ONE, STRIDE_ZERO, KernelText


class Cursor:
    """The operands of one kernel. ``vector_dim`` is the dim along which lanes lie (None: a kernel of rank 0)."""

    def __init__(self, builder: ir.IRBuilder, desc: Any, text: KernelText, vector_dim: int | None) -> None:
        self.ir = builder
        self.desc = desc
        self.text = text
        self.vector_dim = vector_dim
        self.dims = text.dims
        self.scratch: Any = None  # where the kernel's own memory starts
        self._words: dict[int, Any] = {}
        self._addresses = text.addresses
        operands = range(len(text.operands))
        self.base = [Variable(builder, I64) for _ in operands]
        self.at = [Variable(builder, I64) for _ in operands]

    def word(self, index: int) -> Any:
        """Word ``index`` of the descriptor, loaded once in the entry block."""
        if index not in self._words:
            with self.ir.goto_entry_block():
                self._words[index] = load_word(self.ir, self.desc, I64(index))
        return self._words[index]

    def number(self, index: int) -> Any:
        """Word ``index``, which is no address: one that fits 32 bits where indices do."""
        if index not in self._words and isinstance(self.ir, NarrowBuilder):
            with self.ir.goto_entry_block():
                self._words[index] = widened(self.ir, load_word(self.ir, self.desc, I64(index), I32))
        return self.word(index)

    def size(self, dim: int) -> Any:
        return self.number(dim)

    def extra(self, index: int) -> Any:
        return self.number(self.dims + index)

    def address(self, operand: int) -> Any:
        word = self.word(self._addresses[operand])
        return self.ir.add(word, self.scratch) if self.text.operands[operand].role == "scratch" else word

    def stride(self, operand: int, dim: int) -> Any:
        return self.number(self._addresses[operand] + 1 + dim)

    def table_length(self, operand: int) -> Any:
        assert self.dims, "a table needs a stride word for its length"
        return self.stride(operand, 0)

    def moves(self, operand: int) -> bool:
        """Whether the operand's value changes along the vector dim."""
        return self.vector_dim is not None and self.text.operands[operand].stride != STRIDE_ZERO

    def lane_stride(self, operand: int) -> Any:
        """How far the next element along the vector dim is: bytes, or the step of an index."""
        spec = self.text.operands[operand]
        assert self.vector_dim is not None
        if spec.stride == STRIDE_ONE:
            return I64(1 if spec.role == "index" else by_name(spec.dtype).itemsize)
        return self.stride(operand, self.vector_dim)

    def place(self, operand: int, j: Any) -> Any:
        """Where element ``j`` of the vector dim is, from the current row."""
        at = self.at[operand].get()
        if not self.moves(operand):
            return at
        return self.ir.add(at, self.ir.mul(j, self.lane_stride(operand)))

    def product(self, dims: Sequence[int]) -> Any:
        """The number of positions in ``dims``."""
        total: Any = I64(1)
        for dim in dims:
            total = self.ir.mul(total, self.size(dim))
        return total

    def start_item(self, dims: Sequence[int], linear: Any, operands: Sequence[int]) -> None:
        """Put base and at of ``operands`` on position ``linear`` (row-major) of the kept ``dims``."""
        positions = self.decode(dims, linear)
        for k in operands:
            place = self.moved(k, self.address(k), dims, positions)
            self.base[k].set(place)
            self.at[k].set(place)

    def decode(self, dims: Sequence[int], linear: Any) -> list[Any]:
        """The index in each of ``dims`` at row-major position ``linear``."""
        found: list[Any] = []
        for dim in reversed(dims[1:]):
            found.append(remainder(self.ir, linear, self.size(dim)))
            linear = quotient(self.ir, linear, self.size(dim))
        if dims:
            found.append(linear)
        return found[::-1]

    def moved(self, operand: int, place: Any, dims: Sequence[int], positions: Sequence[Any]) -> Any:
        """``place`` moved by ``positions`` along ``dims``."""
        for dim, position in zip(dims, positions, strict=True):
            place = self.ir.add(place, self.ir.mul(position, self.stride(operand, dim)))
        return place


class Odometer:
    """Walks ``at`` of some operands through ``dims`` in row-major order, without a division for each step."""

    def __init__(self, cursor: Cursor, dims: Sequence[int], operands: Sequence[int]) -> None:
        self.cursor = cursor
        self.dims = list(dims)
        self.operands = list(operands)
        self.index = [Variable(cursor.ir, I64) for _ in self.dims]

    def seek(self, linear: Any) -> None:
        """Stand at position ``linear``, counted from ``base``."""
        cursor = self.cursor
        positions = cursor.decode(self.dims, linear)
        for variable, position in zip(self.index, positions, strict=True):
            variable.set(position)
        for k in self.operands:
            cursor.at[k].set(cursor.moved(k, cursor.base[k].get(), self.dims, positions))

    def step(self) -> None:
        """Go to the next position. A dim that is through starts again and carries into the one before it."""
        builder = self.cursor.ir
        done = builder.append_basic_block("stepped")
        for level in reversed(range(len(self.dims))):
            dim = self.dims[level]
            following = builder.add(self.index[level].get(), I64(1))
            self.index[level].set(following)
            for k in self.operands:
                self.cursor.at[k].add(self.cursor.stride(k, dim))
            if level == 0:
                break
            carry = builder.append_basic_block("carry")
            builder.cbranch(builder.icmp_signed("<", following, self.cursor.size(dim)), done, carry)
            builder.position_at_end(carry)
            self.index[level].set(I64(0))
            for k in self.operands:
                back = builder.mul(self.cursor.size(dim), self.cursor.stride(k, dim))
                self.cursor.at[k].set(builder.sub(self.cursor.at[k].get(), back))
        builder.branch(done)
        builder.position_at_end(done)

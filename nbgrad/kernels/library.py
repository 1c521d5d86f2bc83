"""A kernel that is no loop over statements: writing through indices. It shares the ABI and the descriptor's style."""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels import ir
from nbgrad.kernels.flow import loop
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I32, I64, POINTER, memory_type
from nbgrad.kernels.words import Words
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, OK, KernelText


def emit_scatter(module: ir.Module, text: KernelText, target: Target) -> Any:
    """dst[index[i]] += values[i] (scatter_add) or = values[i] (scatter_put) for i = 0, 1, ..., in this order.

    Operands dst, index, values, all 1-d and contiguous. Words: n, then address and length of each. One item.
    """
    words = Words(module, text, target)
    builder, dtype = words.ir, by_name(text.operands[0].dtype)
    count, dst, length, index, values = (words[i] for i in (0, 1, 2, 3, 5))
    kind, size = memory_type(dtype), I64(dtype.itemsize)
    stop = builder.select(builder.icmp_signed("<", words.begin, words.end), count, I64(0))

    def place(address: Any, i: Any, step: Any) -> Any:
        return builder.inttoptr(builder.add(address, builder.mul(i, step)), POINTER)

    with loop(builder, I64(0), stop) as i:
        target_index = builder.load(place(index, i, I64(8)), typ=I64)
        with builder.if_then(builder.icmp_unsigned(">=", target_index, length), is_rare=True):
            builder.ret(I32(INDEX_OUT_OF_RANGE))
        value = builder.load(place(values, i, size), typ=kind)
        slot = place(dst, target_index, size)
        if text.form == "scatter_add":
            before = builder.load(slot, typ=kind)
            value = (builder.fadd if dtype.is_floating_point else builder.add)(before, value)
        builder.store(value, slot)
    builder.ret(I32(OK))
    return words.function

"""Writing through indices by warps, with the words of ``nbgrad/kernels/library/scatter.py``.

Every result is added up in the order that one thread would: what warps share are sums and places, never one sum.
"""

from __future__ import annotations

from typing import Any

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels import ir, memory
from nbgrad.kernels.flow import loop, narrowed, narrowed_lanes, smaller, until_zero
from nbgrad.kernels.launch import SCATTER_PLACES
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import I64, Vec, memory_type
from nbgrad.kernels.words import WarpWords
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, LANES, KernelText


def emit_warp_scatter(module: ir.Module, text: KernelText, target: Target) -> Any:
    """As ``library/scatter.py``. An item is SCATTER_PLACES elements of dst: its warp looks at all indices, by 32s."""
    words = WarpWords(module, text, target)
    b, builder, dtype = words.b, words.ir, by_name(text.operands[0].dtype)
    count, dst, length, index = (words[i] for i in range(4))
    low = builder.mul(words.begin, I64(SCATTER_PLACES))
    width = builder.sub(smaller(builder, builder.mul(words.end, I64(SCATTER_PLACES)), length), low)
    is_work = builder.icmp_signed("<", words.begin, words.end)
    with loop(builder, I64(0), builder.select(is_work, count, I64(0)), LANES) as i:
        mask = memory.prefix_mask(b, builder.sub(count, i))
        places = memory.load_consecutive(b, builder.add(index, builder.mul(i, I64(8))), int64, mask)
        outside = builder.icmp_unsigned(">=", places.value, b.splat(length, int64).value)
        b.live = mask
        b.fail_if(Vec(outside, bool_), INDEX_OUT_OF_RANGE)
        first, few = (b.splat(narrowed(builder, x), int64).value for x in (low, width))
        offset = builder.sub(narrowed_lanes(b, places.value), first)
        is_mine = builder.icmp_unsigned("<", offset, few)
        mine = Vec(builder.and_(is_mine, mask), bool_)
        with until_zero(builder, b.ballot(mine)) as lane:
            place = b.from_lane(places, lane)
            offset = builder.mul(builder.add(i, builder.zext(lane, I64)), I64(dtype.itemsize))
            slot = builder.add(dst, builder.mul(place, I64(dtype.itemsize)))
            with b.once():
                _write(words, text, offset, slot)
    return words.finish()


def _write(words: WarpWords, text: KernelText, offset: Any, slot: Any) -> None:
    """What one element of the values, ``offset`` bytes after their first, makes of a place."""
    b, builder, dtype = words.b, words.ir, by_name(text.operands[0].dtype)
    kind, form = memory_type(dtype), text.form
    add, multiply = (builder.fadd, builder.fmul) if dtype.is_floating_point else (builder.add, builder.mul)
    value, before = (b.load_first(x, kind, dtype.itemsize) for x in (builder.add(words[5], offset), slot))
    if form == "scatter_add":
        value = add(before, value)
    elif form == "scatter_product":
        value = multiply(before, value)
    elif form == "scatter_recurrence":
        value = add(multiply(before, value), b.load_first(builder.add(words[7], offset), kind, dtype.itemsize))
        builder.store(before, b.pointer(builder.add(words[8], offset)), align=dtype.itemsize)
    elif form != "scatter_put":
        sign = ">" if form == "scatter_max" else "<"
        if dtype.is_floating_point:  # NaN stays
            is_new = builder.or_(builder.fcmp_ordered(sign, value, before), builder.fcmp_unordered("!=", value, value))
        else:
            is_new = builder.icmp_signed(sign, value, before)
        value = builder.select(is_new, value, before)
    builder.store(value, b.pointer(slot), align=dtype.itemsize)

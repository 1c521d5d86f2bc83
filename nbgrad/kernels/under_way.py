"""How many elements a warp's thread asks memory for before it goes on with the first of them.

A GPU's memory answers after about 0.7 us. What a multiprocessor's share of it brings meanwhile has to be under way all
the time: on an H200 4.8 TB/s * 0.7 us / 132 = 25 KiB. Where threads have 40 to 48 registers, a multiprocessor holds 40
warps, so 32 bytes a thread make 40 KiB. For sums loads of 4 bytes do as well as such of 16: those of a warp are 128
bytes, whole sectors, and a multiprocessor can spend some 25 instructions on as many, of which a sum takes three. What
16 bytes a thread hold is four of a sum's 32 running values, and would be exchanged by five instructions an element.
"""

from __future__ import annotations

from typing import Final

from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.frame import is_light
from nbgrad.tape.kernel import STRIDE_ZERO, KernelText

ROW_BYTES: Final = 32  # of a thread
COLUMN_BYTES: Final = 64  # the same where there are fewer warps, as they have 32 outputs each
LEAST: Final = 4  # elements
MOST: Final = 16
AT_HAND: Final = ("index", "scratch")  # roles of operands that are not waited for


def elements_together(text: KernelText, number: int, nbytes: int) -> int:
    """Of stage ``number``: a power of two, so many that ``nbytes`` are under way, if it is light enough for that.

    What a scratch holds is at hand.
    """
    stage = text.stages[number][1]
    used = {a for stmt in stage.stmts for a in stmt.args} | {a for r in stage.reductions for a in r.args}
    used |= {value for value, _ in stage.stores}
    loaded = [o for k, o in enumerate(text.operands) if k in used and o.role not in AT_HAND and o.stride != STRIDE_ZERO]
    size = sum([by_name(o.dtype).itemsize for o in loaded])
    count = MOST
    while count > LEAST and (count * size > nbytes or not is_light(text, count, number)):
        count //= 2
    return count

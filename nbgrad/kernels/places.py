"""Maps of which parts happen at some places only: a loop for the places that are alike, a masked one for the rest.

Each ``within`` asks whether an element lies in a stretch of one dim. The *core* is inside all stretches that the
statements call wide, and outside all others. There nothing is asked.
"""

from __future__ import annotations

from typing import Any

from nbgrad.kernels.flow import larger, loop, smaller
from nbgrad.kernels.frame import Frame
from nbgrad.kernels.values import I64
from nbgrad.tape.kernel import STRIDE_OTHER, KernelText, Stmt


def sweep_places(frame: Frame, start: Any, stop: Any) -> None:
    """Run the body over elements start, ..., stop - 1 of the vector dim; what stays the same is hoisted."""
    body, lanes, builder = frame.body, frame.lanes, frame.ir
    first, last = _core(frame, start, stop)
    # A turn of few elements leaves few for the masked loop, of which a round takes as long as eight without masks.
    turns = max(1, frame.turns * frame.register_lanes // lanes) if frame.is_light(frame.turns) else 1
    known = settled(frame.text)
    core_stop = frame.whole(first, last, lanes * turns)
    with loop(builder, first, core_stop, lanes * turns) as j:
        body.run_and_store([builder.add(j, I64(turn * lanes)) for turn in range(turns)], settled=known)
    with loop(builder, I64(0), I64(2)) as side:  # before the core, and after it
        is_before = builder.icmp_signed("==", side, I64(0))
        here, there = (builder.select(is_before, a, b) for a, b in ((start, core_stop), (first, stop)))
        frame.by_vectors(here, there, 0, body.run_and_store)


def settled(text: KernelText) -> dict[int, bool]:
    """What the masks of places are in the core, by the number of their value."""
    known: dict[int, bool] = {}
    for number, stmt in enumerate(text.stmts, len(text.operands)):
        if stmt.op == "within":
            known[number] = bool(stmt.params[0])
        elif stmt.op == "bit_and" and all(a in known for a in stmt.args):
            known[number] = all(known[a] for a in stmt.args)
    return known


def _core(frame: Frame, start: Any, stop: Any) -> tuple[Any, Any]:
    """The first and the last + 1 element of the core; both ``stop`` where it is empty."""
    builder = frame.ir
    first, last = start, stop
    asked = [stmt for stmt in frame.text.stmts if stmt.op == "within"]
    for stmt in sorted(asked, key=lambda stmt: not stmt.params[0]):
        first, last = _narrowed(frame, stmt, first, last)
    some = builder.icmp_signed("<", first, last)
    return builder.select(some, first, stop), builder.select(some, last, stop)


def _narrowed(frame: Frame, stmt: Stmt, first: Any, last: Any) -> tuple[Any, Any]:
    """The part of [first, last) where ``stmt`` answers as in the core, or one side of it."""
    builder, cursor, (ramp, size) = frame.ir, frame.cursor, stmt.args
    if frame.text.operands[ramp].stride == STRIDE_OTHER:
        return last, last
    at = cursor.at[ramp].get()
    length = frame.b.load_first(cursor.at[size].get(), I64, I64.width // 8)
    if not cursor.moves(ramp):  # the same for the whole row
        answer = builder.icmp_unsigned("<", at, length)
        wanted = answer if stmt.params[0] else builder.not_(answer)
        return first, builder.select(wanted, last, first)
    begin = builder.neg(at)
    end = builder.add(begin, length)
    if stmt.params[0]:
        return larger(builder, first, begin), smaller(builder, last, end)
    meets = builder.and_(builder.icmp_signed("<", begin, last), builder.icmp_signed(">", end, first))
    is_left = builder.icmp_signed("<", builder.sub(begin, first), builder.sub(last, end))
    at_left, at_right = builder.and_(meets, is_left), builder.and_(meets, builder.not_(is_left))
    return builder.select(at_left, end, first), builder.select(at_right, begin, last)

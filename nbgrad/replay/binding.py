"""Where a program finds what it reads at each call, in the state in which it was recorded.

Captured views, tensors that the function holds and that are none of their own: a view is read and written through its
base, which is bound in its place: the program has the view's calls. Memory that NumPy sees is read where it lies, at
each call; views of it are found in it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.spec import HOST
from nbgrad.replay.code import Code
from nbgrad.replay.recording import Missed, Recording
from nbgrad.replay.words import state_in_words
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import at_place
from nbgrad.trace import (
    Handle,
    Leaf,
    array_shown,
    bring_up,
    has_rows,
    holder_of,
    host_array,
    is_alone,
    is_exported,
    is_simple,
    is_view,
    local,
    materialize,
    others_of,
    share_of,
    snapshot,
    spec_of,
)


def shares_memory(x: Any) -> bool:
    """Whether ``x`` is a tensor that is a view, or whose memory others see."""
    return isinstance(x, Handle) and (is_view(x) or is_exported(x))


def lent(a: Handle, *, keeps: bool = False) -> Buffer:
    """What ``a`` shows now: where it lies, if it lies there element by element, unless somebody ``keeps`` it, whatever
    is written later; a copy otherwise."""
    materialize(local.trace, a)
    held, steps = holder_of(a)
    if not (steps or keeps) and has_rows(a):
        return held._buffer
    if (place := spec_of(a).place) and is_exported(a):
        return snapshot(a)
    array = array_shown(a)
    if not (place or keeps) and array.flags.c_contiguous:
        return Buffer.wrap(array)
    return at_place(Buffer.from_numpy(array), HOST, place)  # type: ignore[no-any-return]


def aliases_among(tensors: Sequence[Handle]) -> set[frozenset[int]]:
    """Which of ``tensors`` show one memory."""
    found: dict[int, list[int]] = {}
    for a in tensors:
        if (share := share_of(a)) is not None and share.root is None:
            found.setdefault(id(share.storage), []).append(id(a))
    return {frozenset(several) for several in found.values() if len(several) > 1}


def materialized(a: Handle, leaf: Leaf) -> None:
    """Bring a tensor that the function reaches into memory, in the state in which it was recorded; else Missed."""
    if a._page is not None or a._share is not None:
        bring_up(a)
    while not isinstance(at := a._at, Leaf):  # nested code wrote it meanwhile
        bring_up(a)
    if not is_alone(a) and (share := share_of(a)) is not None and not is_simple(share):
        raise Missed(f"a tensor of shape {list(leaf.spec.shape)} is a view, or shares its memory with NumPy")
    if at is not leaf:
        raise Missed(f"a tensor was {state_in_words(leaf)}, is {state_in_words(at)}")


def position_of(a: Handle) -> int:
    """The value of a 0-d tensor of whole numbers."""
    materialize(local.trace, a)
    return int(host_array(holder_of(a)[0]._buffer, spec_of(a)))


def rebase(y: Handle, old: Buffer, new: Buffer) -> None:
    """What nested code has recorded of ``y``, when that had ``old``, and not run, reads ``new``: it came after."""
    for a in (y, None if y._share is None else y._share.storage.whole):
        if a is not None and (segment := a._segment) is not None:
            segment.inputs[:] = [new if b is old else b for b in segment.inputs]


def require_alone(grads: list[Handle], tensors: list[Handle], held: frozenset[int]) -> None:
    """Missed where one of ``grads``, or its memory, is found in another place, too."""
    found, elsewhere = {id(g) for g in grads}, held.union(map(id, tensors))
    others = {id(a) for g in grads if g._share is not None for a in others_of(g)}
    if len(found) < len(grads) or not found.isdisjoint(elsewhere) or not others.isdisjoint(found | elsewhere):
        raise Missed("a gradient is found in several places")


def memory_at(a: str, *, keeps: bool = False) -> str:
    """What gives the memory of a tensor that may share it; a copy of that where a derivative ``keeps`` it."""
    return f"({a}._buffer if {a}._share is None else lent({a}{', keeps=True' if keeps else ''}))"


def as_asked(code: Code, recording: Recording, only: str = "") -> list[str]:
    """What says that tensors, or those of ``only`` one kind, have gradients where they had them."""
    asked = [(place, had) for place, had in recording.asked if only in ("", place[0])]
    return [f"({code.tensor(place)}._grad is None) is not {had}" for place, had in asked]


def memory_of(code: Code, recording: Recording) -> list[str]:
    """What gives the inputs' buffers, where all is in memory."""
    kept = recording.plan.struct.kept_inputs if recording.plan.struct is not None else ()
    items = []
    for position, place in enumerate(recording.inputs):
        if place[0] == "constant":
            items.append(code.name_of(place[1]))
        elif place[0] in ("external", "argument"):  # a derivative that is to come keeps what it shows now
            items.append(memory_at(code.tensor(place), keeps=position in kept))
        else:
            items.append(f"{code.tensor(place)}._buffer")
    return items

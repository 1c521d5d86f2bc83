"""Where a program finds what it reads at each call, in the state in which it was recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.replay.captured_views import lent, require_seen, require_views
from nbgrad.replay.code import Code
from nbgrad.replay.recording import Missed, Place, Recording
from nbgrad.replay.words import state_in_words
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.handle import Handle, local, spec_of
from nbgrad.trace.read import bring_up, host_array, settle
from nbgrad.trace.storage import holder_of, is_alone, is_simple, others_of, share_of
from nbgrad.trace.trie import Leaf
from nbgrad.trace.window import snapshot


def aliases_among(tensors: Sequence[Handle]) -> set[frozenset[int]]:
    """Which of ``tensors`` show one memory."""
    found: dict[int, list[int]] = {}
    for a in tensors:
        if (share := share_of(a)) is not None and share.root is None:
            found.setdefault(id(share.storage), []).append(id(a))
    return {frozenset(several) for several in found.values() if len(several) > 1}


def receivers(recording: Recording) -> list[tuple[int, Place, int, Leaf]]:
    """(entry, who gets its value, place of result, state then) of all values that somebody gets."""
    commits, results = recording.plan.commits, recording.results
    return [(ix, results[ix], place, leaf) for ix, place, leaf in commits if ix in results]


def key_of(place: Place) -> tuple[Any, ...]:
    """The same for places where one tensor is found, be its value old or new."""
    kind, what = place
    if kind in ("gradient of", "new gradient of"):
        return "gradient of", *key_of(what)
    return kind, what if kind == "argument" else id(what)


def outermost(place: Place) -> Place:
    """Whose gradient, if it is one, stands at ``place``; the place itself otherwise."""
    return place[1] if place[0] in ("gradient of", "new gradient of") else place


def settled(a: Handle, leaf: Leaf) -> None:
    """Bring a tensor that the function reaches into memory, in the state in which it was recorded; else Missed."""
    if a.page is not None or a.share is not None:
        bring_up(a)
    if not is_alone(a) and (share := share_of(a)) is not None and not is_simple(share):
        raise Missed(f"a tensor of shape {list(leaf.spec.shape)} is a view, or shares its memory with NumPy")
    if a.at is not leaf:
        assert isinstance(a.at, Leaf)
        raise Missed(f"a tensor was {state_in_words(leaf)}, is {state_in_words(a.at)}")


def tensor_at(place: Place, tensors: Sequence[Handle]) -> Handle:
    kind, what = place
    if kind in ("held", "seen"):
        return what  # type: ignore[no-any-return]
    if kind == "argument":
        return tensors[what]
    return tensor_at(what, tensors)._grad  # type: ignore[no-any-return]


def position_of(a: Handle) -> int:
    """The value of a 0-d tensor of whole numbers."""
    settle(local.trace, a)
    return int(host_array(holder_of(a)[0].buffer, spec_of(a)))


def require_alone(grads: list[Handle], tensors: list[Handle], held: frozenset[int]) -> None:
    """Missed where one of ``grads``, or its memory, is found in another place, too."""
    found, elsewhere = {id(g) for g in grads}, held.union(map(id, tensors))
    others = {id(a) for g in grads if g.share is not None for a in others_of(g)}
    if len(found) < len(grads) or not found.isdisjoint(elsewhere) or not others.isdisjoint(found | elsewhere):
        raise Missed("a gradient is found in several places")


def memory_of(recording: Recording) -> Callable[[list[Handle]], list[Buffer]]:
    """A function from argument tensors to the inputs' buffers, where all is in memory."""
    code = Code({"lent": lent, "snapshot": snapshot})
    kept = recording.plan.struct.kept_inputs if recording.plan.struct is not None else ()
    items = []
    for position, place in enumerate(recording.inputs):
        if place[0] == "constant":
            items.append(code.name_of(place[1]))
        elif place[0] == "seen":  # a derivative that is to come keeps what it shows now
            items.append(f"{'snapshot' if position in kept else 'lent'}({code.tensor(place)})")
        else:
            items.append(f"{code.tensor(place)}.buffer")
    code.lines = [f"return [{', '.join(items)}]"]
    return code.function("memory(t)")  # type: ignore[no-any-return]


def binder_of(recording: Recording, held: frozenset[int]) -> Callable[[list[Handle]], list[Buffer]]:
    """The same, which brings everything into the state in which it was recorded; ``held`` are the ids of tensors that
    the function reaches."""
    leaves, gradients, memory = recording.leaves, recording.gradients, memory_of(recording)
    aliases = aliases_among([a for a, _ in leaves])
    known = [what for (kind, what), _ in recording.asked if kind == "held"]
    given = [what for (kind, what), _ in recording.asked if kind == "argument"]
    empty = [not had for kind in ("held", "argument") for (k, _), had in recording.asked if k == kind]

    def bind(t: list[Handle]) -> list[Buffer]:
        if [a._grad is None for a in known] + [t[k]._grad is None for k in given] != empty:
            raise Missed("a tensor has a gradient that it did not have, or has none any more")
        found = leaves + [(tensor_at(owner, t)._grad, leaf) for owner, leaf in gradients] if gradients else leaves
        odd = [(a, leaf) for a, leaf in found if a.at is not leaf or a.share is not None or a.page is not None]
        for a, leaf in odd:
            settled(a, leaf)
        if (odd or aliases) and aliases_among([a for a, _ in leaves]) != aliases:
            raise Missed("other tensors than before share their memory")
        if recording.views:
            require_views(recording.views)
        for a, leaf in recording.seen:
            require_seen(a, leaf)
        if gradients:
            require_alone([g for g, _ in found[len(leaves) :]], t, held)
        return memory(t)

    return bind

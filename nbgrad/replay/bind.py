"""Where a program finds what it reads at each call, in the state in which it was recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.replay.recording import Place, Recording
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.company import forget_aliases, is_simple
from nbgrad.trace.handle import Handle
from nbgrad.trace.read import settle
from nbgrad.trace.trie import Leaf

NOBODY: Place = ("nobody", None)


class Missed(Exception):
    """The program is not for this call; says why."""


def aliases_among(tensors: Sequence[Handle]) -> set[frozenset[int]]:
    """Which of ``tensors`` show one memory."""
    found: dict[int, list[int]] = {}
    for a in tensors:
        if a.rare is not None and a.rare.shared is not None:
            found.setdefault(id(a.rare.shared), []).append(id(a))
    return {frozenset(several) for several in found.values() if len(several) > 1}


def gradients_of(recording: Recording) -> list[tuple[Place, Leaf]]:
    """(owner, state) of each gradient that is read, or written where it is."""
    read = zip(recording.inputs, recording.input_leaves, strict=True)
    written = [(recording.results.get(ix, NOBODY), leaf) for ix, _, leaf in recording.plan.commits]
    found: dict[tuple[str, int], tuple[Place, Leaf]] = {}
    for (kind, owner), leaf in (*read, *written):
        if kind == "gradient of" and leaf is not None:
            found.setdefault((owner[0], owner[1] if owner[0] == "argument" else id(owner[1])), (owner, leaf))
    return list(found.values())


def settled(a: Handle, leaf: Leaf) -> None:
    """Bring a tensor that the function reaches into memory, in the state in which it was recorded; else Missed."""
    if a.chapter is not None or (a.rare is not None and a.rare.stale):
        settle(a)
    forget_aliases(a)
    if a.rare is not None and not is_simple(a.rare):
        raise Missed(f"a tensor of shape {list(leaf.spec.shape)} is a view, or shares its memory with NumPy")
    if a.at is not leaf:
        raise Missed(f"a tensor of shape {list(leaf.spec.shape)} has another dtype or requires_grad than before")


def tensor_at(place: Place, tensors: Sequence[Handle]) -> Handle:
    kind, what = place
    if kind == "held":
        return what  # type: ignore[no-any-return]
    if kind == "argument":
        return tensors[what]
    return tensor_at(what, tensors)._grad  # type: ignore[no-any-return]


def gradient_at(a: Handle, leaf: Leaf) -> Handle:
    """The gradient that ``a`` has, in the state in which it was recorded."""
    g = a._grad
    if g is None:
        raise Missed("a tensor has no gradient, to which another would be added")
    if g.at is not leaf or g.rare is not None or g.chapter is not None:
        settled(g, leaf)
    return g  # type: ignore[no-any-return]


def binder_of(recording: Recording) -> Callable[[list[Handle]], list[Buffer]]:
    """A function from argument tensors to the inputs' buffers."""
    scope: dict[str, Any] = {"gradient": gradient_at}

    def name_of(x: Any) -> str:
        name = f"x{len(scope)}"
        scope[name] = x
        return name

    def tensor(place: Place) -> str:
        kind, what = place
        return name_of(what) if kind == "held" else f"t[{what}]"

    items = []
    for place, leaf in zip(recording.inputs, recording.input_leaves, strict=True):
        kind, what = place
        if kind == "constant":
            items.append(name_of(what))
        elif kind == "gradient of":
            items.append(f"gradient({tensor(what)}, {name_of(leaf)}).buffer")
        else:
            items.append(f"{tensor(place)}.buffer")
    exec(compile(f"def bind(t):\n    return [{', '.join(items)}]", "<nbgrad bind>", "exec"), scope)
    return scope["bind"]  # type: ignore[no-any-return]

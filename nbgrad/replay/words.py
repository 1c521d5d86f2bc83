"""Calls in words, for the log: what decides which recording stands for a call, and how two calls differ in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from nbgrad.replay.arguments import DICTS, FLOATING, Attributed, Inside, Known, Value
from nbgrad.trace import Leaf

Words = dict[str, str]  # by label

_MODES: Final = ("grad mode", "inference mode", "autocast", "the default dtype")


def state_in_words(leaf: Leaf) -> str:
    """The state of a tensor that a recording is made for."""
    text = repr(leaf.spec)
    if leaf.requires_grad:
        text += " that requires grad" if leaf.is_leaf else " with a history"
    return text + (" of inference mode" if leaf.inference else "")


def call_in_words(key: tuple[Any, ...]) -> Words:
    """Modes and arguments, by their labels, of a call with this key; of a number that is an argument the type alone."""
    modes, names, same, *layouts = key
    found: Words = {label: "on" if x is True else str(x or "off") for label, x in zip(_MODES, modes, strict=False)}
    tensors: list[str] = []
    labels = [*range(len(layouts) - len(names)), *names]
    for label, layout in zip(labels, layouts, strict=True):
        found.update(_inner(f"argument {label!r}", layout, same, tensors))
    return found


def _inner(label: str, layout: Any, same: Sequence[int], tensors: list[str]) -> Iterator[tuple[str, str]]:
    if isinstance(layout, type):
        yield label, f"of type {layout.__name__}"
    elif isinstance(layout, Value):
        yield label, layout.value if layout.kind in FLOATING and type(layout.value) is str else repr(layout.value)
    elif isinstance(layout, Known):
        yield label, f"a {layout.kind.__name__} (id {layout.id})"
    elif isinstance(layout, Attributed):
        yield from _inner(label, layout.state, same, tensors)
        yield from _inner(f"{label}.__dict__", layout.own, same, tensors)
    elif isinstance(layout, Inside):
        yield label, f"of type {layout.kind.__name__}"
        for name, item in zip(layout.names or range(len(layout.items)), layout.items, strict=True):
            shown = name.value if isinstance(name, Value) else name
            is_record = layout.names and layout.kind not in DICTS
            yield from _inner(f"{label}.{shown}" if is_record else f"{label}[{shown!r}]", item, same, tensors)
    else:
        first = same[len(tensors)] if same else len(tensors)
        yield label, state_in_words(layout) + (f", the same as {tensors[first]}" if first < len(tensors) else "")
        tensors.append(label)


def differences(before: Words, now: Words) -> list[str]:
    """What was otherwise before, in words."""
    pairs = {label: (before.get(label, "not there"), now.get(label, "not there")) for label in {**before, **now}}
    return [f"{label} was {old}, is {new}" for label, (old, new) in pairs.items() if old != new]


def why_new(known: Sequence[tuple[Any, ...]], key: tuple[Any, ...]) -> str:
    """How a call with this key differs from the one most like it of those before; of several the last."""
    now = call_in_words(key)
    nearest = min([differences(call_in_words(before), now) for before in reversed(known)], key=len)
    return "; ".join(nearest[:5])

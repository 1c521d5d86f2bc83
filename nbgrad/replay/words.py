"""Calls in words, for the log: what decides which recording stands for a call, and how two calls differ in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nbgrad.replay.arguments import inside, is_bound, is_record
from nbgrad.trace.handle import Handle, Trace
from nbgrad.trace.trie import Leaf

Words = dict[str, tuple[str, Any]]  # by label: how it is shown, what it is compared by

_MOST_SHOWN: Final = 5
_ABSENT: Final = ("not there", None)


def state_in_words(leaf: Leaf) -> str:
    """The state of a tensor that a recording is made for."""
    text = repr(leaf.spec)
    if leaf.requires_grad:
        text += " that requires grad" if leaf.is_leaf else " with a history"
    return text + (" of inference mode" if leaf.inference else "")


def call_in_words(trace: Trace, dtype: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Words:
    """Modes and arguments, by their labels; of a number that is an argument the type alone."""
    found: Words = {
        "grad mode": ("on" if trace.grad_enabled else "off", trace.grad_enabled),
        "inference mode": ("on" if trace.inference else "off", trace.inference),
        "the default dtype": (repr(dtype), dtype),
    }
    given = [*[(f"argument {k}", a) for k, a in enumerate(args)], *[(f"argument {k!r}", a) for k, a in kwargs.items()]]
    seen: dict[int, str] = {}
    for label, a in given:
        if is_bound(a):
            found[label] = (f"of type {type(a).__name__}", type(a))
        else:
            found.update(_inner(label, a, seen))
    return found


def _inner(label: str, a: Any, seen: dict[int, str]) -> Iterator[tuple[str, tuple[str, Any]]]:
    kind = type(a)
    if isinstance(a, Handle):
        before = seen.setdefault(id(a), label)
        state = state_in_words(a.at.in_memory)
        words = state if before == label else f"{state}, the same as {before}"
        yield label, (words, words)
    elif (items := inside(a)) is not None:
        yield label, (f"of type {kind.__name__}", kind)
        for name, item in items.items():
            yield from _inner(f"{label}.{name}" if is_record(a) else f"{label}[{name!r}]", item, seen)
    elif a is None or isinstance(a, (str, bytes, bool, float, int, complex)):
        yield label, (repr(a), (kind, repr(a)))
    else:
        yield label, (f"another {kind.__name__}", id(a))


def differences(before: Words, now: Words) -> list[str]:
    """What was otherwise before, in words."""
    found = []
    for label in dict.fromkeys([*before, *now]):
        (old, was), (new, is_now) = before.get(label, _ABSENT), now.get(label, _ABSENT)
        if (old, was) != (new, is_now):
            found.append(f"{label} is {new}" if old == new else f"{label} was {old}, is {new}")
    return found


def why_new(known: Sequence[Words], now: Words) -> str:
    """How a call differs from the one most like it of those before; of several the last."""
    nearest = min([differences(before, now) for before in reversed(known)], key=len)
    more = f", and {len(nearest) - _MOST_SHOWN} more" if len(nearest) > _MOST_SHOWN else ""
    return "; ".join(nearest[:_MOST_SHOWN]) + more

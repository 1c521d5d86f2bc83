"""How results reach the tensors that a program writes: their new buffers, and what becomes of the old ones."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any, Final

from nbgrad.replay.bind import NOBODY, Code
from nbgrad.replay.recording import Place, Recording
from nbgrad.trace.alias import was_written
from nbgrad.trace.handle import Handle
from nbgrad.trace.record import make_tensor

SPARE_BYTES: Final = 1 << 16  # taking a block from the pool costs as much as writing a few kilobytes


def _of_an_item(buffers: list[Any]) -> int:
    return max([getrefcount(b) for b in buffers])


def _of_an_attribute(x: Any) -> int:
    y = x.value
    return getrefcount(y)


IN_USE = 4  # references to the buffer of a tensor that a program reads: tensor, list of inputs, variable, argument


class _Example:
    value: Any = None


# What ``getrefcount`` says of an object that a list alone, or an attribute alone, holds (Program._spare, giver_of).
ALONE = _of_an_item([[]])
_Example.value = []
ALONE_IN_ATTRIBUTE = _of_an_attribute(_Example)


def giver_of(recording: Recording) -> Callable[..., list[Handle]]:
    """A function (argument tensors, results' buffers, ``spare``, segment) that lets every result's tensor have its new
    buffer, and gives those that the call returns. ``spare`` gets what they had before, by place of result.

    The gradient that a tensor gets is the one it had, if nobody else holds that.
    """
    code = Code({"make": make_tensor, "was_written": was_written, "getrefcount": getrefcount})
    has_segment = recording.plan.struct is not None
    returned: list[tuple[int, str]] = []
    for ix, place, leaf in recording.plan.commits:
        kind, what = recording.results.get(ix, NOBODY)
        if kind == "nobody":
            continue
        state = code.name_of(leaf)
        history = f"(segment, {ix})" if has_segment and not leaf.is_leaf else "None"
        if kind == "output":
            y = f"y{what}"
            returned.append((what, y))
            code.lines += [f"{y} = make()", f"{y}.buffer = buffers[{place}]"]
        else:
            y = "y"
            code.lines += _new_gradient(code, what) if kind == "new gradient of" else _found(code, (kind, what))
            kept = "old if old is not new else None" if leaf.spec.size_bytes <= SPARE_BYTES else "None"
            code.lines += [f"y.buffer = new = buffers[{place}]", f"spare[{place}] = {kept}"]
        code.lines += [f"{y}.at = {state}", f"{y}.history = {history}"]
        if kind != "output":
            code.lines += ["if y.rare is not None:", "    was_written(y)"]
    code.lines += [f"{code.tensor(where)}._grad = None" for where in recording.cleared]
    code.lines.append(f"return [{', '.join([y for _, y in sorted(returned)])}]")
    return code.function("give(t, buffers, spare, segment)")  # type: ignore[no-any-return]


def _found(code: Code, place: Place) -> list[str]:
    return [f"y = {code.tensor(place)}", "old = y.buffer"]


def _new_gradient(code: Code, owner: Place) -> list[str]:
    x = code.tensor(owner)
    return [
        f"y = {x}._grad",
        f"if y is None or getrefcount(y) != {ALONE_IN_ATTRIBUTE} or y.rare is not None or y.chapter is not None:",
        f"    y = {x}._grad = make()",
        "    old = None",
        "else:",
        "    old = y.buffer",
    ]

"""How results reach the tensors that a program writes: their new buffers, and what becomes of the old ones."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Final

from nbgrad.replay.bind import NOBODY, Code
from nbgrad.replay.recording import Place, Recording
from nbgrad.runtime.references import ALONE_IN_ATTRIBUTE
from nbgrad.trace.handle import Handle, make_tensor
from nbgrad.trace.storage import was_written

SPARE_BYTES: Final = 1 << 16  # taking a block from the pool costs as much as writing a few kilobytes


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
            code.lines += ["if y.share is not None:", "    was_written(y)"]
    code.lines += [f"{code.tensor(where)}._grad = None" for where in recording.cleared]
    code.lines.append(f"return [{', '.join([y for _, y in sorted(returned)])}]")
    return code.function("give(t, buffers, spare, segment)")  # type: ignore[no-any-return]


def _found(code: Code, place: Place) -> list[str]:
    return [f"y = {code.tensor(place)}", "old = y.buffer"]


def _new_gradient(code: Code, owner: Place) -> list[str]:
    x = code.tensor(owner)
    return [
        f"is_ours = getrefcount({x}._grad) == {ALONE_IN_ATTRIBUTE}",
        f"y = {x}._grad",
        "if y is None or not is_ours or y.share is not None or y.page is not None:",
        f"    y = {x}._grad = make()",
        "    old = None",
        "else:",
        "    old = y.buffer",
    ]

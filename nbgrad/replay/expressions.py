"""The numbers of a program as one Python function: what sources say at a call, and what is computed of that."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.log import enabled
from nbgrad.replay.arguments import HIGHEST, LOWEST
from nbgrad.replay.code import Code
from nbgrad.replay.recording import Missed, Recording, Source
from nbgrad.replay.results import parts_in


def numbers_function(recording: Recording, sources: Sequence[Source]) -> Callable[..., Any]:
    """A function (arguments' numbers) -> (what takes back that ``sources`` were asked, all numbers of the tape, those
    that are returned, by code, those that are left in places). Missed where they cannot be computed, or a decision
    comes out otherwise; then, as after any exception, nothing has changed."""
    code = Code({"math": math, "constants": tuple(recording.numbers), "take_back": take_back, "missed": _missed})
    lines = [f"a{k} = a[{k}]" for k in range(recording.n_numbers + len(recording.positions))]
    for k, source in enumerate(sources):
        ask, undo = code.name_of(source.ask), f"done.append({code.name_of(source.undo)})"
        if source.assigned is not None:  # others depend on it
            place, text, value = source.assigned
            put, keep = code.name_of(place.put), code.name_of(functools.partial)
            lines += [f"done.append({keep}({put}, {code.name_of(place.now)}()))"]
            lines += [f"{put}({text or code.name_of(value)})"]
        else:
            lines += [undo, f"{ask}()"] if source.is_effect else [f"s{k} = {ask}()", undo]
    whole = [text for text, x in zip(recording.codes, recording.numbers, strict=True) if text and type(x) is int]
    conditions = [*dict.fromkeys([*recording.conditions, *[f"{LOWEST} <= {text} <= {HIGHEST}" for text in whole]])]
    if conditions:
        decided = f"missed({code.name_of(conditions)}, locals())"
        lines += [f"if not ({' and '.join([f'({c})' for c in conditions])}):", f"    raise {decided}"]
    items = "constants"  # one tuple for all calls: who has looked at it before need not look again
    if any(recording.codes):
        items = f"[{', '.join([text or f'constants[{k}]' for k, text in enumerate(recording.codes)])}]"
    returned = ", ".join([f"{text!r}: {text}" for text in parts_in(recording.output.shape, "number")])
    left = ", ".join([assigned.code or code.name_of(assigned.value) for assigned in recording.assigned])
    code.lines = ["done = []", "try:", *[f"    {line}" for line in lines]]
    code.lines += [f"    return done, {items}, {{{returned}}}, [{left}]"]
    code.lines += ["except BaseException as error:", "    take_back(done)", "    raise missed(error) from None"]
    return code.function("ask(a)")  # type: ignore[no-any-return]


def take_back(done: Sequence[Callable[[], None]]) -> None:
    """The call does not happen: undo, last things first, what asking has counted up and set."""
    for undo in reversed(done):
        undo()


def _missed(why: Any, names: dict[str, Any] | None = None) -> BaseException:
    """What to raise for an error (the function itself raises that, in its place), or for conditions over ``names``."""
    if names is None:
        is_error = isinstance(why, Exception) and not isinstance(why, Missed)
        return Missed(f"a number cannot be computed, or an effect raises {type(why).__name__}") if is_error else why
    which = [c for c in why if not eval(c, {"math": math}, names)][:1] if enabled("compile") else []
    text = "a decision that was taken by a number comes out otherwise"
    return Missed(text + "".join([f": {c} is no longer true" for c in which]))

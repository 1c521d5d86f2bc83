"""Parts of a program: how its numbers are asked for and computed, the earlier segment that a call leaves behind."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.log import enabled
from nbgrad.number import Plain
from nbgrad.replay.arguments import HIGHEST, LOWEST
from nbgrad.replay.code import Code
from nbgrad.replay.recording import Missed, Recording, Source, tensor_at
from nbgrad.runtime.buffers import Buffer
from nbgrad.system.interrupts import is_of_handler
from nbgrad.trace import EarlierSegment, Handle, Segment, local


def numbers_function(recording: Recording, sources: Sequence[Source]) -> Callable[..., Any]:
    """A function (arguments' numbers) -> (what takes back that ``sources`` were asked, all numbers of the tape, those
    that are returned, by code, those that are left in places). Missed where they cannot be computed, or a decision
    comes out otherwise; then, as after any exception, nothing has changed."""
    code = Code({"math": math, "constants": tuple(recording.numbers), "take_back": take_back})
    code.scope |= {"decided": _decided, "raise_missed": _raise_missed}
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
        decided = f"decided({code.name_of(conditions)}, locals())"
        lines += [f"if not ({' and '.join([f'({c})' for c in conditions])}):", f"    raise {decided}"]
    items = "constants"  # one tuple for all calls: who has looked at it before need not look again
    if any(recording.codes):
        items = f"[{', '.join([text or f'constants[{k}]' for k, text in enumerate(recording.codes)])}]"
    returned = ", ".join([f"{text!r}: {text}" for text in recording.output.numbers])
    left = ", ".join([assigned.code or code.name_of(assigned.value) for assigned in recording.assigned])
    code.lines = ["done = []", "try:", *[f"    {line}" for line in lines]]
    code.lines += [f"    return done, {items}, {{{returned}}}, [{left}]"]
    code.lines += ["except BaseException as error:", "    take_back(done)", "    raise_missed(error)", "    raise"]
    return code.function("ask(a)")  # type: ignore[no-any-return]


def take_back(done: Sequence[Callable[[], None]]) -> None:
    """The call does not happen: undo, last things first, what asking has counted up and set."""
    for undo in reversed(done):
        undo()


def _raise_missed(error: BaseException) -> None:
    """Where a number cannot be computed, or an effect raises, the function itself raises that, in its place."""
    if isinstance(error, Exception) and not isinstance(error, Missed) and not is_of_handler(error):
        raise Missed(f"a number cannot be computed, or an effect raises {type(error).__name__}") from None


def _decided(conditions: Sequence[str], names: dict[str, Any]) -> Missed:
    """What to raise where not all conditions over ``names`` hold."""
    which = [c for c in conditions if not eval(c, {"math": math}, names)][:1] if enabled("compile") else []
    text = "a decision that was taken by a number comes out otherwise"
    return Missed(text + "".join([f": {c} is no longer true" for c in which]))


def earlier_of(recording: Recording) -> Callable[..., EarlierSegment] | None:
    """A function (numbers of the tape, argument tensors, inputs, results) that makes the earlier segment of a call;
    None where results have no history. A call that ``keeps_nothing`` gives no inputs and results."""
    if recording.plan.struct is None:
        return None
    leaves, past = recording.entries
    held = {ix: what for ix, (kind, what) in leaves.items() if kind == "held"}
    others = [(ix, place) for ix, place in leaves.items() if ix not in held]

    def earlier(
        scalars: Sequence[Plain], tensors: list[Handle], inputs: Sequence[Buffer] = (), buffers: Sequence[Buffer] = ()
    ) -> EarlierSegment:
        segment = Segment(local.trace)
        segment.scalars = list(scalars)
        segment.leaves = {**held, **{ix: tensor_at(place, tensors) for ix, place in others}}
        for ix, place in past.items():
            history = tensor_at(place, tensors)._history
            assert history is not None
            segment.past[ix] = history
        return recording.plan.earlier(segment, inputs, buffers)

    return earlier


def keeps_nothing(recording: Recording) -> bool:
    """Whether histories, if there are any, keep no values: a backward inside the function has used them up. Then only
    what is returned has one."""
    struct = recording.plan.struct
    if struct is None:
        return True
    return not (
        struct.kept_inputs
        or recording.plan.saved_places
        or recording.entries[1]
        or any(kind != "output" and not leaf.is_leaf for _, (kind, _), _, leaf in recording.receivers())
    )

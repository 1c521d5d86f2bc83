"""A program's calls as generated functions, a line for each thing they do: one for any call, one for bound calls.

A bound call finds all tensors as the call before left them: one compiled look, and the addresses that no frame knows.
Any other call binds what it reads (``binding``). Both run the tape, and have the same lines for asking for numbers, for
handing results over, for what an exception takes back and the result.
"""

# ruff: noqa: F401  (the code that is written names what is imported here)

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from sys import getrefcount
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbgrad.config import settings
from nbgrad.kernels.records import WORD
from nbgrad.replay.binding import as_asked, lent, memory_at, memory_of, position_of, rebase
from nbgrad.replay.code import Code, indented
from nbgrad.replay.guards import all_hold
from nbgrad.replay.numbers import asking, decided, raise_missed, take_back
from nbgrad.replay.recording import Missed, Recording, earlier_of, key_of
from nbgrad.replay.results import view_at
from nbgrad.runtime.bound import FIRST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import SMALL_ARENA, Executable
from nbgrad.runtime.layout import CODE, FAILED, PAUSED, PC, POOL, POS
from nbgrad.runtime.pool import control
from nbgrad.runtime.references import ALONE_IN_LIST, is_unique
from nbgrad.runtime.runner import RunOver
from nbgrad.runtime.runner_code import runner_code
from nbgrad.system.interrupts import is_of_handler
from nbgrad.tape.numbers import word_packer
from nbgrad.trace import Share, Storage, detach, make_tensor, was_written, watchers, whole_of

if TYPE_CHECKING:
    from nbgrad.replay.program import Program

MISSED: Final = object()  # the answer of a call that is not bound, and has changed nothing
SPARE_BYTES: Final = 1 << 16  # taking a block from the pool costs as much as writing a few kilobytes


class Layout(NamedTuple):
    """How a bound call finds inputs, by position, and makes results, by place.

    The memory of some inputs "stays", "turns" says that it is a result of the call before; others are "lent": where it
    lies is asked at each call, and it is copied for that where it cannot be read as it lies.
    Results are "tied" to an input's memory, "kept" in memory of the one set or the other, "fresh" in memory taken at
    each call, "reused" in memory of the set as well, where nobody has kept the result that was there; ``shown`` are
    those whose tensor has views. ``bare`` are ids of guards that no words show.
    """

    executable: Executable
    inputs: dict[int, str]
    results: dict[int, str]
    shown: list[int]
    bare: frozenset[int]

    def open(self) -> list[tuple[str, int]]:
        """What has addresses that a call writes, in its order: inputs and results, and the arena, if that is not small
        enough to serve all calls."""
        found = [(how, i) for i, how in self.inputs.items() if how == "lent"]
        found += [(how, place) for place, how in self.results.items() if how == "fresh"]
        found += [("arena", 0)] if self.executable.tape.arena_bytes > SMALL_ARENA else []
        return found + [(how, place) for place, how in self.results.items() if how == "reused"]


alloc: Final = Buffer.alloc
alone: Final = Share(Storage())  # of a tensor that shares nothing


def never(*_: Any) -> object:
    """A call that is not possible."""
    return MISSED


def call_of(program: Program) -> Callable[..., Any]:
    """The function (argument tensors, *numbers) -> result for any call; Missed where what it reads is in another state,
    MISSED where nested code wrote meanwhile what it writes."""
    recording, run = program.recording, program.recording.plan.run_bound
    own = {"materialize": program.materialize, "run": run, "spare": program.spare, "note": program.note}
    code = Code(globals() | own, "t[{}]")  # what the code names is imported here, too
    give = _given(code, program, "t")
    code.lines = [
        f"if not ({' and '.join(as_asked(code, recording)) or True}):",
        "    raise Missed('a tensor has a gradient that it did not have, or has none any more')",
        "materialize(t)",
        f"inputs = [{', '.join(memory_of(code, recording))}]",
        "done, buffers = [], None",
        "try:",
        *indented(asking(code, recording)),
        "    buffers = run(inputs, scalars, spare(inputs))",
        *indented(give("take_back(done); return MISSED")),
        "except BaseException as stop:",
        "    is_over = type(stop) is RunOver",
        "    buffers = stop.results if is_over else buffers",
        *_unless_over("buffers is not None", give("")),
        "    if is_over:",
        "        raise stop.error from None",
        "    raise",
        "note(t, buffers)",
        "return result",
    ]
    return code.function(f"call({', '.join(['t', *_numbers(recording)])})")  # type: ignore[no-any-return]


def _unless_over(is_over: str, give: list[str]) -> list[str]:
    """What is done when a call ends in an exception. Ctrl-C is heard between a run's slices; once all is done results
    are handed over whatever comes."""
    return [f"    if {is_over}:", *indented(indented(give or ["pass"])), "    else:", "        take_back(done)"]


# That what the share ``s`` shows is written.
_COUNTED: Final = (
    "s.storage.version += 1",
    "s.seen = s.storage.version",
    "s.counter[0] += 1",
    "s.counted = s.counter[0]",
)


def _given(code: Code, program: Program, tensors: str, layout: Layout | None = None) -> Callable[[str], list[str]]:
    """What gives lines that give every result to whom it belongs, and make ``result``. They may run twice; what they
    do ``otherwise`` where nested code wrote meanwhile what they do is done if that is asked. Without a ``layout``
    results are in ``buffers``."""
    recording = program.recording
    made: list[str] = []  # that is needed
    stores: list[str] = []  # that call nothing: in one line with the question, as nothing may come between
    so: list[str] = []  # nobody has written meanwhile what they do
    over: list[str] = []  # there is no other result, as it lies in an input's memory
    ended: list[str] = []
    outputs: list[str] = []
    entered = {key_of(where): position for position, where in enumerate(recording.inputs)}
    is_tied = layout is not None and "tied" in layout.results.values()
    for k, (ix, where, place, leaf) in enumerate(recording.receivers()):
        kind, what = where
        how = layout.results[place] if layout is not None else ""
        memory = {"": f"buffers[{place}]", "kept": f"outs[{place}]"}.get(how, f"b{place}")
        at, history = code.name_of(leaf), "None"
        if recording.plan.struct is not None and not leaf.is_leaf:
            history = f"(earlier, {ix})"
        if kind == "output":
            y = f"y{what}"
            outputs += [f"{y} = make_tensor()", f"{y}._buffer, {y}._at, {y}._history = {memory}, {at}, {history}"]
            continue
        y = f"r{k}" if layout is None else code.tensor(where)
        position = entered.get(key_of(where)) if kind != "new gradient of" else None
        old = f"inputs[{position}]" if layout is None else f"then[3][{place}]" if how == "kept" else f"{y}._buffer"
        share = f"((s := {y}._share) is None or s.storage.whole is None or s.seen == s.storage.version)"
        is_left = "False"  # whether nested code has written it: what that has recorded is computed of the result
        is_stored = layout is None or (is_tied and (how != "tied" or place in layout.shown))
        if position is not None and is_stored:
            is_left = f"left{k}"
            stores.append(f"{is_left} = not ({y}._page is None and {share})")
            ended += [f"if {is_left}:", f"    rebase({y}, {old}, {memory})"] if how != "tied" else []
        if layout is not None:  # all tensors are in the states in which a call leaves them
            stores += [f"{y}._buffer = {memory}"] if how != "tied" else []
            if is_tied and how != "tied" and position is None:
                stores += [f"{y}._at = {at}", f"{y}._page = None"]
            elif position is not None and not is_tied:
                so += [f"{y}._page is None", share]
                so += [f"({y}._buffer is {old} or {y}._buffer is {memory})"] if how == "kept" else []
            if place in layout.shown:
                stores += [f"s = alone if {is_left} else {y}._share", *_COUNTED]
                ended += [f"if not {is_left}:", f"    was_written({y})"]
            continue
        found = f"new_gradient({code.tensor(what)})" if kind == "new gradient of" else code.tensor(where)
        made.append(f"{y} = {found}")
        if position is not None:
            so += [f"{y}._page is None", share, f"({y}._buffer is {old} or {y}._buffer is {memory})"]
            over.append(f"{memory} is {old}")
        state = f"{y}._at, {y}._page, {y}._history"
        stores += [f"{y}._buffer = {memory}", f"{state} = ({state}) if {is_left} else ({at}, None, {history})"]
        made.append(f"whole{k} = whole_of({y}, {memory}, {at})")
        stores += [f"s = alone if {y}._share is None or {is_left} else {y}._share", *_COUNTED]
        stores.append(f"s.storage.whole = s.storage.whole if whole{k} is None or {is_left} else whole{k}")
        ended += [f"if {y}._share is not None and not {is_left}:", f"    was_written({y})"]
    stores += [f"{code.tensor(where)}._grad = None" for where in recording.cleared]
    if recording.plan.struct is not None:
        earlier = code.name_of(earlier_of(recording))
        made.insert(0, f"earlier = {earlier}(scalars, {tensors}{'' if layout is not None else ', inputs, buffers'})")
    ended += outputs
    for k, (kind, part) in enumerate(recording.output.parts):
        if kind == "known":
            ended.append(f"p{k} = {code.tensor(part)}")
        else:
            code.scope[f"p{k}"] = part
    ended.append(f"result = {recording.output.text}")
    ended += [f"state = {recording.output.state}"] if recording.state else []
    for k, (guard, _) in enumerate(recording.state):
        ended.append(f"{code.name_of(guard.put)}(state[{k}])")

    def lines(otherwise: str) -> list[str]:
        is_so = " or ".join([f"({' and '.join(so)})", *over]) if so and otherwise else "True"
        return [*made, f"if {is_so}: {'; '.join(stores) or 'pass'}", f"else: {otherwise or 'pass'}", *ended]

    return lines


def new_gradient(x: Any) -> Any:
    """The gradient that a tensor gets is the one it had, if nobody else holds that."""
    if not is_unique(x, "_grad") or (g := x._grad)._share is not None or g._page is not None:
        x._grad = g = make_tensor()
        g._buffer = None  # type: ignore[assignment]
    return g


def _numbers(recording: Recording) -> list[str]:
    return [f"a{k}" for k in range(recording.n_numbers)]


def bound_call_of(program: Program, layout: Layout, n_tensors: int) -> Callable[..., Any]:
    """The function (*argument tensors, *numbers) -> result for bound calls, or MISSED. It takes a state from the
    program's ``idle`` and puts the next one there: whoever has it may call. ``t0``... are argument tensors, ``a0``...
    numbers, ``b0``... buffers.

    A state says how all stood after so many calls: (calls, the set of memory to be used now, the other one, memory of
    the numbers, ids of arguments that get results, ids of tensors that no other argument may be). A set is (what has to
    be so, as ``Standing.notes``, frame, its words, results, what has to live)."""
    recording, executable, known = program.recording, layout.executable, program.known
    tensors, numbers = [f"t{k}" for k in range(n_tensors)], _numbers(recording)
    given = f"[{', '.join(tensors)}]"

    runner = runner_code()
    bare = [guard for guard in program.captured.guards if id(guard) in layout.bare]
    own = {"idle": program.idle, "missed": program.missed, "holds": partial(all_hold, bare)}
    own |= {"look": runner.all_as_noted, "run": runner.run, "write_numbers": executable.write_numbers}
    code = Code(globals() | own, "t{}")
    so = [f"id(t{k}) == known[{n}]" for n, k in enumerate(known)]
    so += [f"t{k} is {code.name_of(a)}" for k, a in recording.same.items()]
    so += as_asked(code, recording, "argument")
    so += [f"id(t{k}) not in barred" for k in range(n_tensors) if k not in known and k not in recording.same]
    so += ["not settings.log", "not settings.interpret", "not watchers", "look(notes, n_notes)"]
    give = _given(code, program, given, layout)
    code.lines = [
        *(["if not holds():", "    return MISSED"] if layout.bare else []),
        "try:",
        "    state = idle.pop()",
        "except IndexError as gone:",
        "    if is_of_handler(gone):",
        "        raise",
        "    return MISSED",
        "calls, now, then, numbers, known, barred = state",
        "(notes, n_notes), frame, memory, outs, _ = now",
        f"if not ({' and '.join(so)}):",
        "    missed(calls)",
        "    return MISSED",
        *_addresses(code, program, layout),
        "done, begun = [], False",
        "try:",
        *indented(asking(code, recording)),
        *(["    write_numbers(numbers, scalars)"] if any(recording.codes) else []),
        "    begun = True; status = run(frame)",  # in one line: what is begun and not done is not what was done before
        f"    while status == {PAUSED}:",
        "        status = run(frame)",
        f"    if status == {FAILED}:",
        "        raise Missed",
        *indented(give("raise Missed('it was written meanwhile')")),
        "    idle.append((calls + 1, then, now, numbers, known, barred))",
        "except Missed:",
        "    take_back(done)",
        "    missed(calls) if begun else idle.append(state)",
        "    return MISSED",
        "except BaseException:",
        *_unless_over(f"begun and memory[{PC}] == memory[{POS}] == memory[{CODE}] == 0", give("")),
        "    raise",
        "return result",
    ]
    return code.function(f"bound_call({', '.join([*tensors, *numbers])})")  # type: ignore[no-any-return]


def _addresses(code: Code, program: Program, layout: Layout) -> list[str]:
    """Memory for results, and the addresses that no frame knows."""
    tape, lines, each, again = layout.executable.tape, [], [], []
    for k, (how, x) in enumerate(layout.open()):
        if how == "lent":
            lines.append(f"m{x} = {memory_at(code.tensor(program.recording.inputs[x]))}")
            each.append(f"m{x}.address")
        elif how == "reused":
            again += [
                f"if getrefcount(outs[{x}]) != {ALONE_IN_LIST}:",
                f"    outs[{x}] = alloc({tape.out_bytes[x]})",
                f"    memory[{FIRST + k}] = outs[{x}].address",
                f"b{x} = outs[{x}]",
            ]
        else:
            b, size = ("arena", tape.arena_bytes) if how == "arena" else (f"b{x}", tape.out_bytes[x])
            lines.append(f"{b} = alloc({size})")
            each.append(f"{b}.address")
    if each:
        code.scope["pack"] = word_packer(len(each)).pack_into
        lines.append(f"pack(memory, {FIRST * WORD}, {', '.join(each)})")
    return [*lines, *again, *([f"memory[{POOL}] = control()"] if layout.executable.shares_work else [])]

"""The source of a steady call: guards, addresses, one run of the tape, results; a line for each thing it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from sys import getrefcount
from typing import Any, Final, NamedTuple

from nbgrad.config import settings
from nbgrad.errors import TensorIndexError
from nbgrad.replay.bind import NOBODY, Code, position_of, tensor_at
from nbgrad.replay.expressions import take_back
from nbgrad.replay.guards import GONE, Check
from nbgrad.replay.history import segments_of
from nbgrad.replay.machine import Machine
from nbgrad.replay.recording import Missed, Place, Recording
from nbgrad.replay.results import expression
from nbgrad.replay.seen import lent
from nbgrad.runtime.bound import FIRST
from nbgrad.runtime.cuda.resident import AGAIN
from nbgrad.runtime.executable import raise_failure
from nbgrad.runtime.layout import CODE, FAILED, PAUSED, PC, POOL, POS, WORD
from nbgrad.runtime.pool import control
from nbgrad.runtime.references import ALONE_IN_LIST
from nbgrad.runtime.runner_code import runner_code
from nbgrad.tape.numbers import word_packer
from nbgrad.trace.flush_plan import watchers
from nbgrad.trace.handle import make_tensor
from nbgrad.trace.storage import was_written
from nbgrad.trace.trie import Leaf

_RUN: Final = [
    "begun = True",
    "status = run(frame)",
    f"while status == {PAUSED}:",
    "    status = run(frame)",
    f"if status == {FAILED}:",
    f"    raise_failure(tape, memory[{PC}], memory[{CODE}])",
]
_LAUNCH: Final = [
    f"memory[{CODE}] = 1  # until it is enqueued",
    "begun = True",
    f"if run(frame) == {AGAIN}:",
    "    raise Missed('it takes more than one launch')",
]
_DONE: Final = f"memory[{PC}] == memory[{POS}] == 0"
_ENQUEUED: Final = f"memory[{CODE}] == 0"
MISSED: Final = object()  # the answer of a call that is not steady, and has changed nothing


class Around(NamedTuple):
    """What a call does besides running the tape.

    ``check`` are the guards; ``held``: ids of the tensors that the function reaches;
    ``constants``: the numbers, where they are the same at each call, else None; then ``ask(numbers)`` gives them, what
    takes that back, and numbers that are returned, and left in places, which ``leave`` does; ``effects`` come last.
    """

    check: Check
    held: frozenset[int]
    constants: tuple[float | int, ...] | None
    ask: Callable[..., Any]
    leave: Callable[[Any], None] | None
    effects: Sequence[Callable[[], Any]]


class Layout(NamedTuple):
    """What stays from call to call: ``known`` arguments are the same tensors.

    Inputs, by position: the memory of some ``stays``, ``turns`` is (input, place) of those that are results of the call
    before, ``asked`` are those whose tensor is asked where it lies; ``lent`` of those show memory that others see, and
    may be copied for the call. Results, by place: ``tied`` (place, input) are made
    in an input's memory, ``kept`` in memory of the one set or the other, ``fresh`` in memory taken at each call,
    ``reused`` in memory of the set as well, where nobody has kept the result that was there; ``shown`` are those whose
    tensor has views. ``has_arena``: the arena stays.
    """

    machine: Machine
    known: tuple[int, ...]
    tied: tuple[tuple[int, int], ...]
    kept: tuple[int, ...]
    stays: tuple[int, ...]
    turns: tuple[tuple[int, int], ...]
    asked: tuple[int, ...]
    lent: tuple[int, ...]
    fresh: tuple[int, ...]
    reused: tuple[int, ...]
    shown: tuple[int, ...]
    has_arena: bool


class Turn(NamedTuple):
    """One of two sets of memory, with what has to be so where a call uses it (``Standing.notes``) and its frame."""

    notes: int
    n_notes: int
    frame: Any
    memory: memoryview
    outs: list[Any]
    alive: object


class State(NamedTuple):
    """How all stood after the last call. Who has it may call. ``inputs``: (position, address) of those that stay."""

    now: Turn
    then: Turn
    calls: int
    numbers: memoryview
    known: tuple[int, ...]
    barred: frozenset[int]  # ids of tensors that no other argument may be
    inputs: list[tuple[int, int]]
    alive: object


def function_of(
    recording: Recording,
    layout: Layout,
    around: Around,
    n_tensors: int,
    idle: list[tuple[Any, ...]],
    missed: Callable[..., None],
) -> Callable[..., Any]:
    """The function (*argument tensors, *numbers) -> result, or MISSED. It takes a state from ``idle`` and puts the next
    one there."""
    return _Writer(recording, layout, around, n_tensors, idle, missed).function()


class _Writer:
    """``t0``... are argument tensors, ``a0``... numbers, ``b0``... results' buffers, ``y0``... tensors that are
    returned."""

    def __init__(
        self,
        recording: Recording,
        layout: Layout,
        around: Around,
        n_tensors: int,
        idle: list[tuple[Any, ...]],
        missed: Callable[..., None],
    ) -> None:
        self._recording, self._layout, self._around = recording, layout, around
        self._tensors = [f"t{k}" for k in range(n_tensors)]
        self._numbers = [f"a{k}" for k in range(recording.n_numbers)]
        self._does_more = around.constants is None
        machine = self._machine = layout.machine

        def which(error: TensorIndexError, tensors: Sequence[Any], scalars: Sequence[Any]) -> TensorIndexError:
            return machine.which([_memory_at(place, tensors) for place in recording.inputs], scalars, error)

        self._code = Code(
            argument="t{}",
            scope={
                "MISSED": MISSED,
                "Missed": Missed,
                "TensorIndexError": TensorIndexError,
                "alloc": machine.alloc,
                "ask": around.ask,
                "GONE": GONE,
                "holds": around.check.holds,
                "constants": around.constants,
                "control": control,
                "getrefcount": getrefcount,
                "idle": idle,
                "is_here": machine.is_here,
                "leave": around.leave,
                "lent": lent,
                "look": runner_code().all_as_noted,
                "make": make_tensor,
                "missed": missed,
                "position_of": position_of,
                "raise_failure": raise_failure,
                "run": machine.run,
                "segment_of": segments_of(recording),
                "settings": settings,
                "take_back": take_back,
                "tape": machine.tape,
                "was_written": was_written,
                "watchers": watchers,
                "which": which,
                "write_numbers": machine.write_numbers,
            },
        )

    def function(self) -> Callable[..., Any]:
        given = f"[{', '.join(self._tensors)}]"
        known = [f"id(t{k}) == known[{n}]" for n, k in enumerate(self._layout.known)]
        same = dict(self._recording.same)
        known += [f"t{k} is {self._code.name_of(a)}" for k, a in same.items()]
        others = [t for k, t in enumerate(self._tensors) if k not in self._layout.known and k not in same]
        known += [f"(t{k}._grad is None) is not {had}" for k, had in self._recording.asked]
        so = [*known, *[f"id({t}) not in barred" for t in others], "not settings.log", "not settings.interpret"]
        so += ["not watchers", "look(notes, n_notes)"]
        if self._machine.is_launched:
            so.append(f"is_here([{', '.join([f'{self._input(i)}.buffer' for i in self._layout.asked])}])")
        self._code.lines = [
            "try:",
            *(["    if not holds():", "        return MISSED"] if self._around.check.holds is not None else []),
            "    state = idle.pop()",
            "except GONE:  # what guards look at, or a state",
            "    return MISSED",
            "now, then, calls, numbers, known, barred, inputs, alive = state",
            "notes, n_notes, frame, memory, outs, _ = now",
            f"if not ({' and '.join(so)}):",
            f"    missed(state, {given})",
            "    return MISSED",
            *self._addresses(),
            *self._asking(),
            *self._running(given),
            *self._effects(),
            f"return {self._result()}",
        ]
        function: Callable[..., Any] = self._code.function(f"steady({', '.join([*self._tensors, *self._numbers])})")
        return function

    def _asking(self) -> list[str]:
        """Numbers, where they are not always the same."""
        if not self._does_more:
            return []
        positions = [f"position_of({self._code.tensor(place)})" for place in self._recording.positions]
        return [
            "try:",
            f"    done, scalars, n, left = ask([{', '.join([*self._numbers, *positions])}])",
            "except Missed:",
            "    idle.append(state)",
            "    return MISSED",
        ]

    def _addresses(self) -> list[str]:
        """Memory for results, and the addresses that no frame knows."""
        layout, lines = self._layout, []
        sizes = self._machine.shape.out_bytes
        lines += [f"b{place} = alloc({sizes[place]})" for place in layout.fresh]
        lines += [f"s{i} = lent({self._input(i)})" for i in layout.lent]
        each = [f"s{i}.address" if i in layout.lent else f"{self._input(i)}.buffer.address" for i in layout.asked]
        each += [f"b{place}.address" for place in layout.fresh]
        if not layout.has_arena:
            lines.append(f"arena = alloc({self._machine.shape.arena_bytes})")
            each.append("arena.address")
        if each:
            self._code.scope["pack"] = word_packer(len(each)).pack_into
            lines.append(f"pack(memory, {FIRST * WORD}, {', '.join(each)})")
        for k, place in enumerate(layout.reused):
            lines += [
                f"if getrefcount(outs[{place}]) != {ALONE_IN_LIST}:",
                f"    outs[{place}] = alloc({sizes[place]})",
                f"    memory[{FIRST + len(each) + k}] = outs[{place}].address",
                f"b{place} = outs[{place}]",
            ]
        if self._machine.shares_work:
            lines.append(f"memory[{POOL}] = control()")
        return lines

    def _running(self, given: str) -> list[str]:
        """The run. Ctrl-C is heard between its slices; once all is done results are handed over whatever comes."""
        handed_over = self._handed_over()
        lines = [
            "begun = False",
            "try:",
            *(["    write_numbers(numbers, scalars)"] if self._does_more else []),
            *_indented(_LAUNCH if self._machine.is_launched else _RUN),
            *_indented([*handed_over, *self._made()]),
            "    idle.append((then, now, calls + 1, numbers, known, barred, inputs, alive))",
            "except KeyboardInterrupt:",
            f"    if begun and {_ENQUEUED if self._machine.is_launched else _DONE}:",
            *_indented(_indented(handed_over or ["pass"])),
        ]
        if self._does_more:
            lines += ["    else:", "        take_back(done)"]
        lines.append("    raise")
        if self._machine.is_launched:
            lines.append("except Missed:")
            lines += ["    take_back(done)"] if self._does_more else []
            lines += [f"    missed(state, {given})", "    return MISSED"]
        lines.append("except TensorIndexError as error:")
        lines += ["    take_back(done)"] if self._does_more else []
        lines += [f"    raise which(error, {given}, {'scalars' if self._does_more else 'constants'}) from None"]
        if self._does_more:
            lines += ["except BaseException:", "    take_back(done)", "    raise"]
        return lines

    def _handed_over(self) -> list[str]:
        """Results to the tensors that stay, and numbers to their places. May be done twice."""
        tied = dict(self._layout.tied)
        lines = []
        for _, kind, what, place, _ in self._receivers():
            if kind != "output" and place not in tied:
                y = f"{self._code.tensor(what)}._grad" if kind == "new gradient of" else self._code.tensor((kind, what))
                lines.append(f"{y}.buffer = {self._buffer(place)}")
            if kind != "output" and place in self._layout.shown:
                lines.append(f"was_written({self._code.tensor((kind, what))})")
        if self._around.leave is not None:
            lines.append("leave(left)")
        return lines

    def _made(self) -> list[str]:
        """Tensors for the results that are returned."""
        lines = []
        if self._recording.plan.struct is not None:
            numbers = "scalars" if self._does_more else "constants"
            lines.append(f"segment = segment_of({numbers}, [{', '.join(self._tensors)}])")
        for ix, kind, what, place, leaf in self._receivers():
            if kind == "output":
                lines += [f"y{what} = make()", f"y{what}.at = {self._code.name_of(leaf)}"]
                lines.append(f"y{what}.buffer = {self._buffer(place)}")
                if not leaf.is_leaf and self._recording.plan.struct is not None:
                    lines.append(f"y{what}.history = (segment, {ix})")
        return lines

    def _receivers(self) -> Iterator[tuple[int, str, Any, int, Leaf]]:
        """(entry, kind, what, place of result, state) of all who get a result."""
        for ix, place, leaf in self._recording.plan.commits:
            kind, what = self._recording.results.get(ix, NOBODY)
            if kind != "nobody":
                yield ix, kind, what, place, leaf

    def _buffer(self, place: int) -> str:
        """The memory of a result."""
        tied = dict(self._layout.tied)
        if place in tied:
            return f"{self._input(tied[place])}.buffer"
        return f"outs[{place}]" if place in self._layout.kept else f"b{place}"

    def _effects(self) -> list[str]:
        return [f"{self._code.name_of(effect)}()" for effect in self._around.effects]

    def _result(self) -> str:
        (returned, _) = self._recording.output.shape[-1]  # the other is what stands in the places of tensors: none
        return expression(returned, self._code.name_of, "y{}", self._code.tensor)

    def _input(self, position: int) -> str:
        return self._code.tensor(self._recording.inputs[position])


def _memory_at(place: Place, tensors: Sequence[Any]) -> Any:
    """What the input that is found at ``place`` lies in."""
    kind, what = place
    if kind == "constant":
        return what
    return lent(what) if kind == "seen" else tensor_at(place, tensors).buffer


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]

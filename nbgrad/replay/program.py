"""A recorded call, ready to be run with other arguments: check, bind, run the tape, hand the results out.

The step of a training loop finds all tensors as the call before left them, and of its hundreds of tensors none need be
asked: one compiled look says whether all of them are what they were, and where they were. So nearly all addresses stand
in the runner's frame for good. Results go where those of the call before the last one went: two sets of memory, each
with a frame, change places. Such a call is a bound call (``bound_call``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Final, cast

import numpy as np

from nbgrad.config import settings
from nbgrad.errors import RunError, TensorIndexError
from nbgrad.kernels.records import WORD
from nbgrad.pipeline import Plan
from nbgrad.replay.arguments import Arguments
from nbgrad.replay.binding import aliases_among, materialized, require_alone
from nbgrad.replay.bound_call import MISSED, SPARE_BYTES, Layout, bound_call_of, call_of, never
from nbgrad.replay.captured_state import CapturedState
from nbgrad.replay.guards import Check, Guard
from nbgrad.replay.recording import Missed, Recording, exact, key_of, outermost, tensor_at
from nbgrad.runtime.bound import FIRST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.references import owners
from nbgrad.runtime.runner_code import is_for_python, runner_code
from nbgrad.runtime.unchanged import Standing, can_tell
from nbgrad.runtime.word_functions import RUNNER
from nbgrad.system.interrupts import is_of_handler
from nbgrad.trace import (
    Handle,
    Leaf,
    Share,
    Storage,
    bring_up,
    has_rows,
    is_view,
    local,
    materialize,
    roots_of,
    threads,
)

_HOLDERS: Final = 3  # of the buffer of a tensor that a program reads and writes: the tensor, and two lists of inputs
_HELD_ONCE: Final = 1  # as ``Standing`` counts references
_FIRST_WAIT: Final = 2  # calls, before one is taken to be like the next
_LONGEST_WAIT: Final = 1024
_PAYS: Final = 8  # calls; to note how all tensors stand takes as long as is saved by so many


class Program:
    """One recording of a function, with the guards under which it stands for the function: ``check``.

    ``held``: ids of the tensors that the function reaches; ``given``: who gets which result, by its place; ``renewed``
    are results that may be made in the memory of an input, which is their tensor's: (place, position).

    ``bound_call(*tensors, *numbers)`` gives its result, or MISSED. ``idle`` are the states from which it may go on, one
    for each thread that ran it at the same time. The arguments that get results are ``known`` by their ids.
    """

    def __init__(self, recording: Recording, captured: CapturedState) -> None:
        self.recording, self.captured = recording, captured
        self.check = Check(captured.guards)
        self.held = frozenset(captured.tensors)
        self.given = {place: where for _, where, place, _ in recording.receivers() if where[0] != "output"}
        self.renewed = [
            (place, position)
            for place, position in (recording.plan.plan.donations.items() if recording.plan.plan is not None else ())
            if place in self.given and exact(self.given[place]) == exact(recording.inputs[position])
        ]
        self._aliases = aliases_among([a for a, _ in recording.leaves])
        left = [place for kind, place in recording.output.parts if kind == "known"] if recording.state else []
        kept = [place for place in left if place[0] == "argument"]
        self.touched = [place for place in (*self.given.values(), *kept) if place[0] != "new gradient of"]
        self.bound_call: Callable[..., Any] = never
        self.idle: list[tuple[Any, ...]] = []
        self._can_be_bound = can_tell() and _can_be_bound(recording)
        self._plan: Any = recording.plan.plan
        self._place_of = {key_of(where): place for place, where in self.given.items()}
        owners = map(outermost, (*self.given.values(), *[owner for owner, _ in recording.gradients]))
        self.known = sorted({what for kind, what in owners if kind == "argument"})
        self._at: defaultdict[int, set[int]] = defaultdict(set)  # where the memory of inputs was, by position
        self._layout: tuple[Layout, Any] | None = None  # and what binds addresses of it
        self._wait = self._first = _FIRST_WAIT
        self._call = call_of(self)

    def _writes_shown(self, arguments: Arguments) -> bool:
        """Whether it writes what an argument shows that shares its memory, or leaves it in a place."""
        count = len(arguments.tensors)  # those that are replaced follow: they are alone, or the call is missed
        places = [p for p in self.touched if outermost(p)[0] == "held" or outermost(p)[1] < count]
        touched = [tensor_at(place, arguments.tensors) for place in places]
        return arguments.show_memory_of([a for a in touched if a is not None])

    def run(self, arguments: Arguments) -> Any:
        """The function's result. Missed where the recording does not hold, before anything was changed."""
        if arguments.shared and self._writes_shown(arguments):
            raise Missed("an argument that shares its memory with other tensors is written")
        tensors, numbers = arguments.tensors, arguments.numbers
        with threads.lock if self.given else nullcontext():  # threads that write take turns
            for a in tensors:
                if a._segment is not None:  # written while this one waited
                    materialize(local.trace, a)
            if (result := self.bound_call(*tensors, *numbers)) is not MISSED:
                return result
            if broken := self.check():
                raise Missed(broken)
            tensors = self._with_replaced(tensors)
            same = self.recording.same
            if any(a is not same[k] if k in same else id(a) in self.held for k, a in enumerate(tensors)):
                raise Missed("an argument is a tensor that the function holds, too, or was one, and is another")
            try:
                while (result := self._call(tensors, *numbers)) is MISSED:  # nested code wrote meanwhile what it writes
                    for a in tensors:
                        bring_up(a)
            except (TensorIndexError, RunError) as error:
                if is_of_handler(error):
                    raise
                raise Missed("an instruction fails") from None  # in the recorded call, too, which finds its line
            return result

    def materialize(self, arguments: list[Handle]) -> None:
        """Bring everything into memory, in the state in which it was recorded; else Missed."""
        leaves, owners = self.recording.leaves, self.recording.gradients
        found = leaves + [(tensor_at(owner, arguments)._grad, leaf) for owner, leaf in owners] if owners else leaves
        odd = [(a, leaf) for a, leaf in found if a._at is not leaf or a._share is not None or a._page is not None]
        for a, leaf in odd:
            materialized(a, leaf)
        if (odd or self._aliases) and aliases_among([a for a, _ in leaves]) != self._aliases:
            raise Missed("other tensors than before share their memory")
        if owners:
            require_alone([g for g, _ in found[len(leaves) :]], arguments, self.held)

    def spare(self, inputs: list[Buffer]) -> list[Buffer | None]:
        """By place of result the memory of an input in which it may be made, where nobody else uses that."""
        spare: list[Buffer | None] = [None] * self.recording.plan.n_results
        renewed = [inputs[position] for _, position in self.renewed]
        for (place, _), buffer, count in zip(self.renewed, renewed, owners(renewed), strict=True):
            if count == _HOLDERS and buffer.is_pooled:
                spare[place] = buffer
        return spare

    def _with_replaced(self, arguments: list[Handle]) -> list[Handle]:
        """The same, and what stands in the places of tensors that are replaced from call to call."""
        found, ids = [*arguments], {*map(id, arguments)}
        for place, leaf in self.recording.state:
            a = place.found()
            if isinstance(a, Handle) and (a._at is not leaf or a._share is not None or a._page is not None):
                materialized(a, leaf)
            if not isinstance(a, Handle) or id(a) in ids or a._share is not None or vars(a):
                raise Missed(f"{place.label} holds no tensor that is by itself, without views, aliases and attributes")
            found.append(a)
            ids.add(id(a))
        return found

    def note(self, tensors: Sequence[Handle], buffers: list[Buffer]) -> None:
        """Note how all stands after a call that was not bound, where that may be worth the while."""
        self._wait -= 1
        looked = self.check.noted  # by another thread, if that finds guards that do not hold
        if not self._can_be_bound or self._wait > 0 or settings.log or settings.interpret or looked is None:
            return
        if not self._plan.is_settled or is_for_python(RUNNER, 0.0) or runner_code().is_draft:
            return
        self._wait = self._first
        try:
            layout = self._laid_out(tensors, self._plan.executable, looked[1])
            known = self._layout
            if known is None or layout != known[0]:
                slots = [(how, k) for k, how in (*layout.inputs.items(), *layout.results.items())] + [("arena", 0)]
                known = layout, layout.executable.binding([slots.index(slot) for slot in layout.open()])
                self._layout, self.idle, self.bound_call = known, [], never
            state = self._noted(layout, known[1], tensors, buffers, looked[0])
        except Missed:
            return
        if self.bound_call is never:
            self.bound_call = bound_call_of(self, layout, len(tensors))
        self.idle.append(state)

    def missed(self, calls: int) -> None:
        """Something had changed after so many calls."""
        self._first = _FIRST_WAIT if calls >= _PAYS else min(2 * self._first, _LONGEST_WAIT)
        self._wait = self._first

    def _laid_out(self, tensors: Sequence[Handle], executable: Executable, bare: list[Guard]) -> Layout:
        """What stays from call to call, and what does not."""
        where, given, tape = self.recording.inputs, self._place_of, executable.tape
        donated = {
            place: i
            for place, i in self.renewed
            if (place, i) not in tape.parted and tensor_at(where[i], tensors)._buffer.is_pooled
        }
        results: dict[int, str] = {}
        for place, size in enumerate(tape.out_bytes):
            may_stay = "kept" if place in given.values() else "reused"
            results[place] = "tied" if place in donated else may_stay if size <= SPARE_BYTES else "fresh"
        inputs: dict[int, str] = {}
        for i in tape.input_positions:
            kind, what = where[i]
            place = given.get(key_of(where[i]), -1)
            if kind == "constant" or donated.get(place) == i:
                inputs[i] = "stays"
            elif results.get(place) == "kept":
                inputs[i] = "turns"
            elif kind == "argument" or place >= 0 or (kind == "external" and (is_view(what) or not has_rows(what))):
                inputs[i] = "lent"
            else:
                self._at[i].add(tensor_at(where[i], tensors)._buffer.address)
                inputs[i] = "lent" if len(self._at[i]) > 1 else "stays"
        receivers = self.recording.receivers()
        shown = [place for _, (kind, a), place, _ in receivers if kind == "held" and a._share is not None]
        return Layout(executable, inputs, results, shown, frozenset(map(id, bare)))

    def _noted(
        self, layout: Layout, binding: Any, tensors: Sequence[Handle], buffers: list[Buffer], before: Standing
    ) -> tuple[Any, ...]:
        """A state: all that a call may find as it is now."""
        tape, inputs = layout.executable.tape, self.recording.inputs
        barred = self.held | {id(tensor_at(x, tensors)._grad) for x, _ in self.recording.gradients}
        known = [id(tensors[k]) for k in self.known]
        kept = [(place, tape.out_bytes[place]) for place, how in layout.results.items() if how == "kept"]
        first = {place: Buffer.alloc(size) for place, size in kept}
        second = {place: buffers[place] for place, _ in kept}
        block = Buffer.alloc(max(WORD * len(tape.scalars), WORD))
        arena = Buffer.alloc(tape.arena_bytes) if ("arena", 0) not in layout.open() else None
        numbers = memoryview(cast("Any", block.array((block.nbytes,), np.uint8)))
        layout.executable.write_numbers(numbers, self.recording.numbers)
        stay = [i for i, how in layout.inputs.items() if how == "stays" and inputs[i][0] != "constant"]
        noted = self._standing(layout, tensors, stay, before)

        def turn(targets: dict[int, Buffer], before: dict[int, Buffer]) -> tuple[Any, ...]:
            """One of the two sets of memory: small results go into ``targets``, those of the call before are in
            ``before``."""
            standing, found = Standing(noted), []
            for i, how in layout.inputs.items():
                kind, b = inputs[i]
                if how == "turns":
                    b = before[self._place_of[key_of(inputs[i])]]
                    standing.holder(tensor_at(inputs[i], tensors), Handle, "_buffer", b)
                elif kind != "constant":
                    b = None if how == "lent" else tensor_at(inputs[i], tensors)._buffer
                found.append(b)
            for place, how in layout.results.items():
                found.append(tensor_at(self.given[place], tensors)._buffer if how == "tied" else targets.get(place))
                if how == "kept":
                    standing.references(targets[place], _HELD_ONCE)
            standing.close()
            addresses = [b.address if b is not None else 0 for b in (*found, arena, block)]
            frame = binding.bound(addresses, block.address)
            memory = frame.memory
            outs: list[Any] = [targets.get(place) for place in layout.results]
            for k, (how, place) in enumerate(layout.open()):
                if how == "reused":
                    outs[place] = Buffer.alloc(tape.out_bytes[place])
                    memory[FIRST + k] = outs[place].address
            return standing.notes, frame.address, memory, outs, (standing, frame, block, arena)

        return 0, turn(first, second), turn(second, first), numbers, known, barred

    def _standing(self, layout: Layout, tensors: Sequence[Handle], stay: Sequence[int], before: Standing) -> Standing:
        """How tensors stand, gradients as well, and where the inputs are that ``stay`` there. Missed where one does not
        stand as it did when it was recorded."""
        noted, recording = Standing(before), self.recording
        for a, leaf in (*recording.leaves, *recording.external):
            if not is_view(a):  # guards look at those
                _note_tensor(noted, a, leaf, may_be_shared=True)
        for place, _ in recording.asked:  # whether there is one: as before the call, or it cannot be bound
            if place[0] == "held" or place[1] in self.known:
                noted.attribute(tensor_at(place, tensors), Handle, "_grad")
        for owner, leaf in recording.gradients:
            _note_tensor(noted, tensor_at(owner, tensors)._grad, leaf)
        for _, (kind, what), _, leaf in recording.receivers():
            if kind == "new gradient of":
                noted.references(g := tensor_at(what, tensors)._grad, _HELD_ONCE)
                _note_tensor(noted, g, leaf)
            elif kind == "argument":
                _note_tensor(noted, tensors[what], leaf)
        donated = [i for place, i in self.renewed if layout.results[place] == "tied"]
        for i in stay:
            noted.attribute(a := tensor_at(recording.inputs[i], tensors), Handle, "_buffer")
            noted.number(a._buffer, Buffer, "address")
            if i in donated:
                noted.references(a._buffer, _HELD_ONCE)
        return noted


def _can_be_bound(recording: Recording) -> bool:
    """Whether a call can find all tensors as the one before left them, and leave them so. Histories, if there are any,
    keep no values then: a backward inside the function has used them up, and only what is returned has one."""
    plan, struct = recording.plan, recording.plan.struct
    if type(plan.plan) is not Plan:  # or parts of it run elsewhere
        return False
    if any(a._at.spec.place for a, _ in recording.external):  # type: ignore[union-attr]
        return False  # others use such memory on other streams
    has_history = any(kind != "output" and not leaf.is_leaf for _, (kind, _), _, leaf in recording.receivers())
    if struct is not None and (struct.kept_inputs or plan.saved_places or recording.entries[1] or has_history):
        return False
    made = {key_of(where) for where in recording.results.values() if where[0] == "new gradient of"}
    stay_empty = all(key_of(("gradient of", place)) not in made for place, had in recording.asked if not had)
    return stay_empty and not (recording.state or recording.cleared)


def _note_tensor(noted: Standing, a: Handle | None, leaf: Leaf, *, may_be_shared: bool = False) -> None:
    """Note that ``a`` is in memory in the state ``leaf``, and has nothing rare: but views, and others who see its
    memory, where it ``may_be_shared``."""
    if a is None or a._at is not leaf or a._segment is not None or a._history is not None:
        raise Missed("a tensor is in another state")
    for name in ("_at", "_share", "_page", "_history"):
        noted.attribute(a, Handle, name)
    if (share := a._share) is None:
        return
    if not may_be_shared or share.root is not None or len(roots_of(share.storage)) > 1 or share.error is not None:
        raise Missed("a tensor has aliases, or shows another one's memory")
    for name in ("root", "error", "retained", "storage"):
        noted.attribute(share, Share, name)
    for name in ("export", "whole", "roots"):
        noted.attribute(share.storage, Storage, name)

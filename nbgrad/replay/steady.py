"""Calls that find all tensors as the call before left them, as one generated function (``bound_call``).

That is the step of a training loop, and of its hundreds of tensors none need be asked: one compiled look says whether
all of them are what they were, and where they were. So nearly all addresses stand in the runner's frame for good.
Results go where those of the call before the last one went: two sets of memory, each with a frame, change places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np

from nbgrad.config import settings
from nbgrad.kernels.records import WORD
from nbgrad.replay.bind import key_of, outermost, receivers, tensor_at
from nbgrad.replay.bound_call import SPARE_BYTES, Layout, Parts, State, never, steady_call_of
from nbgrad.replay.captured_views import VIEW_ATTRIBUTES, require_views
from nbgrad.replay.history import keeps_nothing
from nbgrad.replay.machine import Machine, machine_of, runs_steadily
from nbgrad.replay.recording import HeldView, Missed, Recording
from nbgrad.runtime.bound import FIRST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner_code import is_for_python, runner_code
from nbgrad.runtime.unchanged import Standing, can_tell
from nbgrad.runtime.word_functions import RUNNER
from nbgrad.trace.handle import Handle, Share, Storage
from nbgrad.trace.storage import is_view, roots_of
from nbgrad.trace.trie import Leaf
from nbgrad.trace.window import has_rows

_HELD_ONCE: Final = 1  # as ``Standing`` counts references
_FIRST_WAIT: Final = 2  # calls, before one is taken to be like the next
_LONGEST_WAIT: Final = 1024
_PAYS: Final = 8  # calls; to note how all tensors stand takes as long as is saved by so many


class Steady:
    """The steady calls of a program: ``call(*tensors, *numbers)`` gives the function's result, or MISSED."""

    def __init__(self, parts: Parts) -> None:
        self.call: Callable[..., Any] = never
        self.idle: list[tuple[Any, ...]] = []  # one for each thread that ran it at the same time
        self._parts = parts
        self._recording = recording = parts.recording
        self._is_possible = can_tell() and _is_possible(recording)
        self._plan: Any = runs_steadily(recording.plan.plan)
        results = [(where, place) for _, where, place, _ in receivers(recording) if where[0] != "output"]
        self._given = {key_of(where): place for where, place in results}
        owners = [outermost(place) for place, _ in (*results, *recording.gradients)]
        # The arguments that get results are known by their ids.
        self._known = sorted({what for kind, what in map(outermost, owners) if kind == "argument"})
        self._moved: set[int] = set()  # inputs whose memory was seen to be other than in the call before
        self._layout: Layout | None = None
        self._machine: Machine | None = None
        self._wait = self._first = _FIRST_WAIT

    def after(self, tensors: Sequence[Handle], buffers: list[Buffer], spare: list[Buffer | None]) -> bool:
        """Note how all stands after a call that was not steady. False where it is not worth the while to find out."""
        self._wait -= 1
        if not self._is_possible or self._wait > 0 or settings.log or settings.interpret:
            return False
        if not self._plan.is_settled or is_for_python(RUNNER, 0.0) or runner_code().is_draft:
            return False
        self._wait = self._first
        if self._machine is None or not self._machine.serves(self._plan):
            self._machine = machine_of(self._recording.plan.plan)
        if self._machine is None:
            return False
        try:
            layout = self._laid_out(tensors, self._machine)
            if layout != self._layout:
                self._layout, self.idle, self.call = layout, [], never
            state = self._noted(layout, tensors, buffers, spare)
        except Missed:
            return False
        if self.call is never:
            self.call = steady_call_of(self._parts, layout, self._known, len(tensors), self.idle, self.missed)
        self.idle.append(state)
        return True

    def missed(self, before: tuple[Any, ...], tensors: Sequence[Handle]) -> None:
        """Something had changed: where it is but the memory of an input, that is asked for from now on."""
        state = State(*before)
        self._first = _FIRST_WAIT if state.calls >= _PAYS else min(2 * self._first, _LONGEST_WAIT)
        self._wait = self._first
        for position, address in state.inputs:
            a = tensor_at(self._recording.inputs[position], tensors)
            if a is not None and a.chapter is None and a.buffer.address != address:
                self._moved.add(position)

    def _laid_out(self, tensors: Sequence[Handle], machine: Machine) -> Layout:
        """What stays from call to call, and what does not."""
        where, given = self._recording.inputs, self._given
        tied = {
            place: i
            for place, i in self._parts.renewed
            if (place, i) not in machine.parted and tensor_at(where[i], tensors).buffer.is_pooled
        }
        results: dict[int, str] = {}
        for place, size in enumerate(machine.out_bytes):
            may_stay = "kept" if place in given.values() else "fresh" if machine.is_launched else "reused"
            results[place] = "tied" if place in tied else may_stay if size <= SPARE_BYTES else "fresh"
        inputs: dict[int, str] = {}
        for i in machine.inputs:
            kind, what = where[i]
            place = given.get(key_of(where[i]), -1)
            if kind == "constant" or tied.get(place) == i:
                inputs[i] = "stays"
            elif results.get(place) == "kept":
                inputs[i] = "turns"
            elif kind == "seen" and (i in self._moved or is_view(what) or not has_rows(what)):
                inputs[i] = "lent"
            else:
                inputs[i] = "asked" if kind == "argument" or place >= 0 or i in self._moved else "stays"
        found = [(what, place) for _, (kind, what), place, _ in receivers(self._recording) if kind == "held"]
        shown = [place for a, place in found if a.share is not None]
        return Layout(machine, inputs, results, shown, self._parts.check.holds)

    def _noted(
        self, layout: Layout, tensors: Sequence[Handle], buffers: list[Buffer], spare: list[Buffer | None]
    ) -> State:
        """All that a call may find as it is now."""
        machine, inputs = layout.machine, self._recording.inputs
        barred = self._parts.held | {id(tensor_at(x, tensors)._grad) for x, _ in self._recording.gradients}
        known = [id(tensors[k]) for k in self._known]
        if not barred.isdisjoint(known):
            raise Missed("an argument is a gradient")
        kept = [(place, machine.out_bytes[place]) for place, how in layout.results.items() if how == "kept"]
        first = {p: b if (b := spare[p]) is not None and b.nbytes == size else machine.alloc(size) for p, size in kept}
        second = {place: buffers[place] for place, _ in kept}
        block = Buffer.alloc(max(WORD * len(machine.tape.scalars), WORD))
        arena = machine.alloc(machine.tape.arena_bytes) if machine.keeps_arena else None
        numbers = memoryview(cast("Any", block.array((block.nbytes,), np.uint8)))
        if self._parts.constants is not None:
            machine.write_numbers(numbers, self._parts.constants)
        stay = [i for i, how in layout.inputs.items() if how == "stays" and inputs[i][0] != "constant"]
        at = [(i, tensor_at(inputs[i], tensors).buffer.address) for i in stay]
        noted = self._standing(layout, tensors, stay)
        fixed = {("stays", i): address for i, address in at}
        fixed |= {("arena", 0): arena.address if arena is not None else 0, ("numbers", 0): block.address}
        slots = [(how, k) for k, how in (*layout.inputs.items(), *layout.results.items())]
        slots += [("arena", 0), ("numbers", 0)]

        def turn(targets: dict[int, Buffer], before: dict[int, Buffer]) -> tuple[Any, ...]:
            """One of the two sets of memory: small results go into ``targets``, those of the call before are in
            ``before``."""
            standing, at = Standing(noted), dict(fixed)
            for i, how in layout.inputs.items():
                if inputs[i][0] == "constant":
                    machine.note(standing, inputs[i][1], written=False)
                    at["stays", i] = inputs[i][1].address
                elif how == "turns":
                    old = before[self._given[key_of(inputs[i])]]
                    standing.holder(tensor_at(inputs[i], tensors), Handle, "buffer", old)
                    at["turns", i] = old.address
            for place, b in targets.items():
                standing.references(b, _HELD_ONCE)
                machine.note(standing, b, written=True)
                at["kept", place] = b.address
            standing.close()
            at |= {("tied", place): at.get(("stays", i), 0) for place, i in self._parts.renewed}
            addresses = [at.get(slot, 0) for slot in slots]
            frame, memory, alive = machine.bound([slots.index(slot) for slot in layout.open()], addresses)
            outs: list[Any] = [targets.get(place) for place in layout.results]
            for k, (how, place) in enumerate(layout.open()):
                if how == "reused":
                    outs[place] = machine.alloc(machine.out_bytes[place])
                    memory[FIRST + k] = outs[place].address
            return standing.notes, frame, memory, outs, (standing, alive)

        return State(turn(first, second), turn(second, first), 0, numbers, known, barred, at, (block, arena))

    def _standing(self, layout: Layout, tensors: Sequence[Handle], stay: Sequence[int]) -> Standing:
        """How tensors stand, gradients as well, and where the inputs are that ``stay`` there. Missed where one does not
        stand as it did when it was recorded."""
        noted, recording = Standing(self._parts.check.standing), self._recording
        for a, leaf in (*recording.leaves, *recording.seen):
            if not is_view(a):  # those are looked at below
                _note(noted, a, leaf, may_be_seen=True)
        require_views(recording.views)
        for held in recording.views:
            _note_view(noted, held)
        for place, had in recording.asked:
            if ((x := tensor_at(place, tensors))._grad is not None) is not had:
                raise Missed("gradients are there, or are not, after the call")
            if place[0] == "held" or place[1] in self._known:
                noted.attribute(x, Handle, "_grad")
        for owner, leaf in recording.gradients:
            _note(noted, tensor_at(owner, tensors)._grad, leaf)
        for _, (kind, what), _, leaf in receivers(recording):
            if kind == "new gradient of":
                noted.references(g := tensor_at(what, tensors)._grad, _HELD_ONCE)
                _note(noted, g, leaf)
            elif kind == "argument":
                _note(noted, tensors[what], leaf)
        tied = [i for place, i in self._parts.renewed if layout.results[place] == "tied"]
        for i in stay:
            noted.attribute(a := tensor_at(recording.inputs[i], tensors), Handle, "buffer")
            noted.number(a.buffer, layout.machine.kind, "address")
            if i in tied:
                noted.references(a.buffer, _HELD_ONCE)
            layout.machine.note(noted, a.buffer, written=i in tied)
        return noted


def _is_possible(recording: Recording) -> bool:
    """Whether a call can find all tensors as the one before left them, and leave them so."""
    plan = recording.plan
    if runs_steadily(plan.plan) is None or not keeps_nothing(recording):
        return False
    if any(a.at.spec.place for a, _ in recording.seen):  # type: ignore[union-attr]
        return False  # others use such memory on other streams
    made = {key_of(where) for where in recording.results.values() if where[0] == "new gradient of"}
    stay_empty = all(key_of(("gradient of", place)) not in made for place, had in recording.asked if not had)
    return stay_empty and not (recording.state or recording.cleared)


def _note(noted: Standing, a: Handle | None, leaf: Leaf, *, may_be_seen: bool = False) -> None:
    """Note that ``a`` is in memory in the state ``leaf``, and has nothing rare: but views, and others who see its
    memory, where it ``may_be_seen``."""
    if a is None or a.at is not leaf or a.chapter is not None or a.history is not None:
        raise Missed("a tensor is in another state")
    for name in ("at", "share", "page", "history"):
        noted.attribute(a, Handle, name)
    if a.share is None:
        return
    share = a.share
    if not may_be_seen or share.root is not None or len(roots_of(share.storage)) > 1 or share.error is not None:
        raise Missed("a tensor has aliases, or shows another one's memory")
    for name in ("root", "error", "retained", "storage"):
        noted.attribute(share, Share, name)
    for name in ("export", "whole", "roots"):
        noted.attribute(share.storage, Storage, name)


def _note_view(noted: Standing, held: HeldView) -> None:
    """Note that a view is what it was."""
    noted.attribute(held.view, Handle, "share")
    noted.attribute(held.view, Handle, "at")
    if held.has_derivative:
        noted.attribute(held.view, Handle, "history")
    for name in VIEW_ATTRIBUTES:
        noted.attribute(held.share, Share, name)
    noted.attribute(held.share.storage, Storage, "rest")

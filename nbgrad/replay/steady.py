"""Calls that find all tensors as the call before left them, as one generated function (``steady_code``).

That is the step of a training loop, and of its hundreds of tensors none need be asked: one compiled look says whether
all of them are what they were, and where they were. So nearly all addresses stand in the runner's frame for good.
Results go where those of the call before the last one went: two sets of memory, each with a frame, change places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np

from nbgrad.config import settings
from nbgrad.replay.bind import NOBODY, gradients_of, key_of, outermost, tensor_at
from nbgrad.replay.give import SPARE_BYTES
from nbgrad.replay.history import keeps_nothing
from nbgrad.replay.machine import Machine, machine_of, runs_steadily
from nbgrad.replay.recording import HeldView, Missed, Recording
from nbgrad.replay.seen import VIEW_ATTRIBUTES, require_views
from nbgrad.replay.steady_code import MISSED, Around, Layout, State, Turn, function_of
from nbgrad.runtime.bound import FIRST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.layout import WORD
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


def _never(*_: Any) -> object:
    return MISSED


class Steady:
    """The steady calls of a program: ``call(*tensors, *numbers)`` gives the function's result, or MISSED.

    ``kept`` are the places of small results of tensors that stay, ``known`` the arguments that get results, which are
    known by their ids. ``renewed`` are results that may be made in the memory of an input: (place, position).
    """

    def __init__(self, recording: Recording, renewed: Sequence[tuple[int, int]], around: Around) -> None:
        self.call: Callable[..., Any] = _never
        self.idle: list[tuple[Any, ...]] = []  # one for each thread that ran it at the same time
        self._recording = recording
        self._renewed = renewed
        self._around = around
        self._is_possible = can_tell() and _is_possible(recording)
        self._plan: Any = runs_steadily(recording.plan.plan)
        self._results = [(recording.results.get(ix, NOBODY), place, leaf) for ix, place, leaf in recording.plan.commits]
        given = [(where, place, leaf) for where, place, leaf in self._results if where[0] not in ("nobody", "output")]
        self._given = {key_of(where): place for where, place, _ in given}
        self._kept = frozenset([place for _, place, leaf in given if leaf.spec.size_bytes <= SPARE_BYTES])
        owners = [where[1] if where[0] == "new gradient of" else where for where, *_ in given]
        owners += [owner for owner, _ in gradients_of(recording)]
        self._known = sorted({what for kind, what in map(outermost, owners) if kind == "argument"})
        self._moved: set[int] = set()  # inputs whose memory was seen to be other than in the call before
        self._layout: Layout | None = None
        self._holds: Callable[[], bool] | None = None  # what the function asks of the guards that no rows show
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
        machine = self._machine
        if machine is None or not machine.serves(self._plan):
            machine = self._machine = machine_of(self._recording.plan.plan)
            if machine is None:
                return False
        try:
            layout = self._laid_out(tensors, machine)
            if layout != self._layout or self._holds is not self._around.check.holds:
                self._layout, self.idle, self.call = layout, [], _never
                self._holds = self._around.check.holds
            state = self._noted(layout, tensors, buffers, spare)
        except Missed:
            return False
        if self.call is _never:
            self.call = function_of(self._recording, layout, self._around, len(tensors), self.idle, self.missed)
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
        shape, inputs = machine.shape, self._recording.inputs
        tied = {
            place: i
            for place, i in self._renewed
            if (place, i) not in shape.parted and tensor_at(inputs[i], tensors).buffer.is_pooled
        }
        stays, turns, asked, lent = [], [], [], []
        for i in shape.inputs:
            kind, _ = inputs[i]
            place = self._given.get(key_of(inputs[i]), -1) if kind != "constant" else -1
            if place in tied and tied[place] == i:
                stays.append(i)
            elif place in self._kept and place not in tied:
                turns.append((i, place))
            elif kind == "seen" and (i in self._moved or is_view(a := inputs[i][1]) or not has_rows(a)):
                asked.append(i)
                lent.append(i)
            elif kind != "constant" and (kind == "argument" or place >= 0 or i in self._moved):
                asked.append(i)
            elif kind != "constant":
                stays.append(i)
        others = [p for p in range(len(shape.out_bytes)) if p not in tied and p not in self._kept]
        again = {p for p in others if machine.reuses and shape.out_bytes[p] <= SPARE_BYTES and not self._is_given(p)}
        return Layout(
            machine=machine,
            known=tuple(self._known),
            tied=tuple(tied.items()),
            kept=tuple([p for p in sorted(self._kept) if p not in tied]),
            stays=tuple(stays),
            turns=tuple(turns),
            asked=tuple(asked),
            lent=tuple(lent),
            shown=tuple([place for (kind, a), place, _ in self._results if kind == "held" and a.share is not None]),
            fresh=tuple([p for p in others if p not in again]),
            reused=tuple([p for p in others if p in again]),
            has_arena=machine.keeps_arena,
        )

    def _is_given(self, place: int) -> bool:
        return place in self._given.values()

    def _noted(
        self, layout: Layout, tensors: Sequence[Handle], buffers: list[Buffer], spare: list[Buffer | None]
    ) -> State:
        """All that a call may find as it is now."""
        machine, inputs = layout.machine, self._recording.inputs
        barred = self._around.held | {id(tensor_at(x, tensors)._grad) for x, _ in gradients_of(self._recording)}
        if not barred.isdisjoint([id(tensors[k]) for k in layout.known]):
            raise Missed("an argument is a gradient")
        first = {place: _alone(machine, spare[place], place) for place in layout.kept}
        second = {place: buffers[place] for place in layout.kept}
        block = Buffer.alloc(max(WORD * machine.shape.n_scalars, WORD))
        arena = machine.alloc(machine.shape.arena_bytes) if layout.has_arena else None
        numbers = memoryview(cast("Any", block.array((block.nbytes,), np.uint8)))
        if self._around.constants is not None:
            machine.write_numbers(numbers, self._around.constants)
        at = [(i, tensor_at(inputs[i], tensors).buffer.address) for i in layout.stays]
        noted = self._standing(layout, tensors)
        now = self._turn(layout, tensors, noted, first, second, dict(at), block, arena)
        then = self._turn(layout, tensors, noted, second, first, dict(at), block, arena)
        known = tuple([id(tensors[k]) for k in layout.known])
        return State(now, then, 0, numbers, known, barred, at, (block, arena))

    def _open(self, layout: Layout) -> list[int]:
        """The slots whose addresses a call writes, in its order."""
        shape = layout.machine.shape
        n_inputs, n_results = len(shape.inputs), len(shape.out_bytes)
        slots = [shape.inputs.index(i) for i in layout.asked] + [n_inputs + place for place in layout.fresh]
        if not layout.has_arena:
            slots.append(n_inputs + n_results)
        return slots + [n_inputs + place for place in layout.reused]

    def _turn(
        self,
        layout: Layout,
        tensors: Sequence[Handle],
        noted: Standing,
        targets: dict[int, Buffer],
        before: dict[int, Buffer],
        at: dict[int, int],
        block: Buffer,
        arena: Buffer | None,
    ) -> Turn:
        """One of the two sets of memory: small results go into ``targets``, those of the call before are in
        ``before``. ``noted`` is what stands the same for both."""
        machine, inputs = layout.machine, self._recording.inputs
        shape = machine.shape
        standing = Standing(noted)
        for i, place in layout.turns:
            standing.holder(tensor_at(inputs[i], tensors), Handle, "buffer", before[place])
        for b in targets.values():
            standing.references(b, _HELD_ONCE)
            _note_memory(standing, machine, b, written=True)
        standing.close()
        in_turn = dict(layout.turns)
        addresses = []
        for i in shape.inputs:
            kind, what = inputs[i]
            if kind == "constant":
                if not machine.is_here([what]):
                    raise Missed("a constant is on another stream")
                addresses.append(what.address)
            else:
                addresses.append(before[in_turn[i]].address if i in in_turn else at.get(i, 0))
        tied = dict(layout.tied)
        for place in range(len(shape.out_bytes)):
            addresses.append(at[tied[place]] if place in tied else targets[place].address if place in targets else 0)
        addresses += [0 if arena is None else arena.address, block.address]
        frame, memory, alive = machine.bound(self._open(layout), addresses, block.address)
        outs: list[Any] = [targets.get(place) for place in range(len(shape.out_bytes))]
        others = len(layout.asked) + len(layout.fresh) + (arena is None)
        for k, place in enumerate(layout.reused):
            outs[place] = machine.alloc(shape.out_bytes[place])
            memory[FIRST + others + k] = outs[place].address
        return Turn(*standing.notes, frame, memory, outs, (standing, alive))

    def _standing(self, layout: Layout, tensors: Sequence[Handle]) -> Standing:
        """How tensors stand, gradients as well, and where the inputs are that stay there. Missed where one does not
        stand as it did when it was recorded."""
        noted, inputs = Standing(self._around.check.standing), self._recording.inputs
        for a, leaf in (*self._recording.leaves, *self._recording.seen):
            if not is_view(a):  # those are looked at below
                _note(noted, a, leaf, may_be_seen=True)
        require_views(self._recording.views)
        for held in self._recording.views:
            _note_view(noted, held)
        for owner, leaf in gradients_of(self._recording):
            noted.attribute(x := tensor_at(owner, tensors), Handle, "_grad")
            _note(noted, x._grad, leaf)
        for (kind, what), _, leaf in self._results:
            if kind == "new gradient of":
                noted.attribute(x := tensor_at(what, tensors), Handle, "_grad")
                noted.references(x._grad, _HELD_ONCE)
                _note(noted, x._grad, leaf)
            elif kind == "argument":
                _note(noted, tensors[what], leaf)
        tied = {i for _, i in layout.tied}
        for i in layout.stays:
            noted.attribute(a := tensor_at(inputs[i], tensors), Handle, "buffer")
            noted.number(a.buffer, layout.machine.kind, "address")
            if i in tied:
                noted.references(a.buffer, _HELD_ONCE)
            _note_memory(noted, layout.machine, a.buffer, written=i in tied)
        return noted


def _alone(machine: Machine, buffer: Any, place: int) -> Any:
    """``buffer``, or another one for the result ``place`` where there is none."""
    size = machine.shape.out_bytes[place]
    return buffer if buffer is not None and buffer.nbytes == size else machine.alloc(size)


def _note_memory(noted: Standing, machine: Machine, buffer: Any, *, written: bool) -> None:
    """Note that a run may read ``buffer``, or write it."""
    if not machine.is_here([buffer]) or (written and not machine.may_write(buffer)):
        raise Missed("another stream uses the memory")
    machine.note(noted, buffer, written=written)


def _is_possible(recording: Recording) -> bool:
    """Whether a call can find all tensors as the one before left them, and leave them so."""
    plan = recording.plan
    if runs_steadily(plan.plan) is None or not keeps_nothing(recording):
        return False
    if any(a.at.spec.place for a, _ in recording.seen):  # type: ignore[union-attr]
        return False  # others use such memory on other streams
    return not (recording.state or recording.cleared or recording.empty)


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

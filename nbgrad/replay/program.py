"""A recorded call, ready to be run with other arguments: check, bind, run the tape, hand the results out."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.number import Plain
from nbgrad.replay.arguments import Arguments
from nbgrad.replay.bind import outermost, receivers, settled, tensor_at
from nbgrad.replay.bound_call import MISSED, Parts, call_of
from nbgrad.replay.captured_state import CapturedState
from nbgrad.replay.expressions import numbers_function
from nbgrad.replay.guards import GONE, Check
from nbgrad.replay.recording import Missed, Recording, same_place
from nbgrad.replay.results import parts_in
from nbgrad.replay.steady import Steady
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.references import owners
from nbgrad.trace.handle import Handle, local, threads
from nbgrad.trace.read import settle

_HOLDERS: Final = 3  # of the buffer of a tensor that a program reads and writes: the tensor, and two lists of inputs


class Program:
    """One recording of a function, with the guards under which it stands for the function."""

    def __init__(self, recording: Recording, captured: CapturedState) -> None:
        self.captured = captured
        self._recording = recording
        self._same = dict(recording.same)
        given = {place: where for _, where, place, _ in receivers(recording) if where[0] != "output"}
        self.written = frozenset([what for kind, what in given.values() if kind == "argument"])  # of the arguments
        self._given = [where for where in given.values() if where[0] != "new gradient of"]
        known = parts_in(recording.output.shape, "known")
        self.gives_back = frozenset([what for kind, what in known if kind == "argument"])
        self.writes = bool(given)  # then threads take turns
        made = [*[place for _, place, _ in recording.plan.commits], *recording.plan.saved_places]
        self._n_results = 1 + max(made, default=-1)
        self._spares: list[list[Buffer | None]] = []  # one for each thread that ran it at the same time
        last = max([k for k, source in enumerate(recording.sources) if not source.is_effect], default=-1)
        places = [*[place for place, _ in recording.state], *[a.place for a in recording.assigned]]
        asks = recording.sources or recording.conditions or recording.assigned or recording.positions
        is_constant = not (asks or any(recording.codes) or parts_in(recording.output.shape, "number"))
        self._parts = Parts(
            recording,
            Check(captured.guards),
            frozenset([id(a) for a in captured.tensors.values()]),
            [
                (place, position)
                for place, position in (recording.plan.plan.ties.items() if recording.plan.plan is not None else ())
                if place in given and same_place(given[place], recording.inputs[position])
            ],
            tuple(recording.numbers) if is_constant else None,
            numbers_function(recording, recording.sources[: last + 1]),
            [place.put for place in places],
            [effect.ask for effect in recording.sources[last + 1 :]],
        )
        self.steady = Steady(self._parts)
        self._call = call_of(self._parts, self._spare, self._after)

    def writes_shown(self, arguments: Arguments) -> bool:
        """Whether it writes what an argument shows that shares its memory: such an argument is a copy."""
        if not self.written.isdisjoint(arguments.replaced):
            return True
        count = len(arguments.tensors)  # those that are replaced follow: they are alone, or the call is missed
        places = [p for p in self._given if outermost(p)[0] == "held" or outermost(p)[1] < count]
        written = [tensor_at(place, arguments.tensors) for place in places]
        return arguments.show_memory_of([a for a in written if a is not None])

    def run(self, tensors: list[Handle], numbers: list[Plain]) -> Any:
        """The function's result. Missed where the recording does not hold, before anything was changed."""
        if not self.writes:
            return self._run(tensors, numbers)
        with threads.lock:
            for a in tensors:
                if a.chapter is not None:  # written while this one waited
                    settle(local.trace, a)
            return self._run(tensors, numbers)

    def _run(self, tensors: list[Handle], numbers: list[Plain]) -> Any:
        result = self.steady.call(*tensors, *numbers)
        if result is not MISSED:
            return result
        check, held = self._parts.check, self._parts.held
        if not check():
            raise Missed("; ".join(check.broken()) or "what it reaches has changed")
        if self._recording.state:
            tensors = [*tensors, *self._replaced(tensors)]
        if self._same and not all(tensors[k] is a for k, a in self._same.items()):
            raise Missed("an argument was a tensor that the function holds, too, and is another one")
        if not held.isdisjoint([id(a) for k, a in enumerate(tensors) if k not in self._same]):
            raise Missed("an argument is a tensor that the function holds, too, and was another one")
        return self._call(tensors, numbers)

    def _after(self, tensors: list[Handle], buffers: list[Buffer], spare: list[Buffer | None]) -> None:
        """What the tensors had before, ``spare``, is a steady call's from now on, or the next one's."""
        if not self.steady.after(tensors, buffers, spare):
            self._spares.append(spare)

    def _spare(self, inputs: list[Buffer]) -> list[Buffer | None]:
        """By place of result the buffer that its tensor has, or had before, where nobody else uses it."""
        try:
            old = self._spares.pop()
        except IndexError:
            spare: list[Buffer | None] = [None] * self._n_results
        else:
            spare = [b if count == 1 else None for b, count in zip(old, owners(old), strict=True)]
        renewed = [inputs[position] for _, position in self._parts.renewed]
        for (place, _), buffer, count in zip(self._parts.renewed, renewed, owners(renewed), strict=True):
            if count == _HOLDERS and buffer.is_pooled:
                spare[place] = buffer
        return spare

    def _replaced(self, arguments: list[Handle]) -> list[Handle]:
        """What stands in the places of tensors that are replaced from call to call."""
        found = []
        seen = set(map(id, arguments))
        for place, leaf in self._recording.state:
            try:
                a = place.now()
            except GONE:
                raise Missed(f"{place.label} is there no more") from None
            if not isinstance(a, Handle) or id(a) in seen:
                raise Missed(f"{place.label} holds no tensor of its own")
            if a.at is not leaf or a.share is not None or a.page is not None:
                settled(a, leaf)
                if a.share is not None:
                    raise Missed(f"{place.label} is a view or has aliases")
            seen.add(id(a))
            found.append(a)
        return found

"""A recorded call, ready to be run with other arguments: check, bind, run the tape, hand the results out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import Any

from nbgrad.number import Plain
from nbgrad.replay.bind import NOBODY, Missed, aliases_among, binder_of, gradient_at, gradients_of, settled, tensor_at
from nbgrad.replay.expressions import numbers_function, setters_of
from nbgrad.replay.give import ALONE, IN_USE, gradient_to_be, put
from nbgrad.replay.guards import Check
from nbgrad.replay.reach import Reach
from nbgrad.replay.recording import Place, Recording, Source, same_place
from nbgrad.replay.results import builder_of
from nbgrad.replay.state import reader, writer
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner import RunOver
from nbgrad.trace.company import sharers
from nbgrad.trace.handle import Chapter, Handle, Segment, local
from nbgrad.trace.record import make_tensor
from nbgrad.trace.trie import Leaf


class _Bound:
    """What a program runs on: ``inputs`` and ``scalars`` as its tape wants them."""

    __slots__ = ("inputs", "scalars")

    def __init__(self, inputs: list[Buffer], scalars: Sequence[Plain]) -> None:
        self.inputs = inputs
        self.scalars = scalars


class Program:
    """One recording of a function, with the guards under which it stands for the function."""

    def __init__(self, recording: Recording, reach: Reach) -> None:
        self._check = Check(reach.scope, reach.guards, reach.attributes)
        self._reach = reach
        self._plan = recording.plan
        self._recording = recording
        last = max([k for k, source in enumerate(recording.sources) if not source.is_effect], default=-1)
        self._sources = recording.sources[: last + 1]
        self._effects = recording.sources[last + 1 :]
        self._setters = setters_of(recording, reach)
        self._leaves = recording.leaves
        self.aliases_among = aliases_among([a for a, _ in recording.leaves])
        self._held = {id(a) for a in reach.tensors.values()}
        self._accumulated = gradients_of(recording)
        self._inputs = binder_of(recording)
        self._numbers, self._returned = numbers_function(recording)
        self._build = builder_of(recording.output.shape)
        self._state = [(reader(code, reach.scope), leaf, label) for label, code, leaf in recording.state]
        places = [*[code for _, code, _ in recording.state], *[a.place for a in recording.assigned]]
        self._write = writer(places, reach.scope) if places else None
        outputs: list[tuple[int, int, Leaf, int]] = []  # (number, place, leaf, entry)
        self._writes: list[tuple[Place, int, Leaf, int]] = []
        for ix, place, leaf in recording.plan.commits:
            kind, what = recording.results.get(ix, NOBODY)
            if kind == "nobody":
                continue
            if kind == "output":
                outputs.append((what, place, leaf, ix))
            else:
                self._writes.append(((kind, what), place, leaf, ix))
        given = {place: where for where, place, _, _ in self._writes}
        # Most are tensors that the function holds, and gradients of such: what is found at once.
        simple = [write for write in self._writes if write[2].is_leaf and write[0][0] == "held"]
        self._held_writes = [(y, place, leaf) for (_, y), place, leaf, _ in simple]
        self._gradients = [
            (what[1], place, leaf)
            for (kind, what), place, leaf, _ in self._writes
            if kind == "new gradient of" and what[0] == "held" and leaf.is_leaf
        ]
        done = {place for _, place, _ in (*self._held_writes, *self._gradients)}
        self._writes = [write for write in self._writes if write[1] not in done]
        self._outputs = [output[1:] for output in sorted(outputs)]
        self._n_results = 1 + max([place for _, place, _ in recording.plan.commits], default=-1)
        self._n_results = max([self._n_results, *[place + 1 for place in recording.plan.saved_places]])
        self._renewed = [
            (place, position)
            for place, position in (recording.plan.plan.ties.items() if recording.plan.plan is not None else ())
            if place in given and same_place(given[place], recording.inputs[position])
        ]
        self._spares: list[list[Buffer | None]] = []  # one for each thread that ran it at the same time

    def run(self, tensors: list[Handle], numbers: list[Plain]) -> Any:
        """The function's result. Missed where the recording does not hold, before anything was changed."""
        if not self._check():
            raise Missed("; ".join(self._check.broken()) or "what it reaches has changed")
        if self._state:
            tensors = [*tensors, *self._replaced(tensors)]
        if not self._held.isdisjoint(map(id, tensors)):
            raise Missed("an argument is a tensor that the function reaches without it, too")
        has_company = bool(self.aliases_among)
        for a, leaf in self._leaves:
            if a.at is not leaf or a.rare is not None or a.chapter is not None:
                settled(a, leaf)
                has_company |= a.rare is not None
        if has_company and aliases_among([a for a, _ in self._leaves]) != self.aliases_among:
            raise Missed("other tensors than before share their memory")
        for place in self._recording.empty:
            if tensor_at(place, tensors)._grad is not None:
                raise Missed("a tensor has a gradient that it did not have")
        if self._accumulated:
            self._check_gradients(tensors)
        inputs = self._inputs(tensors)
        asked: list[Any] = []
        before: list[tuple[Callable[..., None], Any]] = []
        try:
            if self._setters:
                self._ask_in_turn(asked, numbers, before)
            else:
                for source in self._sources:
                    asked.append(source.ask())
            try:
                scalars = self._numbers(asked, numbers)
            except (ArithmeticError, ValueError, TypeError):
                raise Missed("a number cannot be computed") from None  # the function raises it at the user's line
            if scalars is None:
                raise Missed("a decision that was taken by a number comes out otherwise")
            bound = _Bound(inputs, scalars)
            spare = self._spare(inputs)
            buffers = self._plan.run(bound, spare)  # type: ignore[arg-type]
        except RunOver as stop:
            self._hand_over(bound, stop.results, spare, tensors, asked, numbers)
            raise KeyboardInterrupt from None
        except BaseException:
            _undo(self._sources[: len(asked)])
            for write, old in reversed(before):
                self._check.change(write, old)
            raise
        try:
            result = self._hand_over(bound, buffers, spare, tensors, asked, numbers)
        except KeyboardInterrupt:
            self._hand_over(bound, buffers, spare, tensors, asked, numbers)
            raise
        self._spares.append(spare)
        for effect in self._effects:
            effect.ask()
        return result

    def _check_gradients(self, tensors: list[Handle]) -> None:
        """Missed where a gradient is not there, or where it or its memory is found in another place, too."""
        grads = [gradient_at(tensor_at(owner, tensors), leaf) for owner, leaf in self._accumulated]
        found = {id(g) for g in grads}
        is_alone = found.isdisjoint(self._held) and found.isdisjoint(map(id, tensors))
        others = {id(a) for g in grads if g.rare is not None for a in sharers(g)}
        if others:
            is_alone = is_alone and others.isdisjoint(found.union(self._held, map(id, tensors)))
        if len(found) < len(grads) or not is_alone:
            raise Missed("a gradient is found in several places")

    def _spare(self, inputs: list[Buffer]) -> list[Buffer | None]:
        """By place of result the buffer that its tensor has, or had before, where nobody else uses it."""
        try:
            spare = [b if getrefcount(b) == ALONE else None for b in self._spares.pop()]
        except IndexError:
            spare = [None] * self._n_results
        for place, position in self._renewed:
            buffer = inputs[position]
            if getrefcount(buffer) == IN_USE and buffer.is_pooled:
                spare[place] = buffer
        return spare

    def _hand_over(
        self,
        bound: _Bound,
        buffers: list[Buffer],
        spare: list[Buffer | None],
        tensors: list[Handle],
        asked: list[Any],
        numbers: list[Plain],
    ) -> Any:
        """Give every result to whom it belongs; ``spare`` becomes what they had before. May be done twice."""
        segment = self._segment(bound, buffers, tensors) if self._plan.struct is not None else None
        made = []
        for place, leaf, ix in self._outputs:
            y = make_tensor()
            y.at = leaf
            y.buffer = buffers[place]
            if segment is not None and not leaf.is_leaf:
                y.history = (segment, ix)
            made.append(y)
        for y, place, leaf in self._held_writes:
            new = buffers[place]
            old = y.buffer
            if old is new and y.at is leaf and y.rare is None:
                spare[place] = None  # it was written where it is
            else:
                put(y, new, leaf, None, spare, place)
        for x, place, leaf in self._gradients:
            put(gradient_to_be(x), buffers[place], leaf, None, spare, place)
        for (kind, what), place, leaf, ix in self._writes:
            if kind == "new gradient of":
                y = gradient_to_be(tensor_at(what, tensors))
            else:
                y = tensor_at((kind, what), tensors)
            put(y, buffers[place], leaf, None if leaf.is_leaf or segment is None else (segment, ix), spare, place)
        for where in self._recording.cleared:
            tensor_at(where, tensors)._grad = None
        returned, assigned = self._returned(asked, numbers)
        result, state = self._build(made, lambda place: tensor_at(place, tensors), returned)
        if self._write is not None:
            self._check.change(self._write, [*state, *assigned])
        return result

    def _ask_in_turn(
        self, asked: list[Any], numbers: list[Plain], before: list[tuple[Callable[..., None], Any]]
    ) -> None:
        """Ask for all numbers, and set those that others depend on; ``before``: who sets them, and what they were."""
        for k, source in enumerate(self._sources):
            if k in self._setters:
                code, read, write = self._setters[k]
                try:
                    value = code(asked + [None] * len(self._sources), numbers)
                except (ArithmeticError, ValueError, TypeError):
                    raise Missed("a number cannot be computed") from None
                before.append((write, read()))
                self._check.change(write, [value])
                asked.append(None)
            else:
                asked.append(source.ask())

    def _replaced(self, arguments: list[Handle]) -> list[Handle]:
        """What stands in the places of tensors that are replaced from call to call."""
        found = []
        seen = set(map(id, arguments))
        for read, leaf, label in self._state:
            (a,) = read()
            if not isinstance(a, Handle) or id(a) in seen:
                raise Missed(f"{label} holds no tensor of its own")
            if a.at is not leaf or a.rare is not None or a.chapter is not None:
                settled(a, leaf)
                if a.rare is not None:
                    raise Missed(f"{label} is a view or has aliases")
            seen.add(id(a))
            found.append(a)
        return found

    def _segment(self, bound: _Bound, buffers: list[Buffer], tensors: list[Handle]) -> Segment:
        """What a backward after the call needs to know of it."""
        struct = self._plan.struct
        assert struct is not None
        leaves, past = self._recording.entries
        chapter = Chapter(local.trace)
        chapter.scalars = list(bound.scalars)
        chapter.leaves = {ix: tensor_at(place, tensors) for ix, place in leaves.items()}
        for ix, place in past.items():
            history = tensor_at(place, tensors).history
            assert history is not None
            chapter.past[ix] = history
        kept: list[Buffer | None] = [b if i in struct.kept_inputs else None for i, b in enumerate(bound.inputs)]
        return Segment(struct, chapter, kept + [buffers[p] for p in self._plan.saved_places], struct.freed)

    def places_that_changed(self) -> set[tuple[str, str]]:
        """Guards that do not hold because a number or a tensor is another one: it may be bound at each call."""
        return self._reach.places_that_changed()


def _undo(sources: Sequence[Source]) -> None:
    for source in reversed(sources):
        source.undo()

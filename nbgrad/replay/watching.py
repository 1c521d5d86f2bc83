"""What the trace tells while one call of a function is recorded that will be run again: where numbers and what shows
memory come from, and what cannot be repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.number import Number, value_of
from nbgrad.replay.arguments import Arguments
from nbgrad.replay.binding import lent, position_of
from nbgrad.replay.captured_state import CapturedState
from nbgrad.replay.numbers import State
from nbgrad.replay.recording import NotRepeatable, Place, Recording, Source, exact
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace import (
    Handle,
    Leaf,
    Numbers,
    Page,
    Steps,
    Trace,
    TrieNode,
    bring_up,
    enter_copy,
    forget_aliases,
    goes_on,
    is_view,
    layout_of,
    others_of,
    sharing,
    shows_same,
    spec_of,
    threads,
    way_to,
)

NOWHERE: Place = ("nowhere", None)
_ASKED = ("argument", "held")  # tensors there may be read as numbers at each call


class Watching:
    """Watches one call. ``problem`` is the first reason why it cannot be run again. ``_before`` is what tensors were,
    those that can be found again and their gradients; ``_places`` say where."""

    def __init__(self, trace: Trace, arguments: Arguments, captured: CapturedState, *, strict: bool) -> None:
        self.recording = Recording(len(arguments.numbers))
        self._state = State(captured.places, captured.math, self.recording)
        replaced = [place.expected for place in self._state.tensors]
        self.defers = True
        self.problem: NotRepeatable | None = None
        self._trace = trace
        self._strict = strict
        self.arguments = arguments
        self.captured = captured
        self._in_effect = False
        self.born_here: dict[int, object] = {}
        self._assigned: dict[int, Handle] = {}
        self._left: list[Any] = []  # what the call has put into the places of tensors
        self._lent: dict[int, Handle] = {}  # by input, those whose memory others see
        self._shared = [a for a in arguments.shared.values() if id(a) not in captured.tensors]
        self._entries: dict[int, tuple[TrieNode, Buffer]] = {}  # of those of them that were read, by id; copies of them
        self._bound = [*arguments.tensors, *replaced]
        self._places: dict[int, Place] = {id(a): ("argument", k) for k, a in enumerate(self._bound)}
        own, others = {*map(id, replaced)}, {*map(id, arguments.tensors)} | captured.tensors.keys()
        if len(own) < len(replaced) or not own.isdisjoint(others):
            self.refuse_at_end("a tensor that is replaced from call to call is found in several places")
        self._places |= {key: ("held", a) for key, a in captured.tensors.items()}  # also where it is an argument, too
        self.recording.same = {k: a for k, a in enumerate(arguments.tensors) if id(a) in captured.tensors}
        known = self._known()
        self._segment = trace.segment
        trace.segment.token = object()  # it is empty, but detached aliases may have been made in it before
        trace.page = Page(trace.segment)
        for a in known.values():
            forget_aliases(a)
        for place in self._state.tensors:
            if place.expected._share is not None:
                why = f"{place.label} is replaced, and is a view or has aliases: clone() it"
                self.refuse_at_end(why, of_memory=True)
        self._state.begin()
        self._before: dict[int, tuple[Any, ...]] = {
            key: (a, a._at, a._page, getattr(a, "_buffer", None), getattr(a, "_history", None), a._grad)
            for key, a in known.items()
        }

    def close(self) -> None:
        """Nothing more is recorded; the places of variables hold plain numbers again."""
        threads.watch(self._trace, None)
        self._state.close(self.refuse_at_end)

    def _known(self) -> dict[int, Handle]:
        """Tensors that can be found again, and their gradients; with what other threads have recorded and not run."""
        known = {id(a): a for a in self._bound} | self.captured.tensors
        grads = {id(g): g for a in known.values() if (g := a._grad) is not None}
        for a in (*known.values(), *grads.values()):
            if (a._page is not None or a._share is not None) and not is_view(a):
                bring_up(a)
        for a in known.values():
            if a._grad is not None:
                place = ("gradient of", self._places[id(a)])
                is_elsewhere = exact(self._places.setdefault(id(a._grad), place)) != exact(place)
                if is_elsewhere or any(id(b) in known or id(b) in grads for b in others_of(a._grad)):
                    self.refuse_at_end("a gradient is found elsewhere, too: clone() it")
        return known | grads

    # --- what the trace tells

    def looked(self) -> None:
        self.refuse("the value of a tensor is looked at")

    def born(self, thing: object) -> None:
        self.born_here[id(thing)] = thing

    def position(self, a: Handle) -> Any:
        place = self._places.get(id(a), NOWHERE)
        if a._page is not None or a._share is not None or (place[0] not in _ASKED and id(a) not in self.born_here):
            return None
        value = position_of(a)
        if id(a) in self.born_here:
            return value  # which follows from what is guarded
        self.recording.positions.append(place)
        count = self.recording.n_numbers + len(self.recording.positions)
        return Number(value, f"a{count - 1}", self.recording.conditions)

    def lent(self, place: int, a: Handle) -> None:
        self._lent[place] = a

    def shown(self, a: Handle) -> tuple[TrieNode, Steps] | None:
        if self._trace.segment is not self._segment or not self._shared:
            return None
        argument, steps, _ = self.way_to(a)
        if not any(argument is b for b in self._shared):
            return None
        node, buffer = self._entries.get(id(argument), (self._trace.node, None))
        inputs, place = self._segment.inputs, node.n_inputs - 1
        if buffer is None or place >= len(inputs) or inputs[place] is not buffer:  # taken back after an error
            leaf = Leaf.of(spec_of(argument), False, True, argument._at.inference, layout_of(argument))
            buffer = lent(argument, keeps=True)
            node = enter_copy(self._trace, argument, leaf, buffer)
            self._entries[id(argument)] = node, buffer
        return node, steps

    def way_to(self, a: Handle) -> tuple[Handle, Steps, bool]:
        """The tensor that is found again which ``a`` shows, or its root; the steps from there; and whether it is a
        detached alias of what they show."""
        if id(a) in self._places:
            return a, (), False
        root, steps = way_to(a)
        held = self.captured.tensors.values()
        for b in self._shared:
            of, before = way_to(b)
            is_part = _is_part(root, steps, of, before)
            if not is_part or (of is not root and sharing(root).born is not self._segment.token):  # it was there before
                continue
            if (before or of is not root) and any(_is_part(*way_to(c), of, before) for c in held):
                self.refuse_at_end("an argument is memory of a tensor that the function holds, too", of_memory=True)
            return b, steps[len(before) :], of is not root
        return root, steps, False

    def writes(self, a: Handle) -> None:
        if self.arguments.show_memory_of([a]):
            self.refuse("an argument that shares its memory with other tensors is written", of_memory=True)

    def grad_assigned(self, a: Handle) -> None:
        self._assigned[id(a)] = a

    def refuse(self, why: str, *, of_memory: bool = False) -> None:
        self.refuse_at_end(why, of_memory=of_memory)
        self.defers, self._shared = False, []  # what is shared is read where it lies from here on
        if self._strict:
            raise NotRepeatable(why, of_memory=of_memory)

    def refuse_at_end(self, why: str, *, of_memory: bool = False) -> None:
        """A reason found outside the user's code: it is raised, if at all, when the call is over."""
        self.problem = self.problem or NotRepeatable(why, of_memory=of_memory)

    def numbers(self, source: Callable[[], Numbers], undo: Callable[[], None], *, shown: bool = False) -> Numbers:
        if self._in_effect:
            return source()
        name, given = self._state.asked(Source(source, undo))
        values = [value_of(n) for n in given]
        if not all(type(n) is float or type(n) is int for n in values):
            self.refuse("an option of an optimiser is a tensor")
            return given  # type: ignore[no-any-return]
        numbers = [Number(n, f"{name}[{k}]", self.recording.conditions) for k, n in enumerate(values)]
        return tuple([n.plain() for n in numbers] if shown and not self.captured.takes_numbers else numbers)

    def again(self, effect: Callable[[], None], undo: Callable[[], None]) -> None:
        if self._in_effect:  # of which all that it does is part
            effect()
            return
        self._in_effect = True
        try:
            self._state.asked(Source(effect, undo, is_effect=True))
        finally:
            self._in_effect = False


def _is_part(root: Handle, steps: Steps, of: Handle, before: Steps) -> bool:
    """Whether what ``steps`` show of ``root`` was made of what the steps ``before`` show of another one."""
    is_one = of is root or (root._share is not None and of._share is not None and shows_same(root, of))
    return is_one and goes_on(steps, before)

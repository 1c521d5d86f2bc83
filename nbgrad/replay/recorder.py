"""Recording one call of a function that will be run again: what the trace tells while it is recorded, where its inputs
and numbers come from, what cannot be repeated, and what the call changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from nbgrad.errors import NbgradError
from nbgrad.number import Number, code_of, value_of
from nbgrad.replay.arguments import Arguments
from nbgrad.replay.binding import lent, position_of
from nbgrad.replay.captured_state import CapturedState
from nbgrad.replay.numbers import State
from nbgrad.replay.recording import NotRepeatable, Place, Recording, Source, exact, key_of
from nbgrad.replay.results import ResultWalk, Template
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.references import owners
from nbgrad.trace import (
    FlushPlan,
    Handle,
    Leaf,
    Numbers,
    Page,
    Steps,
    Trace,
    TrieNode,
    bring_up,
    enter_copy,
    entry_of,
    flush,
    forget_aliases,
    goes_on,
    held_views,
    is_lost,
    is_view,
    layout_of,
    others_of,
    share_of,
    sharing,
    shows_same,
    spec_of,
    threads,
    way_to,
)

NOWHERE: Place = ("nowhere", None)
_ASKED = ("argument", "held")  # tensors there may be read as numbers at each call
_OWN_LEAF = 3  # references to a leaf that only its segment holds: its entries, its leaves, a list of those
_LEAK = "a tensor computed in the call is kept by something else than its result (a list, an attribute, a global)"


class Recorder:
    """Watches one call. ``problem`` is the first reason why it cannot be run again. ``_before`` is what tensors were,
    those that can be found again and their gradients; ``_places`` say where. ``defers``: ``backward`` records, and does
    not run."""

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
        """The value of a tensor was asked for."""
        self.refuse("the value of a tensor is looked at")

    def born(self, thing: object) -> None:
        """A tensor was made of the program's own data."""
        self.born_here[id(thing)] = thing

    def position(self, a: Handle) -> Any:
        """The value of ``a``, a whole number, as a number that is known by it; None where it has to be looked at."""
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
        """Input ``place`` of the segment is what ``a`` shows, whose memory others see: a copy, or nobody reads it."""
        self._lent[place] = a

    def shown(self, a: Handle) -> tuple[TrieNode, Steps] | None:
        """Of what shows memory that stands for itself, whoever has it: the entry of that, and the steps from there."""
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
        """What ``a`` shows is about to be written, or to be shown to others, who may."""
        if self.arguments.show_memory_of([a]):
            self.refuse("an argument that shares its memory with other tensors is written", of_memory=True)

    def grad_assigned(self, a: Handle) -> None:
        """``a.grad`` was assigned, None included."""
        self._assigned[id(a)] = a

    def refuse(self, why: str, *, of_memory: bool = False) -> None:
        """Something happened that running again would not repeat, say because ``of_memory`` that others see."""
        self.refuse_at_end(why, of_memory=of_memory)
        self.defers, self._shared = False, []  # what is shared is read where it lies from here on
        if self._strict:
            raise NotRepeatable(why, of_memory=of_memory)

    def refuse_at_end(self, why: str, *, of_memory: bool = False) -> None:
        """A reason found outside the user's code: it is raised, if at all, when the call is over."""
        self.problem = self.problem or NotRepeatable(why, of_memory=of_memory)

    def numbers(self, source: Callable[[], Numbers], undo: Callable[[], None], *, shown: bool = False) -> Numbers:
        """What ``source()`` gives, as numbers that are known by it; ``shown`` to the user's code."""
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
        """Call ``effect`` now, and whenever the recording is run again."""
        if self._in_effect:  # of which all that it does is part
            effect()
            return
        self._in_effect = True
        try:
            self._state.asked(Source(effect, undo, is_effect=True))
        finally:
            self._in_effect = False

    # --- the end of the recording

    def finish(self, result: Any, given: Sequence[Any], *, planned: bool) -> None:
        """Run what was recorded, of a call that gives ``result``. If nothing was refused, the recording is complete.
        ``given`` is all that the arguments consist of."""
        trace, segment, recording = self._trace, self._segment, self.recording
        if trace.segment is not segment:
            self.refuse_at_end("the function runs as more than one program")  # and has said why
        state = self._state.tensors_now(self.refuse_at_end)
        if not {*map(id, state)}.isdisjoint(map(id, self.arguments.shared.values())):
            self.refuse_at_end("an argument that is a view, or has aliases, is kept: clone() it", of_memory=True)
        places, objects = self._places_after(), {id(x) for x in given}
        walk = ResultWalk(self, places, objects)
        recording.output = walk.template(result, state)
        if self.problem is None:
            self._left = state
            self._state.put_tensors([walk.copies[id(a)] if id(a) in walk.copies and is_view(a) else a for a in state])
        self.close()
        recording.codes = [code_of(n) for n in segment.scalars]
        segment.scalars[:] = recording.numbers = [value_of(n) for n in segment.scalars]
        if any(id(a) not in self._before and id(a) not in recording.output.shown for a in held_views(trace)):
            self.refuse_at_end(_LEAK)
        self._dropped = self._dropped_leaves()
        self._write_through_aliases()
        live, recording.node, recording.planned = trace.live, trace.node, planned
        try:
            recording.plan = flush(trace, isolate=False, planned=planned and self.problem is None) or FlushPlan()
        except (NbgradError, MemoryError):
            flush(trace)  # what does not need what has failed
            self._take_back_lost()
            raise
        if self.problem is None:
            try:
                self._complete(live)
            except NotRepeatable as problem:
                self.problem = problem.with_traceback(None)  # whose frames hold tensors

    def leave_as_made(self) -> None:
        """A call that is not to be repeated leaves no copies of views in places, but those that it has made."""
        if self._left and not self.recording.is_kept:
            self._state.put_tensors(self._left)

    def _complete(self, live: list[Any]) -> None:
        """What the recording has when all has run."""
        segment, recording, plan = self._segment, self.recording, self.recording.plan
        self._refuse_histories({id(live[ix]) for ix, place, _ in plan.commits if place < 0})
        if segment.earlier:
            raise NotRepeatable("a derivative goes back to what was computed before the call")
        recording.inputs = self._inputs()
        if segment.functions and plan.struct is not None:
            raise NotRepeatable("the result goes back through a custom autograd.Function")
        if plan.struct is not None and not all(id(a) in self._places for a in segment.leaves.values()):
            raise NotRepeatable("the result goes back to a leaf that the call has made")
        recording.results, recording.cleared = self._changes(plan, live, recording.output)
        used = (*recording.inputs, *recording.results.values())
        held = {id(what): what for kind, what in used if kind == "held"}
        external = {id(what): what for kind, what in used if kind == "external"}
        recording.leaves = [(a, self._before[key][1]) for key, a in held.items() if not is_view(a)]
        recording.external = [(a, self._before[key][1]) for key, a in external.items()]
        if not all(isinstance(at, Leaf) for _, at in recording.leaves):
            raise NotRepeatable("a tensor that the function reaches is computed by another thread meanwhile")
        met = {key_of(place) for place in used if place[0] == "gradient of"}
        places = self._places.items()
        recording.gradients = [(place[1], self._before[key][1]) for key, place in places if key_of(place) in met]
        recording.asked = self._asked()
        recording.state = [(place, self._before[id(place.expected)][1]) for place in self._state.tensors]
        recording.entries = (
            {ix: self._places[id(a)] for ix, a in segment.leaves.items() if id(a) in self._places},
            {n.ix: self._places[id(a)] for a, n, _ in segment.entered.values() if n.ix in segment.past},
        )

    def _refuse_histories(self, read: set[int]) -> None:
        """A view that was read with a derivative has a history then, which goes back to the call that read it."""
        for view, leaf, _, _, had, _ in self._before.values():
            has = had is not None or getattr(view, "_history", None) is not None
            if id(view) in read and has and leaf.requires_grad and (share := share_of(view)) and share.root is not None:
                why = f"a view of shape {list(leaf.spec.shape)} is read with a derivative, and made outside"
                raise NotRepeatable(f"{why}: make it in the function", of_memory=True)

    def _write_through_aliases(self) -> None:
        """A tensor of which the call has written an alias, and that nobody has read since, is written, too."""
        for a, *_ in self._before.values():
            share = share_of(a)
            if share is None or share.root is not None or share.steps or share.seen == share.storage.version:
                continue
            if (whole := share.storage.whole) is not None and whole._segment is self._segment:
                entry_of(self._trace, a)

    def _dropped_leaves(self) -> set[int]:
        """Leaves that the call has made, and that it holds no more, by id: they need no gradients."""
        leaves = [*self._segment.leaves.values()]
        found = [a for a, n in zip(leaves, owners(leaves), strict=True) if n <= _OWN_LEAF and id(a) not in self._places]
        for a in found:
            a._grad = None
        return {*map(id, found)}

    def _places_after(self) -> dict[int, Place]:
        """Where tensors are found when the call is over: gradients may be others."""
        found = {key: place for key, place in self._places.items() if place[0] != "gradient of"}
        for key, (a, *_) in self._before.items():
            if key in found and a._grad is not None:
                found.setdefault(id(a._grad), ("gradient of", self._places[key]))
        return found

    def _take_back_lost(self) -> None:
        """After an error: what could not be computed has not happened. What was written before stays."""
        for key, (a, at, page, buffer, history, grad) in self._before.items():
            if a._grad is not None and is_lost(a._grad):
                a._grad = None if key in self._assigned else grad
            if is_lost(a):
                a._at, a._page, a._buffer, a._history = at, page, buffer, history
                sharing(a).error = None
        for source in reversed(self.recording.sources):
            if isinstance(source, Source) and source.undo is not None:
                source.undo()

    def _inputs(self) -> list[Place]:
        """Where each input of the segment came from."""
        segment = self._segment
        shared = {id(copied): self._places[key] for key, (_, copied) in self._entries.items()}
        by_place = {node.n_inputs - 1: a for a, node, _ in segment.entered.values() if node.key is not None}
        found: list[Place] = []
        for place, buffer in enumerate(segment.inputs):
            a, is_lent = by_place.get(place), False
            if a is not None:
                where = self._places.get(id(a)) or self._shown_by(a, buffer)
                if where is None and id(a) in self.born_here and a._share is None:
                    where = ("constant", buffer)
                why = f"a tensor of shape {list(spec_of(a).shape)} cannot be found again: it is no argument, and not "
                why += "held by a variable, attribute or container that the function names"
            elif is_lent := place in self._lent:  # each read of memory that others see is an input of its own
                where = shared.get(id(buffer)) or self._external(self._lent[place])
                why = "a tensor that shares its memory with NumPy or another library is read, and no variable, "
                why += "attribute or container that the function names holds it: pass it as an argument"
            else:
                where, why = None, "a tensor is read, and has another value, or other memory, when it is read again"
            if where is None:
                raise NotRepeatable(why, of_memory=is_lent)
            found.append(where)
        return found

    def _external(self, a: Handle) -> Place | None:
        """Where a tensor is found whose memory others see; None where the function does not hold it."""
        arrays = [x for x in self.captured.objects.values() if isinstance(x, np.ndarray)]
        export = sharing(a).storage.export
        if arrays and export is not None and any(map(np.may_share_memory, arrays, repeat(export.shown()))):
            why = "the function names an array, which it may write, and a tensor with its memory"
            raise NotRepeatable(why, of_memory=True)
        return ("external", a) if self._places.get(id(a), NOWHERE)[0] == "held" else None

    def _shown_by(self, a: Handle, buffer: Buffer) -> Place | None:
        """Where the memory of ``a``, a detached alias made in the call, is found: at a tensor that had it before."""
        wholes = [b for b, *_ in self._before.values() if b._share is not None and b._share.storage.whole is a]
        known = [self._before[id(b)] for b in (*others_of(a), *wholes) if id(b) in self._before]
        return next((self._places[id(b)] for b, _, _, had, *_ in known if had is buffer), None)

    def _asked(self) -> list[tuple[Place, bool]]:
        """(place, was there a gradient before) of tensors that may have one, or have it asked for."""
        return [
            (self._places[key], grad is not None)
            for key, (a, at, _, _, _, grad) in self._before.items()
            if self.captured.grads or (at.requires_grad and at.is_leaf) or grad is not None or a._grad is not None
            if self._places[key][0] != "gradient of"
        ]

    def _changes(self, plan: FlushPlan, live: list[Any], output: Template) -> tuple[dict[int, Place], list[Place]]:
        """(who gets the value of which entry, whose gradient goes)."""
        known = [(self._places[key], before) for key, before in self._before.items()]
        if any(a._at.spec is not at.spec for place, (a, at, *_) in known if place[0] != "gradient of"):
            raise NotRepeatable("a tensor changes its dtype or shape")
        others = [(place, a) for place, (a, *_, g) in known if a._grad is not g and place[0] != "gradient of"]
        grads = {id(a._grad): place for place, a in others if a._grad is not None}
        cleared = [place for place, a in others if a._grad is None]
        gets: dict[int, Place] = {key: ("output", k) for key, k in output.tensors.items()}
        gets |= {key: ("new gradient of", place) for key, place in grads.items()} | self._places
        results: dict[int, Place] = {}
        shares = [share for a, *_ in self._before.values() if (share := share_of(a)) is not None]
        shown = {id(share.storage.whole) for share in shares}  # what their detached aliases will take: no results
        committed = {id(live[ix]) for ix, _, _ in plan.commits}
        for ix, output_place, _ in plan.commits:
            y = live[ix]
            if output_place < 0 or id(y) in shown or id(y) in self._dropped or id(y) in output.shown:
                continue
            if id(y) not in gets:
                raise NotRepeatable(_LEAK)
            results[ix] = gets[id(y)]
        if sum(where[0] == "output" for where in results.values()) < len(output.tensors):
            raise NotRepeatable("the function returns a tensor that it did not compute, and that is found no more")
        written = [where[1] for where in results.values() if where[0] == "gradient of"]
        if not {*map(exact, written)}.isdisjoint(map(exact, grads.values())):
            raise NotRepeatable("a gradient is written, and then another is put in its place")
        if not grads.keys() <= committed:
            raise NotRepeatable("a gradient is assigned, not computed")
        return results, cleared


def _is_part(root: Handle, steps: Steps, of: Handle, before: Steps) -> bool:
    """Whether what ``steps`` show of ``root`` was made of what the steps ``before`` show of another one."""
    is_one = of is root or (root._share is not None and of._share is not None and shows_same(root, of))
    return is_one and goes_on(steps, before)

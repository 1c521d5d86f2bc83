"""Recording a request for derivatives: seeds in, cotangents out, custom backwards and hooks in between. Nothing runs
here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from nbgrad.autograd.hooks import hooks_of_node, leaf_hooks, run_hooks, run_node_hooks
from nbgrad.autograd.leaf_order import leaf_order
from nbgrad.errors import GradError
from nbgrad.trace import (
    ANY_DEPTH,
    HOOKS,
    LAST,
    OWN,
    Book,
    EarlierSegment,
    Handle,
    Hooks,
    Place,
    Request,
    Segment,
    Stop,
    Trace,
    TrieNode,
    advance,
    bring_in,
    entry_at,
    entry_of,
    grad_mode,
    is_leaf,
    noted,
    operands_of,
    origin,
    released,
    results_of,
    tensor_at,
)


class CustomCall(Protocol):
    """A call of a custom function, as the engine sees it: it turns cotangents of outputs into those of inputs, and
    tangents of inputs into those of outputs."""

    name: str
    depth: int  # how many function transforms it was recorded in

    @property
    def takes(self) -> Sequence[bool]:
        """By argument, whether it is a tensor."""
        ...

    def pull_back(self, cotangents: list[Handle | None]) -> Sequence[Handle | None] | Onward: ...

    def push_forward(self, tangents: list[Handle | None]) -> Sequence[Handle | None]: ...

    def free(self) -> None: ...


class Onward(NamedTuple):
    """What a custom function gives whose derivative goes on through tensors that were computed anew: these, and the
    cotangent of each."""

    items: list[tuple[Handle, Handle]]


class Freed(NamedTuple):
    """What a derivative without ``retain_graph`` has used up: nodes of earlier segments, and custom functions. What
    code of the user's that ran in it has asked to be called at the end. And the order in which leaves have their hooks
    called, where there are any."""

    nodes: list[tuple[EarlierSegment, frozenset[int]]]
    functions: list[CustomCall]
    callbacks: list[Callable[[], object]] | None = None
    order: Sequence[int] = ()

    def mark(self, trace: Trace) -> None:
        """Write it down, once the derivative is there."""
        for earlier, nodes in self.nodes:
            earlier.freed = earlier.freed | nodes
            if earlier.used_up():
                earlier.buffers = [None] * len(earlier.buffers)
        for function in self.functions:
            function.free()
        if self.callbacks:
            around, trace.callbacks = trace.callbacks, self.callbacks
            try:
                for callback in self.callbacks:  # which may add others
                    released(trace, callback)
            finally:
                trace.callbacks = around


NOTHING_FREED = Freed([], [])


def request_gradients(
    trace: Trace,
    outputs: Sequence[Handle],
    seeds: Sequence[Handle | None],
    wrt: Sequence[Handle] | None,
    *,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulates: bool = False,
) -> tuple[list[Handle], list[Handle], list[Handle | None], Freed]:
    """(those of ``wrt``, those that keep their gradient, the cotangents of both, what to mark as freed once it ran).

    ``wrt`` None means all leaves behind ``outputs``. Tensors that keep their gradient are those passed on the way that
    asked for it. ``accumulates``: prehooks of nodes see the gradients that are wanted, too.
    """
    walk = Walk(trace, outputs, seeds, wrt, create_graph, accumulates)
    walk.entries()
    functions = walk.through_stops()
    out_ix, seed_ix = walk.entries()
    places = walk.places()
    keepers, kept = retained(trace)
    allow_unused = allow_unused or wrt is None
    how = create_graph, retain_graph, allow_unused, *walk.hooked(), not trace.transforms
    request = Request(out_ix, seed_ix, places, kept, None, *how)
    event, results = _ask(trace, request)
    segment = trace.segment
    if wrt is None:
        wrt = [part_of(trace, earlier).leaves[entry] for earlier, entry in event.meta.leaves]
        if not all(is_leaf(x) for x in wrt):
            raise GradError("leaf variable has been moved into the graph interior")
    nodes = [(segment.earlier[k], nodes) for k, nodes in event.meta.freed]
    own = [f for f in functions if f.depth <= trace.transforms]  # what a transform recorded is its own
    order = event.meta.order
    if leaf_hooks and len(wrt) > 1 and not order:
        order += leaf_order(trace, out_ix, wrt)
    return list(wrt), keepers, results, Freed(nodes, [] if retain_graph else own, order=order or range(len(wrt)))


def _ask(trace: Trace, request: Request) -> tuple[TrieNode, list[Handle | None]]:
    """The ``grad`` event and a tensor for each result it has."""
    event = advance(trace, ("grad", request))
    return event, results_of(trace, event, event.meta.given, ANY_DEPTH if request.create_graph else -1)


def part_of(trace: Trace, earlier: int) -> Book:
    """The segment, or the earlier segment that came into it."""
    return trace.segment if earlier == OWN else trace.segment.earlier[earlier]


# What is differentiated (a tensor, or an input of a custom function by its entry), and its cotangent.
Item = tuple[Handle | tuple[CustomCall, int], Handle | None]


class Ran(NamedTuple):
    """What hooks at one place gave: those of tensors, those of the node in place of that, which goes on, or, once the
    node was passed, where: what it sent on is among the items."""

    given: Handle | None = None
    onward: Handle | None = None
    operands: Sequence[int] = ()


class Walk:
    """A request on its way back through custom functions and hooks: what it differentiates, and the cotangent of each.

    Starts from the outputs; every custom function passed adds its inputs (function, entry) with what the user's
    backward gave for them, hooks what goes on in place of what arrived. Code of the user's that looks at values flushes
    the segment: then everything is entered anew.
    """

    def __init__(
        self,
        trace: Trace,
        outputs: Sequence[Handle],
        seeds: Sequence[Handle | None],
        wrt: Sequence[Handle] | None,
        create_graph: bool,
        accumulates: bool,
    ) -> None:
        self._trace, self._accumulates = trace, accumulates
        self._wrt = wrt
        self._create_graph = create_graph
        self._ran: dict[int, Ran] = {}  # by id of hooks
        self._packed: list[CustomCall] = []
        self._items: list[Item] = list(zip(outputs, seeds, strict=True))
        self._segment: Segment | None = None
        self._entries: list[tuple[int, int]] = []
        self._computed: dict[int, int] = {}  # the entries of what is no leaf: exported memory has a new one each time

    def entries(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The entries of what is differentiated, and those of the cotangents (-1: ones), in the running segment."""
        trace = self._trace
        if self._segment is not trace.segment:
            self._segment, self._entries, self._computed = trace.segment, [], {}
        for at, seed in self._items[len(self._entries) :]:
            ix = entry_of(trace, at).ix if isinstance(at, Handle) else input_entry(trace, *at)
            self._entries.append((ix, -1 if seed is None else entry_of(trace, seed).ix))
        for x in self._wrt or ():
            if id(x) not in self._computed and not is_leaf(x):
                self._computed[id(x)] = entry_of(trace, x).ix
        bring_in(trace, [*self._computed.values(), *[ix for pair in self._entries for ix in pair]])
        return tuple([ix for ix, _ in self._entries]), tuple([ix for _, ix in self._entries])

    def places(self) -> tuple[tuple[Place, ...], ...] | None:
        """Where that stands which is differentiated by. A leaf may have come in several times."""
        if self._wrt is None:
            return None
        at: dict[int, list[Place]] = {}
        for place, leaf in sorted(noted(self._trace, "leaves"), key=lambda found: found[0]):
            at.setdefault(id(leaf), []).append(place)
        at |= {x: [(OWN, ix)] for x, ix in self._computed.items()}
        return tuple([tuple(at.get(id(x), ())) for x in self._wrt])

    def hooked(self) -> tuple[tuple[tuple[Place, int, int], ...], tuple[tuple[Place, tuple[Place, ...]], ...]]:
        """The places that have hooks, the entries of what goes on from there, and of what the tensors' hooks gave. And
        the places of nodes that were passed, with those of their operands."""
        found = [(place, self._ran.get(id(hooks), Ran())) for place, hooks in self._hooks().items()]
        ends = tuple([(place, self._entry(ran.onward), self._entry(ran.given)) for place, ran in found])
        past = [(place, tuple([(place[0], r) for r in ran.operands])) for place, ran in found if ran.operands]
        return ends, tuple(past)

    def _entry(self, g: Handle | None) -> int:
        return -1 if g is None else entry_of(self._trace, g).ix

    def through_stops(self) -> list[CustomCall]:
        """Run the backward of every custom function on the way, and all hooks; gives the functions."""
        done: list[CustomCall] = []
        segment = self._trace.segment
        again = bool(segment.functions or segment.earlier or segment.hooks)
        while again:
            again = False
            stops, known = self._stops(), self._hooks().keys()
            for stop in stops:
                if stop[0] in (HOOKS, LAST):
                    self._through_hooks(stop[1:], stop[0] == HOOKS)
                else:
                    custom, inputs = part_of(self._trace, stop[0]).functions[stop[1]]  # -1: an input without gradient
                    if custom not in done:
                        done.append(custom)
                        self._through(stop, custom, inputs)
                if self._segment is not self._trace.segment or self._hooks().keys() != known:
                    again = True
                    break
        return [*done, *self._packed]

    def _stops(self) -> tuple[Stop, ...]:
        """The custom functions and hooks between the outputs and what is wanted, users before what they used."""
        trace, segment = self._trace, self._trace.segment
        outputs, places = self.entries()[0], self.places()  # which bring in the segments that they go back to
        hooks = self._hooks()
        if not segment.functions and not hooks and not any(s.functions for s in segment.earlier):
            return ()
        key = ("reach", outputs, places, tuple(hooks))
        found: tuple[Stop, ...] = advance(trace, key).meta
        return found

    def _through(self, place: Place, custom: CustomCall, inputs: Sequence[int]) -> None:
        """Run one custom backward on lazy tensors."""
        request = Request(*self.entries(), None, (), place, *self._how())
        given = self._run(request, lambda arrived: released(self._trace, custom.pull_back, arrived))
        if isinstance(given, Onward):
            self._items += given.items
            return
        self._items += [((custom, r), g) for r, g in zip(inputs, given, strict=True) if g is not None and r >= 0]

    def _through_hooks(self, place: Place, is_passed: bool) -> None:
        """Run the hooks of one value on the cotangent that arrives there: those of its node where that goes on."""
        hooks = self._hooks().get(place)  # None: a hook has removed it
        if hooks is None or id(hooks) in self._ran:
            return

        def code(arrived: list[Handle | None]) -> Ran:
            given = run_hooks(self._trace, hooks, arrived[0])
            if given is None or not (is_passed or self._accumulates):
                return Ran(given)
            (onward,) = run_node_hooks(self._trace, hooks_of_node(hooks, True), (given,))
            return Ran(given, onward if is_passed else None)

        ran = self._run(Request(*self.entries(), ((place,),), (), None, *self._how()), code)
        after, own = hooks_of_node(hooks, False), hooks_of_node(hooks, None)
        if ran.onward is not None and (after or own):
            self.entries()  # in whatever segment it is by now
            place = next(at for at, found in self._hooks().items() if found is hooks)
            ran = Ran(ran.given, None, self._through_node(place, ran.onward, after, own[0] if own else None))
        if ran.given is not None:
            self._ran[id(hooks)] = ran

    def _through_node(
        self, place: Place, g: Handle, after: Sequence[Callable[..., Any]], own: Callable[..., Any] | None
    ) -> list[int]:
        """Run the hooks of a node on what it makes of its cotangent; gives its operands. An argument that it has
        several times gets all of it at the first of them. ``own`` is its derivative where that reads what was saved in
        another way, which keeps them apart."""
        trace = self._trace
        book = part_of(trace, place[0])
        entry = entry_at(book.end, place[1])
        operands = operands_of(book, entry)
        firsts: dict[Any, int] = {}
        for k, r in enumerate(operands):
            if r >= 0:
                at = origin(book, entry_at(entry, r))
                firsts.setdefault(k if own else id(at[0].leaves.get(at[1].ix, at[1])), k)
        inputs = {k: tensor_at(trace, book, entry_at(entry, operands[k])) for k in firsts.values()}

        def code(found: Iterable[Handle | None]) -> Sequence[Handle | None]:
            grads: list[Handle | None] = [None] * len(operands)
            for k, x in zip(inputs, found, strict=True):
                grads[k] = x
            return run_node_hooks(trace, after, tuple(grads), (g,))

        if own is not None:
            with grad_mode(self._create_graph, trace):
                given = code(own((book, entry), g))
            self._packed.append(own.__self__)  # type: ignore[attr-defined]
        else:
            wrt = [(place[0], operands[k]) for k in inputs]
            out = entry if place[0] == OWN else advance(trace, ("past", *place))
            ends = tuple([(at, -1, -1) for at in wrt])
            how = self._create_graph, True, True, ends
            seeds = (entry_of(trace, g).ix,)
            given = self._run(Request((out.ix,), seeds, tuple([(at,) for at in wrt]), (), None, *how), code)
        self._items += [(inputs[k], given[k]) for k in inputs if given[k] is not None]
        return [operands[k] for k in inputs]

    def _hooks(self) -> dict[Place, Hooks]:
        """The hooks by their places: those that there are, and those that have run, whatever became of them."""
        trace = self._trace
        behind = [(at, hooks) for at, hooks in noted(trace, "hooks") if hooks.depth <= trace.transforms]
        return {at: hooks for at, hooks in behind if hooks or id(hooks) in self._ran}

    def _how(self) -> tuple[Any, ...]:
        return self._create_graph, True, True, *self.hooked()

    def _run(self, request: Request, code: Callable[[list[Handle | None]], Any]) -> Any:
        """Run code of the user's on cotangents."""
        _, cotangents = _ask(self._trace, request)
        with grad_mode(self._create_graph, self._trace):
            return code(cotangents)


def input_entry(trace: Trace, custom: CustomCall, ref: int) -> int:
    """Where the running segment knows an input of a custom function: entry ``ref`` of the segment that called it."""
    segment = trace.segment
    if any(f is custom for f, _ in segment.functions):
        return ref
    bring_in(trace)  # it was called in a segment flushed meanwhile
    k = next(k for k, s in enumerate(segment.earlier) if any(f is custom for f, _ in s.functions))
    return advance(trace, ("past", k, ref)).ix


def retained(trace: Trace) -> tuple[list[Handle], tuple[Place, ...]]:
    """The tensors that the running segment goes back to that keep their gradient, and their places."""
    # Once, where another thread's segment came in at several times.
    found = {id(a): (a, place) for place, ref in noted(trace, "retained") if (a := ref()) is not None}
    return [a for a, _ in found.values()], tuple([place for _, place in found.values()])

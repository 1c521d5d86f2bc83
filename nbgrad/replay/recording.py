"""One call as it was recorded: where inputs and numbers come from, who gets the results; and what makes two differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from nbgrad.errors import RunError
from nbgrad.number import Plain
from nbgrad.replay.guards import Guard
from nbgrad.replay.kinds import VALUES
from nbgrad.replay.results import Template
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import on_host
from nbgrad.trace import ROOT, EarlierSegment, FlushPlan, Handle, Leaf, Numbers, Segment, TrieNode, local, path_between


class NotRepeatable(RunError):
    """The function does something that running a recording of it would not repeat, say because ``of_memory`` that
    others see."""

    def __init__(self, why: str, *, of_memory: bool = False) -> None:
        super().__init__(f"nbgrad.compile: {why}")
        self.of_memory = of_memory


class Missed(Exception):
    """The program is not for this call; says why."""


class Assigned(NamedTuple):
    """A number that a call puts into a place, in which stood ``before``: the value of the expression ``code``, or
    ``value`` where that is None."""

    place: Guard
    before: str
    code: str | None
    value: float | int


class Source(NamedTuple):
    """Numbers that are asked for at each call; ``undo`` takes back what asking for them counted up, if it does.

    Or an effect to repeat at each call, in its place among them: it gives None.
    """

    ask: Callable[[], Numbers | None]
    undo: Callable[[], None] | None = None
    is_effect: bool = False


# Where an input of the program is found at each call, or what gets a result: ("argument", place), ("held", tensor),
# ("gradient of", one of those), ("constant", buffer), ("external", tensor), which others see and may write.
Place = tuple[str, Any]


class Recording:
    """One call as it was recorded, written by a ``Recorder``.

    ``leaves`` is the state that tensors other than arguments were in before, ``external`` that of those whose memory
    others see. ``results`` says who gets which value: (entry, place). ``cleared`` are those whose gradient was taken
    away, ``asked`` says whether there was a gradient before, where that may have mattered.
    """

    node: TrieNode
    plan: FlushPlan
    inputs: list[Place]
    gradients: list[tuple[Place, Leaf]]  # (owner, state before) of those that are read, or written where they are
    n_numbers: int  # of the arguments
    positions: list[Place]  # tensors whose values are numbers, after those
    leaves: list[tuple[Handle, Leaf]]
    external: list[tuple[Handle, Leaf]]
    numbers: list[float | int]
    codes: list[str | None]
    conditions: list[str]
    sources: list[Source | Assigned]
    results: dict[int, Place]
    cleared: list[Place]
    same: dict[int, Handle]  # arguments that the function holds, too
    asked: list[tuple[Place, bool]]
    output: Template  # of (result, what stands in the places of tensors then)
    state: list[tuple[Guard, Leaf]]  # (place, state before) of those whose tensors are bound after arguments
    planned: bool  # whether the plan can be run again
    is_kept = False  # to be compared with others, or to be run
    entries: tuple[dict[int, Place], dict[int, Place]]  # leaves, and tensors with a history, by entry

    def __init__(self, n_numbers: int) -> None:
        self.n_numbers = n_numbers
        self.positions, self.conditions, self.sources = [], [], []

    def receivers(self) -> list[tuple[int, Place, int, Leaf]]:
        """(entry, who gets its value, place of result, state then) of all values that somebody gets."""
        return [(ix, self.results[ix], place, leaf) for ix, place, leaf in self.plan.commits if ix in self.results]


def difference(a: Recording, b: Recording) -> str:
    """What makes two recordings of one function different; "" where nothing does."""
    pairs = zip(_compared(a), _compared(b), strict=True)
    return next((f"{what} are others than in the call before" for (what, x), (_, y) in pairs if x != y), "")


def _compared(a: Recording) -> Iterator[tuple[str, Any]]:
    """What has to be the same in two recordings."""
    yield "operations", [node.key for node in path_between(ROOT, a.node) or ()]  # threads may make a path twice
    yield "the numbers that they are given", (a.codes, a.conditions, len(a.sources), [*map(exact, a.positions)])
    constants = tuple([n for n, code in zip(a.numbers, a.codes, strict=True) if code is None])
    yield "numbers of which nobody knows where they come from (make them arguments)", exact(constants)
    yield "tensors that are read", [place[0] if place[0] == "constant" else exact(place) for place in a.inputs]
    made = [bytes(on_host(b).array((b.nbytes,), "uint8")) for kind, b in a.inputs if kind == "constant"]
    yield "values of tensors made in the call of the program's own data", made
    yield "tensors that are written", ({ix: exact(place) for ix, place in a.results.items()}, exact((*a.cleared,)))
    numbers = [(x.place.key, x.code or exact(x.value)) for x in a.sources if type(x) is Assigned]
    yield "attributes or variables that are set", (numbers, [place.key for place, _ in a.state])
    yield "the function's results", (a.output.text, a.output.state, exact((*a.output.parts,)))


def exact(x: Any) -> Any:
    """What two things that are one have in common, say places. (Tensors have an ``==`` of their own.)"""
    if isinstance(x, tuple):
        return type(x), *map(exact, x)
    return (type(x), repr(x)) if type(x) in VALUES else id(x)


def key_of(place: Place) -> Any:
    """The same for places where one tensor is found, be its value old or new."""
    return exact(("gradient of", place[1]) if place[0] == "new gradient of" else place)


def outermost(place: Place) -> Place:
    """Whose gradient, if it is one, stands at ``place``; the place itself otherwise."""
    return place[1] if place[0] in ("gradient of", "new gradient of") else place


def tensor_at(place: Place, tensors: Sequence[Handle]) -> Handle:
    kind, what = place
    if kind in ("held", "external"):
        return what  # type: ignore[no-any-return]
    return tensors[what] if kind == "argument" else tensor_at(what, tensors)._grad


def earlier_of(recording: Recording) -> Callable[..., EarlierSegment]:
    """A function (numbers of the tape, argument tensors, inputs, results) that makes the earlier segment of a call
    whose results have a history. A bound call, where that keeps no values, gives no inputs and results."""
    leaves, past = recording.entries
    held = {ix: what for ix, (kind, what) in leaves.items() if kind == "held"}
    others = [(ix, place) for ix, place in leaves.items() if ix not in held]

    def earlier(
        scalars: Sequence[Plain], tensors: list[Handle], inputs: Sequence[Buffer] = (), buffers: Sequence[Buffer] = ()
    ) -> EarlierSegment:
        segment = Segment(local.trace)
        segment.scalars = list(scalars)
        segment.leaves = {**held, **{ix: tensor_at(place, tensors) for ix, place in others}}
        for ix, place in past.items():
            history = tensor_at(place, tensors)._history
            assert history is not None
            segment.past[ix] = history
        return recording.plan.earlier(segment, inputs, buffers)

    return earlier

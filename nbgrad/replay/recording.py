"""One call as it was recorded: where inputs and numbers come from, who gets the results; and what makes two differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from nbgrad.errors import RunError, shown_line
from nbgrad.number import Plain
from nbgrad.replay.guards import Guard, same
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
    """A number that a call leaves in a place: the value of an expression, or ``value`` where that is None."""

    place: Guard
    code: str | None
    value: float | int


class Source(NamedTuple):
    """Numbers that are asked for at each call; ``undo`` takes back what asking for them counted up.

    Or an effect to repeat at each call, in its place among them: it gives None. Or a number that is ``assigned`` before
    others are asked for.
    """

    ask: Callable[[], Numbers | None]
    undo: Callable[[], None]
    is_effect: bool = False
    assigned: Assigned | None = None


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
    lines: dict[int, tuple[str, int]]  # the user's lines at which they were recorded (``user_place``), by place
    codes: list[str | None]
    conditions: list[str]
    sources: list[Source]
    results: dict[int, Place]
    cleared: list[Place]
    same: dict[int, Handle]  # arguments that the function holds, too
    asked: list[tuple[Place, bool]]
    output: Template  # of (result, what stands in the places of tensors then)
    assigned: list[Assigned]
    state: list[tuple[Guard, Leaf]]  # (place, state before) of those whose tensors are bound after arguments
    planned: bool  # whether the plan can be run again
    is_kept = False  # to be compared with others, or to be run
    entries: tuple[dict[int, Place], dict[int, Place]]  # leaves, and tensors with a history, by entry

    def __init__(self, n_numbers: int) -> None:
        self.n_numbers = n_numbers
        self.positions, self.conditions, self.sources, self.assigned = [], [], [], []

    def receivers(self) -> list[tuple[int, Place, int, Leaf]]:
        """(entry, who gets its value, place of result, state then) of all values that somebody gets."""
        return [(ix, self.results[ix], place, leaf) for ix, place, leaf in self.plan.commits if ix in self.results]


def described(place: Place) -> str:
    """A place in words."""
    kind, what = place
    if kind == "argument":
        return f"argument {what}"
    if kind == "held":
        return f"a tensor of shape {list(what._at.spec.shape)}"
    return f"the gradient of {described(what)}"


def difference(a: Recording, b: Recording) -> str:
    """What makes two recordings of one function different; "" where nothing does."""
    if a.node is not b.node and (other := _other_operation(a.node, b.node)):
        return other
    for (why, first), (_, second) in zip(_compared(a), _compared(b), strict=True):
        if first != second:
            return why
    for position, (m, n, code) in enumerate(zip(a.numbers, b.numbers, a.codes, strict=True)):
        if code is None and not same(m, n):
            return (
                f"a number changed from {m!r} to {n!r}, and nbgrad.compile does not know where it comes from (make it "
                f"an argument): in {shown_line(b.lines[position]) if position in b.lines else '?'}"
            )
    return "" if a.output.is_like(b.output) else "the result has another structure than in the call before"


def _compared(a: Recording) -> Iterator[tuple[str, Any]]:
    """What has to be the same in two recordings, and what it is called where it is not."""
    places = "come from other places than in the call before"
    yield f"numbers {places}", (a.codes, a.conditions, len(a.sources), [*map(exact, a.positions)])
    yield f"tensors {places}", [place[0] if place[0] == "constant" else exact(place) for place in a.inputs]
    made = [bytes(on_host(b).array((b.nbytes,), "uint8")) for kind, b in a.inputs if kind == "constant"]
    yield "a tensor made in the call of the program's own data differs from call to call", made
    yield "results go to other places than in the call before", {ix: exact(place) for ix, place in a.results.items()}
    left = [x.place.key for x in a.assigned], [place.key for place, _ in a.state]
    yield "other attributes or variables are set than in the call before", left
    for x in a.assigned:
        label = f"the number that the call leaves in {x.place.label}"
        yield f"{label} comes from elsewhere than in the call before", x.code or (type(x.value), repr(x.value))
    yield "gradients were there, or were not, before the call", [*map(exact, a.cleared)]


def exact(place: Place) -> tuple[Any, ...]:
    """What two places that are one have in common. (Tensors have an ``==`` of their own.)"""
    kind, what = place
    return (kind, *exact(what)) if isinstance(what, tuple) else (kind, what if isinstance(what, int) else id(what))


def key_of(place: Place) -> tuple[Any, ...]:
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


def earlier_of(recording: Recording) -> Callable[..., EarlierSegment] | None:
    """A function (numbers of the tape, argument tensors, inputs, results) that makes the earlier segment of a call;
    None where results have no history. A call that ``keeps_nothing`` gives no inputs and results."""
    if recording.plan.struct is None:
        return None
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


def keeps_nothing(recording: Recording) -> bool:
    """Whether histories, if there are any, keep no values: a backward inside the function has used them up. Then only
    what is returned has one."""
    struct = recording.plan.struct
    if struct is None:
        return True
    return not (
        struct.kept_inputs
        or recording.plan.saved_places
        or recording.entries[1]
        or any(kind != "output" and not leaf.is_leaf for _, (kind, _), _, leaf in recording.receivers())
    )


def _other_operation(a: TrieNode, b: TrieNode) -> str:
    """Where two paths part; "" where they are equal: threads that record at the same time may make one twice."""
    first, second = path_between(ROOT, a) or [], path_between(ROOT, b) or []
    for x, y in zip(first, second, strict=False):
        if x is not y and x.key != y.key:
            return f"other operations than in the call before, from {_word(y)} on (it was {_word(x)})"
    return "" if len(first) == len(second) else f"{len(second)} operations instead of {len(first)}"


def _word(node: TrieNode) -> str:
    record = node.record
    return str(record[1].name if record[0] == "call" else record[0])

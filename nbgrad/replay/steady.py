"""A program whose tensors stand as its last call left them.

That is the step of a training loop, and of its hundreds of tensors none need be asked: one compiled look says whether
all of them are what they were. Then their results go where those of the call before the last one went.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from nbgrad.config import settings
from nbgrad.pipeline import Plan
from nbgrad.replay.bind import NOBODY, Code, Missed, gradients_of, tensor_at
from nbgrad.replay.give import SPARE_BYTES
from nbgrad.replay.recording import Place, Recording
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.unchanged import Standing, can_tell
from nbgrad.trace.flush_plan import watched
from nbgrad.trace.handle import Handle
from nbgrad.trace.record import make_tensor
from nbgrad.trace.trie import Leaf

_HELD_ONCE: Final = 1  # as ``Standing`` counts references
_FIRST_WAIT: Final = 2  # calls, before one is taken to be like the next
_LONGEST_WAIT: Final = 1024
_PAYS: Final = 8  # calls; to note how all tensors stand takes as long as is saved by so many


class Steady:
    """How all tensors stand that a program reads and writes, and where its next results go.

    Two sets of buffers change places from call to call, as in ``Program``. Who has it may run the program alone.
    """

    def __init__(self, way: Way, tensors: Sequence[Handle], buffers: list[Buffer], spare: list[Buffer | None]) -> None:
        self.read, _ = way.functions()
        self._plan = way.plan
        self._executable = way.plan.executable
        self._arguments = [(k, id(tensors[k])) for k in way.arguments]
        self._gradients = way.gradients(tensors)
        self._tied = way.tied(tensors)
        tied = {place for place, _ in self._tied}
        places = range(len(buffers))
        stays = [place in way.kept and place not in tied for place in places]
        self._fresh = [(place, way.sizes[place]) for place in places if not stays[place] and place not in tied]
        self._targets = [
            [_alone(spare[place], way.sizes[place]) if stays[place] else None for place in places],
            [buffers[place] if stays[place] else None for place in places],
        ]
        self._standing = [way.standing(tensors, self._tied, targets) for targets in self._targets]
        self.calls = 0

    def holds(self, tensors: list[Handle]) -> bool:
        """Whether nothing has changed since."""
        for k, known in self._arguments:
            if id(tensors[k]) != known:
                return False
        if self._gradients and not self._gradients.isdisjoint(map(id, tensors)):
            return False
        if self._plan.executable is not self._executable or settings.log or settings.interpret or watched():
            return False
        return self._standing[0].holds()

    def run(self, inputs: list[Buffer], scalars: Sequence[Any]) -> list[Buffer]:
        """The results' buffers."""
        outs: list[Any] = [*self._targets[0]]
        for place, size in self._fresh:
            outs[place] = Buffer.alloc(size)
        for place, position in self._tied:
            outs[place] = inputs[position]
        self._plan.run_into(inputs, scalars, outs)
        return outs

    def turn(self) -> None:
        """The call is over: the next one's results go where this one's tensors had theirs."""
        self._targets.reverse()
        self._standing.reverse()
        self.calls += 1


def _alone(buffer: Buffer | None, size: int) -> Buffer:
    """``buffer``, or another one of that size where there is none."""
    return buffer if buffer is not None and buffer.nbytes == size else Buffer.alloc(size)


class Way:
    """What is known of a program for all its calls: whether they can be steady, and the code of such calls.

    ``kept`` are the places of small results of tensors that stay, ``arguments`` those among the arguments that get
    results. ``renewed`` are results that may be made in the memory of an input: (place, position).
    """

    def __init__(self, recording: Recording, renewed: Sequence[tuple[int, int]]) -> None:
        self._recording = recording
        self._results = [(recording.results.get(ix, NOBODY), place, leaf) for ix, place, leaf in recording.plan.commits]
        self._renewed = renewed
        self.is_possible = can_tell() and _is_possible(recording)
        self.plan: Any = recording.plan.plan
        given = [(where, place, leaf) for where, place, leaf in self._results if where[0] not in ("nobody", "output")]
        self.kept = frozenset([place for _, place, leaf in given if leaf.spec.size_bytes <= SPARE_BYTES])
        found = [_owner((kind, what)) for (kind, what), *_ in given]
        found += [owner for owner, _ in gradients_of(recording)]
        self.arguments = sorted({what for kind, what in found if kind == "argument"})
        self._wait = self._first = _FIRST_WAIT
        self._code: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    @property
    def sizes(self) -> Sequence[int]:
        """Bytes of all results."""
        found: Sequence[int] = self.plan.executable.tape.out_bytes
        return found

    def after(self, tensors: Sequence[Handle], buffers: list[Buffer], spare: list[Buffer | None]) -> Steady | None:
        """How all stands after a call that was not steady; None where it is not worth the while to find out."""
        self._wait -= 1
        if not self.is_possible or self._wait > 0:
            return None
        if not self.plan.is_settled or settings.log or settings.interpret:
            return None
        self._wait = self._first
        try:
            return Steady(self, tensors, buffers, spare)
        except Missed:
            return None

    def missed(self, steady: Steady) -> None:
        """Something had changed."""
        self._first = _FIRST_WAIT if steady.calls >= _PAYS else min(2 * self._first, _LONGEST_WAIT)
        self._wait = self._first

    def tied(self, tensors: Sequence[Handle]) -> list[tuple[int, int]]:
        """(place, position of the input) of the results that are made in an input's memory."""
        parted, inputs = set(self.plan.executable.tape.parted), self._recording.inputs
        own = [pair for pair in self._renewed if pair not in parted]
        return [(place, i) for place, i in own if tensor_at(inputs[i], tensors).buffer.is_pooled]

    def gradients(self, tensors: Sequence[Handle]) -> frozenset[int]:
        """The ids of the gradients that are read, or written where they are: an argument is none of them."""
        return frozenset([id(tensor_at(owner, tensors)._grad) for owner, _ in gradients_of(self._recording)])

    def standing(
        self, tensors: Sequence[Handle], tied: Sequence[tuple[int, int]], targets: Sequence[Buffer | None]
    ) -> Standing:
        """How tensors stand, gradients as well, and that nobody else has the memory that will be written. Missed where
        one does not stand as it did when it was recorded."""
        noted = Standing()
        for a, leaf in self._recording.leaves:
            _note(noted, a, leaf)
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
        for _, i in tied:
            noted.attribute(a := tensor_at(self._recording.inputs[i], tensors), Handle, "buffer")
            noted.references(a.buffer, _HELD_ONCE)
        for b in targets:
            if b is not None:
                noted.references(b, _HELD_ONCE)
        noted.close()
        return noted

    def functions(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Two functions: from argument tensors to the inputs' buffers; (argument tensors, results' buffers) that hands
        these over."""
        if self._code is None:
            self._code = self._reader(), self._giver()
        return self._code

    def _reader(self) -> Callable[..., Any]:
        code = Code()
        items = [
            code.name_of(what) if kind == "constant" else f"{code.tensor((kind, what))}.buffer"
            for kind, what in self._recording.inputs
        ]
        code.lines = [f"return [{', '.join(items)}]"]
        return code.function("read(t)")  # type: ignore[no-any-return]

    def _giver(self) -> Callable[..., Any]:
        code = Code(make=make_tensor)
        returned: list[tuple[int, str]] = []
        for (kind, what), place, leaf in self._results:
            if kind == "output":
                returned.append((what, y := f"y{what}"))
                code.lines += [f"{y} = make()", f"{y}.at = {code.name_of(leaf)}"]
            elif kind != "nobody":
                y = f"{code.tensor(what)}._grad" if kind == "new gradient of" else code.tensor((kind, what))
            if kind != "nobody":
                code.lines.append(f"{y}.buffer = buffers[{place}]")
        code.lines.append(f"return [{', '.join([y for _, y in sorted(returned)])}]")
        return code.function("give(t, buffers)")  # type: ignore[no-any-return]


def _owner(place: Place) -> Place:
    """Whose gradient, if it is one, stands at ``place``; the place itself otherwise."""
    return place[1] if place[0] in ("gradient of", "new gradient of") else place


def _is_possible(recording: Recording) -> bool:
    """Whether a call can find all tensors as the one before left them, and leave them so."""
    plan = recording.plan
    if type(plan.plan) is not Plan or plan.struct is not None:
        return False
    return not (recording.state or recording.cleared or recording.empty)


def _note(noted: Standing, a: Handle | None, leaf: Leaf) -> None:
    """Note that ``a`` is in memory in the state ``leaf``, and has nothing rare."""
    if a is None or a.at is not leaf or a.chapter is not None or a.rare is not None or a.history is not None:
        raise Missed("a tensor is in another state")
    for name in ("at", "rare", "chapter", "history"):
        noted.attribute(a, Handle, name)

"""What a stretch of recording takes from outside, for functions that run again when derivatives are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from nbgrad.autograd.function_call import record_function
from nbgrad.autograd.history import Books
from nbgrad.autograd.walk import CustomCall
from nbgrad.graph.spec import Spec
from nbgrad.trace import (
    KINDS,
    ROOT,
    Book,
    EarlierSegment,
    Handle,
    Segment,
    Trace,
    TrieNode,
    advance,
    bring_in,
    entry_of,
    holding,
    path_between,
)

P = ParamSpec("P")
R = TypeVar("R")

Origin = tuple[int, int]  # a place in the graph: the leaves of its segment, which outlive a flush, and the entry


@dataclass(slots=True, eq=False)
class Source:
    """What requires grad and was there before: the ``leaf``, or the place of what was computed."""

    key: Origin
    part: Book
    ix: int
    leaf: Handle | None


@dataclass(slots=True)
class Found:
    """Where outputs of a stretch come from, and the calls that lead there: the name of each, and what it gave.
    ``is_whole``: nothing was run meanwhile, so the same gives the same."""

    sources: dict[Origin, Source] = field(default_factory=dict)
    calls: list[tuple[str, Spec]] = field(default_factory=list)
    is_whole: bool = True


class Stretch:
    """What this thread records from here on, whether it is run meanwhile or not. ``args`` are known as outside."""

    def __init__(self, args: Iterable[Handle]) -> None:
        self._args, self._segment, self._end = _standing(args)
        self._born = EarlierSegment.now()

    def keys(self) -> list[Origin]:
        """The places of ``args``."""
        path = path_between(ROOT, self._end) or []
        return [self._source(self._segment, path[ix]).key for ix in self._args]

    def behind(self, outputs: Sequence[Handle]) -> Found:
        """What ``outputs`` are made of, as derivatives see it. ``undisturbed``: else what it looks at may be run."""
        found, seen, books = Found(), set[Origin](), Books()
        entries, segment, _ = _standing(outputs)
        pending: list[tuple[Book, int]] = [(segment, ix) for ix in reversed(entries)]
        while pending:
            part, ix = pending.pop()
            number = books.add(part)
            if (number, ix) in seen:
                continue
            seen.add((number, ix))
            entry = books.at(number, ix)[1]
            kind, *arguments = entry.record
            if entry.leaf >= 0 or self._is_outside(part, ix):
                source = self._source(part, entry)
                found.sources.setdefault(source.key, source)
            elif kind == "history":
                found.is_whole = False
                pending.append(part.past[ix])
            elif kind == "past":
                pending.append((part.earlier[arguments[0]], arguments[1]))
            else:
                if kind == "call" and entry.spec is not None:
                    found.calls.append((arguments[0].name, entry.spec))
                sources = KINDS[kind].sources(*arguments)
                if kind == "put":  # a view of what is written tells where, whoever made it
                    sources = sources[0], sources[2]
                operands = [books.at(number, r)[1] for r in sources if r >= 0]
                pending += [(part, x.ix) for x in operands if x.requires_grad or x.spec is None]  # None: a derivative
        return found

    def _is_outside(self, part: Book, ix: int) -> bool:
        if part.leaves is self._segment.leaves:
            return ix <= self._end.ix
        return isinstance(part, EarlierSegment) and part.born < self._born

    def _source(self, part: Book, entry: TrieNode) -> Source:
        if entry.leaf >= 0:
            leaf = part.leaves[entry.leaf]
            return Source((id(leaf), -1), part, entry.ix, leaf)
        if entry.ix in part.past:
            earlier, ix = part.past[entry.ix]
            return Source((id(earlier.leaves), ix), part, entry.ix, None)
        return Source((id(part.leaves), entry.ix), part, entry.ix, None)


@holding
def undisturbed(_: Trace, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """``function``, while which nobody runs what was recorded: a signal's handler, say, that computes something."""
    return function(*args, **kwargs)


@holding
def _standing(trace: Trace, tensors: Iterable[Handle]) -> tuple[list[int], Segment, TrieNode]:
    """The entries of ``tensors`` in the running segment, that, and where it is then."""
    return [entry_of(trace, a).ix for a in tensors], trace.segment, trace.node


@holding
def function_between(
    trace: Trace, custom: CustomCall, sources: Sequence[Source], args: Sequence[Any], values: Sequence[Handle]
) -> list[Handle]:
    """``values`` with the backward of ``custom`` behind them, which sends cotangents on to ``sources``. Those that show
    memory of one of ``args`` are views."""
    refs = [_entry(trace, source) for source in sources]
    return record_function(custom, args, values, sources=refs)


def _entry(trace: Trace, source: Source) -> int:
    """The entry of the running segment that has the place of ``source``."""
    if source.leaf is not None:
        return entry_of(trace, source.leaf).ix
    if source.part is trace.segment:
        return source.ix
    bring_in(trace)  # it was run meanwhile
    assert isinstance(source.part, EarlierSegment)
    return advance(trace, ("past", trace.segment.earlier.index(source.part), source.ix)).ix

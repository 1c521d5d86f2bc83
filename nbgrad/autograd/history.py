"""What was recorded behind tensors, entry by entry, through flushed segments too: to be drawn, or computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nbgrad.calls.base import CALLS
from nbgrad.errors import shown_instruction
from nbgrad.graph.spec import Spec
from nbgrad.trace import KINDS, ROOT, Book, Handle, Trace, TrieNode, entry_of, holding, path_between

Spot = tuple[int, int]  # the leaves of a segment, which outlive a flush, by id; and the entry
FILLED = CALLS["filled"]  # whose errors name it by what users call most
# What these have is another entry's.
_SAME = frozenset(["renewed", "resume", "still", "lowered", "own", "own view", "variable", "dual"])
_MADE_OF = {"rebase_history": 2, "detach": 1, "out": 1}  # so many of the first arguments, not what gets cotangents


@dataclass(slots=True, eq=False)
class Past:
    """One entry: the ``name`` of what made it, or "" of a tensor from memory (``leaf`` where it is known), what it
    gave, the user's ``line`` where that was kept, and the spots of what it was made of."""

    name: str
    spec: Spec | None
    requires_grad: bool
    line: str
    inputs: list[Spot]
    leaf: Handle | None = None


class Books:
    """The segments that a walk comes to, by their leaves, which outlive a flush, with the entries of each. What came in
    several times, as another thread went on recording it, is what came in last."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Book, list[TrieNode]]] = {}

    def add(self, book: Book) -> int:
        """Let a segment be known; gives its number."""
        number, end = id(book.leaves), book.end
        if number not in self._found or len(self._found[number][1]) <= end.ix:
            self._found[number] = book, path_between(ROOT, end) or []
        return number

    def at(self, number: int, ix: int) -> tuple[Book, TrieNode]:
        book, path = self._found[number]
        return book, path[ix]


@holding
def history_of(trace: Trace, outputs: Sequence[Handle]) -> tuple[dict[Spot, Past], list[Spot]]:
    """(what was recorded behind ``outputs``, by spots, users before what they used; the spots of ``outputs``)."""
    books, found = Books(), dict[Spot, Past]()

    def origin(part_id: int, ix: int) -> Spot:
        """Where that was made which entry ``ix`` has."""
        spot = part_id, ix
        while True:
            part, entry = books.at(*spot)
            kind, *arguments = entry.record
            earlier = part.past.get(spot[1]) if kind == "history" else None
            if kind == "past":
                earlier = part.earlier[arguments[0]], arguments[1]
            if earlier is not None:
                spot = books.add(earlier[0]), earlier[1]
            elif kind in _SAME:
                spot = spot[0], arguments[0]
            else:
                return spot

    entries = [entry_of(trace, y).ix for y in outputs]
    own = books.add(trace.segment)
    roots = [origin(own, ix) for ix in entries]
    pending = roots[::-1]
    while pending:
        spot = pending.pop()
        if spot in found:
            continue
        part, entry = books.at(*spot)
        kind, *arguments = entry.record
        refs = list(dict.fromkeys([r for r in _read(kind, arguments) if r >= 0]))
        inputs = [origin(spot[0], r) for r in refs if books.at(spot[0], r)[1].spec is not None or r != spot[1]]
        leaf = part.leaves.get(spot[1]) if kind == "leaf" else None
        name, line = _name(part, kind, arguments), part.lines.get(spot[1])
        site = shown_instruction(*line) if line is not None else entry.site
        found[spot] = Past(name, entry.spec, entry.requires_grad, site if name else "", inputs, leaf)
        pending += inputs[::-1]
    return found, roots


def _read(kind: str, arguments: Sequence[object]) -> Sequence[int]:
    """The entries that one of this kind is made of."""
    if kind in _MADE_OF:
        return [r for r in arguments[: _MADE_OF[kind]] if isinstance(r, int)]
    return KINDS[kind].sources(*arguments)


def _name(part: Book, kind: str, arguments: Sequence[object]) -> str:
    if kind in ("call", "view"):
        name = str(getattr(arguments[0], "name", arguments[0]))
        return "full" if name == FILLED.name else name
    if kind == "function":
        return str(part.functions[arguments[0]][0].name)  # type: ignore[call-overload]
    names = {"leaf": "", "history": "", "rebase_history": "write", "put": "write to a view", "out": "derivative"}
    return names.get(kind, {"grad": "backward"}.get(kind, kind))

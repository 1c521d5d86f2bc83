"""Guards: what must be as it was while a function was recorded, and their check at each call."""

from __future__ import annotations

import gc
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.nn.parameter import Parameter
from nbgrad.replay.kinds import VALUES, is_special
from nbgrad.replay.rows import Row, Word, standing_of, words_of
from nbgrad.replay.words import state_in_words
from nbgrad.runtime.unchanged import Standing
from nbgrad.trace.handle import Handle, local
from nbgrad.trace.read import settle
from nbgrad.trace.trie import Leaf

GONE: Final = (LookupError, AttributeError, ValueError, TypeError)  # what was there is there no more
ABSENT: Final = object()
_PRINTED: Final = (float, complex, range, slice, np.generic)  # equal ones of these may differ: 0.0 and -0.0
_MOST_MOVES: Final = 8  # of a guard's rows while it holds; then Python looks at it at each call


class Guard(NamedTuple):
    """``code`` must give ``expected`` again: that object, a ``value`` like it, or a tuple of such ``items``. ``row``
    says which memory shows that; ``label`` is for people."""

    label: str
    code: str
    expected: Any
    how: str
    row: Row | None


class Variable(NamedTuple):
    """A place where a number or a tensor stands, seen to change: ``code`` reads it, and can be assigned to."""

    label: str
    code: str
    value: Any


def is_assignable(code: str) -> bool:
    """Whether the place that ``code`` reads can be given another value."""
    return "(" not in code.partition("[")[0] and not code.endswith("__") and "__class__" not in code


def agree(a: Guard | None, b: Guard | None) -> bool:
    return a is not None and b is not None and a.how == b.how and _is(a.how, a.expected, b.expected)


def _is(how: str, now: Any, expected: Any) -> bool:
    if now is expected:
        return True
    if how == "items":
        if len(now) != len(expected):
            return False
        return all(map(operator.is_, now, expected)) or all(map(alike, now, expected))
    return how == "value" and same(now, expected)


def alike(a: Any, b: Any) -> bool:
    return a is b or (type(a) in VALUES and same(a, b))


def same(a: Any, b: Any) -> bool:
    """Whether two values, say numbers, are of one type and equal. NaN equals NaN; 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    return repr(a) == repr(b) if isinstance(a, _PRINTED) else bool(a == b)


def may_vary(before: Any, now: Any) -> bool:
    """Whether a place that held ``before`` and holds ``now`` can be bound at each call: two numbers, or two tensors."""
    if isinstance(before, Handle):
        return isinstance(now, Handle) and not isinstance(before, Parameter) and not isinstance(now, Parameter)
    return type(before) in (float, int) and type(now) is type(before)


# --- what guards' code calls: all of it reads past the user's code


def keys_of(d: Any) -> tuple[Any, ...]:
    """The keys of a dict of whatever class, in order."""
    return tuple(OrderedDict.keys(d) if issubclass(type(d), OrderedDict) else dict.keys(d))


def entry_of(d: Any, key: Any) -> Any:
    return dict.get(d, key, ABSENT)


def own_of(x: Any) -> Any:
    """The dict of an object's attributes."""
    try:
        return object.__getattribute__(x, "__dict__")
    except AttributeError:
        return ABSENT


def contents_of(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def slot_of(member: Any, x: Any) -> Any:
    try:
        return member.__get__(x)
    except AttributeError:
        return ABSENT


def entries_of(kind: type) -> Any:
    """The attributes that a class has itself."""
    return type.__dict__["__dict__"].__get__(kind)


def members_of(kind: type, names: frozenset[str], made: tuple[str, ...], others: frozenset[str]) -> tuple[Any, ...]:
    """Names and values of those attributes that a class has itself, and that ``names`` has, or that begin as ``made``
    ones do, or Python asks for; without ``others``."""
    own = entries_of(kind)
    found = [n for n in own if (n in names or is_special(n) or n.startswith(made)) and n not in others]
    return (*found, *[own[n] for n in found])


def names_in(d: Any, names: frozenset[str], made: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that ``names`` has, or that begin as ``made`` ones do."""
    return tuple([name for name in d if name in names or name.startswith(made)])


def state_of(a: Handle) -> Any:
    """Shape, dtype and the like of a tensor in memory."""
    if a.chapter is not None:
        settle(local.trace, a)
    return a.at


def data_of(x: Any) -> tuple[Any, ...]:
    """All that an array holds."""
    if isinstance(x, np.ndarray):
        return x.tobytes(), x.shape, x.strides, x.dtype, x.flags.num
    return (bytes(x), getattr(x, "typecode", None))


def cache_of(x: Any) -> dict[Any, Any]:
    """The dict in which a cached function finds what it has computed."""
    return next(d for d in gc.get_referents(x) if type(d) is dict and d is not x.__dict__)


def cached(x: Any) -> tuple[Any, ...]:
    """All that a cached function knows, in whatever order."""
    d = cache_of(x)
    return tuple(sorted([*gc.get_referents(x), *d.keys(), *d.values()], key=id))


_READERS: Final = (keys_of, entry_of, own_of, contents_of, slot_of, entries_of, members_of, names_in)
LOOKS: Final[dict[str, Any]] = {"ABSENT": ABSENT, "is_so": _is} | {
    f.__name__: f for f in (*_READERS, data_of, state_of, cached)
}


class Check:
    """The guards: ``holds()``, which may raise GONE, looks at those that no rows show; ``standing`` are the rows of all
    others, None where there are none. Calling the check says whether all hold, and notes where they stand."""

    def __init__(self, scope: dict[str, Any], guards: Sequence[Guard]) -> None:
        self._guards = guards
        self._scope = scope | LOOKS
        self._words: list[list[Word] | None] = [None] * len(guards)
        self._moves = [0] * len(guards)
        self._all: Callable[[], bool] | None = None
        self._bare: list[int] = []
        self.standing: Standing | None = None
        self.holds: Callable[[], bool] | None = None  # None where rows show all

    def __call__(self) -> bool:
        try:
            if self.standing is not None and self.standing.holds():
                return self.holds is None or self.holds()
            self._note()  # before they are looked at: what changes meanwhile is seen now, or by the next look
            self._all = self._all or self._function(self._guards)
            if self._all():
                return True
        except GONE:
            pass
        self.standing = None
        return False

    def _note(self) -> None:
        """Note the rows as they are now. What moves again and again, and is equal, is looked at by Python."""
        found = [words_of(g.row) if n < _MOST_MOVES else None for g, n in zip(self._guards, self._moves, strict=True)]
        for k, rows in enumerate(found):
            self._moves[k] += rows is not None and self._words[k] not in (None, rows[0])
            self._words[k] = rows and rows[0]
        self.standing = standing_of([rows for rows in found if rows is not None])
        bare = [k for k, rows in enumerate(found) if rows is None or self.standing is None]
        if bare != self._bare:
            self._bare, self.holds = bare, self._function([self._guards[k] for k in bare]) if bare else None

    def _function(self, guards: Sequence[Guard]) -> Callable[[], bool]:
        terms = [*map(self._term, guards)]
        text = "def holds():\n    return (\n        " + " and\n        ".join(terms or ["True"]) + "\n    )"
        exec(compile(text, "<nbgrad guards>", "exec"), self._scope)
        return self._scope["holds"]  # type: ignore[no-any-return]

    def _term(self, guard: Guard) -> str:
        expected = f"e{len(self._scope)}"
        self._scope[expected] = guard.expected
        return f"{guard.code} is {expected}" if guard.how == "is" else f"is_so({guard.how!r}, {guard.code}, {expected})"

    def broken(self) -> Iterator[str]:
        """The labels of the guards that do not hold."""
        for guard in self._guards:
            try:
                now = eval(guard.code, self._scope)
            except GONE:
                yield f"{guard.label} is there no more"
                continue
            if not _is(guard.how, now, guard.expected):
                yield f"{guard.label} was {_shown(guard.expected)}, is {_shown(now)}"


def _shown(x: Any) -> str:
    if isinstance(x, Leaf):
        return state_in_words(x)
    return repr(x) if type(x) in VALUES or isinstance(x, tuple) else f"another {type(x).__name__}"

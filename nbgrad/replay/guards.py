"""Guards: what must be as it was while a function was recorded, and their check at each call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.nn.parameter import Parameter
from nbgrad.replay.kinds import VALUES
from nbgrad.replay.readers import ABSENT, Reader, standing_of, words_of
from nbgrad.replay.words import state_in_words
from nbgrad.runtime.unchanged import Standing
from nbgrad.trace import Handle, Leaf

_PRINTED: Final = (float, complex, range, slice, np.generic)  # equal ones of these may differ: 0.0 and -0.0
_MOST_MOVES: Final = 8  # of a guard's words; then Python looks at it at each call
_DATA_DEPENDENT: Final = frozenset([str, int, bool, frozenset])

Key = tuple[Any, ...]


class Guard(NamedTuple):
    """What ``reader`` finds in ``objects`` must be ``expected`` again, as ``how`` says; ``label`` is for people.

    Or a place, seen to hold another number or tensor from call to call: that is read and written at each call.
    """

    label: str
    reader: Reader
    objects: tuple[Any, ...]
    expected: Any
    how: str

    @property
    def key(self) -> Key:
        """The same for guards of the same place."""
        return key_of(self.reader, self.objects)

    @property
    def now(self) -> Callable[[], Any]:
        """What gives what stands there now."""
        return partial(self.reader.read, *self.objects)

    @property
    def put(self) -> Callable[[Any], None]:
        """What puts something else there."""
        assert self.reader.write is not None
        return partial(self.reader.write, *self.objects)

    def found(self) -> Any:
        """What stands there now; ABSENT where nothing does."""
        return self.reader.found(*self.objects)

    def may_vary(self, x: Any) -> bool:
        """Whether the place can be bound at each call if ``x`` stands there now: two numbers, or two tensors."""
        before = self.expected
        if self.reader.write is None:
            return False
        if isinstance(before, Handle):
            return isinstance(x, Handle) and not any(isinstance(a, Parameter) or vars(a) for a in (before, x))
        return type(before) in (float, int) and type(x) is type(before)


def key_of(reader: Reader, objects: tuple[Any, ...]) -> Key:
    return reader.read, *[x if type(x) in _DATA_DEPENDENT else (id(x),) for x in objects]


def changed(guards: Iterable[Guard]) -> Iterator[tuple[Guard, Any]]:
    """(guard, what stands there now) of those that do not hold; ABSENT where nothing does."""
    for guard in guards:
        if not _is(guard.how, now := guard.found(), guard.expected):
            yield guard, now


def _is(how: str, now: Any, expected: Any) -> bool:
    if now is expected:
        return True
    if how == "items" and now is not ABSENT:
        return len(now) == len(expected) and all(map(alike, now, expected))
    return how == "value" and same(now, expected)


def alike(a: Any, b: Any) -> bool:
    return a is b or (type(a) in VALUES and same(a, b))


def same(a: Any, b: Any) -> bool:
    """Whether two values, say numbers, are of one type and equal. NaN equals NaN; 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    return repr(a) == repr(b) if isinstance(a, _PRINTED) else bool(a == b)


class Check:
    """The guards. Calling the check says which do not hold, "" where all do; then it has ``noted`` the words of memory
    that show most of them, and those that are bare of words, which Python looks at."""

    def __init__(self, guards: Sequence[Guard]) -> None:
        self._guards = guards
        self._seen: list[list[object]] = [[] for _ in guards]  # the words that have shown each, one after the other
        self.noted: tuple[Standing, list[Guard]] | None = None

    def __call__(self) -> str:
        if (noted := self.noted) is not None and noted[0].holds() and (not noted[1] or all_hold(noted[1])):
            return ""
        self.noted = None
        noted = self._note()  # before they are looked at: what changes meanwhile is seen now, or by the next look
        broken = "; ".join(_in_words(self._guards))
        self.noted = None if broken else noted
        return broken

    def _note(self) -> tuple[Standing, list[Guard]]:
        """What moves again and again, and is equal, is looked at by Python."""
        found, bare = [], []
        for k, guard in enumerate(self._guards):
            if len(self._seen[k]) > _MOST_MOVES or (words := words_of(guard.reader, *guard.objects)) is None:
                bare.append(guard)
                continue
            found.append(words)
            now = [word[:3] for word in words]  # what has to live does so as long as all hold
            self._seen[k] += [now] if self._seen[k][-1:] != [now] else []
        return standing_of(found), bare


def all_hold(guards: Sequence[Guard]) -> bool:
    return next(changed(guards), None) is None


def _in_words(guards: Sequence[Guard]) -> Iterator[str]:
    """The guards that do not hold."""
    for guard, now in changed(guards):
        is_now = f"was {_shown(guard.expected)}, is {_shown(now)}" if now is not ABSENT else "is there no more"
        yield f"{guard.label} {is_now}"


def _shown(x: Any) -> str:
    if isinstance(x, Leaf):
        return state_in_words(x)
    return repr(x) if type(x) in VALUES or isinstance(x, tuple) else f"another {type(x).__name__}"

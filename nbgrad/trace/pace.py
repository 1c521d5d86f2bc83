"""How often a thread looks at values between its backwards: what it did twice it is expected to do again."""

from __future__ import annotations

from typing import Final

MOST: Final = 16  # backwards that may run as one program: more would save a twentieth of what these do
MOST_ENTRIES: Final = 1000  # of such a program
SAVED_S: Final = 15e-6  # by each backward that does not run at once
MOST_CREDIT_S: Final = 1.0


class Join:
    """What is known of chapters that end at one trie node, in the first backward after a look.

    ``length`` backwards from there on will run as one program. ``period`` is how many there were until the last look.
    ``planned`` are the lengths that have a plan. ``large_bytes`` is the memory of the large inputs that all of them
    read: a chapter with more does not wait. ``credit_s`` is what joining would have saved, or has, less what
    plans for it have cost: so that all of them together never cost more than they have brought.
    """

    __slots__ = ("credit_s", "large_bytes", "length", "most", "period", "planned")

    def __init__(self, n_entries: int, large_bytes: int = 0) -> None:
        self.large_bytes = large_bytes
        self.credit_s = 0.0
        self.length = 1
        self.most = min(MOST, MOST_ENTRIES // n_entries)
        self.period = 0
        self.planned: set[int] = set()

    def note(self, period: int) -> None:
        """So many backwards came before a look."""
        period = min(period, self.most)
        if period == self.period:
            self.length = period
        self.period = period

    def earn(self, seconds: float) -> None:
        self.credit_s = min(self.credit_s + seconds, MOST_CREDIT_S)


class Pace:
    """Of one thread: ``parts`` backwards of the running chapter were not run yet, and it began as ``join`` says;
    ``quiet`` backwards came since the last look, the first as ``start`` says."""

    __slots__ = ("join", "parts", "quiet", "start")

    def __init__(self) -> None:
        self.parts = 0
        self.join: Join | None = None
        self.quiet = 0
        self.start: Join | None = None

    def goes_on(self, join: Join) -> None:
        """A backward came, of a chapter that began as ``join`` says."""
        if self.start is None:
            self.start, self.quiet = join, 0
        self.quiet += 1
        if self.quiet >= self.start.most:
            self.looked()

    def planned(self, seconds: float) -> None:
        """A plan was made for the running chapter."""
        if self.parts and self.join is not None:
            self.join.credit_s -= seconds

    def looked(self) -> None:
        """The program looked at a value."""
        start, self.start = self.start, None
        if start is not None:
            start.note(self.quiet)

"""Where a sequence repeats itself: the rounds of an unrolled loop."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

PRIME: Final = 1_000_003
GRAM: Final = 6  # entries by which places of a long sequence are compared at first
FIRST_COMPARED: Final = 16  # entries; then twice as many: most candidates differ soon
MOST_TRIED: Final = 64  # places looked at for the next round: bodies that repeat themselves inside have many
NEARLY: Final = 0.9  # of the longest run: two bodies in a row make a run as well, a round shorter


class Run(NamedTuple):
    """``rounds`` rounds of ``period`` entries each, from ``start`` on."""

    start: int
    period: int
    rounds: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.rounds


def find_runs(codes: Sequence[Hashable], least: int, gram: int = GRAM) -> list[Run]:
    """The longest runs of at least ``least`` equal rounds, from left to right, none in another. About O(entries).

    A run of fewer than ``gram`` entries more than a round is not seen.
    """
    numbers: dict[Hashable, int] = {}
    values = np.array([numbers.setdefault(code, len(numbers)) for code in codes], np.int64)
    listed: list[int] = values.tolist()
    following = _following(values, gram)
    ends: dict[int, int] = {}  # by period: up to where the entries last looked at are those a period later
    runs: list[Run] = []
    i = 0
    while i < len(following):
        best = _longest(listed, following, ends, i, least)
        if best is None:
            i += 1
        else:
            runs.append(best)
            i = best.end
    return runs


def _following(values: Any, gram: int) -> list[int]:
    """For each place the next one with the same few entries (0: none), by a hash of them: who goes there compares."""
    count = max(0, len(values) - gram + 1)
    hashes = np.zeros(count, np.int64)
    for i in range(gram):
        hashes = hashes * PRIME + values[i : i + count]  # wraps around
    order = np.argsort(hashes, kind="stable")
    following = np.zeros(count, np.int64)
    following[order[:-1]] = np.where(np.diff(hashes[order]) == 0, order[1:], 0)
    return list(following.tolist())


def _longest(listed: list[int], following: list[int], ends: dict[int, int], i: int, least: int) -> Run | None:
    """The longest run that begins at ``i``; of those about as long the one with the shortest body."""
    found: list[Run] = []
    most = (len(listed) - i) // least
    place = following[i]
    for _ in range(MOST_TRIED):
        period = place - i
        if not place or period > most:
            break
        last = i + (least - 1) * period - 1  # of what ``least`` rounds have to repeat: it tells soon that they don't
        if listed[last] != listed[last + period]:
            place = following[place]
            continue
        end = ends.get(period, 0)
        if end <= i:
            end = ends[period] = i + _equal(listed, i, period)
        count = 1 + (end - i) // period
        if count >= least:
            found.append(Run(i, period, count))
        place = following[place]
    enough = NEARLY * max([run.end - i for run in found], default=0)
    return next((run for run in found if run.end - i >= enough), None)


def _equal(values: list[int], i: int, period: int) -> int:
    """How many entries from ``i`` on are those ``period`` later."""
    start, size = i, FIRST_COMPARED
    while start < len(values) - period:
        stop = min(start + size, len(values) - period)
        here, later = values[start:stop], values[start + period : stop + period]
        if here != later:
            return start - i + next(k for k, (a, b) in enumerate(zip(here, later, strict=True)) if a != b)
        start, size = stop, 2 * size
    return start - i

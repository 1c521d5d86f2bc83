"""A sequence of entries that refer to each other, with any number of rounds in place of the number it has.

Forward steps refer to the step before, backward steps to the one after and to their forward step: in each round every
reference moves on, or back, by one round, or stays. So the sequence with other numbers of rounds is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from nbgrad.graph.runs import Run

FEWER: Final = 4  # rounds that a part of a loop may lack, if nothing else is said: the first are not like the others
MOST_PARTS: Final = 16  # equal parts of a round: the terms of a gradient's sum
OUTSIDE: Final = -1


class Region(NamedTuple):
    """A run whose references are even: those of round t are ``first + t * slope``, round by round.

    ``partner`` is the region that each refers to where it moves, OUTSIDE where it stays.
    """

    run: Run
    first: list[int]
    slope: list[int]
    partner: list[int]
    sizes: list[int]  # how many of the references each entry of a round has


class Entry(NamedTuple):
    """One entry of a resized sequence: like entry ``like`` of the one there was, with these references.

    ``region`` is OUTSIDE where it belongs to none; ``round`` counts in the resized sequence.
    """

    like: int
    refs: list[int]
    region: int
    round: int


make_entry: Final = partial(tuple.__new__, Entry)  # in half the time


class Family:
    """The sequences that differ from one in the number of rounds of its regions, by the same in each."""

    def __init__(self, refs: Sequence[Sequence[int]], regions: Sequence[Region]) -> None:
        self.refs = refs
        self.regions = list(regions)

    @property
    def least(self) -> int:
        """The number of rounds of the shortest region."""
        return min([region.run.rounds for region in self.regions], default=0)

    def resized(self, more: int, halves: Sequence[int] | None = None) -> list[Entry] | None:
        """The sequence with ``more`` rounds in each region (fewer, where that is negative).

        ``halves``: of each region, how many rounds come before those added or left out. None where it is not known:
        where something refers to a round in the middle.
        """
        return _Resizing(self, more, halves).entries()


def find_family(
    refs: Sequence[Sequence[int]], runs: Sequence[Run], labels: Sequence[int], least: int, fewer: int = FEWER
) -> Family | None:
    """The family of a sequence with those references and runs; None where it has none with ``least`` even rounds.

    ``labels``: one number an entry, that has to be even, too. ``fewer``: rounds that a part of the loop may lack.
    """
    found = [region for run in runs for region in _even(refs, run, labels, least)]
    if not found:
        return None
    main = max([region.run for region in found], key=lambda run: run.period * run.rounds)
    found = [region for region in found if region.run.rounds >= max(least, main.rounds - fewer)]
    regions = [_with_partners(region, found, fewer) for region in found]
    known = [region for region in regions if region is not None]
    return Family(refs, known) if len(known) == len(regions) else None


def even_runs(refs: Sequence[Sequence[int]], runs: Sequence[Run], least: int) -> list[Run]:
    """The runs of at least ``least`` rounds in which all references are even."""
    return [region.run for run in runs for region in _even(refs, run, [0] * len(refs), least)]


def _even(refs: Sequence[Sequence[int]], run: Run, labels: Sequence[int], least: int) -> list[Region]:
    """The parts of ``run`` in which references and labels are even, in rounds of several of its where need be."""
    best: list[Region] = []
    for factor in range(1, min(MOST_PARTS, run.rounds // least) + 1):
        rounds = Run(run.start, run.period * factor, run.rounds // factor)
        regions = _even_parts(refs, rounds, labels, least)
        if _longest(regions) > _longest(best):
            best = regions
        if 2 * _longest(best) > run.end - run.start:
            break
    return best


def _longest(regions: Sequence[Region]) -> int:
    return max([region.run.end - region.run.start for region in regions], default=0)


def _even_parts(refs: Sequence[Sequence[int]], run: Run, labels: Sequence[int], least: int) -> list[Region]:
    start, period, count = run
    flat = [ref for entry in refs[start : run.end] for ref in entry]
    if len(flat) % count:
        return []
    table = np.array(flat, np.int64).reshape(count, -1)
    marks = np.array(labels[start : run.end], np.int64).reshape(count, -1)
    steps = np.diff(np.concatenate([table, marks], axis=1), axis=0)
    turns = np.flatnonzero((steps[1:] != steps[:-1]).any(axis=1)) + 1
    width = table.shape[1]
    regions = []
    for first, last in pairwise([0, *turns.tolist(), len(steps)]):
        if last - first + 1 >= least:
            kept = Run(start + first * period, period, last - first + 1)
            sizes = [len(entry) for entry in refs[kept.start : kept.start + period]]
            regions.append(Region(kept, table[first].tolist(), steps[first][:width].tolist(), [], sizes))
    return _apart(regions)


def _apart(regions: Sequence[Region]) -> list[Region]:
    """The same, each without the round that it shares with the one before."""
    found: list[Region] = []
    for region in regions:
        run = region.run
        if found and run.start < found[-1].run.end:
            first = [ref + slope for ref, slope in zip(region.first, region.slope, strict=True)]
            run = Run(run.start + run.period, run.period, run.rounds - 1)
            region = region._replace(run=run, first=first)
        found.append(region)
    return found


def _with_partners(region: Region, regions: Sequence[Region], fewer: int) -> Region | None:
    """``region``, each moving reference with the region that it moves in; None where that is not of equal steps, or
    where it goes on into another region."""
    partners = []
    middle, last = region.run.rounds // 2, region.run.rounds - 1
    for first, slope in zip(region.first, region.slope, strict=True):
        partner = OUTSIDE
        if slope:
            at = first + middle * slope
            partner = next((k for k, r in enumerate(regions) if r.run.start <= at < r.run.end), OUTSIDE)
            if partner == OUTSIDE or abs(slope) != regions[partner].run.period:
                return None
            if regions[partner] is region and slope < 0:
                return None
            if not all(_belongs(ref, partner, regions, fewer) for ref in (first, first + last * slope)):
                return None
        partners.append(partner)
    return region._replace(partner=partners)


def _belongs(ref: int, k: int, regions: Sequence[Region], fewer: int) -> bool:
    """Whether a reference that moves with region ``k`` keeps its distance to it: whether it is in it, or a few rounds
    before or after it and in no other."""
    run = regions[k].run
    few = fewer * run.period
    if not run.start - few <= ref < run.end + few:
        return False
    return not any(r.run.start <= ref < r.run.end for j, r in enumerate(regions) if j != k)


class _Resizing:
    def __init__(self, family: Family, more: int, halves: Sequence[int] | None) -> None:
        self.family = family
        self.regions = family.regions
        self.more = more
        self.halves = halves or [min(r.run.rounds, r.run.rounds + more) // 2 for r in family.regions]
        self.starts: list[int] = []  # of the regions in the resized sequence
        shift = 0
        for region in self.regions:
            self.starts.append(region.run.start + shift)
            shift += more * region.run.period
        self.ends = np.array([region.run.end for region in self.regions], np.int64)

    def entries(self) -> list[Entry] | None:
        refs = self.family.refs
        entries: list[Entry] = []
        at = 0
        for k, region in enumerate(self.regions):
            if not self._add_outside(entries, at, region.run.start) or not self._add_rounds(entries, k, region):
                return None
            at = region.run.end
        return entries if self._add_outside(entries, at, len(refs)) else None

    def _add_outside(self, entries: list[Entry], start: int, end: int) -> bool:
        for i in range(start, end):
            moved = [self.moved(ref) for ref in self.family.refs[i]]
            if None in moved:
                return False
            entries.append(Entry(i, [ref for ref in moved if ref is not None], OUTSIDE, 0))
        return True

    def _add_rounds(self, entries: list[Entry], k: int, region: Region) -> bool:
        first = []
        for ref, slope, partner in zip(region.first, region.slope, region.partner, strict=True):
            moved = self.moved(ref) if partner == OUTSIDE else self._moving(ref, slope, partner)
            if moved is None:
                return False
            first.append(moved)
        (start, period, count), sizes = region.run, region.sizes
        at, slopes = np.array(first, np.int64), np.array(region.slope, np.int64)
        half = self.halves[k]
        cuts = np.cumsum([0, *sizes]).tolist()
        for t in range(count + self.more):
            row = (at + t * slopes).tolist()
            old = t if t < half else max(half, t - self.more)
            like = start + period * old
            entries += [make_entry((like + j, row[cuts[j] : cuts[j + 1]], k, t)) for j in range(period)]
        return True

    def _moving(self, ref: int, slope: int, partner: int) -> int:
        """Where a moving reference of the first round points: with the partner's rounds, or from their end back."""
        run = self.regions[partner].run
        return self.starts[partner] + ref - run.start + (self.more * run.period if slope < 0 else 0)

    def moved(self, ref: int) -> int | None:
        """Where a reference from outside points; None in the middle of a region, where the end cannot be told from
        the beginning."""
        k = int(np.searchsorted(self.ends, ref, side="right"))
        if k == len(self.regions) or ref < self.regions[k].run.start:
            return ref + self.more * sum([region.run.period for region in self.regions[:k]])
        run = self.regions[k].run
        at = (ref - run.start) // run.period
        kept = min(run.rounds, run.rounds + self.more)
        half, gone = self.halves[k], max(0, -self.more)  # those left out begin where the caller says
        if half <= at < half + gone or ((at < half) != (2 * at < kept - 1) and self.more < 0):
            return None
        if 2 * at < kept - 1:
            return self.starts[k] + ref - run.start
        if 2 * (run.rounds - 1 - at) < kept - 1:
            return self.starts[k] + ref - run.start + self.more * run.period
        return None

"""What nbgrad shall reach in a case, and what it reached: its steady calls, its first ones, its memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bench.libraries import JAX, NBGRAD, NBGRAD_COMPILED, NBGRAD_NJIT, TORCH
from bench.measure import Timing

OWN: Final = (NBGRAD, NBGRAD_COMPILED, NBGRAD_NJIT)
STEADY, FIRST, LONGEST, WARM, MEMORY = "steady", "first", "longest", "warm", "memory"

FIRST_SHARE: Final = 0.5  # of JAX's first call, with an empty cache
FIRST_S: Final = 3.0  # and at most so long
WARM_CALLS, WARM_S = 2, 0.2  # steady calls, and so much more: first calls that find their kernels on disk


@dataclass(frozen=True)
class Goal:
    """``own`` (nbgrad, plain, compiled or in ``@njit``) reached ``reached`` where ``limit`` is allowed: a share of what
    ``peer`` takes, or seconds where nobody is compared with."""

    what: str
    own: str
    peer: str
    reached: float
    limit: float

    @property
    def met(self) -> bool:
        return self.reached <= self.limit


def goals_of(group: Sequence[Timing]) -> list[Goal]:
    """The goals of a case that the timings of its contestants can judge."""
    found = {t.contestant: t for t in group}
    return [goal for own in OWN if own in found for goal in _goals(found[own], found)]


def _goals(own: Timing, found: dict[str, Timing]) -> Iterator[Goal]:
    case, name = own.case, own.contestant
    for peer, share in (case.compiled_goals if name == NBGRAD_COMPILED else case.goals).items():
        if peer in found:
            yield Goal(STEADY, name, peer, own.median_s / found[peer].median_s, share)
    if own.warm_first_s is not None:  # then both first calls are those of processes of their own
        yield Goal(LONGEST, name, "", own.first_s, FIRST_S)
        yield Goal(WARM, name, "", own.warm_first_s, WARM_CALLS * own.median_s + WARM_S)
        if JAX in found:
            yield Goal(FIRST, name, JAX, own.first_s / found[JAX].first_s, FIRST_SHARE)
    torch = found.get(TORCH)
    if case.memory_share and own.peak_mib is not None and torch is not None and torch.peak_mib:
        yield Goal(MEMORY, name, TORCH, own.peak_mib / torch.peak_mib, case.memory_share)

"""How far to go along a direction: a search for a step that meets the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

ENOUGH, FLATTER = 1e-4, 0.9  # the fall that a step must give, and the share of the slope that may be left
NARROW = 1e-9  # steps whose points differ by less are the same


class Point(NamedTuple):
    """What was found after a step of ``t`` along the direction; ``slope`` is the derivative along it."""

    t: float
    loss: float
    grad: Array
    slope: float


def strong_wolfe(
    evaluate: Callable[[float], Point], start: Point, t: float, longest: float, most: int
) -> tuple[Point, int]:
    """A point that meets the conditions, or the best after ``most`` tries; and how many evaluations that took.

    ``t`` is the first step to try, ``longest`` the largest element of the direction. Source: Nocedal and Wright,
    "Numerical optimization", algorithms 3.5 and 3.6, with PyTorch's choices of trial steps.
    """

    def too_high(point: Point) -> bool:
        return point.loss > start.loss + ENOUGH * point.t * start.slope

    def is_flat(point: Point) -> bool:
        return abs(point.slope) <= -FLATTER * start.slope

    last, now, tries = start, evaluate(t), 0
    ends = [start, now]
    while tries < most:  # steps grow until a good point lies between the last two
        if too_high(now) or (tries > 1 and now.loss >= last.loss):
            ends = [last, now]
            break
        if is_flat(now):
            return now, tries + 1
        if now.slope >= 0:
            ends = [last, now]
            break
        t = _lowest(last, now, now.t + 0.01 * (now.t - last.t), now.t * 10)
        last, now, tries = now, evaluate(t), tries + 1
        ends = [start, now]
    low, near_an_end = _lower(ends), False
    while tries < most:  # the two draw together
        left, right = sorted([ends[0].t, ends[1].t])
        if (right - left) * longest < NARROW:
            break
        t, margin = _lowest(ends[0], ends[1], left, right), 0.1 * (right - left)
        near = min(right - t, t - left) < margin
        if near and (near_an_end or not left < t < right):
            t, near = right - margin if right - t < t - left else left + margin, False
        near_an_end = near
        now, tries = evaluate(t), tries + 1
        if too_high(now) or now.loss >= ends[low].loss:
            ends[1 - low] = now
            low = _lower(ends)
            continue
        if not is_flat(now) and now.slope * (ends[1 - low].t - ends[low].t) >= 0:
            ends[1 - low] = ends[low]
        ends[low] = now
        if is_flat(now):
            break
    return ends[low], tries + 1


def _lower(ends: list[Point]) -> int:
    return 0 if ends[0].loss <= ends[1].loss else 1


def _lowest(a: Point, b: Point, left: float, right: float) -> float:
    """Where the cubic through two points with their slopes is lowest, kept within ``left`` and ``right``; their middle
    where it has no minimum."""
    if a.t > b.t:
        a, b = b, a
    if a.t < b.t:
        mean = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
        square = mean**2 - a.slope * b.slope
        if square >= 0 and (spread := b.slope - a.slope + 2 * sqrt(square)) != 0:
            return min(max(b.t - (b.t - a.t) * (b.slope + sqrt(square) - mean) / spread, left), right)
    return (left + right) / 2

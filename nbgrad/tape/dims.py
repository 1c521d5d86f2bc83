"""Iteration dims: sizes and every operand's strides, with as few dims as hold the same elements in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

PADDED_RANKS: Final = (0, 1, 2, 4)  # per-operator kernels come in these ranks only


def collapse(sizes: Sequence[int], rows: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """``sizes`` and stride ``rows`` without dims of 1, adjacent dims merged where every row allows it."""
    new_sizes: list[int] = []
    new_rows: list[list[int]] = [[] for _ in rows]
    for d, n in enumerate(sizes):
        if n == 1:
            continue
        if new_sizes and all([row[-1] == old[d] * n for row, old in zip(new_rows, rows, strict=True)]):  # noqa: C419
            new_sizes[-1] *= n
            for row, old in zip(new_rows, rows, strict=True):
                row[-1] = old[d]
        else:
            new_sizes.append(n)
            for row, old in zip(new_rows, rows, strict=True):
                row.append(old[d])
    return new_sizes, new_rows


def pad(sizes: list[int], rows: Sequence[list[int]], rank: int) -> None:
    """Put dims of one element in front until there are ``rank``."""
    missing = rank - len(sizes)
    if missing > 0:
        sizes[:0] = [1] * missing
        for row in rows:
            row[:0] = [0] * missing


def padded_rank(rank: int, least: int) -> int:
    """The rank of the per-operator kernel that serves ``rank``."""
    for r in PADDED_RANKS:
        if r >= rank and r >= least:
            return r
    return rank

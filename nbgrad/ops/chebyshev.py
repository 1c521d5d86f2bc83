"""Series of Chebyshev polynomials: of float32 with as many terms as that needs, computed in float64."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import fsum
from typing import Final

from nbgrad.graph.dtypes import DType, float32, float64

SMALLEST: Final = {float32: 2.0**-32, float64: 2.0**-58}  # the last coefficient that counts


def powers(chebyshev: Sequence[float], dtype: DType) -> list[float]:
    """The coefficients of the powers in a series that is good enough for ``dtype``, lowest power first."""
    kept = [c for c in chebyshev if abs(c) > SMALLEST[dtype]]
    before, now = [0.0, 1.0], [1.0]  # T(k + 1) = 2 t T(k) - T(k - 1), with T(-1) = t
    terms: list[list[float]] = [[] for _ in kept]
    for c in kept:
        for power, factor in enumerate(now):
            terms[power].append(c * factor)
        twice = [0.0, *[2 * f for f in now]]
        before, now = now, [a + b for a, b in zip_longest(twice, [-f for f in before], fillvalue=0.0)]
    return [fsum(each) for each in terms]

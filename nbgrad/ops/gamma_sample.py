"""How numbers of a gamma distribution change with its concentration."""

from __future__ import annotations

import functools

import numpy as np

from nbgrad.graph.dtypes import float64
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.arithmetic import zeros_of
from nbgrad.ops.family import elementwise
from nbgrad.ops.loop import unknown, written

NOTHING = 2.0**-60  # a term of this share ends the sum
MANY = 1e7  # a sum takes 9 sqrt(a) terms: from here on it is Cornish and Fisher's expansion, to 10 digits


@functools.cache
def _summing() -> tuple[str, Node, list[Node]]:
    """The loop that adds up S, the sum of t_n = x^n / ((a + 1) ... (a + n)), and its derivative by ``a``: its text,
    what stands for x in it, and what it reads that stays."""
    below, term, total, slope, change, x = [unknown(float64) for _ in range(6)]
    here = below + 1.0
    share = 1.0 / here
    next_term, next_slope = term * (x * share), slope - share
    following = [here, next_term, total + next_term, next_slope, change + next_term * next_slope]
    text, fixed = written([below, term, total, slope, change], apply("gt", next_term, total * NOTHING), following)
    return text, x, fixed


def _partials(y: Node, a: Node, x: Node) -> tuple[Node, Node]:
    """-(dP/da) / (dP/dx) / x, where P(a, x) = x^a e^-x S / gamma(a + 1) is the distribution function. It is exact to 10
    digits, but to fewer where less than a millionth of the distribution lies above.

    From MANY on x = a + z sqrt(a) + (z^2 - 1) / 3 + ..., where z does not change with a.

    Source: Figurnov, Mohamed, Mnih 2018, "Implicit reparameterization gradients"; S: DLMF 8.7.1.
    """
    text, for_x, fixed = _summing()
    number = apply("exp", y)
    stays = [number if node is for_x else node for node in fixed]
    zero, one = const(0, float64), const(1, float64)
    few = apply("lt", a, const(MANY, float64))
    begins = apply("bit_and", apply("gt", number, zero), few)
    total, change = [apply("loop", begins, a, one, one, zero, zero, *stays, params=(text, k)) for k in (2, 4)]
    summed = (total * (apply("digamma", a + 1.0) - y) - change) / a
    away = (number - a) / a
    expanded = (away * 0.5 + (1.0 / a - away * away) * (1 / 6) + 1.0) / number
    return apply("where", few, summed, expanded), zeros_of(x.spec)


elementwise(
    # inputs (a, x): x, logarithms of gamma numbers of concentrations a, which change with these as the ones below which
    # the same shares of the distributions lie; float64
    "gamma_sample",
    partials=_partials,
    emit=lambda b, a, x: x,
    reference=lambda a, x: np.array(np.broadcast_arrays(a, x)[1]),
)

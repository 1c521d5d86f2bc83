"""The logarithm of the gamma function and its derivative, ``digamma``; that of this is ``trigamma`` (zeta.py)."""

from __future__ import annotations

from nbgrad.graph.node import apply
from nbgrad.ops.family import elementwise
from nbgrad.ops.transcendental import from_scipy

digamma = elementwise(
    "digamma",
    partials=lambda y, x: (apply("trigamma", x),),
    emit="digamma",
    reference=from_scipy("psi"),
    cost=60,
)
lgamma = elementwise(
    "lgamma",
    partials=lambda y, x: (apply("digamma", x),),
    emit="lgamma",
    reference=from_scipy("lgamma"),
    cost=60,
)

"""The logarithm of the gamma function and its derivative, ``digamma``; that of this is ``trigamma`` (zeta.py)."""

from __future__ import annotations

from nbgrad.graph.node import apply
from nbgrad.ops.family import elementwise
from nbgrad.ops.transcendental import from_scipy

for _name, _derivative, _scipy in (("digamma", "trigamma", "psi"), ("lgamma", "digamma", "lgamma")):
    elementwise(
        _name,
        partials=lambda y, x, derivative=_derivative: (apply(derivative, x),),
        emit=_name,
        reference=from_scipy(_scipy),
        cost=60,
    )

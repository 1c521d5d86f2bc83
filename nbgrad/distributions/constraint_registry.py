"""Transforms of all numbers onto a set: ``biject_to`` gives a bijective one, ``transform_to`` one that may be cheaper.

>>> transform = nbgrad.distributions.transform_to(nbgrad.distributions.constraints.positive)
>>> transform(nbgrad.tensor([-1.0, 0.0]))
tensor([0.3679, 1.0000])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.distributions import constraints, elementwise, pieces, transforms, vectors
from nbgrad.errors import DTypeError
from nbgrad.tensor import Tensor

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Which transform goes onto the sets of a class: a function of the set for each class."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Enter ``factory``, a function of the set, for a class of sets, or that of one set; a decorator without it.
        TypeError for what is no set."""
        if factory is None:
            return lambda made: self.register(constraint, made)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise DTypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """The transform onto a set. NotImplementedError where none is known."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _register(*kinds: Any) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Enter a function for both."""

    def enter(factory: Callable[[Any], Any]) -> Callable[[Any], Any]:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return enter


@_register(constraints.real)
def _onto_all(constraint: Any) -> Any:
    return transforms.identity_transform


@_register(constraints.positive, constraints.nonnegative)
def _onto_above(constraint: Any) -> Any:
    low = constraint.lower_bound
    exp = elementwise.ExpTransform()
    if not isinstance(low, Tensor) and low == 0:
        return exp
    return transforms.ComposeTransform([exp, elementwise.AffineTransform(low, 1)])


@_register(constraints.less_than)
def _onto_below(constraint: Any) -> Any:
    affine = elementwise.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([elementwise.ExpTransform(), affine])


@_register(constraints.interval, constraints.half_open_interval)
def _onto_interval(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    sigmoid = elementwise.SigmoidTransform()
    if not isinstance(low, Tensor) and not isinstance(high, Tensor) and (low, high) == (0, 1):
        return sigmoid
    return transforms.ComposeTransform([sigmoid, elementwise.AffineTransform(low, high - low)])


@_register(constraints.corr_cholesky)
def _onto_correlations(constraint: Any) -> Any:
    return vectors.CorrCholeskyTransform()


biject_to.register(constraints.simplex, lambda c: vectors.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda c: vectors.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda c: vectors.LowerCholeskyTransform())
for _kind in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_kind, lambda c: vectors.PositiveDefiniteTransform())


def _of_parts(registry: ConstraintRegistry) -> None:
    """Sets that are made of others: their transforms are made of the others' transforms."""
    registry.register(
        constraints.independent,
        lambda c: pieces.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(constraints.cat, lambda c: pieces.CatTransform([registry(x) for x in c.cseq], c.dim, c.lengths))
    registry.register(constraints.stack, lambda c: pieces.StackTransform([registry(x) for x in c.cseq], c.dim))


_of_parts(biject_to)
_of_parts(transform_to)

"""Sets that parameters and samples lie in. ``constraint.check(value)`` says of each event whether it does.

A check is written for NumPy arrays as for tensors: values that lie in memory are looked at without a program.

>>> constraints = nbgrad.distributions.constraints
>>> constraints.positive.check(nbgrad.tensor([1.0, -1.0]))
tensor([ True, False])
>>> constraints.simplex
Simplex()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nbgrad.distributions.utils import cat as joined
from nbgrad.distributions.utils import stack as stacked
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import bool_
from nbgrad.runtime.blas import alone
from nbgrad.tape.blas import of_numpy
from nbgrad.tensor import Tensor

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

_NEAR_ONE: Final = 1e-6  # how far a sum of probabilities may be from 1
_NEAR_UNIT: Final = 10.0  # times the dtype's eps: the same of the length of a row, for each of its elements
_SYMMETRIC: Final = 1e-6  # how far elements of a symmetric matrix may differ


class Constraint:
    """A set of values. ``event_dim`` is how many dims at the right belong to one value; ``is_discrete`` whether it is
    countable."""

    is_discrete: Any = False
    event_dim: Any = 0
    shows_bounds = False

    def check(self, value: Any) -> Any:
        """Whether each event of ``value`` is in the set: bools, without the event's dims."""
        raise NotImplementedError

    def recorded_check(self, value: Any) -> Any:
        """What a program checks: the same, or what is left of it where what comes next refuses the rest."""
        return self.check(value)

    def __repr__(self) -> str:
        bounds = ", ".join([f"{name}={bound}" for name, bound in vars(self).items() if self.shows_bounds])
        return f"{self.name}({bounds})"

    @property
    def name(self) -> str:
        return type(self).__name__.removeprefix("_")


class _Dependent(Constraint):
    """A set that depends on other values: ``is_discrete`` and ``event_dim`` may be known all the same."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def _known(self, what: str) -> Any:
        found = getattr(self, f"_{what}")
        if found is NotImplemented:
            raise NotImplementedError(f".{what} cannot be determined statically")
        return found

    is_discrete = property(lambda self: self._known("is_discrete"))
    event_dim = property(lambda self: self._known("event_dim"))

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """One of which more is known."""
        discrete = self._is_discrete if is_discrete is NotImplemented else is_discrete
        return _Dependent(is_discrete=discrete, event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, value: Any) -> Any:
        raise ArgumentError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Whether the set depends on other values, and cannot be checked by itself."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property that gives a set, and stands for one that depends where it is read from the class."""

    def __init__(
        self,
        fn: Callable[[Any], Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Any = None, **known: Any) -> Any:
        return type(self)(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """Events of ``base_constraint``, with more dims at the right of which all must be in it."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim + self.reinterpreted_batch_ndims)

    def check(self, value: Any) -> Any:
        found, dims = self.base_constraint.check(value), self.reinterpreted_batch_ndims
        if found.ndim < dims:
            expected = self.base_constraint.event_dim + dims
            raise ArgumentError(f"Expected value.dim() >= {expected} but got {value.ndim}")
        return _all(found.reshape((*found.shape[: found.ndim - dims], -1)))

    def __repr__(self) -> str:
        return f"{self.name}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """``base_constraint`` of a value, which stands once for all components of a mixture."""

    def __init__(self, base_constraint: Any) -> None:
        self.base_constraint = base_constraint

    is_discrete = property(lambda self: self.base_constraint.is_discrete)
    event_dim = property(lambda self: self.base_constraint.event_dim)

    def check(self, value: Any) -> Any:
        dims = self.event_dim
        found = self.base_constraint.check(
            value.reshape((*value.shape[: value.ndim - dims], 1, *value.shape[value.ndim - dims :]))
        )
        return _all(found)

    def __repr__(self) -> str:
        return f"{self.name}({self.base_constraint!r})"


def _all(found: Any) -> Any:
    """Whether all along the last dim hold."""
    return found.all(-1)


def _bounded(name: str, bounds: str, check: Callable[..., Any], text: str, is_discrete: bool = False) -> type:
    """A class of sets of numbers between ``bounds``, which its objects have as attributes."""
    names = bounds.split()

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        taken = dict(zip(names, given, strict=False)) | named
        if len(given) > len(names) or set(taken) != set(names):
            raise DTypeError(f"{name.removeprefix('_')} takes {', '.join(names)}")
        vars(self).update({n: taken[n] for n in names})

    def checked(self: Any, value: Any) -> Any:
        return check(value, *[getattr(self, n) for n in names])

    body = {"__init__": __init__, "check": checked, "__doc__": text, "is_discrete": is_discrete, "__module__": __name__}
    body["shows_bounds"] = True
    return type(name, (Constraint,), body)


def _is_whole(value: Any) -> Any:
    return value % 1 == 0


_GreaterThan = _bounded("_GreaterThan", "lower_bound", lambda x, low: x > low, "Numbers above ``lower_bound``.")
_GreaterThanEq = _bounded("_GreaterThanEq", "lower_bound", lambda x, low: x >= low, "Numbers from ``lower_bound`` on.")
_LessThan = _bounded("_LessThan", "upper_bound", lambda x, high: x < high, "Numbers below ``upper_bound``.")
_Interval = _bounded(
    "_Interval",
    "lower_bound upper_bound",
    lambda x, low, high: (x >= low) & (x <= high),
    "Numbers from ``lower_bound`` to ``upper_bound``, both included.",
)
_HalfOpenInterval = _bounded(
    "_HalfOpenInterval",
    "lower_bound upper_bound",
    lambda x, low, high: (x >= low) & (x < high),
    "Numbers from ``lower_bound``, included, to ``upper_bound``, which is not.",
)
_IntegerInterval = _bounded(
    "_IntegerInterval",
    "lower_bound upper_bound",
    lambda x, low, high: _is_whole(x) & (x >= low) & (x <= high),
    "Whole numbers from ``lower_bound`` to ``upper_bound``, both included.",
    is_discrete=True,
)
_IntegerLessThan = _bounded(
    "_IntegerLessThan",
    "upper_bound",
    lambda x, high: _is_whole(x) & (x <= high),
    "Whole numbers up to ``upper_bound``.",
    is_discrete=True,
)
_IntegerGreaterThan = _bounded(
    "_IntegerGreaterThan",
    "lower_bound",
    lambda x, low: _is_whole(x) & (x >= low),
    "Whole numbers from ``lower_bound`` on.",
    is_discrete=True,
)
_Boolean = _bounded("_Boolean", "", lambda x: (x == 0) | (x == 1), "0 and 1.", is_discrete=True)
_Real = _bounded("_Real", "", lambda x: x == x, "All numbers but NaN.")


def _of_dims(name: str, dims: int, check: Callable[..., Any], text: str, is_discrete: bool = False) -> type:
    """A class of sets of vectors (1 dim) or matrices (2)."""
    made = _bounded(name, "", check, text, is_discrete)
    made.event_dim = dims  # type: ignore[attr-defined]
    return made


def _flat(found: Any) -> Any:
    """The elements of matrices as vectors."""
    return found.reshape((*found.shape[:-2], -1))


def _is_lower(x: Any) -> Any:
    below = np.tri(x.shape[-2], x.shape[-1], dtype=bool)
    return _all(_flat((x == 0) | _like(below, x)))


def _like(constant: Any, x: Any) -> Any:
    """A NumPy constant beside an array or a tensor."""
    return x.new_tensor(constant, dtype=bool_) if isinstance(x, Tensor) else constant


def _diagonal(x: Any) -> Any:
    return x.diagonal(0, -2, -1)


def _has_unit_rows(x: Any) -> Any:
    eps = np.finfo(x.dtype.numpy if isinstance(x, Tensor) else x.dtype).eps * x.shape[-1] * _NEAR_UNIT
    return _all(abs((x * x).sum(-1) ** 0.5 - 1) <= eps)


def _is_square(x: Any) -> Any:
    fits = x.shape[-1] == x.shape[-2]
    return _like(np.full(tuple(x.shape[:-2]), fits), x)


def _is_symmetric(x: Any) -> Any:
    other = x.swapaxes(-2, -1)
    return _is_square(x) & _all(_flat(abs(x - other) <= _SYMMETRIC + 1e-5 * abs(other)))


def _eigenvalues(x: Any) -> Any:
    return alone(of_numpy(), np.linalg.eigvalsh, x)


def _is_definite(x: Any) -> Any:
    """Whether a Cholesky factor exists; of tensors, and where one has none, by eigenvalues."""
    if not isinstance(x, Tensor):
        try:
            alone(of_numpy(), np.linalg.cholesky, x)
        except np.linalg.LinAlgError:
            pass
        else:
            return _is_symmetric(x)
    return _is_symmetric(x) & _all(_eigenvalues(x) > 0)


_Simplex = _of_dims(
    "_Simplex",
    1,
    lambda x: _all(x >= 0) & (abs(x.sum(-1) - 1) < _NEAR_ONE),
    "Vectors of numbers that are not negative, and have the sum 1 (to 1e-6).",
)
_OneHot = _of_dims(
    "_OneHot",
    1,
    lambda x: _all((x == 0) | (x == 1)) & (x.sum(-1) == 1),
    "Vectors of zeros and one 1.",
    is_discrete=True,
)
_LowerTriangular = _of_dims("_LowerTriangular", 2, _is_lower, "Matrices with zeros above their diagonal.")
_LowerCholesky = _of_dims(
    "_LowerCholesky",
    2,
    lambda x: _is_lower(x) & _all(_diagonal(x) > 0),
    "Lower triangular matrices with a positive diagonal.",
)
_CorrCholesky = _of_dims(
    "_CorrCholesky",
    2,
    lambda x: _is_lower(x) & _all(_diagonal(x) > 0) & _has_unit_rows(x),
    "Lower triangular matrices with a positive diagonal and rows of length 1.",
)
_Square = _of_dims("_Square", 2, _is_square, "Square matrices.")
_Symmetric = _of_dims("_Symmetric", 2, _is_symmetric, "Symmetric matrices.")
_PositiveSemidefinite = _of_dims(
    "_PositiveSemidefinite",
    2,
    lambda x: _is_symmetric(x) & _all(_eigenvalues(x) >= 0),
    "Symmetric matrices without negative eigenvalues.",
)
_PositiveDefinite = _of_dims(
    "_PositiveDefinite",
    2,
    _is_definite,
    "Symmetric matrices with positive eigenvalues.",
)
_PositiveDefinite.recorded_check = lambda self, value: _is_symmetric(value)  # type: ignore[attr-defined]


class _Multinomial(Constraint):
    """Vectors of whole numbers that are not negative, with a sum of ``upper_bound`` at most."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Any:
        return _all(value >= 0) & (value.sum(-1) <= self.upper_bound)


class _Joined(Constraint):
    """Values that are pieces of one along a dim, each in a set of its own."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        if not all(isinstance(c, Constraint) for c in cseq):
            raise ArgumentError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    is_discrete = property(lambda self: any(c.is_discrete for c in self.cseq))
    event_dim = property(lambda self: max(c.event_dim for c in self.cseq))


class _Cat(_Joined):
    """Pieces of ``lengths`` along ``dim``, 1 each unless given, one for each of the sets ``cseq``."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise ArgumentError(f"cat: {len(self.lengths)} lengths do not fit {len(self.cseq)} constraints")

    def check(self, value: Any) -> Any:
        pieces = value.split(self.lengths, self.dim)
        return joined([c.check(v) for c, v in zip(self.cseq, pieces, strict=True)], self.dim)


class _Stack(_Joined):
    """Slices along ``dim``, one for each of the sets ``cseq``."""

    @property
    def event_dim(self) -> Any:
        dims = max(c.event_dim for c in self.cseq)
        return dims + (self.dim + dims < 0)

    def check(self, value: Any) -> Any:
        slices = zip(self.cseq, value.unbind(self.dim), strict=True)
        return stacked([c.check(v) for c, v in slices], self.dim)


# Sets, and functions that make them.
dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack

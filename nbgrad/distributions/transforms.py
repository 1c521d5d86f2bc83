"""Functions of random numbers with the logarithm of their Jacobian: y = transform(x), x = transform.inv(y).

Here are ``Transform`` and chains of them; those of numbers are in ``elementwise.py``, those of vectors and matrices in
``vectors.py``, those that are put together of others in ``pieces.py``. All are names of this module.

>>> exp = nbgrad.distributions.ExpTransform()
>>> y = exp(nbgrad.tensor([0.0, 1.0]))
>>> exp.inv(y), exp.log_abs_det_jacobian(exp.inv(y), y)
(tensor([0.0000, 1.0000]), tensor([0.0000, 1.0000]))
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import Any, Final

from nbgrad.distributions import constraints
from nbgrad.distributions.utils import sum_rightmost
from nbgrad.errors import ArgumentError
from nbgrad.system.imports import import_module

# What stands in other files of this room.
_ELSEWHERE: Final = {
    "AbsTransform": "elementwise",
    "AffineTransform": "elementwise",
    "ExpTransform": "elementwise",
    "PowerTransform": "elementwise",
    "SigmoidTransform": "elementwise",
    "SoftplusTransform": "elementwise",
    "TanhTransform": "elementwise",
    "CatTransform": "pieces",
    "CorrCholeskyTransform": "vectors",
    "CumulativeDistributionTransform": "pieces",
    "IndependentTransform": "pieces",
    "LowerCholeskyTransform": "vectors",
    "PositiveDefiniteTransform": "vectors",
    "ReshapeTransform": "pieces",
    "SoftmaxTransform": "vectors",
    "StackTransform": "pieces",
    "StickBreakingTransform": "vectors",
}
_OWN = "ComposeTransform Transform identity_transform"
__all__ = sorted([*_OWN.split(), *_ELSEWHERE])


class Transform:
    """A function that can be turned back, between the sets ``domain`` and ``codomain``.

    ``bijective``: ``t.inv(t(x)) == x`` and ``t(t.inv(y)) == y``; of others only the second holds. ``sign`` is that of
    the derivative of a bijective function of numbers. With ``cache_size`` 1 the last pair of values is kept, so that
    the inverse of a result is the very tensor that it came from. A class of its own has ``_call``, ``_inverse`` and
    ``log_abs_det_jacobian``.
    """

    bijective: Any = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ArgumentError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached: tuple[Any, Any] | None = None
        self._inverse_kept: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_inverse_kept": None, "_cached": None}

    @property
    def event_dim(self) -> int:
        """How many dims at the right belong to one value."""
        dim, other = self.domain.event_dim, self.codomain.event_dim
        if dim != other:
            raise ArgumentError("Please use either .domain.event_dim or .codomain.event_dim")
        return int(dim)

    @property
    def inv(self) -> Any:
        """The inverse, whose inverse is this transform."""
        found = None if self._inverse_kept is None else self._inverse_kept()
        if found is None:
            found = _InverseTransform(self)
            self._inverse_kept = weakref.ref(found)
        return found

    @property
    def sign(self) -> Any:
        """1 or -1: whether a bijective function of numbers rises or falls."""
        raise NotImplementedError(f"{type(self).__name__} has no sign")

    def with_cache(self, cache_size: int = 1) -> Any:
        """This transform with a cache of that size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is not Transform.__init__:
            raise NotImplementedError(f"{type(self).__name__}.with_cache is not implemented")
        return type(self)(cache_size=cache_size)

    def __call__(self, x: Any) -> Any:
        return self._through(x, 0)

    def _inv_call(self, y: Any) -> Any:
        return self._through(y, 1)

    def _through(self, given: Any, side: int) -> Any:
        """The other of the pair (x, y), of which ``given`` is the one at ``side``."""
        if self._cache_size and self._cached is not None and self._cached[side] is given:
            return self._cached[1 - side]
        found = self._inverse(given) if side else self._call(given)
        if self._cache_size:
            self._cached = (found, given) if side else (given, found)
        return found

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _call")

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _inverse")

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |dy/dx|, or that of the Jacobian's determinant, for each value."""
        raise NotImplementedError(f"{type(self).__name__} has no log_abs_det_jacobian")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Sequence[int]) -> Any:
        """The shape of y for x of a shape."""
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        """The shape of x for y of a shape."""
        return shape


class _InverseTransform(Transform):
    """``transform`` the other way."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv: Any = transform

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    domain = property(lambda self: self._inv.codomain)
    codomain = property(lambda self: self._inv.domain)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)
    inv = property(lambda self: self._inv)

    def with_cache(self, cache_size: int = 1) -> Any:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """The transforms ``parts``, one after the other."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        self.parts = [p.with_cache(cache_size) for p in parts] if cache_size else [*parts]
        super().__init__(cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    @property
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        found = self.parts[0].domain
        dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dim = max(dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return with_dims(found, dim)

    @property
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        found = self.parts[-1].codomain
        dim = self.parts[0].domain.event_dim
        for part in self.parts:
            dim = max(dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return with_dims(found, dim)

    bijective = property(lambda self: all(p.bijective for p in self.parts))

    @property
    def sign(self) -> Any:
        return math.prod([p.sign for p in self.parts])

    @property
    def inv(self) -> Any:
        found = None if self._inverse_kept is None else self._inverse_kept()
        if found is None:
            found = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inverse_kept, found._inverse_kept = weakref.ref(found), weakref.ref(self)
        return found

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size)

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return x.new_zeros(x.shape)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        dim, total = self.domain.event_dim, 0
        for part, a, b in zip(self.parts, values[:-1], values[1:], strict=True):
            total = total + sum_rightmost(part.log_abs_det_jacobian(a, b), dim - part.domain.event_dim)
            dim += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Sequence[int]) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inner = ",\n    ".join([repr(p) for p in self.parts])
        return f"ComposeTransform(\n    {inner}\n)"


def with_dims(constraint: Any, dim: int) -> Any:
    more = dim - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


identity_transform = ComposeTransform([])


def __getattr__(name: str) -> Any:
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'nbgrad.distributions.transforms' has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"nbgrad.distributions.{_ELSEWHERE[name]}"), name))


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

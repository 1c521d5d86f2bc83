"""Transforms that are put together of others, and those that come from shapes and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.transforms import Transform
from nbgrad.distributions.utils import cat, stack, sum_rightmost
from nbgrad.errors import ArgumentError
from nbgrad.tensor import Size


class IndependentTransform(Transform):
    """``base_transform`` with more dims at the right that are one value: their logarithms of Jacobians are added."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    def _more(self, constraint: Any) -> Any:
        return constraints.independent(constraint, self.reinterpreted_batch_ndims)

    domain = property(lambda self: self._more(self.base_transform.domain))
    codomain = property(lambda self: self._more(self.base_transform.codomain))
    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x: Any) -> Any:
        if x.dim() < self.domain.event_dim:
            raise ArgumentError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        if y.dim() < self.codomain.event_dim:
            raise ArgumentError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Events of ``in_shape`` in ``out_shape``. ValueError where they differ in size."""

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if prod(self.in_shape) != prod(self.out_shape):
            raise ArgumentError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)

    domain = property(lambda self: constraints.independent(constraints.real, len(self.in_shape)))
    codomain = property(lambda self: constraints.independent(constraints.real, len(self.out_shape)))

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else ReshapeTransform(self.in_shape, self.out_shape, cache_size)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, ReshapeTransform)
        return same and (self.in_shape, self.out_shape) == (other.in_shape, other.out_shape)  # type: ignore[attr-defined]

    __hash__ = object.__hash__

    def _call(self, x: Any) -> Any:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Any) -> Any:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return _reshaped(Size(shape), self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return _reshaped(Size(shape), self.out_shape, self.in_shape)


def _reshaped(shape: Size, old: Size, new: Size) -> Size:
    if len(shape) < len(old):
        raise ArgumentError("Too few dimensions on input")
    cut = len(shape) - len(old)
    if shape[cut:] != old:
        raise ArgumentError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {tuple(old)}")
    return Size((*shape[:cut], *new))


class _Pieces(Transform):
    """Transforms of the pieces of a value along ``dim``."""

    transforms: list[Transform]

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise ArgumentError(f"{type(self).__name__}: all elements of tseq must be transforms")
        super().__init__(cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else [*tseq]
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _cut(self, value: Any) -> Sequence[Any]:
        """The pieces of a value."""
        raise NotImplementedError

    def _joined(self, pieces: list[Any], dim: int) -> Any:
        raise NotImplementedError

    def _call(self, x: Any) -> Any:
        return self._joined([t(v) for t, v in zip(self.transforms, self._cut(x), strict=True)], self.dim)

    def _inverse(self, y: Any) -> Any:
        return self._joined([t.inv(v) for t, v in zip(self.transforms, self._cut(y), strict=True)], self.dim)

    def _each(self, x: Any, y: Any) -> list[tuple[Transform, Any]]:
        """The transforms, with the logarithms of their Jacobians."""
        pieces = zip(self.transforms, self._cut(x), self._cut(y), strict=True)
        return [(t, t.log_abs_det_jacobian(a, b)) for t, a, b in pieces]


class CatTransform(_Pieces):
    """The transforms ``tseq``, each of a piece of ``lengths`` (1 unless given) along ``dim``."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise ArgumentError(
                f"CatTransform: {len(self.lengths)} lengths do not fit {len(self.transforms)} transforms"
            )

    event_dim = property(lambda self: max(t.event_dim for t in self.transforms))
    length = property(lambda self: sum(self.lengths))
    domain = property(lambda self: constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths))
    codomain = property(lambda self: constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths))

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _cut(self, value: Any) -> Sequence[Any]:
        found: Sequence[Any] = value.split(self.lengths, self.dim)
        return found

    def _joined(self, pieces: list[Any], dim: int) -> Any:
        return cat(pieces, dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        event = self.event_dim
        found = [sum_rightmost(each, event - t.event_dim) for t, each in self._each(x, y)]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + event
        return cat(found, dim) if dim < 0 else sum(found[1:], found[0])


class StackTransform(_Pieces):
    """The transforms ``tseq``, each of a slice along ``dim``."""

    domain = property(lambda self: constraints.stack([t.domain for t in self.transforms], self.dim))
    codomain = property(lambda self: constraints.stack([t.codomain for t in self.transforms], self.dim))

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _cut(self, value: Any) -> Sequence[Any]:
        found: Sequence[Any] = value.unbind(self.dim)
        return found

    def _joined(self, pieces: list[Any], dim: int) -> Any:
        return stack(pieces, dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return stack([each for _, each in self._each(x, y)], self.dim)


class CumulativeDistributionTransform(Transform):
    """y = distribution.cdf(x): what is distributed so becomes uniform."""

    bijective = True
    codomain = constraints.unit_interval
    sign: Any = 1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    domain = property(lambda self: self.distribution.support)

    def with_cache(self, cache_size: int = 1) -> Any:
        return (
            self if self._cache_size == cache_size else CumulativeDistributionTransform(self.distribution, cache_size)
        )

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self.distribution.log_prob(x)

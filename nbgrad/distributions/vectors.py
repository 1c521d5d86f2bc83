"""Transforms of vectors and matrices: onto the simplex, onto Cholesky factors, onto positive definite matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.transforms import Transform
from nbgrad.distributions.utils import cat, finfo, softplus, tril_matrix_to_vec, vec_to_tril_matrix
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import eye
from nbgrad.functions.ramps import arange
from nbgrad.linalg.systems import cholesky


class _Like(Transform):
    """A transform without parameters, which is equal to others of its class."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = object.__hash__


def _need_dims(shape: Sequence[int], least: int) -> None:
    if len(shape) < least:
        raise ArgumentError("Too few dimensions on input")


class SoftmaxTransform(_Like):
    """y = softmax(x) over the last dim, which is not bijective: its inverse is log(y)."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        return x.softmax(-1)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Any:
        _need_dims(shape, 1)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.forward_shape(shape)


class StickBreakingTransform(_Like):
    """n numbers to n + 1 that are not negative and have the sum 1: each takes a share of what is left of a stick.

    Zeros are broken into equal parts. Source: the Stan reference manual, "Unit simplex".
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _shifted(self, x: Any) -> Any:
        """x - log(how many pieces come after), which makes equal pieces of zeros."""
        n = x.shape[-1]
        return x - (n - arange(n, dtype=x.dtype, device=x.device)).log()

    def _call(self, x: Any) -> Any:
        limits = finfo(x)
        share = self._shifted(x).sigmoid().clamp(float(limits.tiny), 1.0 - float(limits.eps))
        one = x.new_ones((*x.shape[:-1], 1))
        return cat([share, one], -1) * cat([one, (1.0 - share).cumprod(-1)], -1)

    def _inverse(self, y: Any) -> Any:
        pieces = y[..., :-1]
        left = (1.0 - pieces.cumsum(-1)).clamp(float(finfo(y).tiny))
        log_odds = pieces.log() - left.log()
        return log_odds - self._shifted(log_odds.new_zeros(log_odds.shape))

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (y[..., :-1].log() - softplus(self._shifted(x))).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        _need_dims(shape, 1)
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        _need_dims(shape, 1)
        return (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(_Like):
    """A matrix to a lower triangular one, whose diagonal is the exponential of the matrix's."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(0, -2, -1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(0, -2, -1).log().diag_embed()


class PositiveDefiniteTransform(_Like):
    """A matrix to L L^T, with L of ``LowerCholeskyTransform``."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(cholesky(y))


class CorrCholeskyTransform(_Like):
    """n (n - 1) / 2 numbers to the Cholesky factor of an n x n correlation matrix: tanh of them are partial
    correlations, and each row is a stick of length 1, of whose squares an element takes a share.

    Source: the Stan reference manual, "Cholesky factors of correlation matrices".
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = float(finfo(x).eps)
        partial = vec_to_tril_matrix(x.tanh().clamp(-1 + eps, 1 - eps), -1)
        left = (1.0 - partial * partial).sqrt().cumprod(-1)[..., :-1]
        unit = eye(partial.shape[-1], dtype=x.dtype, device=x.device)
        return (partial + unit) * cat([left.new_ones((*left.shape[:-1], 1)), left], -1)

    def _left(self, y: Any) -> Any:
        """What the elements up to each one leave of its row's square."""
        return 1.0 - (y * y).cumsum(-1)

    def _inverse(self, y: Any) -> Any:
        left = self._left(y)[..., :-1]
        before = cat([left.new_ones((*left.shape[:-1], 1)), left], -1)
        partial = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(before, -1).sqrt()
        return (partial.log1p() - (-partial).log1p()) * 0.5

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        rows = 0.0 if y.shape[-1] < 3 else 0.5 * tril_matrix_to_vec(self._left(y), -2).log().sum(-1)
        return rows - 2.0 * (x + softplus(-2.0 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        _need_dims(shape, 1)
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ArgumentError("Input is not a flattened lower-diagonal number")
        return (*shape[:-1], n, n)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        _need_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ArgumentError("Input is not square")
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)

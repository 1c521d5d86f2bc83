"""Matrices with orthonormal columns (or rows, of which there are fewer), as functions of any matrix."""

from __future__ import annotations

from typing import Any, Final

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import eye, zeros_like
from nbgrad.functions.random_tensors import randn
from nbgrad.graph.half import limits
from nbgrad.linalg import householder_product, matrix_exp, matrix_norm, solve
from nbgrad.linalg.householder import geqrf
from nbgrad.nn.module import Module
from nbgrad.trace import record

MAPS: Final = ("matrix_exp", "cayley", "householder")


class Orthogonal(Module):
    """exp(A) or (I - A / 2)^-1 (I + A / 2) of the skew-symmetric A = L - L^H, or a product of Householder reflections
    by the columns of L, where L is the lower triangle of the original; times ``base`` where that is kept, so that the
    original need not say which matrix the weight was.

    Source: Lezcano-Casado 2019, "Trivializations for gradient-based optimization on manifolds".
    """

    base: Any

    def __init__(self, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.orthogonal_map = orthogonal_map
        self.use_trivialization = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, original: Any) -> Any:
        is_wide = original.shape[-2] < original.shape[-1]
        x = original.mT if is_wide else original
        q = _by_reflections(x) if self.orthogonal_map == "householder" else self._by_skew(x)
        if self.use_trivialization:
            q = self.base @ q
        return q.mT if is_wide else q

    def _by_skew(self, x: Any) -> Any:
        n, k = x.shape[-2:]
        lower = x.tril()
        if n > k:
            lower = record(CALLS["cat"], (lower, x.new_zeros((*x.shape[:-1], n - k))), (-1,))
        a = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            return matrix_exp(a)[..., :k]
        identity = eye(n, dtype=x.dtype, device=x.device)
        return solve(identity - 0.5 * a, identity + 0.5 * a)[..., :k]

    def right_inverse(self, weight: Any) -> Any:
        """The original of a weight, whose nearby orthogonal matrix is taken where it is none."""
        n, k = weight.shape[-2:]
        q = weight.mT if n < k else weight
        if self.use_trivialization:
            n, k = q.shape[-2:]
            if n > k:
                more = randn(*q.shape[:-1], n - k, dtype=q.dtype, device=q.device)
                q = record(CALLS["cat"], (q, more), (-1,))
            self.base = q.clone() if n == k and _is_orthogonal(q) else _orthogonalized(q)
            original = zeros_like(weight)
            original.diagonal(0, -2, -1).fill_(-1.0)
            return original
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        factors, tau = geqrf(q)
        signs = factors.diagonal(0, -2, -1).sgn()
        signs = record(CALLS["where"], (tau == 0, -signs, signs))
        original = factors.clone()
        original.diagonal(0, -2, -1).copy_(signs)
        return original.mT if weight.shape[-2] < weight.shape[-1] else original


def _by_reflections(x: Any) -> Any:
    """The diagonal of x, of ones and minus ones, says which columns turn round; it is not learnt."""
    vectors = x.tril(-1)
    tau = 2.0 / (1.0 + (vectors * vectors).sum(-2))
    return householder_product(vectors, tau) * x.detach().diagonal(0, -2, -1).trunc().unsqueeze(-2)


def _is_orthogonal(q: Any) -> bool:
    """Up to rounding."""
    k = q.shape[-1]
    away = matrix_norm(q.mH @ q - eye(k, dtype=q.dtype, device=q.device))
    return bool((away < 10 * k * limits(q.dtype.to_real()).eps).all())


def _orthogonalized(a: Any) -> Any:
    """Q of A = Q R whose R has a diagonal above 0."""
    factors, tau = geqrf(a)
    return householder_product(factors, tau) * factors.diagonal(0, -2, -1).sgn().unsqueeze(-2)


def made_for(weight: Any, orthogonal_map: str | None, use_trivialization: bool) -> Orthogonal:
    """The module for such a weight. Where no map is given it is exp of square or complex ones, else reflections."""
    if weight.dim() < 2:
        raise ArgumentError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions.")
    if orthogonal_map is None:
        is_square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        raise ArgumentError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    if orthogonal_map == "householder" and weight.is_complex():
        raise ArgumentError("The householder parametrization does not support complex tensors.")
    return Orthogonal(orthogonal_map, use_trivialization)

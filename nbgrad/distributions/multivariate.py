"""Distributions of vectors and matrices with covariances: normal ones, Wishart's, correlations."""

from __future__ import annotations

import math
from typing import Any

from nbgrad.distributions import constraints
from nbgrad.distributions.bounded import Beta
from nbgrad.distributions.distribution import Distribution
from nbgrad.distributions.exponential_family import ExponentialFamily
from nbgrad.distributions.utils import (
    broadcast_all,
    broadcast_shape,
    cat,
    derived,
    expanded,
    finfo,
    log_standard_gamma,
    random_like,
    where,
)
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import eye, tensor
from nbgrad.functions.ramps import arange
from nbgrad.linalg.systems import cholesky, solve_triangular
from nbgrad.tensor import Size, Tensor

_MATRICES = {
    "covariance_matrix": constraints.positive_definite,
    "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}
_LOC = {"loc": constraints.real_vector}
_EXACTLY_ONE = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."


def _diag(x: Any) -> Any:
    return x.diagonal(0, -2, -1)


def half_log_det(factor: Any) -> Any:
    """The sum of the logarithms of a Cholesky factor's diagonal."""
    return _diag(factor).log().sum(-1)


def solved(factor: Any, x: Any) -> Any:
    """factor^-1 x, with a lower triangular factor (..., n, n) and matrices (..., n, m) whose batches broadcast."""
    batch = broadcast_shape(factor.shape[:-2], x.shape[:-2])
    wide = x.expand((*batch, *x.shape[-2:]))
    return solve_triangular(factor.expand((*batch, *factor.shape[-2:])), wide, upper=False)


def mahalanobis(factor: Any, x: Any) -> Any:
    """|factor^-1 x|^2 for vectors (..., n); all those of one factor are solved for at once."""
    if factor.dim() > 2:
        return (solved(factor, x.unsqueeze(-1)).squeeze(-1) ** 2).sum(-1)
    columns = x.reshape((-1, x.shape[-1])).mT
    return (solve_triangular(factor, columns, upper=False) ** 2).sum(0).reshape(x.shape[:-1])


def factor_of_precision(precision: Any) -> Any:
    """The Cholesky factor of the inverse: that of the matrix read backwards, transposed and inverted."""
    turned = cholesky(precision.flip(-2, -1)).flip(-2, -1).mT
    return solved(turned, _unit(precision))


def _unit(like: Any) -> Any:
    return eye(like.shape[-1], dtype=like.dtype, device=like.device).expand(like.shape)


class _WithCovariance(Distribution):
    """Those with a covariance, given as itself, as its inverse, or as its Cholesky factor."""

    _checked_before = tuple(_MATRICES)

    def _take_matrix(self, matrices: dict[str, Any], batch: Any, validate_args: bool | None) -> Any:
        """Keep the one matrix that is given, for a batch; gives the batch shape of all. It is checked before it is
        factorised."""
        given = [(name, x) for name, x in matrices.items() if x is not None]
        if len(given) != 1:
            raise ArgumentError(_EXACTLY_ONE)
        [(name, matrix)] = given
        if matrix.dim() < 2:
            raise ArgumentError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        shape = broadcast_shape(matrix.shape[:-2], batch)
        if self._validate_args if validate_args is None else validate_args:
            matrix = self._checked_parameter(name, matrix, _MATRICES[name])
        setattr(self, name, expanded(matrix, (*shape, *matrix.shape[-2:])))
        self._unbroadcasted_scale_tril = _FACTORS[name](matrix)
        return shape

    @property
    def _wide(self) -> Any:
        return (*self._batch_shape, *[self._unbroadcasted_scale_tril.shape[-1]] * 2)

    scale_tril: Any = derived(lambda self: self._unbroadcasted_scale_tril.expand(self._wide))

    @derived
    def covariance_matrix(self) -> Any:
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._wide)

    @derived
    def precision_matrix(self) -> Any:
        inverse = solved(self._unbroadcasted_scale_tril, _unit(self._unbroadcasted_scale_tril))
        return (inverse.mT @ inverse).expand(self._wide)


_FACTORS: dict[str, Any] = {
    "covariance_matrix": cholesky,
    "precision_matrix": factor_of_precision,
    "scale_tril": lambda factor: factor,
}


class MultivariateNormal(_WithCovariance):
    """Normal vectors with mean ``loc`` (..., n) and one of ``covariance_matrix``, ``precision_matrix`` and
    ``scale_tril`` (..., n, n). ValueError for none, several, or too few dims; RuntimeError (LinAlgError) for a matrix
    that is computed and has no Cholesky factor.
    """

    arg_constraints = {**_LOC, **_MATRICES}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        given = dict(zip(_MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        shape = self._take_matrix(given, loc.shape[:-1], validate_args)
        self.loc = expanded(loc, (*shape, loc.shape[-1]))
        super().__init__(shape, self.loc.shape[-1:], validate_args)

    mean = mode = derived(lambda self: self.loc)

    @derived
    def variance(self) -> Any:
        return (self._unbroadcasted_scale_tril**2).sum(-1).expand(self.loc.shape)

    def _draw(self, shape: Size) -> Any:
        noise = random_like("randn", self.loc, shape).unsqueeze(-1)
        return self.loc + (self._unbroadcasted_scale_tril @ noise).squeeze(-1)

    def _log_prob(self, value: Any) -> Any:
        factor = self._unbroadcasted_scale_tril
        far = mahalanobis(factor, value - self.loc)
        return -0.5 * (self.loc.shape[-1] * math.log(2 * math.pi) + far) - half_log_det(factor)

    def entropy(self) -> Any:
        whole = 0.5 * self.loc.shape[-1] * (1 + math.log(2 * math.pi)) + half_log_det(self._unbroadcasted_scale_tril)
        return whole.expand(self._batch_shape)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean ``loc`` (..., n) and the covariance W W^T + diag(D): ``cov_factor`` W is (..., n, m),
    ``cov_diag`` D (..., n). Only matrices (m, m) are factorised. ValueError where shapes do not fit.
    """

    arg_constraints = {
        **_LOC,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ArgumentError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ArgumentError("cov_factor must be at least two-dimensional")
        if cov_factor.shape[-2:-1] != event:
            raise ArgumentError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ArgumentError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            batch = broadcast_shape(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError:
            raise ArgumentError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from None
        self.loc, self.cov_diag = expanded(loc, batch + event), expanded(cov_diag, batch + event)
        self.cov_factor = expanded(cov_factor, (*batch, *cov_factor.shape[-2:]))
        super().__init__(batch, event, validate_args)

    @property
    def _weighted(self) -> Any:
        """W^T D^-1."""
        return self.cov_factor.mT / self.cov_diag.unsqueeze(-2)

    @property
    def _capacitance_tril(self) -> Any:
        """The Cholesky factor of I + W^T D^-1 W."""
        inner = self._weighted @ self.cov_factor
        return cholesky(inner + _unit(inner))

    mean = mode = derived(lambda self: self.loc)
    variance = derived(lambda self: (self.cov_factor**2).sum(-1) + self.cov_diag)
    covariance_matrix = derived(lambda self: self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed())

    @derived
    def scale_tril(self) -> Any:
        root = self.cov_diag.sqrt().unsqueeze(-1)
        scaled = self.cov_factor / root
        whole = scaled @ scaled.mT
        return root * cholesky(whole + _unit(whole))

    @derived
    def precision_matrix(self) -> Any:
        """By Woodbury's identity."""
        part = solved(self._capacitance_tril, self._weighted)
        return (1 / self.cov_diag).diag_embed() - part.mT @ part

    def _draw(self, shape: Size) -> Any:
        narrow = random_like("randn", self.loc, (*shape[:-1], self.cov_factor.shape[-1]))
        wide = random_like("randn", self.loc, shape)
        return self.loc + (self.cov_factor @ narrow.unsqueeze(-1)).squeeze(-1) + self.cov_diag.sqrt() * wide

    def mahalanobis(self, x: Any) -> Any:
        """x^T (W W^T + D)^-1 x."""
        inner = (self._weighted @ x.unsqueeze(-1)).squeeze(-1)
        return (x * x / self.cov_diag).sum(-1) - mahalanobis(self._capacitance_tril, inner)

    @property
    def half_log_det(self) -> Any:
        """Half the logarithm of the covariance's determinant."""
        return half_log_det(self._capacitance_tril) + 0.5 * self.cov_diag.log().sum(-1)

    def _log_prob(self, value: Any) -> Any:
        far = self.mahalanobis(value - self.loc)
        return -0.5 * (self.loc.shape[-1] * math.log(2 * math.pi) + far) - self.half_log_det

    def entropy(self) -> Any:
        return 0.5 * self.loc.shape[-1] * (1 + math.log(2 * math.pi)) + self.half_log_det


class Wishart(_WithCovariance, ExponentialFamily):
    """Wishart's distribution of the sum of x x^T over ``df`` normal vectors x, with the covariance of one of them.

    ``df`` is above n - 1 (ValueError). Samples are by Bartlett's decomposition. Source: Smith and Hocking 1972,
    "Wishart variate generator".
    """

    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        given = dict(zip(_MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        first = next((x for x in given.values() if x is not None), None)
        if first is None:
            raise ArgumentError(_EXACTLY_ONE)
        df = df if isinstance(df, Tensor) else tensor(df, dtype=first.dtype, device=first.device)
        shape = self._take_matrix(given, df.shape, validate_args)
        self.df = expanded(df, shape)
        super().__init__(shape, first.shape[-2:], validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def arg_constraints(self) -> Any:
        return {**_MATRICES, "df": constraints.greater_than(self._n - 1)}

    _n = property(lambda self: self._unbroadcasted_scale_tril.shape[-1])
    _deep = property(lambda self: self.df.reshape((*self._batch_shape, 1, 1)))
    mean = derived(lambda self: self._deep * self.covariance_matrix)

    @derived
    def mode(self) -> Any:
        factor = self._deep - self._n - 1
        return where(factor <= 0, math.nan, factor) * self.covariance_matrix

    @derived
    def variance(self) -> Any:
        spread = _diag(self.covariance_matrix)
        return self._deep * (self.covariance_matrix**2 + spread.unsqueeze(-1) * spread.unsqueeze(-2))

    def _draw(self, shape: Size) -> Any:
        n = self._n
        half = 0.5 * (self.df.unsqueeze(-1) - arange(n, dtype=self.df.dtype, device=self.df.device))
        roots = (0.5 * (log_standard_gamma(half, shape[:-1]) + math.log(2))).exp().to(self.df.dtype)
        noise = random_like("randn", self.df, shape).tril(-1) + roots.diag_embed()
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    @property
    def _log_whole(self) -> Any:
        """log of what the density is divided by."""
        nu, n = self.df, self._n
        return nu * (0.5 * n * math.log(2) + half_log_det(self._unbroadcasted_scale_tril)) + (0.5 * nu).mvlgamma(n)

    def _log_prob(self, value: Any) -> Any:
        factor = self._unbroadcasted_scale_tril
        part = solved(factor, value)
        trace = _diag(solved(factor, part.mT)).sum(-1)
        return (self.df - self._n - 1) * half_log_det(cholesky(value)) - 0.5 * trace - self._log_whole

    def log_determinant_mean(self) -> Any:
        """The mean of log(det(x))."""
        n = self._n
        ramp = arange(n, dtype=self.df.dtype, device=self.df.device)
        digammas = (0.5 * (self.df.unsqueeze(-1) - ramp)).digamma().sum(-1)
        return digammas + n * math.log(2) + 2 * half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> Any:
        nu, n = self.df, self._n
        return self._log_whole - 0.5 * (nu - n - 1) * self.log_determinant_mean() + 0.5 * nu * n


class LKJCholesky(Distribution):
    """The Cholesky factor of a correlation matrix C of size ``dim``, of density proportional to
    det(C)^(concentration - 1). ValueError for a ``dim`` below 2.

    Samples are by the onion method. Source: Lewandowski, Kurowicka, Joe 2009, "Generating random correlation matrices
    based on vines and extended onion method".
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ArgumentError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    def _ramp(self, *ends: int) -> Any:
        return arange(*ends, dtype=self.concentration.dtype, device=self.concentration.device)

    def _draw(self, shape: Size) -> Any:
        before = cat([self._ramp(1), self._ramp(self.dim - 1)])
        marginal = (self.concentration + 0.5 * (self.dim - 2)).unsqueeze(-1)
        squares = Beta(before + 0.5, marginal - 0.5 * before, validate_args=False)._draw(Size(shape[:-1])).unsqueeze(-1)
        normal = random_like("randn", self.concentration, shape).tril(-1)
        length = (normal * normal).sum(-1, True).sqrt()
        rows = squares.sqrt() * normal / where(length > 0, length, 1.0)
        left = (1 - (rows * rows).sum(-1)).clamp(float(finfo(rows).tiny))
        return rows + left.sqrt().diag_embed()

    def _log_prob(self, value: Any) -> Any:
        n = self.dim - 1
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - self._ramp(2, self.dim + 1)
        alpha = self.concentration + 0.5 * n
        whole = 0.5 * n * math.log(math.pi) + (alpha - 0.5).mvlgamma(n) - alpha.lgamma() * n
        return (powers * _diag(value)[..., 1:].log()).sum(-1) - whole

"""Parametrisations that are there: weights of a given length, of a given largest singular value, orthogonal ones."""

from __future__ import annotations

from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError
from nbgrad.nn.functional import normalize
from nbgrad.nn.module import Module
from nbgrad.nn.utils.lengths import lengths
from nbgrad.nn.utils.orthogonal import made_for
from nbgrad.nn.utils.parametrize import register_parametrization
from nbgrad.nn.utils.singular_values import followed, rows_along, started, usual_dim

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weight_v * (weight_g / lengths(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> Any:
        """Lengths, and the weight as its own direction."""
        return lengths(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """``module`` whose ``name`` is g v / |v|, with g ``parametrizations.<name>.original0`` and v ``original1``; lengths
    are those of slices along ``dim``, for None one of all. Source: Salimans and Kingma 2016, "Weight normalization".

    >>> layer = nbgrad.nn.utils.parametrizations.weight_norm(nbgrad.nn.Linear(2, 3))
    >>> list(layer.state_dict())
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if n_power_iterations <= 0:
            raise ArgumentError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps, self.n_power_iterations = dim, eps, n_power_iterations
        if weight.dim() > 1:
            with no_grad():
                matrix = rows_along(weight.detach(), dim)
                u, v = started(matrix, eps)
                followed(matrix, u, v, 15, eps)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = rows_along(weight, self.dim)
        if self.training:
            followed(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.dot(matrix.mv(v))

    def right_inverse(self, value: Any) -> Any:
        """The weight itself, which may have other singular values than it shows."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """``module`` whose ``name`` is its original divided by its largest singular value as a matrix of slices along
    ``dim``. Source: Miyato et al. 2018, "Spectral normalization for generative adversarial networks".

    >>> layer = nbgrad.nn.utils.parametrizations.spectral_norm(nbgrad.nn.Linear(2, 3))
    >>> bool((nbgrad.linalg.matrix_norm(layer.weight, 2) - 1).abs() < 1e-3)
    True
    """
    made = _SpectralNorm(_weight(module, name), n_power_iterations, usual_dim(module, dim), eps)
    return register_parametrization(module, name, made)


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """``module`` whose ``name``, (..., m, n), has orthonormal columns, or rows where m < n: by ``"matrix_exp"`` (of
    square and of complex ones), ``"cayley"`` or ``"householder"`` (of others). Without ``use_trivialization`` the
    original alone says which matrix that is; it cannot be set then but by reflections.

    >>> layer = nbgrad.nn.utils.parametrizations.orthogonal(nbgrad.nn.Linear(4, 2))
    >>> bool(((layer.weight @ layer.weight.T - nbgrad.eye(2)).abs() < 1e-5).all())
    True
    """
    made = made_for(_weight(module, name), orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


def _weight(module: Any, name: str) -> Any:
    found = getattr(module, name, None)
    if found is None:
        raise ArgumentError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.nn.utils.parametrizations'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

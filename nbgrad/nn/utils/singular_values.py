"""A weight divided by its largest singular value, which a step of power iteration follows in each call."""

from __future__ import annotations

from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError, RunError
from nbgrad.functions.random_tensors import randn
from nbgrad.nn.functional import normalize
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.nn.transposed_convolution import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from nbgrad.nn.utils.lengths import hooks_of, taken

__all__ = ["remove_spectral_norm", "spectral_norm"]


def rows_along(weight: Any, dim: int) -> Any:
    """``weight`` as a matrix whose rows are its slices along ``dim``."""
    order = [dim % weight.dim(), *[d for d in range(weight.dim()) if d != dim % weight.dim()]]
    return weight.permute(*order).reshape(weight.shape[order[0]], -1)


def started(matrix: Any, eps: float) -> tuple[Any, Any]:
    """Random unit vectors for both sides of a matrix."""
    rows, columns = matrix.shape
    drawn = [randn(n, dtype=matrix.dtype, device=matrix.device) for n in (rows, columns)]
    return tuple(normalize(x, dim=0, eps=eps) for x in drawn)  # type: ignore[return-value]


def followed(matrix: Any, u: Any, v: Any, steps: int, eps: float) -> None:
    """Steps of power iteration, written into ``u`` and ``v``."""
    with no_grad():
        for _ in range(steps):
            u.copy_(normalize(matrix.mv(v), dim=0, eps=eps))
            v.copy_(normalize(matrix.t().mv(u), dim=0, eps=eps))


def usual_dim(module: Module, dim: int | None) -> int:
    """The dim of the outputs: the second one of transposed convolutions."""
    if dim is not None:
        return dim
    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


class _SpectralNorm:
    """What is called before each ``forward``: the weight divided by an estimate of its largest singular value."""

    def __init__(self, name: str, steps: int, dim: int, eps: float) -> None:
        self.name, self.n_power_iterations, self.dim, self.eps = name, steps, dim, eps

    def weight(self, module: Module, *, moves: bool) -> Any:
        weight, u, v = [getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v")]
        matrix = rows_along(weight, self.dim)
        if moves:
            followed(matrix.detach().t(), v, u, self.n_power_iterations, self.eps)
            u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, args: Any) -> None:
        setattr(module, self.name, self.weight(module, moves=module.training))


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """``module`` whose parameter ``name`` becomes ``name_orig`` divided by its largest singular value as a matrix of
    slices along ``dim``; buffers ``name_u`` and ``name_v`` are the singular vectors, followed while training.

    RuntimeError where there is one of this name already, ValueError for fewer than one iteration. Source: Miyato et al.
    2018, "Spectral normalization for generative adversarial networks". ``parametrizations.spectral_norm`` is newer.

    >>> layer = nbgrad.nn.utils.spectral_norm(nbgrad.nn.Linear(2, 3))
    >>> list(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if n_power_iterations <= 0:
        raise ArgumentError(
            f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
        )
    for hook in hooks_of(module, _SpectralNorm):
        if hook.name == name:
            raise RunError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    weight = module._parameters.get(name)
    if weight is None:
        raise ArgumentError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    made = _SpectralNorm(name, n_power_iterations, usual_dim(module, dim), eps)
    with no_grad():
        u, v = started(rows_along(weight, made.dim), eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(made)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """``module`` with an ordinary parameter ``name`` again. ValueError where ``spectral_norm`` was not called.

    >>> layer = nbgrad.nn.utils.remove_spectral_norm(nbgrad.nn.utils.spectral_norm(nbgrad.nn.Linear(2, 3)))
    >>> list(layer.state_dict())
    ['bias', 'weight']
    """
    hook = taken(module, _SpectralNorm, name)
    if hook is None:
        raise ArgumentError(f"spectral_norm of '{name}' not found in {module}")
    with no_grad():
        weight = hook.weight(module, moves=False)
    for part in (name, f"{name}_u", f"{name}_v", f"{name}_orig"):
        delattr(module, part)
    module.register_parameter(name, Parameter(weight))
    return module


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

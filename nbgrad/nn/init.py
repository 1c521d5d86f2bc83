"""Starting values of parameters. Each function writes into its tensor, unseen by autograd, and gives it back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from math import ceil, prod, sqrt
from typing import Any, Final

import numpy as np

from nbgrad.absent import AbsentError
from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import as_tensor
from nbgrad.functions.creation import eye as _eye
from nbgrad.functions.random_tensors import rand, randn
from nbgrad.generator import Generator
from nbgrad.graph.dtypes import float64
from nbgrad.runtime.blas import alone
from nbgrad.system.imports import import_module
from nbgrad.tape.blas import of_numpy
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of

_OLDER = [
    "constant",
    "dirac",
    "eye",
    "kaiming_normal",
    "kaiming_uniform",
    "normal",
    "orthogonal",
    "sparse",
    "uniform",
    "xavier_normal",
    "xavier_uniform",
]  # names without the underscore

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]
__all__.extend(_OLDER)

SMALLEST: Final = 2.0**-54  # probabilities of which the inverse is finite
LARGEST: Final = 1.0 - 2.0**-53
GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": sqrt(2.0), "selu": 0.75}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a weight's spread makes up for ``nonlinearity``; ``param`` is leaky_relu's slope (0.01)."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return sqrt(2.0 / (1 + slope * slope))
    if nonlinearity.startswith("conv"):
        return 1.0
    if nonlinearity not in GAINS:
        raise ArgumentError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers uniform in [a, b)."""
    tensor_of("uniform_", "tensor", tensor)
    with no_grad():
        return tensor.copy_(rand(tensor.shape, dtype=tensor.dtype, generator=generator) * (b - a) + a)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normally distributed numbers. RuntimeError where ``std`` is negative."""
    tensor_of("normal_", "tensor", tensor)
    if std < 0:
        raise ArgumentError(f"normal_: expects std >= 0.0, but found std {std}")
    with no_grad():
        return tensor.copy_(randn(tensor.shape, dtype=tensor.dtype, generator=generator) * std + mean)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    tensor_of("constant_", "tensor", tensor)
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform in +-gain * sqrt(6 / (fan_in + fan_out)). Source: Glorot and Bengio 2010."""
    bound = gain * sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal with deviation gain * sqrt(2 / (fan_in + fan_out)). Source: Glorot and Bengio 2010."""
    return normal_(tensor, 0.0, gain * sqrt(2.0 / sum(_fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform in +-gain * sqrt(3 / fan); ``a`` is leaky_relu's slope. Source: He et al. 2015."""
    if 0 in tensor.shape:
        return _nothing_to_draw(tensor)
    bound = sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal with deviation gain / sqrt(fan); ``a`` is leaky_relu's slope. Source: He et al. 2015."""
    if 0 in tensor.shape:
        return _nothing_to_draw(tensor)
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normally distributed numbers that lie in [a, b], by the inverse of the distribution function."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    normal = import_module("statistics").NormalDist()
    low, high = [normal.cdf((edge - mean) / std) for edge in (a, b)]
    with no_grad():
        share = (rand(tensor.shape, dtype=float64, generator=generator) * (high - low) + low).numpy().ravel()
        found = [min(max(normal.inv_cdf(min(max(p, SMALLEST), LARGEST)) * std + mean, a), b) for p in share.tolist()]
        return tensor.copy_(as_tensor(found, dtype=float64).reshape(tensor.shape))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normally distributed numbers, of which ``sparsity`` of each column, chosen at random, are 0.

    Source: Martens 2010, "Deep learning via Hessian-free optimization".

    >>> (nbgrad.nn.init.sparse_(nbgrad.empty(10, 3), 0.2) == 0).sum(0)
    tensor([2, 2, 2])
    """
    if tensor.dim() != 2:
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    normal_(tensor, 0.0, std, generator)
    with no_grad():
        order = rand(rows, columns, dtype=float64, generator=generator).argsort(0).argsort(0)
        return tensor.masked_fill_(order < ceil(sparsity * rows), 0.0)  # type: ignore[no-any-return]


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity, ones on its diagonal and zeros elsewhere."""
    if tensor.dim() != 2:
        raise ArgumentError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(_eye(*tensor.shape, dtype=tensor.dtype))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes its input on: output channel i shows input channel i."""
    if tensor.dim() not in (3, 4, 5):
        raise ArgumentError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ArgumentError("dim 0 must be divisible by groups")
    per_group = tensor.shape[0] // groups
    centre = tuple([n // 2 for n in tensor.shape[2:]])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for i in range(min(per_group, tensor.shape[1])):
                tensor[(group * per_group + i, i, *centre)] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with a matrix of orthonormal rows (or columns, if there are more rows) times ``gain``.

    Dims after the first count as columns. Source: Saxe, McClelland and Ganguli 2014; uniform among all such matrices by
    the signs of R in a QR factorisation (Mezzadri 2007).
    """
    if tensor.dim() < 2:
        raise ArgumentError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    drawn = randn(max(rows, columns), min(rows, columns), dtype=float64, generator=generator).numpy()
    q, r = alone(of_numpy(), np.linalg.qr, drawn)
    q = q * np.sign(np.diag(r))
    with no_grad():
        return tensor.copy_(as_tensor((q if rows >= columns else q.T) * gain).reshape(tensor.shape))


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    modes = ("fan_in", "fan_out")
    if mode.lower() not in modes:
        raise ArgumentError(f"Mode {mode} not supported, please use one of {list(modes)}")
    return calculate_gain(nonlinearity, a) / sqrt(_fans(tensor)[modes.index(mode.lower())])


def _fans(tensor: Tensor) -> tuple[int, int]:
    """(inputs of one output, outputs of one input) of a weight of shape (out, in, window...)."""
    if tensor.dim() < 2:
        raise ArgumentError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    window = prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def _nothing_to_draw(tensor: Tensor) -> Tensor:
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return tensor


def __getattr__(name: str) -> Callable[..., Tensor]:
    """Names without the underscore, from long ago: they warn."""
    if name not in _OLDER:
        raise AbsentError("module 'nbgrad.nn.init'", name, __all__)
    newer = globals()[f"{name}_"]

    @wraps(newer)
    def older(*args: Any, **kwargs: Any) -> Tensor:
        text = f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`."
        warnings.warn(text, FutureWarning, stacklevel=2)
        filled: Tensor = newer(*args, **kwargs)
        return filled

    older.__name__ = older.__qualname__ = name
    return globals().setdefault(name, older)  # type: ignore[no-any-return]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)

"""What distributions share: broadcasting of parameters, probabilities and logits, random numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

import nbgrad.calls.probability
import nbgrad.functions.special  # noqa: F401  methods of tensors
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError
from nbgrad.functions import limits
from nbgrad.functions.creation import tensor
from nbgrad.functions.draws import numpy_stream
from nbgrad.functions.random_tensors import drawn
from nbgrad.generator import default_generator
from nbgrad.graph.dtypes import DType, float64, get_default_dtype
from nbgrad.tensor import Size, Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import at, from_values, holder_of, local, record, values

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

cat: Callable[..., Any] = function_of(CALLS["cat"])
stack: Callable[..., Any] = function_of(CALLS["stack"])
where: Callable[..., Any] = function_of(CALLS["where"])
softplus: Callable[..., Any] = function_of(CALLS["softplus"])
EULER: Final = 0.5772156649015329  # the limit of 1 + 1/2 + ... + 1/n - log(n)
HALF_STEP: Final = 2.0**-54  # half of the step of float64 numbers in [0, 1): shares with it are never 0


class derived:
    """A formula of a distribution's parameters, read as an attribute; one that is set goes before it.

    Nothing is kept: what is recorded twice runs once.
    """

    def __init__(self, formula: Callable[[Any], Any]) -> None:
        self.formula = formula
        functools.update_wrapper(self, formula)  # type: ignore[arg-type]

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        return self if owner is None else self.formula(owner)


class lazy_property:
    """A method whose result is computed when it is first read, and kept as an attribute."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        if instance is None:
            return self
        found = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, found)
        return found


def broadcast_all(*values: Any) -> tuple[Any, ...]:
    """The tensors and numbers as tensors of their common shape. Numbers have the dtype and the device of the first
    tensor, or the default dtype. ValueError for what is neither; RuntimeError where shapes do not fit.

    >>> nbgrad.distributions.utils.broadcast_all(nbgrad.zeros(2), 1.0)
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(isinstance(x, (Tensor, int, float, np.number)) for x in values):
        raise ArgumentError("Input arguments must all be instances of Number, nbgrad.Tensor")
    first = next((x for x in values if isinstance(x, Tensor)), None)
    given = [x if isinstance(x, Tensor) else _number(x, first) for x in values]
    shape = broadcast_shape(*[x.shape for x in given])
    return tuple([expanded(x, shape) for x in given])


def expanded(x: Any, shape: Sequence[int]) -> Any:
    """``x`` in a larger shape; itself where it has that."""
    return x if x.shape == tuple(shape) else x.expand(shape)


def _number(x: Any, like: Tensor | None) -> Tensor:
    if like is None:
        return tensor(x, dtype=get_default_dtype())
    return tensor(x, dtype=like.dtype, device=like.device)


def broadcast_shape(*shapes: Sequence[int]) -> Size:
    """The shape to which all of them broadcast. RuntimeError where there is none."""
    try:
        return Size(np.broadcast_shapes(*[tuple(s) for s in shapes]))
    except ValueError:
        raise ArgumentError(f"shapes do not broadcast: {', '.join([str(list(s)) for s in shapes])}") from None


def finfo(x: Tensor) -> Any:
    """The limits of the dtype of ``x``."""
    return limits.finfo(x.dtype)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities at least eps and at most 1 - eps, where their logarithms are finite."""
    eps = float(finfo(probs).eps)
    clamped: Tensor = probs.clamp(eps, 1 - eps)
    return clamped


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities: of the sigmoid for each logit, or of the softmax over the last dim."""
    probs: Tensor = logits.sigmoid() if is_binary else logits.softmax(-1)
    return probs


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits: log(p / (1 - p)) for each probability, or log(p); probabilities are clamped first."""
    clamped = clamp_probs(probs)
    logits: Tensor = clamped.log() - (-clamped).log1p() if is_binary else clamped.log()
    return logits


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """(..., n, n) with the numbers of (..., n (n + 1) / 2 and so on) in rows below and on the diagonal ``diag``."""
    if diag > 0:
        raise ArgumentError(f"diag ({diag}) must not be above the main diagonal")
    n = round(((8 * vec.shape[-1] + 1) ** 0.5 - 1) / 2) - diag
    rows, columns = np.tril_indices(n, diag)
    matrix = vec.new_zeros((*vec.shape[:-1], n * n))
    places = tensor(rows * n + columns, device=vec.device).expand(vec.shape)
    made: Tensor = matrix.scatter(-1, places, vec).reshape((*vec.shape[:-1], n, n))
    return made


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The numbers of (..., n, n) below and on the diagonal ``diag``, row by row. ValueError for no such diagonal."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ArgumentError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = np.tril_indices(n, diag)
    vec: Tensor = mat.reshape((*mat.shape[:-2], n * n)).index_select(-1, tensor(rows * n + columns, device=mat.device))
    return vec


def sum_rightmost(value: Any, dim: int) -> Any:
    """The sums over the last ``dim`` dims."""
    return value if dim == 0 else value.reshape((*value.shape[: value.dim() - dim], -1)).sum(-1)


def is_there(x: Any) -> bool:
    """Whether the numbers of ``x`` lie in memory, so that to look at them runs nothing; and nobody records the look."""
    trace = local.trace
    if trace.watcher is not None or trace.vmaps:
        return False
    return (x if x._share is None else holder_of(x)[0])._page is None


def seen(x: Tensor) -> Any:
    """The numbers of a tensor that is there."""
    return values(x)


def required(x: Any, condition: Any, message: str) -> Any:
    """``x``, which is a ValueError to read where ``condition``, of its leftmost dims, is false."""
    mask = condition.reshape((*condition.shape, *[1] * (x.dim() - condition.dim())))
    return record(CALLS["require_of"], (x, mask), (message,))


def inner(distribution: Any) -> Any:
    """``distribution``, a part of one that checks values itself."""
    distribution._validate_args = False
    return distribution


def random_like(kind: str, like: Tensor, shape: Sequence[int], dtype: DType | None = None) -> Any:
    """Random numbers of ``shape``, uniform in [0, 1) ("rand") or normal ("randn"), where ``like`` lives."""
    place, wanted = like._spec.place, dtype or like.dtype
    if not wanted.is_floating_point:
        wanted = get_default_dtype()
    return at(drawn(kind, (), tuple(shape), wanted, None, place), place)


def uniform(like: Tensor, shape: Sequence[int]) -> Any:
    """Uniform numbers in (0, 1), computed in float64."""
    return random_like("rand", like, shape, float64) + HALF_STEP


def log_standard_gamma(concentration: Tensor, shape: Sequence[int]) -> Any:
    """Logarithms, in float64, of numbers of a gamma distribution of rate 1; differentiable."""
    place = concentration._spec.place
    return at(drawn("standard_gamma", (concentration.expand(shape),), tuple(shape), float64, None, place), place)


def counted(draw: str, shape: Sequence[int], kinds: str, *parameters: Tensor) -> Any:
    """Numbers as a method of NumPy's ``Generator`` draws them, for the next place in the stream. It looks at the
    parameters, as ``item`` does."""
    given = [values(p.detach()).astype(kind) for p, kind in zip(parameters, kinds, strict=True)]
    try:
        numbers = getattr(numpy_stream(default_generator), draw)(*given, tuple(shape))
    except ValueError as error:
        raise ArgumentError(f"sample: {error}") from None
    like, kind = parameters[-1], parameters[-1].dtype.computed
    found: Any = from_values(np.asarray(numbers, kind.numpy), kind, place=like._spec.place)
    return found.to(like.dtype)

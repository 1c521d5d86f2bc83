"""Public functions whose calls take several forms: max and min, pow, log, splitting, type questions."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from nbgrad import log as logging
from nbgrad.calls.base import CALLS
from nbgrad.calls.layout import chunk_lengths, split_lengths
from nbgrad.errors import DTypeError, RunError, TensorIndexError
from nbgrad.graph.dtypes import DType, as_dtype, get_default_dtype
from nbgrad.graph.dtypes import result_type as _result_type
from nbgrad.subscript import slice_view
from nbgrad.tensor import Tensor
from nbgrad.trace.record import fast_unary, record

_log = fast_unary(CALLS["log"])


class Extreme(NamedTuple):
    """Values and their indices along a dim."""

    values: Tensor
    indices: Tensor


def _extreme(name: str, input: Tensor, dim: Any, keepdim: bool) -> Any:
    if isinstance(dim, Tensor):
        return record(CALLS[f"{name}imum"], (input, dim))
    if dim is None:
        return record(CALLS[f"{name}_all"], (input,))
    values = record(CALLS[f"{name}_values"], (input,), (dim, keepdim))
    return Extreme(values, record(CALLS[f"{name}_indices"], (input,), (dim, keepdim)))


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; with ``dim``, (values, indices) along it; with a tensor, ``maximum``."""
    return _extreme("max", input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; with ``dim``, (values, indices) along it; with a tensor, ``minimum``."""
    return _extreme("min", input, dim, keepdim)


def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, elementwise."""
    if isinstance(input, Tensor):
        return input.pow(exponent)
    return record(CALLS["pow"], (input, exponent))  # type: ignore[no-any-return]


def log(*args: Any) -> Any:
    """The natural logarithm of a tensor; or, with words, a context in which those stages are printed.

    >>> nbgrad.log(nbgrad.tensor([1.0]))
    tensor([0.])

    ``with nbgrad.log("fuse", "time"): ...`` prints these stages of what is computed inside it.
    """
    if len(args) == 1 and isinstance(args[0], Tensor):
        return _log(args[0])
    if not all(isinstance(word, str) for word in args):
        raise DTypeError(f"log(): expected a Tensor or words to print, got {type(args[0]).__name__}")
    return logging.log(*args)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Elements ``start`` to ``start + length - 1`` along ``dim``, as a view."""
    if not input.dim():
        raise RunError("narrow() cannot be applied to a 0-dim tensor.")
    size = input.size(dim)
    at = start.item() if isinstance(start, Tensor) else start
    if not -size <= at <= size:
        raise TensorIndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {at})")
    at = at + size if at < 0 else at
    if length < 0 or at + length > size:
        raise RunError(f"start ({at}) + length ({length}) exceeds dimension size ({size}).")
    return slice_view(input, dim % input.dim(), at, length)  # type: ignore[no-any-return]


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice of ``input`` at ``index`` along ``dim``, without that dim."""
    size = input.size(dim)
    if not -size <= index < size:
        raise TensorIndexError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return record(CALLS["select_dim"], (input, index % size), (dim % input.dim(),))  # type: ignore[no-any-return]


def _pieces(input: Tensor, lengths: list[int], dim: int) -> tuple[Tensor, ...]:
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    return tuple([narrow(input, dim, start, length) for start, length in zip(starts, lengths, strict=True)])


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """``input`` in at most ``chunks`` pieces of equal length along ``dim`` (the last may be shorter), as views."""
    return _pieces(input, chunk_lengths(input.size(dim), chunks), dim)


def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """``input`` in pieces along ``dim``: of one length, or of the given lengths; as views."""
    sections = split_size_or_sections
    return _pieces(
        input, split_lengths(input.size(dim), sections if isinstance(sections, int) else tuple(sections)), dim
    )


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along ``dim``, which is removed; as views."""
    return tuple([select(input, dim, i) for i in range(input.size(dim))])


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


def is_tensor(value: object) -> bool:
    """Whether ``value`` is a tensor."""
    return isinstance(value, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether ``input`` has a floating dtype."""
    return input.is_floating_point()


def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype that arithmetic between two tensors or numbers has."""
    return _result_type(tuple([_standing(x) for x in (tensor1, tensor2)]))


def _standing(x: Any) -> tuple[DType, int]:
    if isinstance(x, Tensor):
        return x.dtype, 0 if x.dim() else 1
    return (get_default_dtype() if isinstance(x, float) else as_dtype(type(x))), 2


def can_cast(from_: DType, to: DType) -> bool:
    """Whether a value of one dtype may be written into another: never to a lower category."""
    order = {"b": 0, "u": 1, "i": 1, "f": 2}
    return order[from_.kind] <= order[to.kind]


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements."""
    return input.shape == other.shape and bool((input == other).all().item())


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether |input - other| <= atol + rtol |other| everywhere."""
    close = record(CALLS["isclose"], (input, other, rtol, atol), (equal_nan,))
    return builtins.bool(close.all().item())


METHODS = {
    "allclose": allclose,
    "chunk": chunk,
    "equal": equal,
    "log": _log,
    "max": max,
    "min": min,
    "narrow": narrow,
    "select": select,
    "split": split,
    "unbind": unbind,
}
for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)

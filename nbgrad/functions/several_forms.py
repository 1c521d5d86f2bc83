"""Public functions whose calls take several forms: pow, log, splitting, type questions."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any, Final

from nbgrad import log as logging
from nbgrad.calls.arguments import class_of, dims_of, dtype_of, flag_of, float_of, int_of, refused, word_of
from nbgrad.calls.base import CALLS, errors_name, one_dim
from nbgrad.calls.layout import chunk_lengths, split_lengths
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import ArgumentError, DTypeError, RunError, TensorIndexError
from nbgrad.graph.dtypes import DType, as_dtype, bool_, category, get_default_dtype
from nbgrad.graph.dtypes import result_type as _result_type
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import writes_out
from nbgrad.tensor.subscript import slice_view, slices
from nbgrad.tensor.surface import found_at, method_of
from nbgrad.trace import as_operand, fast_static, record, tensor_of

_log = found_at(method_of(CALLS["log"]), "nbgrad", "Tensor.log")  # ``nbgrad.log`` is the one below
found_at(method_of(CALLS["transpose"]), "nbgrad", "Tensor.transpose")
_piece = fast_static(CALLS["piece_dim"])
_transposed = fast_static(CALLS["transpose"])
_MOST_CUTS: Final = 1024  # ways to cut a dim that are remembered


@writes_out("pow")
def pow(input: Any, exponent: Any) -> Tensor:
    """input ** exponent, elementwise; one of them may be a number.

    >>> nbgrad.pow(2, nbgrad.tensor([1, 2, 3]))
    tensor([2, 4, 8])
    """
    if isinstance(input, Tensor):
        return input.pow(exponent)
    if not isinstance(exponent, Tensor):
        tensor_of("pow", "input", input)
    return record(CALLS["pow"], (input, exponent))  # type: ignore[no-any-return]


def log(*args: Any, **named: Any) -> Any:
    """The natural logarithm of a tensor; or, with words, a context in which those stages are printed.

    >>> nbgrad.log(nbgrad.tensor([1.0]))
    tensor([0.])

    ``with nbgrad.log("fuse", "time"): ...`` prints these stages of what is computed inside it.
    """
    if args and all(isinstance(word, str) for word in args) and not named:
        return logging.log(*args)
    if len(args) + len({*named} - {"out"}) != 1 or not set(named) <= {"input", "out"}:
        raise DTypeError("log() takes one Tensor, or words that name stages")
    return _log(*args, **named)


def position_along(name: str, input: Any, dim: Any) -> tuple[int, int]:
    """(dim counted from 0, its size) of a tensor that has dims."""
    x = tensor_of(name, "input", input)
    wanted = int_of(name, "dim", dim)
    shape = x._at.spec.shape
    if not shape:
        raise TensorIndexError(f"{name}() cannot be applied to a 0-dim tensor.")
    d = one_dim(name, wanted, len(shape))
    return d, shape[d]


def tensors_of(name: str, argument: str, given: Any) -> list[Tensor]:
    """The tensors of a list or tuple. TypeError for anything else."""
    if not isinstance(given, (tuple, list)):
        raise refused(name, argument, given, "tuple of Tensors")
    for place, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise DTypeError(
                f"{name}(): expected Tensor as element {place} in argument '{argument}', but got {class_of(x)}"
            )
    return list(given)


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products of tensors, by letters for their dims: ``"ij,jk->ik"`` is a matrix product.

    Dims whose letter the result lacks are summed over; a letter twice in one operand is its diagonal; ``...`` stands
    for dims that broadcast. Without ``->`` the result has the letters that occur once, in alphabetical order. Operands
    have one dtype, and are contracted from left to right, as matrix products.

    >>> nbgrad.einsum("ij,j->i", nbgrad.tensor([[1.0, 2.0], [3.0, 4.0]]), nbgrad.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    tensors = tuple([tensor_of("einsum", "operands", x) for x in operands])
    if not tensors:
        raise ArgumentError("einsum(): must specify at least one operand")
    return record(CALLS["einsum_of"], tensors, (word_of("einsum", "equation", equation),))  # type: ignore[no-any-return]


@writes_out("tensordot")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, *, axes: Any = None) -> Tensor:
    """Sums of products over pairs of dims: the last ``dims`` of ``a`` and the first of ``b``, or those in two lists.
    ``axes`` is NumPy's name for them.

    The dims that are left follow each other, those of ``a`` first. RuntimeError where sizes of a pair differ, but
    for one of 1, beside which the other dim is summed.

    >>> nbgrad.tensordot(nbgrad.ones(2, 3, 4), nbgrad.ones(3, 4, 5), dims=2).shape
    nbgrad.Size([2, 5])
    """
    x, y = tensor_of("tensordot", "a", a), tensor_of("tensordot", "b", b)
    dims = dims if axes is None else axes
    given = dims.tolist() if isinstance(dims, Tensor) else dims
    if isinstance(given, (tuple, list)):
        wanted = [tuple(k) if isinstance(k, (tuple, list)) else (k,) for k in given]
        pairs = [[one_dim("tensordot", d, t.dim()) for d in k] for k, t in zip(wanted, (x, y), strict=False)]
    else:
        n = int_of("tensordot", "dims", given)
        if n < 0:
            raise RunError(f"tensordot expects dims >= 0, but got dims={n}")
        if n > builtins.min(x.dim(), y.dim()):
            raise RunError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={n}")
        pairs = [list(range(x.dim() - n, x.dim())), list(range(n))]
    if len(pairs) != 2 or len(pairs[0]) != len(pairs[1]):
        raise RunError(f"tensordot: both dimension lists should have same length, got {dims}")
    for d, e in zip(*pairs, strict=True):
        if x.shape[d] != y.shape[e] and 1 in (x.shape[d], y.shape[e]):
            x, y = (x, y.sum(e, True, dtype=y.dtype)) if x.shape[d] == 1 else (x.sum(d, True, dtype=x.dtype), y)
    return record(CALLS["tensordot_of"], (x, y), (tuple(pairs[0]), tuple(pairs[1])))  # type: ignore[no-any-return]


def transpose(input: Tensor, dim0: Any, dim1: Any = None) -> Tensor:
    """Two dims swapped, as a view; or all dims in the order of a tuple, as NumPy has it.

    >>> nbgrad.transpose(nbgrad.ones(2, 3, 4), 0, 1).shape
    nbgrad.Size([3, 2, 4])
    >>> nbgrad.transpose(nbgrad.ones(2, 3, 4), (2, 0, 1)).shape
    nbgrad.Size([4, 2, 3])
    """
    x = tensor_of("transpose", "input", input)
    if dim1 is None and isinstance(dim0, (tuple, list)):
        return x.permute(dim0)  # type: ignore[no-any-return]
    dims = int_of("transpose", "dim0", dim0), int_of("transpose", "dim1", dim1)
    return _transposed(x, dims)  # type: ignore[no-any-return]


def ravel(input: Tensor) -> Tensor:
    """All elements in a row that is contiguous: a view where ``input`` is contiguous, else a copy.

    >>> nbgrad.ravel(nbgrad.ones(2, 3)).shape
    nbgrad.Size([6])
    """
    return tensor_of("ravel", "input", input).contiguous().view(-1)  # type: ignore[no-any-return]


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of all points of a grid, from those along each of its dims: views of the vectors, all of one shape.

    ``indexing`` "ij" (also for None) has dims in the order of the vectors, "xy" the first two the other way round.

    >>> nbgrad.meshgrid(nbgrad.tensor([1, 2]), nbgrad.tensor([3, 4, 5]), indexing="ij")[1]
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    vectors = [tensor_of("meshgrid", "tensors", x) for x in given]
    if not vectors:
        raise RunError("meshgrid expects a non-empty TensorList")
    for x in vectors:
        if x.dim() > 1:
            raise RunError(f"meshgrid: expected scalar or 1D tensors, but got a tensor of shape {list(x.shape)}")
        if x.dtype is not vectors[0].dtype:
            raise RunError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RunError(f"meshgrid: indexing must be one of 'xy' or 'ij', but received: {indexing!r}")
    swaps = indexing == "xy" and len(vectors) > 1
    if swaps:
        vectors[:2] = reversed(vectors[:2])
    shape = [x.numel() for x in vectors]
    sizes = [[n if d == k else 1 for d, n in enumerate(shape)] for k in range(len(shape))]
    grids = [x.reshape(size).expand(shape) for x, size in zip(vectors, sizes, strict=True)]
    if swaps:
        grids[:2] = reversed(grids[:2])
    return tuple(grids)


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """``Tensor.as_strided``: a view of the memory behind ``input``.

    >>> nbgrad.as_strided(nbgrad.arange(6), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    found: Tensor = tensor_of("as_strided", "input", input).as_strided(size, stride, storage_offset)
    return found


@numpy_names
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Elements ``start`` to ``start + length - 1`` along ``dim``, as a view. A negative start counts from the end.

    >>> nbgrad.narrow(nbgrad.arange(6), 0, 2, 3)
    tensor([2, 3, 4])
    """
    d, size = position_along("narrow", input, dim)
    if isinstance(start, Tensor) and (start.dim() or start.is_floating_point() or start.dtype is bool_):
        raise RunError("narrow(): start must be an 0-dim integral Tensor.")
    at, count = int_of("narrow", "start", start), int_of("narrow", "length", length)
    if count < 0:
        raise RunError(f"narrow(): length must be non-negative, got {count}.")
    if not -size <= at <= size:
        raise TensorIndexError(
            f"narrow(): start out of range (expected to be in range of [{-size}, {size}], but got {at})"
        )
    at = at + size if at < 0 else at
    if at + count > size:
        raise RunError(f"narrow(): start ({at}) + length ({count}) exceeds dimension size ({size}).")
    return slice_view(input, d, at, count)  # type: ignore[no-any-return]


@numpy_names
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice of ``input`` at ``index`` along ``dim``, without that dim; as a view.

    >>> nbgrad.select(nbgrad.tensor([[1, 2], [3, 4]]), 1, -1)
    tensor([2, 4])
    """
    d, size = position_along("select", input, dim)
    at = int_of("select", "index", index)
    if not -size <= at < size:
        raise TensorIndexError(
            f"select(): index {at} out of range for tensor of size {list(input.shape)} at dimension {d}"
        )
    return record(CALLS["select_dim"], (input, at % size), (d,))  # type: ignore[no-any-return]


@functools.lru_cache(_MOST_CUTS)
def _cut(size: int, lengths_of: Callable[[int, Any], list[int]], how: Any) -> tuple[tuple[int, int], ...]:
    """(start, length) of each piece of ``size`` elements."""
    lengths = lengths_of(size, how)
    return tuple(zip(accumulate(lengths[:-1], initial=0), lengths, strict=True))


def pieces(input: Tensor, cuts: Iterable[tuple[int, int]], dim: int) -> tuple[Tensor, ...]:
    """The parts of ``input`` along ``dim`` that ``cuts`` names by (start, length), as views."""
    return tuple([_piece(input, (dim, start, length)) for start, length in cuts])


@numpy_names
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """``input`` in at most ``chunks`` pieces of equal length along ``dim`` (the last may be shorter), as views.

    >>> nbgrad.chunk(nbgrad.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    d, size = position_along("chunk", input, dim)
    return pieces(input, _cut(size, chunk_lengths, int_of("chunk", "chunks", chunks)), d)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """``input`` in pieces along ``dim``: of one length (the last may be shorter), or of the given lengths; as views.

    >>> nbgrad.split(nbgrad.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    sections = dims_of("split", "split_size_or_sections", split_size_or_sections)
    d, size = position_along("split", tensor, dim)
    return pieces(tensor, _cut(size, split_lengths, sections), d)


@numpy_names
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along ``dim``, which is removed; as views.

    >>> nbgrad.unbind(nbgrad.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    d, _ = position_along("unbind", input, dim)
    return tuple(slices(input, d))


def detach(input: Tensor) -> Tensor:
    """A tensor with the same memory and no derivative history.

    >>> nbgrad.detach(nbgrad.ones(2, requires_grad=True) * 2)
    tensor([2., 2.])
    """
    return tensor_of("detach", "input", input).detach()  # type: ignore[no-any-return]


def get_device(input: Tensor) -> int:
    """The number of the CUDA device that a tensor lives on; -1 on the CPU.

    >>> nbgrad.get_device(nbgrad.ones(2))
    -1
    """
    device: int = tensor_of("get_device", "input", input).get_device()
    return device


def numel(input: Tensor) -> int:
    """The number of elements.

    >>> nbgrad.numel(nbgrad.zeros(2, 3))
    6
    """
    count: int = tensor_of("numel", "input", input).numel()
    return count


def is_tensor(obj: object, /) -> bool:
    """Whether ``obj`` is a tensor.

    >>> nbgrad.is_tensor([1.0])
    False
    """
    return isinstance(obj, Tensor)


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is a complex one.

    >>> nbgrad.is_complex(nbgrad.tensor([1j]))
    True
    """
    found: bool = tensor_of("is_complex", "input", input).is_complex()
    return found


def is_floating_point(input: Tensor) -> bool:
    """Whether ``input`` has a floating dtype.

    >>> nbgrad.is_floating_point(nbgrad.ones(2))
    True
    """
    found: bool = tensor_of("is_floating_point", "input", input).is_floating_point()
    return found


def result_type(tensor: Any, other: Any) -> DType:
    """The dtype that arithmetic between two tensors or numbers has.

    >>> nbgrad.result_type(nbgrad.tensor([1, 2]), 1.0)
    nbgrad.float32
    """
    return _result_type((standing("tensor", tensor), standing("other", other)))


def standing(argument: str, x: Any) -> tuple[DType, int]:
    """(dtype, rank among operands): tensors with dims decide before 0-d ones, and these before numbers."""
    value = as_operand(x)
    if isinstance(value, Tensor):
        return value.dtype, 0 if value.dim() else 1
    if value is NotImplemented:
        raise refused("result_type", argument, x, "Tensor or number")
    default = get_default_dtype()
    return {float: default, complex: default.to_complex()}.get(type(value)) or as_dtype(type(value)), 2


def can_cast(from_: DType, to: DType) -> bool:
    """Whether a value of one dtype may be written into another: never to a lower category.

    >>> nbgrad.can_cast(nbgrad.float32, nbgrad.int64)
    False
    """
    return category(dtype_of("can_cast", "from_", from_)) <= category(dtype_of("can_cast", "to", to))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and elements.

    >>> nbgrad.equal(nbgrad.ones(2), nbgrad.ones(2, 1))
    False
    """
    a, b = tensor_of("equal", "input", input), tensor_of("equal", "other", other)
    return a.shape == b.shape and builtins.bool((a == b).all().item())


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether |input - other| <= atol + rtol |other| everywhere.

    >>> nbgrad.allclose(nbgrad.tensor([1.0]), nbgrad.tensor([1.000001]))
    True
    """
    tensors = tensor_of("allclose", "input", input), tensor_of("allclose", "other", other)
    tolerances = float_of("allclose", "rtol", rtol), float_of("allclose", "atol", atol)
    for name, value in zip(("rtol", "atol"), tolerances, strict=True):
        if value < 0:
            raise RunError(f"allclose(): {name} must be greater than or equal to zero, but got {value}")
    with errors_name("allclose"):
        close = record(CALLS["isclose"], (*tensors, *tolerances), (flag_of("allclose", "equal_nan", equal_nan),))
    return builtins.bool(close.all().item())


def _split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    return split(input, split_size, dim)


_split.__name__, _split.__qualname__ = "split", "Tensor.split"
_split.__doc__ = split.__doc__
METHODS = {
    "allclose": allclose,
    "chunk": chunk,
    "equal": equal,
    "log": method_of(CALLS["log"]),
    "narrow": narrow,
    "ravel": ravel,
    "select": select,
    "split": _split,
    "unbind": unbind,
}
for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)

"""What stands for NumPy's functions: each takes NumPy's arguments, as far as something here answers to them, with
tensors for arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from nbgrad import functions, linalg
from nbgrad.array_api import searching, shapes, statistics
from nbgrad.array_api.promotion import together
from nbgrad.calls.base import CALLS
from nbgrad.graph.dtypes import get_default_dtype
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import as_operand, record

Axes = int | tuple[int, ...] | None

_cat, _stack = (function_of(CALLS[name]) for name in ("cat", "stack"))


def tensor_from(x: Any) -> Any:
    """``x`` as a tensor; of a sequence with tensors in it, these stacked."""
    if isinstance(x, (list, tuple)) and any(isinstance(item, (Tensor, list, tuple)) for item in x):
        return shapes.stack([tensor_from(item) for item in x])
    return x if isinstance(x, Tensor) else functions.as_tensor(x)


def _tensors(arrays: Sequence[Any]) -> list[Tensor]:
    return together(*[tensor_from(x) for x in arrays])


def _allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    x, y = shapes.broadcast_arrays(*_tensors((a, b)))
    return functions.allclose(x, y, rtol, atol, equal_nan)


def _argsort(a: Tensor, axis: int | None = -1) -> Any:
    x, d = (a.reshape(-1), 0) if axis is None else (a, axis)
    return searching.argsort(x, axis=d)


def _array_equal(a1: Any, a2: Any) -> bool:
    return functions.equal(*_tensors((a1, a2)))


def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    x = tensor_from(a)
    given = (a_min if min is None else min, a_max if max is None else max)
    low, high = (bound if bound is None else as_operand(bound) for bound in given)
    return +x if low is high is None else x.clamp(low, high)


def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    parts = _tensors(arrays)
    return _cat([x.reshape(-1) for x in parts]) if axis is None else _cat(parts, axis)


def _cumulative(name: str) -> Callable[..., Any]:
    def folded(a: Tensor, axis: int | None = None, dtype: Any = None) -> Any:
        x, d = (a.reshape(-1), 0) if axis is None else (a, axis)
        return record(CALLS[name], (x,), (d, dtype))

    return folded


def _dot(a: Any, b: Any) -> Any:
    x, y = _tensors((a, b))
    if not (x.ndim and y.ndim):
        return x * y
    return functions.tensordot(x, y, dims=([x.ndim - 1], [max(y.ndim - 2, 0)]))


def _einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Tensor:
    return functions.einsum(subscripts, *_tensors(operands))


def _floating(a: Any) -> Any:
    """``a`` as a tensor, of the default dtype where it has integers or bools."""
    x = tensor_from(a)
    return x if x.is_floating_point() else x.to(get_default_dtype())


def _of_floating(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` of a matrix of integers, too."""
    return lambda a: function(_floating(a))


def _extreme(name: str) -> Callable[..., Any]:
    function = getattr(statistics, name)

    def folded(a: Tensor, axis: Axes = None, *, keepdims: bool = False) -> Any:
        return function(a, axis=axis, keepdims=keepdims)

    return folded


def _expand_dims(a: Tensor, axis: int | tuple[int, ...]) -> Any:
    axes = (axis,) if isinstance(axis, int) else axis
    rank = a.ndim + len(axes)
    for place in sorted([ax % rank if -rank <= ax < rank else ax for ax in axes]):
        a = a.unsqueeze(place)
    return a


def _repeat(a: Tensor, repeats: Any, axis: int | None = None) -> Any:
    counts = repeats if isinstance(repeats, (int, Tensor)) else functions.tensor(np.asarray(repeats, np.int64))
    return functions.repeat_interleave(a, counts, axis)


def _joined(name: str) -> Callable[..., Any]:
    function = function_of(CALLS[name])
    return lambda tup: function(_tensors(tup))


def _matrix_norm_or_vector_norm(x: Any, ord: Any = None, axis: Axes = None, keepdims: bool = False) -> Any:
    x = _floating(x)
    if ord is None and axis is None:
        return linalg.vector_norm(x, 2, None, keepdims)
    is_vector = x.ndim == 1 if axis is None else not isinstance(axis, tuple) or len(axis) == 1
    if is_vector:
        return linalg.vector_norm(x, 2 if ord is None else ord, axis, keepdims)
    return linalg.matrix_norm(x, "fro" if ord is None else ord, (-2, -1) if axis is None else axis, keepdims)


def _of_places(name: str) -> Callable[..., Any]:
    function = getattr(searching, name)

    def found(a: Tensor, axis: int | None = None, *, keepdims: bool = False) -> Any:
        return function(a, axis=axis, keepdims=keepdims)

    return found


def matmul(a: Any, b: Any) -> Any:
    """The product in the dtype that the operands have together."""
    return record(CALLS["matmul"], tuple(_tensors((a, b))))


def _outer(a: Any, b: Any) -> Any:
    x, y = _tensors((a, b))
    return x.reshape(-1, 1) * y.reshape(-1)


def _reshape(a: Tensor, shape: Any) -> Any:
    return a.reshape(shape)


def _round(a: Tensor, decimals: int = 0) -> Any:
    if decimals < 0 and not a.dtype.is_floating_point:
        return tensor_from(np.round(a.numpy(), decimals))
    return a.round(decimals=decimals)


def _solve(a: Any, b: Any) -> Any:
    x, y = together(_floating(a), _floating(b))
    return linalg.solve(x, y.unsqueeze(-1)).squeeze(-1) if y.ndim == 1 else linalg.solve(x, y)


def _sort(a: Tensor, axis: int | None = -1) -> Any:
    x, d = (a.reshape(-1), 0) if axis is None else (a, axis)
    return functions.sort(x, d)[0]


def _spread(name: str) -> Callable[..., Any]:
    function = getattr(functions, name)

    def folded(a: Tensor, axis: Axes = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
        return function(_floating(a), axis, correction=ddof, keepdim=keepdims)

    return folded


def _squeeze(a: Tensor, axis: Axes = None) -> Any:
    return a.squeeze() if axis is None else shapes.squeeze(a, axis)


def _sum_or_prod(name: str) -> Callable[..., Any]:
    function = getattr(statistics, name)

    def folded(a: Tensor, axis: Axes = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
        return function(a, axis=axis, dtype=dtype, keepdims=keepdims)

    return folded


def _mean(a: Tensor, axis: Axes = None, *, keepdims: bool = False) -> Any:
    return statistics.mean(_floating(a), axis=axis, keepdims=keepdims)


def _take(a: Tensor, indices: Any, axis: int | None = None) -> Any:
    flat = a.reshape(-1) if axis is None else a
    return shapes.take(flat, tensor_from(indices), axis=0 if axis is None else axis)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    return functions.tensordot(*_tensors((a, b)), axes=axes)


def _transpose(a: Tensor, axes: Any = None) -> Any:
    return a.permute(tuple(range(a.ndim))[::-1] if axes is None else tuple(axes))


def _where(condition: Any, x: Any, y: Any) -> Any:
    return record(CALLS["where"], (tensor_from(condition).bool(), as_operand(x), as_operand(y)))


FUNCTIONS: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    np.all: _extreme("all"),
    np.allclose: _allclose,
    np.any: _extreme("any"),
    np.argmax: _of_places("argmax"),
    np.argmin: _of_places("argmin"),
    np.argsort: _argsort,
    np.array_equal: _array_equal,
    np.broadcast_to: lambda array, shape: array.expand(shape),
    np.clip: _clip,
    np.concatenate: _concatenate,
    np.copy: lambda a: a.clone(),
    np.cumprod: _cumulative("cumprod"),
    np.cumsum: _cumulative("cumsum"),
    np.diag: lambda v, k=0: v.diag(k),
    np.diagonal: lambda a, offset=0, axis1=0, axis2=1: a.diagonal(offset, axis1, axis2),
    np.dot: _dot,
    np.einsum: _einsum,
    np.expand_dims: _expand_dims,
    np.flip: lambda m, axis=None: shapes.flip(m, axis=axis),
    np.hstack: _joined("hstack"),
    np.linalg.cholesky: _of_floating(linalg.cholesky),
    np.linalg.det: _of_floating(linalg.det),
    np.linalg.eigh: lambda a, UPLO="L": linalg.eigh(_floating(a), UPLO),
    np.linalg.eigvalsh: lambda a, UPLO="L": linalg.eigvalsh(_floating(a), UPLO),
    np.linalg.inv: _of_floating(linalg.inv),
    np.linalg.matrix_power: lambda a, n: linalg.matrix_power(a if n >= 0 else _floating(a), n),
    np.linalg.norm: _matrix_norm_or_vector_norm,
    np.linalg.pinv: _of_floating(linalg.pinv),
    np.linalg.qr: lambda a, mode="reduced": linalg.qr(_floating(a), mode),
    np.linalg.slogdet: _of_floating(linalg.slogdet),
    np.linalg.solve: _solve,
    np.linalg.svd: lambda a, full_matrices=True: linalg.svd(_floating(a), full_matrices),
    np.max: _extreme("max"),
    np.mean: _mean,
    np.min: _extreme("min"),
    np.moveaxis: lambda a, source, destination: shapes.moveaxis(a, source, destination),
    np.nan_to_num: lambda x: x.nan_to_num(),
    np.ndim: lambda a: a.ndim,
    np.ones_like: lambda a: functions.ones_like(a),
    np.outer: _outer,
    np.prod: _sum_or_prod("prod"),
    np.ravel: lambda a: a.reshape(-1),
    np.repeat: _repeat,
    np.reshape: _reshape,
    np.roll: lambda a, shift, axis=None: shapes.roll(a, shift, axis=axis),
    np.round: _round,
    np.shape: lambda a: tuple(a.shape),
    np.size: lambda a: a.numel(),
    np.sort: _sort,
    np.squeeze: _squeeze,
    np.stack: lambda arrays, axis=0: _stack(_tensors(arrays), axis),
    np.std: _spread("std"),
    np.sum: _sum_or_prod("sum"),
    np.swapaxes: lambda a, axis1, axis2: a.transpose(axis1, axis2),
    np.take: _take,
    np.take_along_axis: lambda arr, indices, axis=-1: shapes.take_along_axis(arr, indices, axis=axis),
    np.tensordot: _tensordot,
    np.tile: lambda A, reps: A.tile(tuple(np.atleast_1d(reps).tolist())),
    np.trace: lambda a, offset=0, axis1=0, axis2=1: a.diagonal(offset, axis1, axis2).sum(-1),
    np.transpose: _transpose,
    np.tril: lambda m, k=0: m.tril(k),
    np.triu: lambda m, k=0: m.triu(k),
    np.var: _spread("var"),
    np.vstack: _joined("vstack"),
    np.where: _where,
    np.zeros_like: lambda a: functions.zeros_like(a),
}
FUNCTIONS.update({np.amax: FUNCTIONS[np.max], np.amin: FUNCTIONS[np.min], np.around: FUNCTIONS[np.round]})

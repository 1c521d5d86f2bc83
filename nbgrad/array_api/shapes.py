"""Functions that move elements, join arrays, and take some of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgrad import functions
from nbgrad.array_api.promotion import together
from nbgrad.calls.base import CALLS, one_dim
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import record, tensor_of

Axes = int | tuple[int, ...] | None

_cat, _stack, _moved = (function_of(CALLS[name]) for name in ("cat", "stack", "movedim"))


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """The arrays in the shape that they have together."""
    try:
        shape = np.broadcast_shapes(*[tuple(x.shape) for x in arrays])
    except ValueError:
        shapes = " and ".join([str(list(x.shape)) for x in arrays])
        raise ShapeError(f"broadcast_arrays(): shapes {shapes} do not broadcast") from None
    return [broadcast_to(x, shape) for x in arrays]


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Any:
    """``x`` in ``shape``, with steps of 0 along new and stretched dims."""
    return tensor_of("broadcast_to", "x", x).expand(shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Any:
    """Arrays behind each other along ``axis``; for None, of one dim each."""
    parts = together(*arrays)
    return _cat([x.reshape(-1) for x in parts]) if axis is None else _cat(parts, axis)


def expand_dims(x: Tensor, /, *, axis: int = 0) -> Any:
    """``x`` with a new dim."""
    return tensor_of("expand_dims", "x", x).unsqueeze(axis)


def flip(x: Tensor, /, *, axis: Axes = None) -> Any:
    """The elements in opposite order along ``axis``, all for None."""
    every = tuple(range(tensor_of("flip", "x", x).ndim))
    return x.flip(every if axis is None else axis)


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Any:
    """``x`` with dims at other places."""
    return _moved(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Any:
    """``x`` with its dims in the order of ``axes``."""
    return tensor_of("permute_dims", "x", x).permute(tuple(axes))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Any:
    """Each element along ``axis`` as often as ``repeats`` says; of the flattened array for None."""
    return functions.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Any:
    """``x`` in another shape: a copy for ``copy`` True; ValueError where it needs one and ``copy`` is False."""
    found = tensor_of("reshape", "x", x)
    if copy:
        return found.clone().reshape(shape)
    if copy is None:
        return found.reshape(shape)
    try:
        return found.view(shape)
    except (RuntimeError, ValueError):
        raise ArgumentError(f"reshape(): copy=False, and shape {tuple(shape)} needs a copy") from None


def roll(x: Tensor, /, shift: Any, *, axis: Axes = None) -> Any:
    """The elements ``shift`` places further along ``axis``, the last ones at the front; flattened for None."""
    found = tensor_of("roll", "x", x)
    if axis is None:
        return found.roll(shift)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return found.roll(shift if isinstance(shift, tuple) else (shift,) * len(axes), axes)


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Any:
    """``x`` without the dims ``axis``. ValueError where one has not size 1."""
    found = tensor_of("squeeze", "x", x)
    dims = tuple([one_dim("squeeze", d, found.ndim) for d in (axis if isinstance(axis, tuple) else (axis,))])
    if any(found.shape[d : d + 1] != (1,) for d in dims):
        raise ArgumentError(f"squeeze(): axis {axis} of shape {tuple(found.shape)} has not size 1")
    return found.squeeze(dims)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Any:
    """Arrays of one shape along a new dim."""
    return _stack(together(*arrays), axis)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Any:
    """The elements at ``indices`` along ``axis``, which a vector need not name."""
    found = tensor_of("take", "x", x)
    if axis is None and found.ndim != 1:
        raise DTypeError("take(): axis is needed for an array that is no vector")
    indices = tensor_of("take", "indices", indices).long()
    return found[(slice(None),) * one_dim("take", axis or 0, found.ndim) + (indices,)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Any:
    """Of each vector along ``axis`` the elements at its own ``indices``; the other dims broadcast."""
    found = tensor_of("take_along_axis", "x", x)
    d = one_dim("take_along_axis", axis, found.ndim)
    pairs = zip(found.shape, tensor_of("take_along_axis", "indices", indices).shape, strict=True)
    around = [None if k == d else np.broadcast_shapes(*pair)[0] for k, pair in enumerate(pairs)]
    shapes = [[t.shape[k] if n is None else n for k, n in enumerate(around)] for t in (found, indices)]
    indices = indices.long()
    places = record(CALLS["where"], (indices < 0, indices + found.shape[d], indices))
    return found.expand(shapes[0]).gather(d, places.expand(shapes[1]))


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Any:
    """``x`` beside itself, as often as ``repetitions`` says for each dim."""
    return tensor_of("tile", "x", x).tile(tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along ``axis``."""
    return functions.unbind(x, axis)

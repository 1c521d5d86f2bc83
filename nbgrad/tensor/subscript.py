"""Index expressions: ``x[...]`` and ``x[...] = value``, with NumPy's and PyTorch's rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.calls.arguments import short
from nbgrad.calls.base import CALLS
from nbgrad.calls.device_check import index_apart
from nbgrad.errors import ArgumentError, DTypeError, NumberError, TensorIndexError, warn_here
from nbgrad.graph.dtypes import bool_, uint8
from nbgrad.graph.spec import HOST
from nbgrad.number import Number, plain_number
from nbgrad.ops.put import refuse_repeated
from nbgrad.ops.view import MOST_COMPONENTS
from nbgrad.tensor.literal import index_is_literal
from nbgrad.trace import (
    Handle,
    at,
    everywhere,
    fast_static,
    fast_view,
    fits_into,
    from_values,
    is_written_already,
    local,
    number_of,
    record,
    strides_of,
    threads,
    values,
    write_checked,
)

_NEW, _VIEW = CALLS["new_dim"], CALLS["view"]
_slice, _select = fast_view(CALLS["slice_dim"]), fast_view(CALLS["select_dim"])
_component, _unbind_component = fast_static(CALLS["component"]), fast_static(CALLS["unbind_component"])
_unbind = fast_view(CALLS["unbind_dim"])
_POSITIONS = ("int8", "int16", "int32", "int64")  # dtypes of indices; uint8 are masks
_PARTS, _MOST_PARTS = (Handle, slice, list, tuple, np.ndarray), 32  # of a list that is taken for a tuple
_GET, _SET = CALLS["index_get"], CALLS["index_set"]


def get_item(x: Any, index: Any) -> Any:
    """``x[index]``: a view for slices, numbers, None and ...; a gathered copy for index tensors and masks."""
    kind = type(index)
    if kind is slice:  # the hot case: a minibatch
        return _sliced(x, index, 0)
    if kind is int and (shape := x._at.spec.shape):
        if _has_components(x) and index_is_literal(2):
            return component(x, _position(index, shape[0], 0))
        return _select(x, _position(index, shape[0], 0), (0,))
    if isinstance(index, Handle) and _is_rows(index) and x._at.spec.shape:  # another: of examples that were drawn
        return record(_GET, (x, index), ((0,),))
    view, indices, dims = split_index(x, _with_positions(_parts_of(index) if kind is list else index))
    if indices:
        return record(_GET, (view, *indices), (dims,))
    return view if view is not x else record(_VIEW, (x,), (_spec(x).shape,))


def _is_rows(index: Any) -> bool:
    """Whether an index tensor says which rows are meant, in order."""
    spec = index._at.spec
    return bool(spec.shape) and spec.dtype.kind in "iu" and spec.dtype is not uint8


def _parts_of(index: list[Any]) -> Any:
    """A tuple of a list that cannot be one index, and, as in PyTorch, of one of lists or tensors."""
    if len(index) < _MOST_PARTS and any(p is None or p is Ellipsis or isinstance(p, _PARTS) for p in index):
        warn_here("Using a non-tuple sequence for multidimensional indexing is deprecated: x[tuple(seq)]", UserWarning)
        return tuple(index)
    return index


def _with_positions(index: Any) -> Any:
    """``index`` with the values of its 0-d integer tensors: as of numbers their parts are views."""
    if isinstance(index, tuple):
        return tuple([_with_positions(part) for part in index])
    is_number = isinstance(index, Handle) and not _spec(index).shape and _spec(index).dtype.name in _POSITIONS
    if is_number and local.trace.watcher is not None and (known := local.trace.watcher.position(index)) is not None:
        return known
    return int(number_of(index)) if is_number and not local.trace.vmaps else index


def set_item(x: Any, index: Any, value: Any) -> None:
    """``x[index] = value``: written through the view, or scattered."""
    _ = local.trace  # before asking: a thread's first one makes it one of several
    if threads.several:
        with threads.lock:  # what is scattered into may be written at other places meanwhile
            _set_item(x, index, value)
    else:
        _set_item(x, index, value)


def _set_item(x: Any, index: Any, value: Any) -> None:
    if _is_whole_mask(x, index) and (not isinstance(value, Handle) or _spec(value).size == 1):
        _check_place(x, index)
        if isinstance(value, Handle) and len(_spec(value).shape) > len(_spec(x).shape):
            value = record(_VIEW, (value,), ((),))
        value = _as_value(x, value)
        dtype = _spec(x).dtype
        if not isinstance(value, Handle):
            if dtype.kind in "biu" or isinstance(value, complex):  # a number must fit, be it of a higher category
                value = record(CALLS["broadcast_as"], (value,), ((), dtype))
        elif _spec(value).dtype.is_complex and not dtype.is_complex:
            raise NumberError(f"value cannot be converted to type {dtype.name} without overflow: it is complex")
        chosen: Any = lambda: record(CALLS["where"], (at(index, _spec(x).place), value, x))  # noqa: E731  (made when it is written)
        write_checked(x, lambda: _in_dtype(chosen(), x), "index_put_", places=lambda: at(index, _spec(x).place))
        return
    if type(index) is int and _has_components(x) and index_is_literal(2):
        x, index = component(x, _position(index, _spec(x).shape[0], 0)), ()
    index = None if index is True else _parts_of(index) if type(index) is list else index
    indices: list[Any] = []
    dims: tuple[int, ...] = ()
    if type(index) is int and (shape := x._at.spec.shape):
        view = _select(x, _position(index, shape[0], 0), (0,))
    else:
        view, indices, dims = split_index(x, index)
        if len({not _spec(i).shape for i in indices}) > 1:  # what is a number takes its dim out, wherever that is
            view, indices, dims = split_index(x, _with_positions(index))
    value = _as_value(x, value)
    if indices:
        if any(_spec(i).shape for i in indices):
            _require_category(view, value)
        else:
            value = _for_part(view, dims, value)
        written = lambda: record(_SET, (view, value, *indices), (dims, False))  # noqa: E731  (made when it is written)
        nowhere = everywhere(view, False)
        places = lambda: record(_SET, (nowhere(), True, *indices), (dims, False))  # noqa: E731  (made when it is written)
        write_checked(view, written, "index_put_", places=places)
        return
    spec = _spec(view)
    if fits_into(value, view):
        if not is_written_already(view, value):
            write_checked(view, lambda: value, "copy_", covers=True)
        return
    whole = lambda: at(record(CALLS["broadcast_as"], (value,), (spec.shape, spec.dtype)), spec.place)  # noqa: E731  (made when it is written)
    write_checked(view, whole, "copy_", covers=True)


def _require_category(x: Any, value: Any) -> None:
    """What index tensors spread keeps its fraction, and its imaginary part: PyTorch asks for one dtype there."""
    if not isinstance(value, Handle):
        return
    source, destination = _spec(value).dtype, _spec(x).dtype
    if source.is_inexact > destination.is_inexact or source.is_complex > destination.is_complex:
        raise DTypeError(
            f"x[index] = value: Index put requires the source and destination dtypes match, got {destination.name} for "
            f"the destination and {source.name} for the source."
        )


def _for_part(x: Any, dims: tuple[int, ...], value: Any) -> Any:
    """``value`` as it is written to the part of ``x`` that numbers along ``dims`` show, be they not known yet."""
    shape, strides = [
        tuple([n for d, n in enumerate(sizes) if d not in dims]) for sizes in (_spec(x).shape, strides_of(x))
    ]
    refuse_repeated(shape, strides)
    given = _spec(value).shape if isinstance(value, Handle) else ()
    extra = max(len(given) - len(shape), 0)
    return value if not extra or any(n != 1 for n in given[:extra]) else record(_VIEW, (value,), (given[extra:],))


def component(x: Any, position: int) -> Any:
    """An element of a vector, where the program says which: a structure of its own for each of a few."""
    return _component(x, (position,))


def slices(x: Any, dim: int) -> list[Any]:
    """All that ``x`` shows along ``dim``, one by one."""
    count = _spec(x).shape[dim]
    if _has_components(x):
        return [_unbind_component(x, (i,)) for i in range(count)]
    return [_unbind(x, i, (dim,)) for i in range(count)]


def _has_components(x: Any) -> bool:
    """Whether ``x`` is a small vector; memory that others see, too, is looked at as it is."""
    shape = x._at.spec.shape
    return len(shape) == 1 and shape[0] <= MOST_COMPONENTS and x._share is None


def _is_whole_mask(x: Any, index: Any) -> bool:
    """Whether ``index`` is a mask over all of ``x``: then no positions are needed, and nothing is looked at."""
    return isinstance(index, Handle) and _spec(index).dtype is bool_ and _spec(index).shape == _spec(x).shape


def _check_place(x: Any, mask: Any) -> None:
    """RuntimeError for a mask of another device: its values would be waited for and copied without a word."""
    place = _spec(x).place
    if _spec(mask).place not in (HOST, place):
        raise index_apart(place)


def _in_dtype(value: Any, x: Any) -> Any:
    dtype = _spec(x).dtype
    return value if _spec(value).dtype is dtype else record(CALLS["to_dtype"], (value,), (dtype,))


def _as_value(x: Any, value: Any) -> Any:
    if isinstance(value, Handle) or type(value) in (int, float, bool, complex, Number):
        return value
    dtype = _spec(x).dtype
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.asarray(value, object)
    if array.dtype.kind not in "biufc" and array.size:
        raise DTypeError(f"x[...] = value: can't assign a {type(value).__name__} to a tensor of {dtype.name}")
    if array.dtype.kind == "c" and not dtype.is_complex:
        raise NumberError(f"value cannot be converted to type {dtype.name} without overflow: it is complex")
    return from_values(array, dtype, place=_spec(x).place)


def _spec(x: Any) -> Any:
    return x._at.spec


def _sliced(x: Any, index: slice, dim: int) -> Any:
    shape = x._at.spec.shape
    if dim >= len(shape):
        raise TensorIndexError("slice() cannot be applied to a 0-dim tensor.")
    size, start, stop = shape[dim], index.start, index.stop
    if index.step is None and (start is None or type(start) is int) and (stop is None or type(stop) is int):
        # What ``slice_of`` gives, written out: recording a slice took as long again.
        if start is None:
            start = 0
        elif start < 0:
            start = start + size if start + size > 0 else 0
        elif start > size:
            start = size
        if stop is None or stop > size:
            stop = size
        elif stop < 0:
            stop += size
        return _slice(x, start, (dim, stop - start if stop > start else 0, 1))
    start, length, step = slice_of(index, shape[dim])
    return _slice(x, start, (dim, plain_number(length), step))


def slice_view(x: Any, dim: int, start: int, length: int, step: int = 1) -> Any:
    """A view of ``length`` elements along ``dim``; the numbers are valid."""
    return _slice(x, start, (dim, length, step))


def slice_of(index: slice, size: int) -> tuple[int, int, int]:
    """(start, length, step) of a slice over a dim of ``size``."""
    try:
        start, stop, step = _indices(index, size) if _has_numbers(index) else index.indices(size)
    except TypeError:
        raise DTypeError(
            f"slice indices must be integers or None or have an __index__ method, in {short(index)}"
        ) from None
    except ValueError:
        raise ArgumentError(f"slice step cannot be zero, in {short(index)}") from None
    if step <= 0:
        raise ArgumentError(f"step must be greater than zero, not {index.step}; flip() reverses a dim")
    if step == 1:
        return start, stop - start if stop > start else 0, 1
    return start, max((stop - start + step - 1) // step, 0), step


def _has_numbers(index: slice) -> bool:
    return type(index.start) is Number or type(index.stop) is Number


def _indices(index: slice, size: int) -> tuple[Any, Any, int]:
    """``index.indices(size)`` where start or stop are numbers with an origin, which they keep."""
    step = 1 if index.step is None else int(index.step)
    if step <= 0:
        raise ValueError
    start = 0 if index.start is None else _bounded(index.start, size)
    return start, size if index.stop is None else _bounded(index.stop, size), step


def _bounded(position: Any, size: int) -> Any:
    """A position counted from the start, between 0 and ``size``."""
    if type(position) is not Number:
        return min(max(position + size, 0), size) if position < 0 else min(position, size)
    if not isinstance(position, int):
        raise TypeError
    if position < 0:
        position = position + size
        if position < 0:
            return 0
    return size if position > size else position


def split_index(x: Any, index: Any) -> tuple[Any, list[Any], tuple[int, ...]]:
    """The view that the basic parts of ``index`` make, and the index tensors with the dims of it that they index."""
    parts = list(index) if isinstance(index, tuple) else [index]
    parts = [_advanced(p) for p in parts]
    rank = len(_spec(x).shape)
    used = sum(_dims_used(p) for p in parts)
    if sum(p is Ellipsis for p in parts) > 1:
        raise TensorIndexError("an index can only have a single ellipsis ('...')")
    if used > rank:
        raise TensorIndexError(f"too many indices for tensor of dimension {rank}: {used}")
    at = next((i for i, p in enumerate(parts) if p is Ellipsis), len(parts))
    parts[at : at + 1] = [slice(None)] * (rank - used)
    dim = own = 0  # where the view is, and where the tensor
    indices: list[Any] = []
    dims: list[int] = []
    for part in parts:
        if part is None:
            x = record(_NEW, (x,), (dim,))
            dim += 1
        elif isinstance(part, slice):
            if part != slice(None):
                x = _sliced(x, part, dim)
            dim += 1
        elif isinstance(part, Handle):
            if not _spec(part).shape and _spec(part).dtype is bool_:  # a dim of size 1, which a mask keeps or empties
                x = record(_NEW, (x,), (dim,))
            for one in _as_integers(x, part, dim):
                indices.append(one)
                dims.append(dim)
                dim += 1
        else:
            x = _select(x, _position(part, _spec(x).shape[dim], own), (dim,))
        own += _dims_used(part)
    return x, indices, tuple(dims)


def _advanced(part: Any) -> Any:
    """Lists, ranges and arrays of integers or bools as tensors, bytes as bools; everything else as it is."""
    if isinstance(part, bool):
        return from_values(np.asarray(part), None)
    if isinstance(part, (list, tuple, range, np.ndarray)):
        array = np.asarray(part)
        part = from_values(array if array.size else array.astype(np.int64), None)
    if isinstance(part, Handle):
        if _spec(part).dtype is not uint8:
            return part
        warn_here("indexing with uint8 is deprecated: use a mask of dtype nbgrad.bool", UserWarning)
        return record(CALLS["to_dtype"], (part,), (bool_,))
    if type(part) is Number and isinstance(part, int):
        return part
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    try:
        return part.__index__()
    except AttributeError:
        raise TensorIndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(part).__name__}: {short(part)})"
        ) from None


def _dims_used(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, Handle) and _spec(part).dtype is bool_:
        return len(_spec(part).shape)
    return 1


def _position(index: int, size: int, dim: int) -> int:
    if not -size <= index < size:
        raise TensorIndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index % size


def _as_integers(x: Any, index: Any, dim: int) -> list[Any]:
    """An index tensor as it is; a mask as the positions it holds, which needs its values (the trace is flushed)."""
    spec = _spec(index)
    if spec.dtype.kind in "iu":
        return [index]
    if spec.dtype is not bool_:
        raise TensorIndexError(
            f"tensors used as indices must be long, int, byte or bool tensors, not {spec.dtype.name}"
        )
    _check_place(x, index)
    shape = _spec(x).shape
    if not spec.shape:
        return [from_values(np.zeros(int(values(index)), np.int64), None)]
    if shape[dim : dim + len(spec.shape)] != spec.shape:
        raise TensorIndexError(
            f"The shape of the mask {list(spec.shape)} at index 0 does not match the shape of the indexed tensor "
            f"{list(shape)} at index {dim}"
        )
    return [from_values(positions, None) for positions in np.nonzero(values(index))]

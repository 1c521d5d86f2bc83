"""Writing at places that several index tensors name: ``index_put``."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.calls.arguments import flag_of, refused
from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeError, TensorIndexError
from nbgrad.tensor import Tensor
from nbgrad.tensor.subscript import split_index
from nbgrad.trace import everywhere, from_values, local, record, require_writable, tensor_of, threads, write_checked


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """``input`` with ``values`` at the places that a tuple of index tensors or masks names, as ``x[indices] = values``.

    Values broadcast to the places and have the input's dtype. They are written in their order, so the last of equal
    places stays; with ``accumulate`` all are added. IndexError at run time for a place that is not there.

    >>> nbgrad.index_put(nbgrad.zeros(3), (nbgrad.tensor([0, 0, 2]),), nbgrad.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([3., 0., 3.])
    """
    return _put("index_put", input, indices, values, accumulate)


def _put(name: str, input: Any, indices: Any, values: Any, accumulate: Any) -> Tensor:
    x, given = tensor_of(name, "input", input), tensor_of(name, "values", values)
    if not isinstance(indices, (tuple, list)):
        raise refused(name, "indices", indices, "tuple of Tensors")
    for place, index in enumerate(indices):
        if not isinstance(index, Tensor):
            raise DTypeError(
                f"{name}(): expected Tensor as element {place} in argument 'indices', but got {type(index).__name__}"
            )
    if given.dtype is not x.dtype:
        raise DTypeError(
            f"{name}(): Index put requires the source and destination dtypes match, got {x.dtype.name} for the "
            f"destination and {given.dtype.name} for the source."
        )
    adds = flag_of(name, "accumulate", accumulate)
    if not indices:
        raise TensorIndexError(f"{name}(): expected at least one index tensor in 'indices'")
    view, places, dims = split_index(x, tuple(indices))
    put: Tensor = record(CALLS["index_set"], (view, given, *places), (dims, adds))
    return put if put.shape == x.shape else put.reshape(x.shape)  # a 0-d mask indexes a dim of its own


def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """In-place version of :func:`nbgrad.index_put`, as ``input[indices] = values``.

    >>> nbgrad.index_put_(nbgrad.zeros(3), (nbgrad.tensor([2, 0]),), nbgrad.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    require_writable(local.trace, tensor_of("index_put_", "input", input), "index_put_")
    with threads.lock:
        nowhere, one = everywhere(input, False), from_values(np.asarray(True))
        places = lambda: _put("index_put_", nowhere(), indices, one, accumulate=False)  # noqa: E731  (made when it is written)
        put = lambda: _put("index_put_", input, indices, values, accumulate)  # noqa: E731  (made when it is written)
        write_checked(input, put, "index_put_", places=places)
    return input


for _name, _function in (("index_put", index_put), ("index_put_", index_put_)):
    setattr(Tensor, _name, _function)

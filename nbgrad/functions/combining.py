"""All ways to put elements together: combinations and cartesian_prod."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import RunError, ShapeError
from nbgrad.functions.creation import tensor
from nbgrad.functions.several_forms import meshgrid, tensors_of
from nbgrad.tensor import Tensor
from nbgrad.trace import record, tensor_of


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """The combinations of ``r`` elements of a vector, a row for each, in the order of ``itertools``.

    RuntimeError for a negative ``r`` and another number of dims.

    >>> nbgrad.combinations(nbgrad.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    x = _vector("combinations", tensor_of("combinations", "input", input))
    count = int_of("combinations", "r", r)
    if count < 0:
        raise RunError(f"combinations(): Expect a non-negative number, but got {count}")
    if count >= 2**31:
        raise RunError(f"combinations(): {count} elements a row are more than memory holds")
    if not count:
        return x[:0].clone()  # type: ignore[no-any-return]
    again = flag_of("combinations", "with_replacement", with_replacement)
    chosen = (itertools.combinations_with_replacement if again else itertools.combinations)(range(x.numel()), count)
    places = np.fromiter(itertools.chain.from_iterable(chosen), np.int64).reshape(-1, count)
    return x.take(tensor(places, device=x.device))  # type: ignore[no-any-return]


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """The Cartesian product of vectors of one dtype, a row for each tuple, the last element changing fastest; of one
    vector, that vector. RuntimeError for what are no vectors.

    >>> nbgrad.cartesian_prod(nbgrad.tensor([1, 2]), nbgrad.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    vectors: list[Any] = [_vector("cartesian_prod", x) for x in tensors_of("cartesian_prod", "tensors", tensors)]
    if len(vectors) == 1:
        return vectors[0]  # type: ignore[no-any-return]
    columns = tuple([x.reshape(-1) for x in meshgrid(*vectors, indexing="ij")])
    return record(CALLS["stack"], columns, (1,))  # type: ignore[no-any-return]


def _vector(name: str, x: Any) -> Any:
    if x.dim() != 1:
        raise ShapeError(f"{name}(): Expect a 1D vector, but got shape {list(x.shape)}")
    return x

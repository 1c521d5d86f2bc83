"""How many elements lie in intervals of one width: histc."""

from __future__ import annotations

from math import isfinite
from typing import Any

from nbgrad.calls.arguments import float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeNotImplementedError, RunError
from nbgrad.graph.dtypes import int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.out import takes_out
from nbgrad.trace import record, tensor_of


@takes_out
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of ``bins`` intervals of one width from ``min`` to ``max``, in the input's dtype.

    They go from the least to the largest element where both are equal. What lies outside, and NaN, counts nowhere.

    RuntimeError for no bins, a ``max`` below ``min``, bounds that are not finite and integers. No derivative.

    >>> nbgrad.histc(nbgrad.tensor([1.0, 2.0, 1.0]), 4, 0, 3)
    tensor([0., 2., 1., 0.])
    """
    x: Any = tensor_of("histc", "input", input).detach().reshape(-1)
    if not x.is_floating_point():
        raise DTypeNotImplementedError(f"histc(): not implemented for {x.dtype.name}: expected floats")
    count = int_of("histc", "bins", bins)
    low, high = float_of("histc", "min", min), float_of("histc", "max", max)
    if count <= 0:
        raise RunError(f"histc(): bins must be > 0, but got {count}")
    if high < low:
        raise RunError("histc(): max must be larger than min")
    if low == high and x.numel():
        low, high = x.min().item(), x.max().item()
    if not (isfinite(low) and isfinite(high)):
        raise RunError(f"histc(): range of [{low}, {high}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    inside = (x >= low) & (x <= high)
    places = ((x - low) / (high - low) * count).clamp(max=count - 1)
    places = record(CALLS["where"], (inside, places, 0.0)).to(int64)
    return x.new_zeros(count).scatter_add(0, places, inside.to(x.dtype))  # type: ignore[no-any-return]

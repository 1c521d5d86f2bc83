"""What the standard says of operands together: arrays decide the dtype whatever their rank, Python's numbers adapt."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import refused
from nbgrad.errors import DTypeError
from nbgrad.functions import scalar_tensor
from nbgrad.graph.dtypes import DType, as_dtype, get_default_dtype
from nbgrad.graph.dtypes import result_type as decided
from nbgrad.tensor import Tensor


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that arrays, dtypes and Python's numbers have together. TypeError for anything else, and for numbers
    alone.

    >>> from nbgrad import array_api as xp
    >>> xp.result_type(xp.ones(3), xp.asarray(1.0, dtype=xp.float64))
    nbgrad.float64
    """
    standings = tuple([_standing(x) for x in arrays_and_dtypes])
    if all(standing for _, standing in standings):
        raise DTypeError("result_type(): at least one argument must be an array or a dtype")
    return decided(standings)


def _standing(x: Any) -> tuple[DType, int]:
    if isinstance(x, (Tensor, DType)):
        return (x.dtype if isinstance(x, Tensor) else x), 0
    if isinstance(x, complex):
        return get_default_dtype().to_complex(), 2
    if not isinstance(x, (bool, int, float)):
        raise refused("result_type", "arrays_and_dtypes", x, "Tensor, dtype or number")
    return (get_default_dtype() if isinstance(x, float) else as_dtype(type(x))), 2


def together(*operands: Any) -> list[Tensor]:
    """Arrays and Python's numbers as tensors of the dtype that they have together, on the device of the arrays."""
    first = operands[0] if operands else None
    if isinstance(first, Tensor) and all(isinstance(x, Tensor) and x.dtype is first.dtype for x in operands):
        return [*operands]
    kind = result_type(*operands)
    device = next((x.device for x in operands if isinstance(x, Tensor)), None)
    return [x.to(kind) if isinstance(x, Tensor) else scalar_tensor(x, dtype=kind, device=device) for x in operands]

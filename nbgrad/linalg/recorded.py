"""How functions of ``nbgrad.linalg`` are recorded: LAPACK works on the CPU, so tensors of other devices go there."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.log import fall_back
from nbgrad.tensor import Tensor
from nbgrad.trace import record


def recorded(call: str, *tensors: Tensor, statics: tuple[Any, ...] = ()) -> Tensor:
    """The call on ``tensors``; those of a GPU are copied to the CPU and the result back, which ``explain`` says."""
    device, *others = [x.device for x in tensors]
    if device.type == "cpu" or any(other != device for other in others):  # a mixture is refused there
        return record(CALLS[call], tensors, statics)  # type: ignore[no-any-return]
    fall_back("tape", f"{CALLS[call].name}: computed on the CPU, copied there and back")
    found: Tensor = record(CALLS[call], tuple([x.to("cpu") for x in tensors]), statics)
    return found.to(device)

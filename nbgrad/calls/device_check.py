"""Whether the operands of a call live at one place, as PyTorch asks; what may stand beside tensors of a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nbgrad.calls.base import Call, is_number
from nbgrad.calls.transfer import TRANSFER
from nbgrad.errors import RunError
from nbgrad.graph.node import Node
from nbgrad.graph.spec import HOST, place_name
from nbgrad.ops.transfer import moved

# Calls whose operands from there on are indices, which may lie in the CPU's memory whatever their shape.
INDICES_FROM: Final = {"index": 1, "index_put_": 2}


def check_devices(call: Call, operands: list[Node | None], place_of: Callable[[Node], int]) -> int:
    """The place where ``call`` is computed: that of its operands. 0-d tensors of the CPU, and indices, are moved there,
    in the list.

    RuntimeError, with PyTorch's text, where tensors live at different places.
    """
    places = {i: place_of(x) for i, x in enumerate(operands) if x is not None and not is_number(x)}
    place = max(places.values(), default=HOST)
    if place == HOST or call is TRANSFER:
        return HOST
    indices = INDICES_FROM.get(call.name, len(operands))
    if indices < len(operands) and places[0] == HOST:
        raise index_apart(HOST)
    for i, x in enumerate(operands):
        if i not in places or places[i] == place:
            continue
        assert x is not None
        if places[i] == HOST and (i >= indices or not (x.spec.shape or (call.variadic and indices == len(operands)))):
            operands[i] = moved(x, place)
        else:
            raise _apart(call, list(places.values()))
    return place


def _apart(call: Call, places: list[int]) -> RunError:
    return apart(call.name, places[0], next(p for p in places if p != places[0]))


def apart(what: str, place: int, other: int) -> RunError:
    """The error of an operation on tensors of two devices; PyTorch names the CPU last."""
    first, second = (other, place) if place == HOST else (place, other)
    return RunError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{place_name(first)} and {place_name(second)}! (in {what})"
    )


def index_apart(place: int) -> RunError:
    """The error of an index, or a mask, that lies on another device than the tensor at ``place``."""
    return RunError(
        f"indices should be either on cpu or on the same device as the indexed tensor ({place_name(place)})"
    )

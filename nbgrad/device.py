"""Where tensors live: the CPU, or a CUDA device; and where new ones are made."""

from __future__ import annotations

import threading
from functools import cache
from typing import Final

from nbgrad.calls.arguments import refused
from nbgrad.errors import DTypeError, RunError
from nbgrad.graph.spec import HOST
from nbgrad.runtime.cuda.devices import current_device, gpu

TYPES: Final = ("cpu", "cuda")


class Device:
    """A device, by type and index, compared by value. As a ``with`` block: where tensors are made that say nothing."""

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | int | Device, index: int | None = None) -> None:
        if isinstance(type, Device) and index is None:
            type = str(type)
        if isinstance(type, int) and not isinstance(type, bool):
            type = f"cuda:{type}"
        if not isinstance(type, str):
            raise refused("device", "type", type, "str")
        name, colon, number = type.partition(":")
        if name not in TYPES:
            raise RunError(f"Expected one of {', '.join(TYPES)} device type at start of device string: {type}")
        if colon and not number.isdecimal():
            raise RunError(f"Invalid device string: {type!r}; expected {name!r} or '{name}:0'")
        if colon and index is not None:
            raise RunError(f"type (string) must not include an index because index was passed explicitly: {type}")
        if index is not None and index < 0:
            raise RunError(f"Device index must not be negative, got {index}")
        self.type = name
        self.index = int(number) if colon else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __enter__(self) -> Device:
        _default.places.append(place_of(self))
        return self

    def __exit__(self, *error: object) -> None:
        _default.places.pop()


class _Default(threading.local):
    """Where this thread makes tensors that say nothing; the last one holds."""

    def __init__(self) -> None:
        self.places = [HOST]


_default: Final = _Default()

cpu = Device("cpu")


def as_device(value: object) -> Device:
    """A Device from a Device, its name or the number of a CUDA device."""
    if isinstance(value, Device):
        return value
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return Device(value)
    raise DTypeError(f"expected a device or its name, such as 'cpu', not {type(value).__name__}")


def place_of(value: object) -> int:
    """The place that a device, given as users give it, stands for. RuntimeError where there is none such."""
    device = as_device(value)
    if device.type == "cpu":
        return HOST
    return gpu(current_device() if device.index is None else device.index).index + 1


def place_wanted(value: object) -> int:
    """The same for a new tensor, whose maker may say None."""
    return _default.places[-1] if value is None else place_of(value)


@cache
def device_at(place: int) -> Device:
    """The device that a place is."""
    return Device("cuda", place - 1) if place else cpu


def default_place() -> int:
    """The place where tensors are made that say nothing."""
    return _default.places[-1]


def get_default_device() -> Device:
    """Where tensors are made that say nothing.

    >>> nbgrad.get_default_device()
    device(type='cpu')
    """
    return device_at(_default.places[-1])


def set_default_device(device: object) -> None:
    """Make tensors that say nothing on ``device`` from now on; None: on the CPU. In this thread.

    >>> nbgrad.set_default_device("cpu")
    """
    _default.places[-1] = HOST if device is None else place_of(device)

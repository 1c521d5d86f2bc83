"""Where tensors live: the CPU."""

from __future__ import annotations

from nbgrad.calls.arguments import refused
from nbgrad.errors import DTypeError, RunError


class Device:
    """A device, by type and index, compared by value."""

    __slots__ = ("index", "type")

    def __init__(self, type: str, index: int | None = None) -> None:
        if not isinstance(type, str):
            raise refused("device", "type", type, "str")
        name, colon, number = type.partition(":")
        if name != "cpu":
            raise RunError(f"device {type!r} is not available: this build of nbgrad runs on the CPU")
        if colon and not number.isdecimal():
            raise RunError(f"Invalid device string: {type!r}; expected 'cpu' or 'cpu:0'")
        if colon and index is not None:
            raise RunError(f"type (string) must not include an index because index was passed explicitly: {type}")
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


cpu = Device("cpu")


def as_device(value: object) -> Device:
    """A Device from a Device or a string such as "cpu"."""
    if isinstance(value, Device):
        return value
    if isinstance(value, str):
        return Device(value)
    raise DTypeError(f"expected a device or its name, such as 'cpu', not {type(value).__name__}")

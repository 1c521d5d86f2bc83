"""What a library that is written for the standard can ask about this one."""

from __future__ import annotations

from typing import Any

from nbgrad.array_api.dtypes import isdtype
from nbgrad.cuda import device_count, is_available
from nbgrad.device import Device, as_device, get_default_device
from nbgrad.graph.dtypes import ALL, COMPLEX, DType, get_default_dtype, int64

_STANDARD = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32", "float64", "complex64", "complex128")


class Information:
    """Answers about dtypes, devices and abilities."""

    def capabilities(self) -> dict[str, Any]:
        """Masks, and shapes that depend on values; dims are not limited."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        """Where arrays are made."""
        return get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes of what is made of Python's numbers."""
        real = get_default_dtype()
        return {
            "real floating": real,
            "complex floating": real.to_complex(),
            "integral": int64,
            "indexing": int64,
        }

    def devices(self) -> list[Device]:
        """Where arrays can be."""
        return [as_device("cpu"), *[as_device(k) for k in range(device_count() if is_available() else 0)]]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The standard's dtypes, of a kind or several if given, by name: none of two bytes."""
        return {x.name: x for x in (*ALL, *COMPLEX) if x.name in _STANDARD and (kind is None or isdtype(x, kind))}


def __array_namespace_info__() -> Information:
    """Answers about dtypes, devices and abilities."""
    return Information()

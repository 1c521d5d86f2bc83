"""What numbers a dtype can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.errors import DTypeError
from nbgrad.graph.dtypes import DType, as_dtype, bool_, get_default_dtype
from nbgrad.graph.half import limits


class finfo:
    """Of a floating dtype, the default one or that of the parts of a complex one: ``bits``, ``eps`` (from 1 to the next
    number), ``max``, ``min``, ``tiny`` and ``smallest_normal``, ``resolution``, and the ``dtype``'s name. TypeError for
    other dtypes.

    >>> nbgrad.finfo(nbgrad.float32).max
    3.4028234663852886e+38
    """

    def __init__(self, type: Any = None) -> None:
        kind = get_default_dtype() if type is None else _dtype("finfo", type)
        if kind.is_complex:
            kind = kind.to_real()
        if not kind.is_floating_point:
            raise DTypeError(f"finfo: expected a floating point dtype, got {kind}; integers have iinfo")
        self.dtype, self.bits = kind.name, kind.itemsize * 8
        self.max, self.eps, self.tiny, self.resolution = limits(kind)
        self.min, self.smallest_normal = -self.max, self.tiny

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """Of an integer dtype: ``bits``, ``max``, ``min`` and the ``dtype``'s name. TypeError for other dtypes.

    >>> nbgrad.iinfo(nbgrad.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    def __init__(self, type: Any) -> None:
        kind = _dtype("iinfo", type)
        if kind.is_inexact or kind is bool_:
            raise DTypeError(f"iinfo: expected an integer dtype, got {kind}; floating ones have finfo")
        found = np.iinfo(kind.numpy)
        self.dtype, self.bits = kind.name, kind.itemsize * 8
        self.max, self.min = int(found.max), int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _dtype(name: str, given: Any) -> DType:
    if not isinstance(given, (DType, type)):
        raise DTypeError(f"{name}(): argument 'type' must be dtype, not {type(given).__name__}")
    return as_dtype(given)

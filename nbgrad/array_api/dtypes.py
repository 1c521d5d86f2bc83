"""Functions of dtypes."""

from __future__ import annotations

from typing import Any

from nbgrad import functions
from nbgrad.array_api.promotion import result_type
from nbgrad.calls.arguments import refused
from nbgrad.errors import ArgumentError
from nbgrad.graph.dtypes import ALL, COMPLEX, DType, as_dtype
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of

# The dtypes of each kind.
KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def astype(x: Tensor, dtype: DType, /, *, copy: bool = True, device: Any = None) -> Any:
    """``x`` in ``dtype``: a copy, or with ``copy`` False itself where nothing changes."""
    found = tensor_of("astype", "x", x)
    return found.to(found.device if device is None else device, dtype, copy=copy)


def can_cast(from_: Any, to: DType, /) -> bool:
    """Whether promotion leads from a dtype, or that of an array, to ``to``."""
    return result_type(from_, to) is to


class finfo(functions.finfo):
    """What ``nbgrad.finfo`` says, of arrays too; ``dtype`` is the dtype itself."""

    def __init__(self, type: Any, /) -> None:
        super().__init__(type.dtype if isinstance(type, Tensor) else type)
        self.dtype: Any = as_dtype(self.dtype)


class iinfo(functions.iinfo):
    """What ``nbgrad.iinfo`` says, of arrays too; ``dtype`` is the dtype itself."""

    def __init__(self, type: Any, /) -> None:
        super().__init__(type.dtype if isinstance(type, Tensor) else type)
        self.dtype: Any = as_dtype(self.dtype)


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Whether ``dtype`` is another one, or of a kind such as "integral", or of one of several of these."""
    if not isinstance(dtype, DType):
        raise refused("isdtype", "dtype", dtype, "dtype")
    return any(dtype in _dtypes_of(one) for one in (kind if isinstance(kind, tuple) else (kind,)))


def _dtypes_of(kind: Any) -> tuple[DType, ...]:
    if isinstance(kind, DType):
        return (kind,)
    if kind not in KINDS:
        raise ArgumentError(f"isdtype(): kind must be a dtype, or one of {', '.join(KINDS)}; not {kind!r}")
    return tuple([x for x in (*ALL, *COMPLEX) if x.kind in KINDS[kind]])

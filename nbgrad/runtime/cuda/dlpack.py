"""DLPack's structures, for memory of a device: a capsule that other libraries take, and memory out of theirs.

NumPy makes and takes those of the CPU's memory, and makes ours, too: what it does when a capsule is gone is compiled
code, beside which an error may be on its way. Source: DLPack 0.8, ``dlpack.h``.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.errors import DTypeError, RunError
from nbgrad.graph.dtypes import ALL, DType, bfloat16
from nbgrad.graph.spec import contiguous_strides
from nbgrad.runtime.cuda.owned import Owned

CUDA: Final = 2  # kDLCUDA
_CODES: Final = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}  # by kind
_BFLOAT: Final = 4
_NAME: Final = b"dltensor"  # of a capsule that nobody has taken yet
_VERSIONED: Final = b"dltensor_versioned"
_USED: Final = {_NAME: b"used_dltensor", _VERSIONED: b"used_dltensor_versioned"}
_MAJOR: Final = 1  # the layout of what newer libraries give
_READ_ONLY: Final = 1  # a flag of it


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


class _Versioned(ctypes.Structure):
    """What newer libraries give, from DLPack 1.0 on."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_api: Final = ctypes.pythonapi
_pointer_of: Final = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api)
)
_name_of: Final = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_GetName", _api))
_rename: Final = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_SetName", _api))


class Memory(NamedTuple):
    """A value in memory of device ``device``; strides are in elements."""

    address: int
    device: int
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def lend(memory: Memory, keep: object) -> Any:
    """A capsule with ``memory``; ``keep`` lives as long as whoever takes it needs it."""
    size, reach = memory.dtype.itemsize, sum([(n - 1) * s for n, s in zip(memory.shape, memory.strides, strict=True)])
    window: Any = (ctypes.c_char * ((reach + 1) * size if all(memory.shape) else 1)).from_address(memory.address)
    window.keep = keep
    array = np.ndarray(memory.shape, f"u{size}", window, 0, [s * size for s in memory.strides])
    capsule = array.__dlpack__()
    tensor = _structure(capsule)[0].tensor
    tensor.data, tensor.device_type, tensor.device_id = memory.address, CUDA, memory.device
    tensor.code = _code_of(memory.dtype)
    return capsule


def as_dtype(capsule: Any, dtype: DType) -> Any:
    """A capsule of NumPy's, whose elements mean ``dtype``."""
    _structure(capsule)[0].tensor.code = _code_of(dtype)
    return capsule


def _code_of(dtype: DType) -> int:
    return _BFLOAT if dtype is bfloat16 else _CODES[dtype.kind]


def is_capsule(value: object) -> bool:
    """Whether this is what ``__dlpack__`` gives, and not what has it."""
    return type(value).__name__ == "PyCapsule"


def kind_of(capsule: Any) -> tuple[int, int]:
    """(kind of device, its number) of the memory in a capsule. RuntimeError for one that holds none any more."""
    tensor = _structure(capsule)[0].tensor
    return tensor.device_type, tensor.device_id


def borrow(capsule: Any) -> tuple[Memory, Owned | None]:
    """The memory in another library's capsule, and what that library hears of when it is dropped; None: of nothing."""
    managed, address, name = _structure(capsule)
    if name == _VERSIONED and managed.flags & _READ_ONLY:
        raise RunError("from_dlpack: the source gave read-only memory, which cannot be shared")
    tensor = managed.tensor
    dtype = _dtype_of(tensor.code, tensor.bits, tensor.lanes)
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else contiguous_strides(shape)
    where = (tensor.data or 0) + tensor.byte_offset
    _rename(id(capsule), _USED[name])
    keep = Owned(address, partial(managed.deleter, address)) if managed.deleter else None
    return Memory(where, tensor.device_id, dtype, shape, strides), keep


def _structure(capsule: Any) -> tuple[Any, int, bytes]:
    """(the structure in a capsule, its address, the capsule's name)."""
    name = _name_of(id(capsule))
    if name not in _USED:
        raise RunError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you "
            "might have already constructed a tensor from it once."
        )
    address = _pointer_of(id(capsule), name)
    if name == _NAME:
        return _Managed.from_address(address), address, name
    managed = _Versioned.from_address(address)
    if managed.major != _MAJOR:
        raise RunError(f"from_dlpack: the capsule is of DLPack {managed.major}.{managed.minor}, known is {_MAJOR}")
    return managed, address, name


def _dtype_of(code: int, bits: int, lanes: int) -> DType:
    for dtype in ALL:
        if (_code_of(dtype), dtype.itemsize * 8, 1) == (code, bits, lanes):
            return dtype
    raise DTypeError(f"from_dlpack: there is no dtype of kind {code} with {bits} bits in {lanes} lanes")

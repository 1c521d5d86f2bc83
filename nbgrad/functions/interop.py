"""Memory of other libraries as tensors: NumPy's arrays, DLPack, ``__cuda_array_interface__``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from nbgrad.calls.arguments import dtype_of, flag_of
from nbgrad.device import as_device
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.spec import contiguous_strides
from nbgrad.runtime.cuda.copies import device_of, follow_stream, stream_of
from nbgrad.runtime.cuda.dlpack import CUDA, Memory, borrow, is_capsule, kind_of
from nbgrad.tensor import Tensor
from nbgrad.tensor.external_memory import borrowed
from nbgrad.tensor.strided import over
from nbgrad.trace import from_values

_CPU: Final = 1  # kDLCPU


def from_numpy(array: np.ndarray[Any, np.dtype[Any]]) -> Tensor:
    """A tensor that shares ``array``'s memory: writes on either side are seen on the other.

    As the array may change at any time, operations copy what they read from it when they are recorded; for data that
    stays as it is, ``nbgrad.tensor(array)`` copies once. TypeError for what is no array or of a dtype that nbgrad does
    not have, ValueError for foreign byte order, RuntimeError for read-only memory.

    >>> a = np.array([1.0, 2.0])
    >>> x = nbgrad.from_numpy(a)
    >>> a[0] = 5.0
    >>> x
    tensor([5., 2.], dtype=nbgrad.float64)
    """
    if not isinstance(array, np.ndarray):
        raise DTypeError(f"from_numpy: expected np.ndarray (got {type(array).__name__})")
    if not array.dtype.isnative:
        raise ArgumentError(
            f"from_numpy: the array has the byte order of another machine ({array.dtype.str}), so its memory cannot be "
            "shared; nbgrad.tensor(array) makes a converted copy"
        )
    made: Any = over(np.asarray(array) if hasattr(array, "filled") else array)  # without its mask
    return made  # type: ignore[no-any-return]


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor that shares the memory of anything with ``__dlpack__``, on the CPU or a CUDA device, or of a DLPack
    capsule, which can be used once.

    ``device``: where it is wanted. ``copy``: None copies only what must be (memory of a device with gaps between the
    elements, or of another one than ``device``), False is RuntimeError there. RuntimeError for anything else.

    >>> nbgrad.from_dlpack(np.array([1, 2]))
    tensor([1, 2])
    """
    if copy is not None:
        flag_of("from_dlpack", "copy", copy)
    made = _shared_by_dlpack(ext_tensor, may_copy=copy is not False)
    wanted = made.device if device is None else as_device(device)
    if copy is False and wanted.type != made.device.type:
        raise RunError(f"from_dlpack: copy=False, and the memory is on {made.device}, not on {wanted}")
    return made.to(wanted, copy=bool(copy))


def _shared_by_dlpack(source: Any, *, may_copy: bool) -> Tensor:
    if is_capsule(source):
        return _of_capsule(source, may_copy)
    if not hasattr(source, "__dlpack__"):
        raise RunError(f"from_dlpack: expected an object with __dlpack__, got {type(source).__name__}")
    kind, index = getattr(source, "__dlpack_device__", lambda: (_CPU, 0))()
    if kind == CUDA:
        return _of_capsule(source.__dlpack__(stream=stream_of(index)), may_copy)
    if str(getattr(source, "dtype", "")).endswith("bfloat16"):  # which NumPy does not know
        return _of_capsule(source.__dlpack__(), may_copy)
    try:
        array = np.from_dlpack(source)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise RunError(f"from_dlpack: {type(source).__name__} gives nothing that can be shared: {error}") from None
    if not array.flags.writeable:
        raise RunError(
            "from_dlpack: the source gave read-only memory, which cannot be shared; copy it with nbgrad.tensor"
        )
    return from_numpy(array)


def _of_capsule(capsule: Any, may_copy: bool) -> Tensor:
    kind, _ = kind_of(capsule)
    if kind not in (_CPU, CUDA):
        raise RunError(
            f"from_dlpack: memory of a device of kind {kind}: only the CPU's and a CUDA device's can be shared"
        )
    memory, keep = borrow(capsule)
    if kind == CUDA:
        return _shared("from_dlpack", memory, keep, may_copy)
    made: Any = over(np.asarray(_OnHost(memory, keep)), memory.dtype)
    return made  # type: ignore[no-any-return]


class _OnHost:
    """Memory of the CPU, as NumPy asks for it; the array keeps this object."""

    def __init__(self, memory: Memory, keep: object) -> None:
        self._keep = keep
        dtype = memory.dtype.numpy
        self.__array_interface__ = {
            "data": (memory.address, False),
            "shape": memory.shape,
            "strides": tuple([s * dtype.itemsize for s in memory.strides]),
            "typestr": dtype.str,
            "version": 3,
        }


def shared_with(function: str, data: Any) -> Tensor:
    """A tensor that shares the memory of what has a ``__cuda_array_interface__``; a copy where that has gaps.

    What is done with it comes after what the stream that ``data`` names has to do now; the host does not wait.
    """
    interface = data.__cuda_array_interface__
    memory = _memory_of(
        interface, device_of(interface["data"][0]), dtype_of(function, "data", np.dtype(interface["typestr"]))
    )
    if interface.get("stream"):
        follow_stream(memory.device, interface["stream"])
    return _shared(function, memory, data, may_copy=True)


def _shared(function: str, memory: Memory, keep: object, may_copy: bool) -> Tensor:
    """A tensor over memory of a device, which ``keep`` owns: as a view of it in row-major order; a copy where there are
    gaps between its elements."""
    order = _dense_order(memory)
    if order is not None:
        rows = memory._replace(
            shape=tuple([memory.shape[d] for d in order]), strides=tuple([memory.strides[d] for d in order])
        )
        made: Any = borrowed(function, rows, keep)
        back = sorted(range(len(order)), key=order.__getitem__)
        shown: Tensor = made if back == sorted(back) else made.permute(back)
        return shown
    if not may_copy:
        raise RunError(
            f"{function}: copy=False, but memory of a device cannot be shared where there are gaps between elements: "
            f"shape {list(memory.shape)}, strides {list(memory.strides)}"
        )
    stretch, places = _stretch_of(memory)
    whole: Any = borrowed(function, stretch, keep)
    index: Any = from_values(places, place=memory.device + 1)
    found: Tensor = whole[index]
    return found


def _memory_of(interface: dict[str, Any], device: int, dtype: DType) -> Memory:
    """The memory that a ``__cuda_array_interface__`` describes."""
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is not None and any(s % dtype.itemsize for s in strides):
        raise RunError(
            f"the memory's strides of {list(strides)} bytes are no multiples of {dtype.itemsize}, its elements'"
        )
    steps = contiguous_strides(shape) if strides is None else tuple([s // dtype.itemsize for s in strides])
    return Memory(interface["data"][0], device, dtype, shape, steps)


def _dense_order(memory: Memory) -> tuple[int, ...] | None:
    """The order of dims in which the elements of ``memory`` lie one after the other; None where there are gaps."""
    shape, strides = memory.shape, memory.strides
    if 0 in shape:
        return tuple(range(len(shape)))
    order = sorted(range(len(shape)), key=lambda d: (-strides[d] if shape[d] != 1 else 0, d))
    wide = [d for d in order if shape[d] != 1]
    wanted = contiguous_strides(tuple([shape[d] for d in wide]))
    if any(strides[d] != step for d, step in zip(wide, wanted, strict=True)):
        return None
    return tuple(range(len(shape))) if wide == sorted(wide) else tuple(order)


def _stretch_of(memory: Memory) -> tuple[Memory, np.ndarray[Any, np.dtype[np.int64]]]:
    """From the first to the last element of ``memory``, all that lies there; and where in it each element is."""
    shape, itemsize = memory.shape, memory.dtype.itemsize
    steps = np.array(memory.strides, np.int64).reshape(len(shape), *[1] * len(shape))
    places = (np.indices(shape, np.int64) * steps).sum(0)
    first = int(places.min())
    size = int(places.max()) - first + 1
    address = memory.address + first * itemsize
    return Memory(address, memory.device, memory.dtype, (size,), (1,)), places - first

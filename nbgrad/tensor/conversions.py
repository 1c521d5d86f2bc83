"""A tensor with another dtype, or in another place: ``to`` and its short forms."""

from __future__ import annotations

import builtins
from typing import Any, Final, Self

from nbgrad.autograd.memory_order import laid_out, order_of
from nbgrad.calls.arguments import dtype_of, flag_of, format_of, refused
from nbgrad.calls.base import CALLS
from nbgrad.device import Device, as_device, place_of
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, RunError, warn_here
from nbgrad.graph.dtypes import (
    ALL,
    COMPLEX,
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from nbgrad.graph.layout import contiguous_format
from nbgrad.graph.spec import HOST
from nbgrad.tensor.described import Described
from nbgrad.tensor.pinned import fetched, is_pinned, pinned
from nbgrad.trace import Handle, at, local, record, tensor_of

_OLD_NAMES: Final = {
    bool_: "BoolTensor",
    uint8: "ByteTensor",
    int8: "CharTensor",
    int16: "ShortTensor",
    int32: "IntTensor",
    int64: "LongTensor",
    float16: "HalfTensor",
    bfloat16: "BFloat16Tensor",
    float32: "FloatTensor",
    float64: "DoubleTensor",
    complex64: "ComplexFloatTensor",
    complex128: "ComplexDoubleTensor",
}
_ROOMS: Final = {"nbgrad": "cpu", "torch": "cpu", "nbgrad.cuda": "cuda", "torch.cuda": "cuda"}


class Conversions(Described):
    """The part of a tensor that changes its dtype or its place."""

    __slots__ = ()

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """This tensor with another dtype or on another device: ``to(dtype)``, ``to(device, dtype)``, ``to(other)``.

        ``copy`` asks for a copy also where nothing changes. ``non_blocking``: a copy to the CPU is pinned, and is there
        later; a look at it waits for it. Nobody waits for copies to a device, whatever this says, but for those of more
        than 64 KiB that is not pinned, which wait for themselves alone. TypeError for arguments that it does not take.
        """
        device, dtype, copy, later = target_of("to", args, dict(kwargs))
        memory_format = kwargs.get("memory_format")
        place = self._spec.place if device is None else place_of(device)
        wanted = self.dtype if dtype is None else dtype
        if wanted is self.dtype and place == self._spec.place:
            return self.clone(memory_format=memory_format) if copy else self
        # What is smaller travels.
        small = (
            self if wanted.itemsize > self.dtype.itemsize or wanted is self.dtype else self._as(wanted, memory_format)
        )
        there: Any = fetched(small) if later and place == HOST and self.is_cuda else None
        if there is None:
            there = at(small, place)
        return there._as(wanted, memory_format)  # type: ignore[no-any-return]

    def _as(self, dtype: DType, memory_format: Any = None) -> Self:
        if dtype is self.dtype:
            return self
        if self.dtype.is_complex and not dtype.is_complex and dtype is not bool_:
            warn_here("Casting complex values to real discards the imaginary part: use x.real", UserWarning)
        if self._share is not None and memory_format is not contiguous_format and not local.trace.vmaps:
            order = order_of(self, with_gaps=True)
            if order is not None:
                return laid_out(order, self, "to_dtype", dtype)  # type: ignore[return-value]
        return record(CALLS["to_dtype"], (self,), (dtype,))  # type: ignore[no-any-return]

    def cpu(self, memory_format: Any = None) -> Self:
        """This tensor on the CPU: itself, or a copy."""
        there: Any = at(self, HOST)
        return there  # type: ignore[no-any-return]

    def cuda(self, device: Any = None, non_blocking: builtins.bool = False, memory_format: Any = None) -> Self:
        """This tensor on a CUDA device, the current one unless given: itself, or a copy. RuntimeError without one."""
        flag_of("cuda", "non_blocking", non_blocking)
        wanted = as_device("cuda" if device is None else device)
        if wanted.type != "cuda":
            raise RunError(f"Invalid device, must be cuda device: {wanted}")
        there: Any = at(self, place_of(wanted))
        return there  # type: ignore[no-any-return]

    def pin_memory(self, device: Any = None) -> Self:
        """This tensor, which must be on the CPU, in memory from where copies to a device need no detour, and are not
        waited for. RuntimeError without CUDA.

        Copies of up to 64 KiB go through pinned memory of nbgrad's own, so they gain nothing. What is computed in place
        in a pinned tensor is not pinned; what ``copy_`` brings there is.
        """
        if self.is_cuda:
            raise RunError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
        if self.is_pinned():
            return self
        made: Any = pinned(self)
        return made  # type: ignore[no-any-return]

    def record_stream(self, stream: Any) -> None:
        """Nothing: memory of a device is never written again before every stream that reads it is done.

        NotImplementedError for a tensor on the CPU, as in PyTorch.
        """
        if not self.is_cuda:
            raise DTypeNotImplementedError("record_stream(): this tensor is on the CPU, which has no streams")
        if not isinstance(getattr(stream, "cuda_stream", None), int):
            raise refused("record_stream", "s", stream, "Stream")

    def is_pinned(self, device: Any = None) -> builtins.bool:
        """Whether this tensor lies in pinned memory, which is pinned for all CUDA devices."""
        if device is not None and as_device(device).type != "cuda":
            raise RunError(f"is_pinned(): memory is pinned for a CUDA device, not for {as_device(device)}")
        return is_pinned(self)

    def type(self, dtype: Any = None, non_blocking: builtins.bool = False) -> Any:
        """The name of the kind of tensor in PyTorch's old style, such as "nbgrad.FloatTensor" or
        "nbgrad.cuda.LongTensor"; or this tensor as ``dtype``, such a name or its class says. ValueError for another
        name."""
        if dtype is None:
            return ("nbgrad.cuda." if self.is_cuda else "nbgrad.") + _OLD_NAMES[self.dtype]
        if not isinstance(dtype, str):
            known = getattr(dtype, "dtype", None)  # of a class such as DoubleTensor
            return self.to(known if isinstance(known, DType) else as_dtype(dtype), non_blocking=non_blocking)
        room, _, name = dtype.rpartition(".")
        kind = next((kind for kind, known in _OLD_NAMES.items() if known == name), None)
        if kind is None or room not in _ROOMS:
            raise ArgumentError(f"type(): invalid type: {dtype!r}")
        return self.to(_ROOMS[room], kind, non_blocking)

    def float(self, memory_format: Any = None) -> Self:
        """This tensor in float32: itself where it already is."""
        return self.to(float32, memory_format=memory_format)

    def double(self, memory_format: Any = None) -> Self:
        """This tensor in float64: itself where it already is."""
        return self.to(float64, memory_format=memory_format)

    def half(self, memory_format: Any = None) -> Self:
        """This tensor in float16: itself where it already is."""
        return self.to(float16, memory_format=memory_format)

    def bfloat16(self, memory_format: Any = None) -> Self:
        """This tensor in bfloat16: itself where it already is."""
        return self.to(bfloat16, memory_format=memory_format)

    def cfloat(self, memory_format: Any = None) -> Self:
        """This tensor in complex64: itself where it already is."""
        return self.to(complex64, memory_format=memory_format)

    def cdouble(self, memory_format: Any = None) -> Self:
        """This tensor in complex128: itself where it already is."""
        return self.to(complex128, memory_format=memory_format)

    def long(self, memory_format: Any = None) -> Self:
        """This tensor in int64: itself where it already is."""
        return self.to(int64, memory_format=memory_format)

    def int(self, memory_format: Any = None) -> Self:
        """This tensor in int32: itself where it already is."""
        return self.to(int32, memory_format=memory_format)

    def short(self, memory_format: Any = None) -> Self:
        """This tensor in int16: itself where it already is."""
        return self.to(int16, memory_format=memory_format)

    def char(self, memory_format: Any = None) -> Self:
        """This tensor in int8: itself where it already is."""
        return self.to(int8, memory_format=memory_format)

    def byte(self, memory_format: Any = None) -> Self:
        """This tensor in uint8: itself where it already is."""
        return self.to(uint8, memory_format=memory_format)

    def bool(self, memory_format: Any = None) -> Self:
        """This tensor in bool: itself where it already is."""
        return self.to(bool_, memory_format=memory_format)

    def type_as(self, other: Any) -> Self:
        """This tensor with the dtype of ``other``, and where ``other`` is."""
        return self.to(tensor_of("type_as", "other", other))


_DTYPES = tuple([dtype.name for dtype in (*ALL, *COMPLEX)])


def target_of(
    function: str, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Device | None, DType | None, builtins.bool, builtins.bool]:
    """(device, dtype, whether a copy is wanted, whether it may be there later) of the arguments of ``to``; None for
    what they do not say."""
    given = list(args)
    device: Any = None
    dtype: Any = None
    other = given.pop(0) if given and isinstance(given[0], Handle) else named.get("other")
    if other is not None:
        device, dtype = tensor_of(function, "other", other).device, other.dtype
    elif given and _is_device(given[0]):
        device = given.pop(0)
    if given and other is None and not isinstance(given[0], builtins.bool):
        dtype = given.pop(0)
    for name in ("non_blocking", "copy"):
        if given:
            named[name] = given.pop(0)
    if given or not set(named) <= {"dtype", "device", "other", "non_blocking", "copy", "memory_format"}:
        raise DTypeError(f"{function}() got arguments it does not take: {[*given, *named]}")
    device = named["device"] if named.get("device") is not None else device
    dtype = named["dtype"] if named.get("dtype") is not None else dtype
    format_of(function, "memory_format", named.get("memory_format"))
    later = flag_of(function, "non_blocking", named.get("non_blocking", False))
    copy = flag_of(function, "copy", named.get("copy", False))
    return (
        None if device is None else as_device(device),
        None if dtype is None else dtype_of(function, "dtype", dtype),
        copy,
        later,
    )


def _is_device(value: Any) -> builtins.bool:
    is_number = isinstance(value, int) and not isinstance(value, builtins.bool)
    return isinstance(value, Device) or is_number or (isinstance(value, str) and value not in _DTYPES)

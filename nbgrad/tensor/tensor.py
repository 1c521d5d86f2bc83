"""The tensor a user holds. Its arithmetic is recorded (trace/); most of its methods are declared in calls/."""

from __future__ import annotations

import builtins
import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbgrad.autograd.memory_order import order_of
from nbgrad.calls.arguments import flag_of
from nbgrad.calls.arithmetic import STATIC_EXPONENTS
from nbgrad.calls.base import CALLS
from nbgrad.device import place_of
from nbgrad.errors import ArgumentError, DTypeError, GradError, NumberError, RunError, ShapeError
from nbgrad.graph.dtypes import bfloat16, by_name
from nbgrad.runtime.cuda.copies import lead_stream, stream_of
from nbgrad.runtime.cuda.dlpack import CUDA, as_dtype, lend
from nbgrad.runtime.cuda.shared_memory import Borrower
from nbgrad.tensor import operators, printing, subscript, surface
from nbgrad.tensor.conversions import Conversions
from nbgrad.tensor.described import Described
from nbgrad.tensor.differentiable import Differentiable
from nbgrad.tensor.external_memory import lent
from nbgrad.tensor.operators import Operators
from nbgrad.tensor.pinned import is_pinned, refilled
from nbgrad.tensor.protocols import Protocols
from nbgrad.tensor.strided import Strided
from nbgrad.trace import (
    address_of,
    as_operand,
    at,
    detach,
    everywhere,
    exported,
    fast_static,
    fill_zero,
    fits_into,
    flush,
    from_values,
    get_mode,
    known_numbers,
    local,
    looked,
    number_of,
    record,
    require_writable,
    shown_through,
    shows_twice,
    tensor_of,
    tensor_types,
    threads,
    use,
    values,
    whole_behind,
    write_checked,
)

_pow_static = fast_static(CALLS["pow_static"])


class _TensorClass(type):
    """What it is to call a class of tensors, functions/new.py says; results are made without (trace/fast.py)."""


class Tensor(Differentiable, Strided, Protocols, Conversions, Operators, Described, metaclass=_TensorClass):
    """An n-dimensional array that records what is computed from it, so that it can be differentiated.

    Made by ``nbgrad.tensor`` and the other creation functions; ``Tensor([1, 2])`` and ``Tensor(2, 3)``, of the default
    dtype, by a list and by sizes. Operations are recorded, and run when a value is looked
    at (``item``, ``numpy``, ``print``, ``backward``): results are those of PyTorch's eager mode.
    """

    __slots__ = ()
    __array_priority__ = 1000

    def __init_subclass__(cls) -> None:
        tensor_types.add(cls)

    @staticmethod
    def _make_subclass(cls: Any, data: Tensor, requires_grad: bool = False) -> Any:
        """A ``cls`` that shares the memory of ``data``, as a leaf."""
        made: Any = detach(data)
        made.__class__ = cls
        return made.requires_grad_(requires_grad)

    def as_subclass(self, cls: type[Tensor]) -> Any:
        """The same memory and history as a ``cls``. What is computed from it is a ``Tensor``."""
        if not (isinstance(cls, type) and issubclass(cls, Tensor)):
            raise DTypeError("as_subclass(): the class must inherit from Tensor")
        made = self.view(self.shape)
        made.__class__ = cls
        return made

    # --- looking at values

    def item(self) -> Any:
        """The value of a tensor with one element, as a Python number."""
        if self._page is None and self._share is None and (number_at := known_numbers.get(self._at.spec)) is not None:
            if threads.watched:
                looked(local.trace)
            return number_at(self._buffer.address).value
        if self._at.spec.size != 1:  # type: ignore[union-attr]
            raise ArgumentError(
                f"item(): a Tensor with {self._spec.size} elements cannot be converted to Scalar; only one element "
                "tensors can"
            )
        return number_of(self)

    def tolist(self) -> Any:
        """The values as (nested lists of) Python numbers."""
        return values(self).tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, np.dtype[Any]]:
        """An array that shares this tensor's memory; RuntimeError where that requires grad and grad mode is on. With
        ``force``, of the detached tensor, copied from a device."""
        forced, shown = force is not False and flag_of("numpy", "force", force), self
        if self.requires_grad:
            if not forced and get_mode()[0]:
                raise GradError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
            shown = self.detach()
        if self.dtype is bfloat16:
            raise DTypeError("Got unsupported ScalarType BFloat16: NumPy has none; use x.float().numpy()")
        return exported(shown.cpu() if forced else shown)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, np.dtype[Any]]:
        array = self.numpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: builtins.bool = False) -> Tensor:
        """What a NumPy function gives of tensors is a tensor."""
        made: Any = from_values(np.asarray(array))
        return made  # type: ignore[no-any-return]

    def __dlpack__(self, **options: Any) -> Any:
        """DLPack export: shares memory with any library that reads it. ``stream``: of a device's memory, the stream on
        which the other side will read it, which waits for it (DLPack numbers it; -1: none does)."""
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.is_cpu or options.get("dl_device") == (1, 0):
            return as_dtype(exported(self.cpu()).__dlpack__(**options), self.dtype)
        shown = self.clone() if options.get("copy") else self
        borrower = Borrower()
        memory = lent(shown, borrower)
        lead_stream(memory.device, options.get("stream"))
        return lend(memory, (shown, borrower))

    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        return (CUDA, self.get_device()) if self.is_cuda else (1, 0)  # kDLCUDA, kDLCPU

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Where this tensor lies on its device, for Numba's and other libraries' kernels, which may read and write it.

        As long as this object lives, an operation that reads the memory copies it first, as others may write it at any
        time; a kernel that is given ``x.detach()`` leaves ``x`` as quick as it was. AttributeError on the CPU.
        """
        if self.is_cpu:
            raise AttributeError(
                f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA data is required "
                "use tensor.cuda() to copy tensor to device memory."
            )
        if self.requires_grad:
            raise GradError(
                "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't required, use "
                "var.detach() to get Variable that doesn't require grad."
            )
        memory = lent(self, self)
        itemsize = self.itemsize
        return {
            "typestr": self.dtype.numpy.str,
            "shape": memory.shape,
            "strides": None if self.is_contiguous() else tuple([s * itemsize for s in memory.strides]),
            "data": (memory.address if self.numel() else 0, False),
            "version": 3,
            "stream": stream_of(memory.device),
        }

    def data_ptr(self) -> int:
        """The address of the first element, of memory that stays where it is as long as it is exported."""
        if self._spec.place:
            return address_of(self)
        flush(local.trace)  # what waits holds the memory that it reads: it would be exported as a copy
        return int(exported(self).__array_interface__["data"][0])

    def __repr__(self) -> str:
        return printing.tensor_repr(self)

    def __format__(self, spec: str) -> str:
        if not self._spec.shape and type(self) is Tensor:
            return format(self.item(), spec)
        if spec:
            raise DTypeError(
                f"unsupported format string {spec!r} passed to {type(self).__name__}.__format__: it is for one number, "
                "such as x.item() or those of x.tolist()"
            )
        return repr(self)

    def __bool__(self) -> bool:
        if self._spec.size != 1:
            what = "more than one value" if self._spec.size else "no values"
            raise RunError(f"Boolean value of Tensor with {what} is ambiguous")
        return bool(self.item())

    def __float__(self) -> float:
        return float(self._real_number("double"))

    def __complex__(self) -> complex:
        return complex(self.item())

    def __int__(self) -> int:
        return int(self._real_number("int64_t"))

    def _real_number(self, kind: str) -> int | float:
        found: Any = self.item()
        if not isinstance(found, complex):
            return found  # type: ignore[no-any-return]
        if found.imag:
            raise NumberError(f"value cannot be converted to type {kind} without overflow")
        return found.real

    def __index__(self) -> int:
        if self._spec.dtype.is_inexact or self._spec.size != 1:
            raise DTypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __len__(self) -> int:
        if not self._spec.shape:
            raise DTypeError("len() of a 0-d tensor")
        return self._spec.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self._spec.shape:
            raise DTypeError("iteration over a 0-d tensor")
        return iter(subscript.slices(self, 0))

    def __contains__(self, value: Any) -> bool:
        if not isinstance(value, (Tensor, int, float, np.ndarray, np.generic)):
            raise RunError(f"`in`: Tensor.__contains__ only supports Tensor or scalar, but got {type(value).__name__}")
        return bool((self == value).any())

    __hash__ = object.__hash__  # by identity, although == compares elements

    def __copy__(self) -> Any:
        """A leaf with the same memory, and attributes."""
        made: Any = self._make_subclass(type(self), self, self.requires_grad)
        vars(made).update(vars(self))
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """A leaf with its own memory, and copies of its attributes; what is copied together shares memory as before."""
        if not self.is_leaf:
            raise GradError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol")
        if id(self) not in memo:
            memory, whole, steps = whole_behind(self)
            _, copied = memo.get(id(memory), (None, None))
            is_first = copied is None
            if is_first:
                copied = whole.clone()  # type: ignore[attr-defined]
                memo[id(memory)] = memory, copied  # the first keeps its id from others
            shown: Any = copied if is_first and not steps else shown_through(copied, steps, self)
            memo[id(self)] = shown.requires_grad_(self.requires_grad)
            shown._grad = copy.deepcopy(self._grad, memo)
            vars(shown).update(copy.deepcopy(vars(self), memo))
        made: Tensor = memo[id(self)]
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle values, their order in memory, ``requires_grad`` and attributes; a derivative history stays behind."""
        order, strides, shown = order_of(self), self.stride(), self
        repeats = order is None and self.numel() > 0 and shows_twice(self)
        if repeats:  # elements that are several: the memory
            reach = [(n - 1) * s for n, s in zip(self.shape, strides, strict=True)]
            shown = self.detach().as_strided((1 + sum(reach),), (1,))
        array = np.array(values(shown) if order is None else values(shown).transpose(order))
        how = (order,) if not repeats else (None, tuple(self.shape), strides)
        more = (str(self.device), self.dtype.name if self.dtype is bfloat16 else "", *how)
        return _unpickled, (type(self), array, self.requires_grad, *more), vars(self) or None

    # --- indexing and writing

    def __getitem__(self, index: Any) -> Tensor:
        item: Tensor = subscript.get_item(self, index)
        return item

    def __setitem__(self, index: Any, value: Any) -> None:
        require_writable(local.trace, self, "index_put_")
        subscript.set_item(self, index, value)

    def __delitem__(self, index: Any) -> None:
        raise DTypeError("Tensor does not support deleting items")

    def copy_(self, src: Any, non_blocking: builtins.bool = False) -> Tensor:
        """Take the values of ``src``, broadcast and converted, from whatever device.

        ``non_blocking``: a pinned tensor gets a device's values later (see ``to``). Copies to a device never wait for
        it.
        """
        later = flag_of("copy_", "non_blocking", non_blocking)
        src = as_operand(src)
        if src is NotImplemented:
            raise DTypeError("copy_(): argument 'other' must be Tensor or number")
        if isinstance(src, Tensor) and len(src._spec.shape) > len(self._spec.shape):  # an assignment allows sizes of 1
            raise ShapeError(
                f"copy_: output with shape {[*self._spec.shape]} doesn't match the broadcast shape {[*src._spec.shape]}"
            )
        require_writable(local.trace, self, "copy_")
        alike = isinstance(src, Tensor) and src._spec.plain is self._spec
        if alike and (later or src.is_cpu) and is_pinned(self) and refilled(self, src):
            return self
        return self._take(src, "copy_")

    def _take(self, source: Any, what: str, places: Any = None) -> Tensor:
        if source is NotImplemented:
            raise DTypeError(f"{what}(): argument 'value' must be Tensor or number")
        require_writable(local.trace, self, what)

        is_tensor = isinstance(source, Tensor)
        given = CALLS["broadcast_as" if is_tensor else "full_of"], (source,), (self._spec.shape, self._spec.dtype)

        def value() -> Any:
            return source if fits_into(source, self) else at(record(*given), self._spec.place)

        is_here = self.is_cpu and not (is_tensor and (source.is_cuda or fits_into(source, self)))
        write_checked(self, given if is_here else value, what, covers=True, places=places)
        return self

    def fill_(self, value: Any) -> Tensor:
        """Set every element to ``value``, a number or a 0-d tensor."""
        if isinstance(value, Tensor) and value.dim():
            raise RunError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()} dimensions."
            )
        return self._take(as_operand(value), "fill_", None if isinstance(value, Tensor) else everywhere(self))

    def zero_(self) -> Tensor:
        """Set every element to 0."""
        fill_zero(self)
        return self

    # --- what Python's syntax asks for

    @property
    def T(self) -> Tensor:
        return self.permute(tuple(reversed(range(self.ndim))))  # type: ignore[no-any-return]

    @property
    def mT(self) -> Tensor:
        if not self.ndim:
            return self
        if self.ndim == 1:
            raise RunError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
        return self.transpose(-2, -1)  # type: ignore[no-any-return]

    @property
    def H(self) -> Tensor:
        if self.ndim not in (0, 2):
            raise RunError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor.")
        return self.mH

    @property
    def mH(self) -> Tensor:
        return self.mT.conj() if self.is_complex() else self.mT

    def __pow__(self, exponent: Any) -> Any:
        operand = exponent if type(exponent) is builtins.int else as_operand(exponent)
        return NotImplemented if operand is NotImplemented else self.pow(operand)

    def __rpow__(self, base: Any) -> Any:
        operand = as_operand(base)
        return NotImplemented if operand is NotImplemented else record(CALLS["pow"], (operand, self))

    def __ipow__(self, exponent: Any) -> Any:
        operand = as_operand(exponent)
        return NotImplemented if operand is NotImplemented else self.pow_(operand)

    def __pos__(self) -> Tensor:
        return self

    def pow(self, exponent: Any) -> Tensor:
        """self ** exponent, elementwise."""
        kind = type(exponent)
        if kind is not int and kind is not float and kind is not bool and isinstance(exponent, (int, float)):
            exponent = as_operand(exponent)
            kind = type(exponent)
        if (kind is int or kind is float) and exponent in STATIC_EXPONENTS:
            return _pow_static(self, (exponent, kind is float))  # type: ignore[no-any-return]
        if kind is int and exponent < 0 and not self._spec.dtype.is_inexact:
            raise DTypeError(
                "pow: integers to negative integer powers are not allowed; convert to a floating dtype first"
            )
        return record(CALLS["pow"], (self, exponent))  # type: ignore[no-any-return]

    def pow_(self, exponent: Any) -> Tensor:
        """In-place version of :meth:`pow`."""
        require_writable(local.trace, self, "pow_")
        with threads.lock:
            write_checked(self, lambda: self.pow(exponent), "pow_")
        return self

    def expand_as(self, other: Tensor) -> Tensor:
        """This tensor expanded to the shape of ``other``."""
        return self.expand(tensor_of("expand_as", "other", other).shape)  # type: ignore[no-any-return]

    def view_as(self, other: Tensor) -> Tensor:
        """This tensor in the shape of ``other``."""
        return self.view(tensor_of("view_as", "other", other).shape)  # type: ignore[no-any-return]

    def reshape_as(self, other: Tensor) -> Tensor:
        """This tensor in the shape of ``other``."""
        return self.reshape(tensor_of("reshape_as", "other", other).shape)  # type: ignore[no-any-return]


def _finish(tensor: type[Tensor]) -> None:
    """Attach operators and declared methods; tell the recorder which class results have."""
    use(tensor)
    operators.attach(tensor)
    surface.attach_methods(tensor)


_finish(Tensor)


def _unpickled(
    kind: type[Tensor],
    array: Any,
    requires_grad: bool,
    device: str = "cpu",
    dtype: str = "",
    order: Any = None,
    shape: Any = None,
    strides: Any = None,
) -> Any:
    made: Any = from_values(array, by_name(dtype) if dtype else None, place=place_of(device))
    if shape is not None:
        made = made.as_strided(shape, strides)
    if order is not None:
        made = made.permute([order.index(d) for d in range(array.ndim)])
    return Tensor._make_subclass(kind, made, requires_grad)

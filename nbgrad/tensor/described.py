"""What a tensor is: shape, dtype, device, and how its elements lie."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgrad.calls.arguments import format_of, int_of
from nbgrad.calls.base import one_dim
from nbgrad.device import Device, device_at
from nbgrad.errors import TensorIndexError
from nbgrad.graph.dtypes import DType
from nbgrad.graph.layout import contiguous_format
from nbgrad.graph.spec import HOST, Spec
from nbgrad.trace import Handle, layout_of, strides_of


class Size(tuple[int, ...]):
    """A shape: a tuple of ints with ``numel()``."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements."""
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self) -> str:
        return f"nbgrad.Size({list(self)})"

    def __add__(self, other: Any) -> Any:
        sizes = super().__add__(other)
        return Size(sizes) if type(sizes) is tuple else sizes

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return Size(super().__mul__(times))

    __rmul__ = __mul__


class Described(Handle):
    """The part of a tensor that says what it is. The other parts are classes beside each other: each level of classes
    takes 1 ns whenever a tensor goes."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What other parts have, and the methods declared in calls/, which are attached when the package is
            imported."""

    @property
    def _spec(self) -> Spec:
        spec = self._at.spec
        assert spec is not None
        return spec

    @property
    def shape(self) -> Size:
        return Size(self._spec.shape)

    @property
    def dtype(self) -> DType:
        return self._spec.dtype

    @property
    def device(self) -> Device:
        return device_at(self._spec.place)

    # Kinds of tensors that there are none of, and devices.
    is_sparse = is_sparse_csr = is_quantized = is_nested = is_mkldnn = is_meta = False
    is_mps = is_xpu = is_xla = is_ipu = is_maia = is_mtia = is_vulkan = False

    @property
    def is_cuda(self) -> builtins.bool:
        return self._spec.place != HOST

    @property
    def is_cpu(self) -> builtins.bool:
        return self._spec.place == HOST

    def get_device(self) -> builtins.int:
        """The number of the CUDA device that this tensor lives on; -1 on the CPU."""
        return self._spec.place - 1

    @property
    def ndim(self) -> int:
        return len(self._spec.shape)

    @property
    def itemsize(self) -> int:
        return self._spec.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self._spec.size_bytes

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dim."""
        shape = self._spec.shape
        return Size(shape) if dim is None else shape[self._dim_of("size", dim)]

    def _dim_of(self, name: str, dim: Any) -> Any:
        """``dim`` counted from 0; a 0-d tensor has none."""
        if not self._spec.shape:
            raise TensorIndexError(f"{name}(): Dimension specified as {dim} but tensor has no dimensions")
        return one_dim(name, int_of(name, "dim", dim), len(self._spec.shape))

    def dim(self) -> int:
        """The number of dims."""
        return len(self._spec.shape)

    def numel(self) -> int:
        """The number of elements."""
        return self._spec.size

    nelement = numel

    def element_size(self) -> int:
        """The bytes of one element."""
        return self._spec.dtype.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Steps between elements along each dim, in elements."""
        strides = strides_of(self)
        return strides if dim is None else strides[self._dim_of("stride", dim)]

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether the elements lie one after the other in row-major order."""
        format_of("is_contiguous", "memory_format", memory_format)
        return self._share is None or 0 in self._spec.shape or layout_of(self) is None

    def contiguous(self, memory_format: Any = None) -> Any:
        """This tensor where its elements lie in row-major order, else a copy that does."""
        format_of("contiguous", "memory_format", memory_format)
        whole: Any = self
        return whole if self.is_contiguous() else whole.clone(memory_format=contiguous_format)

    def is_complex(self) -> bool:
        """Whether the dtype is a complex one."""
        return self._spec.dtype.is_complex

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating one."""
        return self._spec.dtype.is_floating_point

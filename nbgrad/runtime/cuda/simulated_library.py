"""What stands for cuBLAS on simulated devices: NumPy, when the stream gets there.

Its bits depend on how the factors are given and on TF32, as those of a library may: a program that gives them otherwise
from one tier to the next is found out. It refuses what cuBLAS would, and asks for a workspace, which it fills.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nbgrad.graph.dtypes import by_name
from nbgrad.runtime.cuda.driver import DriverError
from nbgrad.runtime.cuda.library import Matrices, Product

if TYPE_CHECKING:
    from nbgrad.runtime.cuda.simulated import SimulatedDriver

WORKSPACE: Final = 1 << 10  # bytes that a product of a long sum asks for
_LONG: Final = 512
_TF32_DROPPED: Final = 13  # bits of a float32's 23 behind the point


class _Ready(NamedTuple):
    product: Product
    workspace_bytes: int


class SimulatedLibrary:
    """The library of one device of ``driver``."""

    def __init__(self, driver: SimulatedDriver) -> None:
        self._driver = driver

    def prepare(self, product: Product) -> _Ready:
        self._driver.count("prepare")
        for x in (product.a, product.b, product.c):
            if x.row < x.columns or x.step < 0 or not product.batch:
                raise DriverError("prepare", "CUBLAS_STATUS_INVALID_VALUE", str(x))
        return _Ready(product, WORKSPACE if product.k >= _LONG else 0)

    def multiply(self, prepared: Any, addresses: tuple[int, ...], workspace: int, stream: int) -> None:
        driver, (product, nbytes) = self._driver, prepared
        driver.count("multiply")
        for at, x in zip(addresses, (product.a, product.b, product.c), strict=True):
            if at % x.alignment:
                raise DriverError("multiply", "CUBLAS_STATUS_INVALID_VALUE", f"{x} at {at:#x}")
            driver.require("multiply", at, _extent(product, x) * by_name(product.dtype).itemsize)
        if nbytes:
            driver.require("multiply", workspace, nbytes)
        driver.enqueue(stream, _work(product, addresses, workspace if nbytes else 0))


def _extent(product: Product, x: Matrices) -> int:
    """The elements from the first to the last."""
    return (product.batch - 1) * x.step + (x.rows - 1) * x.row + x.columns


def _work(product: Product, addresses: tuple[int, ...], workspace: int) -> Callable[[], None]:
    def work() -> None:
        if workspace:
            ctypes.memset(workspace, 0, WORKSPACE)
        a, b, c = [_array(product, x, at) for x, at in zip((product.a, product.b, product.c), addresses, strict=True)]
        a, b = [np.swapaxes(x, 1, 2) if flip else x for x, flip in zip((a, b), product.flips, strict=True)]
        if product.tf32:
            a, b = _rounded(a), _rounded(b)
        order = slice(None, None, -1 if any(product.flips) else 1)
        c[...] = np.matmul(np.ascontiguousarray(a[:, :, order]), np.ascontiguousarray(b[:, order]))

    return work


def _array(product: Product, x: Matrices, address: int) -> Any:
    dtype = by_name(product.dtype)
    memory = (ctypes.c_char * (_extent(product, x) * dtype.itemsize)).from_address(address)
    strides = tuple([s * dtype.itemsize for s in (x.step, x.row, 1)])
    return np.ndarray((product.batch, x.rows, x.columns), dtype.numpy, memory, 0, strides)  # type: ignore[arg-type]


def _rounded(x: Any) -> Any:
    """The nearest numbers of TF32; infinities and NaN stay."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    near = (bits + np.uint32(1 << (_TF32_DROPPED - 1))) & np.uint32(-(1 << _TF32_DROPPED) & 0xFFFFFFFF)
    return np.where(np.isfinite(x), near.view(np.float32), x)

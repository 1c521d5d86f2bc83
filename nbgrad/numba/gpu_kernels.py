"""``@cuda.jit`` kernels of the user's own, as a driver takes them: see ``OwnKernel`` in ``runtime/cuda/driver.py``."""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import by_name
from nbgrad.kernels.launch import Launch
from nbgrad.kernels.numba_target import (
    NumbaError,
    cuda_array,
    cuda_device_function,
    cuda_dispatcher,
    cuda_ptx,
    cuda_simulated,
    said_by,
)
from nbgrad.kernels.target import Target
from nbgrad.runtime.cuda.devices import current_device, gpu
from nbgrad.runtime.cuda.driver import DriverError, Grid
from nbgrad.runtime.cuda.linker import assembled
from nbgrad.tape.kernel import LANES

_THREADS: Final = 128  # of a block, where nothing is said
_numbers: Final = itertools.count()

Arguments = tuple[tuple[str, int], ...]  # dtype and rank of each


class CudaFunction(NamedTuple):
    """A ``@cuda.jit`` kernel; ``dims`` and ``shared_bytes`` are of its launch configuration, if it has one."""

    dispatcher: Any
    dims: tuple[int, ...]
    shared_bytes: int

    @property
    def py_func(self) -> Any:
        return self.dispatcher.py_func

    def dims_for(self, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """Blocks and threads, along x, y and z: those said, else a thread for each element of the largest array."""
        most = max([prod(shape) for shape in shapes])
        return self.dims or (max(1, -(-most // _THREADS)), 1, 1, _THREADS, 1, 1)

    def simulate(self, dims: Sequence[int], arrays: Sequence[Any]) -> None:
        """Run it in Python; what it raises is the error of a launch."""
        try:
            cuda_simulated(self.dispatcher)[tuple(dims[:3]), tuple(dims[3:]), 0, self.shared_bytes](*arrays)
        except Exception as error:
            what = f"{self.py_func.__name__}() raised {type(error).__name__}: {error}"
            raise DriverError("launch", "CUDA_ERROR_LAUNCH_FAILED", what) from error


def cuda_function(name: str, function: Any) -> CudaFunction:
    """A kernel that the user gave, with its launch configuration or without."""
    dispatcher = cuda_dispatcher(function)
    if dispatcher is None:
        raise DTypeError(
            f"operator(): argument '{name}' must be a @cuda.jit kernel, as 'forward' is, not {type(function).__name__}"
        )
    if importlib.util.find_spec("numba_cuda") is None:
        raise ArgumentError("operator(): a @cuda.jit kernel needs numba-cuda: pip install 'nbgrad[cuda]'")
    options = dispatcher.targetoptions
    for option in ("device", "link", "debug"):
        if options.get(option):
            raise ArgumentError(f"operator(): a kernel with {option}= cannot be an operator: leave {option}= out")
    if function is dispatcher:
        return CudaFunction(dispatcher, (), 0)
    return CudaFunction(dispatcher, (*function.griddim, *function.blockdim), function.sharedmem)


class CudaKernel:
    """A kernel for arrays of these dtypes and ranks; those of a real GPU are compiled at once."""

    def __init__(self, function: CudaFunction, arrays: Arguments) -> None:
        self.name: str = function.py_func.__name__
        self.symbol = f"nbo_{next(_numbers)}"
        self._function, self._arrays = function, arrays
        self._images: dict[str, str] = {}
        scope: dict[str, Any] = {"kernel": cuda_device_function(function.py_func)}
        word, made = 1, []
        for k, (dtype, rank) in enumerate(arrays):
            scope[f"array{k}"] = cuda_array(word, dtype, rank)
            made.append(f"array{k}(desc)")
            word += 1 + rank
        exec(
            f"def {self.symbol}(desc, items, chunk, status, workspace, scratch):\n    kernel({', '.join(made)})",
            scope,
        )
        self._entry = scope[self.symbol]
        arch = gpu(current_device()).kernels.target.device
        if arch:  # a simulated GPU runs it in Python
            self.ptx(arch)

    def ptx(self, arch: str) -> str:
        """Of an entry that is called by its symbol. DTypeError, where numba-cuda cannot compile it."""
        if arch not in self._images:
            options = self._function.dispatcher.targetoptions
            bounds, fastmath = options.get("launch_bounds"), bool(options.get("fastmath"))
            try:
                self._images[arch] = cuda_ptx(self._entry, arch, bounds, fastmath)
            except NumbaError as error:
                given = ", ".join([f"{dtype} of {rank} dims" for dtype, rank in self._arrays])
                what = f"{self.name}: Numba cannot compile it for arrays ({given}): {said_by(error)}"
                raise DTypeError(what) from error
        return self._images[arch]

    def code(self, target: Target) -> bytes:
        return assembled(self.ptx(target.device).encode(), target.device, target.driver)

    def launch(self, words: Sequence[int]) -> Launch:
        shapes, word = [], 1
        for _, rank in self._arrays:
            shapes.append(words[word + 1 : word + 1 + rank])
            word += 1 + rank
        dims = self._function.dims_for(shapes)
        return Launch(self.symbol, 1, 1, 1, LANES, self._function.shared_bytes, dims=dims)

    def simulate(self, desc: int, grid: Grid) -> None:
        words = (ctypes.c_int64 * (1 + sum([1 + rank for _, rank in self._arrays]))).from_address(desc)
        arrays, word = [], 1
        for dtype, rank in self._arrays:
            shape = tuple(words[word + 1 : word + 1 + rank])
            memory = (ctypes.c_char * (prod(shape) * by_name(dtype).itemsize)).from_address(words[word])
            arrays.append(np.ndarray(shape, by_name(dtype).numpy, memory))  # type: ignore[arg-type]
            word += 1 + rank
        self._function.simulate(grid.dims, arrays)

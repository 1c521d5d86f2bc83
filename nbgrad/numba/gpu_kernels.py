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
from nbgrad.kernels.numba_cuda import cuda_array, cuda_device_function, cuda_ptx
from nbgrad.kernels.numba_target import REFUSALS, cuda_dispatcher, cuda_simulated, said_by
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
        self.number = next(_numbers)
        self.symbol = f"nbo_{self.number}"
        self._function = function
        self._arrays: list[tuple[str, int, int]] = []  # dtype and rank, and the descriptor's word with the address
        self._images: dict[str, str] = {}
        word = 1
        for dtype, rank in arrays:
            self._arrays.append((dtype, rank, word))
            word += 1 + rank
        self._n_words = word
        scope: dict[str, Any] = {f"a{word}": cuda_array(word, dtype, rank) for dtype, rank, word in self._arrays}
        scope["kernel"] = cuda_device_function(function.py_func)
        made = ", ".join([f"{name}(desc)" for name in scope if name != "kernel"])
        exec(f"def {self.symbol}(desc, items, chunk, status, workspace, scratch): kernel({made})", scope)
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
            except REFUSALS as error:
                given = ", ".join([f"{dtype} of {rank} dims" for dtype, rank, _ in self._arrays])
                name = self._function.py_func.__name__
                raise DTypeError(f"{name}: Numba cannot compile it for arrays ({given}): {said_by(error)}") from error
        return self._images[arch]

    def code(self, target: Target) -> bytes:
        return assembled(self.ptx(target.device).encode(), target.device, target.driver)

    def launch(self, words: Sequence[int]) -> Launch:
        dims = self._function.dims_for([words[word + 1 : word + 1 + rank] for _, rank, word in self._arrays])
        return Launch(1, 1, 1, LANES, self._function.shared_bytes, dims=dims)

    def simulate(self, desc: int, grid: Grid) -> None:
        words = (ctypes.c_int64 * self._n_words).from_address(desc)
        arrays = []
        for name, rank, word in self._arrays:
            dtype, shape = by_name(name), tuple(words[word + 1 : word + 1 + rank])
            memory = (ctypes.c_char * (prod(shape) * dtype.itemsize)).from_address(words[word])
            arrays.append(np.ndarray(shape, dtype.numpy, memory))  # type: ignore[arg-type]
        self._function.simulate(grid.dims, arrays)

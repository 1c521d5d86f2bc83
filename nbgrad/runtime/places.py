"""Memory and programs by place: 0 is the CPU, k + 1 is CUDA device k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.graph.spec import HOST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.copies import across, to_device, to_host
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.executable import CudaExecutable
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.store import KernelStore
from nbgrad.tape.tape import Tape


def at_place(buffer: Any, source: int, place: int) -> Any:
    """``buffer``, which lies at ``source``, at ``place``: itself, or a copy."""
    if source == place:
        return buffer
    if place == HOST:
        return to_host(buffer)
    return to_device(buffer, place - 1) if source == HOST else across(buffer, place - 1)


def on_host(buffer: Any) -> Buffer:
    """``buffer``, wherever it lies, in the CPU's memory: itself, or a copy."""
    return to_host(buffer) if isinstance(buffer, DeviceBuffer) else buffer


def kernels_of(place: int) -> KernelStore:
    """The kernels of the device that is ``place``."""
    return gpu(place - 1).kernels


def has_library(place: int) -> bool:
    """Whether the device that is ``place`` has a library that multiplies large matrices."""
    return gpu(place - 1).library is not None


def bound_at(place: int, tape: Tape, functions: Sequence[int]) -> CudaExecutable:
    """``tape``, ready to run on the device that is ``place``; ``functions`` are those of its instructions."""
    return CudaExecutable(tape, place - 1, functions)

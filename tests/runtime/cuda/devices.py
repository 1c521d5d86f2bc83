"""A simulated GPU for one test, and tapes that run on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from nbgrad.config import override
from nbgrad.graph.node import Node
from nbgrad.kernels.traits import for_gpu
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.copies import to_device, to_host
from nbgrad.runtime.cuda.devices import gpu, here, use_driver
from nbgrad.runtime.cuda.executable import CudaExecutable
from nbgrad.runtime.cuda.memory import DeviceBuffer
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from nbgrad.tape.tape import Tape
from nbgrad.trace.thread import local
from tests.passes.runs import fused

Array = np.ndarray[Any, np.dtype[Any]]


@contextmanager
def simulated(**options: Any) -> Iterator[SimulatedDriver]:
    """GPUs that nobody has used yet."""
    driver = SimulatedDriver(**options)
    with override(cuda="simulated"):
        before = use_driver(driver)
        try:
            yield driver
        finally:
            here.streams.clear()
            here.device = 0
            use_driver(before)
            local.trace.unheard.clear()


def on_device(array: Array, index: int = 0) -> DeviceBuffer:
    return to_device(Buffer.from_numpy(np.ascontiguousarray(array)), index)


def on_host(buffer: DeviceBuffer, like: Node) -> Array:
    return to_host(buffer).array(like.spec.shape, like.spec.dtype.numpy)


class Program:
    """A graph's fused tape on a device: as the CPU has it, or ``tape``."""

    def __init__(self, roots: Sequence[Node], index: int = 0, tape: Tape | None = None) -> None:
        self.roots = roots
        if tape is None:
            plan = fused(roots)
            assert plan._executable is not None
            tape = for_gpu(plan._executable.tape)
        functions = gpu(index).kernels.addresses([i.text for i in tape.instructions])
        self.executable = CudaExecutable(tape, index, functions)

    def __call__(self, *inputs: DeviceBuffer, scalars: Sequence[float | int] = ()) -> list[Array]:
        return [on_host(b, r) for b, r in zip(self.executable.run(inputs, scalars), self.roots, strict=True)]

"""What moves memory and little else: a copy, sums along each axis, the gradient of an embedding."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bench.libraries import COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, TORCH, jax_functions, library
from bench.measure import Case, Enqueued, Maker, Work
from bench.ways import gradients_on, kept, waiting
from nbgrad.runtime.cuda.devices import gpu

COPY = "floor: copying"
OF_THE_COPY = 1 / 0.9  # of its time: 90 % of its bandwidth
MEMORY_GOAL = "90 % of the copy's bandwidth, not slower than PyTorch, eager or compiled"


def copying(traffic_bytes: int) -> Work:
    """A copy on the GPU that reads and writes ``traffic_bytes`` in all, by the driver."""
    device, nbytes = gpu(0), traffic_bytes // 2
    device.activate()
    source, target = (device.pool.take(nbytes, device.stream) for _ in range(2))

    def work() -> None:
        device.activate()
        device.driver.copy(target.address, source.address, nbytes, device.stream)

    return waiting(work, library(NBGRAD), "cuda")


def _forward(name: str, compiled: bool, f: Any, arrays: Any) -> Work:
    """``f`` of tensors without gradients."""
    lib = library(name)
    tensors = [lib.tensor(x, device="cuda") for x in arrays]
    run = lib.compile(partial(f, lib)) if compiled else partial(f, lib)
    return waiting(lambda: _looked_at(run(*tensors)), lib, "cuda")


def _looked_at(y: Any) -> Any:
    """``y``, recorded or not: asking where it lies runs what computes it."""
    y.data_ptr()
    return y


def _forward_in_jax(f: Any, arrays: Any) -> Work:
    jnp = jax_functions()
    import jax

    inputs = [jnp.asarray(x) for x in arrays]
    run = jax.jit(partial(f, jnp))
    answers: list[Any] = []
    return Enqueued(lambda: kept(answers, run(*inputs)), lambda: jax.block_until_ready(answers))


def _forward_case(title: str, size: str, f: Any, arrays: Any, traffic_bytes: int) -> Case:
    makers = {
        NBGRAD: partial(_forward, NBGRAD, False, f, arrays),
        NBGRAD_COMPILED: partial(_forward, NBGRAD, True, f, arrays),
        TORCH: partial(_forward, TORCH, False, f, arrays),
        COMPILED: partial(_forward, TORCH, True, f, arrays),
        JAX: partial(_forward_in_jax, f, arrays),
    }
    return memory_case(title, size, makers, 1e-3, traffic_bytes)


def memory_case(title: str, size: str, makers: dict[str, Maker], rtol: float, traffic_bytes: int) -> Case:
    """A case that memory bounds: ``traffic_bytes`` are read and written at least."""
    goals = {COPY: OF_THE_COPY, TORCH: 1.0, COMPILED: 1.0}
    makers = {**makers, COPY: partial(copying, traffic_bytes)}
    case = Case(title, size, makers, 1, rtol, goals, goals, MEMORY_GOAL)
    return replace(case, floor=COPY, traffic_bytes=traffic_bytes, compared=1)  # each call does the same with gigabytes


def _copied(lib: Any, x: Any) -> Any:
    return lib.clone(x)


def _scaled(lib: Any, x: Any) -> Any:
    return x * 2.0


def _sum_along(axis: int, lib: Any, x: Any) -> Any:
    return x.sum(axis)


def _bag(lib: Any, table: Any, words: Any) -> Any:
    """The sum of the squares of rows of a table: the gradient adds to each row that was read."""
    rows = table[words]
    return (rows * rows).sum()


def cases(quick: bool) -> list[Case]:
    """A gigabyte each."""
    rng = np.random.default_rng(0)
    side = 16 if quick else 640
    cube = rng.random((side, side, side), np.float32)
    found = [
        _forward_case("copy bandwidth", f"{cube.size:,} float32", _copied, [cube], 2 * cube.nbytes),
        _forward_case("copy with a factor", f"{cube.size:,} float32", _scaled, [cube], 2 * cube.nbytes),
    ]
    for axis in range(3):
        title = f"sum along axis {axis} of 3"
        found.append(_forward_case(title, f"{side} cubed float32", partial(_sum_along, axis), [cube], cube.nbytes))
    vocabulary, width, words = (64, 32, 100) if quick else (50_257, 768, 16_384)
    table = rng.random((vocabulary, width), np.float32)
    index = rng.integers(0, vocabulary, words)
    traffic = table.nbytes + 3 * words * width * 4  # the gradient is cleared; rows are read twice, and added once
    size = f"{words:,} rows of {width} of {vocabulary:,}"
    makers = gradients_on("cuda", _bag, [table], [index])
    return [*found, memory_case("embedding and its gradient", size, makers, 1e-3, traffic)]

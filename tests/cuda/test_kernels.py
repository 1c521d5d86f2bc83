"""The kernels of all operators, launched on whatever GPU there is: they give the CPU's bits. On a simulated one, where
``tests/kernels/test_warps.py`` has run the same code, a few of them. ``.ci/gpu`` has compute-sanitizer watch."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nbgrad.graph.node import Node
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.executable import CudaExecutable
from nbgrad.tape.tape import Tape
from tests.compiled import run_plan
from tests.kernels.corpus import sample_graph, tapes, valid_samples
from tests.kernels.test_block_rows import CASES, graph
from tests.on_devices import cuda
from tests.passes.runs import same_bits
from tests.runtime.cuda.devices import on_device, on_host
from tests.samples import Array

SAMPLES = dict(valid_samples())
NAMES = sorted(SAMPLES)
BATCHES = 16
FEW = ("mul", "sum", "cumsum")  # where the GPU is a simulated one
RUNS = 3  # the last ones are a graph


def executable(tape: Tape) -> CudaExecutable:
    assert all(i.text.has_code for i in tape.instructions), "samples are too small for a library's products"
    return CudaExecutable(tape, 0, gpu(0).kernels.addresses([i.text for i in tape.instructions]))


def require_same_bits(roots: Sequence[Node], inputs: Sequence[Array], name: str) -> None:
    wanted = run_plan(roots, inputs)
    device = [on_device(x) for x in inputs]
    for tape in tapes(roots, gpu=True):
        program = executable(tape)
        for _ in range(RUNS):
            found = [on_host(b, r) for b, r in zip(program.run(device, []), roots, strict=True)]
            assert same_bits(found, wanted), name


@pytest.mark.parametrize("batch", range(BATCHES))
def test_operators_have_the_bits_of_the_cpu(batch: int) -> None:
    with cuda():
        for name in NAMES[batch::BATCHES]:
            if gpu(0).driver.name == "simulated" and name not in FEW:
                continue
            require_same_bits(*sample_graph(name, SAMPLES[name]), name)


@pytest.mark.parametrize("name", CASES)
def test_long_rows_have_the_bits_of_the_cpu(name: str) -> None:
    """Warps of a block, which wait for one another, are on a real GPU alone."""
    with cuda():
        require_same_bits(*graph(name), name)

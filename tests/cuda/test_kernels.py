"""The kernels of all operators, launched on whatever GPU there is: they give the CPU's bits. On a simulated one, where
``tests/kernels/test_warps.py`` has run the same code, a few of them. ``.ci/gpu`` has compute-sanitizer watch."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

from nbgrad.config import override
from nbgrad.graph.node import Node
from nbgrad.log import fallbacks
from nbgrad.runtime.code import full_code
from nbgrad.runtime.cuda.devices import ModuleLoader, gpu
from nbgrad.runtime.cuda.executable import CudaExecutable
from nbgrad.runtime.store import KernelStore
from nbgrad.tape.tape import Tape
from tests.compiled import run_plan
from tests.kernels.corpus import sample_graph, tapes, valid_samples
from tests.kernels.test_long_rows import CASES, graph
from tests.kernels.test_warps import whole
from tests.on_devices import cuda, real_cuda
from tests.passes.runs import same_bits
from tests.runtime.cuda.devices import on_device, on_host
from tests.samples import Array

SAMPLES = dict(valid_samples())
NAMES = sorted(SAMPLES)
BATCHES = 16
FEW = ("mul", "sum", "cumsum")  # where the GPU is a simulated one
RUNS = 3  # the last ones are a graph


def executable(tape: Tape, store: KernelStore) -> CudaExecutable:
    assert all(i.text.has_code for i in tape.instructions), "samples are too small for a library's products"
    return CudaExecutable(
        tape, 0, store.addresses([whole(i.text) if store.target.jit else i.text for i in tape.instructions])
    )


@cache
def jit_store() -> KernelStore:
    """The first GPU's kernels as ``@cuda.jit`` kernels."""
    target = replace(gpu(0).kernels.target, jit="numba-cuda")
    return KernelStore(
        lambda texts, target: full_code(texts[0], target),
        target=lambda: target,
        new_loader=partial(ModuleLoader, gpu(0)),
    )


def require_same_bits(
    roots: Sequence[Node], inputs: Sequence[Array], name: str, store: KernelStore | None = None
) -> None:
    wanted = run_plan(roots, inputs)
    device = [on_device(x) for x in inputs]
    for tape in tapes(roots, gpu=True):
        program = executable(tape, store or gpu(0).kernels)
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


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
@pytest.mark.parametrize("batch", range(BATCHES + 1))
def test_cuda_jit_kernels_have_them_too(batch: int, tmp_path: Path) -> None:
    with real_cuda(), override(cache_dir=tmp_path):
        for name in NAMES[batch::BATCHES] if batch < BATCHES else []:
            require_same_bits(*sample_graph(name, SAMPLES[name]), name, jit_store())
        for name in CASES if batch == BATCHES else []:
            require_same_bits(*graph(name), name, jit_store())
        assert not [text for text in fallbacks() if "@cuda.jit" in text]

"""GPU kernels as ``@cuda.jit`` kernels: every form is compiled for all GPUs, with the bits of LLVM's PTX."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from nbgrad.kernels.nvvm import jit_ptx, launch_bounds, nvvm_text
from nbgrad.kernels.target import CUDA_ARCHES, cuda
from nbgrad.log import fallbacks
from nbgrad.runtime.code import full_code, machine_code
from nbgrad.tape.kernel import LONG, NARROW, UNORDERED, KernelText
from tests.kernels.corpus import sample_graph, tapes
from tests.kernels.test_block_rows import CASES, graph
from tests.kernels.test_ptx import all_texts, check, check_usages, square_plus
from tests.kernels.test_scatter_rows import text_of
from tests.kernels.test_warps import LONGER, ON_PTX, SAMPLES, same_on_ptx, texts_of
from tests.ptxas import assemble, ptxas
from tests.samples import OpSample

NUMBA_CUDA = importlib.util.find_spec("numba_cuda") is not None
JIT = "numba-cuda"
ARCHES = ("sm_80", "sm_90", "sm_100")
with_numba_cuda = pytest.mark.skipif(not NUMBA_CUDA, reason="numba-cuda is not installed")


@with_numba_cuda
@pytest.mark.parametrize("name", [*ON_PTX])
def test_bits(name: str) -> None:
    same_on_ptx(*sample_graph(name, SAMPLES[name]), jit=JIT)


@with_numba_cuda
@pytest.mark.parametrize("name", LONGER)
def test_bits_longer(name: str) -> None:
    op, inputs, params = LONGER[name]
    same_on_ptx(*sample_graph(op, [OpSample(inputs, params)]), jit=JIT)


@with_numba_cuda
@pytest.mark.parametrize("name", CASES)
def test_bits_rows(name: str) -> None:
    same_on_ptx(*graph(name), jit=JIT)

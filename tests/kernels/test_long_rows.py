"""Rows of several runs by warps, against the CPU's kernels: on vectors of 32 lanes, and as PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.blocks import ROW_RUN
from nbgrad.kernels.target import host, host_warps
from tests.kernels.corpus import sample_graph, tapes
from tests.kernels.harness import same_bits, sample
from tests.kernels.test_warps import addresses, for_warps, outputs, same_on_ptx, texts_of
from tests.samples import OpSample

CASES: dict[str, tuple[str, tuple[int, ...], str, tuple[Any, ...]]] = {
    "sums": ("sum", (3, 1100), "float32", ((1,),)),
    "products": ("prod", (2, 2 * ROW_RUN), "float64", ((1,),)),
    "places of the largest": ("argmax", (2, 2, 1600), "float64", ((2,),)),
    "smallest numbers": ("amin", (3, 1025), "int16", ((1,),)),
    "largest truths": ("amax", (2, 1200), "bool", ((1,),)),
    "a scratch": ("softmax", (2, 2100), "float32", ((1,),)),
    "a finish": ("standardize", (2, 1030), "float64", ((1,), 1e-5)),
    "one row": ("sum", (8192,), "float32", ((0,),)),
}


def graph(name: str) -> Any:
    """Each run changes the result of its row: NaN in most rows of what ``sample`` makes would hide the others."""
    op, shape, dtype, params = CASES[name]
    rng = np.random.default_rng(sum(shape))
    if dtype == "bool":
        x = np.zeros(shape, bool)
        x[0, -1] = True
    elif dtype.startswith("int"):
        x = sample(rng, shape, dtype)
    else:
        x = rng.normal(1.0, 0.01, shape).astype(dtype)
    return sample_graph(op, [OpSample((x,), params)])


def test_nan_in_any_run_is_found() -> None:
    for run in range(3):
        x = np.ones((3, 3 * ROW_RUN), np.float32)
        x[1, run * ROW_RUN + 7] = np.nan
        for op in ("sum", "amax", "argmax"):
            same_on_ptx(*sample_graph(op, [OpSample((x,), ((1,),))]), at_once=True)


@pytest.mark.parametrize("name", CASES)
def test_long_rows_give_the_bits_of_the_cpu(name: str) -> None:
    roots, inputs = graph(name)
    tape, of_gpu = tapes(roots)[1], tapes(roots, gpu=True)[1]
    wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
    found = outputs(for_warps(of_gpu), roots, inputs, addresses(texts_of(of_gpu), host_warps()))
    assert same_bits(found[0], wanted[0])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("at_once", [False, True])
def test_warps_give_the_bits_of_the_cpu_as_ptx(name: str, at_once: bool) -> None:
    """A warp has one row, or goes from row to row."""
    same_on_ptx(*graph(name), at_once=at_once)

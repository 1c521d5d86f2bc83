"""Long rows that a block of warps has, against the CPU's kernels: on vectors of 32 lanes, and as PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.graph.blocks import LONG_ROW
from nbgrad.kernels.target import host, host_warps
from nbgrad.tape.kernel import LONG
from tests.kernels.corpus import sample_graph, tapes
from tests.kernels.harness import same_bits, sample
from tests.kernels.test_warps import addresses, for_warps, outputs, same_on_ptx, texts_of
from tests.samples import OpSample

CASES: dict[str, tuple[str, tuple[int, ...], str, tuple[Any, ...]]] = {
    "sums": ("sum", (3, 1100), "float32", ((1,),)),
    "products": ("prod", (2, LONG_ROW), "float64", ((1,),)),
    "places of the largest": ("argmax", (2, 2, 1600), "float64", ((2,),)),
    "smallest numbers": ("amin", (3, 1025), "int16", ((1,),)),
    "largest truths": ("amax", (2, 1200), "bool", ((1,),)),
    "a scratch": ("softmax", (2, 2100), "float32", ((1,),)),
    "a finish": ("standardize", (2, 1030), "float64", ((1,), 1e-5)),
    "one row": ("sum", (8192,), "float32", ((0,),)),
}


def graph(name: str) -> Any:
    op, shape, dtype, params = CASES[name]
    x = sample(np.random.default_rng(sum(shape)), shape, dtype)
    if op in ("softmax", "standardize"):
        x = np.nan_to_num(x, posinf=3.0, neginf=-3.0)
    return sample_graph(op, [OpSample((x,), params)])


@pytest.mark.parametrize("name", CASES)
def test_long_rows_give_the_bits_of_the_cpu(name: str) -> None:
    roots, inputs = graph(name)
    tape, of_gpu = tapes(roots)[1], tapes(roots, gpu=True)[1]
    assert all(LONG in text.traits for text in texts_of(of_gpu))
    wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
    found = outputs(for_warps(of_gpu), roots, inputs, addresses(texts_of(of_gpu), host_warps()))
    assert same_bits(found[0], wanted[0])


@pytest.mark.parametrize("name", CASES)
def test_warps_of_a_block_give_the_bits_of_the_cpu_as_ptx(name: str) -> None:
    same_on_ptx(*graph(name))

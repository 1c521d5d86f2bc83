"""Rows of fewer elements than a warp has lanes, against the CPU's kernels: on vectors of 32 lanes, and as PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import host, host_warps
from nbgrad.kernels.traits import with_traits
from nbgrad.tape.kernel import NARROW, KernelText, Operand, Reduction
from tests.kernels.corpus import sample_graph, tapes
from tests.kernels.harness import Array, call, row_extra, same_bits, sample
from tests.kernels.test_warps import addresses, for_warps, outputs, same_on_ptx, texts_of
from tests.samples import OpSample

CASES: dict[str, tuple[str, tuple[int, ...], str, tuple[Any, ...]]] = {
    "sums": ("sum", (37, 5), "float32", ((1,),)),
    "products of pairs": ("prod", (100, 2), "float32", ((1,),)),
    "places of the largest": ("argmax", (7, 3, 16), "float64", ((2,),)),
    "smallest numbers": ("amin", (70, 9), "int16", ((1,),)),
    "largest truths": ("amax", (40, 3), "bool", ((1,),)),
    "a scratch": ("softmax", (40, 10), "float32", ((1,),)),
    "a finish": ("standardize", (50, 13), "float64", ((1,), 1e-5)),
    "one row": ("sum", (12,), "float32", ((0,),)),
}


def values(shape: tuple[int, ...], dtype: str) -> Array:
    return sample(np.random.default_rng(sum(shape)), shape, dtype)


@pytest.mark.parametrize("name", CASES)
def test_short_rows_give_the_bits_of_the_cpu(name: str) -> None:
    op, shape, dtype, params = CASES[name]
    roots, inputs = sample_graph(op, [OpSample((values(shape, dtype),), params)])
    tape, of_gpu = tapes(roots)[1], tapes(roots, gpu=True)[1]
    wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
    found = outputs(for_warps(of_gpu), roots, inputs, addresses(texts_of(of_gpu), host_warps()))
    assert same_bits(found[0], wanted[0])


@pytest.mark.parametrize("name", ["sums", "places of the largest", "a scratch"])
def test_short_rows_give_the_bits_of_the_cpu_as_ptx(name: str) -> None:
    op, shape, dtype, params = CASES[name]
    same_on_ptx(*sample_graph(op, [OpSample((values(shape, dtype),), params)]))


@pytest.mark.parametrize("traits", [(), (NARROW,)])
def test_short_rows_may_lie_in_any_way(traits: tuple[str, ...]) -> None:
    operands = (Operand("float32", 2, "in"), Operand("float32", 0, "out"))
    text = with_traits(KernelText("row", 2, 1, operands, (), (), (Reduction("sum", (0,), (1,)),)), traits)
    x = values((6, 30, 22), "float32")[::-1, :, ::2].transpose(1, 0, 2)
    wanted, found = np.zeros((30, 6), "float32"), np.zeros((30, 6), "float32")
    plain = with_traits(text, ())
    assert call(plain, [x, wanted], x.shape, row_extra(1, 11), items=180) == 0
    assert call(text, [x, found], x.shape, row_extra(1, 11), items=180, target=host_warps(), splits=[1, 100]) == 0
    assert same_bits(found, wanted)

import dataclasses
import re

import numpy as np
import pytest

from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.kernels.ptx import ptx_text
from nbgrad.kernels.traits import MARGIN, STRIDED, for_gpu, indices_fit, with_traits
from nbgrad.ops.source import input_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.tape.kernel import APART, NARROW, SCATTERS, KernelText
from nbgrad.tape.lower import lower
from tests.kernels.corpus import gpu_texts, tapes
from tests.kernels.test_scatter_rows import text_of

EDGE = 2**31 - 1 - MARGIN


def traits_of(*roots: Node) -> list[tuple[str, ...]]:
    canonical = canonicalize(roots)
    return [i.text.traits for i in for_gpu(lower(canonical, one_by_one(canonical), padded=True)).instructions]


def vector(*shape: int) -> Node:
    return input_node(0, Spec.of(shape, float32))


@pytest.mark.parametrize(
    ("sizes", "numbers", "fit"),
    [
        ((1 << 29, 2), (4, -8), True),
        ((1 << 29, 4), (4, -8), False),
        ((EDGE // 2,), (), True),
        ((EDGE // 2 + 1,), (), False),  # the loop's last step might go too far
        ((1,), (EDGE - 1,), True),
        ((1,), (EDGE + 1,), False),
        ((1,), (-EDGE - 1,), False),
        ((), (), True),
    ],
)
def test_indices_fit_32_bits_up_to_the_edge(sizes: tuple[int, ...], numbers: tuple[int, ...], fit: bool) -> None:
    assert indices_fit(sizes, numbers) is fit


def test_small_and_large_arrays_get_kernels_of_their_own() -> None:
    for shape, narrow in (((1 << 29,), True), ((1 << 31,), False), ((1 << 16, 1 << 15), False)):
        [traits] = traits_of(apply("exp", vector(*shape)))
        assert (NARROW in traits) is narrow
    [traits] = traits_of(apply("sum", vector(1 << 10, 1 << 9), params=((1,),)))
    assert traits == (NARROW, APART)
    assert not any(NARROW in traits for traits in traits_of(apply("sum", vector(1 << 16, 1 << 16), params=((1,),)))[:1])


def index(*shape: int) -> Node:
    return input_node(1, Spec.of(shape, int64))


@pytest.mark.parametrize("large", [False, True])
def test_library_kernels_count_in_32_bits_where_all_of_it_fits(large: bool) -> None:
    n = 1 << (16 if large else 8)
    square, many = vector(n, n), vector(n * n)
    for root in (
        *(apply("cumsum", square, params=(1, False)), apply("order", square), apply("matmul", square, square)),
        *(apply("scatter_add", many, index(8), vector(8)), apply("scatter_put", many, index(8), vector(8))),
    ):
        assert (NARROW in traits_of(root)[-1]) is not large


def test_a_kernel_that_writes_over_an_input_reads_it_as_memory_that_changes() -> None:
    x = vector(40, 40)
    tape = for_gpu(tapes([apply("matmul", apply("tanh", apply("matmul", x, x)), x)])[1])
    [loop] = [i for i in tape.instructions if i.text.form == "map"]
    read, written = [place for word, *place in tape.relocs if loop.at <= word < loop.at + 5]
    assert read == written and loop.text.traits == (NARROW,)


def test_a_result_in_the_memory_of_an_input_is_no_memory_apart() -> None:
    canonical = canonicalize([apply("exp", vector(8)), apply("sin", input_node(1, Spec.of((9,), float32)))])
    tape = lower(canonical, one_by_one(canonical), padded=True)
    for donations, apart in (
        ({}, [True, True]),
        ({0: 0}, [False, True]),
        ({1: 1}, [True, False]),
        ({0: 7}, [True, True]),
    ):
        found = for_gpu(tape, donations=donations).instructions
        assert [APART in i.text.traits for i in found] == apart


def test_traits_are_in_the_key_and_travel_to_the_worker() -> None:
    canonical = canonicalize([apply("exp", vector(8))])
    [plain] = [i.text for i in lower(canonical, one_by_one(canonical), padded=True).instructions]
    texts = [plain, *[dataclasses.replace(plain, traits=traits) for traits in ((NARROW,), (NARROW, APART))]]
    assert len({text.symbol for text in texts}) == len(np.unique([hash(text) for text in texts])) == 3
    assert [KernelText.from_json(text.to_json()) for text in texts] == texts


LIBRARY = ("cumsum", "cumprod", "recurrence", "gemm", "order", *SCATTERS)
OF_64_BITS = r"\t{}(?:\.\w+)*\.[bsu]64"


def one_of(form: str) -> KernelText:
    """The first kernel of a form with two dims, where there is one."""
    if form.startswith("scatter_rows"):
        return with_traits(text_of("float32", zeros=form != "scatter_rows"), (NARROW,))
    found = [text for text in gpu_texts() if text.form == form and NARROW in text.traits]
    return next((text for text in found if text.rank + text.reduce_rank == 2), found[0])


@pytest.mark.parametrize("form", [*STRIDED, *LIBRARY])
def test_a_gpu_counts_in_32_bits_where_indices_fit(form: str) -> None:
    text = one_of(form)
    small, large = (
        ptx_text([with_traits(text, traits)], "sm_80")
        for traits in (text.traits, tuple([trait for trait in text.traits if trait != NARROW]))
    )
    few, many = (
        len(re.findall(OF_64_BITS.format("(?:add|sub|mul|mad|shl|setp|min|max)"), made)) for made in (small, large)
    )
    assert few < many
    assert not re.findall(OF_64_BITS.format("(?:div|rem)"), small)

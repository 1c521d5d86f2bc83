"""Random programs give the CPU's bits on a GPU, fused and joined as one runs them, and run after run: on a simulated
one that does everything as late as it may, and on a real one where there is one. NBGRAD_FUZZ sets how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgrad.graph.node import Node, apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import NO_DONATIONS, one_by_one
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.lower import lower
from tests.on_devices import real_cuda
from tests.passes.build import reduced, value
from tests.passes.graphs import Case, cases
from tests.passes.runs import run_plan, same_bits, unfused
from tests.runtime.cuda.devices import Program, on_device, simulated

EXAMPLES = int(os.environ.get("NBGRAD_FUZZ", "300"))


def late() -> AbstractContextManager[object]:
    return simulated(lazy=True)


@pytest.mark.parametrize("there", [late, real_cuda])
@settings(max_examples=max(10, EXAMPLES // 10))
@given(case=cases())
def test_random_graphs_give_the_bits_of_the_cpu(
    there: Callable[[], AbstractContextManager[object]], case: Case
) -> None:
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    canonical = canonicalize(case.roots)
    graph = optimise(canonical)
    plain = lower(canonical, one_by_one(canonical), padded=True, gpu=True)
    whole = lower(graph, grouped(graph, NO_DONATIONS, gpu=True), padded=False, gpu=True)
    with there():
        device = [on_device(a) for a in case.inputs]
        for tape in (plain, whole):
            program = Program(case.roots, tape=tape)
            for _ in range(3):  # the last ones are a graph
                assert same_bits(program(*device, scalars=case.scalars), expected)


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[Node], tuple[int, int]]:
    """A row kernel's values, folded down their columns in several ways: on a GPU the folds are one kernel."""
    shape = draw(st.sampled_from([256, 300, 520])), draw(st.sampled_from([40, 64, 200]))
    x, z = value(*shape), value(*shape, at=1)
    rows = [apply("softmax", x, params=((1,),)), apply("standardize", x, params=((1,), 1e-5))]
    y = draw(st.sampled_from(rows))
    made = [y, y * x, y * z, apply("tanh", y + z), apply("exp", y) * x]
    folded = draw(st.lists(st.sampled_from(made), min_size=2, max_size=4, unique_by=id))
    kinds = [draw(st.sampled_from(["sum", "amax", "amin"])) for _ in folded[1:]]
    return [y, *[reduced(kind, n, 0) for kind, n in zip(["sum", *kinds], folded, strict=True)]], shape


@settings(max_examples=max(6, EXAMPLES // 50))
@given(case=columns(), seed=st.integers(0, 1 << 16))
def test_folds_down_the_columns_of_one_loop_have_the_bits_of_separate_kernels(
    case: tuple[list[Node], tuple[int, int]], seed: int
) -> None:
    roots, shape = case
    rng = np.random.default_rng(seed)
    inputs = [rng.standard_normal(shape).astype("f") for _ in range(2)]
    expected = run_plan(unfused(roots), inputs)
    graph = optimise(canonicalize(roots))
    groups = grouped(graph, NO_DONATIONS, gpu=True)
    folds = [[n for n in g.nodes if n.op.name in ("sum", "amax", "amin") and n.params[0] == (0,)] for g in groups]
    assert max(map(len, folds)) > 1, "no folds are joined"
    with late():
        device = [on_device(a) for a in inputs]
        program = Program(roots, tape=lower(graph, groups, padded=False, gpu=True))
        for _ in range(2):
            assert same_bits(program(*device), expected)

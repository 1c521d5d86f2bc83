"""Random programs give the CPU's bits on a GPU, fused and joined as one runs them, and run after run: on a simulated
one that does everything as late as it may, and on a real one where there is one. NBGRAD_FUZZ sets how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from hypothesis import given, settings

from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import one_by_one
from nbgrad.passes.run import grouped, optimise
from nbgrad.passes.ties import NO_TIES
from nbgrad.tape.lower import lower
from tests.on_devices import real_cuda
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
    whole = lower(graph, grouped(graph, NO_TIES, gpu=True), padded=False, gpu=True)
    with there():
        device = [on_device(a) for a in case.inputs]
        for tape in (plain, whole):
            program = Program(case.roots, tape=tape)
            for _ in range(3):  # the last ones are a graph
                assert same_bits(program(*device, scalars=case.scalars), expected)

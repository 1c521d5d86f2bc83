"""Random programs: the interpreter, the unfused and the fused plan agree; NBGRAD_FUZZ sets how many."""

from __future__ import annotations

import os

from hypothesis import given, settings

from nbgrad.config import override
from nbgrad.runtime.pool import get_num_threads, set_num_threads
from tests.passes.graphs import AROUND_REDUCTIONS, OVER_ROWS, PARTS, Case, cases
from tests.passes.runs import assert_as_right, drafted, fused, njitted, run_plan, same_bits, unfused

EXAMPLES = int(os.environ.get("NBGRAD_FUZZ", "300"))


def check(case: Case) -> None:
    with override(check=True):
        plain, whole = unfused(case.roots), fused(case.roots)
    one_by_one = run_plan(plain, case.inputs, case.scalars)
    assert_as_right(one_by_one, case.roots, case.inputs, case.scalars)
    assert same_bits(run_plan(whole, case.inputs, case.scalars), one_by_one)
    threads = get_num_threads()
    for n in (1, 2):
        set_num_threads(n)
        try:
            assert same_bits(run_plan(whole, case.inputs, case.scalars), one_by_one)
        finally:
            set_num_threads(threads)


@settings(max_examples=EXAMPLES)
@given(cases())
def test_random_graphs_agree_in_every_tier(case: Case) -> None:
    check(case)


@settings(max_examples=max(10, EXAMPLES // 3))
@given(cases(kinds=AROUND_REDUCTIONS))
def test_maps_behind_reductions_have_the_same_bits_in_and_out_of_their_kernels(case: Case) -> None:
    check(case)


@settings(max_examples=max(10, EXAMPLES // 3))
@given(cases(most_steps=8, kinds=OVER_ROWS))
def test_rows_gone_over_several_times_have_the_bits_of_separate_kernels(case: Case) -> None:
    check(case)


@settings(max_examples=max(10, EXAMPLES // 10))
@given(cases() | cases(most_steps=8, kinds=OVER_ROWS))
def test_drafts_of_fused_kernels_have_the_same_bits(case: Case) -> None:
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    assert same_bits(run_plan(drafted(case.roots), case.inputs, case.scalars), expected)


@settings(max_examples=max(10, EXAMPLES // 10))
@given(cases() | cases(most_steps=8, kinds=OVER_ROWS))
def test_kernels_that_are_njit_functions_have_the_same_bits(case: Case) -> None:
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    plan = njitted(case.roots)
    threads = get_num_threads()
    for n in (1, 2):
        set_num_threads(n)
        try:
            assert same_bits(run_plan(plan, case.inputs, case.scalars), expected)
        finally:
            set_num_threads(threads)
    assert same_bits(run_plan(drafted(case.roots), case.inputs, case.scalars), expected)


@settings(max_examples=max(10, EXAMPLES // 2))
@given(cases(most_steps=6, kinds=PARTS))
def test_parts_of_wholes_made_in_one_loop_have_the_bits_of_copies(case: Case) -> None:
    check(case)


@settings(max_examples=max(10, EXAMPLES // 2))
@given(cases())
def test_results_made_in_the_memory_of_inputs_have_the_same_bits(case: Case) -> None:
    specs = [(a.shape, a.dtype) for a in case.inputs]
    donations: dict[int, int] = {}
    for place, root in enumerate(case.roots):
        for position, spec in enumerate(specs):
            if spec == (root.spec.shape, root.spec.dtype.numpy) and position not in donations.values():
                donations[place] = position
                break
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    for make in (unfused, fused):
        assert same_bits(run_plan(make(case.roots, donations=donations), case.inputs, case.scalars), expected)


@settings(max_examples=max(10, EXAMPLES // 20))
@given(cases(most_steps=8))
def test_any_pass_can_be_left_out_with_the_same_bits(case: Case) -> None:
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    for passes in ("-fold", "-merge", "-sink", "-scatter", "-embed", "-fuse", "-plan", "-fold,-merge,-sink"):
        assert same_bits(run_plan(fused(case.roots, passes), case.inputs, case.scalars), expected), passes

from __future__ import annotations

from bench.libraries import JAX, NBGRAD, NBGRAD_COMPILED, NBGRAD_NJIT, NUMBA, PRIMAL, TORCH
from bench.measure import Case, Timing
from bench.table import blocks, summary

CASE = Case(
    "a chain", "16 floats", {}, per=10, goals={TORCH: 0.15, JAX: 1.0}, floor=NUMBA, absent={"torch.compile": "too slow"}
)
TIMINGS = [
    Timing(CASE, NBGRAD, 0.5, [1e-5], warm_first_s=0.02, peak_mib=12.0),
    Timing(CASE, TORCH, 0.5, [1e-4]),
    Timing(CASE, JAX, 0.5, [5e-6]),
    Timing(CASE, NUMBA, 0.5, [2e-6]),
]


def test_a_block_names_times_ratios_goals_and_who_is_missing() -> None:
    text = blocks(TIMINGS, "1")
    assert "a chain [16 floats, threads: 1]" in text
    assert "1 us each" in text
    assert "(20 ms from disk)  12 MiB" in text
    assert "nbgrad takes 0.10 of it, goal 0.15 met" in text
    assert "nbgrad takes 2.00 of it, goal 1 MISSED" in text
    assert "nbgrad takes 5.00 of it (the floor)" in text
    assert "left out: too slow" in text


def test_first_calls_are_judged_where_they_are_those_of_new_processes() -> None:
    def text(first_s: float, warm_s: float | None) -> str:
        own = Timing(CASE, NBGRAD, first_s, [1e-5], warm_first_s=warm_s)
        return blocks([own, Timing(CASE, JAX, 8.0, [1e-5])], "1")

    assert "first 0.25, goal 0.5 met" in text(2.0, 0.1)
    assert "first 0.38, goal 0.5 met" in text(3.0, 0.1)
    assert "first 0.51, goal 0.5 MISSED" in text(4.1, 0.1)
    assert "(100 ms from disk); first, goal 3 s MISSED" in text(3.2, 0.1)
    assert "from disk, goal 2 calls + 0.2 s MISSED" not in text(2.0, 0.2)
    assert "(201 ms from disk); from disk, goal 2 calls + 0.2 s MISSED" in text(2.0, 0.201)
    assert "goal 0.5" not in text(9.0, None)


def test_functions_in_njit_are_compared_and_judged_as_plain_ones() -> None:
    case = Case("a loop", "3 steps", {}, goals={PRIMAL: 8.0}, floor=PRIMAL)
    own, peer = Timing(case, NBGRAD_NJIT, 0.5, [9e-6]), Timing(case, PRIMAL, 0.5, [1e-6])
    assert "nbgrad takes 9.00 of it, goal 8 MISSED (the floor)" in blocks([own, peer], "1")
    assert "9.00 (Numba, value alone) | 0 of 1 met" in summary([own, peer, Timing(case, JAX, 0.5, [1e-3])])
    plain, compiled = Timing(case, NBGRAD, 0.5, [4e-6]), Timing(case, NBGRAD_COMPILED, 0.5, [2e-6])
    text = blocks([own, plain, compiled, peer], "1")
    assert "nbgrad takes 4.00 of it, goal 8 met; compiled 2.00; in @njit 9.00, goal 8 MISSED" in text


def test_peak_memory_is_judged_where_the_case_has_a_goal_for_it() -> None:
    case = Case("a step", "", {}, memory_share=0.7)
    timings = [
        Timing(case, NBGRAD, 0.5, [1e-5], peak_mib=6.9),
        Timing(case, NBGRAD_COMPILED, 0.5, [1e-5], peak_mib=7.1),
        Timing(case, TORCH, 0.5, [1e-5], peak_mib=10.0),
    ]
    assert "memory 0.69, goal 0.7 met, compiled 0.71, goal 0.7 MISSED" in blocks(timings, "1")


def test_the_summary_has_one_line_a_case_and_does_not_take_the_floor_for_a_peer() -> None:
    line = summary(TIMINGS).splitlines()[-1]
    assert (
        line
        == "| a chain, 16 floats | 10 us | 0.10 | 2.00 (JAX jit) | 5.00 (Numba by hand) | 1 of 2 met | 3 of 5 met |"
    )

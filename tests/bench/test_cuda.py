"""A smoke on whatever GPU there is, or a simulated one: the cases run. No times are asserted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

import nbgrad as nb
from bench.cuda import CUDA, cuda_cases_of
from bench.libraries import NBGRAD, NBGRAD_COMPILED, TORCH, gpu_name, why_without_gpu
from bench.measure import Pace, measured
from tests.on_devices import cuda

TINY = Pace(rounds=1, slot_s=0.001, settle_s=0.01)


@pytest.fixture(autouse=True)
def precision_as_before() -> Iterator[None]:
    """Some cases set how exact products are."""
    before = nb.get_float32_matmul_precision()
    yield
    nb.set_float32_matmul_precision(before)


@pytest.mark.parametrize("name", CUDA)
def test_nbgrad_runs_the_cases_recorded_and_compiled_with_one_answer(name: str) -> None:
    with cuda():
        for case in cuda_cases_of(name, quick=True):
            own = {n: maker for n, maker in case.makers.items() if n in (NBGRAD, NBGRAD_COMPILED)}
            timings = measured(dataclasses.replace(case, makers=own), TINY)
            assert [t.contestant for t in timings] == [NBGRAD, NBGRAD_COMPILED]
            assert set(case.goals) <= set(case.makers)
            assert case.floor in {"", *case.makers}


def test_who_is_missing_is_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with cuda():
        assert why_without_gpu(NBGRAD) == ""
        assert gpu_name()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert why_without_gpu(TORCH) == "torch is not installed"

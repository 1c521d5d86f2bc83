from __future__ import annotations

from pathlib import Path

import pytest

from bench import chart
from bench.floor import COPY
from bench.libraries import JAX, NBGRAD, NBGRAD_NJIT, NUMBA, TORCH
from bench.measure import Case, Timing


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    case = Case("a chain", "16 floats", {}, floor=COPY)
    names = NBGRAD, TORCH, COPY, "Python by hand"
    chart.draw([Timing(case, name, 0.5, [k + 1.0]) for k, name in enumerate(names)], tmp_path / "out.png")
    assert (tmp_path / "out.png").stat().st_size > 1000


@pytest.mark.parametrize("unit", [TORCH, NUMBA])
def test_times_are_shares_of_somebody_s(unit: str, tmp_path: Path) -> None:
    timings = [Timing(Case("a loop", "3 steps", {}), name, 0.5, [1.0]) for name in (NBGRAD_NJIT, unit)]
    other = Timing(Case("a loop without it", "3 steps", {}), JAX, 0.5, [1.0])
    pictures = []
    for drawn in (timings, [*timings, other], timings[::-1][:1]):
        chart.draw(drawn, tmp_path / "out.png", unit)
        pictures.append((tmp_path / "out.png").read_bytes())
    assert pictures[0] == pictures[1] != pictures[2]

from __future__ import annotations

from pathlib import Path

from bench import chart
from bench.floor import COPY
from bench.libraries import NBGRAD, TORCH
from bench.measure import Case, Timing


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    case = Case("a chain", "16 floats", {}, floor=COPY)
    names = NBGRAD, TORCH, COPY, "Python by hand"
    chart.draw([Timing(case, name, 0.5, [k + 1.0]) for k, name in enumerate(names)], tmp_path / "out.png")
    assert (tmp_path / "out.png").stat().st_size > 1000

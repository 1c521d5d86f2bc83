"""The examples of gradients in the user's ``@njit`` code: they print what is true, and draw it."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """What an example prints. It runs in this process, where Numba has compiled much of its own by then."""

    def run(name: str) -> str:
        runpy.run_path(str(FOLDER / name))["main"](["--out", str(tmp_path)])
        return capsys.readouterr().out

    return run


def test_the_sampler_finds_means_and_variances(printed: Callable[[str], str], tmp_path: Path) -> None:
    found = re.match(r"means (\S+) (\S+), .*; variances (\S+) (\S+), 4 and 3", printed("njit_sampler.py"))
    assert found
    for text, exact, tolerance in zip(found.groups(), (0.0, 1.0, 4.0, 3.0), (0.1, 0.1, 0.3, 0.6), strict=True):
        assert abs(float(text) - exact) < tolerance
    assert (tmp_path / "sampler.png").stat().st_size > 10_000


def test_the_stiff_equation_is_solved(printed: Callable[[str], str], tmp_path: Path) -> None:
    text = printed("njit_stiff.py")
    found = re.search(r"differs from SciPy's by (\S+); the sum is 1 but for (\S+)", text)
    assert found, text
    assert float(found[1]) < 1e-4
    assert float(found[2]) < 1e-9
    assert (tmp_path / "stiff.png").stat().st_size > 10_000

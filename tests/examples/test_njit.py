"""The examples of gradients in the user's ``@njit`` code: they print what is true, and draw it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples"
PATH = os.pathsep.join([str(FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


def printed(name: str, folder: Path, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), "--out", str(folder), *options],
        env={**os.environ, "PYTHONPATH": PATH},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_sampler_finds_means_and_variances(tmp_path: Path) -> None:
    found = re.match(r"means (\S+) (\S+), .*; variances (\S+) (\S+), 4 and 3", printed("njit_sampler.py", tmp_path))
    assert found
    for text, exact, tolerance in zip(found.groups(), (0.0, 1.0, 4.0, 3.0), (0.1, 0.1, 0.3, 0.6), strict=True):
        assert abs(float(text) - exact) < tolerance
    assert (tmp_path / "sampler.png").stat().st_size > 10_000


def test_the_stiff_equation_is_solved(tmp_path: Path) -> None:
    text = printed("njit_stiff.py", tmp_path)
    found = re.search(r"differs from SciPy's by (\S+); the sum is 1 but for (\S+)", text)
    assert found, text
    assert float(found[1]) < 1e-4
    assert float(found[2]) < 1e-9
    assert (tmp_path / "stiff.png").stat().st_size > 10_000

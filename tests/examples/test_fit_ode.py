"""The example that fits a differential equation: its Jacobian is that of differences, and it finds the least error."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FILE = Path(__file__).resolve().parents[2] / "examples" / "fit_ode.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("fit_ode", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_jacobian_is_that_of_differences_and_the_gradient_is_none_at_the_fit(example: Any) -> None:
    found, years, h = example.jacobian(example.GUESS, 6), 6, 1e-5
    for k in range(len(example.GUESS)):
        e = np.eye(len(example.GUESS))[k] * h
        up, down = example.simulated(example.GUESS + e, years), example.simulated(example.GUESS - e, years)
        np.testing.assert_allclose(found[:, k], (up - down).ravel() / (2 * h), rtol=1e-6, atol=1e-7)
    fit = example.fit(example.GUESS)
    assert np.abs(fit.grad).max() < 1e-3 * np.abs(example.jacobian(example.GUESS, 21)).max()
    assert np.sqrt(np.mean(fit.fun**2)) < 0.3


def test_it_prints_what_it_found_and_draws_it(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "fit.png"
    monkeypatch.setattr(sys, "argv", [str(FILE), "--plot", str(picture)])
    example.main()
    printed = capsys.readouterr().out
    found = re.search(r"a ([\d.]+), .*errors of (\d+) %", printed, re.DOTALL)
    assert found, printed
    assert float(found[1]) == pytest.approx(0.55, abs=0.05)
    assert int(found[2]) < 30
    assert picture.stat().st_size > 1000

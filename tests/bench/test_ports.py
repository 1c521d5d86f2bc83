"""PyTorch scripts run on nbgrad with only the import changed, and give PyTorch's values."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from bench.cases import cases_of
from bench.cases.ports import FOLDER, SCRIPTS, step_of, text_for
from bench.libraries import NBGRAD, TORCH
from bench.measure import arrays_of, check_equal

CALLS = 3


@functools.cache
def answers(contestant: str, script: str) -> list[list[Any]]:
    """What the first calls give, of script and library."""
    step = step_of(contestant, script)
    return [arrays_of(step()) for _ in range(CALLS)]


def test_every_script_is_a_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SCRIPTS)
    assert [case.size for case in cases_of("ports", quick=True)] == [f"{script}.py" for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS)
def test_only_import_lines_are_changed(script: str) -> None:
    before, after = (text_for(name, script).splitlines() for name in (TORCH, NBGRAD))
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert ("import torch", "import nbgrad as torch") in changed
    assert all(old.startswith(("import torch", "from torch")) for old, _ in changed)
    assert not any("nbgrad" in line for line in before)
    assert not any(word == "torch" for _, new in changed for word in new.split()[:2])


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_runs_on_nbgrad(script: str) -> None:
    found = answers(NBGRAD, script)
    assert all(call and all(np.isfinite(x).all() for x in call) for call in found)


@pytest.mark.filterwarnings("ignore:Full backward hook")  # PyTorch's, of a layer whose input requires no gradient
@pytest.mark.parametrize("script", SCRIPTS)
def test_script_gives_values_of_pytorch(script: str) -> None:
    pytest.importorskip("torch", reason="the values to compare with are PyTorch's")
    case = cases_of("ports", quick=True)[list(SCRIPTS).index(script)]
    check_equal(case, (TORCH, answers(TORCH, script)), (NBGRAD, answers(NBGRAD, script)))

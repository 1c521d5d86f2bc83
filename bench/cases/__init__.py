"""One file a case: the implementations side by side, written as a user of each library would."""

from __future__ import annotations

import importlib
from typing import Final

from bench.measure import Case

ALL: Final = (
    "chain",
    "scalars",
    "options",
    "norm",
    "mlp",
    "linreg",
    "mixture",
    "pde",
    "hvp",
    "trees",
    "lstm",
    "gpt",
    "cnn",
)
IN_NUMBA: Final = ("njit", "scalar_functions", "differentiate")
PORTS: Final = ("ports",)
OVERHEAD: Final = ("chain", "elementwise", "digits", "trees")


def cases_of(name: str, quick: bool) -> list[Case]:
    """The cases in ``bench/cases/name.py``; ``quick`` takes smaller ones."""
    cases: list[Case] = importlib.import_module(f"bench.cases.{name}").cases(quick)
    return cases

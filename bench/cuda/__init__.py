"""The cases of ``python -m bench cuda``: the same comparison on an NVIDIA GPU."""

from __future__ import annotations

import importlib
from typing import Final

from bench.measure import Case

CUDA: Final = ("copies", "formulas", "launches", "models")


def cuda_cases_of(name: str, quick: bool) -> list[Case]:
    """The cases in ``bench/cuda/name.py``; ``quick`` takes smaller ones."""
    cases: list[Case] = importlib.import_module(f"bench.cuda.{name}").cases(quick)
    return cases

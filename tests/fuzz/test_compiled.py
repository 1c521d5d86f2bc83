"""Random functions under ``nbgrad.compile`` beside themselves, plainly."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.compiled import difference, write

pytestmark = [pytest.mark.fuzz, pytest.mark.cpu]

COUNT = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 4, 10)
PART = 5  # programs of one test


@pytest.mark.parametrize("first", range(0, COUNT, PART))
def test_compiled_functions_do_what_plain_ones_do(first: int) -> None:
    for seed in range(first, first + PART):
        lines = write(seed)
        found = difference(lines)
        assert found is None, "\n".join([f"seed {seed}: {found.kind}: {found.detail}", *lines])

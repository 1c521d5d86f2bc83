"""Random programs: the same bits from every compiler, with any pass left out, on any number of threads."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.bits import difference, settings_of, write

pytestmark = [pytest.mark.fuzz, pytest.mark.cpu, pytest.mark.filterwarnings("ignore")]

COUNT = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 50, 2)
# What does not hold yet: a write to a part of a pending sum or product; looks change views that functions give, and
# bits of what is computed of a derivative's derivative.
NOT_IN_LINES = r"sum\((0|-1)\)|@|Same|Itself|Dirty|create_graph"


@pytest.mark.parametrize("seed", range(COUNT))
def test_no_setting_changes_a_bit(seed: int) -> None:
    lines = write(seed, NOT_IN_LINES)
    found = difference(lines, settings_of(lines))
    assert found is None, "\n".join([f"{found.kind}: {found.detail}", *lines])

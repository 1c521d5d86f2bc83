"""Signal handlers, finalizers, collector callbacks and hooks that use tensors at random moments."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.moments import SOURCES, Moments

pytestmark = [pytest.mark.fuzz, pytest.mark.cpu]

COUNT = max(int(os.environ.get("NBGRAD_FUZZ", "300")) // 50, 2)  # scenarios of 40 moments
BETWEEN = list(SOURCES).index("between")


def check(seed: int) -> None:
    tool = Moments("^$", "^$")
    lines = tool.write(seed)
    found = tool.difference(lines)
    assert found is None, "\n".join([f"{found.kind}: {found.detail}", *lines])


@pytest.mark.parametrize("seed", range(COUNT))
def test_who_comes_in_between_changes_nothing_and_is_right(seed: int) -> None:
    check(seed)


@pytest.mark.parametrize("seed", range(BETWEEN, COUNT * len(SOURCES) // 3, len(SOURCES)))
def test_who_comes_between_two_lines_of_the_user_changes_nothing_and_is_right(seed: int) -> None:
    check(seed)

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def device() -> str:
    """One device: these functions are made of others, which tests of theirs try on all."""
    return "cpu"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.on_devices import devices, made_on


@pytest.fixture(autouse=True, params=devices(little_time=True))
def device(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the tensors of the test are made."""
    name = "cpu" if request.node.get_closest_marker("cpu") else request.param
    with made_on(name, monkeypatch):
        yield name

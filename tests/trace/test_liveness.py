"""Held values and dropped ones are told apart, in long chapters and in short ones."""

from __future__ import annotations

from typing import Any

import pytest

from nbgrad.trace import liveness
from nbgrad.trace.liveness import MANY, bits_of


@pytest.mark.parametrize("n", [1, 7, 8, 9, MANY - 1, MANY, MANY + 1, 63, 64, 65, 1000, 9000])
def test_chapters_of_any_length(n: int) -> None:
    live: list[Any] = [[] for _ in range(n)]
    kept = live[::3]
    assert bits_of(live) == bytes([k % 3 == 0 for k in range(n)])
    del kept
    assert bits_of(live) == bytes(n)


def test_without_the_compiled_look_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "held", lambda live: None)
    test_chapters_of_any_length(MANY + 1)

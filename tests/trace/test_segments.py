"""A long segment ends in the middle of an operation: its operands come into the next one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb

recording = sys.modules["nbgrad.trace.recording"]
SHORT = 20


@pytest.fixture
def short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of 20 entries, wherever they end."""
    monkeypatch.setattr(recording, "SEGMENT_LENGTH", SHORT)
    monkeypatch.setattr(recording, "SEGMENT_LIMIT", SHORT)


def first(x: Any) -> Any:
    return x[0]


def rows(x: Any) -> Any:
    return x[1:] + x[:-1]


def view_of_view(x: Any) -> Any:
    return x[1:][0] * 2.0


def turned(x: Any) -> Any:
    return x.reshape(2, 3).T[1]


def written(x: Any) -> Any:
    y = x * 1.0
    y[0] = 5.0
    return y


OPERATIONS: list[Callable[[Any], Any]] = [first, rows, view_of_view, turned, written]


@pytest.mark.usefixtures("short_segments")
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("before", ["memory", "computed"])
def test_a_segment_may_end_at_any_operation(operation: Callable[[Any], Any], before: str) -> None:
    numbers = nb.tensor([0.5, -1.0, 2.0, 3.0, -4.0, 6.0])
    expected = operation(numbers + 0.0).tolist()
    for pad in range(SHORT - 8, SHORT + 8):
        with nb.no_grad():
            x = numbers if before == "memory" else numbers.abs() * numbers.sign()
            t = nb.ones(len(operation.__name__), pad)  # no other test's structure
            for _ in range(pad):
                t = -t
            y = operation(x)
            z = operation(y.exp().log().sum() * 0.0 + x)
            assert y.tolist() == expected, pad
            assert z.tolist() == expected, pad
            assert t.shape == (len(operation.__name__), pad)


@pytest.mark.usefixtures("short_segments")
def test_steps_of_a_scheme_that_reads_slices() -> None:
    """The same with a look at each step, and without: segments end elsewhere."""

    def run(look: bool, pad: int) -> list[float]:
        with nb.no_grad():
            q = nb.tensor([0.9, 0.4], dtype=nb.float64).exp()
            x = nb.tensor([10.0, 5.0], dtype=nb.float64)
            for _ in range(pad):
                x = -x
            s = x * x * 0.1
            for _ in range(30):
                k = s
                for _ in range(2):
                    u, v = k[0], k[1]
                    k = s + 0.01 * (q[0] * u) - 0.001 * v
                s = s + 0.05 * (s + 2 * k - 3 * s)
                if look:
                    s.tolist()
            found: list[float] = s.tolist()
            return found

    for pad in range(2, 2 + SHORT, 2):
        assert run(False, pad) == run(True, pad), pad

"""Reading part of memory that others may write: what is copied, and when."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.runtime.buffers import Array, Buffer


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes in bytes of all copies made."""
    sizes: list[int] = []
    copy = Buffer.from_numpy

    def from_numpy(array: Array) -> Buffer:
        sizes.append(array.nbytes)
        return copy(array)

    monkeypatch.setattr(Buffer, "from_numpy", staticmethod(from_numpy))
    return sizes


def test_a_minibatch_of_an_imported_array_copies_the_minibatch_alone(copied: list[int]) -> None:
    data = np.arange(4000, dtype=np.float32).reshape(1000, 4)
    x = nb.from_numpy(data)
    w = nb.ones(4, 1, requires_grad=True)
    for begin in (0, 8, 16):
        (x[begin : begin + 8] @ w).sum().backward()
    assert w.grad.flatten().tolist() == data[:24].sum(0).tolist()
    assert [n for n in copied if n > 64] == [8 * 4 * 4] * 3


def test_what_was_recorded_keeps_the_values_of_then() -> None:
    data = np.arange(6, dtype=np.float32)
    x = nb.from_numpy(data)
    part = x[2:4]
    early = part * 10
    whole = x + 0
    data[:] = -1
    late = part * 10
    assert early.tolist() == [20, 30]
    assert whole.tolist() == [0, 1, 2, 3, 4, 5]
    assert late.tolist() == [-10, -10]


def test_views_of_views_and_other_strides_copy_what_they_show(copied: list[int]) -> None:
    data = np.arange(120, dtype=np.float64).reshape(10, 12)
    x = nb.from_numpy(data)
    shown = x[1:9].t()[::2, 3].flip(0)
    assert (shown + 0).tolist() == data[1:9].T[::2, 3][::-1].tolist()
    assert max(copied) == 8 * len(data[1:9].T[::2, 3])


def test_a_view_outlives_the_export_and_shows_what_was_written_last() -> None:
    x = nb.arange(6.0)
    array = x.numpy()
    part = x[1:3]
    array[:] = 7
    del array
    assert (part + 1).tolist() == [8, 8]


def test_gradients_flow_through_views_of_exported_leaves() -> None:
    x = nb.arange(6.0).requires_grad_()
    array = x.detach().numpy()
    (x[2:4] * x[2:4]).sum().backward()
    assert x.grad.tolist() == [0, 0, 4, 6, 0, 0]
    assert array.tolist() == [0, 1, 2, 3, 4, 5]


def test_writing_through_a_view_of_an_imported_array_writes_the_array() -> None:
    data = np.zeros(5, np.float32)
    part = nb.from_numpy(data)[1:3]
    part += 2
    part *= 3
    assert part.tolist() == [6, 6]
    assert data.tolist() == [0, 6, 6, 0, 0]

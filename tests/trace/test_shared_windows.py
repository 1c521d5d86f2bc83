"""Reading part of memory that others may write: what is copied, and when."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.runtime.buffers import Array, Buffer
from nbgrad.trace.thread import local


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes in bytes of all copies made."""
    sizes: list[int] = []
    copy, copy_rows = Buffer.from_numpy, Buffer.copied

    def from_numpy(array: Array) -> Buffer:
        sizes.append(array.nbytes)
        return copy(array)

    def copied(address: int, nbytes: int) -> Buffer:
        sizes.append(nbytes)
        return copy_rows(address, nbytes)

    monkeypatch.setattr(Buffer, "from_numpy", staticmethod(from_numpy))
    monkeypatch.setattr(Buffer, "copied", staticmethod(copied))
    return sizes


def test_a_minibatch_of_an_imported_array_copies_the_minibatch_alone(copied: list[int]) -> None:
    data = np.arange(4000, dtype=np.float32).reshape(1000, 4)
    x = nb.from_numpy(data)
    w = nb.ones(4, 1, requires_grad=True)
    for begin in (0, 8, 16):
        (x[begin : begin + 8] @ w).sum().backward()
    assert w.grad.flatten().tolist() == data[:24].sum(0).tolist()
    assert [n for n in copied if n > 64] == [8 * 4 * 4] * 3


def test_a_linear_layer_and_a_function_copy_what_they_read_once_in_every_step(copied: list[int]) -> None:
    x = nb.from_numpy(np.ones((40, 4), np.float32))
    layer = nb.nn.Linear(4, 3)
    for begin in (0, 8, 16):
        layer(x[begin : begin + 8]).sum().backward()
        x[begin : begin + 12].exp().sum().item()
    assert [n for n in copied if n > 64] == [8 * 4 * 4, 12 * 4 * 4] * 3


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


def test_a_tensor_forgets_its_views_when_they_are_gone() -> None:
    imported, plain = nb.from_numpy(np.zeros((100, 4), np.float32)), nb.zeros(100, 4)
    total = nb.compile(lambda x: x.sum())
    kept = [x[k : k + 2] for x in (imported, plain) for k in range(30)]
    for k in range(3000):
        imported[k % 90 : k % 90 + 8].sum().item()
        total(plain[k % 90 : k % 90 + 8])
    for x in (imported, plain):
        assert len(gc.get_referrers(x)) < 300
        x.add_(1)
    assert all(view.sum().item() == 8 for view in kept)


def test_a_slice_of_imported_memory_is_no_entry_until_it_is_read() -> None:
    x = nb.from_numpy(np.arange(12, dtype=np.float32).reshape(6, 2))
    (nb.zeros(1) + 1).item()
    before = local.trace.node
    part = x[2:4]
    assert local.trace.node is before
    assert (part.shape, part.dtype, part.is_leaf) == ((2, 2), nb.float32, True)
    x += 1
    part *= 2
    assert x.tolist() == [[1, 2], [3, 4], [10, 12], [14, 16], [9, 10], [11, 12]]
    assert x[1].tolist() == [3, 4]


def test_slices_of_imported_memory_know_what_it_is() -> None:
    x = nb.from_numpy(np.arange(6, dtype=np.float32))
    assert not x[1:3].requires_grad
    x.requires_grad_()
    (x[1:3] * 2).sum().backward()
    assert x.grad.tolist() == [0, 2, 2, 0, 0, 0]
    with nb.inference_mode():
        assert nb.from_numpy(np.ones(4))[1:2].is_inference()
    with pytest.raises(RuntimeError):
        x[1:3].add_(1)


VIEWS: dict[str, Callable[[nb.Tensor, int], nb.Tensor]] = {
    "slices": lambda x, i: x[i : i + 3, 1::2],
    "one row": lambda x, i: x[-i],
    "columns backwards": lambda x, i: x.t()[i, 1:5],
    "a part of several": lambda x, i: x.split(3)[i],
    "a diagonal": lambda x, i: x[i:].diagonal(i),
    "repeated": lambda x, i: x[i : i + 2, i + 1 : i + 4][:, None].expand(2, 4, 3),
}


@pytest.mark.parametrize("name", VIEWS)
def test_windows_that_differ_in_their_numbers_alone_show_their_own_elements(name: str) -> None:
    data = np.arange(120.0).reshape(10, 12)
    imported, plain = nb.from_numpy(data), nb.tensor(data)
    for i in (1, 2, 3):
        assert (VIEWS[name](imported, i) + 0).tolist() == VIEWS[name](plain, i).tolist()


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

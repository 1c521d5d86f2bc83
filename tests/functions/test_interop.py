"""Memory of other libraries: capsules, and what does not lie in row-major order. A simulated GPU stands for theirs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.trace.flushing import flush
from nbgrad.trace.thread import local


@pytest.fixture(autouse=True)
def gpus() -> Iterator[None]:
    with override(cuda="simulated"):
        yield
        flush(local.trace)


class Foreign:
    """Another library's array on a device, of these strides (in elements) over 24 numbers from 0 on."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...], first: int = 0) -> None:
        self.owner = nb.arange(24.0, device="cuda")
        told = self.owner.__cuda_array_interface__
        data = told["data"][0] + 4 * first
        bytes_apart = tuple([4 * s for s in strides])
        self.__cuda_array_interface__ = {**told, "shape": shape, "strides": bytes_apart, "data": (data, False)}
        numbers = np.arange(24.0, dtype="f")[first:]
        self.array = np.lib.stride_tricks.as_strided(numbers, shape, bytes_apart)


DENSE = {
    "columns": ((4, 6), (1, 4)),
    "three dims": ((2, 4, 3), (3, 6, 1)),
    "other three": ((4, 3, 2), (1, 8, 4)),
    "a dim of 1": ((4, 1, 6), (1, 77, 4)),
    "row-major": ((4, 6), (6, 1)),
}
GAPS = {
    "rows apart": ((3, 4), (8, 1), 0),
    "every other": ((5,), (2,), 1),
    "backwards": ((2, 3), (-8, 2), 12),
    "the same again": ((3, 4), (0, 1), 2),
    "overlapping": ((5, 3), (2, 1), 0),
}


@pytest.mark.parametrize("name", DENSE)
def test_memory_without_gaps_is_shared_in_whatever_order_it_lies(name: str) -> None:
    there = Foreign(*DENSE[name])
    x = nb.as_tensor(there)
    np.testing.assert_array_equal(x.tolist(), there.array)
    assert x.shape == there.array.shape
    x[1] = 50.0
    x[-1] += 1.0
    there.array[1] = 50.0
    there.array[-1] += 1.0
    assert there.owner.tolist() == np.lib.stride_tricks.as_strided(there.array, (24,), (4,)).tolist()
    there.owner[0] = -1.0
    assert x.flatten()[0].item() == -1.0


@pytest.mark.parametrize("name", GAPS)
def test_memory_with_gaps_is_copied(name: str) -> None:
    there = Foreign(*GAPS[name])
    for make in (nb.as_tensor, nb.tensor):
        x = make(there)
        np.testing.assert_array_equal(x.tolist(), there.array)
        x.zero_()
        assert x.sum().item() == 0 and there.owner.tolist() == list(range(24))


def test_strides_that_cut_elements_are_refused() -> None:
    there = Foreign((3,), (1,))
    there.__cuda_array_interface__["strides"] = (6,)
    with pytest.raises(RuntimeError, match=r"strides of \[6\] bytes"):
        nb.as_tensor(there)


class Lender:
    """What gives a DLPack capsule, of a tensor as it is."""

    def __init__(self, x: Any) -> None:
        self.asked: list[Any] = []
        self._x = x

    def __dlpack__(self, stream: Any = None) -> Any:
        self.asked.append(stream)
        return self._x.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._x.__dlpack_device__()
        return device


def test_dlpack_shares_columns_and_copies_gaps() -> None:
    x = nb.arange(6.0, device="cuda").reshape(2, 3)
    columns = nb.from_dlpack(x.T)
    columns[0, 1] = 9.0
    assert x.tolist() == [[0.0, 1.0, 2.0], [9.0, 4.0, 5.0]]
    gaps = nb.from_dlpack(Lender(x[:, ::2]))
    assert gaps.tolist() == [[0.0, 2.0], [9.0, 5.0]]
    with pytest.raises(RuntimeError, match="copy=False"):
        nb.from_dlpack(Lender(x[:, ::2]), copy=False)
    assert nb.from_dlpack(Lender(x), copy=False).tolist() == x.tolist()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_capsule_is_as_good_as_what_gives_it_once(device: str) -> None:
    x = nb.arange(3.0, device=device)
    capsule = x.__dlpack__()
    y = nb.from_dlpack(capsule)
    y[0] = 5.0
    assert y.device == x.device and x.tolist() == [5.0, 1.0, 2.0]
    with pytest.raises(RuntimeError, match="consumed only once"):
        nb.from_dlpack(capsule)


def test_a_capsule_of_dlpack_1_is_taken_too() -> None:
    array = np.arange(3.0)
    y = nb.from_dlpack(array.__dlpack__(max_version=(1, 0)))
    y[0] = 5.0
    assert array.tolist() == [5.0, 1.0, 2.0]


def test_from_dlpack_brings_it_where_it_is_wanted() -> None:
    x = nb.ones(2)
    there = nb.from_dlpack(x, device="cuda")
    assert there.is_cuda and there.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="copy=False"):
        nb.from_dlpack(x, device="cuda", copy=False)
    copied = nb.from_dlpack(x, copy=True)
    copied[0] = 3.0
    assert x.tolist() == [1.0, 1.0] and nb.from_dlpack(x).device == x.device
    with pytest.raises(RuntimeError, match="__dlpack__"):
        nb.from_dlpack(3)


def test_nobody_waits_for_memory_that_is_lent_or_taken() -> None:
    driver: Any = gpu(0).driver
    s = nb.cuda.Stream()
    with s:
        x = nb.ones(3, device="cuda") * 2
    nb.cuda.synchronize()
    with s:
        y = x + 1
        told = y.__cuda_array_interface__
    before = driver.calls.copy()
    lender = Lender(y)
    taken = nb.from_dlpack(lender)
    shared = nb.as_tensor(type("Other", (), {"__cuda_array_interface__": told})())
    done = driver.calls - before
    assert not done["wait_stream"] and not done["wait_event"] and lender.asked == [1]
    assert taken.tolist() == shared.tolist() == [3.0] * 3


@pytest.mark.parametrize("stream", [None, 1, -1, "own"])
def test_the_stream_that_reads_what_is_lent_waits_for_it(stream: Any) -> None:
    driver: Any = gpu(0).driver
    reader = nb.cuda.Stream()
    with nb.cuda.Stream():
        x = nb.ones(3, device="cuda") * 2
        capsule = x.__dlpack__(stream=reader.cuda_stream if stream == "own" else stream)
    assert driver.stream_done(reader.cuda_stream) == (stream != "own")
    del capsule
    gc.collect()

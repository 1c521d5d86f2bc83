"""Memory of devices that other libraries see. What they do there is done here by NumPy, on a simulated GPU's memory."""

from __future__ import annotations

import ctypes
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.trace.flushing import flush
from nbgrad.trace.thread import local


@pytest.fixture(autouse=True)
def gpu() -> Iterator[None]:
    with override(cuda="simulated"):
        yield
        flush(local.trace)


def seen(interface: dict[str, Any]) -> Any:
    """What another library sees, once the device has done what it was asked to."""
    nb.cuda.synchronize()
    dtype, shape = np.dtype(interface["typestr"]), interface["shape"]
    memory: Any = (ctypes.c_char * max(dtype.itemsize, 1 << 12)).from_address(interface["data"][0])
    return np.ndarray(shape, dtype, memory, strides=interface["strides"])


class Foreign:
    """Another library's array on a device: memory of a tensor that nobody else has."""

    def __init__(self, values: list[float], device: str = "cuda", **more: Any) -> None:
        self._owner = nb.tensor(values, device=device)
        self.__cuda_array_interface__ = {**self._owner.__cuda_array_interface__, **more}
        self.array = seen(self.__cuda_array_interface__)


def test_a_tensor_says_where_it_lies() -> None:
    x = nb.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device="cuda")
    told = x.__cuda_array_interface__
    assert (told["typestr"], told["shape"], told["strides"], told["version"]) == ("<f4", (2, 3), None, 3)
    assert told["data"] == (x.data_ptr(), False) and told["stream"] == 1
    np.testing.assert_array_equal(seen(told), x.tolist())
    column = x[:, 1].__cuda_array_interface__
    assert column["strides"] == (12,)
    np.testing.assert_array_equal(seen(column), [2.0, 5.0])


@pytest.mark.parametrize("dtype", [nb.float64, nb.int64, nb.uint8, nb.bool])
def test_every_dtype_has_its_name(dtype: Any) -> None:
    x = nb.tensor([1, 0, 1], dtype=dtype, device="cuda")
    np.testing.assert_array_equal(seen(x.__cuda_array_interface__), np.array([1, 0, 1], dtype.numpy))


def test_only_plain_tensors_of_devices_say_so() -> None:
    assert not hasattr(nb.ones(2), "__cuda_array_interface__")
    with pytest.raises(RuntimeError, match="use var"):
        _ = nb.ones(2, device="cuda", requires_grad=True).__cuda_array_interface__


def test_what_others_write_is_read() -> None:
    x = nb.zeros(3, device="cuda")
    y = x + 1
    seen(x.__cuda_array_interface__)[:] = [1.0, 2.0, 3.0]
    z = x + 1
    part = x[1:] * 10
    assert y.tolist() == [1.0, 1.0, 1.0]  # what was there when it was recorded
    assert (z.tolist(), part.tolist(), x.tolist()) == ([2.0, 3.0, 4.0], [20.0, 30.0], [1.0, 2.0, 3.0])
    assert x.sum().item() == 6.0


def test_what_is_written_is_seen_by_others() -> None:
    x = nb.zeros(3, device="cuda")
    other = seen(x.__cuda_array_interface__)
    x.add_(2)
    x[0] = 7
    nb.cuda.synchronize()
    np.testing.assert_array_equal(other, [7.0, 2.0, 2.0])
    shared = x.detach()
    shared.mul_(2)
    nb.cuda.synchronize()
    np.testing.assert_array_equal(other, [14.0, 4.0, 4.0])
    assert x.tolist() == [14.0, 4.0, 4.0]


def test_a_tensor_is_lent_no_longer_than_its_borrowers_live() -> None:
    x = nb.ones(2, device="cuda")
    shown = x.detach()
    seen(shown.__cuda_array_interface__)[0] = 5
    assert x._share.storage.export.alive()
    del shown
    gc.collect()
    assert not x._share.storage.export.alive()
    assert (x + 1).tolist() == [6.0, 2.0]
    x.mul_(2)
    assert x.tolist() == [10.0, 2.0]


def test_a_value_that_a_derivative_keeps_is_not_lent() -> None:
    w = nb.tensor([2.0, 3.0], device="cuda", requires_grad=True)
    y = w.exp()
    kept = y.tolist()
    seen(y.detach().__cuda_array_interface__)[:] = 0
    y.sum().backward()
    assert w.grad is not None and w.grad.tolist() == kept


def test_a_function_of_the_users_runs_a_kernel_of_theirs() -> None:
    class Doubled(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            out = nb.empty_like(x)
            np.multiply(seen(x.detach().__cuda_array_interface__), 2, out=seen(out.__cuda_array_interface__))
            return out

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return g * 2

    x = nb.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    y = Doubled.apply(x * 3)
    assert y.tolist() == [6.0, 12.0] and y.is_cuda
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [6.0, 6.0]


def test_memory_of_others_lives_where_it_lies() -> None:
    there = Foreign([1.0, 2.0], device="cuda:1")
    assert nb.as_tensor(there).device == nb.device("cuda:1")
    assert nb.as_tensor(there, device="cuda:0").tolist() == [1.0, 2.0]


def test_lent_memory_is_there_on_the_current_stream_whoever_made_it() -> None:
    with nb.cuda.stream(nb.cuda.Stream()):
        x = nb.ones(3, device="cuda") * 2
        y = nb.ones(3, device="cuda") * 3
    interface = x.__cuda_array_interface__
    nb.cuda.current_stream().synchronize()
    assert (ctypes.c_float * 3).from_address(interface["data"][0])[:] == [2.0] * 3
    assert (nb.from_dlpack(y) + 0).tolist() == [3.0] * 3


def test_writes_to_lent_memory_are_seen_by_all_streams_in_the_programs_order() -> None:
    first, second = nb.cuda.Stream(), nb.cuda.Stream()
    x = nb.ones(3, device="cuda")
    x.__cuda_array_interface__  # noqa: B018
    with nb.cuda.stream(first):
        x.add_(1)
    with nb.cuda.stream(second):
        before = x * 1
    x.mul_(3)
    with nb.cuda.stream(second):
        after = x * 1
    assert (x * 1).tolist() == x.tolist() == after.tolist() == [6.0] * 3
    assert before.tolist() == [2.0] * 3


def test_two_tensors_of_one_memory_keep_the_programs_order_on_all_streams() -> None:
    first, second = nb.cuda.Stream(), nb.cuda.Stream()
    x = nb.ones(3, device="cuda")
    with nb.cuda.stream(first):
        y = nb.from_dlpack(x)
        before = x * 1
    with nb.cuda.stream(second):
        y.add_(1)
        after = x * 1
    assert x.tolist() == y.tolist() == after.tolist() == [2.0] * 3 and before.tolist() == [1.0] * 3


def test_memory_of_others_is_shared() -> None:
    other = Foreign([1.0, 2.0])
    x = nb.as_tensor(other)
    assert x.is_cuda and x.data_ptr() == other.__cuda_array_interface__["data"][0]
    x.add_(1)
    nb.cuda.synchronize()
    np.testing.assert_array_equal(other.array, [2.0, 3.0])
    other.array[0] = 9  # what the device had to do is done
    assert x.tolist() == [9.0, 3.0]
    copied = nb.tensor(other)
    nb.cuda.synchronize()
    other.array[0] = 0
    assert copied.tolist() == [9.0, 3.0]
    assert nb.as_tensor(other, device="cpu").tolist() == [0.0, 3.0]
    assert nb.tensor(other, dtype=nb.float64).dtype is nb.float64


def test_dlpack_hands_memory_on() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda:1")
    assert x.__dlpack_device__() == (2, 1) and nb.ones(1).__dlpack_device__() == (1, 0)
    y = nb.from_dlpack(x)
    assert y.device == x.device and y.data_ptr() == x.data_ptr()
    y.mul_(2)
    assert x.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    x[0] = 0
    assert y.tolist() == [[0.0, 0.0], [6.0, 8.0]]
    assert np.from_dlpack(nb.ones(2)).tolist() == [1.0, 1.0]
    with pytest.raises(BufferError):
        x.clone().requires_grad_().__dlpack__()


@pytest.mark.parametrize("dtype", [nb.float64, nb.int64, nb.int8, nb.uint8, nb.bool])
def test_dlpack_knows_every_dtype(dtype: Any) -> None:
    y = nb.from_dlpack(nb.tensor([1, 0], dtype=dtype, device="cuda"))
    assert y.dtype is dtype and y.tolist() == [1, 0]


def test_dlpack_copies_where_that_is_asked_for() -> None:
    class Copied:
        def __init__(self, x: nb.Tensor) -> None:
            self.__dlpack_device__ = x.__dlpack_device__
            self.__dlpack__ = lambda stream: x.__dlpack__(stream=stream, copy=True)

    x = nb.ones(2, device="cuda")
    nb.from_dlpack(Copied(x)).zero_()
    assert x.tolist() == [1.0, 1.0]
    assert np.from_dlpack(x.cpu()).tolist() == [1.0, 1.0]


def test_what_dlpack_lent_is_given_back() -> None:
    x = nb.ones(3, device="cuda")
    capsule = x.__dlpack__()
    assert x._share.storage.export.alive()
    del capsule  # nobody took it
    gc.collect()
    assert not x._share.storage.export.alive()
    y = nb.from_dlpack(x)
    assert x._share.storage.export.alive()
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None and not x._share.storage.export.alive()
    x.add_(1)
    assert x.tolist() == [2.0, 2.0, 2.0]


def test_who_refuses_what_dlpack_lends_says_why() -> None:
    x = nb.ones(3, device="cuda")
    for _ in range(2):
        with pytest.raises((RuntimeError, BufferError), match="device"):
            np.from_dlpack(x)
        gc.collect()
        assert not x._share.storage.export.alive()


def test_lent_memory_outlives_its_tensor() -> None:
    x = nb.tensor([5.0, 6.0], device="cuda")
    y = nb.from_dlpack(x)
    del x
    gc.collect()
    for _ in range(3):
        nb.ones(2, device="cuda") * 3
        nb.cuda.synchronize()
    assert y.tolist() == [5.0, 6.0]


@pytest.mark.parametrize("is_exported_first", [False, True])
def test_whether_a_call_gives_a_view_of_exported_memory_says_nothing_of_other_values(is_exported_first: bool) -> None:
    x = nb.tensor([1.0, 2.0, 3.0, 4.0])
    seen = x.numpy()
    overlapping = x.unfold(0, 2, 1)[:2]  # [[1, 2], [2, 3]] has no flat view
    plain = nb.tensor([[1.0, 2.0], [2.0, 3.0]])

    def look_at_exported() -> None:
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            overlapping.view(-1)
        copy = overlapping.reshape(-1)
        copy[0] = 9.0
        assert seen.tolist() == [1.0, 2.0, 3.0, 4.0]

    for _ in range(2):
        if is_exported_first:
            look_at_exported()
        for flat in (plain.view(-1), plain.reshape(-1)):
            flat += 1.0
        assert (plain * 1.0).tolist() == [[3.0, 4.0], [4.0, 5.0]]
        plain -= 2.0
        look_at_exported()

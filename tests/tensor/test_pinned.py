"""Pinned tensors: who waits for copies between them and a device, and what stays pinned. A simulated GPU does nothing
before somebody waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.trace.flushing import flush
from nbgrad.trace.thread import local
from tests.creators import CREATORS, LIKES, created, created_like

MANY = 1 << 17  # more bytes than go through memory of nbgrad's own


@pytest.fixture(autouse=True)
def gpus() -> Iterator[None]:
    with override(cuda="simulated"):
        yield
        flush(local.trace)


@contextmanager
def waits() -> Iterator[Counter[str]]:
    """How often somebody waits inside the block."""
    driver: Any = gpu(0).driver
    before, found = driver.calls.copy(), Counter[str]()
    yield found
    done = driver.calls - before
    found.update({name: done[name] for name in ("wait_stream", "wait_event", "synchronize") if done[name]})


def on_device(values: Any) -> nb.Tensor:
    x = nb.tensor(values, device="cuda") * 2
    nb.cuda.synchronize()
    return x


@pytest.mark.parametrize("n", [3, MANY])
def test_copies_from_pinned_memory_wait_for_nothing(n: int) -> None:
    x = nb.arange(n).pin_memory()
    with waits() as waited:
        y = x.cuda()
        z = x.to("cuda", non_blocking=True)
        del x
    assert not waited
    assert y[-1].item() == z[-1].item() == n - 1


def test_large_copies_from_other_memory_wait_for_nothing() -> None:
    busy = nb.ones(4, device="cuda") * 2
    nb.cuda.current_stream().query()
    with waits() as waited:
        y = nb.tensor(np.arange(MANY)).cuda()
        assert not nb.cuda.current_stream().query()
    assert not waited and y[-1].item() == MANY - 1 and busy.tolist() == [2.0] * 4


def test_a_copy_to_the_cpu_may_be_there_later() -> None:
    x = on_device([1.0, 2.0])
    with waits() as waited:
        y = x.to("cpu", non_blocking=True)
    assert not waited and y.is_pinned() and y.is_cpu
    assert not np.array_equal(np.frombuffer(y._buffer.array((8,), np.uint8).tobytes(), "f"), [2.0, 4.0])
    nb.cuda.synchronize()
    assert np.frombuffer(y._buffer.array((8,), np.uint8).tobytes(), "f").tolist() == [2.0, 4.0]


LOOKS: dict[str, Callable[[nb.Tensor], Any]] = {
    "tolist": lambda y: y.tolist(),
    "item": lambda y: [y[0].item(), y[1].item()],
    "numpy": lambda y: y.numpy().tolist(),
    "array": lambda y: np.asarray(y).tolist(),
    "computed with": lambda y: (y + 0).tolist(),
    "a view": lambda y: y.reshape(2, 1).flatten().tolist(),
    "written": lambda y: y.mul_(1).tolist(),
    "detached": lambda y: y.detach().tolist(),
    "sent back": lambda y: y.cuda().tolist(),
    "copied": lambda y: nb.zeros(2).copy_(y).tolist(),
    "dlpack": lambda y: np.from_dlpack(y).tolist(),
    "pinned": lambda y: y.pin_memory().tolist(),
    "data": lambda y: nb.tensor(y).tolist(),
}


@pytest.mark.parametrize("name", LOOKS)
def test_whoever_looks_waits_for_it(name: str) -> None:
    for _ in range(3):
        y = on_device([1.0, 2.0]).to("cpu", non_blocking=True)
        assert LOOKS[name](y) == [2.0, 4.0]
        assert y.tolist() == [2.0, 4.0]


def test_what_has_a_derivative_is_recorded() -> None:
    x = nb.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    (x * x).to("cpu", non_blocking=True).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2.0, 4.0]


def test_a_compiled_function_may_ask_for_it() -> None:
    @nb.compile
    def there(x: nb.Tensor) -> nb.Tensor:
        return (x * 3).to("cpu", non_blocking=True)

    for k in range(5):
        assert there(nb.tensor([1.0 * k], device="cuda")).tolist() == [3.0 * k]


def test_a_pinned_tensor_that_is_filled_again_stays_pinned() -> None:
    y = nb.zeros(2).pin_memory()
    z = y * 1
    for k in range(4):
        x = on_device([1.0 + k, 2.0])
        with waits() as waited:
            y.copy_(x, non_blocking=True)
        assert not waited and y.is_pinned()
        assert y.tolist() == [2.0 + 2 * k, 4.0]
        old = y + 0
        y.copy_(nb.tensor([7.0, 8.0]))
        assert y.is_pinned() and y.tolist() == [7.0, 8.0]
        assert old.tolist() == [2.0 + 2 * k, 4.0]
    assert z.tolist() == [0.0, 0.0]


def test_whoever_shows_a_pinned_tensor_sees_what_it_is_filled_with() -> None:
    for source in (nb.tensor([5.0, 6.0]), on_device([2.5, 3.0])):
        for y in (nb.zeros(2).pin_memory(), on_device([0.0, 0.0]).to("cpu", non_blocking=True)):
            same, part = y.detach(), y[1:]
            y.copy_(source, non_blocking=True)
            assert y.tolist() == same.tolist() == [5.0, 6.0] and part.tolist() == [6.0]
            y.add_(1)
            assert same.tolist() == [6.0, 7.0] and part.tolist() == [7.0]


def test_a_view_of_a_pinned_tensor_is_filled_in_the_tensor() -> None:
    for source in (nb.tensor([5.0, 6.0]), on_device([2.5, 3.0])):
        y = nb.zeros(3, 2).pin_memory()
        y[1].copy_(source, non_blocking=True)
        y[2].copy_(source)
        assert y.tolist() == [[0.0, 0.0], [5.0, 6.0], [5.0, 6.0]]


def test_a_copy_that_waits_is_there_at_once() -> None:
    y = nb.zeros(2).pin_memory()
    y.copy_(on_device([1.0, 2.0]))
    assert y.tolist() == [2.0, 4.0]


def test_what_copies_with_a_derivative_or_another_dtype_is_recorded() -> None:
    y, w = nb.zeros(2).pin_memory(), nb.ones(2, device="cuda", requires_grad=True)
    y.copy_(w * 3, non_blocking=True)
    y.sum().backward()
    assert w.grad is not None and w.grad.tolist() == [3.0, 3.0]
    z = nb.zeros(2).pin_memory()
    z.copy_(nb.tensor([1, 2], device="cuda"), non_blocking=True)
    assert z.tolist() == [1.0, 2.0]


def test_views_and_arrays_of_pinned_tensors_are_pinned() -> None:
    x = nb.arange(4.0).pin_memory()
    assert x[1:].is_pinned() and x.detach().is_pinned()
    array = x.numpy()
    assert x.is_pinned("cuda") and array.tolist() == x.cuda().tolist()
    array[0] = 5.0
    assert x.cuda().tolist() == [5.0, 1.0, 2.0, 3.0] and not (x + 1).is_pinned()
    with pytest.raises(RuntimeError, match="not for cpu"):
        x.is_pinned("cpu")


@pytest.mark.parametrize("name", [name for name in [*CREATORS, *LIKES] if name != "as_tensor"])
def test_every_maker_pins_where_that_is_asked_for(name: str) -> None:
    make = partial(created, name) if name in CREATORS else partial(created_like, nb.ones(2), name)
    nb.manual_seed(3)
    plain = make(pin_memory=False)
    nb.manual_seed(3)
    pinned = make(pin_memory=True)
    assert pinned.is_pinned() and not plain.is_pinned()
    assert pinned.tolist() == plain.tolist() and pinned.dtype is plain.dtype
    with pytest.raises(TypeError, match="pin_memory"):
        make(pin_memory="yes")


def test_a_pinned_leaf_has_its_flag_and_a_device_cannot_be_pinned() -> None:
    x = nb.ones(2, pin_memory=True, requires_grad=True)
    assert x.is_leaf and x.requires_grad and x.is_pinned()
    with pytest.raises(RuntimeError, match="only dense CPU tensors can be pinned"):
        nb.ones(2, device="cuda", pin_memory=True)
    with override(cuda="off"), pytest.raises(RuntimeError, match="NBGRAD_CUDA=off"):
        nb.ones(2, pin_memory=True)


def test_what_is_written_in_place_stays_pinned() -> None:
    y, seen = nb.zeros(3, 2).pin_memory(), nb.zeros(2).pin_memory()
    row, array = y[1], seen.numpy()
    for k in range(3):
        y.add_(1.0)
        row.mul_(2.0)
        seen.sub_(1.0)
        assert y.is_pinned() and y.tolist() == [[k + 1.0] * 2, [2.0 ** (k + 2) - 2] * 2, [k + 1.0] * 2]
        assert seen.is_pinned() and array.tolist() == [-1.0 - k] * 2
        assert row.is_pinned() and not (y + 1).is_pinned()
    y[0] = 9.0
    assert y.is_pinned() and y.tolist()[0] == [9.0, 9.0]

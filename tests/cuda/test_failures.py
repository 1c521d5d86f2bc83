"""What fails on a device while nobody looks is told to whoever waits for the device next."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import nbgrad as nb
from tests.on_devices import cuda

TOO_FAR = "index 7 is out of bounds for dimension 0 with size 3"


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with cuda(2):
        yield


def failing(device: str = "cuda") -> nb.Tensor:
    return nb.ones(3, device=device)[nb.tensor([7], device=device)]


def recorded_event() -> nb.cuda.Event:
    event = nb.cuda.Event()
    event.record()
    return event


@pytest.mark.parametrize(
    "wait",
    [
        nb.cuda.synchronize,
        lambda: nb.cuda.current_stream().synchronize(),
        lambda: recorded_event().synchronize(),
    ],
    ids=["device", "stream", "event"],
)
def test_whoever_waits_for_the_device_hears_what_failed(wait: Callable[[], None]) -> None:
    y = failing()
    with pytest.raises(IndexError, match=TOO_FAR):
        wait()
    wait()  # once is enough
    with pytest.raises(IndexError, match=TOO_FAR):
        y.tolist()


def test_it_is_told_where_another_value_was_looked_at_and_the_tensor_is_gone() -> None:
    x = nb.ones(3, device="cuda")
    y = failing()
    assert (x + 1).tolist() == [2, 2, 2]
    del y
    with pytest.raises(IndexError, match=rf"(?s){TOO_FAR}.*test_failures\.py"):
        nb.cuda.synchronize()


def test_whoever_has_seen_the_error_is_not_told_again() -> None:
    y = failing()
    with pytest.raises(IndexError, match=TOO_FAR):
        y.tolist()
    nb.cuda.synchronize()


def test_nor_is_who_has_seen_it_in_a_copy_on_the_host() -> None:
    y = failing()
    host = y.cpu()
    with pytest.raises(IndexError, match=TOO_FAR):
        host.tolist()
    nb.cuda.synchronize()
    with pytest.raises(IndexError, match=TOO_FAR):
        y.tolist()


def test_whoever_has_seen_another_error_is_told_of_this_one() -> None:
    lost = failing()
    assert nb.ones(2, device="cuda").tolist() == [1, 1]
    other = nb.ones(3, device="cuda")[nb.tensor([8], device="cuda")]
    with pytest.raises(IndexError, match="index 8"):
        other.tolist()
    with pytest.raises(IndexError, match=TOO_FAR):
        nb.cuda.synchronize()
    del lost


def test_a_wait_for_another_device_says_nothing_of_it() -> None:
    y = failing("cuda:1")
    nb.cuda.synchronize(0)
    z = nb.ones(3)[nb.tensor([7])]
    with pytest.raises(IndexError, match=TOO_FAR):
        nb.cuda.synchronize(1)
    nb.cuda.synchronize(1)
    for lost in (y, z):
        with pytest.raises(IndexError, match=TOO_FAR):
            lost.tolist()

"""What fails on a device while nobody looks is told to whoever waits for the device next."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import nbgrad as nb
from tests.on_devices import cuda
from tests.runtime.forks import holds_in_child

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


@pytest.mark.parametrize("where", ["cpu", "cuda:1"])
def test_nor_is_who_has_seen_it_in_a_copy_elsewhere(where: str) -> None:
    y = failing()
    copy = y.to(where)
    with pytest.raises(IndexError, match=TOO_FAR):
        copy.tolist()
    nb.cuda.synchronize(0)
    nb.cuda.synchronize(1)
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


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that is what it tries
def test_what_waits_for_a_device_does_not_keep_a_forked_process_from_its_own_work() -> None:
    x = nb.ones(3, device="cuda") + 1
    assert x.tolist() == [2, 2, 2]
    y, z = x * 3, nb.ones(3, device="cpu") * 5

    def child_works() -> bool:
        with pytest.raises(RuntimeError, match="Cannot re-initialize CUDA in forked subprocess"):
            y.tolist()
        return z.tolist() == [5, 5, 5] and (nb.ones(2, device="cpu") * 2).tolist() == [2, 2]

    assert holds_in_child(child_works)
    assert y.tolist() == [6, 6, 6]

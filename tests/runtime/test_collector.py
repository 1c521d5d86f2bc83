import gc
import threading
from collections.abc import Iterator

import pytest

from nbgrad.runtime.collector import collector_paused
from tests.runtime.forks import holds_in_child


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_the_collector_pauses_and_goes_on() -> None:
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ArithmeticError), collector_paused():
        raise ArithmeticError
    assert gc.isenabled()


def test_a_collector_that_the_user_switched_off_stays_off() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_the_last_of_several_threads_ends_the_pause() -> None:
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with collector_paused():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=stay)
    thread.start()
    inside.wait()
    with collector_paused():
        pass
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_a_child_forked_while_another_thread_pauses_collects() -> None:
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with collector_paused():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=stay)
    thread.start()
    inside.wait()
    try:
        assert holds_in_child(gc.isenabled)
    finally:
        leave.set()
        thread.join()

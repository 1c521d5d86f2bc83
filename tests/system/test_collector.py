import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from nbgrad.system.collector import MANY, collector_paused, grow_old
from tests.fresh import printed
from tests.runtime.forks import holds_in_child


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


@pytest.fixture
def nothing_frozen() -> Iterator[None]:
    """The tests' own objects, which ``conftest.py`` froze, are frozen again after the test."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()


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


@pytest.mark.parametrize("missing", ["", "llvmlite"])
def test_it_goes_on_after_an_import(missing: str) -> None:
    script = """
import gc, sys
if sys.argv[1]:
    sys.modules[sys.argv[1]] = None
paused = []
sys.setprofile(lambda frame, event, arg: paused.append(not gc.isenabled()))
try:
    import nbgrad
except ImportError as error:
    assert sys.argv[1] and sys.argv[1] in str(error), error
else:
    assert not sys.argv[1]
sys.setprofile(None)
assert any(paused), "the import does not pause it"
assert gc.isenabled()
"""
    printed("-c", script, missing)


def test_a_collector_that_the_user_switched_off_stays_off() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


@pytest.fixture
def end_of_pause() -> Iterator[Callable[[], None]]:
    """Ends the pause of another thread."""
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with collector_paused():
            inside.set()
            leave.wait()

    def end() -> None:
        leave.set()
        thread.join()

    thread = threading.Thread(target=stay)
    thread.start()
    inside.wait()
    yield end
    end()


def test_the_last_of_several_threads_ends_the_pause(end_of_pause: Callable[[], None]) -> None:
    with collector_paused():
        pass
    assert not gc.isenabled()
    end_of_pause()
    assert gc.isenabled()


def test_a_child_forked_while_another_thread_pauses_collects(end_of_pause: Callable[[], None]) -> None:
    assert not gc.isenabled()
    assert holds_in_child(gc.isenabled)


def test_objects_grow_old_and_are_collected_with_the_old_ones(nothing_frozen: None) -> None:
    class Knot:
        def __init__(self) -> None:
            self.itself = self

    knot = Knot()
    gone = weakref.ref(knot)
    grow_old()
    assert not any(value is knot for value in gc.get_objects(generation=0))
    assert any(value is knot for value in gc.get_objects(generation=2))
    assert gc.get_count()[1:] == (0, 0)
    del knot
    gc.collect()
    assert gone() is None


def test_many_objects_made_in_a_pause_are_old_at_its_end(nothing_frozen: None) -> None:
    with collector_paused():
        made = [[] for _ in range(MANY + 1000)]  # type: ignore[var-annotated]
    assert gc.get_count()[0] < 1000
    assert not any(value is made for value in gc.get_objects(generation=0))


class _Stopped(BaseException):
    pass


def test_it_goes_on_though_a_handler_raises_at_the_end(nothing_frozen: None) -> None:
    def stopped(moment: int) -> bool:
        count = 0

        def strike(frame: Any, event: str, arg: Any) -> None:
            nonlocal count
            if event == "c_return" or (event == "call" and frame.f_code is grow_old.__code__):
                count += 1  # where Python hears of signals
                if count == moment:
                    sys.setprofile(None)
                    raise _Stopped

        try:
            with collector_paused():
                made = [[] for _ in range(MANY + 1000)]  # type: ignore[var-annotated]
                sys.setprofile(strike)
        except _Stopped:
            return True
        finally:
            sys.setprofile(None)
        del made
        return False

    moment, has_come = 0, True
    while has_come:
        moment += 1
        has_come = stopped(moment)
        assert gc.isenabled(), moment
        assert not gc.get_freeze_count(), moment
    assert moment > 6


def test_what_the_user_froze_stays_frozen(nothing_frozen: None) -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    grow_old()
    assert gc.get_freeze_count() == frozen

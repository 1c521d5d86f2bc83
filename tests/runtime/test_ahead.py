from __future__ import annotations

import pathlib
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from nbgrad.config import override
from nbgrad.log import fallbacks
from nbgrad.runtime import ahead, runner_code
from nbgrad.runtime.held import held
from tests.fresh import printed
from tests.runtime.forks import holds_in_child


@pytest.fixture
def state(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ahead._State]:
    """There is no code in memory or on disk, and nobody has asked for any; there are two cores."""
    monkeypatch.setattr(runner_code, "_loaded", runner_code._Loaded())
    monkeypatch.setattr(ahead, "_state", ahead._State())
    monkeypatch.setattr(ahead, "available_cores", lambda: 2)
    with override(cache_dir=str(tmp_path / "nbgrad"), compile="background"):
        yield ahead._state
        ahead.wait()


def test_a_thread_makes_drafts_of_what_a_long_program_will_run(state: ahead._State) -> None:
    assert ahead.is_due()
    ahead.compile_ahead()
    assert not ahead.is_due()
    ahead.wait()
    assert state.worker is None
    assert runner_code.drafts() == ["runner", "baseline"]
    ahead.compile_ahead()  # once is enough
    assert state.worker is None


@pytest.fixture
def usual_s() -> Iterator[float]:
    usual_s = sys.getswitchinterval()
    yield usual_s
    sys.setswitchinterval(usual_s)


def during(monkeypatch: pytest.MonkeyPatch, note: Callable[[], None]) -> None:
    """``note`` runs in place of the compiler."""
    monkeypatch.setattr(runner_code, "baseline_code", note)
    monkeypatch.setattr(runner_code, "runner_code", note)
    ahead.compile_ahead()
    ahead.wait()


def test_threads_take_turns_more_often_meanwhile(
    state: ahead._State, usual_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    during(monkeypatch, lambda: seen.append(sys.getswitchinterval()))
    assert max(seen) < usual_s / 10
    assert sys.getswitchinterval() == usual_s


def test_how_often_they_do_stays_as_the_user_sets_it_meanwhile(
    state: ahead._State, usual_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    during(monkeypatch, lambda: sys.setswitchinterval(0.02))
    assert sys.getswitchinterval() == 0.02


def test_nobody_waits_for_it_to_look_at_objects(state: ahead._State, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr(runner_code, "baseline_code", may_end.wait)
        ahead.compile_ahead()
        assert ahead.is_at_work()
        assert held([[]] * 10_000) is None
        may_end.set()
        ahead.wait()
    assert not ahead.is_at_work()
    assert held([[]] * 10_000) == bytes([1]) * 10_000


def test_no_thread_begins_where_the_code_is_on_disk(state: ahead._State) -> None:
    for what in ("runner", "baseline"):
        runner_code._object_code(what, is_first=True)  # they are on disk
    ahead.compile_ahead()
    assert state.worker is None


def test_one_core_records_alone_and_so_does_who_wants_nothing_made(
    state: ahead._State, monkeypatch: pytest.MonkeyPatch
) -> None:
    with override(compile="never"):
        ahead.compile_ahead()
    assert state.worker is None
    state.is_asked = False
    monkeypatch.setattr(ahead, "available_cores", lambda: 1)
    ahead.compile_ahead()
    assert state.worker is None


def test_where_the_system_gives_no_thread_the_program_goes_on(
    state: ahead._State, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    ahead.compile_ahead()
    assert state.worker is None
    assert "what runs a program is compiled when it is wanted, not ahead: can't start new thread" in fallbacks()
    ahead.wait()


def test_a_fork_in_another_thread_just_before_it_begins_waits_for_nothing(state: ahead._State) -> None:
    state.worker = threading.Thread(target=int)
    ahead.wait()
    assert state.worker is None


def test_a_fork_waits_for_the_thread(state: ahead._State) -> None:
    ahead.compile_ahead()
    assert holds_in_child(lambda: runner_code.drafts() == ["runner", "baseline"])
    assert state.worker is None


def test_only_long_programs_have_code_made_ahead(tmp_path: pathlib.Path) -> None:
    bytecode = """
import nbgrad as nb
from nbgrad.runtime import ahead
ahead.available_cores = lambda: 2
x = y = nb.ones(3, requires_grad=True)
for i in range(2 * ahead.LONG):
    y = y * 1.5 + x if i % 2 else y - x
    if i == ahead.LONG // 4:
        print(ahead.is_due())
y.sum().backward()
print(ahead.is_due(), ahead._state.worker is not None)
"""
    environment = {"NBGRAD_CACHE_DIR": str(tmp_path / "nbgrad"), "NBGRAD_COMPILE": "background"}
    assert printed("-c", bytecode, **environment) == "True\nFalse True\n"

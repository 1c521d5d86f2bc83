"""What tests must not leave behind is found (and put back); the suite is shared out file by file; what hangs ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.config import settings
from tests.leftovers import leftovers, state
from tests.watch import Watch
from tests.workers import APART, Left, Numbered, unit

ROOT = Path(__file__).resolve().parents[1]


def changed_handler() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def changed_threads() -> None:
    nb.set_num_threads(nb.get_num_threads() + 1)


def changed_dtype() -> None:
    nb.set_default_dtype(nb.float64)


def changed_precision() -> None:
    nb.set_float32_matmul_precision("high")


def changed_grad_mode() -> None:
    nb.set_grad_enabled(False)


CHANGES = {
    "Ctrl-C's handler": changed_handler,
    "the setting num_threads": changed_threads,
    "the default dtype": changed_dtype,
    "the precision of products": changed_precision,
    "the grad mode": changed_grad_mode,
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found_and_taken_back(name: str) -> None:
    before = state()
    assert leftovers(before) == []
    CHANGES[name]()
    [found] = leftovers(before)
    assert found.startswith(name)
    assert leftovers(before) == []


def test_a_thread_that_runs_on_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.leftovers.ENDING_S", 0.01)
    before, go = state(), threading.Event()
    thread = threading.Thread(target=go.wait, name="late")
    thread.start()
    try:
        assert leftovers(before) == ["the thread late runs on"]
    finally:
        go.set()
        thread.join()
    assert leftovers(before) == []


def test_the_pools_threads_may_stay() -> None:
    before, threads = state(), settings.num_threads
    nb.set_num_threads(threads + 1)
    (nb.ones(1 << 20) * 2.0).sum().item()
    nb.set_num_threads(threads)
    assert leftovers(before) == []


def test_a_tests_leftovers_are_its_error(pytester: Any) -> None:
    pytester.makeconftest("from tests.conftest import *")
    pytester.makepyfile(
        """
        import nbgrad as nb

        def test_leaves_tf32():
            nb.set_float32_matmul_precision("high")

        def test_comes_next():
            assert nb.get_float32_matmul_precision() == "highest"
        """
    )
    result = pytester.runpytest("-p", "no:xdist")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*the precision of products was 'highest', and is left 'high'*"])


def test_tests_of_a_file_stay_together() -> None:
    assert unit("tests/nn/test_init.py::test_a[x::y]") == unit("tests/nn/test_init.py::test_b")
    assert unit(f"{APART[0]}::test_a[0]") != unit(f"{APART[0]}::test_a[1]")


def test_a_test_is_found_by_its_name() -> None:
    names = [f"test[{k}]" for k in range(5)]
    assert [Numbered(names).index(name) for name in names] == [names.index(name) for name in names]
    assert Numbered(names) == names


def test_units_that_are_through_are_not_counted_again() -> None:
    left, units = Left(), {"a": {"1": False, "2": False}, "b": {"3": False}}
    assert left.of(units) == 3
    units["b"]["3"] = True  # in any order: another process may go on with the units of one that ended
    assert left.of(units) == 2
    units["a"] = dict.fromkeys(units["a"], True)
    units["c"] = {"4": False, "5": True}
    assert left.of(units) == 1
    assert left.of({}) == 0


HANGS = """
import sys, threading
from tests.watch import Watch

def hangs():
    threading.Event().wait(60)

Watch(sys.stderr, limit_s=0.1, shared_s=0.1).begin()
hangs()
"""


def test_what_hangs_ends_and_says_where() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", HANGS], cwd=ROOT, capture_output=True, text=True, timeout=50, check=False
    )
    assert ran.returncode == 1
    assert "Timeout" in ran.stderr and "in hangs" in ran.stderr


def test_one_watch_is_for_all_tests_of_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, started = [0.0], []
    monkeypatch.setattr("tests.watch.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("faulthandler.dump_traceback_later", lambda after_s, **_: started.append((clock[0], after_s)))
    monkeypatch.setattr("faulthandler.cancel_dump_traceback_later", lambda: started.append(None))
    watch = Watch(sys.stderr, limit_s=10.0, shared_s=3.0)
    for second in range(6):
        clock[0] = float(second)
        watch.begin()
    assert started == [(0.0, 13.0), (4.0, 13.0)]
    watch.end()
    watch.begin()
    assert started[2:] == [None, (5.0, 13.0)]

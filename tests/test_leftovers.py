"""What tests must not leave behind is found (and put back), and the suite is shared out file by file."""

from __future__ import annotations

import signal
import threading
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.config import settings
from tests.leftovers import leftovers, state
from tests.workers import APART, unit


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

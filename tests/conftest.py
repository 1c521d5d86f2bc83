"""Settings of the test run.

NBGRAD_FUZZ=5000     how many random graphs the fuzzing tests take, all together (300 unless set)
NBGRAD_TEST_DEVICES  cpu, cuda, some or all: where tests run that can run on CUDA too (some unless set: on_devices.py)
NBGRAD_ORACLE=torch  run the tests of the public API (seeds/, nn/, optim/) against PyTorch itself, which shows that
                     what they expect is PyTorch's answer
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.leftovers import State, leftovers, state
from tests.watch import WATCH, Watch
from tests.workers import scheduler, share_out

if os.environ.get("NBGRAD_ORACLE") == "torch":
    import torch

    sys.modules["nbgrad"] = torch

BEFORE = pytest.StashKey[State]()

# Fixed examples: a failing run fails again. The fuzzing tests ask for other numbers of examples by NBGRAD_FUZZ.
settings.register_profile(
    "nbgrad", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("nbgrad")

# A shell that starts the tests in the background has Ctrl-C ignored; some of them send it to themselves.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    share_out(config, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return scheduler(config, log) if config.option.dist == "loadscope" else None


def pytest_configure(config: pytest.Config) -> None:
    file = os.fdopen(os.dup(sys.__stderr__.fileno()), "w")  # what tests write is not caught yet
    config.add_cleanup(file.close)
    config.stash[WATCH] = Watch(file)
    config.add_cleanup(config.stash[WATCH].end)
    if os.environ.get("NBGRAD_ORACLE") != "torch":
        compile_last()


def compile_last() -> None:
    """Have the process that compiles in the background take only what time the tests leave: they ask for thousands of
    kernels that nobody waits for, and it took four tenths of all."""
    from nbgrad.runtime.background import Worker
    from nbgrad.runtime.runner_code import PLACES, make_good
    from nbgrad.runtime.store import store

    for words in PLACES:
        make_good(words)  # it would be the first that the worker does, and no call is bound before

    def start() -> Worker:
        worker = Worker()
        os.setpriority(os.PRIO_PROCESS, worker.process.pid, 19)
        return worker

    store._start_worker = start


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    item.config.stash[WATCH].begin()


def pytest_exception_interact(node: pytest.Item) -> None:
    """Pytest has the watch end, for whoever looks at a failure."""
    node.config.stash[WATCH].end()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collecting makes little garbage, and half a million objects that the collector would look at each time: a
    quarter of the time it takes."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Half a million objects stand for the tests. What is garbage among them costs less to keep than to find."""
    gc.freeze()


def set_aside() -> None:
    """Keep what is in memory now from the garbage collector, which tests and each recording by `nbgrad.compile` call:
    it would look each time at every object that a thousand tests leave (reports, plans, rules)."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    item.stash[BEFORE] = state()
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """A test that leaves something behind is an error, at the end of which it is put back."""
    result = yield
    if nextitem is None or nextitem.path != item.path:
        set_aside()
        if (module := sys.modules.get("nbgrad.runtime.store")) is not None:
            module.store.stop_worker()  # the next file need not wait for what this one has asked for
    if found := leftovers(item.stash[BEFORE]):
        pytest.fail("; ".join(found), pytrace=False)
    return result


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is so in a process in which one thread has recorded alone, and nobody has pinned memory: earlier tests may
    have done either."""
    from nbgrad.runtime.cuda import pinned
    from nbgrad.trace.thread import local, threads

    monkeypatch.setattr(pinned.ever, "is_pinned", False)
    if len(threads.living) > 1 or threads.several:
        monkeypatch.setattr(threads, "several", False)
        monkeypatch.setattr(local.top, "rest", False)
        monkeypatch.setattr(local.top, "taken", False)

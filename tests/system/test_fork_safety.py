"""A process that forks while another thread of it holds the lock of a shared object: the child uses that object.
Ctrl-C at any moment of a ``with`` leaves no lock locked."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.graph.node import apply
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.store import store
from nbgrad.runtime.tiers import Upgrade
from nbgrad.system.fork_safety import Lock
from nbgrad.tape.lower import lower
from tests.passes.build import value
from tests.runtime.forks import holds_in_child
from tests.threads import held_elsewhere


def _generator() -> tuple[Any, Callable[[], bool]]:
    owner = nb.Generator()
    return owner, lambda: nb.rand(3, generator=owner.manual_seed(1)).shape == (3,)


def _upgrade() -> tuple[Any, Callable[[], bool]]:
    roots = [apply("exp", value(3))]
    owner = Upgrade(store, lambda: lower(roots, one_by_one(roots), padded=False))

    def steps() -> bool:
        owner.step()
        return owner._runs == 1

    return owner, steps


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that is what it tries
@pytest.mark.parametrize("make", [_generator, _upgrade])
def test_a_child_forked_while_another_thread_holds_a_lock_does_not_hang(
    make: Callable[[], tuple[Any, Callable[[], bool]]],
) -> None:
    owner, works = make()
    with held_elsewhere(owner._lock):
        assert holds_in_child(lambda: not owner._lock.locked() and works())


class _Alarm(Exception):
    pass


def test_a_signal_whose_handler_raises_leaves_no_lock_locked() -> None:
    def strike(number: int, frame: object) -> None:
        raise _Alarm

    lock, struck = Lock(), 0
    before = signal.signal(signal.SIGALRM, strike)
    try:
        for k in range(2000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 * (k % 40 + 1))
                for _ in range(400):
                    with lock:
                        pass
                signal.setitimer(signal.ITIMER_REAL, 0)
            except _Alarm:
                struck += 1
            assert not lock.locked(), k
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert struck


def test_a_lock_may_be_taken_again_by_its_holder_and_by_nobody_else() -> None:
    lock, taken = Lock(), []

    def take() -> None:
        with lock:
            taken.append(lock.is_mine())

    thread = threading.Thread(target=take)
    with lock:
        with lock:
            assert lock.is_mine()
        thread.start()
        thread.join(0.05)
        assert not taken
    thread.join()
    assert taken == [True]
    assert not lock.is_mine()


def test_all_locks_are_of_that_kind() -> None:
    package = Path(nb.__file__).parent
    others = [
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"\b(R?Lock|Condition|Semaphore|allocate_lock)\(\)", path.read_text().replace(" Lock()", ""))
    ]
    assert others == ["system/fork_safety.py"]


FORK_AMID_A_FIRST_CALL = """
import faulthandler, os, sys, threading, time
import nbgrad as nb

def first():
    return (nb.tensor([1.0, 2.0]) * 3 + 1).tolist()

thread = threading.Thread(target=first)
thread.start()
time.sleep(float(sys.argv[1]))
child = os.fork()
if not child:
    faulthandler.dump_traceback_later(60, exit=True)
    os._exit(0 if first() == [4.0, 7.0] else 1)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""


@pytest.mark.parametrize("delay_s", [0.005, 0.02, 0.05])
def test_a_fork_waits_for_what_another_thread_imports_and_compiles(tmp_path: Path, delay_s: float) -> None:
    env = {**os.environ, "NBGRAD_CACHE_DIR": str(tmp_path), "NBGRAD_COMPILE": "eager"}
    command = [sys.executable, "-c", FORK_AMID_A_FIRST_CALL, str(delay_s)]
    told = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120)
    assert told.returncode == 0, told.stderr

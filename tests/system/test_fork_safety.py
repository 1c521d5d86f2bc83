"""A process that forks while another thread of it holds the lock of a shared object: the child uses that object."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.graph.node import apply
from nbgrad.passes.group import one_by_one
from nbgrad.runtime.store import store
from nbgrad.runtime.tiers import Upgrade
from nbgrad.tape.lower import lower
from tests.passes.build import value
from tests.runtime.forks import holds_in_child


def _generator() -> tuple[Any, Callable[[], bool]]:
    owner = nb.Generator()
    return owner, lambda: nb.rand(3, generator=owner.manual_seed(1)).shape == (3,)


def _compiled() -> tuple[Any, Callable[[], bool]]:
    owner = nb.compile(lambda x: x * 2)
    return owner, lambda: [owner(nb.tensor(float(k))).item() for k in range(5)] == [0, 2, 4, 6, 8]


def _upgrade() -> tuple[Any, Callable[[], bool]]:
    roots = [apply("exp", value(3))]
    owner = Upgrade(store, lambda: lower(roots, one_by_one(roots), padded=False))

    def steps() -> bool:
        owner.step()
        return owner._runs == 1

    return owner, steps


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that is what it tries
@pytest.mark.parametrize("make", [_generator, _compiled, _upgrade])
def test_a_child_forked_while_another_thread_holds_a_lock_does_not_hang(
    make: Callable[[], tuple[Any, Callable[[], bool]]],
) -> None:
    owner, works = make()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with owner._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert holds_in_child(lambda: not owner._lock.locked() and works())
    finally:
        done.set()
        thread.join()

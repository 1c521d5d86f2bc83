"""What a signal's handler, or a finalizer, that comes while a module is imported finds of it."""

from __future__ import annotations

import gc
import signal
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nbgrad.system.imports import import_module
from tests.fresh import printed

HALF_MADE = """
import signal
import sys

for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
    signal.raise_signal(number)
getattr(sys, "garbage", []).clear()
kept = [[] for _ in range(10_000)]
value = 3
"""

# The first computation of a process that has no kernels on disk, which imports what makes them.
FIRST = """
import signal, sys
import nbgrad as nb

def first():
    w = nb.ones(3, 4, requires_grad=True)
    y = (w.sum(1) * 3).sin()
    y.tolist()
    (y * y).sum().backward()
    return w.grad.tolist()

count, found = 0, []

def trace(frame, event, arg):
    global count
    if event == "call":
        is_import = frame.f_code.co_name == "<module>" and "nbgrad" in frame.f_code.co_filename
        return trace if is_import else None
    count += 1
    if count % 250 == 1:
        signal.raise_signal(signal.SIGUSR1)
    return trace

signal.signal(signal.SIGUSR1, lambda *_: found.append(first()))
sys.settrace(trace)
wanted = first()
sys.settrace(None)
assert all(x == wanted for x in found), (wanted, found)
print(len(found) > 1)
"""


@pytest.fixture
def half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module in whose midst signals come."""
    (tmp_path / "half_made.py").write_text(HALF_MADE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "half_made", raising=False)
    before = [signal.getsignal(number) for number in (signal.SIGUSR1, signal.SIGUSR2)]
    yield "half_made"
    for number, handler in zip((signal.SIGUSR1, signal.SIGUSR2), before, strict=True):
        signal.signal(number, handler)


def test_handlers_wait_until_a_module_is_whole(half_made: str) -> None:
    found: list[tuple[int, int]] = []

    def handler(number: int, frame: object) -> None:
        found.append((number, import_module(half_made).value))

    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, handler)
    assert import_module(half_made).value == 3
    assert found == [(signal.SIGUSR1, 3), (signal.SIGUSR2, 3)]
    assert signal.getsignal(signal.SIGUSR1) is handler


def test_all_handlers_are_heard_though_the_first_one_raises(half_made: str) -> None:
    found: list[int] = []

    def handler(number: int, frame: object) -> None:
        found.append(number)
        if number == signal.SIGUSR1:
            raise InterruptedError

    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, handler)
    with pytest.raises(InterruptedError):
        import_module(half_made)
    assert found == [signal.SIGUSR1, signal.SIGUSR2]
    assert import_module(half_made).value == 3


def test_finalizers_of_the_collector_wait_until_a_module_is_whole(
    half_made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Node:
        me: Any

    found: list[int] = []
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda *_: None)
    node = Node()
    node.me = node
    weakref.finalize(node, lambda: found.append(import_module(half_made).value))
    monkeypatch.setattr(sys, "garbage", [node], raising=False)
    del node
    before = gc.get_threshold()
    gc.set_threshold(10)
    try:
        import_module(half_made)
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert found == [3]


def test_the_first_computation_of_a_process_may_be_interrupted_by_another(tmp_path: Path) -> None:
    assert printed("-c", FIRST, NBGRAD_CACHE_DIR=str(tmp_path)).split() == ["True"]

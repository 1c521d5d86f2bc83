"""One tensor used by several threads: each sees what the others wrote before."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import nbgrad as nb
from nbgrad.trace.builder import Builder
from nbgrad.trace.trie import TrieNode


def test_writes_in_strict_turns_are_all_seen() -> None:
    total = nb.zeros(1)
    mine, theirs = threading.Semaphore(1), threading.Semaphore(0)

    def turn(go: threading.Semaphore, done: threading.Semaphore) -> None:
        for _ in range(10):
            go.acquire()
            total.add_(1)
            done.release()

    threads = [threading.Thread(target=turn, args=pair) for pair in ((mine, theirs), (theirs, mine))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total.item() == 20


def test_a_value_that_cannot_be_had_takes_no_other_with_it() -> None:
    huge = nb.zeros(1).expand(2**40) + 1
    fine = nb.ones(4) * 3
    try:
        huge[0].item()
    except MemoryError:
        pass
    else:
        raise AssertionError("four terabytes were there")
    assert fine.tolist() == [3.0] * 4


def test_a_value_read_before_and_after_its_backward_stays() -> None:
    x = nb.tensor([[0.0, -1.0], [2.0, 1.0]], requires_grad=True)
    y = nb.max(x, 1).values
    before = y.detach().numpy()
    y.backward(nb.tensor([1.0, 2.0]))
    assert before.tolist() == y.detach().numpy().tolist() == [0.0, 2.0]


def test_a_parameter_that_another_thread_has_just_updated_is_still_one() -> None:
    w = nb.ones(3, requires_grad=True)

    def update() -> None:
        with nb.no_grad():
            w.sub_(0.5)

    for value in (0.5, 0.0):
        thread = threading.Thread(target=update)
        thread.start()
        thread.join()
        w.grad = None
        (w * w).sum().backward()
        assert w.grad is not None
        assert w.grad.tolist() == [2 * value] * 3


def test_a_parameter_that_was_read_before_another_thread_updated_it_gets_both_gradients() -> None:
    w = nb.ones(3, requires_grad=True)
    before = (w * w).sum()

    def update() -> None:
        with nb.no_grad():
            w.mul_(3.0)

    thread = threading.Thread(target=update)
    thread.start()
    thread.join()
    (before + (w * w).sum()).backward()
    assert w.grad is not None
    assert w.grad.tolist() == [8.0] * 3


def test_a_look_at_a_parameter_that_another_thread_has_updated_leaves_it_a_parameter() -> None:
    w = nb.ones(3, requires_grad=True)

    def update() -> None:
        with nb.no_grad():
            w.sub_(0.5)

    thread = threading.Thread(target=update)
    thread.start()
    thread.join()
    assert w.tolist() == [0.5] * 3
    assert w.requires_grad
    assert w.is_leaf
    (w * w).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [1.0] * 3
    assert not (w.requires_grad_(False) * 2).requires_grad


def test_what_another_thread_has_read_while_it_waited_is_no_reason_to_lose_a_later_one() -> None:
    b, expected = nb.tensor([1.0, 2.0]), [1.0, 2.0]
    for turn in range(12):
        b.mul_(2.0)
        expected = [2.0 * x for x in expected]
        if turn < 8:
            thread = threading.Thread(target=b.tolist)
            thread.start()
            thread.join()
        assert nb.zeros(1).add_(1).tolist() == [1.0]  # runs the segment that the write is in
        assert b.tolist() == expected


def test_a_look_at_what_a_thread_goes_on_writing_builds_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[TrieNode] = []
    step = Builder.step

    def counted(self: Builder, entry: TrieNode) -> None:
        built.append(entry)
        step(self, entry)

    total, other = nb.zeros(3), nb.ones(3)
    with ThreadPoolExecutor(1) as thread:

        def write() -> None:
            total.add_(1)
            other.mul_(2)

        def look(rounds: range) -> int:
            built.clear()
            for k in rounds:
                thread.submit(write).result()
                assert total.tolist() == [k + 1.0] * 3
            return len(built)

        look(range(5))
        monkeypatch.setattr(Builder, "step", counted)
        assert look(range(5, 15)) >= look(range(15, 25))
        assert other.tolist() == [2.0**25] * 3


def test_memory_that_another_thread_brings_in_and_exports_is_found_when_nobody_sees_it_any_more() -> None:
    x = nb.ones(3) * 1.0
    x.tolist()
    alias = x.detach()
    x.mul_(2.0)
    seen = []

    def export() -> None:
        x.tolist()
        seen.append(x.numpy())

    thread = threading.Thread(target=export)
    thread.start()
    thread.join()
    x.mul_(2.0)
    seen.clear()
    assert (alias * 1.0).tolist() == [4.0, 4.0, 4.0]

"""The book of rules is shared by all threads and survives Ctrl-C at any point."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.trace import rules
from nbgrad.trace.flushing import flush
from nbgrad.trace.handle import ROOT
from nbgrad.trace.rules import Rule, RuleBook
from nbgrad.trace.store import forget_plans
from nbgrad.trace.thread import local
from nbgrad.trace.trie import TrieNode
from tests.runtime.forks import holds_in_child


@pytest.fixture
def book() -> Iterator[RuleBook]:
    """An empty book for the test, and nothing recorded that would do without it. No older one comes back after it:
    leaves know their forms by newer ones."""
    fresh = rules._Current.book = RuleBook()
    _forget()
    yield fresh
    rules._Current.book = RuleBook()


def _forget() -> None:
    flush(local.trace)
    forget_plans()
    ROOT.clear()


STEPS = (
    lambda y, x: y.sin(),
    lambda y, x: y.exp(),
    lambda y, x: y.tanh(),
    lambda y, x: y * x,
    lambda y, x: y + x * 0.5,
    lambda y, x: y[1:].sum() + y,
)


def _gradient(n: int, seed: int) -> list[float]:
    x = nb.linspace(0.1, 0.9, n).requires_grad_()
    y = x
    for k in range(6):
        y = STEPS[(seed * 7 + k * 5) % 6](y, x)
    y.sum().backward()
    values: list[float] = x.grad.tolist()
    return values


def test_threads_make_rules_at_the_same_time(book: RuleBook) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    results: dict[tuple[int, int], list[float]] = {}
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for k in range(25):
                results[thread, k] = _gradient(3 + (k * 5 + thread) % 11, k)
        except BaseException as error:
            failures.append(error)

    try:
        threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures, failures
    for (thread, k), got in results.items():
        assert got == _gradient(3 + (k * 5 + thread) % 11, k)


@pytest.mark.parametrize("place", ["__init__", "add", "reserve", "keep", "_words"])
def test_ctrl_c_while_a_rule_is_made_spoils_nothing(
    book: RuleBook, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    owner: Any = {"__init__": Rule, "_words": RuleBook}.get(place, type(book.table))
    original = getattr(owner, place)
    struck: list[str] = []

    def strike(*args: Any) -> Any:
        result = original(*args)
        if not struck:
            struck.append(place)
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(owner, place, strike)
    with pytest.raises(KeyboardInterrupt):
        _gradient(5, 1)
    torn = [_gradient(5, seed) for seed in range(6)]
    rules._Current.book = RuleBook()
    _forget()
    assert torn == [_gradient(5, seed) for seed in range(6)]


def test_a_child_forked_while_a_rule_is_made_does_not_hang(book: RuleBook) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with book.table.lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert holds_in_child(lambda: _gradient(9, 2) == _gradient(9, 2))
    finally:
        done.set()
        thread.join()


def test_a_full_book_gives_way_to_a_new_one(book: RuleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _gradient(4, 3)
    monkeypatch.setattr(rules, "RULES_KEPT", 3)
    _forget()
    assert _gradient(4, 3) == before
    assert rules._Current.book is not book


def test_minus_zero_is_a_form_of_its_own(book: RuleBook) -> None:
    assert book.form((0.0, "float32")) != book.form((-0.0, "float32"))
    assert book.form((float("nan"), "float32")) == book.form((float("nan"), "float32"))


def _path(n: int) -> list[TrieNode]:
    nodes: list[TrieNode] = []
    for k in range(n):
        nodes.append(TrieNode(nodes[-1] if nodes else None, (k,)))
    return nodes


def test_nodes_of_a_path_that_nobody_holds_are_used_again() -> None:
    book = RuleBook()
    book.retire(_path(5))
    spare = book.spare_nodes()
    assert [node.key for node in spare] == [(4,), (3,), (2,), (1,), (0,)]
    assert book.spare_nodes() == []


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_path_of_which_somebody_holds_a_node_is_kept_until_then(place: int) -> None:
    book, path = RuleBook(), _path(5)
    held = [path[place]]
    book.retire(path)
    del path
    assert book.spare_nodes() == []
    held.clear()
    assert len(book.spare_nodes()) == 5


def test_leaves_of_a_path_stay_leaves_until_nobody_holds_it() -> None:
    book, path = RuleBook(), _path(5)
    record = ("leaf", "what it was")
    path[1].given, path[1].leaf = record, 0  # type: ignore[assignment]
    held = [path[4]]
    book.retire(path, [1])
    del path
    assert book.spare_nodes() == []
    leaf = held[0].parent.parent.parent  # type: ignore[union-attr]
    assert leaf is not None
    assert leaf.record is record
    held.clear()
    del leaf
    spare = book.spare_nodes()
    assert [(node.given, node.leaf) for node in spare] == [(None, -1)] * 5


def test_few_paths_wait_and_the_oldest_goes() -> None:
    book = RuleBook()
    held = [_path(5 + k) for k in range(rules.PATHS_KEPT + 1)]
    for path in held:
        book.retire(path[:])
    assert len(book._retired) == rules.PATHS_KEPT
    assert book.spare_nodes() == []
    held.clear()
    del path
    assert [len(book.spare_nodes()) for _ in range(rules.PATHS_KEPT)] == [6, 7, 8]

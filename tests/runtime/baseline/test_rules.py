"""The book of rules is shared by all threads and survives Ctrl-C at any point."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.runtime.baseline import rules
from nbgrad.runtime.baseline.rules import Rule, RuleBook
from nbgrad.trace.flushing import flush
from nbgrad.trace.handle import ROOT
from nbgrad.trace.store import forget_plans
from nbgrad.trace.thread import local
from tests.runtime.forks import holds_in_child
from tests.threads import held_elsewhere, in_threads


@pytest.fixture
def book() -> Iterator[RuleBook]:
    """An empty book for the test, and nothing recorded that would do without it. No older one comes back after it:
    leaves know their forms by newer ones."""
    fresh = rules._book = RuleBook()
    _forget()
    yield fresh
    rules._book = RuleBook()


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
        in_threads(work, range(4))
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
    rules._book = RuleBook()
    _forget()
    assert torn == [_gradient(5, seed) for seed in range(6)]


def test_a_child_forked_while_a_rule_is_made_does_not_hang(book: RuleBook) -> None:
    with held_elsewhere(book.table.lock):
        assert holds_in_child(lambda: _gradient(9, 2) == _gradient(9, 2))


def test_a_full_book_gives_way_to_a_new_one(book: RuleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _gradient(4, 3)
    monkeypatch.setattr(rules, "RULES_KEPT", 3)
    _forget()
    assert _gradient(4, 3) == before
    assert rules._book is not book


def test_minus_zero_is_a_form_of_its_own(book: RuleBook) -> None:
    assert book.form((0.0, "float32")) != book.form((-0.0, "float32"))
    assert book.form((float("nan"), "float32")) == book.form((float("nan"), "float32"))

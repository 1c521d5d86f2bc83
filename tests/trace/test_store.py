"""What the trie remembers, and what makes it forget."""

from __future__ import annotations

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.trace import flush, store
from nbgrad.trace.flush_plan import plans_run
from nbgrad.trace.handle import ROOT
from nbgrad.trace.thread import local
from nbgrad.trace.trie import path_between
from tests.runtime.forks import holds_in_child
from tests.threads import held_elsewhere


def _step() -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x.sin() * 3.0625 + x).tanh().sum().backward()


def test_a_switch_that_plans_are_made_with_makes_them_anew() -> None:
    _step()
    with override(compile="eager"):
        fused = nb.explain(_step)
    with override(compile="never"):
        unfused = nb.explain(_step)
    with override(compile="eager", passes="-fuse"):
        without = nb.explain(_step)
    assert (fused["tier"], unfused["tier"]) == ("fused", "unfused")
    assert fused["fuse"] != without["fuse"]


def test_a_switch_that_plans_do_not_know_keeps_them() -> None:
    _step()
    _step()
    before = len(store._plans)
    with override(num_threads=1):
        assert len(store._plans) == before > 0


def test_structures_that_never_recur_do_not_push_out_those_that_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MET_KEPT", 30)
    _step()
    _step()
    with plans_run() as plans:
        _step()
    [known] = plans
    for k in range(50):
        x = nb.ones(3)
        for bit in f"{k:06b}":
            x = x.sin() if bit == "1" else x.cos()
        x.tolist()
    with plans_run() as plans:
        _step()
    assert plans == [known]
    assert len(store._met) <= 30


def test_what_ran_without_a_plan_is_forgotten_when_it_gets_one() -> None:
    known = set(store._met)
    for _ in range(2):
        nb.ones(7).exp().log().tan().tolist()
    assert set(store._met) <= known


def test_a_forgotten_path_is_not_kept_alive_by_a_block_on_it() -> None:
    flush(local.trace)  # what other tests have recorded is no part of it
    p = nb.ones(23).requires_grad_()  # no other test's structure
    optimizer = nb.optim.SGD([p], lr=0.5)
    for _ in range(3):
        p.grad = nb.ones(23)
        optimizer.step()
        end = local.trace.node
        path = path_between(ROOT, end)
        p.tolist()
    assert path is not None
    events = [node for node in path if node.meta is not None]
    assert [node.record[0] for node in events] == ["block"]
    end.plans = None
    store._forget(end)
    assert events[0].meta is None


def test_a_child_forked_while_something_is_remembered_does_not_hang() -> None:
    with held_elsewhere(store._lock):
        assert holds_in_child(lambda: not store._lock.locked())

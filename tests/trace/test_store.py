"""What the trie remembers, and what makes it forget."""

from __future__ import annotations

import nbgrad as nb
from nbgrad.config import override
from nbgrad.trace import store


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
    before = store.plans_kept()
    with override(num_threads=1):
        assert store.plans_kept() == before > 0

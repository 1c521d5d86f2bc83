"""A mistake of ours is told once, and does no harm to what comes after."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb
from nbgrad.trace import flushing, planning


@pytest.mark.cpu
def test_what_comes_after_a_mistake_of_ours_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    scope: dict[str, Any] = {}
    exec(compile("def broken(*_): raise AssertionError('no such thing')", "<nbgrad code>", "exec"), scope)
    broken = scope["broken"]
    x = nb.ones(3, requires_grad=True)
    for where in ("_run_unplanned", "plan_flush"):
        with monkeypatch.context() as patch:
            if where == "plan_flush":
                patch.setattr(flushing, "_run_unplanned", lambda *_: (None, False))
            patch.setattr(flushing, where, broken)
            y, z = x * 2.0, x.detach() + 1.0
            with pytest.raises(RuntimeError, match="bug of nbgrad: AssertionError: no such thing"):
                y.tolist()
            with pytest.raises(RuntimeError, match="bug of nbgrad"):
                z.tolist()
        assert (x * 3.0).tolist() == [3.0] * 3
        (x * x).sum().backward()
        assert x.grad is not None and x.grad.tolist() == [2.0] * 3
        x.grad = None


@pytest.mark.cpu
def test_what_code_of_the_users_raises_meanwhile_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = planning.plan_flush

    def struck(*given: Any) -> Any:
        monkeypatch.setattr(flushing, "plan_flush", evaluate)
        scope: dict[str, Any] = {}
        exec(compile("def handler(): raise KeyError('mine')", "user.py", "exec"), scope)
        scope["handler"]()

    monkeypatch.setattr(flushing, "_run_unplanned", lambda *_: (None, False))
    monkeypatch.setattr(flushing, "plan_flush", struck)
    y = nb.ones(3) * 2.0
    with pytest.raises(KeyError, match="mine"):
        y.tolist()
    assert y.tolist() == [2.0] * 3


@pytest.mark.cpu
def test_products_and_traces_of_bools_are_refused_where_they_are_called() -> None:
    x = nb.tensor([[True, False], [True, True]])
    for equation in ("ij,ij->i", "ij,jk->ik", "ij,ij->"):
        with pytest.raises(NotImplementedError, match="bmm"):
            nb.einsum(equation, x, x)
    with pytest.raises(NotImplementedError, match="trace"):
        nb.trace(x)
    assert nb.einsum("ij,k->ik", x, x[0]).tolist() == [[1, 0], [2, 0]]
    assert nb.einsum("ij,k->k", x, x[0]).tolist() == [3, 0]
    assert nb.einsum("i,j->ij", x[0], x[1]).tolist() == [[True, True], [False, False]]
    assert nb.einsum("ij->i", x).tolist() == [1, 2]

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.test_later_optimisers import NAMES

optim = nb.optim


def leaf(*values: float) -> nb.Tensor:
    return nb.tensor(list(values), requires_grad=True)


def test_groups_have_options_of_their_own() -> None:
    a, b = leaf(1.0), leaf(1.0)
    optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)
    a.grad, b.grad = nb.ones(1), nb.ones(1)
    optimizer.step()
    np.testing.assert_allclose([a.item(), b.item()], [0.9, 0.5], rtol=1e-6)
    c = leaf(1.0)
    optimizer.add_param_group({"params": c, "lr": 1.0})
    c.grad = nb.ones(1)
    optimizer.step()
    assert c.item() == 0.0


def test_options_are_read_at_every_step() -> None:
    a = leaf(1.0)
    a.grad = nb.ones(1)
    optimizer = optim.SGD([a], lr=0.25)
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    assert a.item() == 0.25


def test_parameters_without_gradient_are_left_alone() -> None:
    a, b = leaf(1.0), leaf(1.0)
    a.grad = nb.ones(1)
    for kind in (optim.SGD, optim.Adam):
        kind([a, b], lr=0.1, weight_decay=0.5).step()
    assert b.item() == 1.0


def test_a_step_keeps_leaves_leaves() -> None:
    a = leaf(1.0, 2.0)
    optimizer = optim.Adam([a], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (a * a).sum().backward()
        optimizer.step()
    assert a.is_leaf
    assert a.requires_grad


def test_a_closure_computes_the_loss_with_gradients() -> None:
    a = leaf(2.0)
    optimizer = optim.SGD([a], lr=0.25)

    def closure() -> nb.Tensor:
        optimizer.zero_grad()
        loss = (a * a).sum()
        loss.backward()
        return loss

    with nb.no_grad():
        loss = optimizer.step(closure)
    assert loss.item() == 4.0
    assert a.item() == 1.0


def test_zero_grad_forgets_or_zeroes() -> None:
    a = leaf(1.0)
    optimizer = optim.SGD([a], lr=0.1)
    optimizer.zero_grad()
    a.grad = nb.ones(1)
    held = a.grad
    optimizer.zero_grad(set_to_none=False)
    assert a.grad is held
    assert held.tolist() == [0.0]
    optimizer.zero_grad()
    assert a.grad is None


def train(optimizer: optim.Optimizer, a: nb.Tensor, steps: int) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        (a * a * a).sum().backward()
        optimizer.step()


@pytest.mark.parametrize(
    ("kind", "options"),
    [(optim.SGD, {"lr": 0.01, "momentum": 0.9}), (optim.Adam, {"lr": 0.01, "amsgrad": True}), (optim.SGD, {"lr": 0.1})],
)
def test_a_saved_optimiser_goes_on_to_the_same_numbers(kind: type, options: dict) -> None:
    a = leaf(1.0, -2.0)
    optimizer = kind([a], **options)
    train(optimizer, a, 3)
    b = nb.tensor(a.detach().numpy().copy(), requires_grad=True)
    other = kind([b], lr=123.0)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert other.param_groups[0]["lr"] == options["lr"]
    train(optimizer, a, 3)
    train(other, b, 3)
    assert a.tolist() == b.tolist()


def test_the_state_names_parameters_by_position() -> None:
    a, b = leaf(1.0), leaf(2.0)
    optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 1.0}], lr=0.1, momentum=0.5)
    assert optimizer.state_dict()["state"] == {}
    b.grad = nb.ones(1)
    optimizer.step()
    state = optimizer.state_dict()
    assert [group["params"] for group in state["param_groups"]] == [[0], [1]]
    assert [group["lr"] for group in state["param_groups"]] == [0.1, 1.0]
    assert list(state["state"]) == [1]
    assert state["state"][1]["momentum_buffer"].tolist() == [1.0]


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch shares the tensors it loads")
def test_loaded_state_has_memory_of_its_own() -> None:
    a, b = leaf(1.0), leaf(1.0)
    first, second = optim.Adam([a]), optim.Adam([b])
    a.grad, b.grad = nb.ones(1), nb.ones(1)
    first.step()
    second.load_state_dict(first.state_dict())
    second.step()
    assert first.state[a]["exp_avg"].tolist() != second.state[b]["exp_avg"].tolist()
    assert first.state_dict()["state"][0]["step"] == 1


def test_a_state_that_was_taken_before_another_is_loaded_stays_what_it_was() -> None:
    a = leaf(1.0)
    optimizer = optim.SGD([a], lr=0.1, momentum=0.5)
    fresh = copy.deepcopy(optimizer.state_dict())
    a.grad = nb.ones(1)
    optimizer.step()
    taken = optimizer.state_dict()
    optimizer.load_state_dict(fresh)
    assert not optimizer.state_dict()["state"]
    a.grad = nb.full((1,), 3.0)
    optimizer.step()
    assert taken["state"][0]["momentum_buffer"].tolist() == [1.0]
    optimizer.load_state_dict(taken)
    assert optimizer.state[a]["momentum_buffer"].tolist() == [1.0]


def test_a_state_of_another_model_is_refused() -> None:
    state = optim.SGD([leaf(1.0), leaf(1.0)], lr=0.1).state_dict()
    with pytest.raises((RuntimeError, ValueError), match="size"):
        optim.SGD([leaf(1.0)], lr=0.1).load_state_dict(state)
    with pytest.raises((RuntimeError, ValueError), match="number of parameter groups"):
        optim.SGD([{"params": [leaf(1.0)]}, {"params": [leaf(1.0)]}], lr=0.1).load_state_dict(state)


def test_what_cannot_be_optimised_is_refused() -> None:
    a = leaf(1.0)
    with pytest.raises(TypeError, match="iterable"):
        optim.SGD(a, lr=0.1)
    with pytest.raises(ValueError, match="empty"):
        optim.SGD([], lr=0.1)
    with pytest.raises(TypeError, match="only optimize Tensors"):
        optim.SGD([3.0], lr=0.1)
    with pytest.raises(ValueError, match="non-leaf"):
        optim.SGD([a * 2], lr=0.1)
    with pytest.raises(ValueError, match="more than one parameter group"):
        optim.SGD([{"params": [a]}, {"params": [a]}], lr=0.1)
    with pytest.raises(TypeError, match="ordered collections"):
        optim.SGD([{"params": {a}}], lr=0.1)


def test_printing_lists_the_options() -> None:
    text = repr(optim.SGD([leaf(1.0)], lr=0.1, momentum=0.9))
    assert text.startswith("SGD (\nParameter Group 0\n")
    assert "    lr: 0.1\n" in text
    assert "    momentum: 0.9\n" in text


def test_named_parameters_are_accepted() -> None:
    model = nb.nn.Linear(1, 1)
    optimizer = optim.SGD(model.named_parameters(), lr=0.1)
    assert len(optimizer.param_groups[0]["params"]) == 2


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", *NAMES])
def test_a_parameter_given_twice_warns_and_is_updated_twice(name: str) -> None:
    w, v = nb.tensor([1.0, 2.0], requires_grad=True), nb.tensor([3.0], requires_grad=True)
    with pytest.warns(UserWarning, match="duplicate parameters") as caught:
        twice = getattr(nb.optim, name)([w, v, w], lr=0.1)
    assert caught[0].filename == __file__
    same, other = w.detach().clone().requires_grad_(), v.detach().clone().requires_grad_()
    once = [getattr(nb.optim, name)([x], lr=0.1) for x in (same, other)]
    for _ in range(4):
        ((w * w).sum() * v.sum()).backward()
        ((same * same).sum() * other.sum()).backward()
        twice.step()
        for optimizer in (*once, once[0]):
            optimizer.step()
        assert w.tolist() == same.tolist()
        assert v.tolist() == other.tolist()
        for x in (w, v, same, other):
            x.grad = None
    assert twice.state_dict()["param_groups"][0]["params"] == [2, 1, 2]
    with pytest.raises(ValueError, match="more than one parameter group"):
        getattr(nb.optim, name)([{"params": [w]}, {"params": [v, w]}], lr=0.1)


def test_an_optimiser_of_the_users() -> None:
    class Halving(optim.Optimizer):
        def __init__(self, params: list[nb.Tensor], lr: float) -> None:
            super().__init__(params, {"lr": lr})

        def step(self, closure: object = None) -> None:  # type: ignore[override]
            with nb.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        self.state[p]["steps"] = self.state[p].get("steps", 0) + 1
                        p.sub_(p.grad, alpha=group["lr"])

    w = leaf(1.0, 2.0)
    optimizer = Halving([w], lr=0.25)
    for _ in range(3):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
    assert w.tolist() == [0.125, 0.25]
    assert optimizer.state_dict()["state"] == {0: {"steps": 3}}
    with pytest.raises(NotImplementedError, match="define it in a subclass"):
        optim.Optimizer([w], {}).step()


class _Stopped(Exception):
    pass


def _stopped_at(call: int, step: Callable[[], object]) -> bool:
    """``step``, in whose so-manyth call something raises, as a signal's handler may; whether that came."""

    def strike(frame: object, event: str, _: object) -> None:
        nonlocal call
        call -= event in ("call", "c_return")  # where CPython hears of signals; a lock is let go in one such call
        if call < 0:
            sys.setprofile(None)
            raise _Stopped

    try:
        sys.setprofile(strike)
        step()
        sys.setprofile(None)
    except _Stopped:
        pass
    return call < 0


@pytest.mark.parametrize("kind", ["SGD", "Adam", "NAdam", "RMSprop"])
def test_a_step_that_is_stopped_anywhere_is_counted_where_it_has_written(kind: str) -> None:
    def state(x: Any, opt: Any) -> Any:
        return x.tolist(), {k: v.tolist() if isinstance(v, nb.Tensor) else v for k, v in opt.state[x].items()}

    def after(steps: int) -> tuple[Any, Any]:
        x = nb.ones(3, requires_grad=True)
        opt = getattr(nb.optim, kind)([x], lr=0.1)
        for _ in range(steps):
            opt.zero_grad()
            (x * x).sum().backward()
            opt.step()
        opt.zero_grad()
        (x * x).sum().backward()
        return x, opt

    for _ in range(3):  # the step is a block that was met before
        after(4)
    wanted, call, was_stopped = [state(*after(3)), state(*after(4))], 0, True
    while was_stopped:
        x, opt = after(3)
        was_stopped = _stopped_at(call, opt.step)
        assert state(x, opt) in wanted, f"stopped at call {call}"
        call += 1
    assert call > 20

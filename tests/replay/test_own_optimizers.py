"""Optimisers with a step of the user's own in compiled functions."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb


class Momentum(nb.optim.Optimizer):
    """State made in the first step and written in place, numbers that count, and an attribute."""

    def __init__(self, params: Any, lr: float = 0.1, momentum: float = 0.5) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})
        self.steps = 0

    @nb.no_grad()
    def step(self, closure: Any = None) -> None:
        self.steps += 1
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["m"], state["step"] = nb.zeros_like(p), 0
                state["step"] += 1
                state["m"].mul_(group["momentum"]).add_(p.grad)
                p.add_(state["m"], alpha=-group["lr"])


class Replacing(nb.optim.Optimizer):
    """State that is replaced, and rates made of numbers that count."""

    def __init__(self, params: Any, lr: float = 0.1) -> None:
        super().__init__(params, {"lr": lr, "beta": 0.9})

    def step(self, closure: Any = None) -> None:
        with nb.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    if not state:
                        state["m"], state["t"] = nb.zeros_like(p), 0
                    state["t"] += 1
                    state["m"] = group["beta"] * state["m"] + (1 - group["beta"]) * p.grad
                    p -= group["lr"] * state["m"] / (1 - group["beta"] ** state["t"])


class Clipping(nb.optim.Adam):
    """A step around another one."""

    def step(self, closure: Any = None) -> Any:
        for group in self.param_groups:
            for p in group["params"]:
                p.grad.clamp_(-0.5, 0.5)
        return super().step(closure)


def train(kind: Any, compiled: bool, **options: Any) -> tuple[Any, ...]:
    w = nb.ones(3, requires_grad=True)
    optimizer = kind([w])

    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = ((w * x - 2) ** 2).sum()
        loss.backward()
        optimizer.step()
        return loss

    f = nb.compile(step, **options) if compiled else step
    losses = [f(nb.tensor([0.1, 0.2, 0.3]) * k).item() for k in range(7)]
    for group in optimizer.param_groups:
        group["lr"] = 0.01
    losses += [f(nb.tensor([0.1, 0.2, 0.3])).item() for _ in range(3)]
    (state,) = optimizer.state_dict()["state"].values()
    state = {key: value.tolist() if isinstance(value, nb.Tensor) else value for key, value in state.items()}
    programs = len(next(iter(f._forms.values())).programs) if compiled else 1
    return losses, w.tolist(), state, getattr(optimizer, "steps", None), programs > 0


@pytest.mark.parametrize("full", [False, True], ids=["", "fullgraph"])
@pytest.mark.parametrize("kind", [Momentum, Replacing, Clipping])
def test_a_step_of_the_users_own_runs_compiled(kind: Any, full: bool) -> None:
    assert train(kind, True, fullgraph=full) == train(kind, False)

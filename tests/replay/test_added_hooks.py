"""Compiled functions and hooks on modules and optimisers that are added after compiling: on all of them, or on one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb

CALLS = 6
every = nb.nn.modules.module
steps = nb.optim.optimizer


class Doubled(nb.nn.Module):
    def forward(self, x: Any) -> Any:
        return x * 2


class Own(nb.optim.Optimizer):
    def __init__(self, params: Any) -> None:
        super().__init__(params, {})

    def step(self, closure: Any = None) -> None:
        with nb.no_grad():
            for p in self.param_groups[0]["params"]:
                p -= p.grad * 0.5


seen = [0]


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    seen[0] = 0


def counts(*_: Any) -> None:
    seen[0] += 1


Add = Callable[..., Any]
FORWARD: dict[str, tuple[Callable[[Any], Add], Callable[..., Any]]] = {
    "before all": (lambda m: every.register_module_forward_pre_hook, lambda m, args: (args[0] * 3,)),
    "after all": (lambda m: every.register_module_forward_hook, lambda m, args, out: out * 3),
    "before": (lambda m: m.register_forward_pre_hook, lambda m, args: (args[0] * 3,)),
    "after": (lambda m: m.register_forward_hook, lambda m, args, out: out * 3),
}


@pytest.mark.parametrize("kind", FORWARD)
@pytest.mark.parametrize("made", [Doubled, nb.nn.Tanh, lambda: nb.nn.Sequential(Doubled(), nb.nn.Tanh())])
def test_hooks_on_calls_that_are_added_and_removed(made: Callable[[], Any], kind: str) -> None:
    x, m = nb.tensor([0.05, 0.02]), made()
    run = nb.compile(lambda x: m(x) + 1)

    def agrees() -> list[float]:
        plain = (m(x) + 1).tolist()
        assert [run(x).tolist() for _ in range(CALLS)] == [plain] * CALLS
        return plain  # type: ignore[no-any-return]

    bare, add = agrees(), FORWARD[kind][0](m)
    with add(FORWARD[kind][1]):
        once = agrees()
        with add(FORWARD[kind][1]):
            assert agrees() != once
        assert agrees() == once != bare
    assert agrees() == bare


def test_a_module_that_is_made_in_the_call_has_the_hooks_of_all() -> None:
    run, x = nb.compile(lambda x: nb.nn.Tanh()(x)), nb.zeros(2)
    assert [run(x).tolist() for _ in range(CALLS)] == [[0.0, 0.0]] * CALLS
    with every.register_module_forward_hook(lambda m, args, out: out + 1):
        assert [run(x).tolist() for _ in range(CALLS)] == [[1.0, 1.0]] * CALLS
    assert run(x).tolist() == [0.0, 0.0]


def test_what_a_hook_reads_is_looked_at_in_each_call() -> None:
    factor, run, x = [2.0], nb.compile(Doubled()), nb.ones(2)
    with every.register_module_forward_hook(lambda m, args, out: out * factor[0]):
        assert [run(x).tolist() for _ in range(CALLS)] == [[4.0, 4.0]] * CALLS
        factor[0] = 5.0
        assert run(x).tolist() == [10.0, 10.0]


@pytest.mark.parametrize("kind", ["all", "all before", "own", "own before"])
def test_hooks_on_gradients_that_pass_a_module(kind: str) -> None:
    m, x = nb.nn.Tanh(), nb.tensor([0.5], requires_grad=True)
    add: Any = {
        "all": every.register_module_full_backward_hook,
        "all before": every.register_module_full_backward_pre_hook,
        "own": m.register_full_backward_hook,
        "own before": m.register_full_backward_pre_hook,
    }[kind]
    hook = (lambda m, g: (g[0] * 2,)) if "before" in kind else (lambda m, g, out: (g[0] * 2,))

    @nb.compile
    def slope() -> Any:
        return nb.autograd.grad(m(x).sum(), x)[0]

    bare = slope().tolist()
    assert [slope().tolist() for _ in range(CALLS)] == [bare] * CALLS
    with add(hook):
        assert [slope().tolist() for _ in range(CALLS)] == [[2 * bare[0]]] * CALLS
    assert slope().tolist() == bare


@pytest.mark.parametrize("kind", ["before all", "after all", "before", "after"])
@pytest.mark.parametrize("made", [lambda p: nb.optim.SGD(p, lr=0.1), Own])
def test_hooks_on_steps(made: Callable[..., Any], kind: str) -> None:
    p = nb.nn.Parameter(nb.ones(2))
    optimizer = made([p])
    add: Any = {
        "before all": steps.register_optimizer_step_pre_hook,
        "after all": steps.register_optimizer_step_post_hook,
        "before": optimizer.register_step_pre_hook,
        "after": optimizer.register_step_post_hook,
    }[kind]

    @nb.compile
    def step() -> None:
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()

    def times() -> int:
        before = seen[0]
        for _ in range(CALLS):
            step()
        return seen[0] - before

    assert times() == 0
    with add(counts):
        assert times() == CALLS
        with add(counts):
            assert times() == 2 * CALLS
        assert times() == CALLS
    assert times() == 0

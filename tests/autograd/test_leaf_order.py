"""Hooks of several leaves are called in PyTorch's order."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import nbgrad as nb
from tests.beside_torch import theirs

PRELUDE = """
class Product(L.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x
"""
OPERATIONS = [
    *("{a} * {b}", "{a} + {b}", "{a} - {b}", "{a}.sin()", "-{a}", "{a}[1:].sum() * {b}", "{a}.view(-1)"),
    *("L.where(c > 0.3, {a}, {b})", "c * {a}", "L.cat([{a}[:1], {b}[1:]])", "Product.apply({a}, {b})"),
    *("L.addcmul({a}, {b}, c)", "{a}.detach() * {b}", "{a} * ({b} * {b} + 1.0)", "L.stack([{a}, {b}])[0]"),
    *("L.nn.functional.linear({a}[None], L.stack([{b}, {b}]), {a}[:2]).sum() + {b}",),
]


def told(lib: Any, lines: list[str]) -> tuple[list[str], ...]:
    """The hooks on gradients that were called, those after, and custom functions and hooks on what is computed."""
    called: list[str] = []
    space: dict[str, Any] = {"L": lib, "called": called.append}
    exec(PRELUDE, space)
    for line in lines:
        exec(line, space)
    kinds = ("hook", "after", "node")
    return tuple([[c for c in called if c.startswith((kind, "end"))] for kind in kinds])


def program(seed: int) -> list[str]:
    r = Random(seed)
    names = ["a", "b", "d", "e"][: r.randrange(2, 5)]
    leaves = [*names]
    tensor = "L.tensor([0.5, 1.0, -2.0], dtype=L.float64"
    lines = [f"{x} = {tensor}, requires_grad=True)" for x in leaves] + [f"c = {tensor})"]
    for x in r.sample(leaves, len(leaves)):
        lines += [f"{x}.register_hook(lambda g: called('hook {x}'))"] * (r.random() < 0.85)
        lines += [f"{x}.register_post_accumulate_grad_hook(lambda x: called('after {x}'))"] * (r.random() < 0.6)
    for k in range(r.randrange(1, 8)):
        lines.append(f"v{k} = {r.choice(OPERATIONS).format(a=r.choice(names), b=r.choice(names))}")
        names.append(f"v{k}")
        lines += [f"v{k}.requires_grad and v{k}.register_hook(lambda g: called('node v{k}'))"] * (r.random() < 0.3)
        lines += [f"{r.choice(names)}.tolist()"] * (r.random() < 0.15)
    computed = names[len(leaves) :]
    lines.append(f"z = ({' + '.join(r.sample(computed, min(len(computed), 2)))} + a * 0.5).sum()")
    some = ", ".join(r.sample(leaves, 2))
    ways = ["z.backward(retain_graph=True)"] * 4 + [f"z.backward(retain_graph=True, inputs=[{some}])"]
    ways.append(f"L.autograd.grad(z, [{some}], retain_graph=True, allow_unused=True)")
    for _ in range(2):
        lines += [r.choice(ways), "called('end')"]
    return lines


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_hooks_are_called_in_pytorchs_order(first: int) -> None:
    torch = theirs()
    for seed in range(first, first + 20):
        lines = program(seed)
        want = told(torch, lines)
        for _ in range(2):
            assert told(nb, lines) == want, (seed, lines)


@pytest.mark.parametrize("looks", [False, True])
def test_a_leaf_is_come_to_after_the_first_operation_on_it(looks: bool) -> None:
    called: list[str] = []
    a, b = nb.ones(2, requires_grad=True), nb.ones(2, requires_grad=True)
    for name, x in {"a": a, "b": b}.items():
        x.register_hook(lambda g, name=name: called.append(name))
        x.register_post_accumulate_grad_hook(lambda x, name=name: called.append(f"{name} after"))
    first = a.sin()
    if looks:
        first.tolist()
    (first * b).sum().backward()
    assert called == ["b", "a", "b after", "a after"]


def test_a_layers_bias_comes_first() -> None:
    called: list[str] = []
    layer = nb.nn.Linear(3, 2)
    for name, x in layer.named_parameters():
        x.register_hook(lambda g, name=name: called.append(name))
    layer(nb.ones(4, 3)).sum().backward()
    assert called == ["bias", "weight"]


def test_a_leaf_without_a_gradient_is_not_told() -> None:
    called: list[str] = []
    a, b = nb.ones(2, requires_grad=True), nb.ones(2, requires_grad=True)
    b.register_post_accumulate_grad_hook(lambda x: called.append("b"))
    (a * 2.0).sum().backward(inputs=[a, b])
    assert not called and b.grad is None

"""A second backward: refused where PyTorch refuses it, whatever was recorded, looked at or dropped in between."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import theirs
from tests.fuzz.programs import PRELUDE

MORE = """
class Plain(T.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 0.5
    @staticmethod
    def backward(ctx, g):
        return g + g
def put(x):
    t = x.clone()
    t[1] = 0.5
    return t
def scaled(x):
    t = x.clone()
    t.mul_(0.5)
    return t
def f64(data):
    return T.tensor(data, dtype=T.float64)
x, y = f64([0.5, 1.0, -2.0]).requires_grad_(), f64([1.0, 0.25, 3.0]).requires_grad_()
c, ones = f64([1.0, 2.0, 0.5]), T.ones(3, dtype=T.float64)
"""
BEFORE_ALL = compile(PRELUDE + MORE, "<before all>", "exec")
SAVES = {  # by PyTorch: whether something is saved for the derivative
    True: [
        *("{a} * {b}", "{a} * 2.0", "{a} / 2.0", "{a} * 2", "{a} * c", "{a} * ones", "{a}.sin()", "{a}.exp()"),
        *("{a}.tanh()", "{a}.relu()", "{a} / ({b} * {b} + 1.0)", "T.where({a} > 0.3, {a}, {b})", "put({a})"),
        *("scaled({a})", "Bend.apply({a})", "{a}[[0, 1, 2]]", "{a}.index_select(0, T.arange(3))", "{a}.abs()"),
        *("{a}.masked_fill({a} > 0.3, 0.0)", "{a}.view(1, 3) @ T.ones(3, 3, dtype=T.float64)", "{a}.max()"),
        *("T.outer({a}, ones)", "2.0 / {a}", "{a} ** 2", "{a}.prod()", "T.lerp({a}, {b}, c)", "{a}.var()"),
        *("T.nn.functional.dropout({a})", "{a}.view(3, 1) @ ones.view(1, 3)", "T.where(T.arange(3) > 0, {a}, 0.0)"),
    ],
    False: [
        *("{a} + {b}", "{a} - {b}", "-{a}", "{a} + c", "{a} + 1.0", "1.0 - {a}", "{a}.clone()", "{a}.view(-1)"),
        *("{a}.flip(0)", "{a}.cumsum(0)", "{a}.expand(2, 3)", "T.stack([{a}, {b}])", "T.cat([{a}, ones])"),
        *("{a}.mean()", "{a}.sum()", "{a}[1:]", "{a}.unbind(0)[1]", "Plain.apply({a})", "{a}.roll(1)", "{a}.round()"),
        *("T.add({a}, {b}, alpha=2.0)", "T.nn.functional.pad({a}, (1, 1))", "({a} + 1.0).mean(0)", "{a}.repeat(2)"),
        # With masks and factors that the call makes itself.
        *("{a}.expand(3, 3).tril()", "{a}.expand(3, 3).triu(1)", "T.lerp({a}, ones, 0.25)"),
        "T.nn.functional.interpolate({a}.view(1, 1, 3), size=5, mode='linear')",
    ],
}
BETWEEN = ["", "y2.tolist()", "z.item()", "x.grad.tolist()", "w = (x * 3.0).exp()", "w = x.exp().tolist()", "del y2"]
BEFORE = ["", "z.item()", "y2.tolist()", "c.tolist(), ones.tolist()"]
WAYS = [
    ("z.backward()", "z.backward()"),
    ("z.backward()", "(z * 1.0).backward()"),
    ("T.autograd.grad(z, x)", "T.autograd.grad(z, x)"),
    ("z.backward()", "T.autograd.grad(z, x)"),
]


def outcome(lib: Any, lines: list[str]) -> list[Any]:
    """What each line did, up to a refusal, and the gradients at the end."""
    space: dict[str, Any] = {"T": lib}
    exec(BEFORE_ALL, space)
    done: list[Any] = []
    for line in lines:
        try:
            exec(line, space)
        except RuntimeError as error:
            return [*done, "refused" if "second time" in str(error) else str(error)]
        done.append("done")
    return [*done, *[None if space[x].grad is None else space[x].grad.tolist() for x in "xy"]]


@pytest.mark.parametrize("saves", SAVES)
def test_a_second_backward_is_refused_where_something_was_saved(saves: bool) -> None:
    ways = list(itertools.product(BEFORE, BETWEEN, WAYS))
    r = Random(0)
    for operation in SAVES[saves]:
        for before, between, (first, second) in r.sample(ways, 12):
            if between == "x.grad.tolist()" and "backward" not in first:
                continue
            lines = [f"y2 = {operation.format(a='x', b='y')}", "z = y2.sum()", before, first, between, second]
            done = outcome(nb, lines)
            assert (done[-1] == "refused") is saves, lines


def program(seed: int) -> list[str]:
    """Operations with backwards, looks and unrelated work between them."""
    r = Random(seed)
    operations = [op for saves in SAVES.values() for op in saves if op not in OTHER_SHAPES]
    lines, names, count = [], ["x", "y"], 0
    for _ in range(r.randrange(6, 22)):
        kind, name = r.random(), r.choice(names)
        if kind < 0.5 or count < 3:
            count += 1
            late = r.choice(names[-4:])
            lines.append(f"v{count} = {r.choice(operations).format(a=late, b=name)}")
            names.append(f"v{count}")
        elif kind < 0.75 and name not in "xy":
            keep = r.choice(["", "", ", retain_graph=True"])
            backward = f"T.autograd.backward({name}.sum(){keep})"
            grad = f"T.autograd.grad({name}.sum(), {r.choice(names)}, allow_unused=True{keep})"
            created = f"T.autograd.grad({name}.sum(), x, allow_unused=True, create_graph=True)"
            lines.append(r.choice([backward, backward, backward, grad, grad, created]))
        elif kind < 0.94:
            looks = [f"{name}.tolist()", "x.grad is None or x.grad.tolist()", f"{name}.sum().item()", "ones.tolist()"]
            lines.append(r.choice([*looks, "c.tolist()", "T.ones(3).exp().tolist()"]))
        elif name not in "xy":
            names.remove(name)
            lines.append(f"del {name}")
        else:
            lines.append(r.choice(["x.grad = None", "T.autograd.grad((x * x).sum(), x)", "u = (y * 3.0).exp().sum()"]))
    return lines


# Or, as of what is expanded, gradients that share memory in PyTorch, which adds the next ones twice.
OTHER_SHAPES = (
    *("T.nn.functional.dropout({a})", "{a}.view(3, 1) @ ones.view(1, 3)"),
    *("{a}.view(1, 3) @ T.ones(3, 3, dtype=T.float64)", "{a}.max()", "T.outer({a}, ones)", "{a}.prod()", "{a}.var()"),
    *("{a}.expand(2, 3)", "T.stack([{a}, {b}])", "T.cat([{a}, ones])", "{a}.mean()", "{a}.sum()", "{a}[1:]"),
    *("{a}.expand(3, 3).tril()", "{a}.expand(3, 3).triu(1)"),
    "T.nn.functional.interpolate({a}.view(1, 1, 3), size=5, mode='linear')",
    *("{a}.unbind(0)[1]", "T.nn.functional.pad({a}, (1, 1))", "({a} + 1.0).mean(0)", "{a}.repeat(2)"),
)


@pytest.mark.parametrize("first", range(0, 300, 30))
def test_random_programs_are_refused_what_pytorch_refuses(first: int) -> None:
    torch = theirs()
    for seed in range(first, first + 30):
        lines = program(seed)
        want = outcome(torch, lines)
        for _ in range(2):  # again by a plan
            got = outcome(nb, lines)
            assert len(got) == len(want), (seed, lines, got, want)
            for a, b in zip(got, want, strict=True):
                assert type(a) is type(b), (seed, lines)
                np.testing.assert_allclose(a, b, rtol=1e-9, err_msg=str((seed, lines))) if isinstance(a, list) else None
                assert isinstance(a, list) or a == b, (seed, lines, got, want)

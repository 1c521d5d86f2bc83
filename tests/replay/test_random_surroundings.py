"""Random changes of what a function reads, between its calls: compiled and plain ones give the same."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import pytest

import nbgrad as nb
from tests.replay.test_compiled import programs_of

BEFORE = """
from types import SimpleNamespace
from dataclasses import dataclass
class Base:
    rate = 1.0
    def get(self): return self.rate
class Sub(Base): pass
class Box: rate = 1.0
class Other: rate = 5.0
@dataclass
class P: a: float = 1.0
class M(nb.nn.Module):
    k = 1.0
    def forward(self, x): return x * self.k
box, sub, m, pp, ns = Box(), Sub(), M(), P(2.0), SimpleNamespace(a=1.0)
box.rate = 1.0
d, l, s, t, nested, inner = {'a': 1.0}, [1.0, 2.0], {1.0}, (1.0, [2.0]), {'x': {'y': 1.0}}, [1.0]
p, w = nb.ones(2), nb.ones(1, requires_grad=True)
opt = nb.optim.SGD([w], lr=0.5)
def g(): return inner[0]
def h(b, a=1.0): return a * b
n = 0
def counted():
    global n
    n += 1
    return n
"""
READS = (
    *(
        "box.rate",
        "Sub.rate",
        "sub.rate",
        "sub.get()",
        "d['a']",
        "d.get('b', 1.0)",
        "l[0]",
        "len(l)",
        "sum(l)",
        "max(l)",
    ),
    *("sum(d.values())", "len(s)", "t[1][0]", "(1.0 if p.grad is None else 2.0)", "(2.0 if p.requires_grad else 1.0)"),
    *("p.sum()", "m.k", "m(x)", "g()", "h(2.0)", "nested['x']['y']", "getattr(box, 'more', 0.5)", "ns.a", "counted()"),
    *(
        "(3.0 if hasattr(box, 'more') else 1.0)",
        "opt.param_groups[0]['lr']",
        "(2.0 if k > 2 else 1.0)",
        "k * 0.5",
        "pp.a",
    ),
)
CHANGES = (
    *("box.rate = R", "Sub.rate = R", "del Sub.rate", "Base.rate = R", "sub.rate = R", "del sub.rate", "del Sub.get"),
    *("Sub.get = lambda self: R", "d['a'] = R", "d['b'] = R", "d.pop('b')", "l[0] = R", "l.append(R)", "l.pop()"),
    *("l.reverse()", "s.add(R)", "s.discard(1.0)", "t[1][0] = R", "p.grad = nb.ones(2)", "p.grad = None", "m.k = R"),
    *("p.requires_grad_(not p.requires_grad)", "p.detach().add_(R)", "M.k = R", "M.forward = lambda self, x: x * R"),
    *("def g(): return R", "inner[0] = R", "h.__defaults__ = (R,)", "nested['x']['y'] = R", "nested['x'] = {'y': R}"),
    *("box.more = R", "del box.more", "opt.param_groups[0]['lr'] = R", "ns.a = R", "ns.b = R", "box.__class__ = Other"),
    *(
        "box.__class__ = Box",
        "d = dict(a=R)",
        "l = [R, R]",
        "box = Box(); box.rate = R",
        "pp = P(R)",
        "max = min",
        "del max",
    ),
)


def history(seed: int, *, compiled: bool) -> tuple[list[str], Any]:
    rng, names, found = random.Random(seed), {"nb": nb, "__name__": "__main__"}, []
    exec(BEFORE, names)
    number = " + ".join([f"x * ({rng.choice(READS)})" for _ in range(rng.randrange(1, 5))])
    exec(f"def f(x, k): return {number}{' if k % 3 else x * 7' if rng.random() < 0.3 else ''}", names)
    run = nb.compile(names["f"]) if compiled else names["f"]
    for k in range(26):
        if k > 3 and rng.random() < 0.6:
            change = rng.choice(CHANGES).replace("R", str(rng.choice([0.5, 1.0, 2.0, 3, 1])))
            with contextlib.suppress(Exception):  # there may be nothing to delete
                exec(change, names)
        try:
            found.append(repr(run(nb.ones(2), k % 5).tolist()))
        except (IndexError, KeyError, TypeError) as error:
            found.append(type(error).__name__)
    return found, run


@pytest.mark.cpu
@pytest.mark.parametrize("first", range(0, 40, 10))
def test_compiled_calls_see_what_plain_ones_see(first: int) -> None:
    n_compiled = 0
    for seed in range(first, first + 10):
        plain, _ = history(seed, compiled=False)
        found, run = history(seed, compiled=True)
        assert found == plain, seed
        n_compiled += bool(programs_of(run))
    assert n_compiled > 7

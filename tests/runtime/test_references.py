"""Counts of references say who has an object, whatever this Python adds when it is asked."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nbgrad.errors import PACKAGE_DIR
from nbgrad.runtime import references
from nbgrad.runtime.references import (
    ALONE_IN_LIST,
    any_held,
    held_bits,
    is_unique,
    owners,
)


class Holder:
    def __init__(self) -> None:
        self.value: Any = object()


class Slotted:
    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: Any = object()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_owners_of_items_are_counted(n: int) -> None:
    items: list[Any] = [[] for _ in range(n)]
    kept = [items[-1]] * 3
    assert owners(items) == [1] * (n - 1) + [4]
    assert held_bits(items) == bytes([0] * (n - 1) + [1]) and any_held(items)
    kept.clear()
    assert owners(items) == [1] * n and not any_held(items)
    for item in items:
        assert held_bits([item]) == b"\1"  # the variable has it, too
    assert owners([]) == []


@pytest.mark.parametrize("kind", [Holder, Slotted])
def test_owners_of_attributes_are_counted(kind: Any) -> None:
    x, other = kind(), kind()
    assert is_unique(x, "value")
    other.value = x.value
    assert not is_unique(x, "value")
    assert is_unique(x, "value", 2)
    mine = x.value
    assert not is_unique(x, "value", 2)
    del mine
    assert is_unique(x, "value", 2)


def test_code_that_is_written_at_run_time_asks_in_words_that_are_known() -> None:
    scope: dict[str, Any] = {"getrefcount": sys.getrefcount, "A": ALONE_IN_LIST}
    exec("def is_held(items):\n    return getrefcount(items[0]) != A", scope)
    items: list[Any] = [[]]
    assert not scope["is_held"](items)
    kept = [items[0]]
    assert scope["is_held"](items)
    kept.clear()
    assert not scope["is_held"](items)


def test_nobody_else_asks_python() -> None:
    """But for code that is written at run time, which is given the question, and the known answer, by name."""
    found = {}
    for path in Path(PACKAGE_DIR).rglob("*.py"):
        lines = [line for line in path.read_text().splitlines() if re.search(r"\bgetrefcount\(", line)]
        if lines and path.name != Path(references.__file__).name:
            found[path.name] = [line for line in lines if "ALONE_IN_" not in line]
    assert found == {"bound_call.py": []}


# What Python says, moved by some references, as if it counted otherwise; then everything that asks.
PROGRAM = """
import sys
real, moved = sys.getrefcount, int(sys.argv[1])
class Moved:
    own = 0
    def __call__(self, x): return real(x) + moved - self.own
sys.getrefcount = Moved()
Moved.own = [*map(sys.getrefcount, [[]])][0] - [*map(real, [[]])][0] - moved  # it asks about a variable
import nbgrad as nb

# Memory that somebody else reads is not shown to NumPy: that of a derivative, of another tensor.
for _ in range(4):
    x, w = nb.full((3,), 2.0, requires_grad=True), nb.full((3,), 2.0)
    y = x * 1
    z = (y * y * y).sum()
    z.item()
    y.detach().numpy()[:] = 7
    z.backward()
    assert x.grad.tolist() == [12] * 3, x.grad
    z = (x * w * w).sum()
    z.item()
    w.numpy()[:] = 7
    z.backward()
    assert x.grad.tolist() == [16] * 3, x.grad
    a, b = x.detach() + 1, x.detach() + 1
    a.tolist()
    a.numpy()[:] = 7
    assert b.tolist() == [3] * 3

# Nor is it written, where two have it without knowing of each other.
def take_off(a):
    with nb.no_grad():
        a.sub_(1.0)
for take in (take_off, nb.compile(take_off)):
    w, v = nb.zeros(4096).clone(), nb.zeros(1)
    w.tolist()
    for k in range(14):
        v._buffer, v._at = w._buffer, w._at
        take(w)
        assert (w.tolist()[7], v.tolist()[7]) == (-k - 1, -k), (k, w, v)

# Parameters are written where they lie, but not where an alias shows what they were.
w = nb.ones(4096, requires_grad=True)
kept = []
for k in range(6):
    loss = (w * w).sum()
    w.grad = None
    loss.backward()
    kept.append((w.grad, (w.detach() * 1), w.grad.tolist()[0]))
    with nb.no_grad():
        w -= 0.25 * w.grad
assert all(g.tolist() == [v] * 4096 for g, _, v in kept), kept
assert [p.tolist()[0] for _, p, _ in kept] == [0.5 ** k for k in range(6)]

# Results of compiled calls that somebody keeps stay as they are.
v = nb.ones(64, requires_grad=True)
@nb.compile
def step(x, rate):
    v.grad = None
    y = (v * x).sum()
    y.backward()
    with nb.no_grad():
        v.sub_(rate * v.grad)
    return y.detach(), x * rate
kept, expected, value = [], [], 1.0
for k in range(14):
    y, z = step(nb.full((64,), float(k % 3)), 0.5)
    expected.append((64 * value * (k % 3), k % 3 * 0.5))
    value -= 0.5 * (k % 3)
    kept.append((y, z, v.grad if k % 2 else None, float(k % 3)))
assert [(y.item(), z.tolist()[5]) for y, z, *_ in kept] == expected
assert all(g is None or g.tolist() == [x] * 64 for *_, g, x in kept)

# Values that nobody holds are not kept, and those that somebody holds are.
for n in (3, 90):
    for _ in range(4):
        h, held = nb.ones(8), []
        for k in range(n):
            h = h + 1
            if k % 7 == 0:
                held.append((h, k + 2))
        h.tolist()
        assert all(t.tolist() == [value] * 8 for t, value in held)
print("same")
"""


@pytest.mark.parametrize("moved", [-2, -1, 0, 1, 5])
@pytest.mark.parametrize("mode", ["background", "eager"])
def test_answers_do_not_depend_on_what_asking_adds(moved: int, mode: str) -> None:
    script = f"import os; os.environ['NBGRAD_COMPILE'] = {mode!r}\n{PROGRAM}"
    told = subprocess.run([sys.executable, "-c", script, str(moved)], capture_output=True, text=True, timeout=200)
    assert told.stdout == "same\n", told.stderr

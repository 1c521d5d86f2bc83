"""Programs that meet new shapes for ever stay small."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import gc, sys, tracemalloc
import nbgrad as nb
from nbgrad.graph import interned
from nbgrad.tape import append
from nbgrad.calls import views
from nbgrad.runtime.baseline import rules
from nbgrad.trace import store

# All that is kept of late, full at once.
rules.RULES_KEPT, interned.RECENT, store.MET_KEPT, store.PLANS_KEPT = 200, 100, 50, 20
views._REMEMBERED, append.MOST_MAPS = 50, 50

def empty(*shape): nb.empty(*shape)
def recorded(*shape): nb.empty(*shape) * 2
def run(*shape): (nb.zeros(*shape) * 2 + 1).sum().item()
def gradient(*shape):
    x = nb.zeros(*shape, requires_grad=True)
    (x * x).sum().backward()
def view(*shape): nb.zeros(*shape)[0].tolist()
def detached(*shape): nb.zeros(*shape, requires_grad=True).detach().requires_grad

work, n = globals()[sys.argv[1]], int(sys.argv[2])
held, kept = [], nb.ones(7, 9)
kept.tolist()
state = kept._at
tracemalloc.start()
for k in range(3 * n):
    work(k % 61 + 1, k // 61 + 1)
    if k % 100 == 99:
        (nb.ones(1) * 2).tolist()  # nothing waits any more
    if k in (n - 1, 3 * n - 1):
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
other = nb.zeros(7, 9)
other.tolist()
assert other._at is state, "of what is held there is one"
print((held[1] - held[0]) / (2 * n))
"""


@pytest.mark.parametrize(
    ("work", "n"),
    [("empty", 800), ("recorded", 300), ("run", 100), ("gradient", 100), ("view", 200), ("detached", 800)],
)
def test_new_shapes_leave_nothing_behind(work: str, n: int) -> None:
    environment = {**os.environ, "NBGRAD_COMPILE": "never"}
    command = [sys.executable, "-c", PROGRAM, work, str(n)]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, told.stderr
    assert float(told.stdout) < 400, "bytes for each shape"

"""Memory stays where it is: in long training, in values nobody looks at, in structures that never come again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import nbgrad as nb
from nbgrad.runtime.buffers import pool_stats
from nbgrad.trace import store

PAGE = 4096
SLACK = 24 << 20  # allocator and interpreter noise; what each test would pile up is far more


def resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("the system has no /proc/self/statm to read the resident size from")
    return int(statm.read_text().split()[1]) * PAGE


def test_ten_thousand_training_steps_stay_flat() -> None:
    nb.manual_seed(0)
    x, y = nb.randn(64, 32), nb.randint(0, 4, (64,))
    model = nb.nn.Sequential(nb.nn.Linear(32, 64), nb.nn.Tanh(), nb.nn.Linear(64, 4))
    optimizer = nb.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss_of = nb.nn.CrossEntropyLoss()

    def steps(count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad()
            loss_of(model(x), y).backward()
            optimizer.step()

    steps(500)
    resident, blocks = resident_bytes(), pool_stats().blocks_made
    steps(10_000)
    assert pool_stats().blocks_made <= blocks + 8
    assert resident_bytes() < resident + SLACK


def test_a_running_mean_nobody_looks_at_does_not_pile_up() -> None:
    mean = nb.zeros(256)

    def steps(begin: int, end: int) -> None:
        nonlocal mean
        for i in range(begin, end):
            mean = mean + (nb.full((256,), float(i)) - mean) / i

    steps(1, 10_001)
    resident = resident_bytes()
    steps(10_001, 100_001)
    assert resident_bytes() < resident + SLACK
    assert mean[0].item() == pytest.approx(50_000.5, rel=1e-3)


def test_five_thousand_different_graphs_are_forgotten() -> None:
    x = nb.ones(64, requires_grad=True)
    operations = (
        lambda y: y.sin(),
        lambda y: y * 1.5,
        lambda y: y + x,
        lambda y: y.tanh(),
        lambda y: y * x,
        lambda y: y - x.cos(),
    )

    def graphs(begin: int, end: int) -> None:
        for seed in range(begin, end):
            choose, y = random.Random(seed), x
            for _ in range(12):
                y = choose.choice(operations)(y)
            y.sum().backward()
            x.grad = None

    graphs(0, 1500)
    resident = resident_bytes()
    graphs(1500, 5000)
    assert store.plans_kept() <= store.PLANS_KEPT
    assert resident_bytes() < resident + SLACK

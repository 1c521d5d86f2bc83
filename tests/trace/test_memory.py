"""Loops that run for long hold no more memory at their end than at their beginning."""

from __future__ import annotations

import gc
import itertools
import os
import random
import statistics
from pathlib import Path

import pytest

import nbgrad as nb
from nbgrad.trace import store
from nbgrad.trace.handle import ROOT
from nbgrad.trace.store import MET_KEPT, PLANS_KEPT
from nbgrad.trace.thread import local
from nbgrad.trace.trie import TrieNode
from tests.memory_pool import pool_stats

PAGE = os.sysconf("SC_PAGE_SIZE")
SLACK_BYTES = 6 << 20  # the interpreter's own ups and downs


def resident_bytes() -> int:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("this system does not say how much memory a process has")
    gc.collect()
    return int(statm.read_text().split()[1]) * PAGE


def trie_size() -> int:
    count, pending = 0, [ROOT]
    while pending:
        node: TrieNode = pending.pop()
        count += 1
        pending.extend(list(node.values()))
    return count


def test_ten_thousand_training_steps_take_no_more_memory_than_a_few() -> None:
    nb.manual_seed(0)
    w, b = nb.randn(32, 16).requires_grad_(), nb.zeros(16, requires_grad=True)
    x, target = nb.randn(64, 32), nb.randn(64, 16)
    optimizer = nb.optim.Adam([w, b], lr=1e-3)

    def steps(count: int) -> None:
        for i in range(count):
            loss = ((x @ w + b).tanh() - target).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 10 == 0:
                loss.item()

    with nb.config.override(compile="eager"):  # no program takes over from another meanwhile, on a busy machine too
        steps(1000)
        resident, blocks = resident_bytes(), pool_stats().blocks_made
        steps(9000)
    assert resident_bytes() - resident < SLACK_BYTES
    assert pool_stats().blocks_made - blocks <= 8


def test_a_steady_loop_allocates_no_large_block() -> None:
    x = nb.ones(400, 400, requires_grad=True)

    def steps(count: int) -> None:
        for _ in range(count):
            (((x * 0.5).sin() @ x).tanh().mean()).backward()
            x.grad = None

    steps(60)
    allocated = pool_stats().allocated_bytes
    steps(60)
    assert pool_stats().allocated_bytes <= allocated


def test_a_running_mean_that_nobody_looks_at_does_not_pile_up() -> None:
    mean, x = nb.zeros(()), nb.ones(100)
    longest = 0
    resident = []
    for i in range(100_001):
        mean = 0.99 * mean + 0.01 * x.sum()
        if i % 1000 == 0:
            longest = max(longest, len(local.trace.live))
        if i % 16_000 == 4_000:
            resident.append(resident_bytes())
    # What piles up does so all the time; a fused program takes over once, as late as the machine is busy.
    growth = [after - before for before, after in itertools.pairwise(resident[1:])]
    assert len(growth) == 5
    assert statistics.median(growth) < SLACK_BYTES / len(growth)
    assert longest < 10_000
    assert mean.item() == pytest.approx(100.0, rel=1e-4)


def test_five_thousand_different_graphs_are_not_all_remembered() -> None:
    chance = random.Random(0)

    def graphs(count: int) -> None:
        for _ in range(count):
            x = nb.ones(chance.randint(1, 50), requires_grad=True)
            y = x
            for _ in range(chance.randint(3, 12)):
                y = chance.choice(
                    [
                        lambda y, x: y * x,
                        lambda y, x: y + x,
                        lambda y, x: y.tanh(),
                        lambda y, x: y * 0.5,
                        lambda y, x: y - x,
                    ]
                )(y, x)
            y.sum().backward()

    graphs(2500)
    resident, remembered = resident_bytes(), trie_size()
    graphs(2500)
    assert len(store._plans) <= PLANS_KEPT
    assert len(store._met) <= MET_KEPT
    assert trie_size() < remembered * 1.5
    assert resident_bytes() - resident < 2 * SLACK_BYTES


def test_a_growing_history_that_is_let_go_of_leaves_nothing() -> None:
    x = nb.ones(1000, requires_grad=True)

    def unroll() -> None:
        y = x
        for _ in range(50):
            y = (y * x).sin()
            y.sum().item()
        y.sum().backward()
        x.grad = None

    for _ in range(3):
        unroll()
    gc.collect()
    used = pool_stats().used_bytes
    for _ in range(5):
        unroll()
    gc.collect()
    assert pool_stats().used_bytes - used < 100_000

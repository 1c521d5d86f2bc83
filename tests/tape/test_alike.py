"""For a GPU instructions of one kernel stand side by side where nothing stands between them."""

from __future__ import annotations

import numpy as np

from nbgrad.graph.node import Node, apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.donations import NO_DONATIONS
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.lower import lower
from nbgrad.tape.tape import WAVE, Tape
from tests.passes.build import reduced, value
from tests.passes.runs import fused, run_plan, same_bits
from tests.runtime.cuda.devices import Program, on_device, simulated


def joined(roots: list[Node]) -> Tape:
    graph = optimise(canonicalize(roots))
    return lower(graph, grouped(graph, NO_DONATIONS), padded=False, gpu=True)


def waves(tape: Tape) -> list[list[str]]:
    """The instructions' operators, those that go together in one list."""
    found: list[list[str]] = [[]]
    for i in tape.instructions:
        found[-1].append(i.nodes[0].op.name)
        if not i.flags & WAVE:
            found.append([])
    return found[:-1]


def updates(count: int) -> list[Node]:
    """New values of ``count`` parameters of unequal lengths."""
    return [value(10 + k, at=2 * k) - value(10 + k, at=2 * k + 1) * 0.1 for k in range(count)]


def test_updates_of_all_parameters_go_together() -> None:
    tape = joined(updates(40))
    assert [len(wave) for wave in waves(tape)] == [40]


def test_what_depends_on_another_comes_after_it() -> None:
    x, y = value(30, 30), value(30, 30, at=1)
    below = apply("tanh", apply("matmul", apply("tanh", x), x))
    found = waves(joined([below, apply("tanh", y)]))
    assert found == [["tanh", "tanh"], ["matmul"], ["tanh"]]


def test_products_stay_as_they_come() -> None:
    x, y = value(30, 30), value(30, 30, at=1)
    assert [len(wave) for wave in waves(joined([apply("matmul", x, y), apply("matmul", y, x)]))] == [1, 1]


def test_other_kernels_do_not_keep_equal_ones_apart() -> None:
    x = [value(50, 20, at=k) for k in range(3)]
    roots = [r for a in x for r in (apply("tanh", a), reduced("sum", a * a, 1), reduced("sum", a, 0))]
    sizes = [len(wave) for wave in waves(joined(roots))]
    assert max(sizes) == 3 and len(sizes) < 9


def test_together_they_give_the_bits_of_the_cpu_in_fewer_launches() -> None:
    roots = updates(30)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(10 + k // 2).astype("f") for k in range(60)]
    with simulated() as driver:
        tape = joined(roots)
        program = Program(roots)
        expected = run_plan(fused(roots), arrays)
        device = [on_device(a) for a in arrays]
        driver.calls.clear()
        assert same_bits(program(*device), expected)
        apart = driver.calls["launch"]
        together = Program(roots, tape=tape)
        driver.calls.clear()
        for _ in range(3):
            assert same_bits(together(*device), expected)
        assert (apart, driver.calls["launch"]) == (30, 3)

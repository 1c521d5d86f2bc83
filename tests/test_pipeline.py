"""Plans: tiers, switches, texts."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest

from nbgrad import pipeline
from nbgrad.config import override
from nbgrad.errors import PerformanceWarning
from nbgrad.graph import rounds
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.packed import PackedGraph
from nbgrad.graph.show import show
from nbgrad.graph.spec import Spec
from nbgrad.log import fallbacks
from nbgrad.ops.source import input_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.fuse import fuse
from nbgrad.passes.portions import MOST_NODES
from nbgrad.passes.run import optimise
from nbgrad.pipeline import Plan, make_plan
from nbgrad.runtime import tiers
from nbgrad.runtime.background import Worker
from nbgrad.runtime.store import KernelStore, store
from nbgrad.transform.vjp import vjp
from tests.memory_pool import empty_cache, pool_stats
from tests.passes.build import reduced, value
from tests.passes.runs import run_plan, same_bits, unfused

X = np.linspace(-2, 2, 777, dtype="f")


def program(constant: float) -> list[Node]:
    x = value(777)
    loss = reduced("sum", apply("tanh", x * constant) * apply("sin", x), 0)
    (g,) = vjp([loss], [const(1.0, float32)], [x])
    assert g is not None
    return [loss, g]


def test_every_mode_gives_the_same_bits() -> None:
    results = []
    for mode in ("never", "eager", "background"):
        with override(compile=mode):
            results.append(run_plan(make_plan(program(0.7)), [X]))
    assert same_bits(results[0], results[1])
    assert same_bits(results[0], results[2])


def test_the_modes_run_on_what_they_promise() -> None:
    for mode, tier in (("never", "unfused"), ("eager", "fused")):
        with override(compile=mode):
            plan = make_plan(program(0.7))
            for _ in range(3):
                run_plan(plan, [X])
            assert plan.tier == tier


def test_a_plan_that_recurs_becomes_fused_in_the_background(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_start_worker", Worker)  # on a busy machine, too, that of all tests comes last
    roots = program(0.7)
    roots[0] = apply("erf", apply("cos", apply("erf", roots[0])))  # kernels that nothing else has asked for
    with override(compile="background", cache_dir=str(tmp_path)):
        plan = make_plan(roots)
        expected = run_plan(plan, [X])
        deadline = time.monotonic() + 60
        while plan.tier == "unfused" and time.monotonic() < deadline:
            assert same_bits(run_plan(plan, [X]), expected)
            time.sleep(0.01)
        assert plan.tier == "fused"
        assert same_bits(run_plan(plan, [X]), expected)
        assert make_plan(roots, recurs=True).tier == "fused"
    store.stop_worker()


def heavy_program() -> list[Node]:
    x = value(1 << 20)
    y = x
    for name in ("tanh", "sin", "tanh", "sin"):
        y = apply(name, y) * x  # unfused, each result is written
    return [reduced("sum", y, 0)]


HEAVY_X = np.linspace(-2, 2, 1 << 20, dtype="f")


def test_what_needs_much_memory_runs_fused_at_once_where_its_kernels_are_there() -> None:
    with override(compile="eager"):
        expected = run_plan(make_plan(heavy_program()), [HEAVY_X])
        run_plan(make_plan(program(0.7)), [X])
    with override(compile="background"):
        plan = make_plan(heavy_program())
        assert plan.tier == "fused"
        assert same_bits(run_plan(plan, [HEAVY_X]), expected)
        assert make_plan(program(0.7)).tier == "unfused"  # most structures never come again


def test_what_needs_very_much_memory_waits_for_its_fused_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KernelStore, "ready", lambda *a: None)
    monkeypatch.setattr(KernelStore, "request", lambda *a: False)
    monkeypatch.setattr(KernelStore, "making_s", lambda *a: 0.5)
    with override(compile="background"):
        assert make_plan(heavy_program()).tier == "unfused"
        monkeypatch.setattr(pipeline, "S_PER_BYTE", 1e-6)
        assert make_plan(heavy_program()).tier == "fused"
        assert make_plan(program(0.7)).tier == "unfused"


def test_the_memory_of_the_unfused_program_goes_when_the_fused_one_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = HEAVY_X
    with override(compile="eager"):
        run_plan(make_plan(heavy_program()), [numbers])  # its fused kernels are there now
    empty_cache()
    monkeypatch.setattr(pipeline, "HEAVY_BYTES", 1 << 62)
    with override(compile="background"):
        plan = make_plan(heavy_program())
        run_plan(plan, [numbers])
        assert plan.tier == "unfused"
        before = pool_stats().idle_bytes
        run_plan(plan, [numbers])
    assert plan.tier == "fused"
    assert pool_stats().idle_bytes <= before - numbers.nbytes  # the results of the same sizes are idle again


def test_the_interpreter_takes_over_on_request() -> None:
    plan = make_plan(program(0.7))
    expected = run_plan(plan, [X])
    with override(interpret=True):
        got = run_plan(plan, [X])
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-4)
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-4, atol=1e-6)


def test_the_interpreter_needs_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "addresses", None)
    with override(interpret=True):
        plan = make_plan(program(0.7))
        first = run_plan(plan, [X])
        assert plan.tier == "interpreted"
    monkeypatch.undo()
    np.testing.assert_allclose(run_plan(plan, [X])[1], first[1], rtol=1e-4, atol=1e-6)


def test_a_deep_chain_needs_no_deep_stack() -> None:
    x = value(4)
    for _ in range(5000):
        x = apply("relu", x)
    assert same_bits(run_plan(unfused([x]), [X[-4:]]), [X[-4:]])
    assert len(fuse(optimise(canonicalize([x])))) == 5000 // MOST_NODES


def test_explain_shows_every_stage() -> None:
    stages = make_plan(program(0.7)).explain()
    assert set(stages) == {"graph", "passes", "fuse", "tape", "memory", "code", "kernels", "tier"}
    assert "tanh" in stages["graph"]
    assert stages["fuse"].startswith("group 0:")
    assert "1 instructions" in stages["tape"]
    assert "tanh" in stages["code"]


def test_stages_are_printed_where_that_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="graph,fuse,tape,memory", compile="eager"):
        make_plan(program(0.7), label="step")
    text = capsys.readouterr().err
    for head in ("-- graph --", "-- fuse --", "-- tape --", "-- memory --", "step"):
        assert head in text


def test_what_is_planned_is_told_before_and_how_long_each_part_took_after(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="time", compile="eager"):
        make_plan(program(0.7))
    text = capsys.readouterr().err
    parts = ["planning", "operators", "fold", "fuse", "lower"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_what_takes_seconds_to_fuse_is_not_fused_before_its_runs_have_taken_as_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fused: list[object] = []
    optimised = Plan._optimised

    def count(plan: Plan, *how: Any) -> Any:
        fused.append(plan)
        return optimised(plan, *how)

    monkeypatch.setattr(Plan, "_optimised", count)
    roots = [apply("tanh", apply("exp", value(7)))]
    with override(compile="background"):
        make_plan(roots, recurs=True)
        assert len(fused) == 1
        monkeypatch.setattr(tiers, "UNFELT_S", 0.0)
        assert make_plan(roots, recurs=True).tier == "unfused"
        assert len(fused) == 1


@pytest.mark.parametrize("repeats", [False, True])
def test_a_plan_that_takes_long_says_so_and_why(
    repeats: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pipeline, "SLOW_S", 0.0)
    monkeypatch.setattr(rounds, "LEAST_NODES", 40)
    monkeypatch.setattr(pipeline, "LEAST_NODES", 40)
    y = value(7)
    for k in range(60):
        y = apply("tanh", apply("exp", y) * (0.5 if repeats else 0.01 * k))
    with override(log="time", compile="eager"):
        make_plan([y])
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("a plan of ")]
    assert len(said) == 1
    assert said[0] in fallbacks()
    assert ("a loop of" in said[0]) == repeats
    assert ("no rounds of a loop" in said[0]) != repeats


def test_a_plan_that_takes_long_warns_once_for_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "SLOW_S", 0.0)
    monkeypatch.setattr(pipeline, "LEAST_NODES", 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            with override(compile="eager"):
                make_plan(program(0.7))
    assert [w.category for w in caught] == [PerformanceWarning]
    assert caught[0].filename == __file__
    assert "no rounds of a loop" in str(caught[0].message)


def test_a_plan_that_takes_seconds_waits_until_unfused_runs_took_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "FUSING_S", 1000.0)
    with override(compile="eager"):
        make_plan(program(0.7))  # its kernels are there
    with override(compile="background"):
        plan = make_plan(program(0.7))
        expected = run_plan(plan, [X])
        for _ in range(5):
            assert same_bits(run_plan(plan, [X]), expected)
        assert plan.tier == "unfused"
        assert isinstance(plan._roots, PackedGraph)
        assert plan._upgrade is not None
        plan._upgrade.spent_s += 1e6
        assert same_bits(run_plan(plan, [X]), expected)
        assert plan.tier == "fused"


def test_a_quick_plan_says_nothing_and_neither_does_a_small_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for slow_s, least in ((1000.0, 1), (0.0, 1000)):
        monkeypatch.setattr(pipeline, "SLOW_S", slow_s)
        monkeypatch.setattr(pipeline, "LEAST_NODES", least)
        with override(log="time", compile="eager"):
            make_plan(program(0.7))
    assert "a plan of" not in capsys.readouterr().err


def test_a_steady_plan_takes_no_new_memory() -> None:
    with override(compile="never"):
        plan = make_plan(program(0.7))
    for _ in range(3):
        run_plan(plan, [X])
    before = pool_stats().blocks_made
    for _ in range(50):
        run_plan(plan, [X])
    assert pool_stats().blocks_made == before


def test_a_plan_whose_program_is_there_keeps_no_nodes_and_explains_itself_the_same() -> None:
    with override(compile="eager"):
        roots = program(0.9)
        plan = make_plan(roots)
        assert isinstance(plan._roots, PackedGraph)
        assert plan._canonical is None
        assert plan.n_roots == 2
        assert show(plan.roots) == show(roots)
        assert show(plan.canonical) == show(canonicalize(roots))
        assert plan.explain()["graph"] == show(roots)
    assert same_bits(run_plan(plan, [X]), run_plan(unfused(roots), [X]))


def test_what_a_tape_says_of_its_nodes_has_no_graph_behind_it() -> None:
    table, index = input_node(0, Spec.of((5, 3), float32)), input_node(1, Spec.of((2, 3), int64))
    taken = apply("take", table, index, params=(0,), site="step.py:7")
    plan = make_plan([taken * 2.0])
    for tape in (plan._unfused()[2], plan._fused()[2]):
        nodes = [node for instruction in tape.instructions for node in instruction.nodes]
        assert ("take", "step.py:7") in [(n.op.name, n.site) for n in nodes]
        assert not any(n.inputs for n in nodes)

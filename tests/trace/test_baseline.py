"""The baseline tier against the full plan: the same bits, whatever the structure."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.baseline import rules
from nbgrad.runtime.baseline.program import Program
from nbgrad.trace import baseline_builder as baseline
from nbgrad.trace import fast, flush_plan, flushing, grow, recording
from nbgrad.trace.baseline_builder import BaselineBuilder
from nbgrad.trace.flush_plan import FlushPlan
from nbgrad.trace.handle import ROOT
from nbgrad.trace.thread import local, threads
from nbgrad.trace.trie import Leaf, TrieNode


def _values(*tensors: Any) -> list[bytes]:
    return [t.detach().numpy().tobytes() for t in tensors]


def _tree(x: Any, w: Any, depth: int, rng: random.Random) -> Any:
    """A random expression over matrices: maps, views, products, reductions, numbers."""
    if depth == 0:
        return x
    a = _tree(x, w, depth - 1, rng)
    kind = rng.randrange(12)
    if kind == 0:
        return a.sin()
    if kind == 1:
        return a.tanh() * rng.random()
    if kind == 2:
        return a.t().t() @ w
    if kind == 3:
        return (a.t() @ w.t()).t()
    if kind == 4:
        return a.softmax(1) + a.mean(0)
    if kind == 5:
        return a - a.amax(1, keepdim=True)
    if kind == 6:
        return nb.cat([a[:3], a[3:].relu()], 0)
    if kind == 7:
        return a.flip(0) * (a > 0)
    b = _tree(x, w, depth - 1, rng)
    if kind == 8:
        return a * b + a
    if kind == 9:
        return nb.where(a > b, a, b * 0.5)
    if kind == 10:
        return (a + b).reshape(3, 12).t().reshape(6, 6)
    return a.clone().mul_(2).add_(b)


def _run(seed: int) -> list[bytes]:
    rng = random.Random(seed)
    data = np.random.default_rng(seed).standard_normal((2, 6, 6)).astype(np.float32)
    x, w = (nb.tensor(d, requires_grad=True) for d in data)
    y = _tree(x, w, 4, rng)
    loss = (y * y).sum()
    if loss.requires_grad:
        loss.backward()
    grads = [t.grad for t in (x, w) if t.grad is not None]
    return _values(y, loss, *grads)


@pytest.mark.parametrize("seed", range(60))
def test_baseline_tier_gives_the_bits_of_the_full_plan(seed: int) -> None:
    first = _run(seed)
    second = _run(seed)
    with override(compile="eager"):
        fused = _run(seed)
    assert first == second == fused


def test_a_structure_seen_first_builds_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    flushing.flush(local.trace)
    monkeypatch.setattr(flushing, "plan_flush", lambda *a: pytest.fail("a full plan was made"))
    x = nb.tensor([1.0, 2.0, 3.5], requires_grad=True)
    (x.sin() * 3.25 + x / 7.5).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.cos([1, 2, 3.5]) * 3.25 + 1 / 7.5, rtol=1e-6)


def test_so_do_rows_of_memory_that_others_see(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = np.arange(24, dtype=np.float32).reshape(12, 2)
    x, w = nb.from_numpy(memory), nb.ones(2)
    monkeypatch.setattr(flushing, "plan_flush", lambda *a: pytest.fail("a full plan was made"))
    for n in range(3, 6):  # each a structure of its own
        rows = [x[2 * k : 2 * k + 2] * w for k in range(n)]
        assert nb.cat(rows).sum().item() == memory[: 2 * n].sum()


def test_what_came_once_leaves_nothing_in_the_trie_and_what_comes_again_its_plan() -> None:
    def step() -> None:
        x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
        (x.cos() * 3.25 - x / 9.5).sum().backward()

    before = _nodes()
    step()
    assert _nodes().keys() == before.keys()
    step()
    new = [n for key, n in _nodes().items() if key not in before]
    assert [type(p) for n in new for p in (n.plans or {}).values()] == [FlushPlan]


def test_a_large_structure_that_came_once_is_not_in_the_trie(monkeypatch: pytest.MonkeyPatch) -> None:
    flushing.flush(local.trace)  # what other tests have recorded is no part of it
    monkeypatch.setattr(flush_plan, "PLANNING_S", 1e6)
    before = _nodes()
    for n in (303, 304, 305):
        _long(n)
    assert max([n.ix for key, n in _nodes().items() if key not in before], default=0) < 200


def test_an_entry_that_ctrl_c_left_behind_does_not_count() -> None:
    flushing.flush(local.trace)
    x = nb.tensor([0.5, 1.5])
    y = x.sin() + x
    trace, before = local.trace, local.trace.node
    y * x  # its entry is taken back, as if Ctrl-C had come before it was in the trace
    trace.node = before
    trace.live.pop()
    np.testing.assert_array_equal((y * y - x).numpy(), (y.numpy() * y.numpy()) - x.numpy())


def _nodes() -> dict[int, Any]:
    """Those of the trie, by their ids: they are dictionaries, which compare all that is in them."""
    found: dict[int, Any] = {}
    pending: list[Any] = [ROOT]
    while pending:
        node = pending.pop()
        found[id(node)] = node
        pending.extend(node.values())
    return found


def test_what_baseline_tier_cannot_do_is_left_to_the_graph() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    (g,) = nb.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = nb.autograd.grad(g.sum(), x)
    assert h.tolist() == [6.0, 12.0]


def test_a_failing_instruction_names_the_users_line() -> None:
    x = nb.arange(5.0)
    bad = nb.tensor([7])
    y = x[bad]
    with pytest.raises(IndexError, match=r"test_baseline\.py"):
        y.tolist()


def test_large_temporaries_are_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "MEMORY_LIMIT", 64)
    monkeypatch.setattr(flush_plan, "PLANNING_S", 0.0)
    x = nb.ones(1000, requires_grad=True)
    ((x * 2.5).exp() + 1.25).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2.5 * np.exp(2.5), rtol=1e-6)


def test_temporaries_of_a_long_segment_are_not_planned_where_that_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "MEMORY_LIMIT", 64)
    assert _count_plans(lambda: _long(207))[0] == 0
    monkeypatch.setattr(baseline, "MOST_MEMORY", 64)
    assert _count_plans(lambda: _long(209))[0] == 1


def test_operations_whose_rules_are_known_are_taken_in_without_the_way_through_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missed: list[Any] = []
    miss = recording.miss

    def noted(trace: Any, key: Any, operands: Any) -> Any:
        missed.append(key)
        return miss(trace, key, operands)

    monkeypatch.setattr(recording, "miss", noted)
    monkeypatch.setattr(fast, "miss", noted)
    x = nb.ones(11, requires_grad=True)
    for seed in range(4):
        rng = random.Random(seed)
        values = [x, x]
        for _ in range(30):
            a, b = rng.choice(values), rng.choice(values)
            values.append(rng.choice([lambda a, b: a + b, lambda a, b: a * 2.5 - b, lambda a, b: (3 - b).sin()])(a, b))
        missed.clear()
        values[-1].sum().tolist()
        flushing.flush(local.trace)
    rng = random.Random(99)
    y = x
    for _ in range(30):
        y = rng.choice([lambda y: y + x, lambda y: y.sin(), lambda y: y * 2.5])(y)
    assert len(missed) <= 2  # the first, and the sum above


def test_a_long_segment_with_a_history_is_taken_in_without_that_way_but_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording, "SEGMENT_LENGTH", 20)
    monkeypatch.setattr(grow, "SEGMENT_LENGTH", 20)
    monkeypatch.setattr(recording, "GROWTH", 50)
    grown: list[Any] = []
    monkeypatch.setattr(recording, "grow", lambda *a: grown.append(a) or grow.grow(*a))
    x = nb.ones(13, requires_grad=True)
    y = x
    for i in range(200):
        y = y + x if i % 3 else y * 0.5
    assert 3 <= len(grown) <= 12
    y.sum().backward()
    short = nb.ones(13, requires_grad=True)
    with override(compile="eager"):
        z = short
        for i in range(200):
            z = z + short if i % 3 else z * 0.5
        z.sum().backward()
    assert _values(y, x.grad) == _values(z, short.grad)


def test_so_is_a_long_function_that_will_be_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "SEGMENT_LENGTH", 20)
    monkeypatch.setattr(grow, "SEGMENT_LENGTH", 20)
    monkeypatch.setattr(recording, "GROWTH", 50)
    grown: list[Any] = []
    monkeypatch.setattr(recording, "grow", lambda *a: grown.append(a) or grow.grow(*a))

    def steps(x: Any) -> Any:
        y = x
        for i in range(200):
            y = y + x if i % 3 else y * 0.5
        return y

    shown = nb.compile(steps)(nb.ones(13))
    assert 3 <= len(grown) <= 12
    assert _values(shown) == _values(steps(nb.ones(13)))


def test_windows_whose_rules_are_known_are_taken_in_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(n: int) -> list[bytes]:
        x = nb.arange(17.0, requires_grad=True)
        y = x * 0.5
        for _ in range(n):
            left, right = y[:-1], y[1:]
            y = nb.cat([y[:1], left * 0.25 + right])
        part = y[2:][1:5]  # a view of a view goes the other way
        part.sum().backward()
        y.detach_()
        y[3:] += 1.0  # and windows are of one memory with what they show
        return _values(y, part, x.grad)

    work(3)
    recorded: list[Any] = []
    plain = fast.record_on
    monkeypatch.setattr(fast, "record_on", lambda t, call, *a: recorded.append(call.name) or plain(t, call, *a))
    first = work(5)
    assert recorded.count("slice_dim") <= 3
    with override(compile="eager"):
        assert work(5) == first


def test_what_will_be_planned_makes_no_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    x = nb.ones(1007, requires_grad=True)  # no other test's size: its rules are new
    y = ((x * 2.5).exp() + 1.25).sum()
    monkeypatch.setattr(rules, "Template", lambda *a: pytest.fail("a template was made"))
    monkeypatch.setattr(baseline, "MEMORY_LIMIT", 2 * 2 * 1007 * 4)
    monkeypatch.setattr(baseline, "MOST_MEMORY", 2 * 3 * 1007 * 4)
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), 2.5 * np.exp(2.5), rtol=1e-6)


def test_wide_calls_need_room_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms: list[int] = []
    make_room = Program._make_room

    def noted(program: Program, room: int, *rest: Any) -> None:
        rooms.append(room)
        make_room(program, room, *rest)

    monkeypatch.setattr(Program, "_make_room", noted)
    n = 700
    x = nb.ones(n, 2, requires_grad=True)
    nb.stack([row * 3 for row in x.unbind(0)]).sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0]] * n
    assert max(rooms, default=0) <= 32 * n


def _long(n: int) -> list[bytes]:
    x = nb.linspace(0.5, 1.5, 7).requires_grad_()
    y = x
    for k in range(n):
        y = y * 0.75 + x.sin() if k % 2 else y.tanh()
    y.sum().backward()
    return _values(y, x.grad)


def test_a_small_structure_is_planned_when_it_comes_back() -> None:
    planned = _count_plans(lambda: _long(10))
    assert planned == [0, 1, 0]


def test_a_large_structure_is_planned_when_its_runs_have_taken_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush_plan, "PLANNING_S", 1e6)
    assert _count_plans(lambda: _long(201)) == [0, 0, 0]
    monkeypatch.setattr(flush_plan, "PLANNING_S", 0.0)
    assert _count_plans(lambda: _long(201)) == [1, 0, 0]


@pytest.mark.parametrize(("runs", "planned"), [(4.9, [0, 0, 1]), (20.0, [0, 0, 0])])
def test_what_recurs_is_planned_by_its_third_run_where_that_costs_less_than_five(
    monkeypatch: pytest.MonkeyPatch, runs: float, planned: list[int]
) -> None:
    monkeypatch.setattr(time, "thread_time", itertools.count().__next__)  # each run takes a second
    monkeypatch.setattr(flush_plan, "planning_work", lambda *_: runs)
    monkeypatch.setattr(flush_plan, "LOOP_SHARE", 0.0)
    monkeypatch.setattr(flush_plan, "PLANNING_S", 1.0)
    assert _count_plans(lambda: _long(203 + int(runs))) == planned


def test_a_loop_costs_less_to_plan_than_as_many_operations_of_all_kinds() -> None:
    names = "sin", "cos", "tanh", "exp", "neg"
    drawn = random.Random(0)

    def cost_of(*steps: str) -> float:
        y = nb.linspace(0.1, 0.2, 5)
        for name in steps:
            y = getattr(y, name)()
        cost = flush_plan.planning_work(local.trace.node)
        flushing.flush(local.trace)
        return cost

    unlike = cost_of(*[drawn.choice(names) for _ in range(500)])
    assert cost_of(*names * 100) < 0.6 * unlike
    assert unlike == pytest.approx(2 * cost_of(*[drawn.choice(names) for _ in range(250)]), rel=0.05)


def test_runs_in_the_baseline_tier_repeat_their_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush_plan, "PLANNING_S", 1e6)
    first, second = _long(203), _long(203)
    monkeypatch.setattr(flush_plan, "PLANNING_S", 0.0)
    assert first == second == _long(203) == _long(203)


def test_what_recurs_without_a_plan_is_found_in_the_trie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush_plan, "PLANNING_S", 1e6)
    grown, grow_new = [], TrieNode.__init__

    def count(node: TrieNode, *how: Any) -> None:
        grown[-1] += 1
        grow_new(node, *how)

    def step(size: int) -> list[bytes]:
        grown.append(0)
        y = x = nb.linspace(-1.0, 1.0, size).requires_grad_()
        for k in range(300):
            y = y * 0.75 + x.sin() if k % 3 else y.tanh()
        y.sum().backward()
        return _values(x.grad)

    monkeypatch.setattr(TrieNode, "__init__", count)
    values = [step(211) for _ in range(4)]
    assert grown[0] > 500
    assert grown[2:] == [0, 0]
    for size in range(300, 330):  # what came twice, and no more, does not stay
        step(size), step(size)
    assert step(211) == values[0] == values[1] == values[2] == values[3]
    assert grown[-1] > 500


def _count_plans(run: Callable[[], object]) -> list[int]:
    """How many plans each of three runs makes, those of single looks apart."""
    made: list[int] = []
    plan = flushing.plan_flush
    for _ in range(3):
        made.append(0)

        def counted(*args: Any) -> Any:
            made[-1] += len(args[0].live) > 5
            return plan(*args)

        flushing.plan_flush = counted
        try:
            run()
        finally:
            flushing.plan_flush = plan
    return made


def test_entries_that_are_taken_as_a_matter_of_course_are_like_others(monkeypatch: pytest.MonkeyPatch) -> None:
    flushing.flush(local.trace)
    x, w = (nb.tensor([0.5 * k, 1.5, 2.5], requires_grad=True) for k in (1, 2))
    kinds: list[Callable[[Any, Any], Any]] = [
        lambda a, b: a + b,
        lambda a, b: a * 1.25,
        lambda a, b: a > b,
        lambda a, b: a.sin(),
        lambda a, b: a.sum(),
        lambda a, b: a[1:],
        lambda a, b: a.detach() * b,
        lambda a, b: nb.where(a > 1, a, b),
    ]
    rng = random.Random(11)
    plain = 4 * kinds[:4]
    monkeypatch.setattr(threads, "several", False)  # other tests have begun threads
    release = BaselineBuilder.release

    def released(self: BaselineBuilder) -> None:
        for k, entry in enumerate(self.entries):
            before = self.entries[k - 1] if k else ROOT
            fresh = TrieNode(before, entry.key, entry.given)
            assert entry.parent is before
            is_call = type(entry.key) is tuple and type(entry.key[0]) is int
            assert (entry.ix, entry.given is None) == (k, is_call)
            assert entry.owner <= k
            is_leaf = isinstance(entry.key, Leaf)
            assert entry.n_inputs == fresh.n_inputs + is_leaf
            if is_call or is_leaf:
                assert entry.leaf == (k if is_leaf and entry.requires_grad else -1)
        release(self)

    monkeypatch.setattr(BaselineBuilder, "release", released)
    for _ in range(60):
        chosen = [(rng.choice(kinds + plain), rng.randrange(k + 2), rng.randrange(k + 2)) for k in range(20)]

        def run(chosen: Any = chosen) -> list[bytes]:
            values: list[Any] = [x, w]
            for kind, a, b in chosen:
                value = kind(values[a], values[b])
                values.append(value if value.shape == x.shape and value.is_floating_point() else values[a])
            loss = (values[-1] * values[-2]).sum()
            flags = [(v.requires_grad, v.is_leaf, str(v.grad_fn)) for v in (*values, loss)]
            x.grad = w.grad = None
            del values, value  # what the loss does not depend on would have a history of its own
            if loss.requires_grad:
                loss.backward()
            return [repr(flags).encode(), *_values(loss, *[t.grad for t in (x, w) if t.grad is not None])]

        first = run()
        with override(compile="eager"):
            assert first == run()

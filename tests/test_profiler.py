"""profile: what ran, as it ran, with times that were measured; the same bits as without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.profiler import Event, EventAverages, ProfilerAction, ProfilerActivity, profile, record_function, schedule
from tests.threads import in_threads


def kernels(prof: profile) -> list[Event]:
    return [event for event in prof.events() if event.kind == "kernel"]


def model_and_data(size: int = 8) -> tuple[Any, nb.Tensor]:
    nb.manual_seed(0)
    model = nb.nn.Sequential(nb.nn.Linear(size, 16), nb.nn.Tanh(), nb.nn.Linear(16, 4))
    return model, nb.rand(6, size)


def losses(steps: int, prof: profile | None = None) -> list[float]:
    model, x = model_and_data()
    optimizer = nb.optim.Adam(model.parameters(), lr=0.1)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
        if prof is not None:
            prof.step()
    return found


def test_training_has_the_same_bits_while_a_profile_runs() -> None:
    expected = losses(6)
    with profile() as prof:
        assert losses(6, prof) == expected
    assert {"matmul", "tanh", "sum"} <= {name for event in kernels(prof) for name in event.operators}
    assert losses(6) == expected


def test_a_fused_kernel_is_one_event_with_its_operators_and_lines() -> None:
    def function(x: nb.Tensor) -> nb.Tensor:
        y = x.exp()
        return (y * 2).sum()

    x = nb.ones(1000)
    with override(compile="eager"), profile() as prof:
        function(x).item()
    [event] = kernels(prof)
    assert event.operators == ("exp", "mul", "sum")
    assert len(event.lines) == 2 and all(line.startswith("test_profiler.py:") for line in event.lines)
    assert "exp mul sum" in event.name


def test_times_nest_and_add_up() -> None:
    with profile() as prof:
        losses(3, prof)
    [whole] = [event for event in prof.events() if event.kind == "python"]
    programs = [event for event in prof.events() if event.kind == "program"]
    assert sum(event.self_ns for event in prof.events()) == whole.total_ns
    for event in prof.events():
        assert 0 <= event.self_ns <= event.total_ns
        assert whole.start_ns <= event.start_ns <= event.end_ns <= whole.end_ns
    for event in kernels(prof):
        assert any(p.start_ns <= event.start_ns and event.end_ns <= p.end_ns for p in programs)


def test_kernels_run_where_values_are_looked_at() -> None:
    x = nb.ones(100)
    with profile() as prof:
        with record_function("recording"):
            y = x.exp()
        with record_function("looking"):
            y.tolist()
    by_name = {event.name: event for event in prof.events()}
    [exp] = kernels(prof)
    assert exp.start_ns > by_name["recording"].end_ns
    assert by_name["looking"].start_ns < exp.start_ns < by_name["looking"].end_ns
    assert by_name["looking"].inside_ns >= exp.total_ns and by_name["recording"].inside_ns == 0


def test_what_is_recorded_before_and_after_is_not_in_it() -> None:
    x = nb.ones(10)
    before = x.exp()
    with profile() as prof:
        inside = x.sin()
    after = x.cos()
    assert {name for event in kernels(prof) for name in event.operators} == {"sin"}
    assert before.tolist() and inside.tolist() and after.tolist()


def test_steps_are_ranges_and_run_what_was_recorded() -> None:
    x = nb.ones(10)
    with profile() as prof:
        for _ in range(3):
            prof.step()
            y = x.exp()
    names = [event.name for event in prof.events() if event.kind == "range"]
    assert names == ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"]
    assert len(kernels(prof)) == 3 and y.tolist() and prof.step_num == 3


def test_compiled_functions_are_seen() -> None:
    w = nb.ones(50, requires_grad=True)

    @nb.compile
    def step(x: nb.Tensor) -> nb.Tensor:
        (x * w).exp().sum().backward()
        return w.grad.sum()

    for _ in range(5):
        step(nb.ones(50))
    with profile() as prof:
        for _ in range(4):
            step(nb.ones(50)).item()
    assert "exp" in {name for event in kernels(prof) for name in event.operators}


@pytest.mark.parametrize("threads", [1, 2])
def test_shared_work_and_waves(threads: int) -> None:
    before = nb.get_num_threads()
    nb.set_num_threads(threads)
    try:
        x = nb.rand(512, 512)
        expected = [(x @ x).tanh().sum().item(), (x.T @ x).exp().sum().item()]
        with override(compile="eager"), profile() as prof:
            a, b = (x @ x).tanh().sum(), (x.T @ x).exp().sum()
            assert [a.item(), b.item()] == expected
    finally:
        nb.set_num_threads(before)
    assert [event for event in kernels(prof) if "matmul" in event.operators]


def test_an_error_of_a_kernel_is_what_it_is_without() -> None:
    x = nb.tensor([1, 2, 3])
    zero = nb.tensor([1, 0, 1])
    with profile() as prof, pytest.raises(RuntimeError, match="ZeroDivisionError"):
        (x // zero).tolist()
    with profile() as prof:
        assert (x // nb.tensor([1, 1, 1])).tolist() == [1, 2, 3]
    assert kernels(prof)


def test_interpreted_programs_are_shown_as_a_whole() -> None:
    with override(interpret=True), profile() as prof:
        nb.ones(3).exp().tolist()
    assert not kernels(prof)
    assert [event.name for event in prof.events() if event.kind == "program"] == ["[interpreted program, as a whole]"]


def test_averages_by_kernel_and_by_line() -> None:
    x = nb.ones(10)
    with override(compile="eager"), profile() as prof:
        for _ in range(3):
            x.exp().tolist()
    rows = prof.key_averages()
    [exp] = [row for row in rows if row.kind == "kernel"]
    assert exp.count == 3 and exp.cpu_time == pytest.approx(exp.cpu_time_total / 3)
    assert exp.cpu_time_total == pytest.approx(sum(event.total_ns for event in kernels(prof)) / 1e3)
    [line] = [row for row in prof.key_averages(group_by_stack_n=1) if row.kind == "kernel"]
    assert line.key.startswith("test_profiler.py:") and line.count == 3


def test_the_table_is_sorted_and_cut() -> None:
    with profile() as prof:
        losses(2)
    rows = prof.key_averages()
    text = rows.table(sort_by="count", row_limit=2)
    assert len(text.splitlines()) == 3 + 2 + 2 and "Self CPU time total" in text
    for sort_by in ("cpu_time_total", "self_cpu_time_total", "cpu_time", "count"):
        first = rows.table(sort_by=sort_by, max_name_column_width=200).splitlines()[3]
        assert first.startswith(max(rows, key=lambda row: getattr(row, sort_by)).key)
    with pytest.raises(ValueError, match="sort_by must be one of cpu_time_total"):
        rows.table(sort_by="cuda_time_total")
    with pytest.raises(ValueError, match="group_by_input_shape"):
        prof.key_averages(group_by_input_shape=True)
    assert "Self CPU time total" in EventAverages().table()


def test_the_chrome_trace_has_all_events(tmp_path: Path) -> None:
    with profile() as prof, record_function("all of it"):
        losses(2)
    prof.export_chrome_trace(tmp_path / "trace.json")
    found = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len(found) == len(prof.events())
    assert all(event["ph"] == "X" and event["dur"] >= 0 and event["ts"] >= 0 for event in found)
    assert {"kernel", "program", "range", "python"} == {event["cat"] for event in found}
    assert any("tanh" in event["args"]["operators"] for event in found)


def test_record_function_decorates_and_costs_nothing_outside() -> None:
    @record_function("work")
    def work(n: int) -> int:
        return n if n == 0 else work(n - 1)

    assert work(2) == 0
    with profile() as prof:
        work(2)
    assert [event.name for event in prof.events() if event.kind == "range"] == ["work"] * 3


def test_on_trace_ready_and_activities() -> None:
    seen: list[profile] = []
    with profile(activities=[ProfilerActivity.CPU], on_trace_ready=seen.append) as prof:
        nb.ones(3).exp().tolist()
    assert seen == [prof]
    with pytest.raises(TypeError, match="activities"):
        profile(activities=["cpu"])  # type: ignore[list-item]


def test_one_profile_at_a_time() -> None:
    with profile(), pytest.raises(RuntimeError, match="another profile runs already"), profile():
        pass
    with pytest.raises(RuntimeError, match="it does not run"):
        profile().stop()
    with pytest.raises(ZeroDivisionError), profile():
        raise ZeroDivisionError
    with profile() as prof:
        nb.ones(3).exp().tolist()
    assert kernels(prof)


def test_threads_that_run_one_program_leave_no_clock_behind() -> None:
    def work() -> None:
        for _ in range(200):
            (nb.ones(7) * 3).exp().tolist()

    work()
    with profile() as prof:
        in_threads(lambda _: work(), range(3))
    seen = len(prof.events())
    assert seen > 600
    work()
    assert len(prof.events()) == seen


def test_a_schedule_says_which_steps_are_recorded() -> None:
    seen: list[list[str]] = []

    def ready(prof: profile) -> None:
        seen.append([event.name for event in prof.events() if event.kind == "range"])
        assert kernels(prof)

    plan = schedule(skip_first=1, wait=1, warmup=1, active=2, repeat=2)
    with profile(schedule=plan, on_trace_ready=ready) as prof:
        losses(12, prof)
    assert seen == [["ProfilerStep#3", "ProfilerStep#4"], ["ProfilerStep#7", "ProfilerStep#8"]]
    with profile(schedule=schedule(wait=0, warmup=0, active=2), on_trace_ready=ready) as prof:
        losses(3, prof)
    assert seen[2:] == [["ProfilerStep#0", "ProfilerStep#1"], ["ProfilerStep#2", "ProfilerStep#3"]]
    with profile(schedule=schedule(wait=5, warmup=0, active=1), on_trace_ready=ready):
        losses(2)
    assert len(seen) == 4


def test_a_schedule_is_asked_once_a_step() -> None:
    asked: list[int] = []

    def plan(step: int) -> ProfilerAction:
        asked.append(step)
        return (ProfilerAction.NONE, ProfilerAction.RECORD_AND_SAVE)[len(asked) % 2]

    with profile(schedule=plan) as prof:
        for _ in range(3):
            nb.ones(3).add(1).tolist()
            prof.step()
    assert asked == [0, 1, 2, 3]


def test_schedules_are_pytorchs() -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    for given in (
        {"wait": 1, "warmup": 1, "active": 2, "repeat": 2, "skip_first": 1},
        {"wait": 3, "warmup": 1, "active": 1, "skip_first": 2, "skip_first_wait": 1},
    ):
        ours, theirs = schedule(**given), torch.profiler.schedule(**given)
        assert [ours(k).name for k in range(15)] == [theirs(k).name for k in range(15)]
    with pytest.raises(ValueError, match="active must be positive"):
        schedule(wait=0, warmup=0, active=0)

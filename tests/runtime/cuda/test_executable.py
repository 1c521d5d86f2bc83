"""Tapes on a device: the CPU's bits, one copy and the launches a run, errors at the user's line."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from nbgrad.errors import OutOfMemoryError, RunError, TensorIndexError
from nbgrad.graph.dtypes import float32, int32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Spec
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node
from nbgrad.runtime.cuda.devices import gpu, here
from tests.passes.build import number, reduced, start, value
from tests.passes.runs import fused, run_plan, same_bits
from tests.runtime.cuda.devices import Array, Program, on_device, simulated
from tests.threads import in_threads


def layers() -> list[Node]:
    """Three instructions: two products and what is between them, with a run-time number."""
    x, w, v = value(40, 30), value(30, 50, at=1), value(50, 7, at=2)
    hidden = apply("tanh", apply("matmul", x, w) * cast_to(apply("expand", number(), params=((40, 50),)), float32))
    return [apply("matmul", hidden, v), reduced("sum", hidden, 0, 1)]


def arrays(*shapes: tuple[int, ...]) -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape).astype("f") for shape in shapes]


LAYERS = (40, 30), (30, 50), (50, 7)


@pytest.mark.parametrize("lazy", [False, True])
def test_every_run_has_the_bits_of_the_cpu(lazy: bool) -> None:
    with simulated(lazy=lazy):
        program, plan = Program(layers()), fused(layers())
        for run in range(5):
            inputs = [a + np.float32(run) for a in arrays(*LAYERS)]
            got = program(*[on_device(a) for a in inputs], scalars=[0.5 * run])
            assert same_bits(got, run_plan(plan, inputs, [0.5 * run]))


def test_a_run_that_repeats_is_one_copy_and_its_launches() -> None:
    with simulated() as driver:
        program = Program(layers())
        inputs = [on_device(a) for a in arrays(*LAYERS)]
        program.executable.run(inputs, [1.0])
        launches = driver.calls["launch"]
        assert launches >= 3
        before = driver.calls.copy()
        for k in range(10):
            program.executable.run(inputs, [float(k)])
        assert driver.calls - before == {"copy_in": 10, "launch": 10 * launches}


def test_slices_with_run_time_starts_go_where_they_lead() -> None:
    roots = [apply("slice", value(8), start(), params=(0, 3, 1)) * 2.0]
    with simulated():
        program = Program(roots)
        x = on_device(np.arange(8, dtype="f"))
        for begin in (0, 5, 2):
            (got,) = program(x, scalars=[begin])
            assert got.tolist() == [2.0 * (begin + i) for i in range(3)]
        with pytest.raises(TensorIndexError, match="expected 0 to 5"):
            program(x, scalars=[6])


def test_a_tape_without_work_gives_its_results() -> None:
    with simulated():
        (got,) = Program([value(0) * 2.0])(on_device(np.zeros(0, "f")))
        assert got.shape == (0,)


def at_line(op: str, *inputs: Node) -> Node:
    return apply(op, *inputs, site="train.py:7")


def test_failing_instructions_name_the_operation_and_the_line() -> None:
    x = input_node(0, Spec.of((3,), int32))
    index = input_node(1, Spec.of((2,), int64))
    with simulated(lazy=True):
        division = Program([at_line("floor_divide", const(1, int32), x + 1) * 2])
        look = Program([at_line("take", value(5), index)])
        for _ in range(3):
            with pytest.raises(RunError, match=r"(?s)floor_divide.*ZeroDivisionError.*train\.py:7"):
                division(on_device(np.array([0, -1, 2], np.int32)))
            assert division(on_device(np.array([0, 1, -3], np.int32)))[0].tolist() == [2, 0, -2]
            with pytest.raises(TensorIndexError, match=r"(?s)take: index out of range.*train\.py:7"):
                look(on_device(np.zeros(5, "f")), on_device(np.array([0, 5])))


def test_each_stream_sees_what_others_made() -> None:
    with simulated(lazy=True):
        program, plan = Program(layers()), fused(layers())
        x, w, v = arrays(*LAYERS)
        device = [on_device(a) for a in (x, w, v)]
        expected = run_plan(plan, [x, w, v], [1.0])
        for _ in range(2):
            for stream in (0, gpu(0).new_stream(), gpu(0).new_stream()):
                here.streams[0] = stream
                for _ in range(4):
                    assert same_bits(program(*device, scalars=[1.0]), expected)


def test_temporaries_of_a_run_may_be_the_results_of_the_next_one() -> None:
    """Nobody waits between the runs: the order of the stream is enough, also with memory that went round."""
    with simulated(lazy=True):
        program, plan = Program(layers()), fused(layers())
        x, w, v = arrays(*LAYERS)
        kept = []
        for k in range(20):
            kept.append(program.executable.run([on_device(a * k) for a in (x, w, v)], [1.0 / (k + 1)]))
            if k % 3:
                kept[-2] = []
        got = program(on_device(x), on_device(w), on_device(v), scalars=[2.0])
        assert same_bits(got, run_plan(plan, [x, w, v], [2.0]))


def test_errors_of_the_driver_and_of_memory_leave_the_program_usable() -> None:
    with simulated(memory=8 << 20) as driver:
        program, plan = Program(layers()), fused(layers())
        inputs = arrays(*LAYERS)
        device = [on_device(a) for a in inputs]
        for call in ("launch", "copy_in"):
            driver.fail(call, "CUDA_ERROR_LAUNCH_FAILED")
            with pytest.raises(RunError, match="CUDA error: CUDA_ERROR_LAUNCH_FAILED"):
                program(*device, scalars=[1.0])
        large = Program([value(1 << 20) * 2.0])
        x = on_device(np.zeros(1 << 20, "f"))
        with pytest.raises(OutOfMemoryError, match=r"Tried to allocate 4\.00 MiB"):
            large(x)
        assert same_bits(program(*device, scalars=[1.0]), run_plan(plan, inputs, [1.0]))


def test_programs_give_their_memory_back() -> None:
    with simulated():
        x = [on_device(a) for a in arrays(*LAYERS)]
        before = gpu(0).pool.allocated
        for _ in range(3):
            program = Program(layers())
            for _ in range(3):
                program(*x, scalars=[1.0])
            del program
            gc.collect()
        assert gpu(0).pool.allocated == before


def test_several_threads_run_one_program() -> None:
    with simulated(lazy=True):
        program, plan = Program(layers()), fused(layers())
        inputs = arrays(*LAYERS)
        wrong: list[float] = []

        def work(factor: float) -> None:
            device = [on_device(a) for a in inputs]
            expected = run_plan(plan, inputs, [factor])
            for _ in range(20):
                if not same_bits(program(*device, scalars=[factor]), expected):
                    wrong.append(factor)

        in_threads(work, [float(k) for k in range(3)])
        assert not wrong

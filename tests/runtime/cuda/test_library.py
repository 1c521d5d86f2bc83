"""A library's products in a device's programs: the numbers, the same bits in every tier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import nbgrad as nb
from nbgrad.config import override
from nbgrad.errors import RunError
from nbgrad.graph.dtypes import float64
from nbgrad.graph.node import Node, apply
from nbgrad.log import fallbacks
from nbgrad.ops import library_product
from nbgrad.ops.library import transposed
from nbgrad.ops.view import expand_to
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import NO_DONATIONS, one_by_one
from nbgrad.passes.library_products import to_library
from nbgrad.passes.run import grouped, optimise
from nbgrad.runtime.cuda import cublas
from nbgrad.runtime.cuda.copies import to_host
from nbgrad.runtime.cuda.devices import gpu, here, use_driver
from nbgrad.runtime.cuda.library import Product
from nbgrad.runtime.cuda.precision import matmul_precision
from nbgrad.runtime.cuda.simulated import SimulatedDriver
from nbgrad.runtime.cuda.simulated_library import WORKSPACE
from nbgrad.tape.lower import lower
from tests.cuda.test_random_graphs import EXAMPLES
from tests.passes.build import permuted, reduced, value
from tests.passes.graphs import Case, cases
from tests.passes.runs import assert_close, fused, run_plan, same_bits, unfused
from tests.runtime.cuda.devices import Array, Program, on_device, simulated


@contextmanager
def everything_taken() -> Iterator[None]:
    """Products of all sizes are a library's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library_product, "LEAST_FLOPS", 1)
        yield


def programs(roots: Sequence[Node]) -> list[Program]:
    """On a device with a library: unfused, fused."""
    canonical = to_library(canonicalize(roots), lambda: True)
    graph = optimise(canonical)
    plain = lower(canonical, one_by_one(canonical), padded=True, gpu=True)
    whole = lower(graph, grouped(graph, NO_DONATIONS, gpu=True), padded=False, gpu=True)
    return [Program(roots, tape=tape) for tape in (plain, whole)]


def arrays(*shapes: tuple[int, ...], dtype: str = "f") -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def network() -> list[Node]:
    """Two products with more than one launch between them, two beside each other, and what follows."""
    x, w, v = value(40, 32), value(32, 48, at=1), value(48, 8, at=2)
    hidden = apply("tanh", apply("matmul", x, w))
    row = apply("exp", reduced("sum", hidden, 0))
    y, z = apply("matmul", hidden, v), apply("matmul", transposed(x), hidden)
    return [y, reduced("sum", z, 1), row]


SHAPES = (40, 32), (32, 48), (48, 8)


@pytest.mark.parametrize("lazy", [False, True])
def test_programs_have_the_numbers_and_one_tier_the_others_bits(lazy: bool) -> None:
    with everything_taken(), simulated(lazy=lazy) as driver:
        inputs = arrays(*SHAPES)
        expected = run_plan(unfused(network()), inputs)
        device = [on_device(a) for a in inputs]
        plain, whole = programs(network())
        first = plain(*device)
        assert_close(first, expected)
        for _ in range(4):
            assert same_bits(plain(*device), first) and same_bits(whole(*device), first)
        assert driver.calls["multiply"] == 3 * 9


@settings(max_examples=max(5, EXAMPLES // 50))  # each has kernels of its own to compile, for both tiers
@given(cases())
def test_random_graphs_give_one_tiers_bits_in_the_other(case: Case) -> None:
    with everything_taken(), simulated(lazy=True):
        device = [on_device(a) for a in case.inputs]
        plain, whole = programs(case.roots)
        first = plain(*device, scalars=case.scalars)
        assert same_bits(whole(*device, scalars=case.scalars), first)
        assert same_bits(whole(*device, scalars=case.scalars), first)


def test_batches_that_no_step_tells_are_several_calls() -> None:
    shapes = (3, 8, 5, 16), (3, 8, 5, 16)
    heads = permuted(value(*shapes[0]), 0, 2, 1, 3)
    keys = permuted(value(*shapes[1], at=1), 0, 2, 3, 1)
    inputs = arrays(*shapes)
    a, b = [x.transpose(0, 2, 1, 3) for x in inputs]
    with everything_taken(), simulated() as driver:
        for program in programs([apply("matmul", heads, keys)]):
            driver.calls.clear()
            (got,) = program(*[on_device(x) for x in inputs])
            np.testing.assert_allclose(got, a @ b.swapaxes(2, 3), rtol=1e-4, atol=1e-5)
            assert driver.calls["multiply"] == 3, "5 heads at a time"


def test_doubles_and_repeated_factors() -> None:
    x, w = value(6, 4, 8, dtype=float64), value(8, 3, at=1, dtype=float64)
    inputs = arrays((6, 4, 8), (8, 3), dtype="d")
    with everything_taken(), simulated() as driver:
        for program in programs([apply("matmul", x, expand_to(w, (6, 8, 3)))]):
            (got,) = program(*[on_device(a) for a in inputs])
            np.testing.assert_allclose(got, inputs[0] @ inputs[1])
        assert driver.calls["multiply"] == 2


def test_a_run_that_repeats_is_one_copy_its_launches_and_a_librarys_calls() -> None:
    with everything_taken(), simulated() as driver:
        inputs = [on_device(a) for a in arrays(*SHAPES)]
        for program in programs(network()):
            program.executable.run(inputs, [])
            before = driver.calls.copy()
            program.executable.run(inputs, [])
            once = driver.calls - before
            assert once["copy_in"] == 1 and once["multiply"] == 3 and once.keys() <= {"copy_in", "launch", "multiply"}
            for _ in range(9):
                program.executable.run(inputs, [])
            assert driver.calls - before == {what: 10 * n for what, n in once.items()}


def test_empty_cache_takes_workspaces_too() -> None:
    with everything_taken(), simulated(lazy=True):
        (_, program) = programs([apply("tanh", apply("matmul", value(16, 600), value(600, 16, at=1)))])
        a, b = arrays((16, 600), (600, 16))
        device, pool = [on_device(a), on_device(b)], gpu(0).pool

        def check() -> None:
            (got,) = program(*device)
            np.testing.assert_allclose(got, np.tanh(a @ b), rtol=1e-3, atol=1e-3)

        check()
        kept = pool.allocated
        nb.cuda.empty_cache()
        assert kept - pool.allocated == WORKSPACE
        check()
        assert pool.allocated == kept


def test_each_run_may_have_its_memory_elsewhere() -> None:
    """A library is told addresses, which change from run to run."""
    with everything_taken(), simulated(lazy=True):
        roots = [apply("matmul", value(16, 600), value(600, 16, at=1))]  # it asks for a workspace
        for program in programs(roots):
            kept = []
            for k in range(6):
                a, b = [x + np.float32(k) for x in arrays((16, 600), (600, 16))]
                here.streams[0] = gpu(0).new_stream() if k % 2 else 0
                kept.append((program.executable.run([on_device(a), on_device(b)], []), a @ b))
            for (got,), expected in kept:
                np.testing.assert_allclose(to_host(got).array((16, 16), np.dtype("f")), expected, rtol=1e-3, atol=1e-3)


def test_memory_that_begins_anywhere_is_told_so() -> None:
    asked: list[Product] = []
    with everything_taken(), simulated() as driver:
        library: Any = gpu(0).library
        prepare = library.prepare
        library.prepare = lambda wanted: asked.append(wanted) or prepare(wanted)
        (program, _) = programs([apply("matmul", value(8, 8), value(8, 8, at=1))])
        a, b = arrays((8, 8), (8, 8))
        held = on_device(np.concatenate([np.zeros(1, "f"), a.reshape(-1)]))
        odd = type(held).wrap(gpu(0).pool, held.address + 4, 4 * 64, held)
        (got,) = program(odd, on_device(b))
        np.testing.assert_allclose(got, a @ b, rtol=1e-5)
        program(on_device(a), on_device(b))
        assert [(x.a.alignment, x.b.alignment) for x in asked] == [(4, 16), (16, 16)]
        assert driver.calls["prepare"] == 2


def test_what_a_library_refuses_is_an_error_and_the_program_usable() -> None:
    with everything_taken(), simulated() as driver:
        (program, _) = programs(network())
        device = [on_device(a) for a in arrays(*SHAPES)]
        for call in ("prepare", "multiply"):
            driver.fail(call, "CUBLAS_STATUS_EXECUTION_FAILED")
            with pytest.raises(RunError, match="CUBLAS_STATUS_EXECUTION_FAILED"):
                program(*device)
        assert_close(program(*device), run_plan(fused(network()), arrays(*SHAPES)))


def step(x: nb.Tensor, w: nb.Tensor, v: nb.Tensor) -> nb.Tensor:
    loss = (((x @ w).tanh() @ v) ** 2).mean()
    loss.backward()
    return loss


def results(mode: str, *arguments: Array) -> list[Array]:
    """Of a program as users write it: the loss and the gradients."""
    with override(compile=mode):
        found = []
        for _ in range(3):
            x, w, v = [nb.tensor(a, device="cuda", requires_grad=True) for a in arguments]
            loss = step(x, w, v)
            found = [t.detach().cpu().numpy().copy() for t in (loss, x.grad, w.grad, v.grad)]
        return found


LARGE = (256, 512), (512, 512), (512, 256)


def test_a_training_step_has_the_numbers_and_the_same_bits_fused() -> None:
    inputs = [a / np.float32(8) for a in arrays(*LARGE)]
    with simulated(lazy=True) as driver:
        plain = results("never", *inputs)
        assert driver.calls["multiply"] == 18, "two products forward, four backward"
        assert same_bits(results("eager", *inputs), plain)
    x, w, v = [nb.tensor(a, requires_grad=True) for a in inputs]
    loss = step(x, w, v)
    assert_close(plain, [t.detach().numpy() for t in (loss, x.grad, w.grad, v.grad)])


class WithoutLibrary(SimulatedDriver):
    """A device on which nothing but our own kernels multiplies matrices."""

    def library(self) -> None:
        return cublas._say_why("there is none")


def test_without_a_library_our_own_kernels_give_the_cpus_bits() -> None:
    inputs = arrays(*LARGE)
    roots = [apply("matmul", apply("matmul", value(*LARGE[0]), value(*LARGE[1], at=1)), value(*LARGE[2], at=2))]
    with simulated() as driver:
        use_driver(WithoutLibrary())
        got = [nb.tensor(a, device="cuda") for a in inputs]
        product = ((got[0] @ got[1]) @ got[2]).cpu().numpy()
        assert driver.calls["multiply"] == 0
    assert same_bits([product], run_plan(fused(roots), inputs))
    assert "matrix products run on our own kernels: there is none" in fallbacks()


def test_tf32_is_asked_when_a_program_runs() -> None:
    a, b = arrays((256, 512), (512, 256))
    with simulated(lazy=True):
        x, y = nb.tensor(a, device="cuda"), nb.tensor(b, device="cuda")
        exact = (x @ y).cpu().numpy()
        for _ in range(2):
            nb.backends.cuda.matmul.allow_tf32 = True
            try:
                rough = (x @ y).cpu().numpy()
                recorded = x @ y
            finally:
                nb.set_float32_matmul_precision("highest")
            assert same_bits([recorded.cpu().numpy()], [rough]), "it was recorded while TF32 was allowed"
            assert same_bits([(x @ y).cpu().numpy()], [exact])
        error = np.abs(rough - exact).max() / np.abs(exact).max()
        assert 1e-5 < error < 1e-2
        p, q = [nb.tensor(c.astype("d"), device="cuda") for c in (a, b)]
        double = (p @ q).cpu().numpy()
        matmul_precision.name = "high"
        try:
            assert same_bits([(p @ q).cpu().numpy()], [double])
        finally:
            matmul_precision.name = "highest"

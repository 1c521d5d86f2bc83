"""Run a graph in every way there is."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgrad.config import override
from nbgrad.graph.dtypes import float32, float64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, rewritten, toposort
from nbgrad.graph.spec import Spec
from nbgrad.kernels.compile import compile_njit
from nbgrad.kernels.engine import Engine, maker_of
from nbgrad.kernels.target import host
from nbgrad.log import fallbacks
from nbgrad.passes.group import NO_DONATIONS
from nbgrad.pipeline import Plan, make_plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.store import store
from nbgrad.tape.kernel import KernelText

Array = np.ndarray[Any, np.dtype[Any]]
Scalars = Sequence[float | int]


def run_plan(plan: Plan, inputs: Sequence[Array], scalars: Sequence[float | int] = ()) -> list[Array]:
    """The plan's results as arrays, in the memory of the inputs they are tied to where the plan allows it."""
    buffers = [Buffer.from_numpy(np.ascontiguousarray(a)) for a in inputs]
    spare = [buffers[plan.donations[place]] if place in plan.donations else None for place in range(len(plan.roots))]
    outs = plan.run(buffers, scalars, spare)
    return [b.array(r.spec.shape, r.spec.dtype.numpy) for b, r in zip(outs, plan.roots, strict=True)]


def unfused(roots: Sequence[Node], donations: Mapping[int, int] = NO_DONATIONS) -> Plan:
    with override(compile="never"):
        return make_plan(roots, donations=donations)


def fused(roots: Sequence[Node], passes: str = "", donations: Mapping[int, int] = NO_DONATIONS) -> Plan:
    with override(compile="eager", passes=passes):
        return make_plan(roots, donations=donations)


def drafted(roots: Sequence[Node]) -> Plan:
    """Fused, on drafts of its kernels: what runs where somebody waits for them."""
    plan = unfused(roots)
    tape = plan._fused()[2]
    drafts = store.drafts_of([i.text for i in tape.instructions])
    plan._executable = Executable(tape, store.addresses(drafts))
    return plan


def njitted(roots: Sequence[Node]) -> Plan:
    """Fused, on the kernels that the worker process makes: ``@njit`` functions."""
    plan = unfused(roots)
    tape = plan._fused()[2]
    plan._executable = Executable(tape, [_njit_address(i.text) for i in tape.instructions])
    return plan


_engine = functools.cache(Engine)


@functools.cache
def _njit_address(text: KernelText) -> int:
    code = compile_njit(text, host())
    assert maker_of(code).startswith("@njit"), fallbacks()
    _engine().load(code)
    return _engine().address(text.symbol)


def same_bits(a: Sequence[Array], b: Sequence[Array]) -> bool:
    """Whether all results are equal to the last bit; any NaN equals any other."""
    return all(x.dtype == y.dtype and x.shape == y.shape and _same(x, y) for x, y in zip(a, b, strict=True))


def _same(x: Array, y: Array) -> bool:
    if x.dtype.kind != "f":
        return bool(np.array_equal(x, y))
    both_nan = np.isnan(x) & np.isnan(y)
    return bool(np.all(both_nan | ((x == y) & (np.signbit(x) == np.signbit(y)))))


def assert_as_right(got: Sequence[Array], roots: Sequence[Node], inputs: Sequence[Array], scalars: Scalars) -> None:
    """``got`` is what NumPy computes, or at most eight times as far from its values in float64 as its own are.

    Differences of large sums keep few digits of a float32: how many is known by NumPy's own error only.
    """
    expected = interpret(roots, inputs, scalars)
    try:
        assert_close(got, expected)
    except AssertionError:
        exact = interpret(_widened(roots), [a.astype("d") if a.dtype == "f" else a for a in inputs], scalars)
        for mine, numpys, right in zip(got, expected, exact, strict=True):
            if mine.dtype != "f":
                assert_close([mine], [numpys])
            else:
                error = np.max(np.abs(numpys - right), initial=0.0)
                np.testing.assert_allclose(mine, right, rtol=3e-4, atol=8 * error)


def _widened(roots: Sequence[Node]) -> list[Node]:
    """The same computation in float64 where it is in float32."""

    def wide(node: Node, new: dict[Node, Node]) -> Node:
        params = [float64 if p is float32 else "float64" if p == "float32" else p for p in node.params]
        params = [Spec.of(p.shape, float64) if isinstance(p, Spec) and p.dtype is float32 else p for p in params]
        return apply(node.op, *[new[x] for x in node.inputs], params=tuple(params), site=node.site)

    return rewritten(roots, toposort(roots), wide)


def assert_close(got: Sequence[Array], expected: Sequence[Array]) -> None:
    """Equal integers; floats to a few hundred units in the last place of the largest element.

    Sums in another order differ by about n eps |x| for n elements; up to 20,000 of them are added here.
    """
    for a, b in zip(got, expected, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if a.dtype.kind != "f":
            np.testing.assert_array_equal(a, b)
        elif a.size:
            eps = 3e-4 if a.dtype == np.float32 else 1e-9
            finite = b[np.isfinite(b)]
            scale = max(1.0, float(np.max(np.abs(finite), initial=0.0)))
            np.testing.assert_allclose(a, b, rtol=eps, atol=eps * scale)

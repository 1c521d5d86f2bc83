"""Every sample of every public function, compiled: the interpreter's answer, the same bits in every tier and layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import nbgrad.calls  # noqa: F401  fills the table of calls
from nbgrad.config import override
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node
from nbgrad.transform.vjp import vjp
from tests.call_samples import CALL_SAMPLES
from tests.compiled import bits, run_plan
from tests.each import each
from tests.samples import Array, CallSample, build, input_node, strided_view, weights_like
from tests.torch_answers import REFUSED, constants


@dataclass
class Batch:
    """Many samples as one graph, so that they share kernels: values, and derivatives of floating results."""

    inputs: list[Array] = field(default_factory=list)
    scalars: list[float | int] = field(default_factory=list)
    roots: list[Node] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    eps: list[float] = field(default_factory=list)  # the rounding of the least precise input of each root

    def add(self, label: str, sample: CallSample, view: Any = None) -> None:
        built = build(sample, view, len(self.inputs), len(self.scalars))
        self.inputs += built.inputs
        self.scalars += built.scalars
        self._root(f"{label} value", built.root, built.inputs)
        if built.root.spec.dtype.is_floating_point:
            weight = input_node(len(self.inputs), built.root.spec)
            self.inputs.append(weights_like(built.root.spec))
            fixed = constants(sample) if sample.name in REFUSED else ()
            wrt = [x for i, x in enumerate(built.nodes) if x.spec.dtype.is_floating_point and i not in fixed]
            for i, grad in enumerate(vjp([built.root], [weight], wrt)):
                if grad is not None:
                    self._root(f"{label} derivative {i}", grad, built.inputs)

    def _root(self, label: str, root: Node, inputs: list[Array]) -> None:
        self.roots.append(root)
        self.labels.append(label)
        self.eps.append(max([float(np.finfo(x.dtype).eps) for x in inputs if x.dtype.kind == "f"], default=1.2e-7))

    def interpreted(self) -> list[Array]:
        return interpret(self.roots, self.inputs, self.scalars)

    def compiled(self) -> list[Array]:
        return run_plan(self.roots, self.inputs, self.scalars)


def batch(name: str, view: Any = None) -> Batch:
    made = Batch()
    for k, sample in enumerate(CALL_SAMPLES[name]):
        if sample.error is None:
            made.add(f"{name}-{k}", sample, view)
    return made


@pytest.mark.parametrize("name", CALL_SAMPLES)
def test_compiled_kernels_agree_with_the_interpreter(name: str) -> None:
    made = batch(name)
    for label, eps, got, want in zip(made.labels, made.eps, made.compiled(), made.interpreted(), strict=True):
        assert got.dtype == want.dtype
        rtol = atol = 0.0
        if want.dtype.kind == "f":
            # Some 30 roundings: our elementary functions, our order of sums, and cancellation below the largest value.
            rtol = 30 * max(eps, float(np.finfo(want.dtype).eps))
            finite = np.abs(want[np.isfinite(want)].astype(np.float64))
            atol = rtol * float(min(np.max(finite, initial=1.0), 1e6))
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=label)


@pytest.mark.parametrize("name", CALL_SAMPLES)
def test_other_strides_give_the_same_bits(name: str) -> None:
    plain, viewed = batch(name), batch(name, strided_view)
    for label, got, want in zip(plain.labels, viewed.compiled(), plain.compiled(), strict=True):
        assert bits(got) == bits(want), label


@pytest.mark.parametrize("name", CALL_SAMPLES)
def test_fused_kernels_give_the_same_bits(name: str) -> None:
    made = batch(name)
    with override(compile="never"):
        unfused = made.compiled()
    with override(compile="eager"):
        fused = made.compiled()
    for label, got, want in zip(made.labels, fused, unfused, strict=True):
        assert bits(got) == bits(want), label


FAILING = [
    pytest.param(sample, id=f"{name}-{k}")
    for name, samples in CALL_SAMPLES.items()
    for k, sample in enumerate(samples)
    if sample.error is not None
]


@each(FAILING)
def test_a_mistake_that_only_values_show_fails_the_plan_as_it_fails_the_interpreter(sample: CallSample) -> None:
    try:
        built = build(sample)
    except Exception:
        return  # refused before anything runs: test_calls.py looks at these
    with pytest.raises(Exception) as interpreted:  # noqa: PT011  the class is what is compared
        interpret([built.root], built.inputs, built.scalars)
    with pytest.raises(type(interpreted.value)):
        run_plan([built.root], built.inputs, built.scalars)

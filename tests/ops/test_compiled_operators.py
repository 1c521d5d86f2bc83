"""Every operator's samples, compiled; maps also over vectors long enough for main loop and tail."""

from itertools import product

import numpy as np
import pytest

from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, substitute, toposort
from nbgrad.graph.op import OPS, Kind
from nbgrad.ops.source import input_node
from tests.batches import Cases, choices, gradients_of, values_of
from tests.compiled import bits, run_plan
from tests.kernels.corpus import sample_graph
from tests.op_samples import OP_SAMPLES
from tests.samples import Array, OpSample

VALID = {name: [s for s in samples if s.error is None] for name, samples in OP_SAMPLES.items() if samples}
LENGTH = 1003  # whole vectors, unrolled and not, and a tail, at every width


def stretched(name: str, sample: OpSample) -> OpSample | None:
    """The sample of a map with its arrays repeated up to LENGTH elements."""
    if OPS[name].kind is not Kind.MAP or not any(x.size > 1 for x in sample.inputs):
        return None
    tables = 1 if name == "take" else 0
    long = [x if i < tables or not x.ndim else np.resize(x, LENGTH) for i, x in enumerate(sample.inputs)]
    return OpSample(tuple(long), sample.params, sample.smooth)


def agree(name: str, samples: list[OpSample]) -> None:
    roots, inputs = sample_graph(name, samples)
    for sample, got, want in zip(samples, run_plan(roots, inputs), interpret(roots, inputs), strict=True):
        # Our elementary functions are right to 1 ULP (2 in float64) and NumPy's to about as much; formulas add a few.
        eps = np.finfo(want.dtype).eps if want.dtype.kind == "f" else 0
        formula = OPS[name].kind in (Kind.COMPOSITE, Kind.REDUCE, Kind.LIBRARY)
        np.testing.assert_allclose(
            got, want, rtol=20 * eps if formula else 4 * eps, atol=20 * eps if formula else 0, err_msg=str(sample)
        )


@pytest.mark.parametrize("name", VALID)
def test_compiled_kernels_agree_with_the_reference(name: str) -> None:
    agree(name, VALID[name])


@pytest.mark.parametrize("name", [n for n in VALID if OPS[n].kind is Kind.MAP])
def test_long_vectors_agree_with_the_reference(name: str) -> None:
    agree(name, [long for s in VALID[name] if (long := stretched(name, s)) is not None])


@pytest.mark.parametrize("name", [n for n in VALID if OPS[n].kind is Kind.MAP])
def test_an_element_has_the_same_bits_wherever_it_stands_in_a_vector(name: str) -> None:
    samples = [long for s in VALID[name] if (long := stretched(name, s)) is not None and s.inputs[-1].size]
    roots, inputs = sample_graph(name, samples)
    for sample, whole in zip(samples, run_plan(roots, inputs), strict=True):
        rows = [x for x in sample.inputs if x.shape == (LENGTH,)]
        if not rows:
            continue
        moved = [np.roll(x, 5) if x.shape == (LENGTH,) else x for x in sample.inputs]
        other = OpSample(tuple(moved), sample.params)
        assert bits(run_plan(*sample_graph(name, [other]))[0]) == bits(np.roll(whole, 5)), name


def for_many_examples(cases: Cases, size: int, first: int) -> tuple[list[Node], list[Array]]:
    """Graphs for all examples, one for each choice of what is batched, and their inputs, at ``first`` and behind."""
    roots: list[Node] = []
    arrays: list[Array] = []
    for flags in choices(len(cases.nodes))[:8]:
        given = cases.given(flags, size)
        graph = cases.batched(flags, size)
        inputs = {x for x in toposort(graph) if x.op.name == "input"}
        moved = {x: input_node(first + len(arrays) + x.params[0], x.spec) for x in inputs}
        roots += substitute(graph, moved)
        arrays += given
    return roots, arrays


@pytest.mark.parametrize("name", [n for n in VALID if any(s.inputs for s in VALID[n])])
def test_compiled_kernels_agree_for_many_examples(name: str) -> None:
    roots: list[Node] = []
    arrays: list[Array] = []
    with np.errstate(all="ignore"):
        for sample, size in product([s for s in VALID[name] if s.inputs], (0, 3)):
            has_gradient = sample.smooth and OPS[name].vjp is not None
            for cases in [values_of(name, sample), *([gradients_of(name, sample)] if has_gradient else [])]:
                graphs, given = for_many_examples(cases, size, len(arrays))
                roots, arrays = roots + graphs, arrays + given
        wanted = interpret(roots, arrays)
    for got, want in zip(run_plan(roots, arrays), wanted, strict=True):
        eps = np.finfo(want.dtype).eps if want.dtype.kind == "f" else 0
        np.testing.assert_allclose(got, want, rtol=64 * eps, atol=64 * eps)

"""The batching rule of every operator: many examples at once are the examples one by one."""

from itertools import product

import numpy as np
import pytest

from nbgrad.errors import MissingRuleError
from nbgrad.graph.dtypes import float64, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply
from nbgrad.graph.op import OPS, Kind, Op
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import every
from nbgrad.ops.source import input_node, iota_node
from nbgrad.transform.batch import batch
from nbgrad.transform.vjp import vjp
from tests.op_samples import OP_SAMPLES
from tests.samples import OpSample

SIZE = 3
MOST = 8  # choices of what is batched, of one sample
VALID = [
    pytest.param(name, sample, id=f"{name}-{k}")
    for name, samples in OP_SAMPLES.items()
    for k, sample in enumerate(samples)
    if sample.error is None and sample.inputs
]
# Without a rule, and why.
WITHOUT_RULE: dict[str, str] = {}


def example(x: np.ndarray, k: int) -> np.ndarray:
    """Another input like ``x``, which an operator takes where it takes ``x``."""
    if x.dtype.kind == "f":
        return (x * x.dtype.type(1 - 0.25 * k)).astype(x.dtype)
    return np.flip(x) if k % 2 else x


def choices(count: int) -> list[tuple[bool, ...]]:
    found = [flags for flags in product([True, False], repeat=count) if any(flags)]
    return found[:MOST]


def compare(
    outputs: list[Node], nodes: list[Node], examples: list[list[np.ndarray]], batched: tuple[bool, ...]
) -> None:
    """``outputs`` of ``nodes`` for all examples at once, and for each."""
    size = len(examples)
    holes = {}
    given = []
    for k, (x, b) in enumerate(zip(nodes, batched, strict=True)):
        if b:
            given.append(np.stack([e[k] for e in examples]))
            holes[x] = input_node(k, Spec.of(given[-1].shape, x.spec.dtype))
        else:
            given.append(examples[0][k])
    found = batch(outputs, holes, size)
    together = interpret([every(found.get(y, y), y in found, size) for y in outputs], given)
    for e, own in enumerate(examples):
        arrays = [own[k] if b else given[k] for k, b in enumerate(batched)]
        for got, want in zip(together, interpret(outputs, arrays), strict=True):
            assert got.dtype == want.dtype
            assert got[e].shape == want.shape
            if want.dtype.kind == "f":
                np.testing.assert_allclose(got[e], want, rtol=1e-4 if want.dtype == np.float32 else 1e-9, atol=1e-6)
            else:
                np.testing.assert_array_equal(got[e], want)


def nodes_of(sample: OpSample) -> list[Node]:
    return list(sample.nodes())


@pytest.mark.parametrize(("name", "sample"), VALID)
def test_many_examples_are_the_examples_one_by_one(name: str, sample: OpSample) -> None:
    nodes = nodes_of(sample)
    y = apply(name, *nodes, params=sample.params)
    examples = [[example(np.asarray(x), k) for x in sample.inputs] for k in range(SIZE)]
    with np.errstate(all="ignore"):
        for batched in choices(len(nodes)):
            compare([y], nodes, examples, batched)


@pytest.mark.parametrize(
    ("name", "sample"), [p for p in VALID if p.values[1].smooth and OPS[p.values[0]].vjp is not None]
)
def test_a_gradient_of_each_example_is_the_gradient_of_that_example(name: str, sample: OpSample) -> None:
    nodes = nodes_of(sample)
    y = apply(name, *nodes, params=sample.params)
    g = input_node(len(nodes), y.spec)
    seed = np.cos(np.arange(y.spec.size, dtype=y.spec.dtype.numpy)).reshape(y.spec.shape)
    examples = [[*[example(np.asarray(x), k) for x in sample.inputs], example(seed, k)] for k in range(SIZE)]
    grads = [x for x in vjp([y], [g], nodes) if x is not None]
    with np.errstate(all="ignore"):
        for flags in choices(len(nodes)):
            compare(grads, [*nodes, g], examples, (*flags, True))
        compare(grads, [*nodes, g], examples, (*[False] * len(nodes), True))


def test_every_operator_has_a_rule_or_a_formula() -> None:
    missing = {
        name
        for name, op in OPS.items()
        if op.batch is None and op.decompose is None and op.kind not in (Kind.MAP, Kind.SOURCE)
    }
    assert missing == set(WITHOUT_RULE)


def test_an_operator_without_a_rule_says_so() -> None:
    odd = Op("odd", Kind.LIBRARY, lambda specs, params: specs[0], lambda x: x)
    x = input_node(0, Spec.of((2,), float64))
    with pytest.raises(MissingRuleError, match="odd has no batching rule"):
        batch([apply(odd, x)], {x: input_node(0, Spec.of((3, 2), float64))}, 3)


@pytest.mark.parametrize("is_batched", [True, False])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_each_example_may_have_a_slice_of_its_own(step: int, is_batched: bool) -> None:
    kinds = [((2, 7), float64), ((), int64), ((2, 2), float64)]
    x, start, w = (input_node(k, Spec.of(shape, dtype)) for k, (shape, dtype) in enumerate(kinds))
    params = (1, 2, step)
    first = np.arange(14.0).reshape(2, 7)
    examples = [[first + 100 * k, np.array(1 + k), np.full((2, 2), -1.0 - k)] for k in range(SIZE)]
    compare([apply("slice", x, start, params=params)], [x, start, w], examples, (is_batched, True, False))
    for flag in (True, False):
        put = apply("put_slice", x, w, start, params=params)
        compare([put], [x, start, w], examples, (is_batched, True, flag))


def test_two_dims_of_examples() -> None:
    x = input_node(0, Spec.of((4,), float64))
    y = apply("softmax", x * x, params=((0,),))
    rows, all_rows = input_node(0, Spec.of((3, 4), float64)), input_node(0, Spec.of((2, 3, 4), float64))
    inner = batch([y], {x: rows}, 3)[y]
    outer = batch([inner], {rows: all_rows}, 2)[inner]
    values = np.random.default_rng(0).normal(size=(2, 3, 4))
    (got,) = interpret([outer], [values])
    want = [[interpret([y], [values[i, j]])[0] for j in range(3)] for i in range(2)]
    np.testing.assert_allclose(got, want)


def test_what_does_not_depend_on_the_example_is_computed_once() -> None:
    x, w = input_node(0, Spec.of((2,), float64)), input_node(1, Spec.of((2,), float64))
    shared = apply("exp", w)
    y = x * shared
    found = batch([y, shared], {x: input_node(0, Spec.of((3, 2), float64))}, 3)
    assert shared not in found
    assert shared in found[y].inputs[1].inputs


def test_one_right_factor_makes_one_product() -> None:
    a, b = input_node(0, Spec.of((1, 4), float64)), input_node(1, Spec.of((4, 5), float64))
    y = apply("matmul", a, b)
    found = batch([y], {a: input_node(0, Spec.of((8, 1, 4), float64))}, 8)
    assert found[y].inputs[0].spec.shape == (8, 5)


def test_random_bits_differ_from_example_to_example() -> None:
    seed, stream = input_node(0, Spec.of((), int64)), input_node(1, Spec.of((), int64))
    bits = apply("philox", iota_node((50,), 0), seed, stream, params=(0,))
    found = batch([bits], {}, SIZE, random={bits})
    given = [np.array(1), np.array(2)]
    (got,) = interpret([found[bits]], given)
    assert len(np.unique(got)) == SIZE * 50
    np.testing.assert_array_equal(got[0], interpret([bits], given)[0])

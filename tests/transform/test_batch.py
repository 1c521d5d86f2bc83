"""The batching rule of every operator: many examples at once are the examples one by one."""

from itertools import product

import numpy as np
import pytest

from nbgrad.errors import MissingRuleError
from nbgrad.graph.dtypes import float64, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import apply
from nbgrad.graph.op import OPS, Kind, Op
from nbgrad.graph.spec import Spec
from nbgrad.ops.batching import every
from nbgrad.ops.native import Native
from nbgrad.ops.source import input_node, iota_node
from nbgrad.transform.batch import batch
from tests.batches import Cases, choices, gradients_of, values_of
from tests.each import each
from tests.op_samples import OP_SAMPLES
from tests.samples import Array, OpSample, floats, input_nodes

SIZES = (0, 1, 3)
VALID = [
    pytest.param(name, sample, id=f"{name}-{k}")
    for name, samples in OP_SAMPLES.items()
    for k, sample in enumerate(samples)
    if sample.error is None and sample.inputs
]


SMOOTH = [p for p in VALID if p.values[1].smooth and OPS[p.values[0]].vjp is not None]


@each(VALID)
def test_many_examples_are_the_examples_one_by_one(name: str, sample: OpSample) -> None:
    cases = values_of(name, sample)
    with np.errstate(all="ignore"):
        for flags, size in product(choices(len(cases.nodes)), SIZES):
            cases.check(flags, size)


@each(SMOOTH)
def test_a_gradient_of_each_example_is_the_gradient_of_that_example(name: str, sample: OpSample) -> None:
    cases = gradients_of(name, sample)
    with np.errstate(all="ignore"):
        for flags, size in product(choices(len(cases.nodes)), SIZES):
            cases.check(flags, size)


@each(VALID)
def test_two_dims_of_examples(name: str, sample: OpSample) -> None:
    cases = values_of(name, sample)
    ways = choices(len(cases.nodes))
    with np.errstate(all="ignore"):
        for inner, outer in product(ways[:7], ways[-7:]):
            cases.check_twice(inner, outer)


@each(SMOOTH)
def test_gradients_for_two_dims_of_examples(name: str, sample: OpSample) -> None:
    cases = gradients_of(name, sample)
    ways = choices(len(cases.nodes))
    with np.errstate(all="ignore"):
        for inner, outer in zip(ways, ways[::-1], strict=True):
            cases.check_twice(inner, outer)


def test_every_operator_has_a_rule_or_a_formula() -> None:
    """Maps need none, and sources depend on nothing."""
    for name, op in OPS.items():
        assert op.batch or op.decompose or op.kind in (Kind.MAP, Kind.SOURCE), name


def test_an_operator_without_a_rule_says_so() -> None:
    odd = Op("odd", Kind.LIBRARY, lambda specs, params: specs[0], lambda x: x)
    x = input_node(0, Spec.of((2,), float64))
    with pytest.raises(MissingRuleError, match="odd has no batching rule"):
        batch([apply(odd, x)], {x: input_node(0, Spec.of((3, 2), float64))}, 3)


@pytest.mark.parametrize("flags", [(True, True, False), (False, True, False), (True, True, True), (False, True, True)])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_each_example_may_have_a_slice_of_its_own(step: int, flags: tuple[bool, ...]) -> None:
    first, start, w = np.arange(14.0).reshape(2, 7), np.array(2), np.full((2, 2), -1.0)
    nodes = list(input_nodes([first, start, w]))
    x, at, part = nodes
    outputs = [apply("slice", x, at, params=(1, 2, step)), apply("put_slice", x, part, at, params=(1, 2, step))]
    cases = Cases(outputs, nodes, [first, start, w])
    for k, own in enumerate(cases.examples):
        own[1] = np.array(1 + k % 4)
    cases.check(flags, 3)


class Cubed(Native):
    """x ** 3, which reads and writes arrays of one example."""

    name = "cubed"
    backward = None

    def on_arrays(self, x: Array, y: Array) -> None:
        y[...] = x**3


def test_a_function_of_the_users_is_called_for_each_example() -> None:
    spec = Spec.of((2, 2), float64)
    x = input_node(0, spec)
    cases = Cases([apply("native", x, params=(Cubed(), (spec,)))], [x], [floats(2, 2)])
    for size in SIZES:
        cases.check((True,), size)
    cases.check_twice((True,), (True,))


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


def drawn(outer: bool, inner: bool) -> np.ndarray:
    """Random bits for 3 examples in each of 2 examples around them, each with its own or not."""
    seed, stream = input_node(0, Spec.of((), int64)), input_node(1, Spec.of((), int64))
    bits = apply("philox", iota_node((50,), 0), seed, stream, params=(0,))
    x = batch([bits], {}, 3, random={bits} if inner else ())
    row = every(x.get(bits, bits), bits in x, 3)
    y = batch([row], {}, 2, random={bits, x.get(bits, bits)} if outer else ())
    return interpret([every(y.get(row, row), row in y, 2)], [np.array(1), np.array(2)])[0]


@pytest.mark.parametrize(("outer", "inner"), [(True, True), (True, False), (False, True), (False, False)])
def test_random_bits_differ_from_example_to_example(outer: bool, inner: bool) -> None:
    got = drawn(outer, inner)
    assert len(np.unique(got)) == 50 * (2 if outer else 1) * (3 if inner else 1)
    np.testing.assert_array_equal(got[0, 0], drawn(False, False)[0, 0])

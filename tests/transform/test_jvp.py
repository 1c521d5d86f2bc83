"""Forward mode of every operator: against its cotangents, against differences, and through second derivatives."""

from collections.abc import Sequence

import numpy as np
import pytest

import nbgrad.transform.jvp as forward
from nbgrad.graph.dtypes import float64, int64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.op import OPS, Kind
from nbgrad.graph.spec import Spec
from nbgrad.ops.least_squares import DRIVERS
from nbgrad.ops.source import input_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import optimise
from nbgrad.transform.jvp import jvp, push_forward, transpose
from nbgrad.transform.vjp import vjp
from tests.differences import STEP, close
from tests.each import each
from tests.op_samples import OP_SAMPLES
from tests.samples import Array, OpSample, double, floats, input_nodes

# Their derivative is that of another node's history, or there is none.
HISTORY = {"rebase_history", "detach"}
# Why an operator with a floating result has neither a rule nor a ``vjp`` to transpose.
WITHOUT_TANGENTS = {
    **{f"{name}_input": "PyTorch has no derivative by it" for name in ("igamma", "igammac", "zeta")},
    "input": "a source: its tangent is given",
    "scalar": "a source: a number of the program",
    "const": "a source: a number of the program",
    "example": "a source: stands for an input of a function transform",
    "boundary": "a source: stands for a result of a custom function, whose backward is Python",
    "guard": "made by a pass, of graphs that have been differentiated",
    "lu_diagonal": "signs and logarithms come from it; det and logabsdet, which read it, have rules",
    **{f"lstsq_{d}": "solutions come from it; lstsq, which reads it, has a rule" for d in DRIVERS},
    "qr_complete": "more columns than the derivative determines: PyTorch has none either",
}
VALID = [
    pytest.param(name, sample, id=f"{name}-{k}")
    for name, samples in OP_SAMPLES.items()
    for k, sample in enumerate(samples)
    if sample.error is None and OPS[name].vjp is not None and name not in HISTORY
]
SMOOTH = [case for case in VALID if case.values[1].smooth]
OWN = [case for case in SMOOTH if OPS[case.values[0]].jvp is not None]
MAPS = [case for case in VALID if OPS[case.values[0]].kind is Kind.MAP and case.values[0] != "take"]


class Moved:
    """``y`` of a sample in float64, the tangents of its inputs, a cotangent ``u``, and what was made of them."""

    def __init__(self, name: str, sample: OpSample) -> None:
        self.values: list[Array] = [double(np.asarray(x)) for x in sample.inputs]
        self.nodes = input_nodes(self.values)
        self.tangents = {
            x: self.add(floats(*x.spec.shape, low=-1.0, high=1.0, seed=k + 5))
            for k, x in enumerate(self.nodes)
            if x.spec.dtype is float64
        }
        self.y = apply(name, *self.nodes, params=sample.params)
        self.u = self.add(floats(*self.y.spec.shape, low=0.5, high=1.5, seed=9))
        self.given = [self.tangents.get(x) for x in self.nodes]
        (self.moved,) = jvp([self.y], self.tangents)
        self.pulled = vjp([self.y], [self.u], list(self.tangents))

    def add(self, value: Array) -> Node:
        self.values.append(value)
        return input_node(len(self.values) - 1, Spec.of(value.shape, float64))

    def value(self, node: Node | None, like: Node) -> Array:
        """Of ``node``, zeros where there is none: a step is flat, whatever the tangents."""
        if node is None:
            return np.zeros(like.spec.shape)
        assert node.spec == like.spec
        with np.errstate(all="ignore"):
            return np.asarray(interpret([node], self.values)[0])

    def dot(self, grads: Sequence[Node | None]) -> float:
        """The product of gradients by all floating inputs with their tangents."""
        pairs = zip(grads, self.tangents.items(), strict=True)
        return sum(float(np.sum(self.value(g, x) * self.value(t, x))) for g, (x, t) in pairs)


def test_every_operator_with_a_floating_result_has_a_forward_mode_or_a_reason() -> None:
    missing = {n for n, op in OPS.items() if op.jvp is None and op.vjp is None and has_floating_result(n)}
    assert missing == set(WITHOUT_TANGENTS)


def has_floating_result(name: str) -> bool:
    samples = [s for s in OP_SAMPLES.get(name, ()) if s.error is None]
    specs = [apply(name, *s.nodes(), params=s.params).spec for s in samples]
    integer = name == "iota"  # of int64 always; it has no inputs, so it may have no sample
    return not integer and (not specs or any(s.dtype.is_floating_point for s in specs))


@each(SMOOTH)
def test_tangents_are_the_transpose_of_cotangents(name: str, sample: OpSample) -> None:
    m = Moved(name, sample)
    got = np.sum(m.value(m.moved, m.y) * m.value(m.u, m.y))
    np.testing.assert_allclose(got, m.dot(m.pulled), rtol=1e-8, atol=1e-10)


@each(SMOOTH)
def test_tangents_are_differences(name: str, sample: OpSample) -> None:
    m = Moved(name, sample)

    def at(k: int) -> Array:
        ways = [0.0 if t is None else m.value(t, x) for t, x in zip(m.given, m.nodes, strict=True)]
        places = [x if t is None else x + k * STEP * w for x, t, w in zip(m.values, m.given, ways, strict=False)]
        return np.asarray(interpret([m.y], places)[0])

    slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * STEP)
    close(m.value(m.moved, m.y), slope, name)


@each(SMOOTH)
def test_second_derivatives_are_the_same_in_every_order(name: str, sample: OpSample) -> None:
    """The Hessian of <u, y> times the tangents, three ways; and times them on both sides, by forward over forward."""
    m = Moved(name, sample)
    nodes = list(m.tangents)
    grads = {x: g for x, g in zip(nodes, m.pulled, strict=True) if g is not None}
    by_rows = dict(zip(grads, jvp(list(grads.values()), m.tangents), strict=True))
    double_reverse = vjp(list(grads.values()), [m.tangents[x] for x in grads], nodes)
    reverse_over_forward = [None] * len(nodes) if m.moved is None else vjp([m.moved], [m.u], nodes)
    for x, again, over in zip(nodes, double_reverse, reverse_over_forward, strict=True):
        want = m.value(again, x)
        np.testing.assert_allclose(m.value(by_rows.get(x), x), want, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(m.value(over, x), want, rtol=1e-6, atol=1e-8)
    twice = None if m.moved is None else jvp([m.moved], m.tangents)[0]
    got = np.sum(m.value(twice, m.y) * m.value(m.u, m.y))
    np.testing.assert_allclose(got, m.dot(double_reverse), rtol=1e-6, atol=1e-8)


@each(OWN)
def test_an_own_rule_is_the_transpose_of_the_cotangent_rule(name: str, sample: OpSample) -> None:
    """It is only shorter: of nothing and for each input by itself, too."""
    m = Moved(name, sample)
    masks = [m.given] + [[t if k == j else None for k, t in enumerate(m.given)] for j in range(len(m.given))]
    for given in masks:
        own, general = push_forward(m.y, given), transpose(m.y, given)
        # Numbers of order 1 that cancel keep the roundings of what they were made of.
        np.testing.assert_allclose(m.value(own, m.y), m.value(general, m.y), rtol=1e-12, atol=1e-14)


@each(MAPS)
def test_a_map_carries_the_same_forward_that_it_carries_back(name: str, sample: OpSample) -> None:
    """Element by element both are products with one derivative: at corners and beside NaN and infinity, too."""
    m = Moved(name, sample)
    if not m.y.spec.dtype.is_floating_point:
        assert m.moved is None
        return
    one = m.add(np.ones(m.y.spec.shape))
    for x, back in zip(m.tangents, vjp([m.y], [one], list(m.tangents)), strict=True):
        if x.spec == m.y.spec:
            (moved,) = jvp([m.y], {x: one})
            np.testing.assert_array_equal(m.value(moved, m.y), m.value(back, x))


NAN, INF = float("nan"), float("inf")
CORNERS = {  # operator: inputs (each moves by 1), params, tangent; PyTorch's
    "pow": (([0.0, 0.0, 0.0, -2.0], [0.0, 1.0, 2.0, 0.0]), (), [0.0, 1.0, 0.0, NAN]),
    "logit": (([-0.5, 0.5, 1.5],), (), [NAN, 4.0, NAN]),
    "maximum": (([1.0, 2.0, NAN], [1.0, 3.0, 1.0]), (), [1.0, 1.0, 2.0]),
    "relu": (([0.0, -1.0, NAN],), (), [0.0, 0.0, 1.0]),
    "amax": (([1.0, 2.0, 2.0],), ((0,),), 1.0),
    "prod": (([0.0, 3.0, 2.0],), ((0,),), 6.0),
    "norm2": (([0.0, 0.0],), ((0,),), 0.0),
    "softmax": (([-INF, 1.0, 2.0],), ((0,),), [0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("name", CORNERS)
def test_tangents_at_corners(name: str) -> None:
    lists, params, want = CORNERS[name]
    arrays = [np.array(x) for x in lists]
    nodes = input_nodes(arrays)
    one = apply("expand", const(1.0, float64), params=(arrays[0].shape,))
    (moved,) = jvp([apply(name, *nodes, params=params)], dict.fromkeys(nodes, one))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(interpret([moved], arrays)[0], want, rtol=1e-15, atol=1e-15)


def test_a_place_that_is_written_twice_has_the_last_tangent() -> None:
    arrays = [np.zeros(3), np.array([2, 2]), np.zeros(2), np.array([5.0, 7.0])]
    x, index, w, t = input_nodes(arrays)
    (moved,) = jvp([apply("scatter_put", x, index, w)], {w: t})
    np.testing.assert_array_equal(interpret([moved], arrays)[0], [0.0, 0.0, 7.0])


@each(SMOOTH)
def test_inputs_without_a_tangent_count_as_zeros(name: str, sample: OpSample) -> None:
    m = Moved(name, sample)
    total = np.zeros(m.y.spec.shape)
    for x, t in m.tangents.items():
        total = total + m.value(jvp([m.y], {x: t})[0], m.y)
    np.testing.assert_allclose(total, m.value(m.moved, m.y), rtol=1e-8, atol=1e-10)


def value(*shape: int, at: int = 0) -> Node:
    return input_node(at, Spec.of(shape, float64))


def test_what_does_not_depend_on_an_input_has_no_tangent() -> None:
    x, w = value(2), value(2, at=1)
    y = apply("exp", w)
    assert jvp([y, x * y], {x: w})[0] is None


def test_integers_carry_no_tangent() -> None:
    x, t = value(2), value(2, at=1)
    whole = apply("cast", x, params=("int64",))
    assert whole.spec.dtype is int64
    assert jvp([whole, apply("cast", whole, params=("float64",)), apply("floor", x)], {x: t}) == [None, None, None]


def test_zeros_that_are_given_are_a_tangent() -> None:
    x = value(2)
    zeros = apply("expand", const(0, float64), params=((2,),))
    assert jvp([x + value(2, at=1)], {x: zeros}) == [zeros]


def test_a_number_beside_an_array_moves_all_of_it() -> None:
    x, s, t = value(2, 3), value(at=1), value(at=2)
    for y in (x + s, s - x):
        (moved,) = jvp([y], {s: t})
        assert moved is not None and moved.spec == y.spec


def test_stops_pass_nothing_on() -> None:
    x = value(2)
    stopped = apply("exp", x)
    (moved,) = jvp([stopped * x], {x: x}, stops={stopped})
    (got,) = interpret([moved], [np.array([1.0, 2.0])])
    np.testing.assert_allclose(got, np.exp([1.0, 2.0]) * [1.0, 2.0])


def test_what_stands_for_another_node_has_its_tangent() -> None:
    x, again, t = value(2), value(2, at=1), value(2, at=2)
    y = again * 3.0
    (moved,) = jvp([y], {x: t}, order=[x, *toposort([y])], same={again: x})
    (got,) = interpret([moved], [np.zeros(2), np.zeros(2), np.array([1.0, 2.0])])
    np.testing.assert_array_equal(got, [3.0, 6.0])


def test_a_stopped_value_has_no_tangent_and_a_grafted_one_has_its_historys() -> None:
    x, other, t = value(2), value(2, at=1), value(2, at=2)
    assert jvp([apply("detach", x * x)], {x: t}) == [None]
    grafted = apply("rebase_history", x * x, other)
    values = [np.array([1.0, 2.0]), np.array([7.0, 8.0]), np.array([3.0, 5.0])]
    (moved,) = jvp([grafted], {x: t})
    (got,) = interpret([moved], values)
    np.testing.assert_array_equal(got, 2 * values[0] * values[2])
    assert jvp([grafted], {other: t}) == [None]


def test_the_tangent_of_a_node_looks_at_nothing_behind_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else forward mode of a chain costs the square of its length."""
    walked: list[list[Node]] = []

    def counted(roots: list[Node], known: tuple[Node, ...]) -> list[Node]:
        walked.append(toposort(roots, known))
        return walked[-1]

    x, t = value(3), value(3, at=1)
    y = x
    for _ in range(50):
        y = apply("log_softmax", y, params=((0,),))  # has no rule of its own
    order = toposort([y])
    monkeypatch.setattr(forward, "toposort", counted)
    jvp([y], {x: t}, order=order)
    assert len(walked) == 50
    assert max(map(len, walked)) < 20


def computed(roots: Sequence[Node]) -> int:
    """How many nodes are left to compute after the passes: no views, no numbers."""
    return sum(n.op.kind not in (Kind.SOURCE, Kind.VIEW) for n in toposort(optimise(canonicalize(roots))))


X, T, SQUARE = value(4, 4), value(4, 4, at=1), value(4, 4, at=2)
LAST = ((1,),)


@pytest.mark.parametrize(
    ("y", "most"),
    [
        (apply("tanh", X), 3),  # t (1 - y^2)
        (X * SQUARE, 1),
        (X * X, 2),  # t x, twice one node, and their sum
        (apply("sum", X, params=LAST), 1),
        (apply("matmul", X, SQUARE), 1),
        (apply("matmul", X, X), 2),  # a product, and one that is added to it
        (apply("where", apply("gt", SQUARE, const(0.0, float64)), X, SQUARE), 1),
        (apply("softmax", X, params=LAST), 4),  # y (t - sum(t y))
        (apply("standardize", X, params=(*LAST, 1e-5)), 9),  # s (t - mean(t) - y mean(t y))
    ],
    ids=["tanh", "mul", "square", "sum", "matmul", "matmul_twice", "where", "softmax", "standardize"],
)
def test_the_tangents_of_plain_rules_are_what_one_would_write(y: Node, most: int) -> None:
    (moved,) = jvp([y], {X: T})
    assert moved is not None
    assert computed([y, moved]) - computed([y]) <= most

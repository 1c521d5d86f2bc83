"""Forward mode of every operator: its tangents are the transpose of its cotangents."""

import numpy as np
import pytest

from nbgrad.graph.dtypes import float64
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node, apply, const, toposort
from nbgrad.graph.op import OPS, Kind
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.transform.jvp import jvp
from nbgrad.transform.vjp import vjp
from tests.op_samples import OP_SAMPLES
from tests.samples import OpSample, double, floats, input_nodes

# Their derivative is that of another node's history, or there is none.
HISTORY = {"rebase_history", "detach"}
SMOOTH = [
    pytest.param(name, sample, id=f"{name}-{k}")
    for name, samples in OP_SAMPLES.items()
    for k, sample in enumerate(samples)
    if sample.error is None and sample.smooth and OPS[name].vjp is not None and name not in HISTORY
]


def with_tangents(sample: OpSample) -> tuple[list[np.ndarray], list[Node], dict[Node, Node]]:
    """The inputs in float64, then a tangent for each that is floating; nodes of the inputs; the tangents' nodes."""
    inputs = [double(np.asarray(x)) for x in sample.inputs]
    nodes = list(input_nodes(inputs))
    tangents = {}
    for x in nodes:
        if x.spec.dtype is float64:
            tangents[x] = input_node(len(inputs), x.spec)
            inputs.append(floats(*x.spec.shape, low=-1.0, high=1.0, seed=len(inputs)))
    return inputs, nodes, tangents


@pytest.mark.parametrize(("name", "sample"), SMOOTH)
def test_tangents_are_the_transpose_of_cotangents(name: str, sample: OpSample) -> None:
    inputs, nodes, tangents = with_tangents(sample)
    y = apply(name, *nodes, params=sample.params)
    u = input_node(len(inputs), y.spec)
    inputs.append(floats(*y.spec.shape, low=0.5, high=1.5, seed=9))
    (moved,) = jvp([y], tangents)
    if moved is None:  # a corner or a step: flat, whatever the tangents
        moved = apply("expand", const(0, float64), params=(y.spec.shape,))
    assert moved.spec == y.spec
    pulled = vjp([y], [u], list(tangents))
    (forward,) = interpret([moved], inputs)
    back = interpret([g for g in pulled if g is not None], inputs)
    ways = [inputs[t.params[0]] for g, t in zip(pulled, tangents.values(), strict=True) if g is not None]
    with np.errstate(all="ignore"):
        want = sum(float(np.sum(g * v)) for g, v in zip(back, ways, strict=True))
        np.testing.assert_allclose(float(np.sum(forward * inputs[-1])), want, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("name", "sample"), SMOOTH)
def test_forward_over_reverse_is_reverse_over_reverse(name: str, sample: OpSample) -> None:
    inputs, nodes, tangents = with_tangents(sample)
    y = apply(name, *nodes, params=sample.params)
    u = input_node(len(inputs), y.spec)
    inputs.append(floats(*y.spec.shape, low=0.5, high=1.5, seed=9))
    pulled_once = dict(zip(tangents, vjp([y], [u], list(tangents)), strict=True))
    grads = {x: g for x, g in pulled_once.items() if g is not None}
    ahead = dict(zip(grads, jvp(list(grads.values()), tangents), strict=True))
    again = vjp(list(grads.values()), [tangents[x] for x in grads], list(tangents))
    # The Hessian is symmetric: its product with a vector is the same by rows and by columns.
    for x, pulled in zip(tangents, again, strict=True):
        moved = ahead.get(x)
        if moved is None or pulled is None:
            zeros = [x for x in (moved, pulled) if x is not None]
            for x in interpret(zeros, inputs):
                np.testing.assert_array_equal(x, np.zeros_like(x))
            continue
        a, b = interpret([moved, pulled], inputs)
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", [n for n, op in OPS.items() if op.jvp is not None])
def test_an_own_rule_is_the_transpose_of_the_cotangent_rule(name: str) -> None:
    """A rule of its own says no more than the general one: it is only shorter."""
    for sample in [s for s in OP_SAMPLES[name] if s.smooth and s.error is None]:
        inputs, nodes, tangents = with_tangents(sample)
        y = apply(name, *nodes, params=sample.params)
        own = OPS[name].jvp(y, tuple(nodes), tuple(tangents.get(x) for x in nodes))
        g = input_node(99, y.spec)
        cotangents = OPS[name].vjp(g, y, tuple(nodes), sample.params)
        pulled = [(c, tangents[x]) for c, x in zip(cotangents, nodes, strict=True) if c is not None]
        (general,) = vjp([c for c, _ in pulled], [t for _, t in pulled], [g])
        a, b = interpret([own, general], inputs)
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_what_does_not_depend_on_an_input_has_no_tangent() -> None:
    x, w = (input_node(k, Spec.of((2,), float64)) for k in range(2))
    y = apply("exp", w)
    assert jvp([y, x * y], {x: w})[0] is None


def test_stops_pass_nothing_on() -> None:
    x = input_node(0, Spec.of((2,), float64))
    stopped = apply("exp", x)
    (moved,) = jvp([stopped * x], {x: x}, stops={stopped})
    (got,) = interpret([moved], [np.array([1.0, 2.0])])
    np.testing.assert_allclose(got, np.exp([1.0, 2.0]) * [1.0, 2.0])


def test_the_tangents_of_plain_rules_are_what_one_would_write() -> None:
    x, t = (input_node(k, Spec.of((3, 4), float64)) for k in range(2))
    for y, most in ((apply("tanh", x), 4), (x * x, 3), (apply("sum", x, params=((0, 1),)), 1)):
        (moved,) = jvp([y], {x: t})
        own = [n for n in toposort([moved]) if n.op.kind is not Kind.SOURCE and n not in toposort([y])]
        assert len(own) <= most, [n.op.name for n in own]

"""Every operator against its samples: spec, value, body, formula, derivatives of first and second order, errors."""

import numpy as np
import pytest

from nbgrad.errors import NbgradError
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import apply
from nbgrad.graph.op import OPS, Kind
from nbgrad.transform import vjp
from nbgrad.transform.vjp import reads_values
from tests.differences import Gradients
from tests.each import each
from tests.numpy_builder import NumpyBuilder
from tests.op_samples import OF_COMPLEX, OP_SAMPLES, WITHOUT_VALUE
from tests.samples import OpSample, double, input_nodes

# Their derivative is not that of their value, on purpose: it belongs to another node's history, or there is none.
HISTORY = {"rebase_history", "detach"}
# Their formula begins with factors of LAPACK's that have no rule, or writes one place several times. Differences say
# whether their own rule is right.
ONE_RULE = {"adjugate_vjp", "det", "logabsdet", "scatter_extreme"}


def cases(names: list[str] | None = None) -> list[pytest.param]:
    return [
        pytest.param(name, sample, id=f"{name}-{k}")
        for name, samples in OP_SAMPLES.items()
        for k, sample in enumerate(samples)
        if names is None or name in names
    ]


VALID = [c for c in cases() if c.values[1].error is None]
FAILING = [c for c in cases() if c.values[1].error is not None]
SMOOTH = [c for c in VALID if c.values[1].smooth and OPS[c.values[0]].vjp is not None]


def test_every_operator_has_samples() -> None:
    assert set(OPS) - set(OP_SAMPLES) <= WITHOUT_VALUE | OF_COMPLEX
    assert set(OP_SAMPLES) <= set(OPS)


def value(name: str, sample: OpSample) -> np.ndarray:
    return interpret([apply(name, *sample.nodes(), params=sample.params)], sample.inputs)[0]


@each(VALID)
def test_the_reference_has_the_inferred_spec(name: str, sample: OpSample) -> None:
    spec = apply(name, *sample.nodes(), params=sample.params).spec
    with np.errstate(all="ignore"):
        got = np.asarray(OPS[name].reference(*sample.inputs, *sample.params))
    assert got.shape == spec.shape
    assert got.dtype == spec.dtype.numpy or OPS[name].kind in (Kind.COMPOSITE, Kind.REDUCE, Kind.SOURCE)


@each(FAILING)
def test_inputs_that_do_not_fit_raise_the_error_that_says_so(name: str, sample: OpSample) -> None:
    with pytest.raises(NbgradError) as caught:
        value(name, sample)
    assert isinstance(caught.value, sample.error)
    assert len(str(caught.value)) > 10


@each(c for c in VALID if OPS[c.values[0]].emit is not None)
def test_the_body_of_a_map_computes_its_reference(name: str, sample: OpSample) -> None:
    spec = apply(name, *sample.nodes(), params=sample.params).spec
    with np.errstate(all="ignore"):
        got = OPS[name].emit(NumpyBuilder(), *sample.inputs, *sample.params)
    # Bodies may round differently from NumPy's own algorithm by a few units in the last place (hypot, log2, log10).
    rtol = 4 * np.finfo(spec.dtype.numpy).eps if spec.dtype.is_floating_point else 0
    want = value(name, sample)
    assert np.broadcast_to(np.asarray(got), want.shape).dtype == want.dtype
    np.testing.assert_allclose(np.broadcast_to(got, want.shape), want, rtol=rtol, atol=0)
    if spec.dtype.kind == "f":
        zero = want == 0
        np.testing.assert_array_equal(np.signbit(np.broadcast_to(got, want.shape)[zero]), np.signbit(want[zero]))


@each(c for c in FAILING if OPS[c.values[0]].emit is not None)
def test_the_body_fails_where_the_reference_does(name: str, sample: OpSample) -> None:
    def run() -> None:
        apply(name, *sample.nodes(), params=sample.params)
        OPS[name].emit(NumpyBuilder(), *sample.inputs, *sample.params)

    with pytest.raises(NbgradError) as caught, np.errstate(all="ignore"):
        run()
    assert isinstance(caught.value, sample.error)


@each(c for c in VALID if OPS[c.values[0]].decompose is not None)
def test_a_formula_computes_its_reference(name: str, sample: OpSample) -> None:
    nodes = sample.nodes()
    want = value(name, sample)
    got = interpret([OPS[name].decompose(nodes, sample.params)], sample.inputs)[0]
    # A few roundings of float32 or float64 along sums of at most a dozen numbers.
    rtol = 20 * np.finfo(got.dtype).eps if got.dtype.kind == "f" else 0
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)


def gradients(name: str, sample: OpSample) -> Gradients:
    inputs = [double(x) for x in sample.inputs]
    nodes = input_nodes(inputs)
    return Gradients(apply(name, *nodes, params=sample.params), nodes, inputs, ())


@each(c for c in SMOOTH if c.values[0] not in HISTORY)
def test_the_vjp_is_the_derivative_its_own_the_second_one_and_its_transpose_the_tangent(
    name: str, sample: OpSample
) -> None:
    found = gradients(name, sample)
    found.check_first_order()
    found.check_second_order()
    found.check_adjoint()


@pytest.mark.parametrize("name", [n for n in OP_SAMPLES if OPS[n].vjp and OPS[n].decompose])
def test_the_own_rule_of_a_formula_agrees_with_the_formulas_derivative(name: str) -> None:
    if name in HISTORY | ONE_RULE:
        return  # see there
    for sample in [s for s in OP_SAMPLES[name] if s.smooth]:
        inputs = [double(x) for x in sample.inputs]
        nodes = input_nodes(inputs)
        own = Gradients(apply(name, *nodes, params=sample.params), nodes, inputs, ())
        formula = Gradients(OPS[name].decompose(nodes, sample.params), nodes, inputs, ())
        for k in range(len(own.wrt)):
            np.testing.assert_allclose(own.gradient(k), formula.gradient(k), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "reads"),
    [("add", False), ("neg", False), ("sum", False), ("reshape", False), ("mul", True), ("exp", True), ("amax", True)],
)
def test_operators_say_whether_their_derivative_reads_values(name: str, reads: bool) -> None:
    sample = OP_SAMPLES[name][0]
    assert reads_values(apply(name, *sample.nodes(), params=sample.params)) is reads


@pytest.mark.parametrize("order", [1, -1])
def test_whether_a_derivative_reads_values_does_not_depend_on_who_was_asked_before(
    monkeypatch: pytest.MonkeyPatch, order: int
) -> None:
    for name, samples in OP_SAMPLES.items():
        nodes = [apply(name, *s.nodes(), params=s.params) for s in samples if s.error is None]
        alone = []
        for node in nodes:
            monkeypatch.setattr(vjp, "_reads", {})
            alone.append(reads_values(node))
        monkeypatch.setattr(vjp, "_reads", {})
        assert [reads_values(node) for node in nodes[::order]] == alone[::order], name


def test_a_stopped_value_has_no_derivative_and_a_grafted_one_has_its_historys() -> None:
    x = np.array([1.0, 2.0])
    nodes = input_nodes([x, 10 * x])
    squared = apply("mul", nodes[0], nodes[0])
    grafted = Gradients(apply("rebase_history", squared, nodes[1]), nodes, [x, 10 * x], ())
    np.testing.assert_array_equal(grafted.run([grafted.root])[0], 10 * x)
    np.testing.assert_allclose(grafted.gradient(0), 2 * x * grafted.values[-1])
    np.testing.assert_array_equal(grafted.gradient(1), 0 * x)
    stopped = Gradients(apply("detach", squared), nodes, [x, 10 * x], ())
    assert stopped.grads == [None, None]

"""Every public function against its samples: PyTorch's values, dtypes, shapes, derivatives and errors."""

import builtins
import inspect

import numpy as np
import pytest

import nbgrad.calls  # noqa: F401  fills the table of calls
from nbgrad.calls.base import CALLS
from nbgrad.errors import NbgradError
from nbgrad.graph.interpret import interpret
from nbgrad.graph.node import Node
from nbgrad.transform.vjp import vjp
from tests import torch_answers
from tests.call_samples import CALL_SAMPLES
from tests.differences import Gradients
from tests.each import each
from tests.samples import CallSample, build, in_double, input_node, strided_view, weights_like

ANSWERS = torch_answers.read()
# Behind functions/creation.py, index expressions, linalg/ and numba/, from where test_creation.py, test_subscript.py,
# tests/linalg/ and tests/numba/test_operator.py reach them.
INTERNAL = {
    f"nbgrad.calls.{name}"
    for name in (
        *("complex", "fft"),  # tests/test_complex.py and test_fft.py have tables of their own
        "creation",
        "subscript",
        "dropout",
        "elementwise",
        "linear_algebra",
        "native",
        *("columns", "ctc", "first_places", "grid"),  # what public functions check
        "probability",
        "transfer",
    )
}


def cases() -> list[pytest.param]:
    return [
        pytest.param(sample, k, id=f"{name}-{k}")
        for name, samples in CALL_SAMPLES.items()
        for k, sample in enumerate(samples)
    ]


VALID = [c for c in cases() if c.values[0].error is None]
FAILING = [c for c in cases() if c.values[0].error is not None]
SMOOTH = [pytest.param(c.values[0], id=c.id) for c in VALID if c.values[0].smooth]


def answer_to(sample: CallSample, k: int) -> torch_answers.Answer:
    """What PyTorch said to the k-th sample of its name."""
    answers = ANSWERS.get(sample.name, [])
    assert k < len(answers), f"no stored answer: python -m tests.torch_answers {sample.name}"
    return answers[k]


def has_grads(sample: CallSample, k: int) -> bool:
    """Whether there is an answer with derivatives."""
    return any("grads" in answer for answer in ANSWERS.get(sample.name, [])[k : k + 1])


def declared() -> dict[str, str]:
    """The first name of every declaration, by name; aliases share it."""
    first: dict[object, str] = {}
    return {name: first.setdefault(inspect.unwrap(call.build), name) for name, call in CALLS.items()}


def test_every_public_function_has_samples_under_its_first_name() -> None:
    names = {first for name, first in declared().items() if CALLS[name].build.__module__ not in INTERNAL}
    assert names == set(CALL_SAMPLES)


def test_the_stored_answers_belong_to_these_samples() -> None:
    assert {name: len(told) for name, told in ANSWERS.items()} == {n: len(s) for n, s in CALL_SAMPLES.items()}


@pytest.mark.parametrize(("name", "first"), [(n, f) for n, f in declared().items() if n != f])
def test_an_alias_is_the_same_function_on_the_same_surfaces(name: str, first: str) -> None:
    alias, call = CALLS[name], CALLS[first]
    assert (alias.operands, alias.statics) == (call.operands, call.statics)
    assert (alias.function, bool(alias.method), alias.inplace) == (call.function, bool(call.method), call.inplace)


def differ(got: np.ndarray, want: np.ndarray, *, length: int, scale: float = 0.0, eps: float = 0.0) -> None:
    """Equal dtype, shape and values: a few roundings per operation and per element of the longest sum."""
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind == "f":
        eps = max(eps, float(np.finfo(want.dtype).eps))
    np.testing.assert_allclose(got, want, rtol=(8 + length) * eps, atol=(8 + length) * eps * scale)


def roughest(inputs: list[np.ndarray]) -> float:
    """The rounding of the least precise input: a float64 derivative may be a sum of float32 numbers."""
    return max([float(np.finfo(x.dtype).eps) for x in inputs if x.dtype.kind == "f"], default=0.0)


def largest(x: np.ndarray) -> float:
    """The largest finite magnitude: what sums are rounded by."""
    finite = np.abs(x[np.isfinite(x)].astype(np.float64)) if x.dtype.kind == "f" else np.zeros(0)
    return float(min(np.max(finite, initial=1.0), 1e6))


@each(VALID)
def test_the_value_is_pytorchs(sample: CallSample, k: int) -> None:
    built = build(sample)
    got = interpret([built.root], built.inputs, built.scalars)[0]
    want = torch_answers.restored(answer_to(sample, k))
    differ(got, want, length=20, scale=largest(want) if got.size != want.size or sample.smooth else 1e-30)


@each(FAILING)
def test_a_mistake_raises_what_pytorch_raises(sample: CallSample, k: int) -> None:
    def run() -> None:
        built = build(sample)
        interpret([built.root], built.inputs, built.scalars)

    with pytest.raises(getattr(builtins, answer_to(sample, k)["error"])) as caught:
        run()
    assert isinstance(caught.value, NbgradError)
    assert len(str(caught.value)) > 15, "the message must say what is wrong"


@each(c for c in VALID if has_grads(*c.values))
def test_the_derivative_is_pytorchs(sample: CallSample, k: int) -> None:
    built = build(sample)
    want = answer_to(sample, k)["grads"]
    nodes = [built.nodes[int(i)] for i in want]
    weight = input_node(len(built.inputs), built.root.spec)
    grads = vjp([built.root], [weight], nodes)
    inputs = [*built.inputs, weights_like(built.root.spec)]
    for x, grad, told in zip(nodes, grads, want.values(), strict=True):
        got = np.zeros(x.spec.shape, x.spec.dtype.numpy)
        if grad is not None:
            got = interpret([grad], inputs, built.scalars)[0]
        expected = np.zeros_like(got) if told is None else torch_answers.restored(told)
        differ(got, expected, length=40, scale=largest(expected), eps=roughest(built.inputs))


def gradients(sample: CallSample) -> Gradients | None:
    built = build(in_double(sample))
    if not built.root.spec.dtype.is_floating_point:
        return None
    return Gradients(built.root, built.nodes, built.inputs, built.scalars)


@each(SMOOTH)
def test_the_vjp_is_the_derivative(sample: CallSample) -> None:
    found = gradients(sample)
    assert found is not None, "only floating results are smooth"
    found.check_first_order()
    found.check_second_order()
    found.check_adjoint()


@each(VALID)
def test_other_strides_give_the_same_answer(sample: CallSample, k: int) -> None:
    plain, viewed = build(sample), build(sample, strided_view)
    got = interpret([viewed.root], viewed.inputs, viewed.scalars)[0]
    want = interpret([plain.root], plain.inputs, plain.scalars)[0]
    differ(got, want, length=20, scale=largest(want))  # NumPy adds up in the order of memory


VIEWS = {"broadcast_to", "diagonal", "expand", "expand_as", "flatten", "movedim", "narrow", "permute", "reshape"} | {
    "reshape_as", "select", "squeeze", "swapaxes", "t", "transpose", "unflatten", "unfold", "unsqueeze", "view",
    "view_as",
}  # fmt: skip


def is_view(root: Node, source: Node) -> bool:
    while root.op.kind.value == "view" and root is not source:
        root = root.inputs[0]
    return root is source


@each(VALID)
def test_exactly_the_view_functions_give_chains_of_view_operators(sample: CallSample, k: int) -> None:
    built = build(sample)
    chain = bool(built.nodes) and is_view(built.root, built.nodes[0])
    converts = sample.name in ("to_dtype", "type_as")  # the input itself where the dtype already fits
    assert chain == (sample.name in VIEWS) or (converts and built.root is built.nodes[0])
    assert built.root is not built.nodes[0] if built.nodes and not converts else True


def test_the_stored_answers_are_what_torch_says_today() -> None:
    pytest.importorskip("torch", reason="compares the stored answers with torch itself")
    today = torch_answers.all_answers()
    for name, told in ANSWERS.items():
        for k, (old, new) in enumerate(zip(told, today[name], strict=True)):
            assert old.get("error") == new.get("error"), (name, k)
            if "error" not in old:
                got, want = torch_answers.restored(new), torch_answers.restored(old)
                differ(got, want, length=20, scale=largest(want))

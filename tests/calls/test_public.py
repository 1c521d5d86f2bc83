"""Every sample through the public API: ``nbgrad.f(x)``, ``x.f()`` and ``x.f_()`` give PyTorch's answers."""

import builtins
import contextlib
import re
import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.calls.base import CALLS
from nbgrad.errors import NbgradError
from nbgrad.graph.dtypes import DType
from tests import torch_answers
from tests.call_samples import CALL_SAMPLES
from tests.each import each
from tests.samples import CallSample, spec_of, weights_like
from tests.torch_answers import REFUSED, SPELLED, constants

ANSWERS = torch_answers.read()
USER_FILES = ("test_public.py", "torch_answers.py")  # where a sample's function is called: here, or where it is spelled


def cases(names: list[str], *, failing: bool = False) -> list[Any]:
    return [
        pytest.param(sample, k, id=f"{name}-{k}")
        for name in names
        for k, sample in enumerate(CALL_SAMPLES[name])
        if (sample.error is not None) == failing
    ]


def function(name: str) -> Any:
    """What the user calls: in nbgrad, in nn.functional, a method, or spelled as in PyTorch."""
    if name in SPELLED:
        return lambda *args, **kwargs: SPELLED[name](nb, *args, **kwargs)
    if CALLS[name].function:
        return getattr(nb, name)
    if CALLS[name].method:
        return getattr(nb.Tensor, name)
    return getattr(nb.special if hasattr(nb.special, name) else nb.nn.functional, name)


def converted(value: Any, tensors: list[Any], *, grad: bool) -> Any:
    """The arguments of a sample as a user of nbgrad has them."""
    if isinstance(value, np.ndarray):
        tensors.append(nb.tensor(value, requires_grad=grad and value.dtype.kind == "f"))
        return tensors[-1]
    if isinstance(value, DType):
        return value
    return type(value)([converted(v, tensors, grad=grad) for v in value]) if isinstance(value, (list, tuple)) else value


def arguments(sample: CallSample, *, grad: bool = False) -> tuple[list[Any], dict[str, Any], list[Any]]:
    tensors: list[Any] = []
    args = [converted(a, tensors, grad=grad) for a in sample.args]
    kwargs = {k: converted(v, tensors, grad=grad) for k, v in sample.kwargs.items()}
    return args, kwargs, tensors


@contextlib.contextmanager
def quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def agree(got: np.ndarray, want: np.ndarray, eps: float) -> None:
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
        return
    # As in test_compiled.py: some 40 roundings of the least precise input.
    rtol = 40 * max(eps, float(np.finfo(want.dtype).eps))
    finite = np.abs(want[np.isfinite(want)].astype(np.float64))
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * float(min(np.max(finite, initial=1.0), 1e6)))


def roughest(sample: CallSample) -> float:
    arrays = [a for a in (*sample.args, *sample.kwargs.values()) if isinstance(a, np.ndarray) and a.dtype.kind == "f"]
    return max([float(np.finfo(a.dtype).eps) for a in arrays], default=0.0)


@each(cases(list(CALL_SAMPLES)))
def test_a_function_gives_pytorchs_value_and_derivative(sample: CallSample, k: int) -> None:
    told = ANSWERS[sample.name][k]
    args, kwargs, tensors = arguments(sample, grad="grads" in told)
    for i in constants(sample) if sample.name in REFUSED else ():
        tensors[i].requires_grad_(False)
    with quiet():
        result = function(sample.name)(*args, **kwargs)
    if "grads" in told and result.requires_grad:
        value = result.detach().numpy()
        result.backward(nb.tensor(weights_like(spec_of(value))))
        for i, grad in told["grads"].items():
            got = tensors[int(i)].grad
            x = tensors[int(i)].detach().numpy()
            want = np.zeros_like(x) if grad is None else torch_answers.restored(grad)
            agree(np.zeros_like(x) if got is None else got.numpy(), want, roughest(sample))
    agree(result.detach().numpy(), torch_answers.restored(told), roughest(sample))


@each(cases([n for n in CALL_SAMPLES if CALLS[n].method and n not in SPELLED]))
def test_a_method_gives_what_the_function_gives(sample: CallSample, k: int) -> None:
    args, kwargs, _ = arguments(sample)
    if not isinstance(args[0], nb.Tensor):
        return  # 2 - x: a number has no methods
    got = getattr(args[0], sample.name)(*args[1:], **kwargs)
    agree(got.numpy(), torch_answers.restored(ANSWERS[sample.name][k]), roughest(sample))


INPLACE = [n for n in CALL_SAMPLES if CALLS[n].inplace]


@each(cases(INPLACE))
def test_an_in_place_method_writes_the_functions_value_or_refuses_as_pytorch_does(sample: CallSample, k: int) -> None:
    args, kwargs, _ = arguments(sample)
    x = args[0]
    if not isinstance(x, nb.Tensor):
        return
    before, want = x.numpy().copy(), torch_answers.restored(ANSWERS[sample.name][k])
    fits = want.shape == before.shape and "buif".index(before.dtype.kind) >= "buif".index(want.dtype.kind)
    if {before.dtype.kind, want.dtype.kind} <= {"u", "i"}:
        fits = want.shape == before.shape
    run = getattr(x, sample.name + "_")
    if fits:
        assert run(*args[1:], **kwargs) is x
        agree(x.numpy(), want.astype(before.dtype), roughest(sample))
    else:
        with pytest.raises(RuntimeError):
            run(*args[1:], **kwargs)
        np.testing.assert_array_equal(x.numpy(), before)


@each(cases(list(CALL_SAMPLES), failing=True))
def test_a_mistake_raises_what_pytorch_raises_and_names_the_line(sample: CallSample, k: int) -> None:
    args, kwargs, _ = arguments(sample)

    def run() -> None:
        with quiet():
            function(sample.name)(*args, **kwargs).numpy()

    with pytest.raises(getattr(builtins, ANSWERS[sample.name][k]["error"])) as caught:
        run()
    assert isinstance(caught.value, NbgradError)
    where = USER_FILES[sample.name in SPELLED]
    assert re.search(rf"in .*{where}(, line |:)\d+", str(caught.value)), "the message names the user's line"


@pytest.mark.parametrize("exponent", [-1, -2, -7])
def test_integers_to_a_negative_number_raise_as_in_pytorch(exponent: int) -> None:
    x = nb.tensor([1, 2, 3])
    assert (x.double() ** exponent).dtype is nb.float64
    for run in (lambda: x**exponent, lambda: nb.pow(x, exponent), lambda: x.pow_(exponent)):
        with pytest.raises(RuntimeError, match="negative integer powers"):
            run()

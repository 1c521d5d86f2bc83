"""Names that are not there: the error says so, and how to write what is meant."""

from __future__ import annotations

import pickle
import time
from typing import Any

import pytest

import nbgrad as nb
import nbgrad.profiler
import nbgrad.utils.checkpoint
import nbgrad.utils.data
from nbgrad.absent import INSTEAD, instead_of


@pytest.mark.parametrize(
    ("owner", "name", "text"),
    [
        (nb, "complex32", "module 'nbgrad' has no attribute 'complex32': nbgrad's complex numbers are complex64"),
        (nb, "float8_e5m2", "nbgrad's floating dtypes are float16, bfloat16"),
        (nb, "sparse_coo_tensor", "no sparse tensors"),
        (nb, "layer_norm", "nbgrad.nn.functional.layer_norm is there"),
        (nb, "eigh", "nbgrad.linalg.eigh is there"),
        (nb, "add_", r"it is a method: x.add_\(...\)"),
        (nb, "sqrtt", "did you mean 'sqrt'"),
        (nb.nn, "Liner", "module 'nbgrad.nn' has no attribute 'Liner': did you mean 'Linear'"),
        (nb.nn, "exp", "nbgrad.exp is there"),
        (nb.nn.functional, "reluu", "did you mean 'relu'"),
        (nb.optim, "Adan", "did you mean 'Adam'"),
        (nb.linalg, "invv", "did you mean 'inv'"),
        (nb, "movedim_", r"x = x.movedim\(...\)"),
        (nb, "version", "nbgrad.__version__"),
        (nb, "hub", "nbgrad has no such part"),
        (nb.autograd.functional, "jacobain", "did you mean 'jacobian'"),
        (nb.autograd.graph, "saved_tensor_hooks", "did you mean 'saved_tensors_hooks'"),
        (nb.cuda, "CUDAGraph", "nbgrad.compile"),
        (nb.func, "functionalize", "call the function itself"),
        (nb.profiler, "tensorboard_trace_handler", r"start\(\) and stop\(\)"),
        (nb.utils, "dta", "did you mean 'data'"),
        (nb.utils.checkpoint, "checkpoint_sequentially", "did you mean 'checkpoint_sequential'"),
        (nb.utils.data, "IterDataPipe", "did you mean 'IterableDataset'"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(owner: Any, name: str, text: str) -> None:
    with pytest.raises(AttributeError, match=text):
        getattr(owner, name)


def test_there_are_no_tensors_of_other_kinds() -> None:
    names = ["sparse", "sparse_csr", "quantized", "nested", "mkldnn", "meta", "mps"]
    names += ["xpu", "xla", "ipu", "maia", "mtia", "vulkan"]
    assert not any(getattr(nb.ones(2), f"is_{name}") for name in names)


def test_what_nobody_knows_is_said_without() -> None:
    with pytest.raises(AttributeError) as caught:
        nb.qqqqqqqq  # noqa: B018
    assert str(caught.value) == "module 'nbgrad' has no attribute 'qqqqqqqq'"


def test_no_name_that_is_there_has_words_for_one_that_is_not() -> None:
    there = {*dir(nb)}
    names = {name for names in INSTEAD.values() for name in names.split() if not name.endswith("*")}
    assert not names & there, f"{names & there}: they are there by now"


def test_asking_whether_there_is_one_takes_no_search() -> None:
    begun = time.perf_counter()
    for _ in range(1000):
        assert not hasattr(nb, "columns")
    asked = time.perf_counter() - begun
    begun = time.perf_counter()
    for _ in range(10):
        instead_of("columns", nb.__all__)
    assert asked < 20 * (time.perf_counter() - begun)  # 1000 of the one, 10 of the other


def test_its_error_can_be_copied_and_sent_to_others() -> None:
    with pytest.raises(AttributeError) as caught:
        nb.sqrtt  # noqa: B018
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_objects_of_pytorch_are_told_from_ours() -> None:
    theirs = type("Tensor", (), {"__module__": "torch"})()
    activation = type("ReLU", (), {"__module__": "torch.nn.modules.activation"})()
    for mistake, text in (
        (lambda: nb.nn.Linear(2, 2)(theirs), "must be Tensor, not torch.Tensor"),
        (lambda: nb.cat([nb.ones(1), theirs]), "but got torch.Tensor"),
        (lambda: nb.stack([nb.ones(1), theirs]), "but got torch.Tensor"),
        (lambda: nb.optim.SGD([theirs], lr=0.1), "one of the params is torch.Tensor"),
        (lambda: nb.nn.Module().register_buffer("b", theirs), "cannot assign 'torch.Tensor' object to buffer 'b'"),
        (lambda: nb.nn.Sequential(activation), "torch.nn.modules.activation.ReLU is not a Module subclass"),
    ):
        with pytest.raises(TypeError) as caught:
            mistake()
        assert text in str(caught.value).splitlines()[0]  # behind it stands this test's line


def test_mistakes_of_those_who_begin_are_told() -> None:
    for mistake, text in (
        (lambda: nb.nn.Sequential(nb.nn.ReLU), r"type is not a Module subclass: ReLU\(\) makes one"),  # type: ignore
        (lambda: nb.utils.data.TensorDataset(1), "argument 'tensors' must be Tensor, not int"),
        (lambda: nb.explain(3), "argument 'fn' must be function, not int"),  # type: ignore[arg-type]
        (lambda: nb.tensor([1j]).sort(), "sort: not implemented for complex64"),
    ):
        with pytest.raises((TypeError, NotImplementedError), match=text):
            mistake()

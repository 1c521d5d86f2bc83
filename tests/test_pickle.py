"""Tensors, modules and their states go through pickle; what others computed from them does not."""

from __future__ import annotations

import copy
import pickle
from inspect import isclass, isfunction
from typing import Any

import pytest

import nbgrad as nb


def test_values_dtype_and_requires_grad_come_back() -> None:
    for x in (nb.tensor([1.0, 2.0], requires_grad=True), nb.arange(3), nb.ones(2, 3, dtype=nb.float64).t()):
        y = pickle.loads(pickle.dumps(x))
        assert (y.tolist(), y.dtype, y.requires_grad) == (x.tolist(), x.dtype, x.requires_grad)


LAYOUTS = {
    "row-major": lambda lib: lib.arange(6.0).reshape(2, 3),
    "transposed": lambda lib: lib.arange(6.0).reshape(2, 3).t(),
    "transposed in place": lambda lib: (lib.arange(6.0).reshape(2, 3) * 1).t_(),
    "of three dims": lambda lib: lib.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
    "with one element": lambda lib: lib.arange(6.0).reshape(2, 1, 3).permute(2, 1, 0),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_lie_in_memory_as_what_they_are_copied_from(layout: str) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        x = LAYOUTS[layout](lib)
        weight = lib.nn.Parameter(LAYOUTS[layout](lib))
        copies = [f(y) for y in (x, weight) for f in (lambda y: pickle.loads(pickle.dumps(y)), copy.deepcopy)]
        found.append([(y.stride(), y.tolist(), y.requires_grad, y.is_leaf, y._is_view()) for y in copies])
        for y in copies[2:]:
            (y * y).sum().backward()
            found[-1].append((y.grad.tolist(), y.grad.stride()))
    assert found[0] == found[1]


def test_a_computed_tensor_loses_its_history() -> None:
    y = pickle.loads(pickle.dumps(nb.ones(2, requires_grad=True) * 2))
    assert y.tolist() == [2.0, 2.0] and y.is_leaf and y.requires_grad


def test_a_model_comes_back_with_its_parameters() -> None:
    model = nb.nn.Sequential(nb.nn.Linear(2, 3), nb.nn.ReLU())
    again = pickle.loads(pickle.dumps(model))
    x = nb.ones(1, 2)
    assert again(x).tolist() == model(x).tolist()
    assert all(isinstance(p, nb.nn.Parameter) for p in again.parameters())
    assert copy.deepcopy(model)(x).tolist() == model(x).tolist()


ROOMS = [
    nb,
    nb.autograd,
    nb.cuda,
    nb.errors,
    nb.linalg,
    nb.nn,
    nb.nn.functional,
    nb.nn.init,
    nb.nn.utils,
    nb.optim,
    nb.optim.lr_scheduler,
    nb.random,
    nb.Tensor,
]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.__name__))
def test_every_public_function_comes_back_as_itself(room: Any) -> None:
    public = {name: getattr(room, name) for name in dir(room) if name[0] != "_" or room is nb.Tensor}
    found = {name: x for name, x in public.items() if isfunction(x) or (isclass(x) and x is not type)}
    assert found
    for name, x in found.items():
        assert pickle.loads(pickle.dumps(x)) is x, name
        assert copy.deepcopy(x) is x
        assert x.__module__.partition(".")[0] == "nbgrad", name


@pytest.mark.parametrize(("size", "stride"), [((2, 2), (1, 1)), ((2, 4), (0, 1)), ((3, 2), (2, 1)), ((0, 2), (1, 1))])
def test_what_shows_elements_several_times_does_so_again(size: tuple[int, ...], stride: tuple[int, ...]) -> None:
    x = nb.arange(7.0)[1:].as_strided(size, stride)
    made = pickle.loads(pickle.dumps(x))
    assert nb.equal(made, x) and (made.stride() == stride or not x.numel())
    if x.numel() and stride == (1, 1):
        made[0, 1] = 9.0
        assert made.tolist() == [[1.0, 9.0], [9.0, 3.0]] and x.tolist() == [[1.0, 2.0], [2.0, 3.0]]

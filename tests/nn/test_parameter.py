from __future__ import annotations

import copy

import pytest

import nbgrad as nb

Parameter = nb.nn.Parameter


def test_a_parameter_is_a_leaf_tensor_that_requires_grad() -> None:
    p = Parameter(nb.ones(2))
    assert isinstance(p, nb.Tensor)
    assert p.requires_grad
    assert p.is_leaf
    assert not Parameter(nb.ones(2), requires_grad=False).requires_grad
    assert Parameter().shape == (0,)


def test_a_parameter_shares_the_memory_of_its_tensor() -> None:
    data = nb.zeros(2)
    p = Parameter(data)
    data.add_(1)
    assert p.tolist() == [1.0, 1.0]


def test_a_parameter_forgets_the_history_of_its_tensor() -> None:
    x = nb.ones(2, requires_grad=True)
    p = Parameter(x * 2)
    assert p.grad_fn is None
    p.sum().backward()
    assert x.grad is None
    assert p.grad.tolist() == [1.0, 1.0]


def test_what_is_computed_from_parameters_is_a_tensor() -> None:
    p = Parameter(nb.ones(2))
    assert type(p * 2) is nb.Tensor
    assert type(p.detach()) is nb.Tensor


@pytest.mark.cpu
def test_a_parameter_says_what_it_is() -> None:
    assert repr(Parameter(nb.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"


def test_a_deep_copy_has_memory_of_its_own() -> None:
    model = nb.nn.Linear(2, 1)
    twin = copy.deepcopy(model)
    assert isinstance(twin.weight, Parameter)
    with nb.no_grad():
        twin.weight.add_(1)
    assert twin.weight.tolist() != model.weight.tolist()
    assert copy.deepcopy([model.weight] * 2)[0] is not None
    first, second = copy.deepcopy([model.weight, model.weight])
    assert first is second

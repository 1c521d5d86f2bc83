from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn


def test_parameters_go_into_one_vector_and_come_back() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    vector = nn.utils.parameters_to_vector(net.parameters())
    assert vector.tolist() == [x for p in net.parameters() for x in p.detach().reshape(-1).tolist()]
    nn.utils.vector_to_parameters(vector.detach() * 2, net.parameters())
    assert nb.equal(nn.utils.parameters_to_vector(net.parameters()), vector * 2)
    assert all(p.is_leaf and p.requires_grad for p in net.parameters())


def test_derivatives_pass_to_the_parameters() -> None:
    net = nn.Linear(2, 1)
    (nn.utils.parameters_to_vector(net.parameters()) ** 2).sum().backward()
    assert nb.equal(net.weight.grad, 2 * net.weight)


def test_vectors_that_are_too_short_are_refused() -> None:
    net = nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match="at least 3 elements"):
        nn.utils.vector_to_parameters(nb.ones(2), net.parameters())
    with pytest.raises(TypeError):
        nn.utils.vector_to_parameters([1.0, 2.0, 3.0], net.parameters())

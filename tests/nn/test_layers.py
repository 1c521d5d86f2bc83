from __future__ import annotations

import numpy as np

import nbgrad as nb

nn = nb.nn


def test_linear_is_x_times_the_transpose_plus_bias() -> None:
    layer = nn.Linear(3, 2)
    x = nb.randn(5, 4, 3)
    expected = x.numpy() @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
    np.testing.assert_allclose(layer(x).detach().numpy(), expected, rtol=1e-5, atol=1e-6)
    assert layer(nb.randn(3)).shape == (2,)


def test_linear_starts_within_one_over_the_root_of_its_inputs() -> None:
    nb.manual_seed(0)
    layer = nn.Linear(100, 50)
    for p in (layer.weight, layer.bias):
        values = p.detach().numpy()
        assert np.abs(values).max() <= 0.1
        assert values.std() > 0.045  # uniform in +-0.1 has deviation 0.058


def test_linear_takes_a_dtype_and_may_have_no_bias() -> None:
    layer = nn.Linear(3, 2, bias=False, dtype=nb.float64)
    assert layer.bias is None
    assert layer(nb.ones(1, 3, dtype=nb.float64)).dtype is nb.float64


def test_linear_gradients_are_those_of_the_product() -> None:
    layer = nn.Linear(2, 3)
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]])
    layer(x).sum().backward()
    assert layer.weight.grad.tolist() == [[4.0, 6.0]] * 3
    assert layer.bias.grad.tolist() == [2.0, 2.0, 2.0]


def test_identity_gives_its_input_whatever_it_was_made_with() -> None:
    x = nb.tensor([1.0])
    assert nn.Identity(54, unused=True)(x) is x


def test_flatten_joins_axes() -> None:
    x = nb.zeros(2, 3, 4, 5)
    assert nn.Flatten()(x).shape == (2, 60)
    assert nn.Flatten(0, 1)(x).shape == (6, 4, 5)


def test_unflatten_splits_an_axis() -> None:
    assert nn.Unflatten(1, (2, -1))(nb.zeros(5, 6)).shape == (5, 2, 3)


def test_layers_print_their_arguments() -> None:
    assert repr(nn.Flatten()) == "Flatten(start_dim=1, end_dim=-1)"
    assert repr(nn.Unflatten(1, (2, 3))) == "Unflatten(dim=1, unflattened_size=(2, 3))"

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb

nn = nb.nn


def standardized(x: np.ndarray, axis: tuple[int, ...], eps: float = 1e-5) -> np.ndarray:
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


def test_layer_norm_standardizes_the_last_dims_and_applies_its_parameters() -> None:
    x = nb.randn(4, 2, 3)
    layer = nn.LayerNorm([2, 3])
    np.testing.assert_allclose(layer(x).detach().numpy(), standardized(x.numpy(), (1, 2)), rtol=1e-4, atol=1e-5)
    with nb.no_grad():
        layer.weight.fill_(2.0)
        layer.bias.fill_(1.0)
    expected = 2 * standardized(x.numpy(), (1, 2)) + 1
    np.testing.assert_allclose(layer(x).detach().numpy(), expected, rtol=1e-4, atol=1e-5)


def test_norms_may_have_no_parameters() -> None:
    assert list(nn.LayerNorm(3, elementwise_affine=False).parameters()) == []
    assert [name for name, _ in nn.LayerNorm(3, bias=False).named_parameters()] == ["weight"]
    assert list(nn.RMSNorm(3, elementwise_affine=False).parameters()) == []
    assert list(nn.GroupNorm(1, 4, affine=False).parameters()) == []
    assert list(nn.BatchNorm1d(3, affine=False).parameters()) == []


def test_rms_norm_divides_by_the_root_of_the_mean_square() -> None:
    x = nb.randn(4, 3)
    expected = x.numpy() / np.sqrt((x.numpy() ** 2).mean(1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(nn.RMSNorm(3, eps=1e-6)(x).detach().numpy(), expected, rtol=1e-5)


def test_group_norm_standardizes_groups_of_channels() -> None:
    x = nb.randn(2, 4, 5)
    expected = standardized(x.numpy().reshape(2, 2, 10), (2,)).reshape(2, 4, 5)
    np.testing.assert_allclose(nn.GroupNorm(2, 4)(x).detach().numpy(), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="divisible"):
        nn.GroupNorm(3, 4)


def test_batch_norm_uses_the_batch_in_training_and_moves_its_averages() -> None:
    x = nb.randn(8, 3, 2, 2) * 2 + 5
    layer = nn.BatchNorm2d(3)
    np.testing.assert_allclose(layer(x).detach().numpy(), standardized(x.numpy(), (0, 2, 3)), rtol=1e-4, atol=1e-4)
    mean, var = x.numpy().mean((0, 2, 3)), x.numpy().var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(layer.running_mean.numpy(), 0.1 * mean, rtol=1e-5)
    np.testing.assert_allclose(layer.running_var.numpy(), 0.9 + 0.1 * var, rtol=1e-5)
    assert layer.num_batches_tracked.item() == 1


def test_batch_norm_uses_its_averages_in_evaluation() -> None:
    layer = nn.BatchNorm1d(3).eval()
    x = nb.randn(2, 3)
    np.testing.assert_allclose(layer(x).detach().numpy(), x.numpy() / np.sqrt(1 + 1e-5), rtol=1e-5)
    assert layer.num_batches_tracked.item() == 0


def test_batch_norm_without_momentum_averages_all_batches() -> None:
    layer = nn.BatchNorm1d(2, momentum=None)
    batches = [nb.randn(4, 2) for _ in range(3)]
    for x in batches:
        layer(x)
    means = np.stack([x.numpy().mean(0) for x in batches])
    np.testing.assert_allclose(layer.running_mean.numpy(), means.mean(0), rtol=1e-4, atol=1e-6)


def test_batch_norm_without_averages_always_uses_the_batch() -> None:
    layer = nn.BatchNorm1d(2, track_running_stats=False).eval()
    x = nb.randn(4, 2)
    np.testing.assert_allclose(layer(x).detach().numpy(), standardized(x.numpy(), (0,)), rtol=1e-4, atol=1e-5)
    assert layer.state_dict().keys() == {"weight", "bias"}


def test_batch_norm_saves_its_averages() -> None:
    names = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    assert list(nn.BatchNorm2d(2).state_dict()) == names


def test_batch_norm_refuses_other_ranks() -> None:
    with pytest.raises(ValueError, match="expected 2D or 3D input"):
        nn.BatchNorm1d(2)(nb.zeros(1, 2, 3, 4))
    with pytest.raises(ValueError, match="expected 4D input"):
        nn.BatchNorm2d(2)(nb.zeros(1, 2))


def test_reset_parameters_forgets_what_was_learned() -> None:
    layer = nn.BatchNorm1d(2)
    layer(nb.randn(4, 2))
    with nb.no_grad():
        layer.weight.fill_(3.0)
    layer.reset_parameters()
    assert layer.weight.tolist() == [1.0, 1.0]
    assert layer.running_mean.tolist() == [0.0, 0.0]
    assert layer.num_batches_tracked.item() == 0


def test_norms_print_their_arguments() -> None:
    assert repr(nn.LayerNorm(3)) == "LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=True)"
    assert repr(nn.GroupNorm(2, 4)) == "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)"
    assert repr(nn.BatchNorm2d(3)) == (
        "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"
    )


def test_running_statistics_stay_where_there_is_no_example() -> None:
    layer = nn.BatchNorm1d(3)
    assert layer(nb.zeros(0, 3)).shape == (0, 3)
    assert layer.running_mean.tolist() == [0.0] * 3 and layer.running_var.tolist() == [1.0] * 3
    assert int(layer.num_batches_tracked) == 1


@pytest.mark.parametrize("training", [True, False])
def test_halves_stand_beside_parameters_in_float32(training: bool) -> None:
    x = nb.randn(4, 3).bfloat16()
    for layer in (nn.BatchNorm1d(3), nn.LayerNorm(3), nn.GroupNorm(1, 3), nn.RMSNorm(3)):
        layer.train(training)
        nb.nn.init.uniform_(layer.weight)
        y = layer(x)
        known = layer.to(nb.float32)(x.float())
        assert y.dtype is nb.bfloat16
        nb.testing.assert_close(y.float(), known, atol=0.02, rtol=0.02)
        y.float().sum().backward()
        assert layer.weight.grad.dtype is nb.float32

from __future__ import annotations

import math

import numpy as np
import pytest

import nbgrad as nb

clip_norm, clip_value = nb.nn.utils.clip_grad_norm_, nb.nn.utils.clip_grad_value_


def with_grads(*grads: list[float]) -> list[nb.Tensor]:
    params = [nb.zeros(len(g), requires_grad=True) for g in grads]
    for p, g in zip(params, grads, strict=True):
        p.grad = nb.tensor(g)
    return params


@pytest.mark.parametrize(
    ("norm_type", "norm"), [(2.0, 13.0), (1.0, 19.0), (math.inf, 12.0), (3.0, (27 + 64 + 1728) ** (1 / 3))]
)
def test_all_gradients_are_scaled_by_their_common_norm(norm_type: float, norm: float) -> None:
    params = with_grads([3.0, -4.0], [12.0])
    total = clip_norm(params, 2.0, norm_type)
    np.testing.assert_allclose(total.item(), norm, rtol=1e-6)
    np.testing.assert_allclose(params[0].grad.numpy(), np.array([3.0, -4.0]) * 2 / norm, rtol=1e-5)
    np.testing.assert_allclose(params[1].grad.numpy(), [24 / norm], rtol=1e-5)


def test_small_gradients_stay_as_they_are() -> None:
    params = with_grads([0.3, -0.4])
    held = params[0].grad
    before = held.tolist()
    assert abs(clip_norm(params, 1.0).item() - 0.5) < 1e-6
    assert params[0].grad is held
    assert held.tolist() == before


def test_one_tensor_no_gradients_and_none_at_all() -> None:
    (p,) = with_grads([3.0, 4.0])
    assert clip_norm(p, 1.0).item() == 5.0
    assert clip_norm([nb.zeros(1, requires_grad=True)], 1.0).item() == 0.0


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch 2.13 fails where no parameter has a gradient")
def test_no_gradient_means_nothing_to_clamp() -> None:
    param = nb.zeros(1, requires_grad=True)
    clip_value([param], 1.0)
    assert param.grad is None


def test_a_generator_of_parameters_is_enough() -> None:
    params = with_grads([30.0], [40.0])
    assert clip_norm((p for p in params), 5.0).item() == 50.0
    np.testing.assert_allclose([p.grad.item() for p in params], [3.0, 4.0], rtol=1e-5)


def test_a_norm_that_is_not_finite_is_an_error_on_request() -> None:
    for bad in (math.nan, math.inf):
        params = with_grads([bad, 1.0])
        with pytest.raises(RuntimeError, match="non-finite"):
            clip_norm(params, 1.0, error_if_nonfinite=True)
        assert params[0].grad.tolist()[1] == 1.0  # left alone
        assert not math.isfinite(clip_norm(params, 1.0).item())


def test_values_are_clamped_into_the_range() -> None:
    params = with_grads([-3.0, 0.25], [2.0])
    held = params[0].grad
    clip_value(params, 0.5)
    assert params[0].grad is held
    assert held.tolist() == [-0.5, 0.25]
    assert params[1].grad.tolist() == [0.5]

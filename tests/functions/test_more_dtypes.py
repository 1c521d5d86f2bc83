"""Dtypes that PyTorch's CPU takes besides those that most use: its values, and who is refused."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.nn import functional as F


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_means_of_windows_of_integers_are_cut_towards_zero(spatial: int) -> None:
    pool = getattr(F, f"avg_pool{spatial}d")
    x = nb.tensor([[-3, 0, 5, 8]]).reshape(1, 1, *[1] * (spatial - 1), 4)
    size = (1,) * (spatial - 1) + (2,)
    assert pool(x, size).flatten().tolist() == [-1, 6]
    margin = (0,) * (spatial - 1) + (1,)
    assert pool(x, size, padding=margin).flatten().tolist() == [-1, 2, 4]
    assert pool(x, size, padding=margin, count_include_pad=False).flatten().tolist() == [-3, 2, 8]
    assert pool(x, size).dtype is nb.int64
    with pytest.raises(RuntimeError, match="not implemented for int32"):
        pool(x.int(), size)


def test_distances_of_integers_are_summed_but_not_averaged() -> None:
    x, y = nb.tensor([1, 5, -3]), nb.tensor([4, 4, 4])
    assert F.l1_loss(x, y, reduction="none").tolist() == [3, 1, 7]
    assert F.l1_loss(x, y, reduction="sum").tolist() == 11
    with pytest.raises(RuntimeError, match="floating point"):
        F.l1_loss(x, y)
    with pytest.raises(RuntimeError):
        F.l1_loss(x > 0, y > 0, reduction="none")


def test_rms_norm_of_complex_numbers_divides_by_a_complex_root() -> None:
    x = nb.tensor([[1 + 2j, 3 - 1j], [2j, 3 + 1j]], dtype=nb.complex128, requires_grad=True)
    a = x.detach().numpy()
    expected = a / np.sqrt((a * a).mean(1, keepdims=True) + 0.1)
    np.testing.assert_allclose(F.rms_norm(x, (2,), eps=0.1).detach().numpy(), expected, rtol=1e-12)
    weight = nb.tensor([1j, 2 + 0j], dtype=nb.complex128)
    np.testing.assert_allclose(F.rms_norm(x, (2,), weight, 0.1).detach().numpy(), expected * weight.numpy(), rtol=1e-12)
    assert nb.autograd.gradcheck(lambda x: F.rms_norm(x, (2,), eps=0.1), (x,))


def test_means_of_complex_numbers_are_scattered() -> None:
    x, index, values = nb.tensor([1 + 1j, 2j, 3 + 0j]), nb.tensor([0, 1, 0]), nb.tensor([5 + 0j, 4 + 0j, 3 + 2j])
    assert x.scatter_reduce(0, index, values, "mean").tolist() == [3 + 1j, 2 + 1j, 3]
    assert x.scatter_reduce(0, index, values, "mean", include_self=False).tolist() == [4 + 1j, 4, 3]


def test_addr_of_bool_is_or_of_and() -> None:
    x, a, b = nb.eye(2).bool(), nb.tensor([True, False]), nb.tensor([True, True])
    assert nb.addr(x, a, b).tolist() == [[True, True], [False, True]]
    assert nb.addr(x, a, b, beta=False).tolist() == [[True, True], [False, False]]
    assert nb.addr(x, a, b, alpha=False).tolist() == [[True, False], [False, True]]


def test_the_interpreter_knows_sigmoids_of_complex_numbers() -> None:
    with override(interpret=True):
        x = nb.tensor([1 + 1j, -2j])
        np.testing.assert_allclose(nb.sigmoid(x).numpy(), 1 / (1 + np.exp(-x.numpy())), rtol=1e-6)
        np.testing.assert_allclose(F.silu(x).numpy(), x.numpy() / (1 + np.exp(-x.numpy())), rtol=1e-6)

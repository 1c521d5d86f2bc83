"""nbgrad.linalg: products. NBGRAD_ORACLE=torch runs it against PyTorch."""

import os

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same_mistake

GENERATOR = np.random.default_rng(3)


def array(*shape):
    return GENERATOR.normal(size=shape)


def tensor(x):
    return nb.tensor(x, dtype=nb.float64)


def test_a_chain_of_matrices_and_vectors():
    a, b, c, v = array(6, 2), array(2, 5), array(5, 3), array(3)
    for chain in ([a, b], [a, b, c], [b, c, v], [a[:, 0], a, b, c], [v, c.T, b.T, a[0]]):
        got = nb.linalg.multi_dot([tensor(x) for x in chain])
        np.testing.assert_allclose(got.numpy(), np.linalg.multi_dot(chain), rtol=1e-12)
    for wrong in ([a], [a, c], [a, array(2, 2, 2), b]):
        with pytest.raises(RuntimeError, match="multi_dot"):
            nb.linalg.multi_dot([tensor(x) for x in wrong])


def test_products_of_vectors():
    x, y = array(4, 3), array(4, 3)
    np.testing.assert_allclose(nb.linalg.vecdot(tensor(x), tensor(y)).numpy(), (x * y).sum(-1), rtol=1e-12)
    np.testing.assert_allclose(nb.linalg.vecdot(tensor(x), tensor(y), dim=0).numpy(), (x * y).sum(0), rtol=1e-12)
    np.testing.assert_allclose(nb.linalg.cross(tensor(x), tensor(y)).numpy(), np.cross(x, y), rtol=1e-12)
    moved = nb.linalg.cross(tensor(x.T), tensor(y.T), dim=0)
    np.testing.assert_allclose(moved.numpy(), np.cross(x, y).T, rtol=1e-12)
    broadcast = nb.linalg.cross(tensor(x), tensor(y[:1]))
    np.testing.assert_allclose(broadcast.numpy(), np.cross(x, y[:1]), rtol=1e-12)
    with pytest.raises(RuntimeError, match="3"):
        nb.linalg.cross(tensor(x), tensor(y), dim=0)


KINDS = [("float32", "float64"), ("int64", "float32"), ("complex64", "float32"), ("bool", "bool")]


@pytest.mark.skipif(nb.__name__ == "torch", reason="compares both")
@pytest.mark.parametrize("kinds", KINDS)
def test_a_cross_product_takes_one_dtype_as_pytorchs_does(kinds: tuple[str, str]) -> None:
    same_mistake(lambda m: m.linalg.cross(*[m.ones(3, dtype=getattr(m, kind)) for kind in kinds]))


def test_products_of_vectors_broadcast_but_for_two_vectors_of_different_lengths():
    x = array(3)
    got = nb.linalg.vecdot(tensor([[1.0], [2.0]]), tensor(x))
    np.testing.assert_allclose(got.numpy(), [x.sum(), 2 * x.sum()], rtol=1e-12)
    assert nb.linalg.vecdot(nb.ones(2, 1, 3), nb.ones(4, 3)).shape == (2, 4)
    for short in (1, 2):
        with pytest.raises(RuntimeError, match=rf"{short}.*3"):
            nb.linalg.vecdot(nb.ones(short), nb.ones(3))


@pytest.mark.skipif(os.environ.get("NBGRAD_ORACLE") == "torch", reason="PyTorch has no such products")
def test_products_of_vectors_of_integers_stay_in_their_dtype():
    x, y = nb.tensor([100, 2], dtype=nb.int8), nb.tensor([2, 3], dtype=nb.int8)
    assert nb.linalg.vecdot(x, y).dtype is nb.int8
    assert nb.linalg.vecdot(x, y).item() == np.vecdot(x.numpy(), y.numpy()) == -50
    assert nb.linalg.vecdot(x, y.short()).item() == 206
    assert nb.linalg.vecdot(x > 9, y > 1).item() is True


def test_powers_in_columns():
    x = array(2, 3)
    np.testing.assert_allclose(nb.linalg.vander(tensor(x[0])).numpy(), np.vander(x[0], increasing=True), rtol=1e-12)
    np.testing.assert_allclose(nb.linalg.vander(tensor(x), N=2)[..., 1].numpy(), x)
    assert nb.linalg.vander(nb.tensor([1, 2]), N=3).tolist() == [[1, 1, 1], [1, 2, 4]]


def test_a_diagonal_is_a_view():
    x = nb.zeros(2, 3, 3)
    nb.linalg.diagonal(x).add_(1)
    assert x.tolist() == nb.eye(3).expand(2, 3, 3).tolist()

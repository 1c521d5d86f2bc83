from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import nbgrad as nb

F = nb.nn.functional
X = np.array([[-3.0, -0.5, 0.0], [0.25, 1.0, 4.0]])


def test_linear_without_bias_and_with_a_vector_of_weights() -> None:
    x, w = nb.tensor(X), nb.tensor([1.0, 2.0, 3.0], dtype=nb.float64)
    np.testing.assert_allclose(F.linear(x, w).numpy(), X @ np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (F.relu, lambda x: np.maximum(x, 0)),
        (F.tanh, np.tanh),
        (F.sigmoid, special.expit),
        (F.gelu, lambda x: x * special.ndtr(x)),
        (
            lambda x: F.gelu(x, approximate="tanh"),
            lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        ),
        (lambda x: F.softmax(x, dim=1), lambda x: special.softmax(x, axis=1)),
        (lambda x: F.log_softmax(x, dim=0), lambda x: special.log_softmax(x, axis=0)),
    ],
)
def test_activations_agree_with_their_formulas(function: object, reference: object) -> None:
    np.testing.assert_allclose(function(nb.tensor(X)).numpy(), reference(X), rtol=1e-12, atol=1e-15)


def test_softmax_converts_first_and_warns_without_a_dim() -> None:
    x = nb.tensor(X, dtype=nb.float32)
    assert F.softmax(x, dim=1, dtype=nb.float64).dtype is nb.float64
    with pytest.warns(UserWarning, match="Implicit dimension"):
        implicit = F.softmax(x)
    assert implicit.tolist() == F.softmax(x, dim=1).tolist()


def test_one_hot_marks_classes() -> None:
    classes = nb.tensor([[0, 2], [1, 1]])
    expected = [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]]]
    assert F.one_hot(classes).tolist() == expected
    assert F.one_hot(classes, num_classes=4).shape == (2, 2, 4)
    assert F.one_hot(classes).dtype is nb.int64


def test_one_hot_refuses_what_is_no_class() -> None:
    with pytest.raises(RuntimeError if nb.__name__ == "torch" else ValueError, match="non-negative"):
        F.one_hot(nb.tensor([-1, 0]))
    with pytest.raises(RuntimeError if nb.__name__ == "torch" else ValueError, match="smaller than num_classes"):
        F.one_hot(nb.tensor([3]), num_classes=3)
    with pytest.raises(RuntimeError if nb.__name__ == "torch" else TypeError):
        F.one_hot(nb.tensor([1.0]))


def test_heads_of_keys_may_be_shared() -> None:
    q, k, v = nb.randn(2, 4, 3, 5), nb.randn(2, 2, 6, 5), nb.randn(2, 2, 6, 5)
    whole = [nb.stack([x[:, 0], x[:, 0], x[:, 1], x[:, 1]], 1) for x in (k, v)]
    shared = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    np.testing.assert_allclose(shared.numpy(), F.scaled_dot_product_attention(q, *whole).numpy(), rtol=1e-5, atol=1e-6)


def test_attention_drops_weights_at_random() -> None:
    q = nb.randn(2, 3, 5)
    nb.manual_seed(0)
    dropped = F.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
    assert dropped.tolist() != F.scaled_dot_product_attention(q, q, q).tolist()


def test_normalize_makes_rows_of_length_one() -> None:
    x = nb.tensor([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(F.normalize(x).numpy(), [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)
    np.testing.assert_allclose(F.normalize(x, p=1.0, dim=0).numpy(), [[1.0, 1.0], [0.0, 0.0]], rtol=1e-6)


def test_one_hot_of_each_example() -> None:
    i = nb.tensor([[0, 1], [2, 1]])
    assert nb.equal(nb.vmap(lambda x: F.one_hot(x, 3))(i), F.one_hot(i, 3))
    w = nb.rand(2, 3)
    grads = nb.vmap(nb.func.grad(lambda w, i: (w * F.one_hot(i, 3)).sum()))(w, i)
    assert nb.equal(grads, F.one_hot(i, 3).sum(1).float())
    assert nb.equal(nb.vmap(lambda x: F.one_hot(nb.tensor([0, 1])) * x.sum())(i)[1], 3 * nb.eye(2, dtype=nb.int64))
    with pytest.raises(ValueError, match="num_classes has to be given"):
        nb.vmap(F.one_hot)(i)
    with pytest.raises(IndexError, match="class 2 is out of bounds for 2 classes"):
        nb.vmap(lambda x: F.one_hot(x, 2))(i).tolist()

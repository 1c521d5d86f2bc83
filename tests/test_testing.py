"""``nbgrad.testing``. NBGRAD_ORACLE=torch runs it against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.testing import assert_close, make_tensor

X = nb.tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (X, X + 1e-6),
        (X, X.clone()),
        ([X, 1.0], [X, 1.0]),
        ({"a": X}, {"a": X}),
        (np.ones(2), np.ones(2)),
        (3, 3),
        (None, None),
        (nb.tensor([1, 2]), nb.tensor([1, 2])),
        (nb.tensor([True]), nb.tensor([True])),
        (nb.tensor(float("inf")), nb.tensor(float("inf"))),
    ],
)
def test_what_is_close(actual: Any, expected: Any) -> None:
    assert_close(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        (X, X + 1, "Mismatched elements: 2 / 2"),
        (X, X.double(), "dtype"),
        (X, nb.ones(3), "shape"),
        ([X], [X, X], "length"),
        ({"a": X}, {"b": X}, "keys"),
        ([X, X], [X, X + 1], r"\[1\]"),
        (1.0, 2.0, "Scalars are not"),
        (nb.tensor([1, 2]), nb.tensor([1, 3]), "not equal"),
        (nb.tensor(float("nan")), nb.tensor(float("nan")), "not close"),
    ],
)
def test_what_is_not_close_says_why(actual: Any, expected: Any, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected)
    with pytest.raises(AssertionError, match="mine"):
        assert_close(actual, expected, msg="mine")


def test_tolerances_and_what_is_looked_at() -> None:
    assert_close(X, X + 0.1, rtol=0, atol=0.2)
    assert_close(X, X.double(), check_dtype=False)
    assert_close(X * float("nan"), X * float("nan"), equal_nan=True)
    with pytest.raises(ValueError, match="rtol"):
        assert_close(X, X, rtol=1e-3)
    with pytest.raises(AssertionError, match=r"stride"):
        assert_close(nb.ones(2, 2).t() * 1, nb.ones(4)[::2].expand(2, 2), check_stride=True)
    with pytest.raises(TypeError):
        assert_close(object(), 1)


def test_tensors_to_test_with() -> None:
    for dtype in (nb.float32, nb.float64, nb.int64, nb.uint8, nb.bool):
        x = make_tensor((20, 3), dtype=dtype, device="cpu")
        assert x.shape == (20, 3) and x.dtype is dtype
    x = make_tensor(50, dtype=nb.int64, device="cpu", low=0, high=2, exclude_zero=True)
    assert set(x.tolist()) == {1}
    strided = make_tensor(4, 3, dtype=nb.float32, device="cpu", noncontiguous=True, requires_grad=True)
    assert not strided.is_contiguous() and strided.requires_grad and strided.abs().max() <= 9
    with pytest.raises(ValueError):  # noqa: PT011
        make_tensor(2, dtype=nb.float32, device="cpu", low=2, high=1)

"""Python's operators with everything that may stand beside a tensor."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb


def test_bools_are_numbers_beside_a_tensor() -> None:
    x = nb.tensor([1.0, 2.0])
    assert (x + True).tolist() == (True + x).tolist() == [2.0, 3.0]
    assert (x * False).tolist() == [0.0, 0.0]
    x += True
    assert x.tolist() == [2.0, 3.0]


def test_arrays_are_taken_in_on_either_side() -> None:
    x, a = nb.ones(3), np.arange(3.0)
    assert (x + a).tolist() == (a + x).tolist() == [1.0, 2.0, 3.0]
    assert (np.eye(3) @ x.double()).tolist() == [1.0] * 3


def test_an_integer_beyond_64_bits_is_refused() -> None:
    with pytest.raises(RuntimeError, match="64 bits"):
        nb.ones(2) + 2**70


def test_flat_functions_have_zero_derivatives() -> None:
    for name in ("floor", "ceil", "trunc", "round", "sign"):
        x = nb.tensor([1.5, -2.5], requires_grad=True)
        getattr(x, name)().sum().backward()
        assert x.grad.tolist() == [0.0, 0.0], name

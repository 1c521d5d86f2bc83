"""var and std, alone and with the mean, in each form of their calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

X = np.array([[1.0, 4.0, 2.0], [3.0, -5.0, 0.5]])


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize(
    ("args", "named", "axis", "correction", "keep"),
    [
        ((), {}, None, 1, False),
        ((False,), {}, None, 0, False),
        ((True,), {}, None, 1, False),
        ((), {"unbiased": False}, None, 0, False),
        ((1, False), {}, 1, 0, False),
        ((1, False, True), {}, 1, 0, True),
        (((0, 1), True, True), {}, (0, 1), 1, True),
        ((None, False), {"keepdim": True}, None, 0, True),
        ((-1,), {"correction": 2}, 1, 2, False),
        ((-1,), {"correction": 0.5}, 1, 0.5, False),
        ((0,), {"correction": None, "keepdim": True}, 0, 1, True),
        ((), {"axis": 1, "keepdims": True, "correction": 0}, 1, 0, True),
    ],
)
def test_every_form_means_the_same(name: str, args: Any, named: Any, axis: Any, correction: float, keep: bool) -> None:
    variance = np.var(X, axis, ddof=correction, keepdims=keep)  # type: ignore[call-overload]
    want = [np.sqrt(variance) if name.startswith("std") else variance, X.mean(axis, keepdims=keep)]
    x = nb.tensor(X)
    for function in [getattr(nb, name)] + ([getattr(nb.Tensor, name)] if name in ("var", "std") else []):
        got = function(x, *args, **named)
        for g, w in zip(got if name.endswith("_mean") else [got], want, strict=False):
            assert g.shape == w.shape
            np.testing.assert_allclose(g.numpy(), w, rtol=1e-14)


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((), {"dim": True}),
        ((True,), {"keepdim": True}),
        ((True, True), {}),
        ((False,), {"correction": 1}),
        ((0,), {"unbiased": None}),
        ((), {"unbiased": None}),
        ((), {"unbiased": True, "keepdim": True}),
        ((0, True), {"correction": 1}),
        ((0, 1), {}),
        ((0, True, False, 1), {}),
        ((0,), {"correction": "1"}),
        ((), {"axes": 0}),
    ],
)
def test_what_fits_no_form_is_refused(name: str, args: Any, named: Any) -> None:
    with pytest.raises(TypeError, match=name):
        getattr(nb, name)(nb.tensor(X), *args, **named)


def test_both_have_their_derivatives() -> None:
    x = nb.tensor(X, requires_grad=True)
    assert nb.autograd.gradcheck(lambda a: nb.var_mean(a, 1), (x,))
    assert nb.autograd.gradcheck(lambda a: nb.std_mean(a, 0, correction=0), (x,))


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize(("shape", "dim", "correction"), [((2, 3), 1, 3), ((), None, 1), ((4, 0), 1, 0), (2, 0, 5.5)])
def test_too_few_degrees_of_freedom_warn(name: str, shape: Any, dim: Any, correction: float) -> None:
    for dtype in (nb.float32, nb.complex64):
        with pytest.warns(UserWarning, match=r"\(\): degrees of freedom is <= 0") as found:
            getattr(nb, name)(nb.ones(shape, dtype=dtype), dim, correction=correction)
        assert [w.filename for w in found] == [__file__]


@pytest.mark.parametrize("name", ["max", "min", "median"])
def test_keepdim_without_a_dim_is_refused(name: str) -> None:
    for function in (getattr(nb, name), getattr(nb.Tensor, name)):
        for keep in (True, False):
            with pytest.raises(TypeError, match=rf"{name}\(\): 'keepdim' needs a 'dim'"):
                function(nb.tensor(X), keepdim=keep)

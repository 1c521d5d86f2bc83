"""Pools of all kinds beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same, same_mistake
from tests.samples import floats

F = nb.nn.functional
X1, X2, X3 = floats(2, 3, 9), floats(2, 3, 7, 6), floats(1, 2, 5, 4, 6)
U2, U3 = np.random.default_rng(1).random((2, 3, 2)), np.random.default_rng(2).random((1, 2, 3))

PROGRAMS: dict[str, tuple[Any, ...]] = {
    "max1": (lambda t, x: t.nn.functional.max_pool1d(x, 3, 2, 1, 2, return_indices=True), X1),
    "max1 ceil": (lambda t, x: t.nn.functional.max_pool1d_with_indices(x, 4, 3, ceil_mode=True), X1[0]),
    "max2": (lambda t, x: t.nn.functional.max_pool2d(x, (3, 2), (2, 1), (1, 0), return_indices=True), X2),
    "max2 ceil": (lambda t, x: t.nn.functional.max_pool2d(x, 3, 2, 1, 1, True, True), X2[0]),
    "max2 plain": (lambda t, x: t.nn.functional.max_pool2d(x, 3, 2, 1), X2),
    "max3": (lambda t, x: t.nn.functional.max_pool3d(x, 2, 2, 1, return_indices=True), X3),
    "max3 plain": (lambda t, x: t.nn.functional.max_pool3d(x, (3, 2, 2), 1), X3),
    "adaptive1": (lambda t, x: t.nn.functional.adaptive_max_pool1d(x, 4, return_indices=True), X1),
    "adaptive2": (lambda t, x: t.nn.functional.adaptive_max_pool2d(x, (3, None), True), X2),
    "adaptive2 even": (lambda t, x: t.nn.functional.adaptive_max_pool2d(x, (7, 2), True), X2),
    "adaptive2 more": (lambda t, x: t.nn.functional.adaptive_max_pool2d(x, 8), X2[0]),
    "adaptive3": (lambda t, x: t.nn.functional.adaptive_max_pool3d(x, (2, 3, 4), True), X3),
    "fractional2": (
        lambda t, x, u: t.nn.functional.fractional_max_pool2d(x, 2, (4, 3), None, True, u.detach()),
        X2,
        U2,
    ),
    "fractional2 ratio": (
        lambda t, x, u: t.nn.functional.fractional_max_pool2d(x, (2, 3), None, (0.5, 0.6), False, u.detach()),
        X2,
        U2,
    ),
    "fractional2 one": (lambda t, x, u: t.nn.functional.fractional_max_pool2d(x, 2, 1, None, True, u.detach()), X2, U2),
    "fractional3": (
        lambda t, x, u: t.nn.functional.fractional_max_pool3d(x, 2, (3, 2, 4), None, True, u.detach()),
        X3,
        U3,
    ),
    "avg3": (lambda t, x: t.nn.functional.avg_pool3d(x, 3, 2, 1, True, False), X3),
    "avg3 divisor": (lambda t, x: t.nn.functional.avg_pool3d(x, (2, 1, 3), divisor_override=5), X3[0]),
    "mean3": (lambda t, x: t.nn.functional.adaptive_avg_pool3d(x, (2, None, 4)), X3),
    "mean3 one": (lambda t, x: t.nn.functional.adaptive_avg_pool3d(x, 1), X3),
    "lp1": (lambda t, x: t.nn.functional.lp_pool1d(x, 3, 2, 1), abs(X1)),
    "lp2": (lambda t, x: t.nn.functional.lp_pool2d(x, 2, (2, 3), 2, True), X2),
    "lp3": (lambda t, x: t.nn.functional.lp_pool3d(x, 2.0, 2), X3),
    "unfold": (lambda t, x: t.nn.functional.unfold(x, (2, 3), 1, (1, 2), 2), X2),
    "unfold dilated": (lambda t, x: t.nn.functional.unfold(x, 2, (3, 2)), X2[0]),
    "fold": (lambda t, x: t.nn.functional.fold(x, (6, 7), (2, 3), 1, (1, 0), (2, 2)), floats(2, 12, 12)),
    "fold dilated": (lambda t, x: t.nn.functional.fold(x, 5, 2, dilation=2), floats(8, 9)),
    "unpool1": (
        lambda t, x: t.nn.functional.max_unpool1d(*t.nn.functional.max_pool1d(x, 2, 2, return_indices=True), 2),
        X1,
    ),
    "unpool2": (
        lambda t, x: t.nn.functional.max_unpool2d(
            *t.nn.functional.max_pool2d(x, 2, 2, return_indices=True), 2, output_size=x.shape
        ),
        X2,
    ),
    "unpool3": (
        lambda t, x: t.nn.functional.max_unpool3d(*t.nn.functional.max_pool3d(x, 2, 2, return_indices=True), 2),
        X3,
    ),
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_pools_are_pytorchs(name: str) -> None:
    same(*PROGRAMS[name])


def test_nan_and_infinity_are_found_where_pytorch_finds_them() -> None:
    x = X2.copy()
    x[0, 0, 2, 3] = np.nan
    x[1, 1] = -np.inf
    same(lambda t, a: t.nn.functional.max_pool2d(a, 3, 2, 1, return_indices=True), x, order=0)
    same(lambda t, a: t.nn.functional.adaptive_max_pool2d(a, (2, 3), return_indices=True), x, order=0)


I2 = np.zeros((2, 3, 7, 6), np.int64)


@pytest.mark.parametrize(
    ("program", "arrays"),
    [
        (lambda t, x: t.nn.functional.max_pool2d(x, 9, return_indices=True), [X2]),
        (lambda t, x: t.nn.functional.max_pool3d(x, 2, padding=2), [X3]),
        (lambda t, x: t.nn.functional.adaptive_max_pool2d(x, -1), [X2]),
        (lambda t, x: t.nn.functional.adaptive_max_pool2d(x[0, 0], 2), [X2]),
        (lambda t, x: t.nn.functional.fractional_max_pool2d(x, 2), [X2]),
        (lambda t, x: t.nn.functional.fractional_max_pool2d(x, 2, output_ratio=(1.5, 0.5)), [X2]),
        (lambda t, x: t.nn.functional.fractional_max_pool2d(x, 2, output_size=9), [X2]),
        (lambda t, x, i: t.nn.functional.max_unpool2d(x, i[:1], 2), [X2, I2]),
        (lambda t, x, i: t.nn.functional.max_unpool2d(x, i, 2, output_size=(99, 99)), [X2, I2]),
        (lambda t, x, i: t.nn.functional.max_unpool2d(x, i + 999, 2), [X2, I2]),
        (lambda t, x: t.nn.functional.max_unpool2d(x, x, 2), [X2]),
        (lambda t, x: t.nn.functional.unfold(x, 9), [X2]),
        (lambda t, x: t.nn.functional.unfold(x, 0), [X2]),
        (lambda t, x: t.nn.functional.fold(x, 5, 2), [X2[0]]),
        (lambda t, x: t.nn.functional.avg_pool3d(x, 2, divisor_override=0), [X3]),
    ],
)
def test_mistakes_are_pytorchs(program: Any, arrays: Any) -> None:
    same_mistake(program, *arrays)

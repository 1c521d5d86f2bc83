"""Linear algebra by its older names."""

from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats

A = floats(3, 3) + 4 * np.eye(3)


def test_factors_are_those_of_linalg() -> None:
    a = nb.tensor(A @ A.T)
    for upper in (False, True):
        assert nb.cholesky(a, upper).tolist() == nb.linalg.cholesky(a, upper=upper).tolist()
    tall = a[:, :2]
    for some, mode in ((True, "reduced"), (False, "complete")):
        for got, want in zip(tall.qr(some), nb.linalg.qr(tall, mode), strict=True):
            assert got.tolist() == want.tolist()


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_systems(upper: bool, transpose: bool, unit: bool) -> None:
    b = floats(3, 2)
    full = np.triu(A) if upper else np.tril(A)
    if unit:
        full = full - np.diag(np.diag(full)) + np.eye(3)
    got = nb.tensor(b).triangular_solve(nb.tensor(A), upper, transpose, unit)
    np.testing.assert_allclose(got.solution.numpy(), np.linalg.solve(full.T if transpose else full, b), rtol=1e-5)
    np.testing.assert_array_equal(got.cloned_coefficient.numpy(), nb.tensor(A).numpy())


def test_chains() -> None:
    a, b, c = (nb.tensor(floats(n, m)) for n, m in ((2, 3), (3, 4), (4, 2)))
    assert nb.chain_matmul(a, b, c).tolist() == nb.linalg.multi_dot([a, b, c]).tolist()
    assert nb.chain_matmul(a).tolist() == a.tolist()
    with pytest.raises(RuntimeError, match="one or more matrices"):
        nb.chain_matmul()

"""What the tests of nbgrad.linalg compare with: float64, NumPy, differences."""

import numpy as np

import nbgrad as nb


def tensor(x, **kinds):
    return nb.tensor(x, dtype=nb.float64, **kinds)


def check(f, *arrays, second=False):
    """The derivative of ``f``; the second one too, where tests/ops has no differences of the operator's."""
    inputs = tuple(tensor(x, requires_grad=True) for x in arrays)
    assert nb.autograd.gradcheck(f, inputs)
    assert not second or nb.autograd.gradgradcheck(f, inputs)


def close(got, want, rtol=1e-12):
    np.testing.assert_allclose(got.detach().numpy(), want, rtol=rtol, atol=rtol)

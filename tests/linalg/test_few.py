"""Functions of linear algebra that few programs use, beside SciPy and NumPy; NBGRAD_ORACLE=torch runs it on PyTorch."""

import numpy as np
import pytest
import scipy.linalg

import nbgrad as nb
from tests.linalg.checks import check, close, tensor

GENERATOR = np.random.default_rng(7)
SQUARE = GENERATOR.normal(size=(2, 3, 3)) + 2 * np.eye(3)[::-1]
TALL = GENERATOR.normal(size=(4, 3)) + 2 * np.eye(4, 3)[::-1]
WIDE = GENERATOR.normal(size=(2, 3, 5)) + 2 * np.eye(3, 5)[::-1]
SHAPES = [SQUARE, TALL, WIDE]
RIGHT = GENERATOR.normal(size=(2, 3, 2))
SYMMETRIC = SQUARE + np.swapaxes(SQUARE, -1, -2)
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


@pytest.mark.parametrize("a", SHAPES)
def test_lu_factors_multiply_to_the_matrix(a):
    p, lower, upper = nb.linalg.lu(tensor(a))
    close(p @ lower @ upper, a)
    close(lower, np.tril(lower.numpy()))
    close(upper, np.triu(upper.numpy()))
    close(lower.diagonal(0, -2, -1), np.ones((*a.shape[:-2], min(a.shape[-2:]))))
    packed, pivots, info = nb.linalg.lu_factor_ex(tensor(a))
    assert pivots.dtype is nb.int32 and not info.any()
    for got, want in zip(nb.lu_unpack(packed, pivots), (p, lower, upper), strict=True):
        close(got, want.numpy())
    check(lambda x: nb.linalg.lu(x)[1:], a, second=a is TALL)
    close(tensor(a).lu(get_infos=True)[0], packed.numpy())


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_solutions_by_lu_factors(left, adjoint):
    b = RIGHT if left else np.swapaxes(RIGHT, -1, -2)
    wanted = np.swapaxes(SQUARE, -1, -2) if adjoint else SQUARE
    found = nb.linalg.lu_solve(*nb.linalg.lu_factor(tensor(SQUARE)), tensor(b), left=left, adjoint=adjoint)
    close(tensor(wanted) @ found if left else found @ tensor(wanted), b)
    pivots = nb.linalg.lu_factor(tensor(SQUARE)).pivots
    check(lambda lu, y: nb.linalg.lu_solve(lu, pivots[0], y, left=left, adjoint=adjoint), SQUARE[0], b[0])
    close(tensor(RIGHT).lu_solve(*tensor(SQUARE).lu()), np.linalg.solve(SQUARE, RIGHT))


def test_singular_matrices_have_factors_and_say_so():
    factors = nb.linalg.lu(tensor(SINGULAR))
    close(factors.P @ factors.L @ factors.U, SINGULAR)
    assert nb.linalg.lu_factor_ex(tensor(SINGULAR)).info.item() == 2
    assert nb.linalg.lu_factor_ex(tensor(np.zeros((0, 3)))).info.item() == 0
    for refused in (nb.linalg.lu_factor, lambda a: nb.linalg.lu_factor_ex(a, check_errors=True)):
        with pytest.raises(RuntimeError, match="is zero"):
            refused(tensor(SINGULAR))
    with pytest.raises(RuntimeError, match="pivoting"):
        nb.linalg.lu(tensor(SINGULAR), pivot=False)
    with pytest.raises(RuntimeError, match="pivots"):
        nb.linalg.lu_solve(tensor(SINGULAR), nb.zeros(2, dtype=nb.int32), tensor(SINGULAR))


@pytest.mark.parametrize("a", SHAPES)
def test_reflections_multiply_to_the_orthogonal_factor(a):
    packed, tau = nb.geqrf(tensor(a))
    q, r = np.linalg.qr(a, "complete")
    close(packed.triu(), r)
    m, n = a.shape[-2:]
    if m >= n:
        close(nb.linalg.householder_product(packed, tau), q[..., :n])
        close(nb.orgqr(packed, tau), q[..., :n])
    c = GENERATOR.normal(size=(*a.shape[:-2], m, 2))
    close(nb.ormqr(packed, tau, tensor(c)), q @ c)
    close(packed.ormqr(tau, tensor(c), True, True), np.swapaxes(q, -1, -2) @ c)
    close(packed.ormqr(tau, tensor(c).mT, False), np.swapaxes(c, -1, -2) @ q)
    if a is TALL:
        check(nb.orgqr, packed.numpy(), tau.numpy(), second=True)
        check(nb.ormqr, packed.numpy(), tau.numpy(), c)
    with pytest.raises(RuntimeError, match=r"derivative|geqrf"):
        nb.geqrf(tensor(a, requires_grad=True)).a.sum().backward()


def test_symmetric_factors_solve():
    factors, pivots = nb.linalg.ldl_factor(tensor(SYMMETRIC))
    assert pivots.dtype is nb.int32 and not factors.triu(1).any()
    close(nb.linalg.ldl_solve(factors, pivots, tensor(RIGHT)), np.linalg.solve(SYMMETRIC, RIGHT))
    close(nb.linalg.ldl_solve(factors, pivots, tensor(RIGHT[0])), np.linalg.solve(SYMMETRIC, RIGHT[:1]))
    assert nb.linalg.ldl_factor_ex(tensor(np.zeros((2, 2)))).info.item() == 1
    with pytest.raises(RuntimeError, match="zero"):
        nb.linalg.ldl_factor(tensor(np.zeros((2, 2))))
    with pytest.raises(RuntimeError, match="derivative"):
        nb.linalg.ldl_factor(tensor(SYMMETRIC, requires_grad=True)).LD.sum().backward()


@pytest.mark.parametrize("size", [1e-9, 0.3, 3.0, 40.0])
def test_the_exponential_of_matrices(size):
    a = SQUARE / 5 * size
    close(nb.linalg.matrix_exp(tensor(a)), scipy.linalg.expm(a), rtol=1e-11 * np.exp(size))
    small = nb.matrix_exp(nb.tensor(a[0], dtype=nb.float32)).numpy()
    np.testing.assert_allclose(small, scipy.linalg.expm(a[0]), rtol=1e-4, atol=1e-5 * np.abs(small).max())
    if size < 1:
        check(lambda x: x.matrix_exp(), a[0], second=size < 0.1)
    assert nb.linalg.matrix_exp(nb.zeros(2, 0, 0)).shape == (2, 0, 0)


def test_exponentials_of_many_examples():
    close(nb.func.vmap(nb.linalg.matrix_exp, in_dims=1)(tensor(SQUARE.swapaxes(0, 1))), scipy.linalg.expm(SQUARE))
    twice = tensor(np.stack([SQUARE, 9 * SQUARE]))
    found = nb.func.vmap(nb.func.vmap(nb.func.grad(lambda x: x.matrix_exp().sum())))(twice)
    for a, g in zip(twice.flatten(0, 1), found.flatten(0, 1), strict=True):
        close(g, nb.func.grad(lambda x: x.matrix_exp().sum())(a), rtol=1e-10)


@pytest.mark.parametrize("dtype", [nb.float64, nb.complex128])
def test_solutions_by_factors_of_many_examples(dtype):
    a, b = tensor(SQUARE).to(dtype), tensor(SQUARE[0]).to(dtype)

    def solved(x):
        return nb.linalg.lu_solve(*nb.linalg.lu_factor(x), b)

    close(nb.func.vmap(solved)(a), nb.linalg.solve(a, b.expand(a.shape)))
    close(nb.func.vmap(lambda x: nb.lu_unpack(*nb.linalg.lu_factor(x))[0])(a), nb.linalg.lu(a)[0])
    with pytest.raises(RuntimeError, match="is zero"):
        nb.func.vmap(solved)(nb.zeros(2, *b.shape, dtype=dtype))


def test_unchecked_forms_say_how_it_went():
    both = tensor(np.stack([SINGULAR, np.eye(2) * 4]))
    found, info = nb.linalg.inv_ex(both)
    assert info.tolist() == [2, 0] and info.dtype is nb.int32
    close(found[1], np.eye(2) / 4)
    close(nb.linalg.solve_ex(both, nb.ones(2, 2, dtype=nb.float64)).result[1], [0.25, 0.25])
    lower, minors = nb.linalg.cholesky_ex(tensor(np.stack([[[1.0, 2.0], [2.0, 1.0]], np.eye(2) * 4])))
    assert minors.tolist() == [2, 0]
    close(lower[1], np.eye(2) * 2)
    positive = SQUARE @ np.swapaxes(SQUARE, -1, -2)
    close(nb.linalg.cholesky_ex(tensor(positive), upper=True).L, np.swapaxes(np.linalg.cholesky(positive), -1, -2))
    check(lambda x: nb.linalg.inv_ex(x).inverse, SQUARE[0])
    check(lambda x, y: nb.linalg.solve_ex(x, y).result, SQUARE[0], RIGHT[0])
    check(lambda x: nb.linalg.cholesky_ex(x @ x.mT).L, SQUARE[0])
    for refused in (nb.linalg.inv_ex, nb.linalg.cholesky_ex, lambda a, **k: nb.linalg.solve_ex(a, a, **k)):
        with pytest.raises(nb.linalg.LinAlgError):
            refused(tensor(SINGULAR - np.eye(2) * (refused is nb.linalg.cholesky_ex)), check_errors=True)


@pytest.mark.parametrize("a", SHAPES)
def test_older_singular_values(a):
    u, s, v = tensor(a).svd()
    close(u * s.unsqueeze(-2) @ v.mT, a)
    zeros = nb.svd(tensor(a), compute_uv=False)
    assert not zeros.U.any() and zeros.V.shape[-1] == a.shape[-1]
    for found in (nb.svd_lowrank(tensor(a), 3), nb.pca_lowrank(tensor(a), 3, center=False)):
        close(found.S, np.linalg.svd(a)[1], rtol=1e-9)
        close(found.U * found.S.unsqueeze(-2) @ found.V.mT, a, rtol=1e-9)
    centred = a - a.mean(-2, keepdims=True)
    close(nb.pca_lowrank(tensor(a), 2).S, np.linalg.svd(centred)[1][..., :2], rtol=1e-3)
    with pytest.raises(ValueError, match="q"):
        nb.svd_lowrank(tensor(a), 4)


def test_ldl_factors_of_the_examples_of_vmap_are_those_of_a_batch():
    factors, pivots = nb.func.vmap(nb.linalg.ldl_factor)(tensor(SYMMETRIC))
    want = nb.linalg.ldl_factor(tensor(SYMMETRIC))
    close(factors, want.LD.numpy())
    close(pivots, want.pivots.numpy())
    one = tensor(RIGHT[0])  # of all examples
    found = nb.func.vmap(lambda lower, swaps: nb.linalg.ldl_solve(lower, swaps, one))(factors, pivots)
    close(found, np.linalg.solve(SYMMETRIC, RIGHT[:1]))
    with pytest.raises(RuntimeError, match="could not be completed"):
        nb.func.vmap(nb.linalg.ldl_factor)(nb.zeros(2, 3, 3))

"""nbgrad.linalg: inverses, solutions, determinants, powers. NBGRAD_ORACLE=torch runs it against PyTorch."""

import numpy as np
import pytest

import nbgrad as nb
from tests.linalg.checks import check, close, tensor

GENERATOR = np.random.default_rng(7)
SQUARES = GENERATOR.normal(size=(2, 3, 3)) + 3 * np.eye(3)
POSITIVE = SQUARES @ SQUARES.swapaxes(-1, -2)
RIGHT = GENERATOR.normal(size=(2, 3, 2))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def test_an_inverse_is_numpys_and_has_its_derivatives():
    close(nb.linalg.inv(tensor(SQUARES)), np.linalg.inv(SQUARES))
    close(nb.inverse(tensor(SQUARES).mT), np.linalg.inv(SQUARES.swapaxes(-1, -2)))
    close(tensor(SQUARES).inverse(), np.linalg.inv(SQUARES))
    assert nb.linalg.inv(nb.zeros(2, 0, 0)).shape == (2, 0, 0)
    check(nb.linalg.inv, SQUARES)


@pytest.mark.parametrize("left", [True, False])
def test_solutions_of_matrices_from_either_side(left):
    right = RIGHT if left else RIGHT.swapaxes(-1, -2)
    got = nb.linalg.solve(tensor(SQUARES), tensor(right), left=left)
    close(tensor(SQUARES) @ got if left else got @ tensor(SQUARES), right)
    check(lambda a, b: nb.linalg.solve(a, b, left=left), SQUARES[0], right[0])


def test_right_sides_that_are_vectors_and_batches_that_broadcast():
    a, vectors = tensor(SQUARES), RIGHT[..., 0]
    close(nb.linalg.solve(a, tensor(vectors)), np.linalg.solve(SQUARES, vectors[..., None])[..., 0])
    close(nb.linalg.solve(a[0], tensor(vectors[1])), np.linalg.solve(SQUARES[0], vectors[1]))
    close(nb.linalg.solve(a, tensor(RIGHT[0])), np.linalg.solve(SQUARES, RIGHT[0]))
    close(nb.linalg.solve(a[0], tensor(RIGHT)), np.linalg.solve(SQUARES[0], RIGHT))
    check(nb.linalg.solve, SQUARES, RIGHT[0, :, :1])
    assert nb.linalg.solve(a, nb.zeros(2, 3, 0, dtype=nb.float64)).shape == (2, 3, 0)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("unitriangular", [True, False])
def test_triangular_systems_read_one_triangle(upper, left, unitriangular):
    right = RIGHT if left else RIGHT.swapaxes(-1, -2)
    whole = np.triu(SQUARES) if upper else np.tril(SQUARES)
    if unitriangular:
        whole = whole * (1 - np.eye(3)) + np.eye(3)
    options = {"upper": upper, "left": left, "unitriangular": unitriangular}
    got = nb.linalg.solve_triangular(tensor(SQUARES), tensor(right), **options)
    close(tensor(whole) @ got if left else got @ tensor(whole), right)
    check(lambda a, b: nb.linalg.solve_triangular(a, b, **options), SQUARES[0], right)


@pytest.mark.parametrize("upper", [True, False])
def test_a_cholesky_factor_and_what_is_solved_with_it(upper):
    factor = nb.linalg.cholesky(tensor(POSITIVE), upper=upper)
    want = np.linalg.cholesky(POSITIVE)
    close(factor, want.swapaxes(-1, -2) if upper else want)
    close(nb.cholesky_solve(tensor(RIGHT), factor, upper), np.linalg.solve(POSITIVE, RIGHT))
    close(nb.cholesky_inverse(factor, upper), np.linalg.inv(POSITIVE))
    check(lambda a: nb.linalg.cholesky(a @ a.mT + nb.eye(3, dtype=nb.float64), upper=upper), SQUARES[0], second=True)
    a = tensor(POSITIVE, requires_grad=True)
    nb.linalg.cholesky(a, upper=upper).sum().backward()
    close(a.grad, a.grad.mT.numpy())


def test_determinants_and_their_logarithms():
    a = tensor(SQUARES)
    close(nb.linalg.det(a), np.linalg.det(SQUARES))
    close(nb.det(-a), np.linalg.det(-SQUARES))
    sign, size = nb.linalg.slogdet(-a)
    assert sign.tolist() == np.sign(np.linalg.det(-SQUARES)).tolist()
    close(size, np.linalg.slogdet(SQUARES)[1])
    close(a.logdet(), np.log(np.linalg.det(SQUARES)))
    assert np.isnan(nb.logdet(tensor([[-1.0]])).item())
    assert nb.linalg.det(nb.zeros(3, 0, 0)).tolist() == [1.0, 1.0, 1.0]
    check(nb.linalg.det, SQUARES)
    check(lambda a: nb.linalg.slogdet(a).logabsdet, SQUARES)


def test_the_sign_of_a_determinant_is_a_constant_in_derivatives():
    def again(a):
        sign, size = nb.linalg.slogdet(a)
        return sign * size.exp()

    close(again(tensor(SQUARES)), np.linalg.det(SQUARES))
    check(again, SQUARES, second=True)
    a = tensor(SQUARES, requires_grad=True)
    nb.linalg.slogdet(a).sign.sum().backward()
    assert a.grad is None or not a.grad.any()


def test_a_singular_matrix_has_a_determinant_with_a_derivative():
    a = tensor(SINGULAR, requires_grad=True)
    determinant = nb.linalg.det(a)
    assert determinant.item() == 0
    assert nb.linalg.slogdet(a).logabsdet.item() == -np.inf
    if nb.__name__ == "nbgrad":  # PyTorch's is 0, which differences say it is not
        determinant.backward()
        close(a.grad, [[4.0, -2.0], [-2.0, 1.0]])


@pytest.mark.parametrize(("size", "rank"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (4, 2), (4, 3), (4, 4)])
def test_second_derivatives_of_a_determinant_at_a_singular_matrix(size, rank):
    """A determinant is linear in each element: a difference of four is its second derivative."""
    rng = np.random.default_rng(size * 10 + rank)
    matrix = rng.normal(size=(size, rank)) @ rng.normal(size=(rank, size))
    steps = np.eye(size * size).reshape(-1, size, size)
    want = np.zeros((size * size, size * size))
    for i, a in enumerate(steps):
        for j, b in enumerate(steps):
            if i != j:
                signs = [(s, t) for s in (1, -1) for t in (1, -1)]
                want[i, j] = sum(s * t * np.linalg.det(matrix + s * a + t * b) for s, t in signs) / 4
    found = nb.func.hessian(nb.linalg.det)(tensor(matrix))
    close(found.reshape(size * size, size * size), want, rtol=1e-9)


def test_powers_of_a_matrix():
    for n in (-2, 0, 1, 2, 5):
        close(nb.linalg.matrix_power(tensor(SQUARES), n), np.linalg.matrix_power(SQUARES, n), rtol=1e-11)
    check(lambda a: a.matrix_power(3), SQUARES[0] / 3)


def test_tensors_as_linear_maps():
    a = GENERATOR.normal(size=(2, 3, 6)) + np.eye(6).reshape(2, 3, 6)
    close(nb.linalg.tensorinv(tensor(a), 2), np.linalg.tensorinv(a, 2), rtol=1e-10)
    close(nb.linalg.tensorsolve(tensor(a), tensor(a[..., 0])), np.linalg.tensorsolve(a, a[..., 0]), rtol=1e-10)


def test_a_matrix_that_cannot_be_inverted_is_an_error_when_somebody_looks():
    for f in (
        lambda: nb.linalg.inv(tensor(SINGULAR)),
        lambda: nb.linalg.solve(tensor(SINGULAR), tensor(SINGULAR)),
        lambda: nb.linalg.cholesky(-tensor(SINGULAR)),
        lambda: nb.linalg.inv(tensor([SQUARES[0][:2, :2], SINGULAR])),
    ):
        with pytest.raises(nb.linalg.LinAlgError, match=r"linalg\.\w+: .*(singular|positive-definite)"):
            f().tolist()
    assert issubclass(nb.linalg.LinAlgError, RuntimeError)


@pytest.mark.parametrize("place", [(0, 0, 0), (1, 2, 0), (1, 2, 2)])
def test_what_is_not_a_number_is_not_positive_definite(place):
    a = np.array(POSITIVE)
    a[place] = np.nan
    with pytest.raises(nb.linalg.LinAlgError, match="positive-definite"):
        nb.linalg.cholesky(tensor(a)).tolist()


@pytest.mark.parametrize("a", [np.full((3, 3), np.inf), np.full((40, 40), np.inf), np.diag([np.inf, 1.0, 1.0])])
@pytest.mark.parametrize("dtype", [nb.float32, nb.float64])
def test_what_is_divided_by_an_infinite_root_is_not_positive_definite(a, dtype):
    with pytest.raises(nb.linalg.LinAlgError, match="positive-definite"):
        nb.linalg.cholesky(tensor(a).to(dtype)).tolist()


def test_a_last_root_may_be_infinite():
    a = tensor([[1.0, 2.0], [2.0, np.inf]])
    assert nb.linalg.cholesky(a).tolist() == [[1.0, 0.0], [2.0, np.inf]]
    assert nb.linalg.cholesky(a, upper=True).tolist() == [[1.0, 2.0], [0.0, np.inf]]


def test_inputs_that_do_not_fit():
    square, wide = tensor(SQUARES), tensor(RIGHT)
    for f in (
        lambda: nb.linalg.inv(wide),
        lambda: nb.linalg.inv(square[0, 0]),
        lambda: nb.linalg.det(wide),
        lambda: nb.linalg.inv(nb.ones(2, 2, dtype=nb.int64)),
        lambda: nb.linalg.solve(square, wide.mT),
        lambda: nb.linalg.solve(square, wide.float()),
        lambda: nb.linalg.solve_triangular(square, wide[0, 0], upper=True),
        lambda: nb.linalg.matrix_power(wide, 2),
        lambda: nb.linalg.tensorinv(square, 0),
    ):
        with pytest.raises(RuntimeError, match=r"linalg\.|ind|solve"):
            f()


def test_float32_stays_float32():
    a = nb.tensor(SQUARES, dtype=nb.float32, requires_grad=True)
    results = [nb.linalg.inv(a), nb.linalg.solve(a, a), nb.linalg.det(a), nb.linalg.cholesky(a @ a.mT)]
    assert {x.dtype for x in results} == {nb.float32}
    np.testing.assert_allclose(results[0].detach().numpy(), np.linalg.inv(SQUARES), rtol=1e-4)
    results[0].sum().backward()
    assert a.grad.dtype == nb.float32

"""NumPy's functions on tensors: recorded with their derivative, or refused where it would be lost."""

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.array_api import numpy_calls
from nbgrad.array_api.numpy_functions import FUNCTIONS

A = np.array([[2.0, 0.5], [0.25, 3.0]])


def leaf(a=A):
    return nb.tensor(a, requires_grad=True)


@pytest.mark.parametrize("name", sorted(numpy_calls._CALL_OF))
def test_ufuncs_give_what_numpy_gives(name):
    ufunc = getattr(np, name)
    is_whole = name.startswith("bitwise") or name in ("invert", "left_shift", "right_shift")
    values = (A * 4).astype("int64") if is_whole else np.clip(A, 0.1, 0.9) if name.startswith("arc") else A
    values = values + 1 if name == "arccosh" else values > 1 if name.startswith("logical") else values
    others = (values.T,) * (ufunc.nin - 1)
    got = ufunc(nb.tensor(values), *others)
    assert isinstance(got, nb.Tensor)
    np.testing.assert_allclose(got.numpy(), ufunc(values, *others), rtol=1e-12)
    if values.dtype == np.float64:
        assert ufunc(leaf(values), *others).requires_grad or got.dtype is nb.bool


CALLS = {
    np.all: {},
    np.allclose: {"more": (A,)},
    np.any: {"axis": 0},
    np.argmax: {"axis": 1},
    np.argmin: {},
    np.argsort: {"axis": 0},
    np.array_equal: {"more": (A,)},
    np.broadcast_to: {"more": ((3, 2, 2),)},
    np.clip: {"more": (0.3, A.T)},
    np.copy: {},
    np.cumprod: {"axis": 1},
    np.cumsum: {},
    np.diag: {"k": 1},
    np.diagonal: {},
    np.dot: {"more": (A,)},
    np.expand_dims: {"axis": 1},
    np.flip: {"axis": 1},
    np.linalg.cholesky: {},
    np.linalg.det: {},
    np.linalg.eigvalsh: {},
    np.linalg.inv: {},
    np.linalg.matrix_power: {"n": 3},
    np.linalg.norm: {"axis": 1},
    np.linalg.pinv: {},
    np.linalg.slogdet: {},
    np.linalg.solve: {"more": (A[0],)},
    np.max: {"axis": (0, 1), "keepdims": True},
    np.mean: {"axis": -1},
    np.min: {},
    np.moveaxis: {"more": (0, 1)},
    np.nan_to_num: {},
    np.ndim: {},
    np.ones_like: {},
    np.outer: {"more": (A[1],)},
    np.prod: {"axis": 0},
    np.ravel: {},
    np.repeat: {"more": (2,), "axis": 0},
    np.reshape: {"more": ((4, 1),)},
    np.roll: {"shift": 1},
    np.round: {"decimals": 1},
    np.shape: {},
    np.size: {},
    np.sort: {"axis": None},
    np.squeeze: {},
    np.std: {"ddof": 1},
    np.sum: {"axis": (0, 1)},
    np.swapaxes: {"more": (0, 1)},
    np.take: {"more": ([1, 0],), "axis": 1},
    np.take_along_axis: {"more": (np.array([[0], [1]]), 1)},
    np.tensordot: {"more": (A,), "axes": 1},
    np.tile: {"reps": 2},
    np.trace: {},
    np.transpose: {"axes": (1, 0)},
    np.tril: {},
    np.triu: {"k": 1},
    np.var: {"axis": 0, "keepdims": True},
    np.zeros_like: {},
}
# Those whose first argument is something else, and those whose signs may differ.
OTHERS = {np.concatenate, np.stack, np.hstack, np.vstack, np.einsum, np.where}
OTHERS |= {np.linalg.eigh, np.linalg.qr, np.linalg.svd, np.amax, np.amin, np.around}


def test_each_function_has_a_test():
    assert {*CALLS} | OTHERS == {*FUNCTIONS}


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_functions_give_what_numpy_gives(function):
    more = CALLS[function].get("more", ())
    named = {key: value for key, value in CALLS[function].items() if key != "more"}
    got, want = function(leaf(), *more, **named), function(A, *more, **named)
    if not isinstance(got, (nb.Tensor, nb.linalg.slogdet(leaf()).__class__)):
        assert got == want and not isinstance(got, np.ndarray)
        return
    for g, w in zip(got if isinstance(got, tuple) else [got], want if isinstance(want, tuple) else [want], strict=True):
        assert isinstance(g, nb.Tensor) and tuple(g.shape) == w.shape
        np.testing.assert_allclose(g.detach().numpy(), w, rtol=1e-12)


def test_functions_of_several_arrays():
    x = leaf()
    for f in (np.concatenate, np.hstack, np.vstack, np.stack):
        got = f([x, A])
        assert got.requires_grad and got.tolist() == f([A, A]).tolist()
    assert np.concatenate((A, x), axis=None).shape == (8,)
    assert np.einsum("ij,kj->ik", A, x).tolist() == np.einsum("ij,kj->ik", A, A).tolist()
    assert [f(x).item() for f in (np.amax, np.amin)] == [3.0, 0.25] and np.around(x)[1, 0].item() == 0.0
    assert np.where(A > 1, x, 0.0).tolist() == np.where(A > 1, A, 0.0).tolist()
    (u, s, rows), (q, r), (values, vectors) = np.linalg.svd(x), np.linalg.qr(x), np.linalg.eigh(x @ x.T)
    for product, want in ((u * s @ rows, A), (q @ r, A), (vectors * values @ vectors.T, A @ A.T)):
        np.testing.assert_allclose(product.detach().numpy(), want, rtol=1e-12)


def test_derivatives_pass():
    def f(x):
        y = np.sqrt(np.sum(np.exp(A * x) ** 2, axis=0)) + np.linalg.norm(np.dot(A, x), axis=1)
        return np.concatenate([y, np.float64(2) * np.ravel(A @ x)])

    assert nb.autograd.gradcheck(f, (leaf(),))


def test_arrays_and_their_numbers_may_stand_on_the_left():
    x = nb.tensor([1.0, 2.0])
    for number in (np.float64(2), np.float32(2), np.int64(2)):
        assert (number * x).dtype is nb.float32 and (number * x).tolist() == [2.0, 4.0]
    assert (np.ones(2) - x).tolist() == [0.0, -1.0]
    assert (np.ones(2, "float32") < x).tolist() == [False, True]


def test_what_has_no_counterpart_works_on_values_and_is_refused_where_a_derivative_would_be_lost():
    x = nb.tensor([1.0, 4.0, 2.0])
    assert np.median(x) == 2.0 and np.cbrt(nb.tensor([8.0])).tolist() == [2.0]
    assert [y.tolist() for y in np.divmod(x, 2)] == [[0.0, 2.0, 1.0], [1.0, 0.0, 0.0]]
    assert np.add.reduce(x).item() == 7.0 and np.sum(x, where=np.array([True, False, True])) == 3.0
    x.requires_grad_()
    for name, use in {
        "np.median": lambda: np.median(x),
        "np.cbrt": lambda: np.cbrt(x),
        "np.add.reduce": lambda: np.add.reduce(x),
        "np.sum": lambda: np.sum(x, initial=1.0),
        "np.fft.fft": lambda: np.fft.fft(x),
        "np.vstack": lambda: np.block([x, x]),
    }.items():
        with pytest.raises(RuntimeError, match=r"detach\(\)") as error:
            use()
        assert name in str(error.value) or name == "np.vstack"
    with pytest.raises(RuntimeError, match=r"use nbgrad\.median"):
        np.median(x)


def test_results_are_written_into_memory_that_is_given():
    a, x = np.ones(2), nb.tensor([1.0, 2.0], dtype=nb.float64)
    a += x
    assert a.tolist() == [2.0, 3.0]
    out = nb.zeros(2, dtype=nb.float64)
    assert np.multiply(a, x, out=out) is out and out.tolist() == [2.0, 6.0]
    np.add.at(out, [0, 0], 1.0)
    assert out.tolist() == [4.0, 6.0]
    with pytest.raises(RuntimeError, match=r"np\.add"):
        a += x.requires_grad_()


def test_another_library_has_the_say_about_its_own_arrays():
    class Theirs:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "theirs"

        def __array_function__(self, function, types, args, named):
            return "theirs"

    assert np.add(nb.ones(1), Theirs()) == "theirs"
    assert np.concatenate([nb.ones(1), Theirs()]) == "theirs"


def test_a_ufunc_of_another_library_is_not_taken_for_numpys_of_that_name():
    special = pytest.importorskip("scipy.special")
    numba = pytest.importorskip("numba")

    @numba.vectorize(["float64(float64)"])
    def square(x):
        return x + 1.0

    x = nb.tensor([1.0, 2.0], dtype=nb.float64)
    assert square(x).tolist() == [2.0, 3.0]
    assert special.erf(leaf()).requires_grad and special.xlogy(2.0, leaf()).tolist() == (2 * np.log(A)).tolist()
    np.testing.assert_allclose(special.gammaln(x).numpy(), special.gammaln(x.numpy()), rtol=1e-15)
    with pytest.raises(RuntimeError, match=r"^gammaln: nothing"):
        special.gammaln(leaf())


def test_lists_of_tensors_keep_their_derivatives() -> None:
    a, b, t = (nb.tensor(x, requires_grad=True) for x in (2.0, 3.0, [1.0, 4.0]))
    np.dot([a, b], t).backward()
    assert (a.grad.item(), b.grad.item(), t.grad.tolist()) == (1.0, 4.0, [2.0, 3.0])
    assert np.concatenate([[a, b], t]).requires_grad


def test_calls_that_numpy_takes_are_taken() -> None:
    t, out = nb.tensor([1.0, 2.0]), np.zeros(2)
    np.add(t, 1, out=out, where=t > 1)
    assert out.tolist() == [0.0, 3.0]
    assert np.where([True, False], t, 0.0).tolist() == [1.0, 0.0]
    assert np.tile(t, [2, 1]).tolist() == [[1.0, 2.0]] * 2
    assert np.take(nb.arange(3.0), nb.tensor([1, 0, 1], dtype=nb.uint8)).tolist() == [1.0, 0.0, 1.0]
    few = nb.tensor([-1], dtype=nb.int8)
    assert np.take_along_axis(nb.arange(300), few, 0).tolist() == [299]
    assert np.round(nb.tensor([15, 25]), -1).tolist() == [20, 20]
    assert np.isnan(np.sign(nb.tensor(float("nan"))).item())


def test_operands_of_two_dtypes_meet_in_numpys_matmul() -> None:
    t = nb.tensor(A, dtype=nb.float32, requires_grad=True)
    for other in (A.tolist(), A, (A * 4).astype("int64"), nb.tensor(A)):
        got = np.matmul(other, t)
        assert got.requires_grad
        np.testing.assert_allclose(got.detach().numpy(), np.asarray(other) @ A, rtol=1e-6)
    assert (A @ t).dtype is nb.float64 and np.add(t, [t[0], t[1]]).tolist() == (A * 2).tolist()


@pytest.mark.parametrize("name", ["cholesky", "det", "eigh", "eigvalsh", "inv", "norm", "pinv", "qr", "slogdet", "svd"])
def test_linear_algebra_of_integers_is_that_of_numbers(name: str) -> None:
    function = getattr(np.linalg, name)
    whole = nb.tensor([[2, 1], [1, 3]])
    got, want = function(whole), function(whole.float())
    for g, w in zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]:
        assert g.tolist() == w.tolist()


def test_more_of_integers() -> None:
    whole = nb.tensor([[2, 1], [1, 3]])
    np.testing.assert_allclose(np.linalg.solve(whole, [1, 2]).numpy(), [0.2, 0.6], rtol=1e-6)
    np.testing.assert_allclose(np.linalg.matrix_power(whole, -1).numpy(), np.linalg.inv(whole.numpy()), rtol=1e-6)
    assert np.mean(whole).item() == 1.75 and np.var(whole > 1).item() == 0.25
    assert np.std(whole).item() == pytest.approx(np.std(whole.numpy()))


def test_clip_takes_its_bounds_by_both_names() -> None:
    t = nb.tensor([-1.0, 2.0], requires_grad=True)
    for got, want in (
        (np.clip(t, min=0), [0.0, 2.0]),
        (np.clip(t, max=0), [-1.0, 0.0]),
        (np.clip(t, a_min=0, a_max=None), [0.0, 2.0]),
        (np.clip(t, None, None), [-1.0, 2.0]),
        (np.clip(np.array([-1.0, 2.0]), t, 1), [-1.0, 1.0]),
    ):
        assert got.tolist() == want and got.requires_grad


def test_the_mask_of_an_array_is_not_lost() -> None:
    t, a = nb.tensor([1.0, 2.0]), np.ma.masked_array([3.0, 4.0], mask=[True, False])
    for use in (lambda: t + a, lambda: np.add(t, a), lambda: np.stack([t, a]), lambda: nb.add(t, a)):
        with pytest.raises(TypeError, match=r"mask .*filled"):
            use()
    assert nb.from_numpy(a).tolist() == nb.tensor(a).tolist() == [3.0, 4.0]  # as in PyTorch: asked for by name
    if np.lib.NumpyVersion(np.__version__) >= "2.4.0":  # which asks a dtype of ours what it is
        assert isinstance(a + t, np.ma.MaskedArray) and (a + t).tolist() == [None, 6.0]


def test_an_operand_that_is_none_is_named() -> None:
    t = nb.tensor([1.0, 2.0])
    for wrong, name in ((np.ones(2, "m8[s]"), "timedelta64"), (np.array(["a", "b"]), "<U1"), (object(), "object")):
        with pytest.raises(TypeError, match=rf"np\.add: .* got {name}"):
            np.add(wrong, t)
    with pytest.raises(TypeError, match=str(np.dtype("longdouble"))):
        np.concatenate([np.ones(2, "longdouble"), t])


def test_axes_and_counts_may_be_several() -> None:
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    assert np.expand_dims(x, (0, 2)).shape == (1, 2, 1, 2) and np.expand_dims(x, (-1, 0)).shape == (1, 2, 2, 1)
    y = np.repeat(x, [1, 2], axis=0)
    y.sum().backward()
    assert y.tolist() == [[1.0, 2.0], [3.0, 4.0], [3.0, 4.0]] and x.grad.tolist() == [[1.0, 1.0], [2.0, 2.0]]
    assert np.repeat(x.detach(), np.int64(2)).shape == (8,)

"""Complex numbers beside PyTorch: values, gradients, second gradients, in place, in compiled functions; and views."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.squares import Square

Module = Any


def _numbers(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


A, B, SQUARE = _numbers(3), _numbers(3, seed=1), _numbers(3, 3, seed=2)
REAL = np.array([0.5, -1.5, 2.0])

_UNARY = (
    "abs acos acosh angle asin asinh atan atanh conj cos cosh cumprod cumsum exp expm1 log log10 log1p log2 mean norm "
    "prod reciprocal rsqrt sgn sigmoid sin sinh sqrt square std sum tan tanh var"
)
UNARY = _UNARY.split()


def _named(name: str) -> Callable[..., Any]:
    return lambda m, x: getattr(m, name)(x, *((0,) if name.startswith("cum") else ()))


# By name: what is computed with nbgrad or PyTorch, of these numbers.
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    **{name: (_named(name), (A,)) for name in UNARY},
    "add, sub": (lambda m, x, y: (x + 2 * y - 1j) * 0.5, (A, B)),
    "mul": (lambda m, x, y: x * y, (A, B)),
    "div": (lambda m, x, y: x / y, (A, B)),
    "pow": (lambda m, x, y: x**y, (A, B)),
    "powers": (lambda m, x: x**2 + x**3 + x**0.5 + x**-1 + 2**x, (A,)),
    "real factor": (lambda m, x, y: x * y, (A, REAL)),
    "real divisor": (lambda m, x, y: x / y + y / x, (A, REAL)),
    "parts": (lambda m, x: x.real * x.imag, (A,)),
    "complex": (lambda m, x, y: m.complex(x, y) ** 2, (REAL, REAL[::-1].copy())),
    "polar": (lambda m, x, y: m.polar(x, y), (REAL**2, REAL[::-1].copy())),  # torch's slope is for sizes above 0
    "view_as_real": (lambda m, x: m.view_as_real(x) ** 3, (A,)),
    "view_as_complex": (lambda m, x: m.view_as_complex(x) ** 2, (np.array([REAL[:2], REAL[1:]]),)),
    "where": (lambda m, x, y: m.where(x.real > y.real, x, y), (A, B)),
    "cat": (lambda m, x, y: m.cat([x, y]).flip(0) * x.sum(), (A, B)),
    "stack": (lambda m, x, y: m.stack([x, y.conj()])[:, 1:].mT, (A, B)),
    "index": (lambda m, x: x[m.tensor([0, 2, 0])] * x[1], (A,)),
    "gather": (lambda m, x: x.gather(0, m.tensor([2, 2, 0])), (A,)),
    "matmul": (lambda m, x, y: x @ y @ x, (SQUARE, A)),
    "bmm": (lambda m, x: m.bmm(x[None], x[None].mH), (SQUARE,)),
    "real matrix": (lambda m, x, y: x.to(y.dtype) @ y, (np.outer(REAL, REAL), A)),
    "dot": (lambda m, x, y: m.dot(x, y) * m.vdot(x, y), (A, B)),
    "outer": (lambda m, x, y: m.outer(x, y), (A, B)),
    "einsum": (lambda m, x, y: m.einsum("ij,j->i", x, y), (SQUARE, A)),
    "addmm": (lambda m, x: m.addmm(x, x, x, beta=2, alpha=1j), (SQUARE,)),
    "addcmul": (lambda m, x, y: m.addcmul(x, x, y, value=0.5j), (A, B)),
    "lerp": (lambda m, x, y: m.lerp(x, y, 0.3), (A, B)),
    "tril": (lambda m, x: m.tril(x) + m.triu(x, 1) * 2, (SQUARE,)),
    "diagonal": (lambda m, x: x.diagonal() * x.trace(), (SQUARE,)),
    "kron": (lambda m, x, y: m.kron(x, y), (A, B)),
    "roll": (lambda m, x: x.roll(1) * x, (A,)),
    "pad": (lambda m, x: m.nn.functional.pad(x, (1, 2)) ** 2, (A,)),
    "conv1d": (lambda m, x, y: m.nn.functional.conv1d(x[:, None], y[None, None], padding=1), (SQUARE, A)),
    "vecdot": (lambda m, x, y: m.linalg.vecdot(x, y), (SQUARE, A)),
    "cov": (lambda m, x: m.cov(x) * m.corrcoef(x), (SQUARE,)),
    "gradient": (lambda m, x: m.gradient(x * x)[0], (A,)),
    "logsumexp": (lambda m, x: m.logsumexp(x * 400, (0, 1)), (SQUARE,)),
    "logaddexp": (lambda m, x, y: m.logaddexp(x, y * 9), (A, B)),
    "logcumsumexp": (lambda m, x: m.logcumsumexp(x, 0) * 1, (A,)),
    "softsign": (lambda m, x: m.nn.functional.softsign(x), (A,)),
    "l1_loss": (lambda m, x, y: m.nn.functional.l1_loss(x, y), (A, B)),
    "masked_fill": (lambda m, x: x.masked_fill(x.real > 0, 1j) * x, (A,)),
    "vector_norm": (lambda m, x: m.linalg.vector_norm(x, 3), (A,)),
    "H": (lambda m, x: x.H @ x, (SQUARE,)),
    "in place": (lambda m, x, y: (x * 1).mul_(y).add_(1j).conj_physical_(), (A, B)),
    "writes": (lambda m, x, y: _written(x * 1, y), (A, B)),
}


def _written(x: Any, y: Any) -> Any:
    x[0] = y[1]
    x.real.mul_(2)
    x.imag[1:] = y.real[1:]
    return x


def _tensors(m: Module, arrays: tuple[Any, ...]) -> list[Any]:
    return [m.tensor(a, requires_grad=True) for a in arrays]


def _array(x: Any) -> Any:
    x = x.detach()
    return (x.resolve_conj() if hasattr(x, "resolve_conj") else x).numpy()


def derivatives(m: Module, function: Callable[..., Any], arrays: tuple[Any, ...]) -> list[Any]:
    """The value, and the gradients and second gradients of a number made of it that is nowhere linear."""
    tensors = _tensors(m, arrays)
    y = function(m, *tensors)
    weight = m.tensor(_numbers(*y.shape, seed=3))
    first = m.autograd.grad(((y * weight).real ** 2).sum(), tensors, create_graph=True)
    total = sum([(g * (1 + 0.5j)).real.sum() ** 2 for g in first])
    second = m.autograd.grad(total, tensors)
    return [_array(x) for x in (y, *first, *second)]


@pytest.mark.parametrize("name", CASES)
def test_values_gradients_and_second_gradients_are_torchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    function, arrays = CASES[name]
    for x, y in zip(*[derivatives(m, function, arrays) for m in (nb, torch)], strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ["mul", "div", "tanh", "abs", "sgn", "matmul", "prod", "cumprod", "writes"])
def test_forward_mode_agrees_with_differences(name: str) -> None:
    function, arrays = CASES[name]
    given = tuple(_tensors(nb, arrays))
    assert nb.autograd.gradcheck(lambda *x: function(nb, *x), given, check_forward_ad=True)


def test_gradcheck_finds_a_wrong_complex_gradient() -> None:
    x = nb.tensor(A, requires_grad=True)
    assert nb.autograd.gradcheck(lambda x: x * x, x)
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        nb.autograd.gradcheck(Square.apply, x)  # by x, not by its conjugate


def test_compiled_functions_give_the_same_bits() -> None:
    def step(x: Any, y: Any) -> Any:
        z = (x * y).exp() / (1j + y)
        (g,) = nb.autograd.grad(z.abs().sum(), x)
        return z, g

    compiled = nb.compile(step)
    for k in range(4):
        x, y = nb.tensor(A * k, requires_grad=True), nb.tensor(B)
        assert all(_array(a).tobytes() == _array(b).tobytes() for a, b in zip(step(x, y), compiled(x, y), strict=True))


def test_all_tiers_give_the_same_bits() -> None:
    def result() -> bytes:
        x, y = nb.tensor(SQUARE, requires_grad=True), nb.tensor(B)
        ((x * y).tanh() / (x + 1j) @ y).abs().sum().backward()
        return x.grad.numpy().tobytes()

    found = set()
    for how in ("background", "eager", "never"):
        with nb.config.override(compile=how):
            found.add(result())
    assert len(found) == 1


def test_many_examples_at_once() -> None:
    x = nb.tensor(SQUARE)
    found = nb.vmap(lambda row: (row * row.conj()).real.sum() + row.prod())(x)
    want = (np.abs(SQUARE) ** 2).sum(1) + SQUARE.prod(1)
    np.testing.assert_allclose(_array(found), want, rtol=1e-12)


@pytest.mark.parametrize("name", ["logaddexp", "logcumsumexp", "logsumexp"])
@pytest.mark.parametrize(
    "pair", [(-np.inf, -np.inf), (np.inf, np.inf), (-np.inf, 1 + 2j), (3j, np.inf), (np.inf, -np.inf)]
)
def test_sums_of_exponentials_of_infinite_numbers_are_torchs(name: str, pair: tuple[complex, complex]) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    numbers = np.array(pair, complex)
    found, want = (
        m.logaddexp(*m.tensor(numbers)) if name == "logaddexp" else getattr(m, name)(m.tensor(numbers), 0)
        for m in (nb, torch)
    )
    assert np.array_equal(found.numpy(), want.numpy())


def test_logaddexp_of_infinite_parts_and_nan_is_torchs() -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    parts = (0.0, 1.0, 2.0, np.inf, -np.inf, np.nan)
    numbers = np.array([complex(a, b) for a in parts for b in parts])
    a, b = np.meshgrid(numbers, numbers)
    found, want = (m.logaddexp(m.tensor(a), m.tensor(b)).numpy() for m in (nb, torch))
    for part in ("real", "imag"):
        np.testing.assert_allclose(getattr(found, part), getattr(want, part), rtol=1e-12, atol=1e-15)


def test_exp_of_infinite_numbers_has_its_size() -> None:
    x = np.array([complex(a, b) for a in (-np.inf, np.inf) for b in (0.0, 2.0, np.inf, np.nan)])
    found = nb.tensor(x).exp().numpy()
    assert (found[:4] == 0).all()
    assert np.array_equal(np.abs(found.real[4:]), [np.inf] * 4)
    assert np.array_equal(np.isnan(found.imag[4:]), [False, False, True, True])


def test_a_lost_imaginary_part_is_warned_of() -> None:
    x = nb.tensor([1 + 2j])
    for lost in (lambda: x.to(nb.float32), lambda: x.float(), lambda: x.int(), lambda: x.type_as(nb.ones(1))):
        with pytest.warns(UserWarning, match="discards the imaginary part"):
            assert lost().tolist() == [1]
    assert x.to(nb.bool).tolist() == [True]


def test_float32_stays_float32() -> None:
    x = nb.tensor(A.astype(np.complex64))
    assert x.dtype is nb.complex64 and x.abs().dtype is nb.float32
    for other in (1j, 2.0, nb.tensor(REAL.astype(np.float32)), nb.arange(3)):
        assert (x * other).dtype is nb.complex64
    assert (nb.tensor(REAL) * 1j).dtype is nb.complex128
    assert (nb.arange(3) * 1j).dtype is nb.complex64 and (nb.tensor(1.0) * 1j).dtype is nb.complex64
    assert nb.tensor(1 + 2j).dtype is nb.complex64 and nb.full((2,), 1j).dtype is nb.complex64


WILD = [0.0, -0.0, 1.0, -2.5, 1e-30, 1e30, 1e200, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("name", ["abs", "angle", "sqrt", "log", "tanh", "reciprocal"])
def test_extremes_are_numpys(name: str) -> None:
    """Where NumPy's result is a number; its infinities and NaN are told apart by part as C99 does, ours by formula."""
    x = np.array([complex(a, b) for a in WILD for b in WILD])
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x) if name != "reciprocal" else 1 / x
    found = _array(getattr(nb.tensor(x), name)())
    usual = np.isfinite(want) & (np.isfinite(x) | (name in ("abs", "angle"))) & ((name != "reciprocal") | (want != 0))
    np.testing.assert_allclose(found[usual], want[usual], rtol=1e-14)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "tanh", "asin", "acosh", "atan", "log1p"])
def test_float32_functions_are_right_to_a_few_ulp(name: str) -> None:
    x = _numbers(1000, seed=5).astype(np.complex64) * np.float32(2)
    wide = getattr(nb.tensor(x.astype(np.complex128)), name)()
    error = np.abs(_array(getattr(nb.tensor(x), name)()) - _array(wide)) / np.abs(_array(wide))
    assert error.max() < 8 * 2.0**-24


def test_views_share_memory_both_ways() -> None:
    x = nb.zeros(2, 3, dtype=nb.complex64)
    re, im, raw = x.real, x.imag[1], nb.view_as_real(x)
    re.add_(1)
    im[0] = 5
    raw[0, 0, 1] = 7
    assert x.tolist() == [[1 + 7j, 1, 1], [1 + 5j, 1, 1]]
    x.mul_(1j)
    assert re.tolist() == [[-7, 0, 0], [-5, 0, 0]] and im.tolist() == [1, 1, 1]
    assert re.stride() == (6, 2) and im.storage_offset() == 7 and raw.stride() == (6, 2, 1)
    back = nb.view_as_complex(raw)
    back[0, 2] = 3
    assert x[0, 2].item() == 3
    x.imag = nb.ones(2, 3)
    assert x.imag.tolist() == [[1, 1, 1]] * 2


def test_memory_is_shared_with_numpy() -> None:
    array = A.copy()
    x = nb.from_numpy(array)
    array[0] = 1j
    assert x[0].item() == 1j
    shown = x.numpy()
    x.mul_(2)
    assert shown[0] == 2j and shown.dtype == np.complex128
    assert np.from_dlpack(x)[0] == 2j and nb.from_dlpack(array).dtype is nb.complex128


def test_saved_and_pickled_numbers_come_back(tmp_path: Any) -> None:
    x = nb.nn.Parameter(nb.tensor(A))
    assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
    nb.save({"x": x}, tmp_path / "file")
    assert nb.load(tmp_path / "file")["x"].tolist() == x.tolist()
    buffer = io.BytesIO()
    nb.save(x, buffer)
    assert buffer.tell()


@pytest.mark.parametrize(
    "data",
    [[1 + 2j, -0.5j], 1j, [[1e-5j, 1], [2, 3]], [complex("nan"), complex("inf")], [1.5 - 2j, 1000]],
    ids=str,
)
def test_tensors_print_as_torchs(data: Any) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    assert repr(nb.tensor(data)) == repr(torch.tensor(data)).replace("torch", "nbgrad")


def test_random_numbers_have_variance_1_in_all() -> None:
    nb.manual_seed(0)
    x = nb.randn(20000, dtype=nb.complex64)
    assert abs(x.var().item() - 1) < 0.03 and abs(x.real.var().item() - 0.5) < 0.02
    y = nb.rand(1000, dtype=nb.complex128)
    assert y.imag.min().item() >= 0 and y.real.max().item() < 1 and nb.rand_like(y).dtype is nb.complex128


def test_conversions_and_questions() -> None:
    x = nb.tensor([1.0, 2.0]).cfloat()
    assert x.is_complex() and nb.is_complex(x) and not x.is_floating_point() and x.cdouble().dtype is nb.complex128
    assert complex(nb.tensor(1 + 2j)) == 1 + 2j and nb.tensor(1 + 2j).item() == 1 + 2j
    assert nb.complex64.is_complex and nb.complex64.to_real() is nb.float32 and nb.as_tensor(A).dtype is nb.complex128
    assert not x.is_conj() and x.conj().resolve_conj().tolist() == [1, 2]
    assert nb.tensor([0j, 1]).bool().tolist() == [False, True] and bool(nb.tensor(1j))
    assert nb.isnan(nb.tensor([complex(0, float("nan")), 1])).tolist() == [True, False]
    assert nb.isinf(nb.tensor([complex(0, float("inf"))])).all() and nb.isfinite(x).all()
    assert nb.allclose(x, x + 1e-9j) and (x == x).all() and not (x != x).any() and nb.equal(x, x)
    assert nb.real(nb.ones(2)).tolist() == [1, 1] and nb.can_cast(nb.float32, nb.complex64)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x: x.sum().backward(), RuntimeError, "real scalar outputs but got nbgrad.complex128"),
        (lambda x: x < x, NotImplementedError, "lt: not implemented for complex128"),
        (lambda x: x.max(), NotImplementedError, "not implemented for complex128"),
        (lambda x: x.floor(), NotImplementedError, "floor: not implemented"),
        (lambda x: x.sign(), NotImplementedError, "sign: not implemented"),
        (lambda x: x.relu(), NotImplementedError, "relu: not implemented"),
        (lambda x: nb.imag(nb.ones(2)), RuntimeError, "imag is not implemented"),
        (lambda x: nb.view_as_real(nb.ones(2)), RuntimeError, "only supported for complex"),
        (lambda x: nb.view_as_complex(nb.ones(3)), RuntimeError, "last dimension of size 2"),
        (lambda x: nb.complex(nb.ones(2), nb.ones(2).double()), RuntimeError, "scalar type"),
        (lambda x: nb.ones(2).add_(1j), RuntimeError, "can't be cast"),
        (lambda x: float(nb.tensor(1j)), (TypeError, RuntimeError), ""),
    ],
)
def test_mistakes_have_torchs_class(call: Callable[..., Any], kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        call(nb.tensor(A, requires_grad=True))


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_optimisers_move_complex_parameters_as_torchs(kind: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    found = []
    for m in (nb, torch):
        p = m.nn.Parameter(m.tensor(A))
        optimizer = getattr(m.optim, kind)([p], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            ((p * (1 + 2j) - m.tensor(B)).abs() ** 2).sum().backward()
            optimizer.step()
        found.append(_array(p))
    np.testing.assert_allclose(*found, rtol=1e-9)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.fill_(1j),
        lambda x: x.__setitem__(0, 1j),
        lambda x: x.__setitem__(x > 0, 1j),
        lambda x: x.__setitem__(x > 0, nb.tensor([1j])),
        lambda x: nb.full_like(x, 1j),
        lambda x: x.masked_fill(x > 0, 1j),
        lambda x: x.index_fill(0, nb.tensor([0]), 1j),
        lambda x: x.scatter(0, nb.tensor([0]), 1j),
        lambda x: nb.add(x, x, alpha=1j),
        lambda x: nb.nn.functional.pad(x, (1, 1), value=1j),
    ],
)
def test_a_complex_number_is_not_cut_to_its_real_part(write: Callable[[nb.Tensor], Any]) -> None:
    for dtype in (nb.float64, nb.int32):
        said = r"cannot be converted to type .* without overflow|alpha must not|Converting complex Scalar"
        with pytest.raises((RuntimeError, ValueError), match=said):
            write(nb.ones(2, dtype=dtype)).tolist()


def test_gradients_are_of_the_kind_of_their_results() -> None:
    x = nb.ones(2, requires_grad=True)
    for y, g in ((x * 2, nb.tensor([1j, 1j])), (x * 2j, nb.ones(2))):
        with pytest.raises(RuntimeError, match="grad_output and output are required to have the same dtype"):
            y.backward(g)


def test_parts_are_saved_beside_the_whole() -> None:
    z, x = nb.tensor([1 + 2j, 3]), nb.arange(4.0)
    for value in (
        {"z": z, "real": z.real, "imag": z.imag, "both": nb.view_as_real(z), "last": z[1:]},
        {"x": x, "z": nb.view_as_complex(x.view(2, 2)), "one": x[1:]},
    ):
        file = io.BytesIO()
        nb.save(value, file)
        file.seek(0)
        assert {k: v.tolist() for k, v in nb.load(file).items()} == {k: v.tolist() for k, v in value.items()}


def test_memory_is_counted_in_the_elements_that_are_shown() -> None:
    z = nb.tensor([1 + 2j, 3 + 4j, 5 + 6j])
    assert z.real.as_strided((2,), (2,)).tolist() == [1.0, 3.0] and z.real.as_strided((2,), (1,)).tolist() == [1.0, 2.0]
    assert z.imag.as_strided((2,), (4,), 1).tolist() == [2.0, 6.0]
    assert nb.view_as_real(z).as_strided((2, 2), (1, 2)).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert nb.view_as_complex(nb.arange(6.0).reshape(3, 2)).as_strided((2,), (2,)).tolist() == [1j, 4 + 5j]
    z.imag.as_strided((1,), (1,), 3).zero_()
    assert z.tolist() == [1 + 2j, 3 + 0j, 5 + 6j]
    z.imag.as_strided((2,), (4,), 1).mul_(10)
    assert z.tolist() == [1 + 20j, 3 + 0j, 5 + 60j]
    z.real.as_strided((2, 2), (1, 2)).add_(1)
    assert z.tolist() == [2 + 21j, 4 + 1j, 5 + 60j]


def test_what_torch_has_no_derivatives_of() -> None:
    x = nb.tensor(A, requires_grad=True)
    assert nb.autograd.gradcheck(nb.nn.functional.silu, (x,))
    assert nb.autograd.gradcheck(lambda x, y: nb.ldexp(x, y), (x, nb.tensor(REAL, requires_grad=True)))


def test_tensors_are_filled_with_complex_numbers() -> None:
    assert nb.full((2,), 1 + 2j).tolist() == [1 + 2j] * 2
    assert (
        nb.full_like(nb.zeros(1, dtype=nb.complex128), 3j).tolist()
        == nb.zeros(1).new_full((1,), 3j, dtype=nb.cfloat).tolist()
    )
    assert nb.isreal(nb.tensor([1 + 0j, 1j])).tolist() == [True, False]
    drawn = nb.empty(20_000, dtype=nb.complex128).normal_(1.0, 2.0, generator=nb.Generator().manual_seed(1))
    assert abs(drawn.mean().item() - 1) < 0.1 and abs(drawn.imag.std().item() - 2**0.5) < 0.05


def test_a_complex_number_may_be_the_first_thing_complex() -> None:
    x = nb.ones(2, requires_grad=True)
    y = x * 1j
    assert y.tolist() == [1j, 1j] and y.requires_grad
    (g,) = nb.autograd.grad(y.imag.sum(), x)
    assert g.dtype is nb.float32 and g.tolist() == [1, 1]


def test_numbers_of_python_are_made_of_complex_ones_without_imaginary_part() -> None:
    assert (float(nb.tensor(2 + 0j)), int(nb.tensor([2 + 0j])), complex(nb.tensor(2.0))) == (2.0, 2, 2 + 0j)
    for kind in (float, int):
        with pytest.raises(RuntimeError, match=r"cannot be converted to type (double|int64_t) without overflow"):
            kind(nb.tensor(2j))


@pytest.mark.parametrize("z", [complex(a, b) for a in (2, np.inf, -np.inf) for b in (-3, np.inf, -np.inf)][1:])
@pytest.mark.parametrize("dtype", [nb.complex64, nb.complex128])
def test_angles_far_away_are_quarter_turns(z: complex, dtype: nb.dtype) -> None:
    x = nb.tensor(z, dtype=dtype)
    for name in ("atan", "atanh"):
        want = getattr(np, f"arc{name[1:]}")(np.complex128(z))
        np.testing.assert_allclose(getattr(x, name)().item(), want, rtol=1e-6)


ANGLES = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh")


@pytest.mark.parametrize("name", [*ANGLES, "exp", "exp2", "log", "log2", "log10", "sqrt", "rsqrt"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_functions_at_infinity_and_nan_are_pytorchs(name: str, dtype: str) -> None:
    """As C has them: the product of 0 and infinity is 0, and NaN beside an infinity may not matter."""
    torch = pytest.importorskip("torch", reason="PyTorch is the other side")
    parts = [0.0, -0.0, 1.0, -2.0, nb.inf, -nb.inf, nb.nan, *([] if name in ("atan", "atanh") else [1e200])]
    z = [complex(a, b) for a in parts for b in parts]
    expected, found = [getattr(m, name)(m.tensor(z, dtype=getattr(m, dtype))).numpy() for m in (torch, nb)]
    rtol = 1e-12 if dtype == "complex128" else 1e-6
    is_known = np.array([min(abs(a), abs(b)) < nb.inf for a in parts for b in parts])  # of others C says no sign
    for x, y, other in ((found.real, expected.real, expected.imag), (found.imag, expected.imag, expected.real)):
        np.testing.assert_allclose(np.abs(x), np.abs(y), rtol=rtol, atol=1e-150)
        has_sign = is_known & ~np.isnan(y) & ~np.isnan(other)
        if name != "acos":  # PyTorch's acos(0) is pi / 2 + 0j, C's pi / 2 - 0j
            np.testing.assert_array_equal(np.signbit(x[has_sign]), np.signbit(y[has_sign]))

"""nbgrad.array_api beside NumPy, whose main namespace follows the standard: names, values, shapes, dtypes."""

import itertools
import warnings

import numpy as np
import pytest

import nbgrad as nb
from nbgrad import array_api as xp
from nbgrad.array_api.dtypes import KINDS

if not hasattr(np, "unstack"):
    pytest.skip("NumPy follows the standard from 2.1 on", allow_module_level=True)

NAMES = """
e inf nan newaxis pi arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like
tril triu zeros zeros_like astype can_cast finfo iinfo isdtype result_type bool int8 int16 int32 int64 uint8 float32
float64 complex64 complex128 abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1
floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10
logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal
positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc take
take_along_axis __array_namespace_info__ matmul matrix_transpose tensordot vecdot broadcast_arrays broadcast_to concat
expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero
nonzero searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort cumulative_prod
cumulative_sum max mean min prod std sum var all any diff
"""
LINALG = """
cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv
qr slogdet solve svd svdvals tensordot trace vecdot vector_norm
"""

FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"

INTEGERS = ("int8", "int16", "int32", "int64", "uint8")
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *INTEGERS, *FLOATS, *COMPLEX)
INEXACT = (*FLOATS, *COMPLEX)
SHAPES = ((), (3,), (0,), (2, 3))
GENERATOR = np.random.default_rng(5)
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -3.0])


def array(dtype, shape=(2, 3)):
    if dtype in COMPLEX:
        return (array("float64", shape) + 1j * array("float64", shape)).astype(dtype)
    if dtype in FLOATS:
        return np.asarray(GENERATOR.uniform(0.2, 0.9, size=shape)).astype(dtype)
    return np.asarray(GENERATOR.integers(0 if dtype == "bool" else 1, 2 if dtype == "bool" else 6, shape)).astype(dtype)


def parts(found):
    return [y for x in found for y in parts(x)] if isinstance(found, (tuple, list)) else [found]


def same(function, *arguments, **options):
    """Both namespaces give the same values, shapes and dtypes. Strings among the options name dtypes."""

    def of(module, convert):
        def given(x):
            if isinstance(x, (np.ndarray, np.generic)):
                return convert(x)
            if isinstance(x, (list, tuple)) and any(isinstance(y, np.ndarray) for y in x):
                return [convert(y) for y in x]
            return getattr(module, x) if isinstance(x, str) and x in ALL else x

        call = module
        for name in function.split("."):
            call = getattr(call, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*[given(x) for x in arguments], **{key: given(x) for key, x in options.items()})

    got, want = parts(of(xp, xp.asarray)), parts(of(np, np.asarray))
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        if not isinstance(w, (np.ndarray, np.generic)):
            assert g == w
            continue
        assert tuple(g.shape) == w.shape, (g.shape, w.shape)
        wanted = {"uint64": "int64"}.get(str(w.dtype), str(w.dtype))  # nbgrad has no uint64
        assert g.dtype.name == wanted
        tight = 2e-5 if wanted in ("float32", "complex64") else 1e-12
        np.testing.assert_allclose(g.numpy(), w, rtol=tight, atol=tight)


def test_every_name_of_the_standard_is_there():
    assert set(NAMES.split()) | {"fft", "linalg", "special", "__array_api_version__"} == set(xp.__all__)
    assert sorted(LINALG.split()) == sorted(xp.linalg.__all__)
    assert sorted(FFT.split()) == sorted(xp.fft.__all__)
    assert all(hasattr(xp.fft, name) for name in xp.fft.__all__)
    assert all(hasattr(xp, name) for name in xp.__all__) and xp.__array_api_version__ == "2024.12"
    assert xp.newaxis is None and xp.bool is nb.bool and xp.pi == np.pi


UNARY = {
    "abs negative positive round sign square": (*INTEGERS, *INEXACT),
    "ceil floor trunc": (*INTEGERS, *FLOATS),
    "isfinite isinf isnan conj real imag": (*INTEGERS, *INEXACT),
    "bitwise_invert": ("bool", *INTEGERS),
    "logical_not": ("bool",),
    "acos asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 reciprocal sin sinh sqrt tan tanh": INEXACT,
    "signbit": FLOATS,
}


@pytest.mark.parametrize(("name", "dtypes"), [(n, d) for names, d in UNARY.items() for n in names.split()])
def test_functions_of_an_element(name, dtypes):
    for dtype, shape in itertools.product(dtypes, SHAPES):
        same(name, array(dtype, shape))
    if "float64" in dtypes:
        same(name, SPECIAL)


def test_the_inverse_hyperbolic_cosine_of_numbers_above_one():
    same("acosh", 1 + array("float64"))


BINARY = {
    "add multiply pow subtract": (*INTEGERS, *INEXACT),
    "floor_divide maximum minimum remainder": (*INTEGERS, *FLOATS),
    "equal not_equal": ALL,
    "greater greater_equal less less_equal": (*INTEGERS, *FLOATS),
    "divide": INEXACT,
    "atan2 copysign hypot logaddexp nextafter": FLOATS,
    "bitwise_and bitwise_or bitwise_xor": ("bool", *INTEGERS),
    "bitwise_left_shift bitwise_right_shift": INTEGERS,
    "logical_and logical_or logical_xor": ("bool",),
}


@pytest.mark.parametrize(("name", "dtypes"), [(n, d) for names, d in BINARY.items() for n in names.split()])
def test_functions_of_two_elements_promote_and_broadcast(name, dtypes):
    for a, b in itertools.product(dtypes, dtypes):
        if (a in INEXACT) != (b in INEXACT) or (a == "bool") != (b == "bool"):
            continue  # the standard leaves open what kinds give together
        for left, right in (((2, 3), (3,)), ((3,), ()), ((), ()), ((2, 1), (1, 3)), ((0,), (1,))):
            same(name, array(a, left), array(b, right))
    for dtype in dtypes:
        number = True if dtype == "bool" else 2 if dtype in INTEGERS else 0.5 if dtype in FLOATS else 0.5 + 2j
        same(name, array(dtype), number)
        same(name, number, array(dtype))


@pytest.mark.parametrize("name", ["add", "maximum", "copysign", "equal", "nextafter", "hypot", "logaddexp", "pow"])
def test_two_elements_that_are_no_usual_numbers(name):
    same(name, SPECIAL[:, None], SPECIAL[None, :])


def test_arrays_without_dims_decide_the_dtype_like_others():
    assert xp.add(xp.ones(2, dtype=xp.float32), xp.ones((), dtype=xp.float64)).dtype is xp.float64
    assert xp.add(xp.ones(2, dtype=xp.int8), 100).dtype is xp.int8
    assert xp.add(xp.ones(2), 1j).dtype is xp.complex64
    for wrong in ((1, 2), ("x", xp.ones(1))):
        with pytest.raises(TypeError):
            xp.add(*wrong)


def test_bounds_and_real_parts():
    for dtype in (*INTEGERS, *FLOATS):
        for low, high in ((None, None), (2, None), (None, 3), (2, 3)):
            same("clip", array(dtype), low, high)
        same("clip", array(dtype), array(dtype, (3,)), array(dtype, ()))
    x = array("float64")
    same("real", x)
    same("imag", x)
    assert nb.array_api.clip(xp.ones(2, dtype=xp.float32), xp.zeros((), dtype=xp.float64)).dtype is xp.float32


FOLDS = {
    "all any": (),
    "count_nonzero": (),
    "max min": ("bool", *COMPLEX),
    "mean": ("bool", *INTEGERS),
    "prod sum": ("bool",),
    "std var": ("bool", *INTEGERS, *COMPLEX),
}


@pytest.mark.parametrize(("name", "without"), [(n, d) for names, d in FOLDS.items() for n in names.split()])
def test_folds_over_any_axes(name, without):
    for dtype in [d for d in ALL if d not in without]:
        for axis, keep in itertools.product((None, 0, -1, (), (0,), (0, 1), (-1, 0)), (False, True)):
            same(name, array(dtype), axis=axis, keepdims=keep)
        same(name, array(dtype, ()))
    if name in ("sum", "prod"):
        same(name, array("int8"), dtype="int16", axis=(0, 1))
        same(name, array("float32"), dtype="float64")
    if name in ("std", "var"):
        same(name, array("float64"), correction=0.5, axis=1)


def test_sums_and_products_up_to_each_element():
    for name, dtype in itertools.product(("cumulative_sum", "cumulative_prod"), (*INTEGERS, *INEXACT)):
        for axis, first in itertools.product((0, -1), (False, True)):
            same(name, array(dtype), axis=axis, include_initial=first)
        same(name, array(dtype, (3,)), dtype="complex128" if dtype in COMPLEX else "float64")
    with pytest.raises(ValueError, match="axis"):
        xp.cumulative_sum(xp.ones((2, 2)))


def test_differences():
    for dtype in (*INTEGERS, *INEXACT):
        x = array(dtype)
        same("diff", x)
        same("diff", x, axis=0, n=2, prepend=x, append=x)


def test_searching_sorting_and_sets():
    for dtype in (*INTEGERS, *FLOATS):
        x = array(dtype, (4, 5))
        for name, axis, keep in itertools.product(("argmax", "argmin"), (None, 0, -1), (False, True)):
            same(name, x, axis=axis, keepdims=keep)
        same("sort", x, axis=0)
        same("argsort", x, axis=-1, stable=True)
        assert (xp.sort(xp.asarray(x), descending=True).numpy() == -np.sort(-x.astype("float64"))).all()
        places, in_order = (f(xp.asarray(x), axis=0, descending=True) for f in (xp.argsort, xp.sort))
        assert (np.take_along_axis(x, places.numpy(), 0) == in_order.numpy()).all()
        for side in ("left", "right"):
            same("searchsorted", np.sort(x[0]), x, side=side)
        same("nonzero", x)
        for name in ("unique_all", "unique_counts", "unique_inverse"):
            same(name, x)
            assert getattr(xp, name)(xp.asarray(x))._fields == getattr(np, name)(x)._fields
        assert xp.unique_values(xp.asarray(x)).tolist() == np.unique(x).tolist()
        same("where", x > 1, x, x.T[:1, :1])
        same("where", x > 1, x, 0)
    same("unique_all", np.array([np.nan, 1.0, np.nan]))
    assert xp.unique_values(xp.asarray([np.nan, 1.0, np.nan])).shape == (3,)
    with pytest.raises(ValueError, match="dims"):
        xp.nonzero(xp.asarray(1))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex64"])
def test_shapes(dtype):
    x = array(dtype)
    same("broadcast_arrays", x, array(dtype, (4, 1, 3)))
    same("broadcast_to", x, (4, 2, 3))
    for axis in (0, -1, None):
        same("concat", [x, x, array(dtype)], axis=axis)
        same("flip", x, axis=axis)
        same("repeat", x, 2, axis=axis)
        same("roll", x, 1, axis=axis)
    for axis in (0, 1, -1):
        same("stack", [x, x], axis=axis)
        same("unstack", x, axis=axis)
        same("expand_dims", x, axis=axis)
        same("take", x, np.array([1, 0, 1]), axis=axis)
        same("take_along_axis", x, np.array([[0], [1]]), axis=-1)
        same("squeeze", np.expand_dims(x, axis), axis)
    same("flip", x, axis=(0, 1))
    same("roll", x, (1, -1), axis=(0, 1))
    same("roll", x, 1, axis=(0, 1))
    same("moveaxis", x, 0, -1)
    same("permute_dims", x, (1, 0))
    same("reshape", x, (3, -1))
    same("reshape", x, (6,), copy=True)
    same("tile", x, (2, 1, 2))
    for k in (-1, 0, 1):
        same("tril", x, k=k)
        same("triu", x, k=k)
    same("take_along_axis", array(dtype, (4,)), np.array([-1, 0]), axis=0)
    same("matrix_transpose", x)


def test_shapes_that_are_wrong():
    x = xp.ones((2, 3))
    with pytest.raises(ValueError, match="axis"):
        xp.squeeze(x, 0)
    with pytest.raises(IndexError):
        xp.expand_dims(x, axis=5)
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(xp.permute_dims(x, (1, 0)), (6,), copy=False)
    with pytest.raises(RuntimeError, match="broadcast"):
        xp.broadcast_arrays(x, xp.ones(2))
    with pytest.raises(TypeError, match="axis"):
        xp.take(x, xp.asarray([0]))


def test_new_arrays():
    for dtype in ALL:
        for name in ("ones", "zeros"):
            for shape in ((), 3, (2, 3), (0,)):
                same(name, shape, dtype=dtype)
        same("full", (2,), 1, dtype=dtype)
        for arguments in ((3,), (2, 3), (3, 2), (0, 2)):
            for k in (-3, -1, 0, 1, 5):
                same("eye", *arguments, k=k, dtype=dtype)
        same("full_like", array(dtype), 1)
        same("ones_like", array(dtype))
        same("zeros_like", array(dtype))
    for dtype in (*INTEGERS, *FLOATS):
        for arguments in ((3,), (1, 5), (1, 9, 2), (5, 0, -2), (0,), (3, 1), (0, 1, -1)):
            same("arange", *arguments, dtype=dtype)
    for num, end in itertools.product((0, 1, 2, 5), (True, False)):
        same("linspace", 0, 7, num, endpoint=end, dtype="float64")
    for indexing in ("ij", "xy"):
        same("meshgrid", np.arange(3), np.arange(2), np.arange(4), indexing=indexing)
    assert xp.empty((2, 3)).shape == xp.empty_like(xp.ones((2, 3))).shape == (2, 3)
    assert xp.arange(3).dtype is xp.int64 and xp.arange(3.0).dtype is xp.float32
    assert xp.full((), True).dtype is xp.bool and xp.full(2, 3).dtype is xp.int64
    with pytest.raises(ValueError, match="indexing"):
        xp.meshgrid(xp.ones(1), indexing="yx")


def test_arrays_from_what_there_is():
    a = np.array([1.0, 2.0])
    x = xp.asarray(a)
    assert x.dtype is xp.float64 and xp.asarray(x) is x
    a[0] = 5.0
    assert x[0].item() == 5.0 and xp.asarray(a, copy=True).tolist() == [5.0, 2.0]
    assert xp.asarray(x, copy=False) is x and xp.asarray(x, copy=True) is not x
    for needs in ([1.0], np.array([1.0]).view(">f8")):
        with pytest.raises((ValueError, TypeError)):
            xp.asarray(needs, copy=False)
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(x, dtype=xp.float32, copy=False)
    assert xp.asarray([[1, 2], [3, 4]], dtype=xp.float32).dtype is xp.float32
    assert xp.from_dlpack(np.ones(2)).tolist() == [1.0, 1.0]


def test_dtypes():
    for a, b in itertools.product(ALL, ALL):
        assert xp.isdtype(getattr(xp, a), getattr(xp, b)) == (a == b)
        if (a in INEXACT) == (b in INEXACT) and (a == "bool") == (b == "bool"):
            assert xp.result_type(getattr(xp, a), getattr(xp, b)).name == np.result_type(a, b).name
            assert xp.can_cast(getattr(xp, a), getattr(xp, b)) == np.can_cast(a, b)
        if a not in COMPLEX or b in COMPLEX:  # the parts say which is meant
            assert xp.astype(xp.ones(2, dtype=getattr(xp, a)), getattr(xp, b)).dtype is getattr(xp, b)
    for kind in KINDS:
        for a in ALL:
            assert xp.isdtype(getattr(xp, a), kind) == np.isdtype(np.dtype(a), kind)
            assert xp.isdtype(getattr(xp, a), (kind, "bool")) == np.isdtype(np.dtype(a), (kind, "bool"))
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "float")
    x = xp.ones(2)
    assert xp.astype(x, xp.float32, copy=False) is x and xp.astype(x, xp.float32) is not x
    assert xp.finfo(x).dtype is xp.float32 and xp.finfo(xp.float64).eps == np.finfo("float64").eps
    assert xp.iinfo(xp.ones(1, dtype=xp.int8)).max == 127 and xp.iinfo(xp.int16).dtype is xp.int16
    assert xp.result_type(xp.ones(1, dtype=xp.int8), 3, xp.int16) is xp.int16


def test_what_can_be_asked():
    info = xp.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}
    assert info.default_device() == nb.ones(1).device and info.default_device() in info.devices()
    real, whole = {"real floating": nb.float32, "complex floating": nb.complex64}, {"integral", "indexing"}
    assert info.default_dtypes() == {**real, **dict.fromkeys(whole, nb.int64)}
    assert set(info.dtypes()) == set(ALL)
    assert info.dtypes(kind="unsigned integer") == {"uint8": nb.uint8}
    assert info.dtypes(kind="complex floating") == {"complex64": nb.complex64, "complex128": nb.complex128}
    x = nb.ones(2)
    assert x.__array_namespace__() is x.__array_namespace__(api_version="2024.12") is nb.array_api
    with pytest.raises(ValueError, match="2030"):
        x.__array_namespace__(api_version="2030.12")
    assert x.to_device(x.device) is x


def test_products():
    for a, b in (("int8", "int16"), ("float32", "float64"), ("uint8", "uint8"), ("complex64", "float64")):
        for left, right in (((2, 3), (3, 2)), ((3,), (3,)), ((2, 3), (3,)), ((4, 2, 3), (3, 2))):
            same("matmul", array(a, left), array(b, right))
        same("vecdot", array(a), array(b, (3,)))
        same("vecdot", array(a), array(b), axis=0)
        same("tensordot", array(a), array(b, (3, 2)), axes=1)
        same("tensordot", array(a), array(b), axes=((0, 1), (0, 1)))
        same("linalg.outer", array(a, (2,)), array(b, (3,)))
    with pytest.raises(RuntimeError, match="axis"):
        xp.vecdot(xp.ones((2, 1)), xp.ones((2, 3)))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (2, 4, 3), (3, 4)])
def test_linear_algebra(shape, dtype):
    x = array(dtype, shape)
    square = x @ np.swapaxes(x, -1, -2).conj() + np.eye(shape[-2])
    for name in ("cholesky", "det", "eigvalsh", "inv", "slogdet"):
        same(f"linalg.{name}", square)
    same("linalg.cholesky", square, upper=True)
    for name in ("svdvals", "matrix_rank", "pinv", "diagonal", "trace", "matrix_norm", "matrix_transpose"):
        same(f"linalg.{name}", x)
    same("linalg.pinv", x, rtol=0.3)
    same("linalg.matrix_rank", x, rtol=0.3)
    for k in (-1, 1):
        same("linalg.diagonal", x, offset=k)
        same("linalg.trace", x, offset=k)
    for order, keep in itertools.product((1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"), (True, False)):
        same("linalg.matrix_norm", x, ord=order, keepdims=keep)
    for order, axis, keep in itertools.product((0, 1, 2, 3.5, -1, np.inf), (None, 0, -1, (0, 1)), (True, False)):
        same("linalg.vector_norm", x, ord=order, axis=axis, keepdims=keep)
    for n in (0, 1, 3, -2):
        same("linalg.matrix_power", square, n)
    same("linalg.solve", square, x)
    same("linalg.solve", square, np.ones(shape[-2]))
    same("linalg.solve", square, np.ones((shape[-2], shape[-2])))
    q, r = xp.linalg.qr(xp.asarray(x), mode="reduced")
    np.testing.assert_allclose((q @ r).numpy(), x, rtol=1e-12)
    u, s, rows = xp.linalg.svd(xp.asarray(x), full_matrices=False)
    np.testing.assert_allclose(((u * s[..., None, :]) @ rows).numpy(), x, rtol=1e-11)
    values, vectors = xp.linalg.eigh(xp.asarray(square))
    np.testing.assert_allclose(((vectors * values[..., None, :]) @ vectors.mT.conj()).numpy(), square, rtol=1e-11)


def test_small_linear_algebra():
    same("linalg.cross", array("float64"), array("float64", (3,))[None])
    same("linalg.cross", array("float32", (3, 2)), array("float64", (3, 2)), axis=0)
    same("linalg.solve", np.stack([np.eye(2), 2 * np.eye(2)]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    same("linalg.trace", array("int8", (3, 3)))
    x = xp.asarray(array("float64"))
    assert xp.linalg.vector_norm(x, axis=()).tolist() == x.abs().tolist()
    assert xp.linalg.vector_norm(x, axis=(), ord=0).tolist() == xp.ones_like(x).tolist()


def test_derivatives_pass():
    x = xp.asarray(array("float64"), copy=True).requires_grad_()

    def f(x):
        y = xp.concat([xp.exp(x), xp.pow(x, 2), 3 * xp.take(x, xp.asarray([0]), axis=0)])
        y = xp.where(y > 1, xp.divide(y, 2.0), xp.clip(y, 0.1, None))
        return xp.std(xp.permute_dims(y, (1, 0)), axis=1), xp.linalg.vector_norm(xp.cumulative_sum(y, axis=0))

    assert nb.autograd.gradcheck(f, (x,))
    with pytest.raises(RuntimeError, match="nextafter"):
        xp.nextafter(x, x)


def test_special_functions_have_derivatives():
    x = xp.asarray(array("float64"), copy=True).requires_grad_()
    for name in xp.special.__all__:
        f = getattr(xp.special, name)
        assert nb.autograd.gradcheck((lambda y, f=f: f(y, y + 1)) if name == "xlogy" else f, (x,)), name
    scipy = pytest.importorskip("scipy.special")
    for name in xp.special.__all__:
        operands = (SPECIAL, SPECIAL) if name == "xlogy" else (SPECIAL,)
        want = getattr(scipy, name)(*operands)
        got = getattr(xp.special, name)(*[xp.asarray(a) for a in operands])
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-12, atol=1e-15, err_msg=name)


def test_ndtri_of_the_smallest_shares() -> None:
    known = {1e-300: -37.0471, 1e-20: -9.262340089798407, 1e-5: -4.264890793922825, 0.15: -1.036433389493790, 0.5: 0.0}
    x = nb.tensor([*known], dtype=nb.float64, requires_grad=True)
    special = xp.special
    np.testing.assert_allclose(special.ndtri(x).tolist(), [*known.values()], rtol=1e-6)
    np.testing.assert_allclose(special.ndtri(x)[1:].tolist(), [*known.values()][1:], rtol=1e-14)
    assert special.ndtri(nb.tensor(1e-20)).item() == pytest.approx(-9.26234, rel=1e-6)
    assert special.ndtri(nb.tensor([0.0, 1.0, 0.5])).tolist() == [-np.inf, np.inf, 0.0]
    assert nb.isnan(special.ndtri(nb.tensor([-0.1, 1.1, np.nan]))).all()
    shares = nb.tensor([1e-3, 0.1, 0.14, 0.16, 0.5, 0.9], dtype=nb.float64, requires_grad=True)
    assert nb.autograd.gradcheck(special.ndtri, (shares,)) and nb.autograd.gradgradcheck(special.ndtri, (shares,))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn"])
def test_fourier_transforms(name):
    real = name in ("rfft", "ihfft", "rfftn")
    for dtype in ("float64",) if real else ("float64", "complex128"):
        x = array(dtype, (4, 6))
        several = name.endswith("n")
        given = ({"s": (3, 5), "axes": (0, 1)}, {"axes": (0,)}) if several else ({"n": 5}, {"n": 8}, {"axis": 0})
        for options in ({}, {"norm": "ortho"}, {"norm": "forward"}, *given):
            same(f"fft.{name}", x, **options)


def test_frequencies():
    for n in (1, 4, 5):
        for name in ("fftfreq", "rfftfreq"):
            found = getattr(xp.fft, name)(n, d=0.5, dtype=xp.float64)
            assert found.tolist() == getattr(np.fft, name)(n, d=0.5).tolist()
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (0, 1)):
            same(f"fft.{name}", array("complex64"), axes=axes)

"""Results that are written into tensors of the user's: ``out``. NBGRAD_ORACLE=torch runs it against PyTorch."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.test_mistakes import DECLARED, LINALG, sample_of
from tests.test_mistakes import FUNCTIONS as FUNCTIONS_OF_TESTS

X = nb.tensor([[1.0, 4.0], [9.0, 16.0]])
FUNCTIONS = {
    "sqrt": (X,),
    "add": (X, X),
    "sum": (X, 1),
    "matmul": (X, X),
    "cat": ([X, X], 1),
    "clamp": (X, 2.0),
    "argmax": (X, 1),
    "gt": (X, 3),
    "stack": ([X, X],),
    "where": (X > 3, X, X),
    "gather": (X, 1, X.long() % 2),
    "inverse": (X,),
    "gcd": (X.long(), X.long()),
    "digamma": (X,),
    "max": (X, 1),
    "sort": (X, 1),
    "linalg.svd": (X,),
    "linalg.slogdet": (X,),
    "special.erfcx": (X,),
    "linalg.lstsq": (X, X),
    "bernoulli": ((X > 3).float(),),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_written_and_given_back(name: str) -> None:
    args = FUNCTIONS[name]
    want = attrgetter(name)(nb)(*args)
    several = isinstance(want, tuple)
    outs = tuple([nb.empty(0, dtype=w.dtype) for w in (want if several else (want,))])
    got = attrgetter(name)(nb)(*args, out=outs if several else outs[0])
    for out, given, wanted in zip(outs, got if several else (got,), want if several else (want,), strict=True):
        assert given is out and out.dtype is wanted.dtype and out.tolist() == wanted.tolist()
    assert not several or type(got) is type(want)


@pytest.mark.parametrize("name", ["special.ndtr", "special.erfcx", "angle", "diff", "column_stack", "row_stack"])
def test_results_are_rounded_to_out(name: str) -> None:
    x = X.double()
    given = (x, x) if name.endswith("stack") else x
    out = nb.empty(0)
    assert attrgetter(name)(nb)(given, out=out).tolist() == attrgetter(name)(nb)(given).float().tolist()
    with pytest.raises(RuntimeError, match="can't be cast"):
        attrgetter(name)(nb)(given, out=nb.empty(0, dtype=nb.int64))


OTHER_DTYPES: dict[str, Any] = {  # most of these are rounded to a narrower dtype of out in PyTorch, too
    "sum": lambda m, x, out: m.sum(x, 1, out=out),
    "mean": lambda m, x, out: m.mean(x, 1, out=out),
    "prod": lambda m, x, out: m.prod(x, 1, out=out),
    "cumsum": lambda m, x, out: m.cumsum(x, 1, out=out),
    "cholesky": lambda m, x, out: m.cholesky(x @ x.mT + m.eye(2, dtype=x.dtype), out=out),
    "cholesky_inverse": lambda m, x, out: m.cholesky_inverse(x.tril(), out=out),
    "fft.irfft": lambda m, x, out: m.fft.irfft(x, out=out),
    "fft.hfft": lambda m, x, out: m.fft.hfft(x, out=out),
    "linalg.cond": lambda m, x, out: m.linalg.cond(x, out=out),
    "linalg.matrix_power": lambda m, x, out: m.linalg.matrix_power(x, 2, out=out),
    "linalg.matrix_rank": lambda m, x, out: m.linalg.matrix_rank(x, out=out),
    "linalg.pinv": lambda m, x, out: m.linalg.pinv(x, out=out),
    "linalg.tensorinv": lambda m, x, out: m.linalg.tensorinv(x[:, :, None], 1, out=out),
}


@pytest.mark.parametrize("name", OTHER_DTYPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64"])
def test_out_may_have_another_dtype(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    values = []
    for m in (nb, torch):
        x = m.tensor(X.tolist(), dtype=m.float64)
        out = m.empty(0, dtype=getattr(m, dtype))
        try:
            assert OTHER_DTYPES[name](m, x, out) is out
            values.append(out.tolist())
        except RuntimeError:  # PyTorch refuses some of them
            assert m is torch
            values.append(values[0])
    np.testing.assert_allclose(*values, rtol=1e-3)


@pytest.mark.parametrize("given", [[1, 2], [True, False], [1.5, float("nan"), 2.5]])
@pytest.mark.parametrize("kind", ["bool", "uint8", "int64", "float16", "float64", "complex64"])
def test_a_nansum_is_taken_in_the_dtype_of_out(given: list[Any], kind: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")

    def sums(m: Any, by_out: bool) -> Any:
        dtype = getattr(m, kind)
        try:
            y = m.nansum(m.tensor(given), 0, **({"out": m.empty((), dtype=dtype)} if by_out else {"dtype": dtype}))
        except NotImplementedError:
            return NotImplementedError
        assert y.dtype is dtype
        return y.item()

    for by_out in (False, True):
        assert sums(nb, by_out) == sums(torch, by_out)


@pytest.mark.parametrize("name", ["mean", "nansum", "nanmean"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_sums_and_means_are_taken_in_the_floats_of_out(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    results = []
    for m in (nb, torch):
        for given in (m.float16, m.float32, m.float64):
            x = m.tensor([[0.1, 0.2, 0.7], [1.3, 2.1, 5.7]], dtype=given)
            results.append(getattr(m, name)(x, 1, out=m.empty(2, dtype=getattr(m, dtype))).tolist())
    rtol = {"float16": 2**-10, "float32": 2**-22, "float64": 2**-51}[dtype]  # twice the dtype's rounding
    np.testing.assert_allclose(results[:3], results[3:], rtol=rtol)
    with pytest.raises(RuntimeError):
        getattr(nb, name)(nb.ones(2, 3), 1, out=nb.empty(2, dtype=nb.int64))


# PyTorch takes what its rule of casting forbids, or refuses what it allows, where one of its loops lacks a dtype.
LOOPS_OF_THEIRS = (*("chain_matmul", "lu", "linalg.matrix_power", "matrix_power", "nanmean", "randint", "var", "std"),)
SETTINGS = tuple([n for n in FUNCTIONS_OF_TESTS if n.startswith(("manual_seed", "set_", "use_"))])
COMPARED = [
    *[n for n in DECLARED if n not in LOOPS_OF_THEIRS],
    *[n for n in FUNCTIONS_OF_TESTS if not n.endswith(("_", "Tensor")) and n not in LOOPS_OF_THEIRS + SETTINGS],
    *[f"linalg.{n}" for n in LINALG if not n.startswith(("tensor", "matrix_power"))],
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_out_takes_the_dtypes_that_pytorch_takes(dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    differ: list[tuple[str, ...]] = []
    count = 0
    for name in COMPARED:
        args, named = of_dtype(arguments_of(name), getattr(nb, dtype))
        ours, theirs = (taken(lib, name, *given(lib, args, named)) for lib in (nb, torch))
        if ours and theirs:
            count += 1
            differ += [(name, *pair) for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    assert not differ
    assert count > 150


@pytest.mark.parametrize("name", ["abs", "absolute"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_magnitudes_of_complex_numbers_take_real_numbers_or_their_own(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    ours, theirs = (taken(m, name, [m.ones(2, dtype=getattr(m, dtype))], {}) for m in (nb, torch))
    assert ours == theirs != []


def arguments_of(name: str) -> Any:
    kind, _, rest = name.rpartition(".")
    if kind:
        return LINALG[rest]
    return FUNCTIONS_OF_TESTS[name] if name in FUNCTIONS_OF_TESTS else sample_of(name)


def of_dtype(value: Any, dtype: Any) -> Any:
    """``value``, all of whose floating tensors are of ``dtype``."""
    if isinstance(value, nb.Tensor):
        return (value * 3).to(dtype) if value.is_floating_point() else value
    if isinstance(value, dict):
        return {k: of_dtype(v, dtype) for k, v in value.items()}
    return type(value)([of_dtype(v, dtype) for v in value]) if isinstance(value, (list, tuple)) else value


def given(lib: Any, *value: Any) -> Any:
    """Arguments, of which tensors and dtypes are ``lib``'s."""
    return [_given(lib, v) for v in value]


def _given(lib: Any, value: Any) -> Any:
    if isinstance(value, nb.Tensor):
        dtype = getattr(lib, value.dtype.name)
        return value if lib is nb else lib.tensor(value.tolist(), dtype=dtype).reshape(value.shape)
    if isinstance(value, nb.dtype):
        return getattr(lib, value.name)
    if isinstance(value, dict):
        return {k: _given(lib, v) for k, v in value.items()}
    return type(value)([_given(lib, v) for v in value]) if isinstance(value, (list, tuple)) else value


def taken(lib: Any, name: str, args: Any, named: Any) -> list[str]:
    """The dtypes of ``out`` that are taken; nothing where the function does not take these arguments, or no ``out``."""
    found = lib
    for part in name.split("."):
        found = getattr(found, part, None)
    try:
        result = found(*args, **named)  # type: ignore[misc]
    except Exception:  # not a function of both for this dtype
        return []
    first = result[0] if isinstance(result, tuple) else result
    others = result[1:] if isinstance(result, tuple) else ()
    if name in ("empty", "split_copy") or not all(isinstance(x, lib.Tensor) for x in (first, *others)):
        return []
    answers = []
    for dtype in ("bool", "int64", "float16", "float32", "float64", "complex64"):
        out = lib.empty(first.shape, dtype=getattr(lib, dtype))
        outs = (out, *[lib.empty_like(x) for x in others]) if isinstance(result, tuple) else out
        try:
            found(*args, **named, out=outs)  # type: ignore[misc]
            answers.append(dtype)
        except (RuntimeError, TypeError) as error:
            if not isinstance(error, RuntimeError) and "cast" not in str(error):
                return []  # no argument out
            answers.append(f"not {dtype}")
    return answers


COPIES: dict[str, Any] = {
    "narrow_copy": lambda m, x, out: m.narrow_copy(x, 0, 1, 1, out=out[0]),
    "view_copy": lambda m, x, out: m.view_copy(x, (4,), out=out[0]),
    "permute_copy": lambda m, x, out: m.permute_copy(x, (1, 0), out=out[0]),
    "expand_copy": lambda m, x, out: m.expand_copy(x, (3, 2, 2), out=out[0]),
    "slice_copy": lambda m, x, out: m.slice_copy(x, 0, 1, out=out[0]),
    "slice_scatter": lambda m, x, out: m.slice_scatter(x, x[:1], 0, 1, out=out[0]),
    "split_copy": lambda m, x, out: m.split_copy(x, 1, out=[o.resize_(1, 2) for o in out]),
    "unbind_copy": lambda m, x, out: m.unbind_copy(x, out=out),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_views_are_written_into_out(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    outs = [(m.empty(0), m.empty(0)) for m in (nb, torch)]
    for m, out in zip((nb, torch), outs, strict=True):
        COPIES[name](m, m.tensor(X.tolist()), out)
    assert [x.tolist() for x in outs[0]] == [x.tolist() for x in outs[1]]


def test_results_are_converted_and_operands_may_be_overwritten() -> None:
    out = nb.zeros(2, 2, dtype=nb.float64)
    assert nb.exp(X, out=out).tolist() == X.exp().double().tolist()
    x = nb.tensor([1.0, 2.0])
    assert nb.mul(x, x, out=x).tolist() == [1.0, 4.0]
    view = nb.zeros(2, 2)
    nb.add(x, 1, out=view[1])
    assert view.tolist() == [[0.0, 0.0], [2.0, 5.0]]
    with pytest.raises(RuntimeError, match="can't be cast"):
        nb.sqrt(x, out=nb.zeros(2, dtype=nb.int64))


def test_what_has_elements_is_resized_with_a_warning() -> None:
    out = nb.zeros(3)
    with pytest.warns(UserWarning, match="was resized"):
        nb.sqrt(X, out=out)
    assert out.shape == (2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nb.sqrt(X, out=nb.empty(0))


def test_nothing_that_requires_grad_is_written_or_read() -> None:
    w = nb.ones(2, requires_grad=True)
    for wrong in (lambda: nb.sqrt(w, out=nb.zeros(2)), lambda: nb.sqrt(nb.ones(2), out=w)):
        with pytest.raises(RuntimeError, match="automatic differentiation"):
            wrong()
    with nb.no_grad():
        assert nb.sqrt(w, out=nb.zeros(2)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("wrong", [3, [nb.zeros(2)], (nb.zeros(2), nb.zeros(2)), "a"])
def test_other_things_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError):
        nb.sqrt(X, out=wrong)
    if not isinstance(wrong, tuple):
        with pytest.raises(TypeError):
            nb.max(X, 1, out=wrong)
    with pytest.raises(TypeError):
        nb.sqrt(X, nb.zeros(2, 2))  # type: ignore[call-arg]


def test_out_in_a_compiled_function() -> None:
    @nb.compile
    def step(x: Any, out: Any) -> Any:
        return nb.add(x, 1, out=out) * 2

    out = nb.zeros(2)
    for k in range(3):
        assert step(nb.full((2,), float(k)), out).tolist() == [2.0 * k + 2] * 2
        assert out.tolist() == [k + 1.0] * 2


MAKERS: dict[str, Any] = {
    "arange": lambda m, out: m.arange(4, out=out),
    "linspace": lambda m, out: m.linspace(0, 3, 4, out=out),
    "logspace": lambda m, out: m.logspace(0, 3, 4, out=out),
    "zeros": lambda m, out: m.zeros(4, out=out),
    "ones": lambda m, out: m.ones((4,), out=out),
    "full": lambda m, out: m.full((4,), 7, out=out),
    "eye": lambda m, out: m.eye(2, out=out.reshape(2, 2)).reshape(4),
    "randperm": lambda m, out: m.randperm(4, out=out).sort()[0],
    "range": lambda m, out: m.range(0, 3, out=out),
}


@pytest.mark.filterwarnings("ignore:.*range is deprecated")
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_what_makes_tensors_takes_the_dtype_of_out(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch")
    made = [MAKERS[name](m, m.full((4,), 5, dtype=getattr(m, dtype))) for m in (nb, torch)]
    assert str(made[0].dtype).partition(".")[2] == str(made[1].dtype).partition(".")[2]
    assert made[0].tolist() == pytest.approx(made[1].tolist())
    with pytest.raises(RuntimeError, match="dtype"):
        nb.zeros(4, dtype=nb.int32, out=nb.empty(4, dtype=getattr(nb, dtype)))


def test_random_numbers_are_written_into_out() -> None:
    for make in (nb.rand, nb.randn, lambda n, out: nb.normal(nb.zeros(n), 1.0, out=out)):
        out = nb.zeros(100)
        assert make(100, out=out) is out
        assert 0 < out.abs().mean() < 2


def test_out_begins_a_graph_where_that_is_asked_for() -> None:
    out = nb.empty(2)
    assert nb.zeros(2, out=out, requires_grad=True) is out and out.requires_grad and out.is_leaf


# What has no argument ``out`` in PyTorch: views, losses, convolutions, and some for no reason that one could name.
WITHOUT: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("isnan", "isinf", "isfinite", "relu", "selu", "celu", "det", "t", "trace", "flatten"), (X,)),
    **dict.fromkeys(("squeeze", "diagonal", "diag_embed", "clone", "count_nonzero", "trapezoid"), (X,)),
    **dict.fromkeys(("isclose", "dist", "cdist", "cosine_similarity", "nn.functional.mse_loss"), (X, X)),
    **dict.fromkeys(("swapaxes", "movedim"), (X, 0, 1)),
    **dict.fromkeys(("nn.functional.tanhshrink", "nn.functional.glu"), (X,)),
    "fill": (X, 1.0),
    "median": (X,),
    "nanmedian": (X,),
    "bernoulli": (X, 0.5),
    "unsqueeze": (X, 0),
    "masked_fill": (X, X > 3, 0.0),
    "index_fill": (X, 0, nb.tensor([0]), 1.0),
    "prelu": (X, nb.tensor([0.1])),
    "conv1d": (X[None], X[None]),
    "nn.functional.pad": (X, (1, 1)),
    "nn.functional.avg_pool1d": (X, 2),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_out_is_refused_where_there_is_none(name: str) -> None:
    attrgetter(name)(nb)(*WITHOUT[name])
    with pytest.raises(TypeError, match="out"):
        attrgetter(name)(nb)(*WITHOUT[name], out=nb.empty(0))
    torch = pytest.importorskip("torch", reason="compares with torch")
    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part)
    given = [torch.tensor(x.tolist()) if isinstance(x, nb.Tensor) else x for x in WITHOUT[name]]
    with pytest.raises(TypeError):
        found(*given, out=torch.empty(0))


@pytest.mark.parametrize("name", ["gelu", "softplus", "logsigmoid", "softshrink", "avg_pool2d"])
def test_a_few_functions_of_nn_have_out(name: str) -> None:
    args = (X[None], 2) if name == "avg_pool2d" else (X,)
    f, out = getattr(nb.nn.functional, name), nb.empty(0)
    assert f(*args, out=out) is out and out.tolist() == f(*args).tolist()


@pytest.mark.parametrize(
    ("compute", "words"),
    [
        (lambda: nb.all(X > 3, out=nb.ones(1)), "all only supports bool tensor for result"),
        (lambda: nb.any(X > 3, 1, out=nb.ones(2)), "any only supports bool tensor for result"),
        (lambda: nb.quantile(X, 0.5, out=nb.ones(1).int()), r"quantile\(\) out tensor must be same dtype as the input"),
        (lambda: nb.nanmean(X.int()), r"nanmean\(\): expected input to have floating point or complex dtype"),
        (lambda: nb.nanmean(X + 1j), "nansum does not support complex inputs"),
    ],
)
def test_what_has_another_dtype_is_refused_in_words_of_its_own(compute: Any, words: str) -> None:
    with pytest.raises(nb.errors.DTypeError, match=words):
        compute()

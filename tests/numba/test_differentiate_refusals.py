"""What ``differentiate`` does not take is refused, at the user's line, and never gives a wrong gradient."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any

import numpy as np
import pytest
from llvmlite import ir
from numba import carray, njit, objmode, typed, types, vectorize
from numba.experimental import jitclass
from numba.extending import intrinsic

import nbgrad as nb
from nbgrad.errors import DTypeError, DTypeNotImplementedError
from nbgrad.kernels.numba_target import cgutils, typing
from nbgrad.numba import differentiate, differentiate_hvp, differentiate_vjp
from nbgrad.numba.differentiate import gate
from nbgrad.numba.differentiate.symbols import ALLOWED
from tests.each import functions

X = np.array([0.5, 1.5, 2.5])
LARGE = np.ones(200_000)
c_exp = ctypes.CDLL(None).exp
c_exp.restype, c_exp.argtypes = ctypes.c_double, [ctypes.c_double]
POINTERS = (njit(types.float64(types.float64))(lambda v: v * 2.0), njit(types.float64(types.float64))(lambda v: v * v))


@jitclass([("v", types.float64)])  # type: ignore[untyped-decorator]
class Holder:
    def __init__(self, v: Any) -> None:
        self.v = v


@intrinsic  # type: ignore[untyped-decorator]
def halved(context: Any, x: Any) -> Any:
    """Somebody's own LLVM code."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(args[0], ir.Constant(ir.DoubleType(), 0.5))

    return types.float64(types.float64), written


@intrinsic  # type: ignore[untyped-decorator]
def unknown_symbol(context: Any, x: Any) -> Any:
    """A call of a C function, by whole numbers: nothing in it looks like a float."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [ir.IntType(64)])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "function_of_somebody"), args)

    return types.int64(types.int64), written


def jit_class(x: Any) -> Any:
    holder = Holder(x[0])  # here
    return holder.v


def object_mode(x: Any) -> Any:  # here
    s = x[0] * x[1]
    with objmode(t="float64"):
        t = float(s) * 2.0
    return t * s


def external(x: Any) -> Any:
    return c_exp(x[0])  # here


def function_pointer(x: Any) -> Any:
    s = 0.0
    for f in POINTERS:  # here
        s += f(x[0])
    return s


def bits(x: Any) -> Any:
    return float(x.view(np.int64)[0] & 1) + x[0]  # here


def bits_of_a_number(x: Any) -> Any:
    return float(np.float64(x[0]).view(np.int64)) * x[1]  # here


def narrower(x: Any) -> Any:
    return x.view(np.float32).sum()  # here


def strides(x: Any) -> Any:
    return x[0] * x.strides[0]  # here


def address(x: Any) -> Any:
    return carray(x.ctypes, (1,))[0]  # here


def address_as_number(x: Any) -> Any:
    return x[0] * float(x.ctypes.data % 8)  # here


def from_buffer(x: Any) -> Any:
    return np.frombuffer(x, np.float64)[0]  # here


def dictionary(x: Any) -> Any:
    d = {x[0]: x[1]}  # here
    return d[x[0]] * x[1]


def typed_dictionary(x: Any) -> Any:
    d = typed.Dict.empty(types.float64, types.float64)  # here
    d[x[0]] = x[0]
    return d[x[0]]


def a_set(x: Any) -> Any:
    s = {x[0], x[1]}  # here
    return len(s) * x[0]


def printed(x: Any) -> Any:
    print(x)  # here
    return x[0]


def raised_with_an_array(x: Any) -> Any:
    if x[0] > 9.0:
        raise ValueError("too large", x)  # here
    return x[0]


def large_global(x: Any) -> Any:
    return x[0] * LARGE[1]  # here


slope_of_square = differentiate(njit(lambda x: x * x))


def nested(x: Any) -> Any:
    return slope_of_square(x[0])[0]  # here


def own_llvm(x: Any) -> Any:
    return halved(x[0])  # here


def drawn_by_parameter(x: Any) -> Any:
    return np.random.gamma(x[0], x[1])  # here


def decomposed(x: Any) -> Any:
    return np.linalg.svd(np.outer(x, x))[1][0]  # here


def eigenvalues(x: Any) -> Any:
    return np.linalg.eigvalsh(np.outer(x, x))[0]  # here


def without_rule(x: Any) -> Any:
    return np.nextafter(x[0], 1.0) * x[1]  # here


def parts(x: Any) -> Any:
    return np.modf(x[0])[0] * x[1]  # here


def hashed(x: Any) -> Any:
    return float(hash((x[0], 1)) % 3) * x[1]  # here


def unknown(x: Any) -> Any:
    return x[0] * unknown_symbol(len(x))


REFUSED = functions(jit_class, hashed)


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_it_is_refused_at_its_line(fn: Any) -> None:
    lines, first = inspect.getsourcelines(fn)
    [line] = [first + k for k, line in enumerate(lines) if "# here" in line]
    for form in (differentiate, lambda f: lambda x: differentiate_hvp(f)((x,), (x,))):
        with pytest.raises(DTypeError) as told:
            form(njit(fn))(X)
        message = str(told.value)
        assert message.startswith("differentiate: ")
        assert f"{__file__}, line {line}:" in message, message
        assert "\n" not in message.split("\n  in ")[0], "one line, and the place"


@pytest.mark.parametrize("name", ["convolve", "cov"])
def test_what_numpys_function_calls_is_refused_by_the_name_of_that_function(name: str) -> None:
    function = getattr(np, name)
    with pytest.raises(DTypeNotImplementedError, match=rf"no derivative of numpy\.{name}, which makes a call of "):
        differentiate(njit(lambda x: function(x, x).sum()))(X)


def test_a_call_of_an_unknown_function_is_refused() -> None:
    with pytest.raises(
        DTypeNotImplementedError, match="a call of function_of_somebody, which knows nothing of derivatives"
    ):
        differentiate(njit(unknown))(X)


@pytest.mark.parametrize(
    "name",
    ["cblas_ddot", "numba_xxgemm", "numba_ez_gesdd", "PyObject_Call", "PyObject_GetAttr", "exp_of_mine", "read"],
)
def test_the_list_of_functions_is_one_of_those_allowed(name: str) -> None:
    assert not ALLOWED.fullmatch(name)


def test_an_operation_without_rule_is_refused_whatever_its_types() -> None:
    for args in ((types.float64,), (types.Array(types.float64, 1, "C"),), (types.complex128,)):
        for result in (types.float64, types.int64, types.Array(types.float64, 1, "C")):
            with pytest.raises(Exception, match="some_function"):
                gate.function(None, "some_function", typing.signature(result, *args), lambda: "Numba's own")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([1.0, 2.0],), "argument 'x' is reflected list"),
        ((np.zeros(2, np.float16),), "argument 'x' is"),
        ((np.zeros(2, [("a", "f8")]),), "argument 'x' is"),
        ((np.zeros(2, np.longdouble),), "argument 'x' is .* Numba has no type, such as an array of long doubles"),
        ((np.zeros(2, ">f8"),), "argument 'x' is .* in another byte order; convert it to float64"),
        ((np.arange(3),), "no argument is a float"),
    ],
)
def test_arguments_that_have_no_gradient_are_refused(args: Any, message: str) -> None:
    with pytest.raises(DTypeError, match=message):
        differentiate(njit(lambda x: x[0] * 2))(*args)


def test_results_that_are_no_number_are_refused() -> None:
    with pytest.raises(DTypeError, match=r"gives array\(float64, 1d, C\).*or use nbgrad.numba.differentiate_vjp"):
        differentiate(njit(lambda x: x * 2.0))(X)
    with pytest.raises(DTypeError, match="gives none, which has no derivative"):
        differentiate_vjp(njit(lambda x: None))((X,), 1.0)
    with pytest.raises(DTypeError, match="gives int64"):
        differentiate(njit(lambda x: len(x)))(X)


def test_what_numba_cannot_compile_is_told_at_its_line() -> None:
    def unknown_attribute(x: Any) -> Any:
        y = x[0]
        return y.nothing  # here

    line = inspect.getsourcelines(unknown_attribute)[1] + 2
    with pytest.raises(DTypeError, match=f"Numba cannot compile unknown_attribute: .*nothing(.|\n)*line {line}:"):
        differentiate(njit(unknown_attribute))(X)


def test_what_numba_fails_at_without_a_word_is_told_without_an_empty_reason() -> None:
    """It compiles no assignment to a mask of two dims. 0.68 fails there at an assertion of its own, before it says what
    it lacks."""

    @njit
    def masked(x: Any) -> Any:
        x[x > 0.0] = 1.0
        return x.sum()

    reasons = r"what Numba makes of this statement \(AssertionError\); write it otherwise|No implementation of function"
    with pytest.raises(TypeError, match=reasons) as refused:
        differentiate(masked)(np.ones((2, 2)))
    assert ": )" not in str(refused.value)


def test_only_functions_of_numba_s_are_taken() -> None:
    with pytest.raises(DTypeError, match=r"expected a function compiled by numba\.njit, not function"):
        differentiate(lambda x: x)
    with pytest.raises(DTypeError, match="not DUFunc"):
        differentiate(vectorize(lambda x: x))
    with pytest.raises(DTypeError, match="has keyword-only arguments"):
        differentiate(njit(lambda *, x: x))


def test_functions_that_call_each_other_are_refused() -> None:
    @njit
    def even(x: Any, n: Any) -> Any:
        return x if n == 0 else odd(x * 2.0, n - 1)

    @njit
    def odd(x: Any, n: Any) -> Any:
        return x if n == 0 else even(x * 3.0, n - 1)

    with pytest.raises(DTypeError, match=r"functions that call each other|Numba cannot compile"):
        differentiate(even)(1.0, 4)


def test_tensors_are_refused_by_name() -> None:
    squares = njit(lambda x: (x * x).sum())
    x = nb.tensor(X)
    for use in (
        lambda: differentiate(squares)(x),
        lambda: differentiate_vjp(squares)((x,), 1.0),
        lambda: differentiate_hvp(squares)((X,), (x,)),
    ):
        with pytest.raises(TypeError, match=r"<lambda> takes arrays .* x\.numpy\(\)(.|\n)*test_differentiate_refusals"):
            use()
    assert differentiate(squares)(x.numpy())[0] == (X * X).sum()


def test_a_gradient_inside_of_what_is_differentiated() -> None:
    inner = differentiate(njit(lambda x: (x * x).sum()))

    @njit
    def outer(x: Any) -> Any:
        return (inner(x)[1][0] ** 2).sum()

    with pytest.raises(TypeError, match=r"a gradient inside of what is differentiated; use .*differentiate_hvp"):
        differentiate(outer)(np.ones(2))

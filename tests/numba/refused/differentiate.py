"""What ``differentiate`` has no derivative of, and derivatives that are called with something else."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numba
import numpy as np
from numba import types
from numba.experimental import jitclass
from numba.extending import intrinsic

import nbgrad.numba
from nbgrad.errors import NbgradError
from tests.numba.refused.case import called, cannot

c_exp = ctypes.CDLL(None).exp
c_exp.restype, c_exp.argtypes = ctypes.c_double, [ctypes.c_double]
declared_exp = types.ExternalFunction("exp", types.float64(types.float64))
RECORDS = np.array([(1.0, 2)], dtype=[("a", "f8"), ("b", "i8")])
doubled = numba.njit(types.float64(types.float64))(lambda v: v * 2.0)
FUNCTIONS = (doubled, numba.njit(types.float64(types.float64))(lambda v: v * v))


def differentiate(fn: Any) -> Any:
    function = fn if hasattr(fn, "py_func") else numba.njit(fn)
    return nbgrad.numba.differentiate(function)(np.array([0.5, 1.5, 2.5]))


@cannot(differentiate, NbgradError, "no derivative of what runs in Python")
def goes_to_object_mode(x):
    y = x[0]
    with numba.objmode(t="float64"):
        t = float(np.sum([y]))
    return t * y


@cannot(differentiate, NbgradError, "Numba cannot compile")
def opens_a_file(x):
    with open("numbers.txt") as file:
        return x[0] * len(file.read())


@cannot(differentiate, NbgradError, "Numba cannot compile")
def calls_python(x):
    return x[0] * sorted(x, key=str)[0]  # here


@cannot(differentiate, NbgradError, "Numba cannot compile")
def mixes_kinds_in_lists(x):
    rows = [[x[0]], [1.0]]
    rows.append(["a"])  # here
    return rows[0][0]


@cannot(differentiate, NbgradError, "no derivative of")
def calls_a_library(x):
    return x[1] * c_exp(x[0])  # here


@cannot(differentiate, NbgradError, "no derivative of")
def calls_an_external_symbol(x):
    return x[1] * declared_exp(x[0])  # here


@intrinsic
def bits(typing, x):
    """An own piece of LLVM."""

    def written(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.int64))

    return types.int64(x), written


@cannot(differentiate, NbgradError, "no derivative of")
def has_llvm_of_its_own(x):
    return x[0] * (bits(x[1]) & 1)  # here


@cannot(differentiate, NbgradError, "no derivative of")
def looks_at_bits(x):
    return x[0] * (x.view(np.int64)[1] & 1)  # here


@cannot(differentiate, NbgradError, "no derivative of")
def sees_items_of_another_size(x):
    return x.view(np.float32).sum()  # here


@cannot(differentiate, NbgradError, "no derivative of")
def takes_an_address(x):
    return x[0] * (x.ctypes.data % 2)  # here


@cannot(differentiate, NbgradError, "no derivative of")
def reads_bytes(x):
    return np.frombuffer(x, dtype=np.float64)[0] * x[1]  # here


@jitclass([("v", types.float64)])
class Accumulator:
    def __init__(self, v):
        self.v = v

    def add(self, w):
        self.v = self.v * w


@cannot(differentiate, NbgradError, "no derivative of a value of type jitclass")
def keeps_it_in_an_object(x):
    a = Accumulator(x[0])  # here
    a.add(x[1])
    return a.v


@cannot(differentiate, NbgradError, "no derivative of")
def calls_functions_in_a_tuple(x):
    s = 0.0
    for f in FUNCTIONS:  # here
        s += f(x[0])
    return s


@cannot(differentiate, NbgradError, "no derivative of")
def writes_to_a_record(x):
    r = RECORDS.copy()  # here
    r[0].a = x[0]
    return r[0].a * x[1]


@cannot(differentiate, NbgradError, "no derivative of")
def has_singular_values(x):
    return np.linalg.svd(np.outer(x, x))[1].sum()  # here


@cannot(differentiate, NbgradError, "no derivative of")
def has_eigenvalues(x):
    return np.linalg.eigvalsh(np.outer(x, x)).sum()  # here


@cannot(differentiate, NbgradError, "no derivative of")
def draws_by_parameters(x):
    return np.random.gamma(x[0], x[1])  # here


@cannot(differentiate, NbgradError, "no derivative of")
def goes_past_numbers(x):
    return np.spacing(x[0]) * x[1]  # here


@cannot(differentiate, NbgradError, "no derivative of")
def goes_to_the_next_number(x):
    return np.nextafter(x[0], x[1])  # here


@cannot(differentiate, NbgradError, "gives unicode_type")
def gives_a_text(x):
    return str(len(x))


@cannot(differentiate, NbgradError, "gives none")
def gives_nothing(x):
    x[0] = 1.0


@cannot(differentiate, NbgradError, "gives int64")
def gives_a_whole_number(x):
    return int(x[0])


@cannot(differentiate, NbgradError, "gives float64 generator")
def gives_a_generator(x):
    yield x[0]


@cannot(called, NbgradError, "expected a function compiled by numba.njit")
def differentiate_of_a_builtin():
    nbgrad.numba.differentiate(math.sin)  # here


@cannot(called, NbgradError, "expected a function compiled by numba.njit")
def differentiate_of_a_ufunc():
    nbgrad.numba.differentiate(np.sin)  # here


@cannot(called, NbgradError, "expected a function compiled by numba.njit")
def differentiate_of_a_generalised_ufunc():
    nbgrad.numba.differentiate(numba.guvectorize(["(f8[:], f8[:])"], "(n)->(n)")(lambda x, y: None))  # here


@numba.njit
def total(x, k):
    return x.sum() * k


def made() -> Any:
    return nbgrad.numba.differentiate(total)


@cannot(called, TypeError, "not enough arguments")
def a_derivative_of_too_few():
    made()(np.ones(3))  # here


@cannot(called, TypeError, "too many arguments")
def a_derivative_of_too_many():
    made()(np.ones(3), 2.0, 3.0)  # here


@cannot(called, TypeError, "argument 'x' is reflected list")
def a_derivative_of_lists_of_lists():
    made()([[1.0], [2.0, 3.0]], 2.0)  # here


@cannot(called, TypeError, "unicode_type")
def a_derivative_of_a_text():
    made()(np.ones(3), "2")


@cannot(called, TypeError, "argument 'x' is .*Record")
def a_derivative_of_records():
    made()(RECORDS, 2.0)  # here


@cannot(called, TypeError, "argument 'x' is instance.jitclass")
def a_derivative_of_an_object():
    made()(Accumulator(1.0), 2.0)  # here


@cannot(called, TypeError, "argument 'x' is array\\(float16")
def a_derivative_of_half_precision():
    made()(np.ones(3, np.float16), 2.0)  # here


@cannot(called, IndexError, "out of bounds")
def a_derivative_of_an_array_that_is_too_short():
    nbgrad.numba.differentiate(third)(np.ones(2))  # here


@numba.njit(boundscheck=True)
def third(x):
    return x[2] * 2.0


@cannot(called, ValueError, "negative")
def a_derivative_where_the_function_raises():
    nbgrad.numba.differentiate(root)(np.array([-1.0]))  # here


@numba.njit
def root(x):
    if x[0] < 0.0:
        raise ValueError("negative")
    return math.sqrt(x[0])


@cannot(called, TypeError, "readonly array")
def a_derivative_that_writes_to_what_is_read_only():
    x = np.ones(3)
    x.setflags(write=False)
    nbgrad.numba.differentiate(filled)(x)


@numba.njit
def filled(x):
    x[0] = 2.0
    return x.sum()


@cannot(called, ValueError, "share memory")
def a_derivative_of_arguments_that_share_memory():
    x = np.arange(4.0)
    nbgrad.numba.differentiate(shifted)(x[:3], x[1:])  # here


@numba.njit
def shifted(x, y):
    for i in range(len(x)):
        y[i] = x[i] * 2.0
    return y.sum()


@cannot(called, TypeError, "unicode_type")
def a_derivative_inside_of_njit_of_a_text():
    function = made()

    @numba.njit
    def run(x):
        return function(x, "2")[0]

    run(np.ones(3))

"""What is no function of numbers, or is called with something else."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numba
import numpy as np
from numba.experimental import jitclass

import nbgrad as nb
from nbgrad.errors import ArgumentError, DTypeError
from tests.numba.refused.case import called, cannot

TABLE = np.arange(3.0)
NAMES = {"a": 1.0}
c_exp = ctypes.CDLL(None).exp
c_exp.restype, c_exp.argtypes = ctypes.c_double, [ctypes.c_double]


def elementwise(fn: Any) -> Any:
    return nb.elementwise(fn)(nb.ones(3))


@cannot(elementwise, DTypeError, "cannot compile it")
def opens_a_file(x):
    with open("numbers.txt") as file:
        return x + len(file.read())


@cannot(elementwise, DTypeError, "cannot compile it")
def goes_to_object_mode(x):
    with numba.objmode(y="float64"):  # here
        y = float(x) + 1.0
    return y


@cannot(elementwise, DTypeError, "only range")
def goes_over_a_list(x):
    total = 0.0
    for v in [x, 2.0 * x]:  # here
        total += v
    return total


@cannot(elementwise, DTypeError, "not possible in a function of numbers")
def makes_lists_of_lists(x):
    rows = [[x, 1.0], [2.0, x]]  # here
    return rows[0][0] * rows[1][1]


@cannot(elementwise, DTypeError, "only tuples of numbers have items")
def reads_a_global_array(x):
    return x * TABLE[1]  # here


@cannot(elementwise, DTypeError, "cannot compile it")
def reads_a_global_dict(x):
    return x * NAMES["a"]  # here


@cannot(elementwise, DTypeError, r"round\(x, digits\) has no formula here; write round\(x \* 10.0\*\*digits\)")
def rounds_to_digits(x):
    return round(x, 1)  # here


@cannot(elementwise, DTypeError, r"round\(x, digits\) has no formula here; write round\(x \* 10.0\*\*digits\)")
def rounds_to_digits_as_numpy_does(x):
    return np.round(x, decimals=1)  # here


@cannot(elementwise, DTypeError, "not among the functions that have a formula")
def calls_a_library(x):
    return x * c_exp(x)  # here


@cannot(elementwise, DTypeError, "lgamma")
def calls_what_has_no_formula(x):
    return x + math.lgamma(x)  # here


@cannot(elementwise, DTypeError, "not among the functions that have a formula")
def draws_random_numbers(x):
    return x * np.random.random()  # here


@cannot(elementwise, DTypeError, "cannot compile it")
def makes_an_array(x):
    y = np.array([x, 2.0])  # here
    return y.sum()


@cannot(elementwise, DTypeError, "cannot compile it")
def is_of_two_kinds(x):
    y = x if x > 0 else "negative"  # here
    return y


@cannot(elementwise, DTypeError, "OptionalType")
def gives_nothing_on_one_way(x):
    if x > 0:
        return x * 2.0
    return None


@cannot(elementwise, DTypeError, "calls itself")
def calls_itself(x):
    return x if x < 1.0 else descend(x)


@numba.njit
def descend(x):
    return x if x < 1.0 else descend(x - 1.0)


@cannot(elementwise, DTypeError, "exceptions cannot be caught")
def catches_exceptions(x):
    try:
        y = 1.0 / x  # here
    except Exception:
        y = 0.0
    return y


@cannot(elementwise, DTypeError, "is a generator or a coroutine")
def yields(x):
    yield x


@jitclass([("v", numba.float64)])
class Accumulator:
    def __init__(self, v):
        self.v = v


@cannot(elementwise, DTypeError, "cannot compile it")
def makes_an_object(x):
    a = Accumulator(x)
    return a.v


@cannot(elementwise, DTypeError, "not among the functions that have a formula")
def formats_text(x):
    return len(f"{x}") * x  # here


@cannot(elementwise, DTypeError, "does not end")
def never_ends(x):
    while True:
        x += 1.0


@cannot(called, DTypeError, "'x' must be Tensor or number, not list")
def elementwise_of_lists():
    nb.elementwise(lambda x: x)([[1.0, 2.0], [3.0]])  # here


@cannot(called, DTypeError, "'y' must be Tensor or number, not dict")
def elementwise_of_a_dict():
    nb.elementwise(lambda x, y: x * y)(nb.ones(3), NAMES)  # here


@cannot(called, DTypeError, "unexpected keyword argument 'z'")
def elementwise_of_an_unknown_keyword():
    nb.elementwise(lambda x: x)(nb.ones(3), z=2.0)  # here


@cannot(called, DTypeError, "too many positional arguments")
def elementwise_of_too_many():
    nb.elementwise(lambda x: x)(nb.ones(3), 2.0)  # here


@cannot(called, ArgumentError, "at least one Tensor")
def elementwise_of_numbers_alone():
    nb.elementwise(lambda x: x)(2.0)  # here


@cannot(called, DTypeError, "must be a Python function")
def elementwise_of_a_builtin():
    nb.elementwise(math.sin)  # here


@cannot(called, DTypeError, "must be a Python function")
def elementwise_of_a_generalised_ufunc():
    nb.elementwise(numba.guvectorize(["(f8[:], f8[:])"], "(n)->(n)")(lambda x, y: None))  # here


@cannot(called, DTypeError, "c was float, and is str now")
def elementwise_of_a_closure_that_changed():
    c: Any = 2.0
    own = nb.elementwise(lambda x: x * c)
    own(nb.ones(3))
    c = "two"
    own(nb.ones(3))  # here


@cannot(called, RuntimeError, "broadcast")
def elementwise_of_other_shapes():
    nb.elementwise(lambda x, y: x * y)(nb.ones(3), nb.ones(4))  # here


@cannot(called, DTypeError, "argument 'r' is complex64, and elementwise")
def elementwise_of_complex_numbers():
    nb.elementwise(lambda r: r * r)(nb.tensor([1.0 + 2.0j]))  # here


@cannot(called, DTypeError, "argument 'c' is complex, and elementwise")
def elementwise_of_a_complex_number():
    nb.elementwise(lambda r, c: r * c)(nb.ones(2), 1j)  # here


@cannot(called, DTypeError, "argument 'c' is complex, and elementwise")
def elementwise_of_a_complex_number_of_numpy():
    nb.elementwise(lambda r, c: r * c)(nb.ones(2), np.complex64(1j))  # here

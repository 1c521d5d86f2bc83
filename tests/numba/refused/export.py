"""Functions on tensors that are no ``@njit`` functions, and these called with something else."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core.errors import TypingError

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from tests.numba.refused.case import called, cannot


def njit(fn: Any) -> Any:
    return nbgrad.numba.njit(fn, np.ones(3))


def value_and_grad(fn: Any) -> Any:
    return nbgrad.numba.value_and_grad(fn, np.ones(3))


@cannot(njit, ArgumentError, "looks at values")
def looks_at_a_value(x):
    return x * x.sum().item()


@cannot(njit, ArgumentError, "looks at values")
def branches_on_a_value(x):
    return x if x.sum() > 0 else -x


@cannot(njit, ArgumentError, "looks at values")
def has_results_of_a_size_that_values_say(x):
    return x[x > 0]


@cannot(njit, ArgumentError, "random numbers")
def draws(x):
    return x + nb.rand(3)


held = nb.zeros(3)


@cannot(njit, ArgumentError, "writes to a tensor")
def counts(x):
    held.add_(1.0)
    return x


@cannot(njit, ArgumentError, "gave float; give a Tensor or a tuple of Tensors")
def gives_a_number(x):
    return 3.0


@cannot(njit, ArgumentError, "gave dict; give a Tensor or a tuple of Tensors")
def gives_a_dict(x):
    return {"twice": x * 2.0}


@cannot(njit, ArgumentError, "gave list of list; give a Tensor or a tuple of Tensors")
def gives_lists_of_lists(x):
    return [[x], [x]]


@cannot(njit, RuntimeError, "broadcast")
def has_shapes_that_do_not_fit(x):
    return x + nb.ones(4)  # here


@cannot(njit, IndexError, "index 7 is out of bounds")
def is_out_of_bounds(x):
    return x[7]  # here


@cannot(value_and_grad, ArgumentError, "0-d floating Tensor")
def gives_an_array(x):
    return x * 2.0


@cannot(value_and_grad, ArgumentError, "0-d floating Tensor")
def gives_an_integer(x):
    return x.argmax()


@cannot(called, ArgumentError, "row-major")
def njit_of_columns():
    nbgrad.numba.njit(lambda x: x, np.ones((2, 3)).T)  # here


@cannot(called, ArgumentError, "row-major")
def njit_of_every_other_element():
    nbgrad.numba.njit(lambda x: x, np.ones(6)[::2])  # here


@cannot(called, DTypeError, "complex128")
def njit_of_complex_numbers():
    nbgrad.numba.njit(lambda x: x, np.ones(3, complex))  # here


@cannot(called, DTypeError, "example 1")
def njit_of_lists_of_lists():
    nbgrad.numba.njit(lambda x: x, [[1.0], [2.0]])  # here


@cannot(called, DTypeError, "dtype <U1")
def njit_of_texts():
    nbgrad.numba.njit(lambda x: x, np.array(["a"]))  # here


@cannot(called, ArgumentError, "an example for each argument")
def njit_of_nothing():
    nbgrad.numba.njit(lambda: nb.ones(3))  # here


squares = None


def exported() -> Any:
    """Made once, when a test asks for it."""
    global squares
    if squares is None:
        squares = nbgrad.numba.value_and_grad(lambda x: (x * x).sum(), np.ones(3))
    return squares


@cannot(called, DTypeError, "must be a row-major array of float64 with 1 dim")
def another_dtype():
    exported()(np.ones(3, np.float32))  # here


@cannot(called, DTypeError, "must be a row-major array of float64 with 1 dim")
def another_rank():
    exported()(np.ones((3, 3)))  # here


@cannot(called, DTypeError, "must be a row-major array of float64 with 1 dim")
def another_layout():
    exported()(np.ones(6)[::2])  # here


@cannot(called, DTypeError, "must be a row-major array of float64 with 1 dim")
def a_list_for_an_array():
    exported()([1.0, 2.0])  # here


@cannot(called, DTypeError, "must be a row-major array of float64 with 1 dim")
def lists_of_lists_for_an_array():
    exported()([[1.0], [2.0]])  # here


@cannot(called, TypeError, "too many arguments")
def too_many_arguments():
    exported()(np.ones(3), np.ones(3), np.ones(3))  # here


@cannot(called, TypingError, "must be a row-major array of float64 with 1 dim, not of int64")
def another_dtype_inside_of_njit():
    function = exported()

    @numba.njit
    def run(x):
        return function(x)[0]  # here

    run(np.ones(3, np.int64))


@cannot(called, ShapeError, "do not broadcast")
def a_size_that_the_function_does_not_take():
    nbgrad.numba.njit(lambda x: x + nb.ones(3), np.ones(3))(np.ones(4))  # here

"""Array functions that are no operators, and operators called with something else."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import nbgrad as nb
from nbgrad.errors import ArgumentError, DTypeError, GradError, RunError, ShapeError
from tests.numba.refused.case import called, cannot


def operator(fn: Any) -> Any:
    return nb.operator(fn)(nb.ones(3)).tolist()


@cannot(operator, DTypeError, "cannot compile it")
def prints_to_a_file(x, y):
    with open("numbers.txt") as file:
        y[0] = float(file.read())


@cannot(operator, DTypeError, "^has_other_arguments takes 2 inputs and 1 result, got 1 input\n")
def has_other_arguments(x, y, z):
    y[:] = z


@cannot(operator, DTypeError, "cannot compile it")
def appends_to_an_array(x, y):
    y.append(x[0])


@cannot(operator, DTypeError, "cannot compile it")
def reads_another_rank(x, y):
    y[0, 0] = x[0, 0]


@cannot(operator, DTypeError, "cannot compile it")
def mixes_kinds_in_a_list(x, y):
    rows = [[x[0]], [1.0]]
    rows.append(["a"])  # here
    y[0] = rows[0][0]


@cannot(operator, DTypeError, "cannot compile it")
@numba.njit("void(float64[::1], float64[::1])")
def is_declared_for_another_dtype(x, y):
    y[0] = x[0]


@cannot(operator, RunError, "raised an exception")
def raises(x, y):
    if x[0] > 0:
        raise ValueError("positive")


@cannot(operator, RunError, "raised an exception")
def divides_by_zero(x, y):
    y[0] = 1 // int(x[0] - 1.0)


copied = nb.operator(lambda x, y: None)


@cannot(called, DTypeError, "argument 1 must be Tensor, not ndarray")
def operator_of_an_array():
    copied(np.ones(3))  # here


@cannot(called, DTypeError, "argument 2 must be Tensor, not list")
def operator_of_lists_of_lists():
    copied(nb.ones(3), [[1.0], [2.0, 3.0]])  # here


@cannot(called, ArgumentError, "at least one Tensor")
def operator_of_nothing():
    copied()  # here


@cannot(called, DTypeError, "must be a function that Numba compiles")
def operator_of_a_builtin():
    nb.operator(np.sort)  # here


@cannot(called, DTypeError, "must be a function that Numba compiles")
def operator_of_a_ufunc():
    nb.operator(numba.vectorize(["f8(f8)"])(lambda x: x))  # here


@cannot(called, ShapeError, r"shapes\(\) gave")
def operator_with_a_shape_of_floats():
    nb.operator(lambda x, y: None, shapes=lambda x: (x[0] / 2,))(nb.ones(3))  # here


@cannot(called, ShapeError, r"shapes\(\) gave None")
def operator_without_a_shape():
    nb.operator(lambda x, y: None, shapes=lambda x: None)(nb.ones(3))  # here


@cannot(called, GradError, "has no derivative")
def operator_without_a_derivative():
    copied(nb.ones(3, requires_grad=True)).sum().backward()  # here


@cannot(called, RunError, "raised an exception")
def operator_whose_derivative_raises():
    def backward(x, y, gy, gx):
        raise ValueError

    nb.operator(lambda x, y: None, backward)(nb.ones(3, requires_grad=True)).sum().backward()  # here


@cannot(called, DTypeError, "takes 1 input and 1 result, got 2 inputs\n")
def operator_of_a_tensor_too_many():
    copied(nb.ones(3), nb.ones(3))  # here


@cannot(called, DTypeError, "takes 2 arrays, got 1 input and 2 results\n")
def operator_with_a_shape_too_many():
    nb.operator(lambda x, y: None, shapes=lambda x: [x, x])(nb.ones(3))  # here


@cannot(called, DTypeError, r"must be a function of the shapes of the inputs, not tuple: lambda \*inputs: \(7,\)")
def operator_with_a_tuple_for_its_shapes():
    nb.operator(lambda x, y: None, shapes=(7,))(nb.ones(3))  # here


@cannot(called, DTypeError, "here 4 arrays, and it takes 2\n")
def operator_whose_derivative_has_other_arguments():
    nb.operator(lambda x, y: None, lambda x, gx: None)(nb.ones(3, requires_grad=True)).sum().backward()  # here

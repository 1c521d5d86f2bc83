"""What functions for ``@njit`` code take, and what is said of everything else: never a wrong read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba import njit

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.numba.arguments import parameter_names


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


value_and_grad = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(3))
mixed = nbgrad.numba.njit(
    lambda a, n, at, flags: (a * at, flags, a * n), 0.0, np.int64(0), np.zeros((1, 2)), np.ones(1, bool)
)


def of_records() -> Any:
    return np.zeros(3, np.dtype([("flag", np.int8), ("x", np.float64)]))["x"]


WANTED = r"rosenbrock: argument 1 \(x\) must be a row-major array of float64 with 1 dim, not "
# What is given, and what is said of it.
ARRAYS: dict[str, tuple[Callable[[], Any], str]] = {
    "float32": (lambda: np.zeros(3, np.float32), WANTED + r"of float32: x.astype\(np.float64\) makes one"),
    "whole numbers": (lambda: np.zeros(3, np.int64), WANTED + r"of int64: x.astype"),
    "two dims": (lambda: np.zeros((3, 3)), WANTED + "2: reshape it, or make a function with an example like it"),
    "no dims": (lambda: np.zeros(()), WANTED + "0: reshape it"),
    "a stride": (lambda: np.zeros(6)[::2], WANTED + r"a strided one: np.ascontiguousarray\(x\) makes one"),
    "backwards": (lambda: np.zeros(6)[::-1], WANTED + "a strided one"),
    "of records": (of_records, WANTED + "a strided one"),
}
PYTHONS: dict[str, tuple[Callable[[], Any], str]] = {
    "a list": (lambda: [1.0, 2.0], WANTED + r"list: np.array\(x, np.float64\) makes one"),
    "a number": (lambda: 3.0, WANTED + "float: "),
    "a tensor": (lambda: nb.ones(3), WANTED + r"Tensor: x.detach\(\).numpy\(\) makes one"),
    "nothing": (lambda: None, WANTED + "none"),
    "a text": (lambda: "x", WANTED + "str"),
    "big endian": (lambda: np.zeros(3, ">f8"), WANTED + "ndarray of dtype >f8"),
    "objects": (lambda: np.zeros(3, object), WANTED + "of pyobject"),
}


@pytest.mark.parametrize("case", [*ARRAYS, *PYTHONS])
def test_python_gets_a_type_error_at_its_line(case: str) -> None:
    make, text = (ARRAYS | PYTHONS)[case]
    wrong = make()
    with pytest.raises(TypeError, match=text) as refused:
        value_and_grad(wrong)
    assert isinstance(refused.value, DTypeError)
    assert "value_and_grad(wrong)" in str(refused.value)


@pytest.mark.parametrize("case", ARRAYS)
def test_njit_code_gets_numbas_typing_error_with_the_same_words_at_its_line(case: str) -> None:
    make, text = ARRAYS[case]

    @njit
    def caller(x: Any) -> Any:
        return value_and_grad(x)[0]

    with pytest.raises(numba.TypingError, match=text) as refused:
        caller(make())
    assert "return value_and_grad(x)[0]" in str(refused.value)


def test_a_matrix_by_columns_is_refused() -> None:
    total = nbgrad.numba.njit(lambda m: m.sum(), np.zeros((2, 2)))
    with pytest.raises(DTypeError, match="2 dims, not a strided one"):
        total(np.asfortranarray(np.zeros((2, 3))))

    @njit
    def transposed(m: Any) -> Any:
        return total(m.T)

    with pytest.raises(numba.TypingError, match=r"argument 1 \(m\) must be a row-major array"):
        transposed(np.zeros((2, 3)))


def test_numbers() -> None:
    at, flags = np.ones((2, 2)), np.array([True])
    for a, n in ((2.0, 3), (2, 3), (np.float32(2.0), np.int8(3))):
        found = mixed(a, n, at, flags)
        assert [found[0].tolist(), found[1].tolist(), found[2]] == [[[2.0] * 2] * 2, [True], 6.0]
    for wrong, text in (
        ((2.0, 3.0, at, flags), r"argument 2 \(n\) must be a int64 number, not float"),
        ((2.0, True, at, flags), r"argument 2 \(n\) must be a int64 number, not bool"),
        ((1j, 3, at, flags), r"argument 1 \(a\) must be a float64 number, not complex"),
        ((np.ones(1), 3, at, flags), r"must be a float64 number, not ndarray of dtype float64: a.item\(\) is one"),
        ((2.0, 3, at, at[0]), r"argument 4 \(flags\) must be a row-major array of bool with 1 dim, not of float64"),
    ):
        with pytest.raises(DTypeError, match=text):
            mixed(*wrong)


def test_the_number_of_arguments() -> None:
    @njit
    def two(x: Any) -> Any:
        return value_and_grad(x, x, x)

    for call in (lambda: value_and_grad(), lambda: value_and_grad(np.zeros(3), None, 3)):
        with pytest.raises(TypeError, match="arguments"):
            call()
    with pytest.raises(numba.TypingError, match="too many positional arguments"):
        two(np.zeros(3))


def test_arguments_may_be_named() -> None:
    assert value_and_grad(x=np.ones(3))[0] == 0.0

    @njit
    def named(x: Any) -> Any:
        return value_and_grad(x=x)[0]

    assert named(np.ones(3)) == 0.0
    assert parameter_names(lambda a, b=1: 0, 2) == ["a", "b"]
    assert parameter_names(lambda a, *rest: 0, 3) == ["a", "x2", "x3"]
    for odd in (lambda _a: 0, lambda out: 0, lambda x2: 0):
        assert parameter_names(odd, 2) == ["x1", "x2"]


def test_read_only_arrays_are_taken() -> None:
    constant = np.full(3, 2.0)

    @njit
    def of_a_global() -> Any:
        return value_and_grad(constant)[0]

    assert of_a_global() == value_and_grad(constant)[0]
    constant.flags.writeable = False
    assert value_and_grad(constant)[0] == 802.0


def read_only() -> Any:
    x = np.zeros(3)
    x.flags.writeable = False
    return x


# Arrays for results: what is given, the error, what it says.
OUTS: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "float32": (lambda x: np.zeros(3, np.float32), DTypeError, "rosenbrock: out must be a row-major array of float64"),
    "a stride": (lambda x: np.zeros(6)[::2], DTypeError, "out must be a row-major array.*a strided one"),
    "read-only": (lambda x: read_only(), DTypeError, "out must be an array that can be written to"),
    "a tuple": (lambda x: (np.zeros(3),), DTypeError, "out must be one array, for each .* not a tuple of 1"),
    "a size": (lambda x: np.zeros(4), ShapeError, r"out has shape \[4\], the result has \[3\]"),
    "an argument": (lambda x: x, ArgumentError, "out shares memory with x"),
    "part of one": (lambda x: x.base[1:4], ArgumentError, "out shares memory with x"),
}


@pytest.mark.parametrize("case", OUTS)
def test_arrays_for_results_that_do_not_fit_are_refused(case: str) -> None:
    make, kind, text = OUTS[case]
    x = np.zeros(5)[:3]
    with pytest.raises(kind, match=text) as refused:
        value_and_grad(x, out=make(x))
    assert "value_and_grad(x, out=make(x))" in str(refused.value)

    @njit
    def caller(x: Any, out: Any) -> Any:
        return value_and_grad(x, out=out)[0]

    with pytest.raises(numba.TypingError if kind is DTypeError else kind, match=text):
        caller(x, make(x))


def test_several_arrays_for_results() -> None:
    compute = nbgrad.numba.value_and_grad(lambda x, m: (x * m).sum(), np.zeros(2), np.zeros((2, 2)))
    x, m, gx, gm = np.ones(2), np.ones((3, 2)), np.zeros(2), np.zeros((3, 2))
    found = compute(x, m, out=(gx, gm))
    assert found[0] == 6.0
    assert found[1] is gx and found[2] is gm
    assert [gx.tolist(), gm.tolist()] == [[3.0, 3.0], [[1.0, 1.0]] * 3]
    for wrong, text in (
        (gx, "out must be a tuple of 2 arrays, one for each result that is an array, not ndarray"),
        ((gx,), "out must be a tuple of 2 arrays, one for each result that is an array, not a tuple of 1"),
        ((gm, gx), r"out\[0\] must be a row-major array of float64 with 1 dim, not 2"),
        ((gx, 3), r"out\[1\] must be a row-major array of float64 with 2 dims, not int"),
    ):
        with pytest.raises(DTypeError, match=text):
            compute(x, m, out=wrong)
    with pytest.raises(ShapeError, match=r"out\[1\] has shape \[2, 2\], the result has \[3, 2\]"):
        compute(x, m, out=(gx, np.zeros((2, 2))))
    both = np.zeros(8)
    with pytest.raises(ArgumentError, match=r"out\[1\] shares memory with out\[0\]"):
        compute(x, m, out=(both[1:3], both[:6].reshape(3, 2)))


def test_a_function_that_gives_numbers_has_no_arrays_for_results() -> None:
    total = nbgrad.numba.njit(lambda x: x.sum(), np.zeros(2))
    with pytest.raises(DTypeError, match="out is for results that are arrays, and here all are numbers"):
        total(np.zeros(2), out=np.zeros(1))

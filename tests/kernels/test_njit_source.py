"""Library kernels run by Python as they stand do what Numba made of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import float64
from nbgrad.kernels.library.forms import FORMS, FUNCTIONS
from nbgrad.kernels.records import with_items
from nbgrad.kernels.target import host
from nbgrad.ops.linear_system import SINGULAR
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, OK, KernelText, Operand
from nbgrad.tape.lapack_routines import address
from tests.kernels.harness import Array, compiled

ITEMS = {"int64": ctypes.c_int64, "float64": ctypes.c_double}
rng = np.random.default_rng(1)


def by_python(form: str, dtype: str) -> Callable[[int, int, int], int]:
    function = FUNCTIONS[FORMS[form].function]
    words = with_items(function.__annotations__["words"], ITEMS[dtype])
    return lambda desc, begin, end: int(function(words.from_address(desc), begin, end))


def both(form: str, dtype: str, words: Callable[[Array], list[int]], out: Array, items: int) -> tuple[int, Array]:
    """What a kernel returns, and leaves in ``out``: the same both ways."""
    by_numba, _ = compiled(KernelText(form, 0, 0, (Operand(dtype, 1, "in"),)), host())
    found: list[Any] = []
    for run in (by_python(form, dtype), by_numba):
        mine = out.copy()
        desc = np.array(words(mine), np.int64)
        found.append((run(desc.ctypes.data, 0, items), mine))
    assert found[0][0] == found[1][0]
    assert found[0][1].tobytes() == found[1][1].tobytes()
    return found[0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("form", ["cumsum", "cumprod", "recurrence"])
@pytest.mark.parametrize(("length", "inner"), [(4, 1), (3, 2), (1, 1), (0, 3)])
def test_scans(form: str, length: int, inner: int) -> None:
    x, a = rng.normal(size=(3, length, inner)), rng.normal(size=(3, max(length - 1, 0), inner))
    for backwards in (0, 1):
        head = [length, inner, backwards, x.ctypes.data]
        both(form, "float64", lambda out, head=head: [*head, out.ctypes.data, a.ctypes.data], np.zeros_like(x), 3)


@pytest.mark.parametrize("length", [0, 5, 49])
def test_order(length: int) -> None:
    keys, scratch = rng.integers(-9, 9, (2, length)) << 33, np.zeros((2, length), np.int64)
    words = [length, keys.ctypes.data]
    _, out = both("order", "int64", lambda out: [*words, out.ctypes.data, scratch.ctypes.data], np.zeros_like(keys), 2)
    assert (out == np.argsort(keys, axis=1, kind="stable")).all()


@pytest.mark.parametrize("form", ["scatter_add", "scatter_put"])
def test_scatter(form: str) -> None:
    values = rng.normal(size=3)
    for index, code in (([1, 0, 1], OK), ([1, 2, 0], INDEX_OUT_OF_RANGE)):
        where = np.array(index)
        tail = [2, where.ctypes.data, 3, values.ctypes.data, 3]
        assert both(form, "float64", lambda out, tail=tail: [3, out.ctypes.data, *tail], np.ones(2), 1)[0] == code


def test_a_matrix_is_inverted_and_a_singular_one_is_refused() -> None:
    n = 3
    scratch = np.zeros(64)
    routines = [address(name, float64) for name in ("getrf", "getri")]
    for given, code in ((rng.normal(size=(n, n)), OK), (np.zeros((n, n)), SINGULAR)):
        head = [1, 1, 0, scratch.ctypes.data, given.ctypes.data, 0]
        tail = [0, n, 32, 0, 128, *routines]  # pivots and work lie in the scratch
        words = lambda out, head=head, tail=tail: [*head, out.ctypes.data, *tail]  # noqa: E731
        found, inverse = both("inv", "float64", words, np.zeros((n, n)), 1)
        assert found == code
        assert code != OK or np.allclose(inverse @ given, np.eye(n))

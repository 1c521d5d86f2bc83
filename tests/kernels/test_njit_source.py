"""Library kernels run by Python as they stand do what Numba made of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.dtypes import float64
from nbgrad.kernels.library.forms import FORMS, FUNCTIONS
from nbgrad.kernels.library.product import LINE_BYTES, Block, Machine, product, product_draft
from nbgrad.kernels.records import with_items
from nbgrad.kernels.target import host
from nbgrad.ops.library import PRODUCT_RUN
from nbgrad.ops.linear_system import SINGULAR
from nbgrad.tape.blas import of_scipy
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, OK, SCATTERS, KernelText, Operand
from nbgrad.tape.lapack import address
from nbgrad.tape.special import found
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


@pytest.mark.parametrize("form", ["cumsum", "cumprod", "cummax", "recurrence"])
@pytest.mark.parametrize(("length", "inner"), [(4, 1), (3, 2), (1, 1), (0, 3)])
def test_scans(form: str, length: int, inner: int) -> None:
    x, a = rng.normal(size=(3, length, inner)), rng.normal(size=(3, max(length - 1, 0), inner))
    for backwards in (0, 1):
        head = [length, inner, backwards, x.ctypes.data]
        dtype = "int64" if form == "cummax" else "float64"
        both(form, dtype, lambda out, head=head: [*head, out.ctypes.data, a.ctypes.data], np.zeros_like(x), 3)


@pytest.mark.parametrize(("length", "kept"), [(0, 0), (5, 5), (49, 49), (60, 2), (600, 30)])
def test_order(length: int, kept: int) -> None:
    keys, scratch = rng.integers(-9, 9, (2, length)) << 33, np.zeros((4, length), np.int64)
    words, places = [length, kept, keys.ctypes.data], np.zeros((2, kept), np.int64)
    _, out = both("order", "int64", lambda out: [*words, out.ctypes.data, scratch.ctypes.data], places, 2)
    assert (out == np.argsort(keys, axis=1, kind="stable")[:, :kept]).all()


@pytest.mark.parametrize("form", SCATTERS)
def test_scatter(form: str) -> None:
    values, before = rng.normal(size=3), np.zeros(3)
    for index, code in (([1, 0, 1], OK), ([1, 2, 0], INDEX_OUT_OF_RANGE)):
        where = np.array(index)
        tail = [2, where.ctypes.data, 3, values.ctypes.data, 3, values.ctypes.data, before.ctypes.data]
        assert both(form, "float64", lambda out, tail=tail: [3, out.ctypes.data, *tail], np.ones(2), 1)[0] == code


def test_a_matrix_is_inverted_and_a_singular_one_is_refused() -> None:
    n = 3
    scratch = np.zeros(64)
    routines = [address(name, float64) for name in ("getrf", "getri")]
    for given, code in ((rng.normal(size=(n, n)), OK), (np.zeros((n, n)), SINGULAR)):
        head = [1, 1, 0, ctypes.addressof(of_scipy()), scratch.ctypes.data, given.ctypes.data, 0]
        tail = [0, n, 32, 0, 128, *routines]  # pivots and work lie in the scratch
        words = lambda out, head=head, tail=tail: [*head, out.ctypes.data, *tail]  # noqa: E731
        found, inverse = both("inv", "float64", words, np.zeros((n, n)), 1)
        assert found == code
        assert code != OK or np.allclose(inverse @ given, np.eye(n))


# The loops of a product call what moves vectors by address. Here these are Python's, of float64, for a machine of four
# lanes and blocks of four rows.
ITEM, LANES, ROWS, ROW_BYTES = 8, 4, 4, 96


def number(place: int) -> Any:
    return ctypes.c_double.from_address(place)


def offset(place: int) -> int:
    return ctypes.c_int64.from_address(place).value


def block(place: int) -> None:
    b = Block.from_address(place)
    for i in range(b.rows):
        for j in range(b.columns):
            at = j * ITEM
            factors = [(number(b.a + i * b.a_row + p * b.a_k), number(b.b + p * b.b_k + at)) for p in range(b.run)]
            total = sum(left.value * right.value for left, right in factors)
            total += number(b.x + i * b.x_row + at).value if b.begins else 0
            total += number(b.y + i * b.y_row + at).value if b.ends else 0
            number(b.c + i * b.c_row + at).value = total


def copy_rows(panel: int, source: int, apart: int, run: int, columns: int) -> None:
    for p, j in np.ndindex(run, columns):
        number(panel + p * ROW_BYTES + j * ITEM).value = number(source + p * apart + j * ITEM).value


def copy_columns(panel: int, source: int, apart: int, run: int, columns: int) -> None:
    for p, j in np.ndindex(run, columns):
        number(panel + p * ROW_BYTES + j * ITEM).value = number(source + j * apart + p * ITEM).value


def collect(panel: int, source: int, rows: int, across: int, run: int, columns: int) -> None:
    for p, j in np.ndindex(run, columns):
        place = source + offset(rows + p * ITEM) + offset(across + j * ITEM)
        number(panel + p * ROW_BYTES + j * ITEM).value = number(place).value


def copy_left(place: int, source: int, a_k: int, run: int, rows: int) -> None:
    for p, i in np.ndindex(run, rows):
        of_block = place + i // ROWS * (PRODUCT_RUN * ROWS * ITEM + LINE_BYTES)
        number(of_block + p * ROWS * ITEM + i % ROWS * ITEM).value = number(source + p * a_k + i * ITEM).value


def turn_back(place: int, rows: int, columns: int, y: int, y_row: int, has_y: int, c: int, c_row: int) -> None:
    for i, j in np.ndindex(rows, columns):
        added = number(y + i * y_row + j * ITEM).value if has_y else 0
        number(c + i * c_row + j * ITEM).value = number(place + j * ROW_BYTES + i * ITEM).value + added


def ask_for(row: int) -> None:
    """What is there already."""


def multiply(
    terms: Sequence[tuple[Array, Array]], c: Array, onto: Array | None, then: Array | None, tables: Sequence[Array] = ()
) -> dict[str, int]:
    """c = onto + the sum of a @ b + then by the loops, of a kernel and of a draft; how often they called what."""
    *batch, m, n = c.shape
    sums = [c if x is None else x for x in (onto, then)] + [c]
    words = [
        m,
        n,
        8,
        32,
        *[x.strides[-2] for x in sums],
        (onto is not None) + 2 * (then is not None),
        len(terms),
        *batch,
    ]
    for x in sums:
        words += [x.ctypes.data, *x.strides[:-2]]
    for a, b in terms:
        words += [a.shape[-1], *a.strides[-2:], *((0, 0) if tables else b.strides[-2:])]
        words += [table.ctypes.data for table in tables] or [0, 0]
        for x in (a, b):
            words += [x.ctypes.data, *x.strides[:-2]]
    desc, rooms, calls = np.array(words, np.int64), np.zeros((3, 40000)), dict[str, int]()

    def told(routine: Callable[..., None]) -> Any:
        def counted(*given: int | None) -> None:
            calls[routine.__name__] = calls.get(routine.__name__, 0) + 1
            routine(*[x or 0 for x in given])

        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * routine.__code__.co_argcount)(counted)

    routines = {f.__name__: told(f) for f in (copy_rows, copy_columns, collect, copy_left, turn_back, ask_for, block)}
    addresses = {name: ctypes.cast(f, ctypes.c_void_p).value for name, f in routines.items()}
    kinds = with_items(Machine, ctypes.c_double)
    machine = kinds(rank=len(batch), item=ITEM, lane_bits=2, row_bits=2)
    for name, place in zip(("panel", "left", "flipped"), rooms, strict=True):
        setattr(machine, name, place.ctypes.data)
    for name, address_of in addresses.items():
        if name != "block":
            setattr(machine, name, address_of)
    for k in range(6):
        machine.blocks[k] = addresses["block"]
    items = int(np.prod(batch, dtype=int)) * -(-m // 8) * -(-n // 32)
    want = sum(a @ b for a, b in terms) + (0 if onto is None else onto) + (0 if then is None else then)
    for loops in (product,) if tables else (product_draft, product):
        c.fill(-1)
        calls.clear()
        kind = with_items(loops.__annotations__["words"], ctypes.c_double)
        assert loops(kind.from_address(desc.ctypes.data), 0, items, machine) == OK
        assert (c == want).all()
    return calls


def whole(*shape: int) -> Array:
    """Numbers whose products are added up without rounding."""
    return rng.integers(-9, 9, shape).astype(float)


def test_products() -> None:
    a, b = whole(2, 9, 300), whole(2, 300, 37)
    assert "copy_rows" in multiply([(a, b)], np.zeros((2, 9, 37)), None, None)
    terms = [(a[0], b[0]), (a[1, :, :40], b[1, :40])]
    assert "ask_for" in multiply(terms, np.zeros((9, 37)), whole(9, 37), whole(9, 37))


def test_products_of_turned_factors() -> None:
    a, b = whole(5, 300), whole(40, 300)
    assert "turn_back" in multiply([(a, b.T)], np.zeros((5, 40)), None, whole(5, 40))
    assert "copy_columns" in multiply([(a, b.T)], np.zeros((5, 40)), whole(5, 40), None)
    crowded = whole(20, 256)
    assert "copy_left" in multiply([(crowded[:, :8].T, whole(20, 32))], np.zeros((8, 32)), None, None)


def test_products_that_collect_by_tables() -> None:
    b = whole(20, 32)
    tables = [np.arange(size) * step for size, step in zip(b.shape, b.strides, strict=True)]
    assert "collect" in multiply([(whole(9, 20), b)], np.zeros((9, 32)), None, None, tables)


def test_special_functions() -> None:
    x, a = rng.uniform(0.5, 3.0, (2, 4))
    for form, function, given in (
        ("special_1", "bessel_j0", [x]),
        ("special_2", "igamma", [a, x]),
        ("special_one_of_four", "airy_ai_slope", [x]),
    ):
        at, place = found(function, len(given))
        head = [at, *([] if place is None else [place]), *[g.ctypes.data for g in given]]
        both(form, "float64", lambda out, head=head: [*head, out.ctypes.data], np.zeros(4), 4)

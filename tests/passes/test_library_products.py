"""Large products as calls of a library, and how their factors are given to it."""

from __future__ import annotations

import pytest

from nbgrad.graph.node import Node, apply, toposort
from nbgrad.ops.library import transposed
from nbgrad.ops.view import expand_to, slice_at
from nbgrad.ops.window import windows
from nbgrad.passes import library_products
from nbgrad.passes.library_products import to_library
from nbgrad.passes.run import optimise
from tests.passes.build import lines, permuted, reshaped, value

SIZE = 512


def called(*roots: Node) -> list[tuple[bool, ...]]:
    """The params of the library's calls."""
    graph = to_library(roots, lambda: True)
    return [x.params for x in toposort(graph) if x.op.name == "library_matmul"]


def test_a_large_product_is_a_librarys_call() -> None:
    y = apply("exp", apply("matmul", value(SIZE, SIZE), value(SIZE, SIZE, at=1)))
    assert lines(*to_library([y], lambda: True)) == [
        "%0: f32[512,512] = input 0",
        "%1: f32[512,512] = input 1",
        "%2: f32[512,512] = library_matmul %0 %1 False False",
        "%3: f32[512,512] = exp %2",
        "return %3",
    ]


def test_whether_there_is_a_library_is_asked_where_it_matters() -> None:
    small = apply("matmul", value(8, 8), value(8, 8, at=1))
    large = apply("matmul", value(SIZE, SIZE), value(SIZE, SIZE, at=1))

    def nobody() -> bool:
        pytest.fail("nothing is there for a library")

    assert to_library([small], nobody) == [small]
    assert to_library([large], lambda: False) == [large]


def test_factors_that_lie_by_columns_are_given_transposed() -> None:
    a, b = value(SIZE, SIZE), value(SIZE, SIZE, at=1)
    assert called(apply("matmul", transposed(a), transposed(b))) == [(True, True)]
    assert called(apply("matmul", slice_at(transposed(value(SIZE, 600)), 1, 1, SIZE), b)) == [(True, False)]
    heads = permuted(value(4, SIZE, 12, 64, at=2), 0, 2, 1, 3)
    keys = permuted(value(4, SIZE, 12, 64, at=3), 0, 2, 3, 1)
    assert called(apply("matmul", heads, keys)) == [(False, True)]


def test_what_is_repeated_or_a_single_row_is_given_as_it_is() -> None:
    b = value(65536, 64, at=1)
    assert called(apply("matmul", expand_to(value(512, 1), (512, 65536)), b)) == [(False, False)]
    assert called(apply("matmul", transposed(value(65536, 1)), b)) == [(False, False)]


def test_nothing_is_added_to_a_librarys_product_by_itself() -> None:
    """A sum of products by one kernel of ours would be two roundings of a library's, or one."""
    x = apply("matmul", value(SIZE, 128), value(128, 2 * SIZE, at=1))
    y = apply("matmul", value(SIZE, 128, at=2), value(128, 2 * SIZE, at=3))
    graph = optimise(to_library([(x + y) + expand_to(value(2 * SIZE, at=4), (SIZE, 2 * SIZE))], lambda: True))
    names = [n.op.name for n in toposort(graph) if n.op.kind.value != "source"]
    assert names.count("library_matmul") == 2 and names.count("add") == 2 and "matmul_sum" not in names


def test_columns_too_large_to_be_copied_stay_with_our_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = windows(value(1, 64, 34, 34), (3, 3), (1, 1), (1, 1))
    columns = reshaped(apply("copy", permuted(seen, 1, 4, 5, 0, 2, 3)), 9 * 64, 32 * 32)
    product = apply("matmul", value(64, 9 * 64, at=1), columns)
    assert called(product) == [(False, False)]
    monkeypatch.setattr(library_products, "MOST_COLLECTED", columns.spec.size_bytes - 1)
    assert called(product) == []

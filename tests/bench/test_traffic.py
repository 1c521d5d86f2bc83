from __future__ import annotations

import pytest

from bench.traffic import Extent, read_bytes, traffic_of
from nbgrad.graph.dtypes import float32, int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import grouped, optimise
from nbgrad.tape.lower import lower
from tests.passes.build import reduced, value


def traffic(*roots: Node) -> list[int | None]:
    graph = optimise(canonicalize(list(roots)))
    return traffic_of(lower(graph, grouped(graph), padded=False))


def test_a_loop_reads_its_inputs_and_writes_its_result() -> None:
    x, y = value(8, 16), value(8, 16, at=1)
    assert traffic(apply("exp", x * y)) == [3 * 8 * 16 * 4]


def test_rows_are_read_once_however_often_the_kernel_goes_over_them() -> None:
    x = value(8, 16)
    assert traffic(apply("softmax", x, params=((1,),))) == [2 * 8 * 16 * 4]
    assert traffic(reduced("sum", x, 1)) == [8 * 16 * 4 + 8 * 4]


def test_a_value_for_all_rows_counts_once() -> None:
    x, b = value(8, 16), value(16, at=1)
    assert traffic(x * apply("expand", b, params=((8, 16),))) == [2 * 8 * 16 * 4 + 16 * 4]


def test_neighbours_are_read_once() -> None:
    x = value(100)
    left, right = [apply("slice", x, const(k, int64), params=(0, 98, 1)) for k in (0, 2)]
    assert traffic(left * right) == [100 * 4 + 98 * 4]


@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_product_reads_its_factors(batch: tuple[int, ...]) -> None:
    a, b = value(*batch, 8, 16), value(*batch, 16, 32, at=1)
    assert a.spec.dtype is float32
    assert traffic(apply("matmul", a, b)) == [(3 if batch else 1) * 4 * (8 * 16 + 16 * 32 + 8 * 32)]


def test_a_kernel_of_another_form_is_not_reckoned() -> None:
    assert traffic(apply("cumsum", value(8, 16), params=(1, False))) == [None]


def test_only_what_overlaps_in_one_base_counts_once() -> None:
    both = [Extent(0, 0, 400, 400), Extent(0, 200, 600, 400)]
    assert read_bytes(both) == 600
    assert read_bytes([both[0], both[1]._replace(base=1)]) == 800
    assert read_bytes([both[0], Extent(0, 400, 800, 400)]) == 800
    assert read_bytes([Extent(0, 0, 800, 100), Extent(0, 4, 804, 100)]) == 200  # every eighth number, twice

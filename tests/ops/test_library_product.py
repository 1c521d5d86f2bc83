"""Which products a library takes, and what the operator means."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nbgrad.graph.dtypes import by_name, float32
from nbgrad.graph.node import apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.library_product import LIBRARY_MATMUL, is_taken
from tests.passes.build import value


@pytest.mark.parametrize(
    ("batch", "m", "n", "k", "taken"),
    [
        ((), 512, 256, 784, True),
        ((), 32, 256, 128, False),
        ((), 16, 16, 65536, True),  # one tile of ours would add all of it up alone
        ((), 4, 4, 1024, False),
        ((8, 12), 128, 128, 64, True),
        ((12, 8), 128, 128, 64, True),
        ((96,), 64, 64, 8, False),
        ((65, 65), 128, 128, 64, False),  # too many calls
        ((65, 64), 128, 128, 64, True),
        ((0,), 512, 512, 512, False),
        ((), 512, 512, 0, False),
    ],
)
def test_a_library_takes_what_keeps_a_gpu_busy(batch: tuple[int, ...], m: int, n: int, k: int, taken: bool) -> None:
    assert is_taken(float32, batch, m, n, k) is taken


def test_dtypes_that_a_library_does_not_add_up_are_not_for_it() -> None:
    assert is_taken(by_name("float64"), (), 512, 512, 512)
    assert not is_taken(by_name("int64"), (), 512, 512, 512)


@pytest.mark.parametrize("flips", list(itertools.product((False, True), repeat=2)))
def test_factors_may_be_given_transposed(flips: tuple[bool, bool]) -> None:
    shapes = [(2, 4, 3) if flips[0] else (2, 3, 4), (2, 5, 4) if flips[1] else (2, 4, 5)]
    node = apply(LIBRARY_MATMUL, value(*shapes[0]), value(*shapes[1], at=1), params=flips)
    assert node.spec is Spec.of((2, 3, 5), float32)
    rng = np.random.default_rng(1)
    a, b = [rng.standard_normal(shape) for shape in shapes]
    left, right = [np.swapaxes(x, 1, 2) if flip else x for x, flip in zip((a, b), flips, strict=True)]
    np.testing.assert_array_equal(LIBRARY_MATMUL.reference(a, b, *flips), left @ right)

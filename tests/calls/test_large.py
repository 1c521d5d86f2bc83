"""Sizes beyond a vector, a row block, a column run and a matrix tile: the same answer and bits in every tier."""

import numpy as np
import pytest

from nbgrad.config import override
from tests.calls.test_compiled import Batch
from tests.compiled import bits
from tests.samples import CallSample, bools, f32, floats, ints

CLASSES = np.abs(ints(257, low=0, high=100))
LARGE = [
    CallSample("sum", (f32(3, 20000),), {"dim": 1}),
    CallSample("sum", (f32(20000, 3),), {"dim": 0}),
    CallSample("sum", (f32(7, 300, 11),), {"dim": 1}),
    CallSample("sum", (f32(30011, 7),), {"dim": 0}),
    CallSample("sum", (f32(3, 9001, 5),), {"dim": 1}),
    CallSample("mean", (f32(1031, 100),), {"dim": 0}),
    CallSample("argmax", (f32(30011, 3),), {"dim": 0}),
    CallSample("std", (f32(20011, 5),), {"dim": 0}),
    CallSample("sum", (f32(11, 60, 70),), {"dim": (0, 2)}),
    CallSample("sum", (f32(40001),)),
    CallSample("mean", (floats(301, 67),), {"dim": 0}),
    CallSample("prod", (f32(5, 1000, low=0.99, high=1.01),), {"dim": 1}),
    CallSample("amax", (f32(600, 37),), {"dim": 0}),
    CallSample("argmax", (f32(9, 20000),), {"dim": 1}),
    CallSample("argmin", (ints(5000, 3, low=-100, high=100),), {"dim": 0}),
    CallSample("all", (bools(300, 300),), {"dim": 1}),
    CallSample("var", (f32(5000, 7),), {"dim": 0}),
    CallSample("std", (f32(3, 17000),), {"dim": 1}),
    CallSample("norm", (f32(123, 457),)),
    CallSample("softmax", (f32(37, 1001), 1)),
    CallSample("log_softmax", (f32(1001, 37), 0)),
    CallSample("logsumexp", (f32(3, 20000), 1)),
    CallSample("cross_entropy", (f32(257, 100), CLASSES)),
    CallSample("mse_loss", (f32(123, 457), f32(123, 457, seed=1))),
    CallSample("matmul", (f32(130, 300), f32(300, 70, seed=1))),
    CallSample("matmul", (f32(5, 33, 40), f32(40, 300, seed=1))),
    CallSample("matmul", (f32(3, 33, 40), f32(3, 40, 35, seed=1))),
    CallSample("matmul", (floats(300, 5), floats(5, 300, seed=1))),
    CallSample("dot", (f32(30001), f32(30001, seed=1))),
    CallSample("add", (f32(301, 403), f32(403))),
    CallSample("where", (bools(301, 403), f32(301, 1), f32(403))),
    CallSample("gelu", (f32(301, 403),)),
    CallSample("gather", (f32(300, 50), 1, np.abs(ints(300, 70, low=0, high=50)))),
    CallSample("scatter_add", (f32(50, 300), 0, np.abs(ints(70, 300, low=0, high=50)), f32(70, 300, seed=1))),
    CallSample("index_select", (f32(300, 50), 0, np.abs(ints(1000, low=0, high=300)))),
    CallSample("cat", ([f32(300, 50), f32(300, 77)], 1)),
    CallSample("repeat", (f32(30, 41), (3, 5))),
    CallSample("flip", (f32(301, 403), (0, 1))),
    CallSample("tril", (f32(301, 303),)),
    CallSample("diagonal", (f32(301, 403),)),
]


def batch(sample: CallSample) -> Batch:
    made = Batch()
    made.add(sample.name, sample)
    return made


@pytest.mark.parametrize("sample", [pytest.param(s, id=f"{s.name}-{k}") for k, s in enumerate(LARGE)])
def test_large_tensors_give_the_interpreters_answer_and_the_same_bits_in_every_tier(sample: CallSample) -> None:
    made = batch(sample)
    with override(compile="never"):
        unfused = made.compiled()
    with override(compile="eager"):
        fused = made.compiled()
    with override(compile="eager", num_threads=1):
        alone = made.compiled()
    for label, got, other, single, want in zip(made.labels, unfused, fused, alone, made.interpreted(), strict=True):
        assert bits(got) == bits(other) == bits(single), label
        eps = float(np.finfo(want.dtype).eps) if want.dtype.kind == "f" else 0.0
        # Sums of n numbers differ by at most about sqrt(n) roundings of their size between orders of adding.
        scale = float(np.max(np.abs(want.astype(np.float64)), initial=1.0))
        np.testing.assert_allclose(got, want, rtol=300 * eps, atol=300 * eps * scale, err_msg=label)

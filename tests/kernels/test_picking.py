"""Constants by number, whatever the registers."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import KernelText, Operand, Stmt
from tests.kernels.elementary.measure import at_width, evaluate, same_bits
from tests.kernels.harness import TARGETS, call


@pytest.mark.parametrize("target", [*TARGETS, at_width("sse2"), at_width("avx2")], ids=lambda t: f"{t.cpu} {t.level}")
@pytest.mark.parametrize("most", ["float32", "float64"])
def test_vectors_wider_and_narrower_than_a_register_pick_the_same(target: Target, most: str) -> None:
    """erf of both dtypes in one kernel, whose lanes are those of the dtype that ``most`` values have."""
    rng = np.random.default_rng(0)
    for n in (1, 7, 100):
        narrow, wide = rng.uniform(-4.5, 4.5, n).astype(np.float32), rng.uniform(-6.5, 6.5, n)
        dtypes = ("float32", "float64")
        operands = [Operand(d, 1, role) for role in ("in", "out") for d in dtypes]
        stmts = [Stmt("erf", (0,), (), "float32"), Stmt("erf", (1,), (), "float64")]
        first = 0 if most == "float32" else 1
        stmts += [Stmt("neg", (first,), (), most)] * 9
        text = KernelText("map", 1, 0, tuple(operands), tuple(stmts), ((4, 2), (5, 3)))
        outs = [np.empty(n, np.float32), np.empty(n)]
        assert call(text, [narrow, wide, *outs], [n], target=target) == 0
        for x, out in zip((narrow, wide), outs, strict=True):
            assert same_bits(out, evaluate("erf", x))

"""Integer division: towards zero, never a trap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.kernels.target import Target
from nbgrad.tape.kernel import DIVISION_BY_ZERO
from tests.kernels.harness import TARGETS
from tests.kernels.probe import probe

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)


def exact(a: Any, d: Any) -> tuple[Any, Any]:
    """Quotient towards zero and remainder, by Python's integers, wrapped to the dtype."""
    info = np.iinfo(a.dtype)
    span = 1 << info.bits
    quotients, remainders = [], []
    for x, y in zip(a.tolist(), d.tolist(), strict=True):
        q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        quotients.append((q - info.min) % span + info.min)
        remainders.append(x - q * y)
    return np.array(quotients, a.dtype), np.array(remainders, a.dtype)


@targets
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_division_is_exact_over_the_whole_range(target: Target, dtype: str) -> None:
    rng = np.random.default_rng(1)
    info = np.iinfo(dtype)
    edges = np.array([info.min, info.min + 1, -1 if info.min else 1, 1, 2, 3, 7, info.max - 1, info.max], dtype)
    a = np.concatenate([np.repeat(edges, edges.size), rng.integers(info.min, info.max, 300, dtype=dtype)])
    d = np.concatenate([np.tile(edges, edges.size), rng.integers(info.min, info.max, 300, dtype=dtype)])
    d = np.where(d == 0, np.array(5, dtype), d)
    quotient, remainder = exact(a, d)
    for name, want in (("quotient", quotient), ("remainder", remainder)):
        code, got = probe(lambda b, x, y, name=name: getattr(b, name)(x, y), [a, d], dtype, target)
        assert code == 0
        assert (got == want).all()


@targets
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_division_by_zero_fails_the_kernel_without_a_trap(target: Target, dtype: str) -> None:
    for n in (1, 16, 17, 50):
        a, d = np.full(n, np.iinfo(dtype).min, dtype), np.full(n, 3, dtype)
        d[-1] = 0
        for name in ("quotient", "remainder"):
            code, _ = probe(lambda b, x, y, name=name: getattr(b, name)(x, y), [a, d], dtype, target)
            assert code == DIVISION_BY_ZERO

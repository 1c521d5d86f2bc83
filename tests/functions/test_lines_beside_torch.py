"""Lines that PyTorch answers alike: values, dtype, shape and whether they require grad, or the class of the error."""

from __future__ import annotations

import builtins
import math
import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import theirs

LINES = """
# numbers in 0-d tensors
m.full((2,), m.tensor(1.5, dtype=m.float64))
m.full((2,), m.tensor(1, dtype=m.int16))
m.full((2,), m.tensor(True))
m.full((2,), m.tensor(1 + 2j))
m.full((2,), m.tensor(1.5), dtype=m.int64)
m.full((2,), m.tensor(2.5), requires_grad=True)
m.full((2,), m.tensor(1.5, requires_grad=True))
m.full((2,), m.tensor([1.5]))
m.full((2,), np.float32(1.5))
m.full((2,), np.int16(3))
m.full_like(m.zeros(2), m.tensor(1.5, requires_grad=True))
m.full_like(m.zeros(2, dtype=m.int64), m.tensor(1.5))
m.zeros(2).new_full((2,), m.tensor(1.5, dtype=m.float64))
m.linspace(m.tensor(0j), m.tensor(1 + 1j), 3)
m.linspace(0, m.tensor(1 + 1j), 3)
m.linspace(m.tensor(0.0), m.tensor(1 + 1j, dtype=m.complex128), 3)
m.linspace(m.tensor(0j), 1.0, 3, dtype=m.float32)
m.linspace(m.tensor([0.0]), 1, 3)
m.logspace(m.tensor(0j), m.tensor(1 + 1j), 3, dtype=m.complex128)
m.logspace(0, m.tensor(1 + 1j), 3, 2, dtype=m.complex128)
m.zeros(2, dtype=m.uint8).masked_fill(m.tensor([True, False]), m.tensor(300))
m.zeros(2, dtype=m.uint8).masked_fill(m.tensor([True, False]), m.tensor(-1))
m.zeros(2, dtype=m.int8).masked_fill(m.tensor([True, False]), m.tensor(200))
m.zeros(2, dtype=m.int8).masked_fill(m.tensor([True, False]), m.tensor(-128))
m.zeros(2, dtype=m.int64).masked_fill(m.tensor([True, False]), m.tensor(1.5))
m.zeros(2, dtype=m.int64).masked_fill(m.tensor([True, False]), m.tensor(math.nan))
m.zeros(2, dtype=m.int64).masked_fill(m.tensor([True, False]), m.tensor(math.inf, dtype=m.float16))
m.zeros(2, dtype=m.float16).masked_fill(m.tensor([True, False]), m.tensor(1e6))
m.zeros(2, dtype=m.float16).masked_fill(m.tensor([True, False]), m.tensor(70000))
m.zeros(2, dtype=m.float16).masked_fill(m.tensor([True, False]), m.tensor(math.inf))
m.zeros(2).masked_fill(m.tensor([True, False]), m.tensor(1e300, dtype=m.float64))
m.zeros(2).masked_fill(m.tensor([True, False]), m.tensor(math.nan, dtype=m.float64))
m.zeros(2).masked_fill(m.tensor([True, False]), m.tensor(1 + 0j))
m.zeros(2).masked_fill(m.tensor([True, False]), m.tensor(1j))
m.zeros(2, dtype=m.complex64).masked_fill(m.tensor([True, False]), m.tensor(1e300j, dtype=m.complex128))
m.zeros(2, dtype=m.bool).masked_fill(m.tensor([True, False]), m.tensor(2))
m.zeros(2).masked_fill_(m.tensor([True, False]), m.tensor(1e300, dtype=m.float64))
m.zeros(2, dtype=m.uint8).index_fill(0, m.tensor([1]), m.tensor(300))
m.zeros(2, dtype=m.uint8).index_fill(0, m.tensor([1]), m.tensor(-1))
m.zeros(2, dtype=m.float16).index_fill(0, m.tensor([1]), m.tensor(1e6))
m.zeros(2).index_fill(0, m.tensor([1]), m.tensor(1e300, dtype=m.float64))
m.zeros(2).index_fill(0, m.tensor([1]), m.tensor(1j))
m.zeros(2).index_fill(0, m.tensor([1]), m.tensor([1.0]))
# ranges by their keywords
m.arange(start=3)
m.arange(end=3)
m.arange(start=3, step=2)
m.arange(start=1, end=3)
m.arange(start=1, end=3, step=1)
m.arange(end=3, step=1)
m.arange(1, end=3)
m.arange(1, step=3)
m.arange(3, start=1)
m.arange(1, 3, step=2)
m.arange(1, 3, 2, 4)
m.arange(1, 3, 2, step=1)
m.arange()
m.arange(3, dtype=m.complex64)
m.range(0, 3)
m.range(3)
m.range(end=3)
m.range(start=1, end=3)
m.range(1, end=3, step=1)
m.linspace(end=1, start=0, steps=3)
m.logspace(start=0, end=1, steps=3, base=2.0)
m.linspace(4.3, 0, 50, dtype=m.int64)
m.linspace(-4.7, 2.9, 7, dtype=m.uint8)
m.linspace(-4, 2, 7, dtype=m.uint8)
m.linspace(0, 300, 7, dtype=m.uint8)
m.linspace(m.tensor(4.3), 0, 5, dtype=m.int32)
m.logspace(0, 1.2, 4, 5.0, dtype=m.int64)
# factors
m.add(m.ones(1), m.ones(1), alpha=None)
m.add(m.ones(1), m.ones(1), alpha=1)
m.add(m.ones(1, dtype=m.bool), m.ones(1, dtype=m.bool), alpha=1)
m.add(m.ones(1), m.ones(1), alpha=True)
m.add(m.ones(1), m.ones(1), alpha=2, out=m.zeros(1))
m.ones(1).add_(1, alpha=None)
m.sub(m.ones(1), m.ones(1), alpha=None)
m.addmm(m.zeros(1), m.ones(1, 1), m.ones(1, 1), beta=None)
m.addmm(m.ones(1), m.ones(1, 1), m.ones(1, 1), beta=1, alpha=1)
m.addcmul(m.zeros(1), m.ones(1), m.ones(1), value=None)
m.addcdiv(m.zeros(1), m.ones(1), m.ones(1), value=1)
m.ones(2).index_add(0, m.tensor([0]), m.ones(1), alpha=None)
# bounds
m.clamp_min(m.tensor([True, False]), m.tensor([False, True]))
m.clamp_max(m.tensor([True, False]), m.tensor(False))
m.tensor([True, False]).clamp_min(True)
m.clamp(m.tensor([True, False]), True)
m.tensordot(m.ones(1, dtype=m.int8) * 100, m.ones(2, dtype=m.int8) * 100, 1)
m.tensordot(m.ones(1, 1, 1, dtype=m.int32), m.ones(2, 1, 2, dtype=m.int32), 1)
m.einsum("i->", m.ones(3, dtype=m.uint8))
m.einsum("ij->i", m.ones(3, 2, dtype=m.bool))
m.einsum("ij->ji", m.ones(3, 2, dtype=m.bool))
m.einsum("ij,jk->ik", m.ones(3, 3, dtype=m.uint8), m.ones(3, 3, dtype=m.uint8))
# no order, no dims
m.nn.functional.max_pool2d(m.ones(1, 1, 4, 4, dtype=m.complex64), 2)
m.nn.functional.adaptive_max_pool2d(m.ones(1, 1, 4, 4, dtype=m.complex64), 2)
m.zeros(2, dtype=m.complex64).scatter_reduce(0, m.tensor([0]), m.ones(1, dtype=m.complex64), "amax")
m.zeros(2, dtype=m.bool).scatter_reduce(0, m.tensor([0]), m.ones(1, dtype=m.bool), "amax")
m.fft.fft(m.tensor(1.0))
m.fft.irfft(m.tensor(1.0))
# formats
f"{m.tensor([1.5]):.3f}"
f"{m.tensor(1.5):.3f}"
f"{m.tensor([1.5]):>30}"
f"{m.tensor([1.5])}"
f"{m.tensor([[1.5]]):.3f}"
f"{m.tensor(3):d}"
f"{m.nn.Parameter(m.tensor(1.5)):.3f}"
# modules in a list
list(map(repr, m.nn.Sequential(m.nn.ReLU()).insert(0, m.nn.Tanh())))
list(map(repr, m.nn.Sequential(m.nn.ReLU()).insert(-1, m.nn.Tanh())))
m.nn.Sequential(m.nn.ReLU()).insert(2, m.nn.Tanh())
m.nn.ModuleList([m.nn.ReLU()]).insert(0, m.nn.Tanh())
# results of their own
[r._is_view() for r in m.median(m.ones(2, 3), 1)]
[r._is_view() for r in m.median(m.ones(2, 3, requires_grad=True), 1, keepdim=True)]
[r._is_view() for r in m.nanmedian(m.ones(2, 3), 1)]
[r._is_view() for r in m.mode(m.ones(2, 3, requires_grad=True), 1)]
[r._is_view() for r in m.kthvalue(m.ones(2, 3), 1, 1)]
[r._is_view() for r in m.kthvalue(m.ones(2, 3), 1, 1, keepdim=True)]
# numbers next to halves
m.nextafter(m.tensor([1.0, -1.0, 0.0, math.inf, math.nan, 65504.0, 2**-14]).half(), m.tensor(2.0).half())
m.nextafter(m.tensor([1.0, -1.0, 0.0, -6e-8, math.inf, 65504.0, 2**-14]).half(), m.tensor(math.inf).half())
m.nextafter(m.tensor([1.0, -1.0, 0.0, math.inf, math.nan]).bfloat16(), m.tensor(2.0).bfloat16())
m.nextafter(m.tensor([1.0, 2.0]).half(), m.tensor([1.0, -math.inf]).half())
m.nextafter(m.tensor([1.0]).half(), m.tensor(2.0))
# 0-d tensors, and norms of matrices
m.nn.functional.dropout(m.tensor(1.0), 0.0)
m.nn.functional.rrelu(m.tensor(-1.0), 0.5, 0.5, training=True)
m.norm(m.tensor([[3.0, 0.0], [0.0, 4.0]]), "nuc")
m.norm(m.ones(2, 3, 4), "nuc", dim=(0, 2), keepdim=True)
m.norm(m.ones(2, 3, 4), "nuc")
m.linalg.matrix_power(m.ones(2, 2, requires_grad=True), 0)
m.linalg.pinv(m.tensor([[2 + 3j, 5.0], [1j, 3.0]]), hermitian=True)
m.linalg.pinv(m.tensor([[0.3, 0.7, 1.9], [5.1, 0.2, 3.3], [1.7, 2.9, 0.6]]), rtol=m.tensor(1.0))
m.linalg.pinv(m.tensor([[-1.3, 4.7, 0.9], [5.1, -6.2, 3.3], [1.7, 8.9, -0.6]]), rtol=m.tensor(1.0))
# normal numbers
m.normal(0.0, m.tensor([1j]))
m.normal(m.tensor([1j]), m.tensor([1j]))
m.normal(0, 0, (2,), dtype=m.complex64)
m.normal(m.tensor([1.0]), m.tensor([-1.0]))
"""


def told(line: str, lib: Any) -> Any:
    """What a line gives, or the first of Python's own classes that its error is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return shown(eval(line, {"m": lib, "math": math, "np": np}))
        except Exception as error:
            return {c.__name__ for c in type(error).__mro__ if vars(builtins).get(c.__name__) is c} - {"object"}


def shown(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [shown(r) for r in result]
    if not hasattr(result, "requires_grad"):
        return result
    kind = str(result.dtype).rpartition(".")[2]
    values = (result.float() if kind == "bfloat16" else result).detach().numpy()
    return kind, result.requires_grad, values.shape, values


@pytest.mark.parametrize("line", [line for line in LINES.splitlines() if line and line[0] != "#"])
def test_a_line_gives_what_it_gives_in_pytorch(line: str) -> None:
    expected, found = told(line, theirs()), told(line, nb)
    if isinstance(expected, set):
        assert isinstance(found, set) and expected <= found, f"expected one of {expected}, got {found}"
    elif isinstance(expected, tuple):
        assert expected[:3] == found[:3]
        np.testing.assert_allclose(found[3], expected[3], rtol=1e-6, atol=1e-6 if expected[0] != "float16" else 0)
    else:
        assert found == expected


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("target", [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 60000.0])
def test_every_half_has_pytorchs_neighbour(dtype: str, target: float) -> None:
    torch = theirs()
    every = torch.arange(-(1 << 15), 1 << 15).to(torch.int16).view(getattr(torch, dtype)).float().numpy()
    found = []
    for m in (torch, nb):
        x = m.tensor(every).to(getattr(m, dtype))
        found.append(m.nextafter(x, m.tensor(target).to(x.dtype)).float().numpy())
    np.testing.assert_array_equal(found[1], found[0])
    known = ~np.isnan(found[0])
    np.testing.assert_array_equal(np.signbit(found[1][known]), np.signbit(found[0][known]))

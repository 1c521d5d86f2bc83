"""Random attentions, recurrent networks and convolutions have the same bits in every tier, on one thread or several."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override

PROGRAMS = max(1, int(os.environ.get("NBGRAD_FUZZ", "300")) // 20)
Program = tuple[Callable[..., Any], list[Any]]  # the loss, and the arrays it is differentiated by


def attention(rng: np.random.Generator) -> Program:
    """A few layers with one projection for all, or one for each."""
    batch, heads, steps, size, layers = (int(n) for n in rng.integers(1, (5, 5, 40, 40, 4)))
    width, out, way = heads * size, int(rng.integers(1, 50)), int(rng.integers(3))
    shapes = [(width, 3 * width), (3 * width,)] * int(rng.choice([1, layers])) + [(batch, steps, width), (width, out)]

    def loss(*tensors: Any) -> Any:
        *projections, y, last = tensors
        for i in range(layers):
            weight, bias = projections[(2 * i) % len(projections)], projections[(2 * i + 1) % len(projections)]
            qkv = (y @ weight + bias).split(width, 2)
            q, k, v = (part.reshape(batch, steps, heads, size).transpose(1, 2) for part in qkv)
            new = ((q @ k.transpose(-1, -2) * 0.1).softmax(-1) @ v).transpose(1, 2).reshape(batch, steps, width)
            half = steps // 2
            y = (new, y + new, nb.cat([new[:, :half], y[:, half:]], 1))[way]
        return (y @ last).tanh().sum()

    return loss, [rng.standard_normal(shape) for shape in shapes]


def recurrent(rng: np.random.Generator) -> Program:
    """Steps that share their weights, more than one sum of products takes."""
    batch, inputs, hidden, steps = (int(n) for n in rng.integers(1, (20, 20, 20, 14)))
    shapes = (inputs, 2 * hidden), (hidden, 2 * hidden), (2 * hidden,)

    def loss(x: Any, w_in: Any, w_hidden: Any, bias: Any) -> Any:
        h = nb.zeros(batch, hidden, dtype=x.dtype)
        for x_t in x:
            a, b = (x_t @ w_in + h @ w_hidden + bias).chunk(2, 1)
            h = a.sigmoid() * b.tanh() + h
        return (h * h).sum()

    return loss, [rng.standard_normal(shape) for shape in ((steps, batch, inputs), *shapes)]


def convolution(rng: np.random.Generator) -> Program:
    """One convolution of 1 to 3 dims."""
    dims, groups = int(rng.integers(1, 4)), int(rng.choice([1, 1, 2]))
    channels, filters = (groups * int(n) for n in rng.integers(1, (9, 12)))
    kernel, padding = (tuple(int(n) for n in rng.integers(low, low + 3, dims)) for low in (1, 0))
    stride, dilation = (tuple(int(n) for n in rng.choice([1, 1, 2], dims)) for _ in range(2))
    most = {1: 600, 2: 34, 3: 11}[dims]
    size = [int(rng.integers(max(d * (k - 1) + 1, most // 2), most + 1)) for d, k in zip(dilation, kernel, strict=True)]
    x = rng.standard_normal((int(rng.integers(1, 11)), channels, *size))
    function = getattr(nb.nn.functional, f"conv{dims}d")

    def loss(x: Any, w: Any, b: Any) -> Any:
        return function(x * 1.5, w, b, stride, padding, dilation, groups).sin().sum()

    return loss, [x, rng.standard_normal((filters, channels // groups, *kernel)), rng.standard_normal(filters)]


@pytest.mark.parametrize("make", [attention, recurrent, convolution])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_tiers_agree(make: Callable[[np.random.Generator], Program], dtype: str) -> None:
    rng = np.random.default_rng(0)
    for number in range(PROGRAMS):
        loss, arrays = make(rng)

        def gradients(calls: int = 1, loss: Any = loss, arrays: Any = arrays, **switches: object) -> list[bytes]:
            with override(**switches):
                for _ in range(calls):
                    tensors = [nb.tensor(a.astype(dtype), requires_grad=True) for a in arrays]
                    loss(*tensors).backward()
                return [t.grad.numpy().tobytes() for t in tensors]

        first = gradients()
        assert gradients(compile="eager") == first, number
        assert gradients(compile="eager", num_threads=1) == first, number
        assert gradients(2, compile="never") == first, number

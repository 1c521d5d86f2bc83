"""Long formulas over large arrays: prices of options with all sensitivities, rows of a norm, a GELU and a softmax."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.cases.norm import rows, rows_in_jax
from bench.cases.options import RANGES, total_price
from bench.cuda.copies import COPY, OF_THE_COPY, floor_of
from bench.libraries import COMPILED, JAX, TORCH
from bench.measure import Case
from bench.ways import by_jax, gradients_on

GOALS = {COPY: OF_THE_COPY, TORCH: 1.0, COMPILED: 1.0}


def cases(quick: bool) -> list[Case]:
    """16 million options; 16384 rows of 4096."""
    rng = np.random.default_rng(0)
    size = 5_000 if quick else 1 << 24
    arrays = [rng.uniform(low, high, size).astype(np.float32) for low, high in RANGES]
    makers = {**gradients_on("cuda", total_price, arrays), **floor_of(10 * arrays[0].nbytes)}
    title, note = "option prices and all sensitivities", f"{size:,} float32"
    found = [Case(title, note, makers, 1, 2e-3, GOALS, GOALS, floor=COPY)]
    count, width = (16, 256) if quick else (16_384, 4096)
    shapes = (count, width), (width,), (width,), (count, width)
    *inputs, g = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    makers = {
        **gradients_on("cuda", rows, inputs, [g]),
        JAX: partial(by_jax, rows_in_jax, inputs, [g]),
        **floor_of(3 * g.nbytes),  # x and g are read, the gradient is written
    }
    title = "layer norm, GELU, softmax"
    return [*found, Case(title, f"{count} x {width} float32", makers, 1, 2e-3, GOALS, GOALS, floor=COPY)]

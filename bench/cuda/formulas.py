"""Long formulas over large arrays: prices of options with all sensitivities, rows of a norm, a GELU and a softmax."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.cases.norm import rows, rows_in_jax
from bench.cases.options import RANGES, total_price
from bench.cuda.copies import memory_case
from bench.libraries import JAX
from bench.measure import Case
from bench.ways import by_jax, gradients_on


def cases(quick: bool) -> list[Case]:
    """16 million options; 16384 rows of 4096."""
    rng = np.random.default_rng(0)
    size = 5_000 if quick else 1 << 24
    arrays = [rng.uniform(low, high, size).astype(np.float32) for low, high in RANGES]
    makers = gradients_on("cuda", total_price, arrays)
    title, note = "option prices and all sensitivities", f"{size:,} float32"
    found = [memory_case(title, note, makers, 2e-3, 10 * arrays[0].nbytes)]
    count, width = (16, 256) if quick else (16_384, 4096)
    shapes = (count, width), (width,), (width,), (count, width)
    *inputs, g = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    makers = {
        **gradients_on("cuda", rows, inputs, [g]),
        JAX: partial(by_jax, rows_in_jax, inputs, [g]),
    }
    title, traffic = "layer norm, GELU, softmax", 3 * g.nbytes  # x and g are read, the gradient is written
    return [*found, memory_case(title, f"{count} x {width} float32", makers, 2e-3, traffic)]

"""Many small operations: what launching costs."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.cases import mlp
from bench.cases.chain import OPERATIONS, chain
from bench.libraries import COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, TORCH
from bench.measure import Case
from bench.ways import gradients_on

GOAL = "faster than PyTorch, eager or compiled with CUDA graphs"


def cases(quick: bool) -> list[Case]:
    """500 operations on 1024 floats; steps of a small network."""
    numbers = np.linspace(-1, 1, 1024, dtype=np.float32)
    arrays = numbers, np.cos(numbers)
    goals = {COMPILED: 1.0, TORCH: 1.0}
    makers = gradients_on("cuda", chain, arrays)
    title = "chain of 500 operations, forward and backward"
    found = [Case(title, "1024 float32", makers, OPERATIONS, 1e-3, goals, goals, GOAL)]
    batch = 8 if quick else 32
    steps = {
        n: partial(mlp.define_by_run, n, batch, "Adam", "cuda") for n in (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)
    }
    steps[JAX] = partial(mlp.by_jax, batch, "Adam")
    return [*found, Case("MLP step, Adam", f"batch {batch}", steps, 1, 2e-3, goals, goals, GOAL, compared=8)]

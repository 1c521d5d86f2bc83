"""A Hessian-vector product of Rosenbrock's function: a derivative of a derivative, small enough for overhead."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.libraries import AUTOGRAD, COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, NUMBA, TORCH, jax_functions, library
from bench.measure import Case, Work


def rosenbrock(x: Any) -> Any:
    """Sum of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2."""
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def _define_by_run(name: str, x_array: Any, v_array: Any) -> Work:
    lib = library(name)
    x, v = lib.tensor(x_array, requires_grad=True), lib.tensor(v_array)

    def product() -> Any:
        (g,) = lib.autograd.grad(rosenbrock(x), x, create_graph=True)
        return lib.autograd.grad(g, x, grad_outputs=v)[0].detach()

    run = lib.compile(product, fullgraph=True) if name == NBGRAD_COMPILED else product
    return lambda: run().numpy()  # the value is wanted now, not when somebody looks


def _torch_compile(x_array: Any, v_array: Any) -> Work:
    """By function transforms: the compiler does not take derivatives of its own backward."""
    torch = library(COMPILED)
    gradient = torch.func.grad(rosenbrock)
    run = torch.compile(lambda x, v: torch.func.jvp(gradient, (x,), (v,))[1])
    x, v = torch.tensor(x_array), torch.tensor(v_array)
    return lambda: run(x, v)


def _jax(x_array: Any, v_array: Any) -> Work:
    jnp = jax_functions()
    import jax

    run = jax.jit(lambda x, v: jax.jvp(jax.grad(rosenbrock), (x,), (v,))[1])
    x, v = jnp.asarray(x_array), jnp.asarray(v_array)
    return lambda: jax.block_until_ready(run(x, v))


def _autograd(x: Any, v: Any) -> Work:
    import autograd

    product = autograd.hessian_vector_product(rosenbrock)
    return lambda: product(x, v)


def _by_hand(x: Any, v: Any) -> Work:
    from numba import njit

    @njit
    def run(x: Any, v: Any) -> Any:
        out = np.zeros_like(x)
        for i in range(x.size - 1):
            cross = -400.0 * x[i]
            out[i] += (1200.0 * x[i] * x[i] - 400.0 * x[i + 1] + 2.0) * v[i] + cross * v[i + 1]
            out[i + 1] += cross * v[i] + 200.0 * v[i + 1]
        return out

    return lambda: run(x, v)


def cases(quick: bool) -> list[Case]:
    """1000 dimensions."""
    rng = np.random.default_rng(0)
    x, v = rng.normal(size=1000), rng.normal(size=1000)
    makers = {name: partial(_define_by_run, name, x, v) for name in (NBGRAD, NBGRAD_COMPILED, TORCH)}
    others = {COMPILED: _torch_compile, JAX: _jax, AUTOGRAD: _autograd, NUMBA: _by_hand}
    makers |= {name: partial(make, x, v) for name, make in others.items()}
    size = f"{x.size} dimensions, float64"
    goals, compiled_goals = {TORCH: 0.25}, {JAX: 1.0}
    return [Case("Hessian-vector product", size, makers, 1, 1e-9, goals, compiled_goals, floor=NUMBA)]

"""Burgers' equation by explicit steps, differentiated with respect to the initial state: a long loop of small steps."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.libraries import DRJIT, JAX, NUMBA, TORCH, jax_functions
from bench.measure import Case, Work
from bench.ways import by_drjit, gradients, without

CONVECTION, DIFFUSION = 0.1, 0.2  # dt / (2 dx) and nu dt / dx^2


def _inner(u: Any) -> Any:
    """The next values of all cells but the two at the ends, which stay as they are."""
    middle, left, right = u[1:-1], u[:-2], u[2:]
    return middle - CONVECTION * middle * (right - left) + DIFFUSION * (right - 2.0 * middle + left)


def _misfit(steps: int, lib: Any, u: Any, wanted: Any) -> Any:
    for _ in range(steps):
        u = lib.concatenate([u[:1], _inner(u), u[-1:]])
    return ((u - wanted) ** 2).sum()


def _jax_scan(steps: int, start: Any, wanted_array: Any) -> Work:
    """Unrolled, the compiler would need minutes."""
    jnp = jax_functions()
    import jax

    def step(u: Any, _: Any) -> Any:
        return jnp.concatenate([u[:1], _inner(u), u[-1:]]), None

    def misfit(u: Any, wanted: Any) -> Any:
        last, _ = jax.lax.scan(step, u, length=steps)
        return ((last - wanted) ** 2).sum()

    run = jax.jit(jax.value_and_grad(misfit))
    u, wanted = jnp.asarray(start), jnp.asarray(wanted_array)
    return lambda: jax.block_until_ready(run(u, wanted))


def _drjit(steps: int, start: Any, wanted: Any) -> Work:
    """Neighbours are gathered: its arrays have no slices of several elements."""

    def misfit(dj: Any, u: Any, wanted: Any) -> Any:
        from drjit.llvm import ad

        at = dj.arange(ad.UInt32, start.size)
        before, after = dj.maximum(at, 1) - 1, dj.minimum(at, start.size - 2) + 1
        is_inner = (at > 0) & (at < start.size - 1)
        for _ in range(steps):
            left, right = dj.gather(type(u), u, before), dj.gather(type(u), u, after)
            new = u - CONVECTION * u * (right - left) + DIFFUSION * (right - 2.0 * u + left)
            u = dj.select(is_inner, new, u)
        return dj.sum((u - wanted) ** 2)

    return by_drjit(misfit, [start], [wanted])


def _by_hand(steps: int, start: Any, wanted: Any) -> Work:
    """All states kept, then the adjoint steps in reverse."""
    from numba import njit

    @njit
    def run(start: Any, wanted: Any, states: Any) -> Any:
        cells = start.size
        states[0] = start
        for s in range(steps):
            u, new = states[s], states[s + 1]
            new[0], new[-1] = u[0], u[-1]
            for i in range(1, cells - 1):
                slope, bend = u[i + 1] - u[i - 1], u[i + 1] - 2.0 * u[i] + u[i - 1]
                new[i] = u[i] - CONVECTION * u[i] * slope + DIFFUSION * bend
        error = states[-1] - wanted
        g, before = 2.0 * error, np.empty(cells)
        for s in range(steps - 1, -1, -1):
            u = states[s]
            before[:] = 0.0
            before[0], before[-1] = g[0], g[-1]
            for i in range(1, cells - 1):
                before[i] += g[i] * (1.0 - CONVECTION * (u[i + 1] - u[i - 1]) - 2.0 * DIFFUSION)
                before[i + 1] += g[i] * (DIFFUSION - CONVECTION * u[i])
                before[i - 1] += g[i] * (DIFFUSION + CONVECTION * u[i])
            g, before = before, g
        return (error * error).sum(), g

    states = np.empty((steps + 1, start.size))

    def work() -> Any:
        loss, grad = run(start, wanted, states)
        return loss, grad

    return work


def cases(quick: bool) -> list[Case]:
    """256 cells over 500 steps."""
    cells, steps = 256, 20 if quick else 500
    x = np.linspace(0, 2 * np.pi, cells)
    start, wanted = np.sin(x), np.cos(x)
    makers = {
        **without(gradients(partial(_misfit, steps), [start], [wanted]), JAX),
        JAX: partial(_jax_scan, steps, start, wanted),
        DRJIT: partial(_drjit, steps, start, wanted),
        NUMBA: partial(_by_hand, steps, start, wanted),
    }
    return [
        Case(
            "differentiated PDE",
            f"{cells} cells, {steps} steps, float64",
            makers,
            per=steps,
            goals={TORCH: 0.2},
            compiled_goals={NUMBA: 1.0},
            floor=NUMBA,
            rtol=1e-9,
        )
    ]

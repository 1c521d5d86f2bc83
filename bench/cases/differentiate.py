"""Values and gradients of the user's own `@njit` loops: by nbgrad, by hand, and of the same written in JAX.

The floor is the function itself, without its gradient.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from bench.libraries import ENZYME, JAX, NBGRAD, NBGRAD_COMPILED, NBGRAD_NJIT, NUMBA, PRIMAL, TORCH, library
from bench.loops import factors, fourier, kalman, lorenz, thomas, warping
from bench.measure import Case, Work
from bench.ways import by_backward, by_nbgrad_compile

SCALARS_ALONE: Final = "its wheels need glibc 2.39, and functions of it take no arrays"
GOALS: Final[tuple[tuple[str, Any, dict[str, float]], ...]] = (
    ("tridiagonal system", thomas, {PRIMAL: 8.0}),
    ("Lorenz by Runge and Kutta", lorenz, {PRIMAL: 12.0, JAX: 0.1}),
    ("Kalman filter", kalman, {PRIMAL: 8.0, JAX: 0.1}),
    ("dynamic time warping", warping, {PRIMAL: 8.0}),
    ("Fourier transform by hand", fourier, {PRIMAL: 8.0}),
    ("LU factors in place", factors, {PRIMAL: 12.0}),
)


def _differentiated(loop: Any, arguments: Any) -> Work:
    library(NBGRAD_NJIT)
    import nbgrad.numba

    both = nbgrad.numba.differentiate(loop.value)
    return lambda: both(*arguments)


def _alone(loop: Any, arguments: Any) -> Work:
    def work() -> None:
        loop.value(*arguments)

    return work


def _by_hand(loop: Any, arguments: Any) -> Work:
    return lambda: loop.by_hand(*arguments)


def _in_jax(loop: Any, arguments: Any) -> Work:
    import jax

    jax.config.update("jax_enable_x64", True)
    floats = [x for x in arguments if not isinstance(x, int)]
    others = arguments[len(floats) :]
    both = jax.value_and_grad(lambda *floats: loop.in_jax(*floats, *others), tuple(range(len(floats))))
    run = jax.jit(both)
    return lambda: jax.block_until_ready(run(*floats))


def _makers(loop: Any, arguments: Any) -> dict[str, Any]:
    makers = {NBGRAD_NJIT: _differentiated, NUMBA: _by_hand, JAX: _in_jax, PRIMAL: _alone}
    return {name: partial(make, loop, arguments) for name, make in makers.items()}


def _few_steps(quick: bool) -> Case:
    """So few that a loop of Python's can be waited for."""
    size, arguments = lorenz.arguments(quick, steps=200)
    *numbers, steps = arguments
    numbers = [np.asarray(x) for x in numbers]  # of a float alone tensors make float32
    function, makers = partial(lorenz.in_tensors, steps), _makers(lorenz, arguments)
    makers[NBGRAD] = partial(by_backward, NBGRAD, function, numbers, ())
    makers[NBGRAD_COMPILED] = partial(by_nbgrad_compile, function, numbers, ())
    makers[TORCH] = partial(by_backward, TORCH, function, numbers, ())
    absent = {ENZYME: SCALARS_ALONE}
    return Case("Lorenz by Runge and Kutta, in tensors too", size, makers, steps, 1e-6, floor=PRIMAL, absent=absent)


def cases(quick: bool) -> list[Case]:
    """Six loops, and few steps of one."""
    absent = {ENZYME: SCALARS_ALONE, TORCH: "a loop of Python's over numbers takes it seconds"}
    common = {"goal": "compiled in 3 times the time that the function takes", "floor": PRIMAL, "absent": absent}
    found = []
    for name, loop, goals in GOALS:
        size, arguments = loop.arguments(quick)
        found.append(Case(name, f"{size}, float64", _makers(loop, arguments), rtol=1e-6, goals=goals, **common))
    return [*found, _few_steps(quick)]

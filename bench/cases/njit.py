"""Values and gradients inside the user's own `@njit` loop: nbgrad's programs, and gradients by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from bench.libraries import NBGRAD_NJIT, NBGRAD_OUT, NUMBA, library
from bench.measure import Case, Work

EPOCHS: Final = 100
CALL_ELEMENTS: Final = 200_000  # of all evaluations of a call


def rosenbrock(x: Any) -> Any:
    """Sum of 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2."""
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def rosenbrock_by_hand(x: Any) -> Any:
    gradient, value = np.zeros_like(x), 0.0
    for i in range(x.size - 1):
        d, e = x[i + 1] - x[i] * x[i], 1.0 - x[i]
        value += 100.0 * d * d + e * e
        gradient[i] += -400.0 * d * x[i] - 2.0 * e
        gradient[i + 1] += 200.0 * d
    return value, gradient


def network(x: Any, target: Any, w1: Any, b1: Any, w2: Any) -> Any:
    """The squared error of a layer of tanh and a linear one."""
    return ((((x @ w1) + b1).tanh() @ w2 - target) ** 2).mean()


def network_by_hand(x: Any, target: Any, w1: Any, b1: Any, w2: Any) -> Any:
    hidden = np.tanh(np.dot(x, w1) + b1)
    error = np.dot(hidden, w2) - target
    g = error * np.float32(2.0 / error.size)
    back = np.dot(g, w2.T) * (np.float32(1.0) - hidden * hidden)
    return (error * error).mean(), np.dot(x.T, back), back.sum(0), np.dot(hidden.T, g)


def line(w: Any, b: Any, x: Any, y: Any) -> Any:
    return ((x * w + b - y) ** 2).mean()


def line_by_hand(w: Any, b: Any, x: Any, y: Any) -> Any:
    value, of_w, of_b = 0.0, 0.0, 0.0
    for i in range(x.size):
        error = w * x[i] + b - y[i]
        value += error * error
        of_w += 2.0 * error * x[i]
        of_b += 2.0 * error
    return value / x.size, of_w / x.size, of_b / x.size


BY: Final = {rosenbrock: (0,), network: (2, 3, 4), line: (0, 1)}  # what arguments they are differentiated by


def _repeated(name: str, fn: Callable[..., Any], by_hand: Callable[..., Any], times: int, *arrays: Any) -> Work:
    """The same evaluation so many times, inside a loop of Numba's: its value, and an element of its first gradient."""
    import numba

    evaluate = _compiled(name, fn, by_hand, *arrays)

    @numba.njit  # type: ignore[untyped-decorator]
    def run(times: int, arguments: Any) -> Any:
        total = 0.0
        for _ in range(times):
            found = evaluate(*arguments)
            total += found[0] + found[1].flat[0]
        return total / times

    @numba.njit  # type: ignore[untyped-decorator]
    def run_in_place(times: int, arguments: Any) -> Any:
        total, gradients = 0.0, np.empty_like(arguments[0])
        for _ in range(times):
            total += evaluate(*arguments, gradients)[0] + gradients.flat[0]
        return total / times

    return lambda: (run_in_place if name == NBGRAD_OUT else run)(times, arrays)


def _compiled(name: str, fn: Callable[..., Any], by_hand: Callable[..., Any], *examples: Any) -> Any:
    import numba

    if name == NUMBA:
        return numba.njit(by_hand)
    library(name)
    import nbgrad.numba

    return nbgrad.numba.value_and_grad(fn, *examples, argnums=BY[fn])


def _descent(name: str, x: Any, y: Any) -> Work:
    """Gradient descent on a line, as bench/cases/linreg.py does it."""
    import numba

    evaluate = _compiled(name, line, line_by_hand, 0.0, 0.0, x, y)

    @numba.njit  # type: ignore[untyped-decorator]
    def run(x: Any, y: Any) -> Any:
        w, b, loss = 0.0, 0.0, 0.0
        for _ in range(EPOCHS):
            found = evaluate(w, b, x, y)
            loss, w, b = found[0], w - 0.01 * found[1], b - 0.01 * found[2]
        return loss, w, b

    return lambda: run(x, y)


def _network_case(rng: Any) -> Case:
    shapes = ((64, 8), (64, 4), (8, 32), (32,), (32, 4))
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    makers = {n: partial(_repeated, n, network, network_by_hand, 20, *arrays) for n in (NBGRAD_NJIT, NUMBA)}
    title = "network's loss and gradients in @njit"
    return Case(title, "64 x 8, 32, 4, float32", makers, 20, 1e-3, {NUMBA: 0.3}, floor=NUMBA)


def cases(quick: bool) -> list[Case]:
    """Rosenbrock's function of few and many dims, a small network, a line."""
    rng, found = np.random.default_rng(0), []
    for dims in (10, 100) if quick else (10, 1000, 100_000):
        x, times = rng.normal(size=dims), max(CALL_ELEMENTS // dims, 1)
        names = (NBGRAD_NJIT, NBGRAD_OUT, NUMBA)
        makers = {n: partial(_repeated, n, rosenbrock, rosenbrock_by_hand, times, x) for n in names}
        goal = {"goal": "within 0.2 us of by hand"} if dims < 1000 else {"goals": {NUMBA: 0.5}}
        title = "Rosenbrock's function and gradient in @njit"
        found.append(Case(title, f"{dims} dims, float64", makers, times, 1e-9, floor=NUMBA, **goal))
    if not quick:  # it takes Numba seconds to compile
        found.append(_network_case(rng))
    x, y = rng.normal(size=100), rng.normal(size=100)
    makers = {n: partial(_descent, n, x, y) for n in (NBGRAD_NJIT, NUMBA)}
    title = "linear regression in @njit"
    found.append(Case(title, f"{EPOCHS} epochs, 100 points", makers, EPOCHS, 1e-9, {NUMBA: 1.5}, floor=NUMBA))
    return found

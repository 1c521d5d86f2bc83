"""A stiff equation by implicit steps: Newton's method inside ``@njit``, with nbgrad's Jacobian.

    python examples/njit_stiff.py      a picture of the solution in out/stiff.png

Robertson's reaction has rates from 0.04 to 3e7: explicit methods need steps of about 1e-3 up to its end at t = 1e6,
implicit ones, which solve for the state they lead to, a few hundred in all. Source: Hairer and Wanner 1996, "Solving
Ordinary Differential Equations II"; what it is compared with is SciPy's.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.integrate import solve_ivp

import nbgrad as nb
import nbgrad.numba

END = 1e6


def rates(y: Any) -> Any:
    """dy/dt."""
    a, b, c = 0.04 * y[0], 3e7 * y[1] ** 2, 1e4 * y[1] * y[2]
    return nb.stack([c - a, a - b - c, b])


rates_and_jacobian = nbgrad.numba.value_and_jacobian(rates, np.zeros(3))


@numba.njit
def implicit_step(y: Any, dt: float) -> Any:
    """``new = y + dt * rates(new)``, by Newton's method."""
    new, unit = y.copy(), np.eye(len(y))
    for _ in range(50):
        slope, jacobian = rates_and_jacobian(new)
        change = np.linalg.solve(unit - dt * jacobian, new - y - dt * slope)
        new -= change
        if np.abs(change).max() < 1e-14:
            break
    return new


@numba.njit
def integrate(y: Any, end: float, tolerance: float) -> Any:
    """Times and states from 0 to ``end``: implicit Euler, extrapolated from one step and two halves, whose difference
    is the error that chooses the next step."""
    times, states = [0.0], [y]
    t, dt = 0.0, 1e-6
    while t < end:
        dt = min(dt, end - t)
        half = implicit_step(implicit_step(y, dt / 2), dt / 2)
        difference = half - implicit_step(y, dt)
        error = (np.abs(difference) / (tolerance * (np.abs(half) + 1e-6))).max()
        if error < 1.0:
            t, y = t + dt, half + difference
            times.append(t)
            states.append(y)
        dt *= min(5.0, max(0.2, 0.9 / np.sqrt(error + 1e-12)))
    return times, states


def draw(times: Any, states: Any, reference: Any, path: Path) -> None:
    """The three species over time, beside the reference."""
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for k, (scale, name) in enumerate(((1.0, "y0"), (1e4, "10000 y1"), (1.0, "y2"))):
        axes.plot(times[1:], scale * states[1:, k], label=name)
        axes.plot(reference.t[1:], scale * reference.y[k, 1:], "k.", markersize=3)
    axes.set(xscale="log", xlabel="t", title="Robertson's reaction: implicit steps in @njit, and SciPy's (dots)")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture (out)")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="relative error of a step (1e-4)")
    options = parser.parse_args(argv)
    start = np.array([1.0, 0.0, 0.0])
    integrate(start, 1e-3, options.tolerance)  # compiled here
    start_s = time.perf_counter()
    times, states = map(np.array, integrate(start, END, options.tolerance))
    elapsed_s = time.perf_counter() - start_s
    at = np.logspace(-5, 6, 45)
    reference = solve_ivp(
        lambda t, y: rates(nb.tensor(y)).numpy(), (0.0, END), start, "Radau", [0.0, *at], rtol=1e-8, atol=1e-12
    )
    error = np.abs(states[-1] - reference.y[:, -1]).max()
    print(f"{len(times) - 1} steps to t = {END:g} in {1e3 * elapsed_s:.1f} ms; y = {states[-1]}")
    print(f"differs from SciPy's by {error:.1e}; the sum is 1 but for {abs(states[-1].sum() - 1):.0e}")
    draw(times, states, reference, options.out / "stiff.png")


if __name__ == "__main__":
    main()

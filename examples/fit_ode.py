"""Fit a differential equation that is an @njit loop to measurements: derivatives by nbgrad, the fit by SciPy.

Hares and lynxes, by the pelts that the Hudson's Bay Company bought from 1900 to 1920 (thousands; Odum 1953,
"Fundamentals of Ecology"), as the equations of Lotka and Volterra have it:

    hares' = (a - b lynxes) hares          lynxes' = (d hares - c) lynxes

What is looked for are the four rates and both numbers in 1900. All are positive, so we look for their logarithms; and
the errors of such counts are shares of them, so the residuals are differences of logarithms.

    python examples/fit_ode.py                      prints what it found
    python examples/fit_ode.py --plot fit.png       and draws it (pip install "nbgrad[examples]")
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.optimize import least_squares

import nbgrad.numba

YEARS = np.arange(1900, 1921)
HARES = "30 47.2 70.2 77.4 36.3 20.6 18.1 21.4 22 25.4 27.1 40.3 57 76.6 52.3 19.5 11.2 7.6 14.6 16.2 24.7"
LYNXES = "4 6.1 9.8 35.2 59.4 41.7 19 13 8.3 9.1 7.4 8 12.3 19.5 45.7 51.1 29.7 15.8 9.7 10.1 8.6"
SEEN = np.log(np.array([HARES.split(), LYNXES.split()], dtype=np.float64).T)  # (years, 2)
NAMES = ("a", "b", "c", "d", "hares in 1900", "lynxes in 1900")
GUESS = np.log([0.6, 0.03, 0.9, 0.03, 30.0, 4.0])
STEPS = 20  # a year


@numba.njit
def slope(hares: float, lynxes: float, rates: Any) -> Any:
    return (rates[0] - rates[1] * lynxes) * hares, (rates[3] * hares - rates[2]) * lynxes


@numba.njit
def simulated(parameters: Any, years: int) -> Any:
    """The logarithms of both numbers in each year, by the method of Runge and Kutta: (years, 2)."""
    rates = np.exp(parameters)
    x, y, h = rates[4], rates[5], 1.0 / STEPS
    found = np.empty((years, 2))
    for year in range(years):
        found[year, 0], found[year, 1] = np.log(x), np.log(y)
        for _ in range(STEPS):
            x1, y1 = slope(x, y, rates)
            x2, y2 = slope(x + 0.5 * h * x1, y + 0.5 * h * y1, rates)
            x3, y3 = slope(x + 0.5 * h * x2, y + 0.5 * h * y2, rates)
            x4, y4 = slope(x + h * x3, y + h * y3, rates)
            x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
            y += h / 6.0 * (y1 + 2.0 * y2 + 2.0 * y3 + y4)
    return found


pullback = nbgrad.numba.differentiate_vjp(simulated)


@numba.njit
def jacobian(parameters: Any, years: int) -> Any:
    """The derivatives of each number by each parameter, a row for a number: (2 years, parameters)."""
    rows = np.empty((2 * years, len(parameters)))
    for k in range(2 * years):
        v = np.zeros((years, 2))
        v[k // 2, k % 2] = 1.0
        _, (row,) = pullback((parameters, years), v)
        rows[k] = row
    return rows


def fit(guess: Any) -> Any:
    """SciPy's result; ``x`` are the logarithms of the parameters."""
    years = len(YEARS)
    return least_squares(
        lambda p: (simulated(p, years) - SEEN).ravel(), guess, jac=lambda p: jacobian(p, years), x_scale="jac"
    )


def draw(parameters: Any, path: Path) -> None:
    import matplotlib as mpl  # an extra

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    lines = np.exp(simulated(parameters, len(YEARS)))
    for k, (name, color) in enumerate((("hares", "tab:blue"), ("lynxes", "tab:red"))):
        axes.plot(YEARS, np.exp(SEEN[:, k]), "o", color=color)
        axes.plot(YEARS, lines[:, k], color=color, label=name)
    axes.set_xlabel("year")
    axes.set_ylabel("pelts, thousands")
    axes.set_xticks(YEARS[::5])
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fit the equations of Lotka and Volterra to hares and lynxes.")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the fit")
    args = parser.parse_args()
    fit(GUESS)  # Numba compiles
    begin = time.perf_counter()
    found = fit(GUESS)
    elapsed_ms = 1e3 * (time.perf_counter() - begin)
    print(", ".join([f"{name} {value:.3g}" for name, value in zip(NAMES, np.exp(found.x), strict=True)]))
    error = np.sqrt(np.mean(found.fun**2))
    print(f"errors of {100 * error:.0f} %, {found.njev} Jacobians, {elapsed_ms:.0f} ms")
    if args.plot is not None:
        draw(found.x, args.plot)


if __name__ == "__main__":
    main()

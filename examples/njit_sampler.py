"""Hamiltonian Monte Carlo inside ``@njit(parallel=True)``: chains side by side, with nbgrad's gradients and no Python.

    python examples/njit_sampler.py      a picture of the draws in out/sampler.png

The density is a banana: q0 is normal with variance 4, q1 normal around q0^2 / 4 with variance 1. Its means are 0 and 1,
its variances 4 and 3. Source: Neal 2011, "MCMC using Hamiltonian dynamics".
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np

import nbgrad.numba


def energy(q: Any) -> Any:
    """Minus the logarithm of the density."""
    return q[0] ** 2 / 8 + (q[1] - q[0] ** 2 / 4) ** 2 / 2


potential = nbgrad.numba.value_and_grad(energy, np.zeros(2))


@numba.njit(parallel=True)
def sample(chains: int, draws: int, step: float, leaps: int) -> Any:
    """Draws of each chain, (chains, draws, 2), and the share of proposals that were taken."""
    found, taken = np.empty((chains, draws, 2)), np.zeros(chains)
    for chain in numba.prange(chains):
        np.random.seed(chain)
        q, new, p, g = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
        for draw in range(draws):
            kinetic = 0.0
            for k in range(2):
                new[k], p[k] = q[k], np.random.standard_normal()
                kinetic += p[k] ** 2 / 2
            before = potential(new, out=g)[0] + kinetic
            after = before
            for _ in range(leaps):
                p -= step / 2 * g
                new += step * p
                after = potential(new, out=g)[0]
                p -= step / 2 * g
            after += (p * p).sum() / 2
            if np.random.random() < np.exp(before - after):
                q[:] = new
                taken[chain] += 1.0 / draws
            found[chain, draw] = q
    return found, taken.mean()


def draw(draws: Any, path: Path) -> None:
    """The draws, the path of one chain, and the density's lines."""
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 5))
    x, y = np.meshgrid(np.linspace(-7, 7, 200), np.linspace(-4, 12, 200))
    density = np.exp(-(x**2) / 8 - (y - x**2 / 4) ** 2 / 2)
    points = draws.reshape(-1, 2)[:: max(draws.size // 8000, 1)]
    axes.plot(*points.T, ".", markersize=1.5, alpha=0.5, label="draws of all chains")
    axes.plot(*draws[0, :30].T, linewidth=0.8, color="tab:red", label="30 draws of one chain")
    axes.contour(x, y, density, levels=5, colors="black", linewidths=0.6)
    axes.set(xlabel="q0", ylabel="q1", title="Hamiltonian Monte Carlo in @njit(parallel=True)")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture (out)")
    parser.add_argument("--draws", type=int, default=5000, help="draws of each of 8 chains (5000)")
    options = parser.parse_args(argv)
    sample(8, 1, 0.3, 12)  # compiled here
    start_s = time.perf_counter()
    draws, taken = sample(8, options.draws, 0.3, 12)
    elapsed_s = time.perf_counter() - start_s
    mean, variance = draws.mean((0, 1)), draws.var((0, 1))
    print(f"means {mean[0]:.2f} {mean[1]:.2f}, exactly 0 and 1; variances {variance[0]:.2f} {variance[1]:.2f}, 4 and 3")
    rate = draws.size // 2 * 13 / elapsed_s
    print(f"{100 * taken:.0f} % of proposals taken; {rate / 1e6:.1f} million gradients a second")
    draw(draws, options.out / "sampler.png")


if __name__ == "__main__":
    main()

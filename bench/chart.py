"""The figures as a picture: a row for each case, a mark for each contestant, time as a share of somebody's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bench.libraries import (
    AUTOGRAD,
    COMPILED,
    DRJIT,
    JAX,
    NBGRAD,
    NBGRAD_COMPILED,
    NBGRAD_NJIT,
    NUMBA,
    NUMPY,
    PRIMAL,
    TORCH,
    VECTORIZED,
)
from bench.measure import Timing
from bench.table import by_case

FILE, NUMBA_FILE = [Path(__file__).with_name(f"{name}.png") for name in ("results", "numba")]
MARKS = {
    NBGRAD: ("D", "tab:red"),
    NBGRAD_COMPILED: ("*", "tab:red"),
    NBGRAD_NJIT: ("P", "tab:red"),
    TORCH: ("|", "black"),
    COMPILED: ("s", "tab:orange"),
    JAX: ("o", "tab:blue"),
    AUTOGRAD: ("v", "tab:green"),
    NUMBA: ("^", "tab:purple"),
    NUMPY: ("<", "tab:brown"),
    DRJIT: ("X", "tab:cyan"),
    PRIMAL: ("2", "tab:gray"),
    VECTORIZED: ("1", "tab:gray"),
}
FLOOR, OTHER = ("x", "gray"), (".", "gray")


def draw(timings: Iterable[Timing], path: Path = FILE, unit: str = TORCH) -> None:
    """Write the picture, of times as shares of ``unit``'s; cases without it have nothing to share. Needs matplotlib, of
    the extra ``bench``."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    groups = [g for g in by_case(timings) if any(t.contestant == unit for t in g)]
    figure, axes = plt.subplots(figsize=(9, 1.4 + 0.42 * len(groups)), layout="constrained")
    known: set[str] = set()
    for row, group in enumerate(groups):
        whole = next(t.median_s for t in group if t.contestant == unit)
        for t in group:
            is_floor = t.contestant.startswith("floor")
            marker, color = FLOOR if is_floor else MARKS.get(t.contestant, OTHER)
            label = "floor" if is_floor else t.contestant if t.contestant in MARKS else "another"
            axes.plot(t.median_s / whole, row, marker, color=color, label="" if label in known else label)
            known.add(label)
    axes.set_yticks(range(len(groups)), [f"{g[0].case.name}\n{g[0].case.size}" for g in groups], fontsize=6)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel(f"time of a steady call, as a share of that of {unit} (less is better)")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(fontsize=7, loc="outside upper center", ncols=5)
    figure.savefig(path, dpi=130)
    plt.close(figure)

"""The word functions that Python calls, by the names that they have when they are compiled."""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.deferred import Deferred

RUNNER: Final = "runner"
BASELINE: Final = "baseline"

PLACES: Final = {
    RUNNER: {
        "nbgrad_run": "runner_kernels.run",
        "nbgrad_work": "pool_kernels.work",
        "nbgrad_mark_held": "held_kernels.mark_held",
        "nbgrad_all_as_noted": "held_kernels.all_as_noted",
        "nbgrad_turn": "blas_kernels.turn",
    },
    BASELINE: {"nbgrad_advance": "baseline.kernels.advance"},
}
FUNCTIONS: Final = {what: Deferred("nbgrad.runtime", places) for what, places in PLACES.items()}

"""Ordinary PyTorch scripts, which run on nbgrad with only the import changed.

Each is a file of ``bench/ports/`` with a function ``step``: a unit of work, which gives what is compared. nbgrad shall
not be slower than PyTorch in any.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

from bench.libraries import MODULES, NBGRAD, TORCH
from bench.measure import Case, Work

FOLDER: Final = Path(__file__).resolve().parents[1] / "ports"

# File: what it is, and how far the answers of two libraries may differ. Float32 sums of different order go through
# updates of the parameters; Adam divides by the size of a gradient, so a tiny one's rounding is seen.
SCRIPTS: Final = {
    "mlp": ("MLP with a DataLoader", 1e-5),
    "vae": ("VAE", 1e-5),
    "char_lstm": ("LSTM of characters", 1e-5),
    "gan": ("GAN", 1e-5),
    "pinn": ("PINN, second derivatives", 1e-5),
    "neural_ode": ("neural ODE, Runge-Kutta loop", 1e-5),
    "gaussian_process": ("Gaussian process, likelihood", 1e-9),
    "variational": ("variational inference", 0.1),  # draws of its own in each library
    "lbfgs": ("L-BFGS fit, strong Wolfe", 1e-8),
    "scipy_logistic": ("logistic regression by SciPy", 1e-8),
    "hmc": ("Hamiltonian Monte Carlo", 1e-9),
    "per_sample": ("gradients of each example", 1e-5),
    "maml": ("MAML, through an inner step", 1e-5),
    "hooks": ("hooks on modules and tensors", 1e-5),
    "mixed_precision": ("mixed precision, bfloat16", 5e-3),  # bfloat16 has 8 bits; products are rounded in other places
}


def text_for(contestant: str, script: str) -> str:
    """The script's text, for nbgrad with its import lines changed."""
    text = (FOLDER / f"{script}.py").read_text(encoding="utf-8")
    if MODULES[contestant] == "torch":
        return text
    text = re.sub(r"^import torch$", f"import {MODULES[contestant]} as torch", text, flags=re.MULTILINE)
    return re.sub(r"^(from|import) torch\b", rf"\1 {MODULES[contestant]}", text, flags=re.MULTILINE)


def step_of(contestant: str, script: str) -> Work:
    """Run the script up to its end; its ``step``."""
    module = ModuleType(script)
    exec(compile(text_for(contestant, script), FOLDER / f"{script}.py", "exec"), vars(module))
    step: Work = module.step
    return step


def cases(quick: bool) -> list[Case]:
    """A case for each script, always of the size that is written there."""
    return [
        Case(title, f"{script}.py", {n: partial(step_of, n, script) for n in (NBGRAD, TORCH)}, 1, rtol, {TORCH: 1.0})
        for script, (title, rtol) in SCRIPTS.items()
    ]

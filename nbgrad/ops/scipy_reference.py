"""References that need SciPy: only the interpreter and tests ask, and importing it takes as long as all of nbgrad."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erf, erfcx, erfinv, gammaln, ndtr, psi
from scipy.special import expit as _expit

__all__ = ["erf", "erfcx", "erfinv", "expit", "lgamma", "ndtr", "psi"]


def expit(x: Any) -> Any:
    """SciPy's, which has no complex numbers."""
    return 1 / (1 + np.exp(-x)) if np.iscomplexobj(x) else _expit(x)


def lgamma(x: Any) -> Any:
    """SciPy's, which is minus infinity at -infinity."""
    return np.where(x == -np.inf, -x, gammaln(x))

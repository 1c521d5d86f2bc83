"""References that need SciPy: only the interpreter and tests ask, and importing it takes as long as all of nbgrad."""

from __future__ import annotations

from scipy.special import erf, erfcx, erfinv, expit

__all__ = ["erf", "erfcx", "erfinv", "expit"]

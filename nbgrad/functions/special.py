"""Special functions of ``nbgrad`` and of tensors, made from their declarations."""

from __future__ import annotations

import nbgrad.calls.special  # noqa: F401  declares them
from nbgrad.calls.base import CALLS
from nbgrad.tensor.surface import found_at, function_of, inplace_of

_CALLS = [CALLS[name] for name in ("digamma", "i0", "igamma", "igammac", "lgamma", "mvlgamma", "polygamma")]
digamma, i0, igamma, igammac, lgamma, mvlgamma, polygamma = map(function_of, _CALLS)
found_at(polygamma, "nbgrad", "Tensor.polygamma")  # the function takes the order first
digamma_, i0_, igamma_, igammac_, lgamma_, mvlgamma_, polygamma_ = map(inplace_of, _CALLS)

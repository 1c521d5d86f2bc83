"""``scatter_reduce`` and ``index_reduce``, made from their declarations."""

from __future__ import annotations

import nbgrad.calls.scatter_reduce  # noqa: F401  declares them
from nbgrad.calls.base import CALLS
from nbgrad.tensor.surface import function_of, inplace_of

_CALLS = [CALLS[name] for name in ("index_reduce", "scatter_reduce")]
index_reduce, scatter_reduce = map(function_of, _CALLS)
index_reduce_, scatter_reduce_ = map(inplace_of, _CALLS)

"""Calls of functions that the user compiled with Numba; ``nbgrad.operator`` makes them."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import call, common_dtype
from nbgrad.graph.node import Node, apply
from nbgrad.ops.compare import cast_to


@call("native", function=False)
def native(tensors: tuple[Node, ...], function: Any) -> Node:
    """All results of ``function``, as ``ops/native.py`` packs them; floating operands get their common dtype."""
    floats = [x for x in tensors if x.spec.dtype.is_floating_point]
    dtype = common_dtype(*floats) if floats else None
    given = [cast_to(x, dtype) if dtype is not None and x.spec.dtype.is_floating_point else x for x in tensors]
    specs = tuple([x.spec for x in given])
    results = function.results(specs)
    function.address(specs, results)  # what Numba refuses is refused here
    return apply("native", *given, params=(function, results))

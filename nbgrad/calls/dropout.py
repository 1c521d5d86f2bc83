"""Elements left out at random, by the same counter-based numbers as ``rand``."""

from __future__ import annotations

from nbgrad.calls.base import call, require_floating
from nbgrad.calls.creation import uniform_of
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to


@call("dropout_of", function=False, grad_fn="Mul")
def dropout_of(input: Node, seed: Node, stream: Node, keep: Node, *, shape: Shape) -> Node:
    """input * mask / keep; the mask has ``shape``, is 1 with probability ``keep``, and broadcasts over input."""
    x = require_floating("dropout", input)
    dtype = x.spec.dtype
    kept = cast_to(keep, dtype)
    mask = apply("lt", uniform_of(seed, stream, shape, dtype), kept)
    scaled = apply("where", mask, const(1, dtype) / kept, const(0, dtype))
    return x * expand_to(scaled, x.spec.shape)

"""Windows of images as columns."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import call
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Shape
from nbgrad.ops.view import reshape_to
from nbgrad.ops.window import padded, windows


@call("im2col", function=False, shown="unfold", grad_fn="Im2Col")
def im2col(input: Node, *, size: Shape, apart: Shape, step: Shape, padding: Shape) -> Node:
    """``nn.functional.unfold`` with checked arguments."""
    lead = input.spec.shape[:-2]
    around = [*[(0, 0)] * len(lead), *[(p, p) for p in padding]]
    seen = windows(padded(apply("flat", input), around), size, step, apart)
    n = len(lead)
    columns = apply("permute", seen, params=((*range(n), n + 2, n + 3, n, n + 1),))
    return reshape_to(columns, (*lead[:-1], lead[-1] * prod(size), prod(seen.spec.shape[n : n + 2])))

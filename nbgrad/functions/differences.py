"""Derivatives of samples: gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.calls.arguments import float_of, int_of, ints_of
from nbgrad.calls.base import CALLS, all_dims, one_dim
from nbgrad.calls.numpy_names import numpy_names
from nbgrad.errors import RunError, ShapeError
from nbgrad.tensor import Tensor
from nbgrad.trace import record, tensor_of


@numpy_names
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative of samples along each of ``dim`` (all dims for None), by differences to both sides: of second
    order inside, of ``edge_order`` (1 or 2) at the edges.

    ``spacing`` is the distance of samples, one for each dim, or a list of vectors with their places along each.
    RuntimeError for other numbers of them, and for fewer than ``edge_order + 1`` samples.

    >>> nbgrad.gradient(nbgrad.tensor([1.0, 2.0, 4.0, 8.0]))
    (tensor([1.0000, 1.5000, 3.0000, 4.0000]),)
    """
    x: Any = tensor_of("gradient", "input", input)
    order = int_of("gradient", "edge_order", edge_order)
    if order not in (1, 2):
        raise RunError("gradient only supports edge_order=1 and edge_order=2.")
    given = tuple(range(x.dim())) if dim is None else ints_of("gradient", "dim", dim)
    all_dims("gradient", given, x.dim())  # none twice
    dims = [one_dim("gradient", d, x.dim()) for d in given]
    spacing = 1 if spacing is None else spacing
    steps = list(spacing) if isinstance(spacing, Sequence) else [spacing] * len(dims)
    if len(steps) != len(dims):
        raise RunError(f"gradient expected a spacing for each of {len(dims)} dims, but got {len(steps)}")
    x = x if x.dtype.is_inexact else x.float()
    return tuple([_along(x, d, step, order) for d, step in zip(dims, steps, strict=True)])


def _along(x: Any, d: int, step: Any, order: int) -> Tensor:
    n = x.shape[d]
    if n < order + 1:
        raise RunError("gradient expected each dimension size to be at least edge_order+1")
    if isinstance(step, Tensor) and step.dim():
        if step.shape != (n,):
            raise ShapeError(f"gradient expected {n} places along dim {d}, but got shape {list(step.shape)}")
        places: Any = step.reshape([n if k == d else 1 for k in range(x.dim())])
        widths = places.narrow(d, 1, n - 1) - places.narrow(d, 0, n - 1)
    else:
        even = float_of("gradient", "spacing", step)
        widths = x.new_full([n - 1 if k == d else 1 for k in range(x.dim())], even)
    slopes = (x.narrow(d, 1, n - 1) - x.narrow(d, 0, n - 1)) / widths
    parts = [slopes.narrow(d, 0, 1), slopes.narrow(d, n - 2, 1)]
    if n > 2:
        before, after = widths.narrow(d, 0, n - 2), widths.narrow(d, 1, n - 2)
        left, right = slopes.narrow(d, 0, n - 2), slopes.narrow(d, 1, n - 2)
        inside = (left * after + right * before) / (before + after)
        if order == 2:  # the parabola through the three samples at the edge
            bends = (right - left) / (before + after)
            parts[0] = parts[0] - (bends * before).narrow(d, 0, 1)
            parts[1] = parts[1] + (bends * after).narrow(d, n - 3, 1)
        parts.insert(1, inside)
    return record(CALLS["cat"], tuple(parts), (d,))  # type: ignore[no-any-return]

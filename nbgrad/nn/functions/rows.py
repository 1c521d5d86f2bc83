"""What few tables of vectors need: rows of a bounded norm, gradients by how often a row is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.autograd import Function, no_grad
from nbgrad.calls.arguments import float_of
from nbgrad.errors import ShapeError
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


def of_rows(
    look_up: Callable[..., Tensor],
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
) -> Tensor:
    """Rows of ``weight``; see ``functional.embedding``."""
    index: Any = tensor_of("embedding", "input", input)
    table: Any = tensor_of("embedding", "weight", weight)
    if table.dim() != 2:
        raise ShapeError(f"embedding: 'weight' must be 2-D, got shape {list(table.shape)}")
    if max_norm is not None and index.numel():
        _bound(table, index, float_of("embedding", "max_norm", max_norm), float_of("embedding", "norm_type", norm_type))
    rows = look_up(index, table, padding_idx)
    if not scale_grad_by_freq or not index.numel():
        return rows
    with no_grad():
        flat = index.reshape(-1).long()
        often = table.new_zeros(table.shape[0]).index_add(0, flat, table.new_ones(flat.numel()))
        share = often.reciprocal()[flat].reshape(*index.shape, 1)
    scaled: Tensor = _Scaled.apply(rows, share)
    return scaled


def _bound(table: Any, index: Any, most: float, order: float) -> None:
    """Scale rows down whose norm is above ``most``."""
    with no_grad():
        places = index.reshape(-1).unique()
        rows = table[places]
        norms = rows.norm(order, 1, keepdim=True)
        table[places] = rows * (most / (norms + 1e-7)).where(norms > most, 1.0)


class _Scaled(Function):
    """Rows as they are; their gradients times a factor."""

    @staticmethod
    def forward(ctx: Any, rows: Any, share: Any) -> Any:
        ctx.save_for_backward(share)
        return rows.view_as(rows)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (share,) = ctx.saved_tensors
        return grad * share, None

"""Sums, means and maxima of rows of a table."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import flag_of, int_of, word_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, RunError, ShapeError
from nbgrad.functions.creation import zeros
from nbgrad.functions.ramps import arange
from nbgrad.nn import functional
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import tensor_of

_searchsorted = function_of(CALLS["searchsorted"])
_MODES = ("sum", "mean", "max")


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The "sum", "mean" or "max" (``mode``) of rows of ``weight`` (rows, width): a bag is a row of ``input`` (bags, n),
    or what of ``input`` (n) begins at one of ``offsets`` (bags), whose last one is the end of the last bag with
    ``include_last_offset``. Gives (bags, width); an empty bag gives zeros.

    ``per_sample_weights`` multiply rows in mode "sum" (NotImplementedError in others). Rows ``padding_idx`` count as
    not there. ``max_norm`` and ``scale_grad_by_freq`` as in ``embedding``; ``sparse`` changes nothing.

    >>> table = nbgrad.tensor([[1.0], [2.0], [4.0]])
    >>> nbgrad.nn.functional.embedding_bag(nbgrad.tensor([0, 1, 2]), table, nbgrad.tensor([0, 1]))
    tensor([[1.],
            [3.]])
    """
    name = "embedding_bag"
    index: Any = tensor_of(name, "input", input)
    table: Any = tensor_of(name, "weight", weight)
    if word_of(name, "mode", mode) not in _MODES:
        raise ArgumentError("mode has to be one of sum, mean or max")
    if table.dim() != 2:
        raise ShapeError(f"{name}: weight has to be a 2D Tensor, but got Tensor of dimension {table.dim()}")
    scores: Any = per_sample_weights
    if scores is not None:
        _check_scores(name, index, scores, mode)
    if scale_grad_by_freq and mode == "max":
        raise RunError(f"{name}: scale_grad_by_freq was not supported with max mode")
    starts: Any = _starts(name, index, offsets, flag_of(name, "include_last_offset", include_last_offset))
    width, is_even = table.shape[1], index.dim() == 2
    length = index.shape[-1]
    index = index.reshape(-1)
    padding = None if padding_idx is None else int_of(name, "padding_idx", padding_idx)
    rows: Any = functional.embedding(index, table, padding, max_norm, norm_type, scale_grad_by_freq)
    if scores is not None:
        rows = rows * scores.reshape(-1, 1)
    kept = None if padding is None else index != padding % table.shape[0]
    if kept is not None:
        rows = rows.where(kept.unsqueeze(1), rows.new_zeros(()))
    n, bags = index.numel(), starts.numel()
    if mode == "max":
        return _maxima(rows, starts, kept)  # type: ignore[no-any-return]
    if is_even and kept is None:  # bags are rows: sums of a loop
        total = rows.reshape(bags, length, width).sum(1)
        return total if mode == "sum" else total / max(length, 1)  # type: ignore[no-any-return]
    ones = rows.new_ones(n) if kept is None else kept.to(rows.dtype)
    if is_even:
        total, counts = rows.reshape(bags, length, width).sum(1), ones.reshape(bags, length).sum(1)
    else:
        bag: Any = _searchsorted(starts, arange(n, dtype=starts.dtype, device=index.device), right=True) - 1
        zero: Any = zeros(bags, width, dtype=rows.dtype, device=rows.device)
        total, counts = zero.index_add(0, bag, rows), zero.new_zeros(bags).index_add(0, bag, ones)
    return total if mode == "sum" else total / counts.clamp(min=1).unsqueeze(1)  # type: ignore[no-any-return]


def _check_scores(name: str, index: Any, scores: Any, mode: str) -> None:
    tensor_of(name, "per_sample_weights", scores)
    if tuple(scores.shape) != tuple(index.shape):
        raise ArgumentError(
            f"{name}: If per_sample_weights ({list(scores.shape)}) is not None, then it must have the same shape as "
            f"the input ({list(index.shape)})"
        )
    if mode != "sum":
        raise ModeError(f"{name}: per_sample_weights was not None, which mode='sum' alone takes: got mode='{mode}'")


class ModeError(ArgumentError, NotImplementedError):
    """What is there for another mode alone (PyTorch: NotImplementedError)."""


def _starts(name: str, index: Any, offsets: Any, include_last: bool) -> Any:
    """Where each bag begins among the elements of the input."""
    if index.dtype.is_floating_point:
        raise DTypeError(f"{name}: expected an input of integers, got {index.dtype.name}")
    if index.dim() == 2:
        if offsets is not None:
            raise ArgumentError(f"{name}: if input is 2D, then offsets has to be None: its rows are the bags")
        return arange(index.shape[0], device=index.device) * index.shape[1]
    if index.dim() != 1:
        raise ArgumentError(f"{name}: input has to be 1D or 2D Tensor, but got Tensor of dimension {index.dim()}")
    if offsets is None:
        raise ArgumentError("offsets has to be a 1D Tensor but got None")
    given = tensor_of(name, "offsets", offsets)
    if given.dim() != 1:
        raise ArgumentError(f"offsets has to be a 1D Tensor, but got {given.dim()}D")
    places = given.tolist()
    if include_last and not places:
        raise RunError(f"{name}: include_last_offset: number of offset should be at least 1")
    if places and (places[0] != 0 or max(places) > index.numel()):
        raise RunError(
            f"{name}: offsets[0] has to be 0, and none greater than the input's length {index.numel()}, got {places}"
        )
    return given[:-1] if include_last else given


def _maxima(rows: Any, starts: Any, kept: Any) -> Any:
    """The largest of the rows of each bag, column by column: the bags laid out side by side."""
    n, width = rows.shape
    ends = [*starts.tolist()[1:], n]
    lengths = [end - start for start, end in zip(starts.tolist(), ends, strict=True)]
    longest = max([0, *lengths])
    if not longest:
        return rows.new_zeros(len(lengths), width) + rows.sum() * 0
    place = arange(longest, device=rows.device)
    own = place < starts.new_tensor(lengths).unsqueeze(1)
    at = (starts.unsqueeze(1) + place).clamp(max=n - 1)
    own = own if kept is None else own & kept[at]
    wide = rows[at].where(own.unsqueeze(2), rows.new_full((), -float("inf")))
    best = wide.max(1).values
    return best.where(own.any(1).unsqueeze(1), best.new_zeros(()))

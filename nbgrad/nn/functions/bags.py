"""Sums, means and maxima of rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.calls.arguments import flag_of, int_of, word_of
from nbgrad.errors import ArgumentError, DTypeError, RunError, ShapeError
from nbgrad.functions.creation import tensor
from nbgrad.nn import functional
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of

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
    starts = _starts(name, index, offsets, flag_of(name, "include_last_offset", include_last_offset))
    shape = _even(starts, index.numel()) if index.dim() == 1 else tuple(index.shape)
    index = index.reshape(-1)
    padding = None if padding_idx is None else int_of(name, "padding_idx", padding_idx)
    rows: Any = functional.embedding(index, table, padding, max_norm, norm_type, scale_grad_by_freq)
    if scores is not None:
        rows = rows * scores.reshape(-1, 1)
    kept = None if padding is None else index != padding % table.shape[0]
    if kept is not None:
        rows = rows.where(kept.unsqueeze(1), rows.new_zeros(()))
    if mode == "max":
        return _maxima(rows, starts, shape, kept)  # type: ignore[no-any-return]
    if shape is not None:  # bags are rows: sums of a loop
        added: Any = lambda x: x.reshape(*shape, *x.shape[1:]).sum(1)  # noqa: E731
        counts: Any = max(shape[1], 1)
    else:
        lengths = np.diff(starts, append=index.numel())
        bag = tensor(np.repeat(np.arange(len(lengths)), lengths), device=index.device)
        added = lambda x: x.new_zeros(len(lengths), *x.shape[1:]).index_add(0, bag, x)  # noqa: E731
        counts = rows.new_tensor(np.maximum(lengths, 1)).unsqueeze(1)
    if mode == "sum":
        return added(rows)  # type: ignore[no-any-return]
    if kept is not None:
        counts = added(kept.to(rows.dtype)).clamp(min=1).unsqueeze(1)
    return added(rows) / counts  # type: ignore[no-any-return]


def _even(starts: np.ndarray, n: int) -> tuple[int, int] | None:
    """(bags, length) where all bags have the same length."""
    bags = len(starts)
    length = n // max(bags, 1)
    return (bags, length) if n == bags * length and (starts == np.arange(bags) * length).all() else None


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


def _starts(name: str, index: Any, offsets: Any, include_last: bool) -> np.ndarray:
    """Where each bag begins among the elements of the input, if that is 1-d."""
    if index.dtype.is_floating_point:
        raise DTypeError(f"{name}: expected an input of integers, got {index.dtype.name}")
    if index.dim() == 2:
        if offsets is not None:
            raise ArgumentError(f"{name}: if input is 2D, then offsets has to be None: its rows are the bags")
        return np.arange(0)
    if index.dim() != 1:
        raise ArgumentError(f"{name}: input has to be 1D or 2D Tensor, but got Tensor of dimension {index.dim()}")
    if offsets is None:
        raise ArgumentError("offsets has to be a 1D Tensor but got None")
    given = tensor_of(name, "offsets", offsets)
    if given.dim() != 1:
        raise ArgumentError(f"offsets has to be a 1D Tensor, but got {given.dim()}D")
    places: np.ndarray = given.detach().cpu().numpy()
    if include_last and not places.size:
        raise RunError(f"{name}: include_last_offset: number of offset should be at least 1")
    if places.size and (places[0] != 0 or places.max() > index.numel()):
        raise RunError(
            f"{name}: offsets[0] has to be 0, and none greater than the input's length {index.numel()}, got "
            f"{places.tolist()}"
        )
    return places[:-1] if include_last else places


def _maxima(rows: Any, starts: np.ndarray, shape: tuple[int, int] | None, kept: Any) -> Any:
    """The largest of the rows of each bag, column by column: the bags laid out side by side."""
    n, width = rows.shape
    lengths = np.full(*shape) if shape is not None else np.diff(starts, append=n)
    longest = int(lengths.max(initial=0))
    if not longest:
        return rows.new_zeros(len(lengths), width) + rows.sum() * 0
    if shape is not None:
        own, wide = kept if kept is None else kept.reshape(shape), rows.reshape(*shape, width)
    else:
        place = np.arange(longest)
        at = tensor((starts[:, None] + place).clip(max=n - 1), device=rows.device)
        own, wide = tensor(place < lengths[:, None], device=rows.device), rows[at]
        own = own if kept is None else own & kept[at]
    if own is None:
        return wide.max(1).values
    best = wide.where(own.unsqueeze(2), rows.new_full((), -float("inf"))).max(1).values
    return best.where(own.any(1).unsqueeze(1), best.new_zeros(()))

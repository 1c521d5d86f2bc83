"""Connectionist temporal classification: the loss of a sequence of labels against a longer one of predictions."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.arguments import flag_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.calls.ctc import NEVER
from nbgrad.errors import ArgumentError, DTypeError, RunError, ShapeError
from nbgrad.functions.creation import tensor
from nbgrad.graph.dtypes import int64
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import record, tensor_of

_cat = function_of(CALLS["cat"])
_pad = function_of(CALLS["pad"])


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """-log of the probability of all ways to spread the labels ``targets`` over the steps, with ``blank`` between.

    Shapes: log_probs (T, N, C) or (T, C), logarithms of probabilities; targets (N, S), or one after the other in one
    dim; lengths (N), tensors or tuples, or numbers for (T, C). "mean" divides each loss by its target's length first.
    With ``zero_infinity`` targets that do not fit count 0 instead of infinity.

    The derivative is the loss's own; PyTorch's by ``log_probs`` also has exp(log_probs), which makes no difference
    behind a ``log_softmax``. Source: Graves et al. 2006, "Connectionist temporal classification".

    >>> p = nbgrad.full((3, 1, 2), 0.5).log()
    >>> nbgrad.nn.functional.ctc_loss(p, nbgrad.tensor([[1]]), (3,), (1,)).exp()
    tensor(1.3333)
    """
    name = "ctc_loss"
    scores: Any = tensor_of(name, "log_probs", log_probs)
    labels: Any = tensor_of(name, "targets", targets)
    if reduction not in ("none", "mean", "sum"):
        raise ArgumentError(f"{reduction} is not a valid value for reduction")
    if not scores.dtype.is_floating_point or labels.dtype.is_floating_point:
        raise DTypeError(f"{name}: expected floating log_probs and integer targets")
    if scores.dim() not in (2, 3):
        raise ShapeError(f"{name}: expected log_probs of 2 or 3 dims, got {list(scores.shape)}")
    alone = scores.dim() == 2
    if alone:
        scores, labels = scores.unsqueeze(1), labels.reshape(1, -1)
    steps, count, classes = scores.shape
    if not 0 <= int_of(name, "blank", blank) < classes:
        raise RunError(f"{name}: blank must be in label range")
    times, sizes = [
        _lengths(name, k, v, count) for k, v in (("input_lengths", input_lengths), ("target_lengths", target_lengths))
    ]
    if times and max(times) > steps:
        raise RunError(f"{name}: Expected input_lengths to have value at most {steps}, but got value {max(times)}")
    side_by_side = _side_by_side(name, labels, sizes, blank).to(int64)
    numbers = [tensor(n, dtype=int64, device=scores.device) for n in (times, sizes)]
    losses: Any = record(CALLS["ctc_losses"], (scores, side_by_side, *numbers), (blank,))
    if flag_of(name, "zero_infinity", zero_infinity):
        losses = losses.where(losses < -NEVER / 2, losses.new_zeros(()))
    else:
        losses = losses.where(losses < -NEVER / 2, losses.new_full((), float("inf")))
    if reduction == "mean":
        return (losses / tensor([max(n, 1) for n in sizes], dtype=losses.dtype, device=losses.device)).mean()  # type: ignore[no-any-return]
    if reduction == "sum":
        return losses.sum()  # type: ignore[no-any-return]
    return losses.squeeze(0) if alone else losses  # type: ignore[no-any-return]


def _lengths(name: str, argument: str, given: Any, count: int) -> list[int]:
    """The lengths, one for each sequence."""
    found = given.tolist() if isinstance(given, Tensor) else given
    values = [found] if not isinstance(found, (list, tuple)) else list(found)
    if len(values) != count:
        raise RunError(f"{name}: {argument} must be of size {count}, got {len(values)}")
    values = [int_of(name, argument, n) for n in values]
    if min(values, default=0) < 0:
        raise RunError(f"{name}: {argument} must not be negative, got {min(values)}")
    return values


def _side_by_side(name: str, labels: Any, sizes: list[int], blank: int) -> Any:
    """Labels as (N, the longest), blanks after the end."""
    longest = max(sizes, default=0)
    if labels.dim() == 2:
        if labels.shape[0] != len(sizes) or labels.shape[1] < longest:
            raise RunError(f"{name}: expected targets of at least {[len(sizes), longest]}, got {list(labels.shape)}")
        return labels[:, :longest]
    if labels.dim() != 1 or labels.shape[0] != sum(sizes):
        raise RunError(f"{name}: expected {sum(sizes)} targets one after the other, got {list(labels.shape)}")
    parts = labels.split(sizes)
    return _cat([_pad(p, (0, longest - n), value=blank).unsqueeze(0) for p, n in zip(parts, sizes, strict=True)])

"""Losses of few programs: of normal distributions, of margins between classes, of triplets by any distance."""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi, prod
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import float_of, function_of, int_of, older_reduction
from nbgrad.errors import ArgumentError, DTypeError, RunError, ShapeError
from nbgrad.functions.ramps import arange
from nbgrad.nn import functional
from nbgrad.tensor import Tensor
from nbgrad.trace import tensor_of


def put_together(losses: Any, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> Any:
    """The elements' losses as ``reduction`` says, or PyTorch's older arguments."""
    reduction = older_reduction(size_average, reduce, reduction)
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ArgumentError(f"{reduction} is not a valid value for reduction")
    return losses.mean() if reduction == "mean" else losses.sum()


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """(log(var) + (input - target)^2 / var) / 2: targets are normal with mean ``input`` and variance ``var``.

    ``var`` has the shape of ``input``, or lacks its last dim, or has size 1 in one dim, or is a number; it counts as
    at least ``eps``, which no derivative sees. ``full`` adds log(2 pi) / 2. ValueError for negative variances.

    >>> nbgrad.nn.functional.gaussian_nll_loss(nbgrad.tensor([1.0]), nbgrad.tensor([3.0]), nbgrad.tensor([1.0]))
    tensor(2.)
    """
    name = "gaussian_nll_loss"
    x: Any = tensor_of(name, "input", input)
    y, floor = tensor_of(name, "target", target), float_of(name, "eps", eps)
    if isinstance(var, (int, float)) and not isinstance(var, bool):
        if var < 0:
            raise ArgumentError("var has negative entry/entries")
        spread = x.new_full(x.shape, var)
    else:
        spread = tensor_of(name, "var", var)
        if bool((spread < 0).any()):
            raise ArgumentError("var has negative entry/entries")
    if tuple(spread.shape) != tuple(x.shape):
        if tuple(x.shape[:-1]) == tuple(spread.shape):
            spread = spread.unsqueeze(-1)
        elif spread.dim() != x.dim() or [n for n, m in zip(spread.shape, x.shape, strict=True) if n != m] != [1]:
            raise ArgumentError(f"var is of incorrect size: {list(spread.shape)} for an input of {list(x.shape)}")
    if reduction not in ("none", "mean", "sum"):
        raise ArgumentError(f"{reduction} is not valid")
    with no_grad():
        short = (floor - spread).relu()
    spread = spread + short
    losses = (spread.log() + (x - y).square() / spread) * 0.5
    return put_together(losses + 0.5 * log(2 * pi) if full else losses, reduction)  # type: ignore[no-any-return]


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over all other classes i of max(0, margin - x[y] + x[i])^p, times the ``weight`` of class y.

    Shapes: input (N, C), (C) or (), target (N) or (). ``p`` is 1 or 2 (ValueError).

    >>> nbgrad.nn.functional.multi_margin_loss(nbgrad.tensor([[0.5, 1.0, 0.0]]), nbgrad.tensor([0]))
    tensor(0.6667)
    """
    name = "multi_margin_loss"
    x: Any = tensor_of(name, "input", input)
    y: Any = tensor_of(name, "target", target)
    power, room = int_of(name, "p", p), float_of(name, "margin", margin)
    if power not in (1, 2):
        raise ArgumentError("only p == 1 and p == 2 supported")
    if x.dim() == 0:
        x = x.reshape(1)
    if x.dim() not in (1, 2) or tuple(y.shape) not in (tuple(x.shape[:-1]), *([(1,)] if x.dim() == 1 else [])):
        raise ShapeError(f"{name}: inconsistent target size: {list(y.shape)} for an input of {list(x.shape)}")
    if y.dtype.is_floating_point:
        raise DTypeError(f"{name}: expected a target of class numbers, got {y.dtype.name}")
    if weight is not None and (weight.dim() != 1 or weight.numel() != x.shape[-1]):
        raise ArgumentError(f"weight must be one-dimensional and have {x.shape[-1]} elements")
    rows, classes = x.reshape(-1, x.shape[-1]), y.reshape(-1, 1)
    over = (room - rows.gather(1, classes) + rows).relu()
    over = over if power == 1 else over * over
    if weight is not None:
        over = over * weight[classes.squeeze(1)].unsqueeze(1)
    others = arange(x.shape[-1], device=x.device) != classes
    losses = over.where(others, over * 0).sum(1) / x.shape[-1]
    return put_together(losses.reshape(x.shape[:-1]), reduction, size_average, reduce)  # type: ignore[no-any-return]


def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over the target classes j and all other classes i of max(0, 1 - x[j] + x[i]), by the number of classes.

    Shapes: input (N, C), (C) or (); the target has the same, class numbers up to the first -1.

    >>> x, y = nbgrad.tensor([[0.1, 0.2, 0.4, 0.8]]), nbgrad.tensor([[3, 0, -1, 1]])
    >>> nbgrad.nn.functional.multilabel_margin_loss(x, y)
    tensor(0.8500)
    """
    name = "multilabel_margin_loss"
    x: Any = tensor_of(name, "input", input)
    y: Any = tensor_of(name, "target", target)
    if x.dim() == 0:
        x, y = x.reshape(1), y.reshape(-1) if y.numel() == 1 else y
    if x.dim() not in (1, 2) or tuple(x.shape) != tuple(y.shape):
        raise ShapeError(f"{name}: inconsistent target size: {list(y.shape)} for an input of {list(x.shape)}")
    if y.dtype.is_floating_point:
        raise DTypeError(f"{name}: expected a target of class numbers, got {y.dtype.name}")
    rows, n = x.reshape(-1, x.shape[-1]), x.shape[-1]
    with no_grad():
        given = y.reshape(-1, n)
        counts = (given < 0).long().cumsum(1) == 0
        classes = given.where(counts, given * 0)
        own = counts.new_zeros(rows.shape[0], n, dtype=rows.dtype).scatter_add(1, classes, counts.to(rows.dtype)) > 0
        pairs = counts.unsqueeze(2) & ~own.unsqueeze(1)
    over = (1.0 - rows.gather(1, classes).unsqueeze(2) + rows.unsqueeze(1)).relu()
    losses = over.where(pairs, over * 0).sum((1, 2)) / n
    return put_together(losses.reshape(x.shape[:-1]), reduction, size_average, reduce)  # type: ignore[no-any-return]


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, distance to ``positive`` - distance to ``negative`` + margin) by any ``distance_function``, which is
    ``pairwise_distance`` for None; with ``swap`` the distance from ``positive`` to ``negative`` counts where smaller.

    >>> far = lambda a, b: (a - b).abs().sum(-1)
    >>> a, p, n = nbgrad.zeros(1, 2), nbgrad.ones(1, 2), nbgrad.zeros(1, 2)
    >>> nbgrad.nn.functional.triplet_margin_with_distance_loss(a, p, n, distance_function=far)
    tensor(3.)
    """
    name = "triplet_margin_with_distance_loss"
    a, p, n = [tensor_of(name, k, x) for k, x in (("anchor", anchor), ("positive", positive), ("negative", negative))]
    if float_of(name, "margin", margin) <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    if not a.dim() == p.dim() == n.dim():
        raise ShapeError(
            f"The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a.dim()}D, positive {p.dim()}D, and negative {n.dim()}D inputs"
        )
    far = functional.pairwise_distance if distance_function is None else distance_function
    function_of(name, "distance_function", far)
    near, away = far(a, p), far(a, n)
    if swap:
        away = away.minimum(far(p, n))
    return put_together((near - away + margin).relu(), reduction)  # type: ignore[no-any-return]


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """``cross_entropy`` of ``linear(input, linear_weight, linear_bias)``. Shapes: input (N, in) or (in), linear_weight
    (C, in) or (C, d1, ..., in), which gives scores (N, C, d1, ...). ``options`` change nothing.

    >>> x, w = nbgrad.zeros(1, 2), nbgrad.ones(4, 2)
    >>> nbgrad.nn.functional.linear_cross_entropy(x, w, nbgrad.tensor([3]))
    tensor(1.3863)
    """
    name = "linear_cross_entropy"
    x, w = tensor_of(name, "input", input), tensor_of(name, "linear_weight", linear_weight)
    *out, width = w.shape
    if not out or (len(out) > 1 and x.dim() != 2):
        raise ShapeError(f"{name}: got an input of {list(x.shape)} for a linear_weight of {list(w.shape)}")
    if ignore_index is not None and target.dtype.is_floating_point:
        raise RunError(f"{name}: ignore_index cannot be specified when target contains probabilities")
    bias = None if linear_bias is None else linear_bias.reshape(prod(out))
    scores: Any = functional.linear(x, w.reshape(prod(out), width), bias)
    return functional.cross_entropy(
        scores.reshape(*x.shape[:-1], *out),
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )

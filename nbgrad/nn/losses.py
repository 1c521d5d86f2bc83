"""Loss functions over tensors. Formulas and conventions are those of PyTorch's documentation of the same names."""

from __future__ import annotations

import warnings

from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.graph.dtypes import bool_, int64
from nbgrad.tensor import Tensor


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """(input - target)^2, averaged, summed, or element by element with ``reduction="none"``."""
    _warn_if_broadcast("mse_loss", input, target)
    difference = input - target
    return _reduced(difference * difference, reduction)


def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """|input - target|, averaged, summed, or element by element with ``reduction="none"``."""
    _warn_if_broadcast("l1_loss", input, target)
    return _reduced((input - target).abs(), reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input) at the target class; input holds unnormalised scores.

    Shapes: input (C), (N, C) or (N, C, d...). Target: integer classes of input's shape without C, or probabilities of
    input's shape. ``weight`` (C) rescales classes. Targets equal to ``ignore_index`` count neither in the sum nor in
    the mean. ``label_smoothing`` in [0, 1] mixes the target with the uniform distribution.
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise ArgumentError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    axis = _class_axis("cross_entropy", input)
    _check_weight("cross_entropy", weight, input.shape[axis])
    if tuple(input.shape) == tuple(target.shape):
        return _soft_cross_entropy(input, target, weight, axis, reduction, label_smoothing)
    log_p = input.log_softmax(axis)
    if label_smoothing == 0.0:
        return nll_loss(log_p, target, weight, ignore_index=ignore_index, reduction=reduction)
    return _smooth_cross_entropy(log_p, target, weight, axis, ignore_index, reduction, label_smoothing)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """-input at the target class; input holds log-probabilities, shapes as in ``cross_entropy``.

    With ``weight`` the mean is the weighted one: divided by the sum of the weights of the targets.
    """
    axis = _class_axis("nll_loss", input)
    _check_weight("nll_loss", weight, input.shape[axis])
    loss, scale = _picked(input, target, weight, axis, ignore_index)
    if reduction == "mean":
        return loss.sum() / scale.sum()
    return _reduced(loss, reduction)


def _picked(
    log_p: Tensor, target: Tensor, weight: Tensor | None, axis: int, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """Per target: (-weight * log_p at its class, its weight), both 0 where it is ignored."""
    counted, index = _classes(log_p, target, axis, ignore_index)
    picked = log_p.gather(axis, index.unsqueeze(axis)).squeeze(axis)
    if weight is None:
        return (-picked).where(counted, 0.0), counted.to(log_p.dtype)
    scale = weight[index].where(counted, 0.0)
    return (-picked * scale).where(counted, 0.0), scale


def _classes(log_p: Tensor, target: Tensor, axis: int, ignore_index: int) -> tuple[Tensor, Tensor]:
    """(which targets count, target with a valid class in place of the ignored ones)."""
    if target.dtype.is_floating_point or target.dtype is bool_:
        raise DTypeError(
            f"class targets must be integers, got {target.dtype!r}; "
            "probabilities need the shape of the input, class indices its shape without the class axis"
        )
    expected = tuple(log_p.shape[:axis]) + tuple(log_p.shape[axis + 1 :])
    if tuple(target.shape) != expected:
        if target.dim() and log_p.dim() > 1 and target.shape[0] != log_p.shape[0]:
            raise ArgumentError(
                f"Expected input batch_size ({log_p.shape[0]}) to match target batch_size ({target.shape[0]})."
            )
        raise ShapeError(f"Expected target size {list(expected)}, got {list(target.shape)}")
    target = target.to(int64)
    counted = target != ignore_index
    return counted, target.where(counted, 0)


def _smooth_cross_entropy(
    log_p: Tensor,
    target: Tensor,
    weight: Tensor | None,
    axis: int,
    ignore_index: int,
    reduction: str,
    smoothing: float,
) -> Tensor:
    """(1 - s) * loss of the class + s / C * loss of all classes; each is averaged over the same targets' weights."""
    loss, scale = _picked(log_p, target, weight, axis, ignore_index)
    counted, _ = _classes(log_p, target, axis, ignore_index)
    spread = -(log_p if weight is None else log_p * _along(weight, axis, log_p.dim())).sum(axis)
    total = loss * (1.0 - smoothing) + spread.where(counted, 0.0) * (smoothing / log_p.shape[axis])
    if reduction == "mean":
        return total.sum() / scale.sum()
    return _reduced(total, reduction)


def _soft_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, axis: int, reduction: str, smoothing: float
) -> Tensor:
    """-sum over classes of weight * target * log softmax(input); the mean is over samples, not weights."""
    if not target.dtype.is_floating_point:
        raise DTypeError(f"Expected floating point type for target with class probabilities, got {target.dtype!r}")
    classes = input.shape[axis]
    if smoothing > 0.0:
        target = target * (1.0 - smoothing) + smoothing / classes
    terms = input.log_softmax(axis) * target
    if weight is not None:
        terms = terms * _along(weight, axis, input.dim())
    loss = -terms.sum(axis)
    if reduction == "mean":
        return loss.sum() / (input.numel() // max(classes, 1))
    return _reduced(loss, reduction)


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    if reduction == "none":
        return loss
    raise ArgumentError(f"{reduction} is not a valid value for reduction: it is 'mean', 'sum' or 'none'")


def _class_axis(name: str, input: Tensor) -> int:
    if input.dim() == 0:
        raise ShapeError(f"{name}: input must have shape (C), (N, C) or (N, C, d...), not ()")
    return 0 if input.dim() == 1 else 1


def _check_weight(name: str, weight: Tensor | None, classes: int) -> None:
    if weight is not None and tuple(weight.shape) != (classes,):
        raise ShapeError(
            f"{name}: weight tensor should be defined either for all {classes} classes or no classes "
            f"but got weight tensor of shape: {list(weight.shape)}"
        )


def _along(weight: Tensor, axis: int, rank: int) -> Tensor:
    """``weight`` (C) with axes of size 1 after it, so that it broadcasts along the class axis."""
    return weight.reshape((-1,) + (1,) * (rank - axis - 1))


def _warn_if_broadcast(name: str, input: Tensor, target: Tensor) -> None:
    if tuple(input.shape) != tuple(target.shape):
        warnings.warn(
            f"{name}: using a target size ({tuple(target.shape)}) that is different to the input size "
            f"({tuple(input.shape)}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )

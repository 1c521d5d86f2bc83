"""Losses of ``nn.functional``: mse_loss, l1_loss, nll_loss, cross_entropy. PyTorch's formulas and conventions."""

from __future__ import annotations

from nbgrad.calls.base import (
    TensorNode,
    broadcasted,
    call,
    promoted,
    require_floating,
    require_inexact,
    require_number,
    size_of,
)
from nbgrad.calls.reduce import mean
from nbgrad.calls.reduce import sum as total
from nbgrad.errors import ArgumentError, DTypeError, ShapeError, warn_here
from nbgrad.graph.dtypes import int64
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to, reshape_to


def averaged_or_summed(loss: Node, reduction: str) -> Node:
    """The mean or the sum of ``loss``, or itself, as ``reduction`` says."""
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return total(loss)
    if reduction == "none":
        return loss
    raise ArgumentError(f"{reduction} is not a valid value for reduction: it is 'mean', 'sum' or 'none'")


def difference(name: str, input: Node, target: Node, takes_integers: bool = False) -> Node:
    """input - target, with PyTorch's warning where they broadcast."""
    if input.spec.shape != target.spec.shape:
        warn_here(
            f"{name}: using a target size ({target.spec.shape}) that is different to the input size "
            f"({input.spec.shape}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            UserWarning,
        )
    a, b = broadcasted(name, *promoted(input, target))
    return (a if takes_integers else require_inexact(name, a)) - b


@call(function=False, functional=True)
def mse_loss(input: Node, target: TensorNode, *, reduction: str = "mean") -> Node:
    """(input - target)^2, averaged, summed, or element by element with ``reduction="none"``."""
    d = require_floating("mse_loss", difference("mse_loss", input, target))
    return averaged_or_summed(d * d, reduction)


@call(function=False, functional=True)
def l1_loss(input: Node, target: TensorNode, *, reduction: str = "mean") -> Node:
    """|input - target|, averaged, summed, or element by element with ``reduction="none"``. Integers have no mean."""
    require_number("l1_loss", input, target)
    return averaged_or_summed(size_of(difference("l1_loss", input, target, takes_integers=True)), reduction)


def _class_dim(name: str, input: Node) -> int:
    """The dim of the classes: shapes are (C), (N, C) or (N, C, d...)."""
    if not input.spec.shape:
        raise ShapeError(f"{name}: input must have shape (C), (N, C) or (N, C, d...), got a 0-d tensor")
    require_floating(name, input)
    return 0 if input.spec.rank == 1 else 1


def _checked_weight(name: str, weight: Node | None, input: Node, dim: int) -> None:
    classes = input.spec.shape[dim]
    if weight is None:
        return
    if weight.spec.shape != (classes,):
        raise ShapeError(
            f"{name}: weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.spec.shape)}"
        )
    if weight.spec.dtype is not input.spec.dtype:
        raise DTypeError(f"{name}: expected weight of dtype {input.spec.dtype.name}, got {weight.spec.dtype.name}")


def _without(shape: Shape, dim: int) -> Shape:
    return shape[:dim] + shape[dim + 1 :]


def _classes(name: str, input: Node, target: Node, dim: int) -> Node:
    """Class targets in int64, of input's shape without ``dim``."""
    if target.spec.dtype.kind not in "iu":
        raise DTypeError(
            f"{name}: class targets must be integers, got {target.spec.dtype.name}; probabilities need the shape of "
            "the input, class indices its shape without the class dim"
        )
    shape, expected = target.spec.shape, _without(input.spec.shape, dim)
    if shape != expected:
        if shape and expected and shape[0] != expected[0]:
            raise ArgumentError(
                f"{name}: Expected input batch_size ({expected[0]}) to match target batch_size ({shape[0]})."
            )
        raise ShapeError(f"{name}: Expected target size {list(expected)}, got {list(shape)}")
    return cast_to(target, int64)


class _Picked:
    """What class targets choose; ``counted`` are the targets not ignored."""

    def __init__(self, name: str, input: Node, target: Node, weight: Node | None, dim: int, ignore_index: int) -> None:
        classes = _classes(name, input, target, dim)
        self.dtype = input.spec.dtype
        self.dim = dim
        self.counted = apply("ne", classes, const(ignore_index, int64))
        safe = apply("where", self.counted, classes, const(0, int64))
        shape = input.spec.shape
        if shape[dim]:
            words = f"{name}(): Target {{index}} is out of bounds for {{size}} classes"
            checked = apply("check_index", safe, const(shape[dim], int64), params=(words,))
        else:  # no class is there to be marked: the check hangs on what counts, which can be nothing
            words = f"{name}(): there are 0 classes, so every target is out of bounds"
            checked = apply("check_index", cast_to(self.counted, int64), const(1, int64), params=(words,))
            self.counted = apply("ne", checked, const(0, int64))
        self.place = checked
        self.weight = None if weight is None else along(weight, shape, dim)
        self.scale = self.masked(apply("take", weight, checked) if weight and shape[dim] else const(1, self.dtype))

    def masked(self, x: Node) -> Node:
        """``x`` where the target counts, 0 where it is ignored."""
        return apply("where", self.counted, x, const(0, self.dtype))

    def loss(self, log_p: Node) -> Node:
        """-weight * log_p at the target class, 0 where ignored."""
        picked = -apply("chosen", log_p, self.place, params=((self.dim,),))
        return self.masked(picked * self.scale if self.weight else picked)

    def averaged(self, loss: Node, reduction: str) -> Node:
        """With "mean" divided by the weights of the targets that count."""
        return total(loss) / total(self.scale) if reduction == "mean" else averaged_or_summed(loss, reduction)


def along(weight: Node, shape: Shape, dim: int) -> Node:
    """``weight`` (C) repeated over ``shape`` along ``dim``."""
    column = reshape_to(weight, tuple([n if d == dim else 1 for d, n in enumerate(shape)]))
    return expand_to(column, shape)


@call(function=False, functional=True)
def nll_loss(
    input: Node,
    target: TensorNode,
    weight: TensorNode | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Node:
    """-input at the target class; input holds log-probabilities, shapes as in ``cross_entropy``.

    With ``weight`` the mean is the weighted one: divided by the sum of the weights of the targets.
    """
    dim = _class_dim("nll_loss", input)
    _checked_weight("nll_loss", weight, input, dim)
    picked = _Picked("nll_loss", input, target, weight, dim, ignore_index)
    return picked.averaged(picked.loss(apply("flat", input)), reduction)


@call(function=False, functional=True, grad_fn="NllLoss")
def cross_entropy(
    input: Node,
    target: TensorNode,
    weight: TensorNode | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Node:
    """-log softmax(input) at the target class; input holds unnormalised scores.

    Shapes: input (C), (N, C) or (N, C, d...). Target: integer classes of input's shape without C, or probabilities of
    input's shape. ``weight`` (C) rescales classes. Targets equal to ``ignore_index`` count neither in the sum nor in
    the mean; others outside [0, C) raise IndexError at run time. ``label_smoothing`` in [0, 1] mixes the target with
    the uniform distribution (Szegedy et al. 2016, "Rethinking the inception architecture").
    """
    name = "cross_entropy"
    if not 0.0 <= label_smoothing <= 1.0:
        raise ArgumentError(f"{name}: label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = _class_dim(name, input)
    _checked_weight(name, weight, input, dim)
    log_p = apply("log_softmax", input, params=((dim,),))
    if input.spec.shape == target.spec.shape and target.spec.dtype.is_floating_point:
        return _of_probabilities(log_p, target, weight, dim, reduction, label_smoothing)
    picked = _Picked(name, log_p, target, weight, dim, ignore_index)
    loss = picked.loss(log_p)
    if label_smoothing > 0.0:
        spread = apply("sum", log_p * picked.weight if picked.weight else log_p, params=((dim,),))
        smooth = picked.masked(-spread)
        loss = loss * (1.0 - label_smoothing) + smooth * (label_smoothing / max(input.spec.shape[dim], 1))
    return picked.averaged(loss, reduction)


def _of_probabilities(
    log_p: Node, target: Node, weight: Node | None, dim: int, reduction: str, smoothing: float
) -> Node:
    """-sum over classes of weight * target * log_p; the mean is over samples, not weights."""
    shape, dtype = log_p.spec.shape, log_p.spec.dtype
    p = cast_to(target, dtype)
    if smoothing > 0.0:
        p = p * (1.0 - smoothing) + smoothing / shape[dim]
    terms = log_p * p
    if weight is not None:
        terms = terms * along(weight, shape, dim)
    loss = -apply("sum", terms, params=((dim,),))
    if reduction == "mean":
        return total(loss) / const(loss.spec.size, dtype)
    return averaged_or_summed(loss, reduction)

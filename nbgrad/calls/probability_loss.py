"""Losses of ``nn.functional`` for probabilities and for robust fits. PyTorch's formulas and conventions."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, broadcasted, call, promoted, require_floating
from nbgrad.calls.loss import averaged_or_summed, difference
from nbgrad.calls.reduce import sum as total
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.graph.node import Node, apply, const


def _same_shape(name: str, input: Node, target: Node) -> tuple[Node, Node]:
    if input.spec.shape != target.spec.shape:
        raise ArgumentError(
            f"{name}: Target size ({list(target.spec.shape)}) must be the same as input size ({list(input.spec.shape)})"
        )
    a, b = promoted(require_floating(name, input), require_floating(name, target))
    return a, b


def _weighted(loss: Node, weight: Node | None, name: str) -> Node:
    if weight is None:
        return loss
    a, b = broadcasted(name, loss, *promoted(weight, loss)[:1])
    if a.spec.shape != loss.spec.shape:
        raise ShapeError(f"{name}: weight of shape {list(weight.spec.shape)} does not fit {list(loss.spec.shape)}")
    return a * b


@call(function=False, functional=True)
def binary_cross_entropy(
    input: Node, target: TensorNode, weight: TensorNode | None = None, *, reduction: str = "mean"
) -> Node:
    """-(target log(input) + (1 - target) log(1 - input)) for probabilities; logarithms are at least -100.

    The derivative by the input is finite at 0 and 1, too: (input - target) over input (1 - input), that at least 1e-12.
    ``weight`` broadcasts to the input and rescales its elements. ValueError where shapes differ, RuntimeError where the
    input or the target is outside 0 to 1.
    """
    name = "binary_cross_entropy"
    given = zip(_same_shape(name, input, target), ("input", "target"), strict=True)
    loss = apply(name, *[apply("check_probability", x, params=(of,)) for x, of in given])
    return averaged_or_summed(_weighted(loss, weight, name), reduction)


@call(function=False, functional=True)
def binary_cross_entropy_with_logits(
    input: Node,
    target: TensorNode,
    weight: TensorNode | None = None,
    *,
    reduction: str = "mean",
    pos_weight: TensorNode | None = None,
) -> Node:
    """``binary_cross_entropy`` of sigmoid(input), computed without overflow: (1 - t) x + log(1 + exp(-x)).

    ``pos_weight`` broadcasts to the input and multiplies the part of the positive targets.
    """
    name = "binary_cross_entropy_with_logits"
    x, t = _same_shape(name, input, target)
    soft = apply("logaddexp", -x, const(0, x.spec.dtype))
    scale = soft
    if pos_weight is not None:
        _, w = broadcasted(name, x, *promoted(pos_weight, x)[:1])
        scale = soft * ((w - 1.0) * t + 1.0)
    return averaged_or_summed(_weighted((1.0 - t) * x + scale, weight, name), reduction)


@call(function=False, functional=True)
def smooth_l1_loss(input: Node, target: TensorNode, *, reduction: str = "mean", beta: float = 1.0) -> Node:
    """(input - target)^2 / (2 beta) where the difference is below ``beta``, |input - target| - beta / 2 elsewhere."""
    if beta < 0:
        raise ArgumentError("smooth_l1_loss does not support negative values for beta.")
    d = difference("smooth_l1_loss", input, target)
    size = apply("abs", d)
    if beta == 0:
        return averaged_or_summed(size, reduction)
    far = apply("ge", size, const(beta, d.spec.dtype))
    near = _unless(far, d)
    return averaged_or_summed(apply("where", far, size - 0.5 * beta, near * near * (0.5 / beta)), reduction)


@call(function=False, functional=True)
def huber_loss(input: Node, target: TensorNode, reduction: str = "mean", delta: float = 1.0) -> Node:
    """(input - target)^2 / 2 where the difference is at most ``delta``, delta (|input - target| - delta / 2) elsewhere.

    Source: Huber 1964.
    """
    if delta <= 0:
        raise ArgumentError("huber_loss does not support non-positive values for delta.")
    d = difference("huber_loss", input, target)
    size = apply("abs", d)
    far = apply("gt", size, const(delta, d.spec.dtype))
    near = _unless(far, d)
    return averaged_or_summed(apply("where", far, (size - 0.5 * delta) * delta, near * near * 0.5), reduction)


def _unless(far: Node, d: Node) -> Node:
    """``d``, and 0 where ``far``: the derivative of an infinite square would be 0 times infinity."""
    return apply("where", far, const(0, d.spec.dtype), d)


@call(function=False, functional=True)
def kl_div(input: Node, target: TensorNode, *, reduction: str = "mean", log_target: bool = False) -> Node:
    """target (log(target) - input): the divergence of a distribution from the one whose logarithm is ``input``.

    0 where the target is 0, NaN where it is negative. With ``log_target`` the target is a logarithm too. ``reduction``
    may also be "batchmean": the sum divided by the size of dim 0.
    """
    a, b = broadcasted("kl_div", *promoted(input, target))
    x, t = require_floating("kl_div", a), b
    if log_target:
        loss = apply("exp", t) * (t - x)
    else:
        zero, one = const(0, t.spec.dtype), const(1, t.spec.dtype)
        absent = apply("eq", t, zero)
        # log of 0 must stay out of the derivative: 0 times infinity.
        entropy = t * apply("log", apply("where", absent, one, t))
        loss = apply("where", absent, zero, entropy) - t * x
    if reduction == "batchmean":
        whole = total(loss)
        return whole / const(loss.spec.shape[0], loss.spec.dtype) if loss.spec.shape else whole
    return averaged_or_summed(loss, reduction)

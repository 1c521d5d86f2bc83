"""Losses of pairs, margins and counts. PyTorch's formulas and conventions."""

from __future__ import annotations

from math import pi

from nbgrad.calls.base import TensorNode, broadcasted, call, floating, promoted, require_floating
from nbgrad.calls.compare import clamp_min
from nbgrad.calls.loss import averaged_or_summed
from nbgrad.calls.norm import norm
from nbgrad.calls.reduce import mean
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import broadcast_shapes
from nbgrad.ops.view import expand_to

_COSINE_EPS = 1e-12  # added to squared lengths


@call(function=False, functional=True)
def pairwise_distance(x1: Node, x2: TensorNode, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Node:
    """The p-norm of x1 - x2 + eps along the last dim; they broadcast.

    >>> nbgrad.nn.functional.pairwise_distance(nbgrad.zeros(1, 2), nbgrad.tensor([[3.0, 4.0]]), eps=0.0)
    tensor([5.])
    """
    a, b = broadcasted("pairwise_distance", *promoted(x1, x2))
    if not a.spec.shape and not b.spec.shape:
        raise ShapeError("pairwise_distance: inputs must have at least one dim")
    return norm(a - b + eps, p, -1, keepdim)


@call(function=False, functional=True)
def margin_ranking_loss(
    input1: Node, input2: TensorNode, target: TensorNode, margin: float = 0.0, *, reduction: str = "mean"
) -> Node:
    """max(0, -target (input1 - input2) + margin): input1 is to be the larger where the target is 1, not -1.

    >>> nbgrad.nn.functional.margin_ranking_loss(nbgrad.tensor([1.0]), nbgrad.tensor([3.0]), nbgrad.tensor([1.0]))
    tensor(2.)
    """
    if not input1.spec.rank == input2.spec.rank == target.spec.rank:
        raise ShapeError("margin_ranking_loss: all inputs should have the same number of dims")
    a, b, y = broadcasted("margin_ranking_loss", *promoted(input1, input2, target))
    return averaged_or_summed(_positive(floating("margin_ranking_loss", -y * (a - b)) + margin), reduction)


@call(function=False, functional=True)
def hinge_embedding_loss(input: Node, target: TensorNode, margin: float = 1.0, *, reduction: str = "mean") -> Node:
    """input where the target is 1, max(0, margin - input) where it is -1.

    >>> nbgrad.nn.functional.hinge_embedding_loss(nbgrad.tensor([0.5, 0.25]), nbgrad.tensor([1, -1]), reduction="none")
    tensor([0.5000, 0.7500])
    """
    x, y = broadcasted("hinge_embedding_loss", *promoted(input, target))
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    apart = apply("where", apply("ne", y, one), _positive(margin - x), zero)
    near = apply("where", apply("ne", y, -one), x, zero)
    return averaged_or_summed(near + apart, reduction)


@call(function=False, functional=True)
def cosine_embedding_loss(
    input1: Node, input2: TensorNode, target: TensorNode, margin: float = 0.0, *, reduction: str = "mean"
) -> Node:
    """1 - cos of the angle between vectors where the target is 1, max(0, cos - margin) where it is -1.

    Shapes: (N, D), (N, D) and (N), or (D), (D) and (): the last dim has the vectors.

    >>> a, b = nbgrad.tensor([[1.0, 0.0]]), nbgrad.tensor([[0.0, 1.0]])
    >>> nbgrad.nn.functional.cosine_embedding_loss(a, b, nbgrad.tensor([1]))
    tensor(1.)
    """
    name = "cosine_embedding_loss"
    if target.spec.rank not in (0, 1):
        raise ShapeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1.spec.rank == input2.spec.rank == target.spec.rank + 1:
        raise ShapeError(f"{name}: {target.spec.rank}D target tensor expects {target.spec.rank + 1}D input tensors")
    a, b = broadcasted(name, *promoted(require_floating(name, input1), input2))
    dims = (a.spec.rank - 1,)
    product = apply("sum", a * b, params=(dims,))
    lengths = [apply("sum", x * x, params=(dims,)) + _COSINE_EPS for x in (a, b)]
    cosine = product / apply("sqrt", lengths[0] * lengths[1])
    zero = const(0, cosine.spec.dtype)
    cosine, y = broadcasted(name, cosine, target)
    near = apply("where", apply("eq", y, const(1, y.spec.dtype)), 1.0 - cosine, zero)
    apart = apply("where", apply("eq", y, const(-1, y.spec.dtype)), _positive(cosine - margin), zero)
    return averaged_or_summed(near + apart, reduction)


@call(function=False, functional=True)
def triplet_margin_loss(
    anchor: Node,
    positive: TensorNode,
    negative: TensorNode,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    *,
    reduction: str = "mean",
) -> Node:
    """max(0, distance to ``positive`` - distance to ``negative`` + margin), distances as ``pairwise_distance`` has
    them; with ``swap`` the distance from ``positive`` to ``negative`` counts where it is smaller.

    >>> a = nbgrad.zeros(1, 2)
    >>> nbgrad.nn.functional.triplet_margin_loss(a, nbgrad.tensor([[3.0, 4.0]]), nbgrad.tensor([[0.0, 2.0]]), eps=0.0)
    tensor(4.)
    """
    if not anchor.spec.rank == positive.spec.rank == negative.spec.rank:
        raise ShapeError("triplet_margin_loss: anchor, positive, and negative should have the same number of dims")
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = apply("minimum", far, pairwise_distance(positive, negative, p, eps))
    return averaged_or_summed(_positive(near - far + margin), reduction)


@call(function=False, functional=True)
def soft_margin_loss(input: Node, target: TensorNode, *, reduction: str = "mean") -> Node:
    """log(1 + exp(-target * input)) for targets of 1 and -1, computed without overflow."""
    x, y = broadcasted("soft_margin_loss", *promoted(require_floating("soft_margin_loss", input), target))
    return averaged_or_summed(apply("logaddexp", -y * x, const(0, x.spec.dtype)), reduction)


@call(function=False, functional=True)
def multilabel_soft_margin_loss(
    input: Node, target: TensorNode, weight: TensorNode | None = None, *, reduction: str = "mean"
) -> Node:
    """The mean over classes (the last dim) of the binary cross entropy with logits; ``weight`` is one for a class."""
    name = "multilabel_soft_margin_loss"
    x, y = broadcasted(name, *promoted(require_floating(name, input), target))
    zero = const(0, x.spec.dtype)
    loss = y * apply("logaddexp", -x, zero) + (1.0 - y) * apply("logaddexp", x, zero)
    if weight is not None:
        loss = loss * expand_to(weight, broadcast_shapes(loss.spec.shape, weight.spec.shape, name))
    return averaged_or_summed(mean(loss, -1), reduction)


@call(function=False, functional=True)
def poisson_nll_loss(
    input: Node,
    target: TensorNode,
    log_input: bool = True,
    full: bool = False,
    *,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Node:
    """exp(input) - target * input, the input being a logarithm; otherwise input - target * log(input + eps).

    ``full`` adds Stirling's target log(target) - target + log(2 pi target) / 2 where the target is above 1.
    """
    name = "poisson_nll_loss"
    x, t = broadcasted(name, *promoted(require_floating(name, input), target))
    loss = apply("exp", x) - t * x if log_input else x - t * apply("log", x + eps)
    if full:
        one = const(1, t.spec.dtype)
        is_large = apply("gt", t, one)
        safe = apply("where", is_large, t, one)
        stirling = safe * apply("log", safe) - safe + apply("log", safe * (2 * pi)) * 0.5
        loss = loss + apply("where", is_large, stirling, const(0, t.spec.dtype))
    return averaged_or_summed(loss, reduction)


def _positive(x: Node) -> Node:
    """x, but not below 0; the derivative at 0 is 1, at NaN 0, as in PyTorch."""
    return clamp_min(x, const(0, x.spec.dtype))

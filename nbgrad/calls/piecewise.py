"""Activations made of pieces: hardswish, hardsigmoid, shrinkage, celu, prelu, glu, threshold."""

from __future__ import annotations

from nbgrad.calls.arguments import require_fits
from nbgrad.calls.base import TensorNode, call, floating, one_dim, require_floating, require_number, size_of
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to
from nbgrad.ops.view import expand_to, reshape_to, slice_at


@call(function=False)
def hardswish(input: Node) -> Node:
    """x * min(max(x + 3, 0), 6) / 6. Source: Howard et al. 2019, "Searching for MobileNetV3"."""
    x = require_floating("hardswish", input)
    inside = apply("bit_and", _is(x, "gt", -3.0), _is(x, "lt", 3.0))  # NaN is not, and its derivative is 1
    middle = apply("where", inside, x, const(0, x.spec.dtype))  # no infinity: 0 * inf is NaN
    within = apply("where", inside, middle * (middle + 3.0) / 6.0, x)
    return apply("where", _is(x, "le", -3.0), x * 0.0, within)


@call(function=False)
def hardsigmoid(input: Node) -> Node:
    """x / 6 + 1 / 2, at least 0 and at most 1; the derivative at both bounds is 0."""
    x = apply("flat", require_floating("hardsigmoid", input))
    zero, one = const(0, x.spec.dtype), const(1, x.spec.dtype)
    above = apply("where", _is(x, "ge", 3.0), one, apply("detach", x))  # or NaN
    inside = apply("bit_and", _is(x, "gt", -3.0), _is(x, "lt", 3.0))
    return apply("where", inside, x / 6.0 + 0.5, apply("where", _is(x, "le", -3.0), zero, above))


@call(function=False, functional=True)
def tanhshrink(input: Node) -> Node:
    """x - tanh(x)."""
    x = floating("tanhshrink", input)
    return x - apply("tanh", x)


@call(function=False, functional=True)
def softsign(input: Node) -> Node:
    """x / (1 + |x|).

    >>> nbgrad.nn.functional.softsign(nbgrad.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    x = floating("softsign", input)
    return x / cast_to(size_of(x) + 1.0, x.spec.dtype)


@call(function=False, functional=True)
def softshrink(input: Node, lambd: float = 0.5) -> Node:
    """x nearer to 0 by ``lambd``, and 0 where it is not beyond it. RuntimeError where ``lambd`` is negative."""
    x = apply("flat", require_floating("softshrink", input))
    require_fits(lambd, x.spec.dtype)
    if lambd < 0:
        raise ShapeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    inside = apply("where", _is(x, "ne", x), x, const(0, x.spec.dtype))
    below = apply("where", _is(x, "lt", -lambd), x + lambd, inside)
    return apply("where", _is(x, "gt", lambd), x - lambd, below)


@call(functional=True, method=True)
def hardshrink(input: Node, lambd: float = 0.5) -> Node:
    """x, and 0 where it is not beyond ``lambd`` on either side.

    >>> nbgrad.hardshrink(nbgrad.tensor([-2.0, 0.25, 1.0]))
    tensor([-2.,  0.,  1.])
    """
    x = apply("flat", require_floating("hardshrink", input))
    require_fits(lambd, x.spec.dtype)
    inside = apply("bit_and", _is(x, "ge", -lambd), _is(x, "le", lambd))
    return apply("where", inside, const(0, x.spec.dtype), x)


@call()
def threshold(input: Node, threshold: float, value: float) -> Node:
    """x where it is above ``threshold``, elsewhere ``value``.

    >>> nbgrad.threshold(nbgrad.tensor([0.5, 2.0]), 1.0, -1.0)
    tensor([-1.,  2.])
    """
    require_number("threshold", input)
    for number in (threshold, value):
        require_fits(float(number), input.spec.dtype)  # an equal int is the same structure
    return apply("where", _is(input, "le", threshold), const(value, input.spec.dtype), apply("flat", input))


@call()
def celu(input: Node, alpha: float = 1.0) -> Node:
    """x where x > 0, otherwise alpha * (exp(x / alpha) - 1).

    Source: Barron 2017, "Continuously differentiable exponential linear units".

    >>> nbgrad.celu(nbgrad.tensor([1.0, 0.0]))
    tensor([1., 0.])
    """
    x = require_floating("celu", input)
    if alpha == 0:
        raise ArgumentError("celu: ZeroDivisionError: alpha cannot be 0 for CELU")
    require_fits(alpha, x.spec.dtype.computed)
    negative = _is(x, "le", 0.0)
    low = apply("expm1", apply("where", negative, x / alpha, const(0, x.spec.dtype))) * alpha
    return apply("where", negative, low, x)


@call(method=True, functional=True, grad_fn="PreluKernel")
def prelu(input: Node, weight: TensorNode) -> Node:
    """x where x > 0, otherwise weight * x: one weight, or one for each channel (dim 1).

    Source: He et al. 2015, "Delving deep into rectifiers".

    >>> nbgrad.prelu(nbgrad.tensor([-2.0, 2.0]), nbgrad.tensor([0.25]))
    tensor([-0.5000,  2.0000])
    """
    x, slopes = apply("flat", require_floating("prelu", input)), cast_to(weight, input.spec.dtype)
    shape, n = x.spec.shape, slopes.spec.size
    if n != 1:
        channels = shape[1] if len(shape) > 1 else 1
        if n != channels or slopes.spec.rank != 1:
            raise ShapeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {n} and channel "
                f"size = {channels}."
            )
    lead = reshape_to(slopes, tuple([n if d == 1 and n != 1 else 1 for d in range(len(shape))]))
    return apply("where", _is(x, "gt", 0.0), x, expand_to(lead, shape) * x)


@call(function=False, functional=True)
def glu(input: Node, dim: int = -1) -> Node:
    """The first half of ``dim`` times the sigmoid of the second. Source: Dauphin et al. 2017."""
    x = require_floating("glu", input)
    if not x.spec.shape:
        raise ShapeError("glu does not support 0-dimensional tensors")
    d = one_dim("glu", dim, x.spec.rank)
    size = x.spec.shape[d]
    if size % 2:
        raise ShapeError(f"Halving dimension must be even, but dimension {d} is size {size}")
    first, second = (slice_at(x, start, d, size // 2) for start in (0, size // 2))
    return first * apply("sigmoid", second)


def _is(x: Node, test: str, bound: float | Node) -> Node:
    return apply(test, x, bound if isinstance(bound, Node) else const(bound, x.spec.dtype))

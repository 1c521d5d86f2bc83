"""Activations: relu, gelu, silu, softplus, softmax and their relatives."""

from __future__ import annotations

from math import pi, sqrt

from nbgrad.calls.base import call, floating, one_dim, require_floating, require_inexact
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import DType, as_dtype, bool_
from nbgrad.graph.node import Node, apply, const
from nbgrad.ops.compare import cast_to


@call(method=True, inplace=True)
def relu(input: Node) -> Node:
    """max(x, 0); NaN stays NaN, the derivative at 0 is 0."""
    if input.spec.dtype is bool_:
        raise DTypeError("relu: not implemented for bool")
    return apply("relu", input)


@call(method=True, inplace=True, functional=True)
def sigmoid(input: Node) -> Node:
    """1 / (1 + exp(-x))."""
    return apply("sigmoid", floating("sigmoid", input))


@call(function=False, method=False, functional=True)
def gelu(input: Node, *, approximate: str = "none") -> Node:
    """x times the normal distribution's CDF at x; ``approximate="tanh"`` uses the tanh formula.

    Source: Hendrycks and Gimpel 2016, "Gaussian error linear units".
    """
    x = require_floating("gelu", input)
    if approximate == "none":
        return x * 0.5 * (apply("erf", x * sqrt(0.5)) + 1.0)
    if approximate == "tanh":
        inner = (x + x * x * x * 0.044715) * sqrt(2.0 / pi)
        return x * 0.5 * (apply("tanh", inner) + 1.0)
    raise ArgumentError(f"gelu: approximate argument must be either 'none' or 'tanh', not {approximate!r}")


@call(function=False, method=False)
def silu(input: Node) -> Node:
    """x * sigmoid(x)."""
    x = require_inexact("silu", input)
    return x * apply("sigmoid", x)


@call(function=False, method=False, functional=True, fits=("beta", "threshold"), wide=True)
def softplus(input: Node, beta: Node | None = None, threshold: Node | None = None) -> Node:
    """log(1 + exp(beta x)) / beta; x where beta x is above the threshold. beta is 1, threshold 20 unless given."""
    x = require_floating("softplus", input)
    dtype = x.spec.dtype
    limit = const(20, dtype) if threshold is None else cast_to(threshold, dtype)
    scaled = x if beta is None else x * cast_to(beta, dtype)
    linear = apply("gt", scaled, limit)
    # The branch not taken must stay finite: its derivative would be infinity over infinity.
    soft = apply("log1p", apply("exp", apply("where", linear, const(0, dtype), scaled)))
    return apply("where", linear, x, soft if beta is None else soft / cast_to(beta, dtype))


@call(function=False, method=False, fits=("negative_slope",), wide=True)
def leaky_relu(input: Node, negative_slope: Node | None = None) -> Node:
    """x where x > 0, otherwise negative_slope * x (0.01 unless given)."""
    x = require_floating("leaky_relu", input)
    dtype = x.spec.dtype
    slope = const(0.01, dtype) if negative_slope is None else cast_to(negative_slope, dtype)
    return apply("leaky_relu", x, slope)


@call(function=False, method=False, fits=("alpha",), wide=True)
def elu(input: Node, alpha: Node | None = None) -> Node:
    """x where x > 0, otherwise alpha * (exp(x) - 1); alpha is 1 unless given."""
    x = require_floating("elu", input)
    zero = const(0, x.spec.dtype)
    negative = apply("le", x, zero)
    # exp of large x must not overflow in the branch not taken.
    low = apply("expm1", apply("where", negative, x, zero))
    return apply("where", negative, low if alpha is None else low * cast_to(alpha, x.spec.dtype), x)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


@call(grad_fn="Elu")
def selu(input: Node) -> Node:
    """1.0507 * elu(x) with alpha 1.6733: layers of such units keep mean 0 and variance 1.

    Source: Klambauer et al. 2017, "Self-normalizing neural networks".

    >>> nbgrad.selu(nbgrad.tensor([1.0, -1.0]))
    tensor([ 1.0507, -1.1113])
    """
    x = require_floating("selu", input)
    return elu(x, const(SELU_ALPHA, x.spec.dtype)) * SELU_SCALE


@call(function=False, method=False)
def mish(input: Node) -> Node:
    """x * tanh(log(1 + exp(x))). Source: Misra 2019, "Mish: a self regularized non-monotonic activation function".

    >>> nbgrad.nn.functional.mish(nbgrad.tensor([1.0, -1.0]))
    tensor([ 0.8651, -0.3034])
    """
    x = require_floating("mish", input)
    return x * apply("tanh", apply("logaddexp", x, const(0, x.spec.dtype)))


@call(function=False, method=False, functional=True, grad_fn="LogSigmoid")
def logsigmoid(input: Node) -> Node:
    """log(1 / (1 + exp(-x))), computed without overflow.

    >>> nbgrad.nn.functional.logsigmoid(nbgrad.tensor([0.0, -1000.0]))
    tensor([-6.9315e-01, -1.0000e+03])
    """
    x = require_floating("logsigmoid", input)
    return -apply("logaddexp", -x, const(0, x.spec.dtype))


@call(function=False, method=False, fits=("min_val", "max_val"))
def hardtanh(input: Node, min_val: Node | None = None, max_val: Node | None = None) -> Node:
    """x between two bounds, -1 and 1 unless given; the derivative at and beyond them is 0.

    >>> nbgrad.nn.functional.hardtanh(nbgrad.tensor([-3.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if input.spec.dtype is bool_:
        raise DTypeError("hardtanh: not implemented for bool")
    dtype = input.spec.dtype
    low = const(-1, dtype) if min_val is None else cast_to(min_val, dtype)
    high = const(1, dtype) if max_val is None else cast_to(max_val, dtype)
    below, above = apply("le", input, low), apply("ge", input, high)
    return apply("where", below, low, apply("where", above, high, apply("flat", input)))


@call(method=True)
def softmax(input: Node, dim: int, dtype: DType | None = None) -> Node:
    """exp(x) / sum(exp(x)) along ``dim``, the maximum subtracted first; ``dtype`` converts the input before."""
    return _along("softmax", input, dim, dtype)


@call(method=True)
def log_softmax(input: Node, dim: int, dtype: DType | None = None) -> Node:
    """log(softmax(x)) along ``dim``, computed without overflow; ``dtype`` converts the input before."""
    return _along("log_softmax", input, dim, dtype)


def _along(op: str, input: Node, dim: int, dtype: DType | None) -> Node:
    x = require_floating(op, input if dtype is None else cast_to(input, as_dtype(dtype)))
    d = one_dim(op, dim, x.spec.rank)
    return apply(op, x, params=((d,) if x.spec.rank else (),))

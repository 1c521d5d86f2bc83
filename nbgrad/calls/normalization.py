"""Normalisation over rows, channels and groups: layer_norm, rms_norm, batch_norm, group_norm."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import TensorNode, call, require_floating, require_inexact
from nbgrad.calls.shape import sizes_of
from nbgrad.errors import ArgumentError, DTypeError, ShapeError
from nbgrad.graph.dtypes import float32
from nbgrad.graph.half import limits
from nbgrad.graph.node import Node, apply, const
from nbgrad.graph.spec import Shape
from nbgrad.ops.compare import cast_to
from nbgrad.ops.composite import mean_of
from nbgrad.ops.reduce import restore
from nbgrad.ops.view import expand_to, reshape_to


def _last_dims(name: str, x: Node, normalized_shape: Shape) -> Shape:
    """The dims that ``normalized_shape`` means: the last ones, which must have these sizes."""
    wanted = sizes_of(name, normalized_shape)
    shape = x.spec.shape
    if not wanted:
        raise ShapeError(f"{name}: Expected normalized_shape to be at least 1-dimensional, got {list(wanted)}")
    if shape[len(shape) - len(wanted) :] != wanted or len(wanted) > len(shape):
        raise ShapeError(
            f"{name}: Given normalized_shape={list(wanted)}, expected input with shape "
            f"[*, {', '.join(map(str, wanted))}], but got input of size {list(shape)}"
        )
    return tuple(range(len(shape) - len(wanted), len(shape)))


def _laid_over(name: str, what: str, parameter: Node, x: Node, shape: Shape, dims: Shape) -> Node:
    """A parameter of ``shape`` along ``dims`` of ``x``, repeated over the others."""
    if parameter.spec.shape != shape:
        raise ShapeError(
            f"{name}: Expected {what} to be of the shape {list(shape)}, but got {what} of shape "
            f"{list(parameter.spec.shape)} and input of shape {list(x.spec.shape)}"
        )
    parameter = _beside(parameter, x)
    if parameter.spec.dtype is not x.spec.dtype:
        raise DTypeError(f"{name}: expected {what} of dtype {x.spec.dtype.name}, got {parameter.spec.dtype.name}")
    wide = tuple([n if d in dims else 1 for d, n in enumerate(x.spec.shape)])
    return expand_to(reshape_to(parameter, wide), x.spec.shape)


def _beside(parameter: Node, x: Node) -> Node:
    """A parameter in float32 may stand beside halves, which are computed in float32, too."""
    takes = x.spec.dtype.is_half and parameter.spec.dtype is float32
    return cast_to(parameter, x.spec.dtype) if takes else parameter


def _affine(name: str, y: Node, weight: Node | None, bias: Node | None, shape: Shape, dims: Shape) -> Node:
    """y * weight + bias, each where given."""
    if weight is not None:
        y = y * _laid_over(name, "weight", weight, y, shape, dims)
    return y if bias is None else y + _laid_over(name, "bias", bias, y, shape, dims)


@call(function=False, functional=True, grad_fn="NativeLayerNorm")
def layer_norm(
    input: Node,
    normalized_shape: Shape,
    weight: TensorNode | None = None,
    bias: TensorNode | None = None,
    eps: float = 1e-05,
) -> Node:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dims, which have the sizes ``normalized_shape``.

    The variance is the biased one. Shapes: weight and bias have ``normalized_shape``. RuntimeError where sizes or
    dtypes differ. Source: Ba, Kiros and Hinton 2016, "Layer normalization".

    >>> nbgrad.nn.functional.layer_norm(nbgrad.tensor([[1.0, 3.0]]), (2,), eps=0.0)
    tensor([[-1.,  1.]])
    """
    x = require_floating("layer_norm", input)
    dims = _last_dims("layer_norm", x, normalized_shape)
    y = apply("standardize", x, params=(dims, float(eps)))
    return _affine("layer_norm", y, weight, bias, tuple([x.spec.shape[d] for d in dims]), dims)


@call(function=False, functional=True, grad_fn="Mul")
def rms_norm(input: Node, normalized_shape: Shape, weight: TensorNode | None = None, eps: float | None = None) -> Node:
    """x / sqrt(mean(x^2) + eps) * weight over the last dims; ``eps`` is the smallest step from 1 unless given, for
    halves that of float32.

    Shapes and errors as in ``layer_norm``. Source: Zhang and Sennrich 2019, "Root mean square layer normalization".

    >>> nbgrad.nn.functional.rms_norm(nbgrad.tensor([[1.0, 7.0]]), (2,))
    tensor([[0.2000, 1.4000]])
    """
    x = require_inexact("rms_norm", input)
    dims = _last_dims("rms_norm", x, normalized_shape)
    chosen = limits(x.spec.dtype.to_real().computed).eps if eps is None else float(eps)
    if x.spec.dtype.is_complex:
        y = x / restore(apply("sqrt", mean_of(x * x, dims) + chosen), x.spec.shape, dims)
    else:
        y = apply("rms_normalize", x, params=(dims, chosen))
    return _affine("rms_norm", y, weight, None, tuple([x.spec.shape[d] for d in dims]), dims)


@call(function=False, grad_fn="NativeBatchNorm")
def batch_norm(
    input: Node,
    running_mean: TensorNode | None = None,
    running_var: TensorNode | None = None,
    weight: TensorNode | None = None,
    bias: TensorNode | None = None,
    training: bool = False,
    eps: float = 1e-05,
) -> Node:
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel (dim 1), over all other dims.

    With ``training`` mean and biased variance are those of the batch, otherwise the running ones, which are constants
    to the derivative. Shapes: input (N, C, ...), all others (C). ValueError for one value per channel in training.
    Source: Ioffe and Szegedy 2015, "Batch normalization".
    """
    name = "batch_norm"
    x = require_floating(name, input)
    shape = x.spec.shape
    if len(shape) < 2:
        raise ShapeError(f"{name}: expected an input of shape (N, C, ...), got {list(shape)}")
    dims = tuple([d for d in range(len(shape)) if d != 1])
    channels = (shape[1],)
    if training:
        if prod([shape[d] for d in dims]) == 1:
            raise ArgumentError(f"{name}: Expected more than 1 value per channel when training, got {list(shape)}")
        y = apply("standardize", x, params=(dims, float(eps)))
    else:
        if running_mean is None or running_var is None:
            raise ShapeError(f"{name}: Expected running_mean and running_var to be defined when training=False")
        mean, var = [_beside(apply("detach", r), x) for r in (running_mean, running_var)]
        scale = const(1.0, x.spec.dtype) / apply("sqrt", var + const(float(eps), var.spec.dtype))
        centred = x - _laid_over(name, "running_mean", mean, x, channels, (1,))
        y = centred * _laid_over(name, "running_var", scale, x, channels, (1,))
    return _affine(name, y, weight, bias, channels, (1,))


@call(function=False, functional=True, grad_fn="NativeGroupNorm")
def group_norm(
    input: Node, num_groups: int, weight: TensorNode | None = None, bias: TensorNode | None = None, eps: float = 1e-05
) -> Node:
    """``layer_norm`` of each of ``num_groups`` equal runs of channels (dim 1) with all later dims.

    Shapes: input (N, C, ...), weight and bias (C). RuntimeError where the channels cannot be divided evenly. Source:
    Wu and He 2018, "Group normalization".
    """
    name = "group_norm"
    x = require_floating(name, input)
    shape = x.spec.shape
    if len(shape) < 2:
        raise ShapeError(f"{name}: expected at least 2 dimensions, got {list(shape)}")
    if num_groups <= 0 or shape[1] % num_groups:
        raise ShapeError(
            f"{name}: Expected number of channels in input to be divisible by num_groups, but got input "
            f"of shape {list(shape)} and num_groups={num_groups}"
        )
    inner = (shape[0], num_groups, shape[1] // num_groups, *shape[2:])
    dims = tuple(range(2, len(inner)))
    y = reshape_to(apply("standardize", reshape_to(x, inner), params=(dims, float(eps))), shape)
    return _affine(name, y, weight, bias, (shape[1],), (1,))

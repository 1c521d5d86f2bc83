"""Batch normalisation by running averages made part of the convolution or linear map before it."""

from __future__ import annotations

import copy
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.errors import RunError
from nbgrad.functions.creation import ones_like, zeros_like
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.tensor import Tensor

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

Both = tuple[Parameter, Parameter]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what ``conv`` and then ``bn`` do, both in evaluation mode; ``transpose`` for transposed
    ones. RuntimeError in training mode.

    >>> conv, bn = nbgrad.nn.Conv2d(1, 2, 1).eval(), nbgrad.nn.BatchNorm2d(2).eval()
    >>> type(nbgrad.nn.utils.fuse_conv_bn_eval(conv, bn)).__name__
    'Conv2d'
    """
    return _fused("fuse_conv_bn_eval", conv, bn, lambda *given: fuse_conv_bn_weights(*given, transpose=transpose))  # type: ignore[misc]


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear map that does what ``linear`` and then ``bn`` do, both in evaluation mode. RuntimeError in training
    mode, and where ``bn`` has neither one feature nor as many as ``linear`` gives.

    >>> linear, bn = nbgrad.nn.Linear(1, 2).eval(), nbgrad.nn.BatchNorm1d(2).eval()
    >>> nbgrad.nn.utils.fuse_linear_bn_eval(linear, bn).weight.shape
    nbgrad.Size([2, 1])
    """
    if bn.num_features not in (1, linear.out_features):
        raise RunError("fuse_linear_bn_eval: To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    return _fused("fuse_linear_bn_eval", linear, bn, fuse_linear_bn_weights)


def _fused(name: str, layer: Module, bn: Any, make: Any) -> Any:
    if layer.training or bn.training:
        raise RunError(f"{name}: Fusion only for eval! Call eval() of both")
    if bn.running_mean is None or bn.running_var is None:
        raise RunError(f"{name}: the normalisation keeps no running averages")
    made: Any = copy.deepcopy(layer)
    made.weight, made.bias = make(made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return made


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> Both:
    """Weight and bias of a convolution with the normalisation after it: by ``bn_w`` / sqrt(``bn_rv`` + ``bn_eps``).

    >>> one = nbgrad.ones(1)
    >>> weight, bias = nbgrad.nn.utils.fuse_conv_bn_weights(nbgrad.ones(1, 1, 1), None, one, one * 3, 1.0, one, one)
    >>> weight.item(), bias.item()
    (0.5, 0.5)
    """
    with no_grad():
        given = _scales(bn_rm, bn_rv, bn_eps, bn_w, bn_b, conv_b)
        shape = [1] * conv_w.dim()
        shape[1 if transpose else 0] = -1
        weight = conv_w * given[0].reshape(shape).to(conv_w.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(given[1], _learns(conv_b))


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None = None,
    bn_b: Tensor | None = None,
) -> Both:
    """Weight and bias of a linear map with the normalisation after it; see ``fuse_conv_bn_weights``.

    >>> one = nbgrad.ones(1)
    >>> weight, bias = nbgrad.nn.utils.fuse_linear_bn_weights(nbgrad.ones(1, 1), None, one, one * 3, 1.0, one, one)
    >>> weight.item(), bias.item()
    (0.5, 0.5)
    """
    with no_grad():
        scale, bias = _scales(bn_rm, bn_rv, bn_eps, bn_w, bn_b, linear_b)
        weight = linear_w * scale.unsqueeze(-1).to(linear_w.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, _learns(linear_b))


def _learns(bias: Tensor | None) -> bool:
    return True if bias is None else bias.requires_grad


def _scales(mean: Any, var: Any, eps: float, weight: Any, bias: Any, own: Any) -> tuple[Any, Any]:
    """(what each channel is multiplied by, the bias after that)."""
    scale = (ones_like(mean) if weight is None else weight) / (var + eps).sqrt()
    own = zeros_like(mean) if own is None else own
    return scale, (own - mean) * scale + (zeros_like(mean) if bias is None else bias)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

"""Transposed convolution over one, two or three dims: what the derivative of a convolution makes of cotangents."""

from __future__ import annotations

from nbgrad.calls.base import TensorNode, call
from nbgrad.calls.convolution import Sizes, batched, check_groups, check_operands, finished, tuple_of
from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node
from nbgrad.graph.spec import Spec
from nbgrad.ops.convolution import transposed_convolution
from nbgrad.ops.window import padded


def _conv_transpose(
    name: str,
    spatial: int,
    x: Node,
    w: Node,
    bias: Node | None,
    stride: Sizes,
    padding: Sizes,
    output_padding: Sizes,
    groups: int,
    dilation: Sizes,
) -> Node:
    check_groups(name, w, groups)
    outputs = w.spec.shape[1] * groups if w.spec.rank > 1 else 0
    check_operands(name, x, w, bias, spatial, w.spec.shape[0] if w.spec.rank else 0, outputs)
    step, apart = tuple_of(name, "stride", stride, spatial), tuple_of(name, "dilation", dilation, spatial)
    around, extra = [tuple_of(name, "padding", given, spatial, 0) for given in (padding, output_padding)]
    for more, s, d in zip(extra, step, apart, strict=True):
        if more >= max(s, d):
            raise ShapeError(
                f"{name}: output padding must be smaller than either stride or dilation, but got {list(extra)} for "
                f"stride {list(step)} and dilation {list(apart)}"
            )
    whole = tuple(
        [
            (n - 1) * s + d * (k - 1) + 1
            for n, k, s, d in zip(x.spec.shape[-spatial:], w.spec.shape[2:], step, apart, strict=True)
        ]
    )
    sizes = [n - 2 * p + more for n, p, more in zip(whole, around, extra, strict=True)]
    if 0 in w.spec.shape[2:] or min(sizes) < 1 or 0 in x.spec.shape[-spatial:]:
        raise ShapeError(
            f"{name}: Given input size per channel: {list(x.spec.shape[-spatial:])}. Calculated output size per "
            f"channel: {sizes}. Output size is too small"
        )
    images = batched(x, spatial)
    # Nothing of the input lies beyond ``whole``: what padding leaves over there is 0.
    beyond = [max(more - p, 0) for p, more in zip(around, extra, strict=True)]
    margins = tuple([(p, p - more + rest) for p, more, rest in zip(around, extra, beyond, strict=True)])
    shown = tuple([n - rest for n, rest in zip(sizes, beyond, strict=True)])
    spec = Spec.of((images.spec.shape[0], outputs, *shown), x.spec.dtype)
    y = transposed_convolution(images, spec, w, (step, margins, apart, groups))
    y = padded(y, ((0, 0), (0, 0), *[(0, rest) for rest in beyond]))
    return finished(y, bias, x.spec.rank == spatial + 2)


@call(functional=True, grad_fn="Convolution")
def conv_transpose1d(
    input: Node,
    weight: TensorNode,
    bias: TensorNode | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Node:
    """What ``conv1d`` makes of cotangents; see ``conv_transpose2d``. Shapes: input (N, C, L) or (C, L), weight
    (C, O / groups, K), bias (O).
    """
    return _conv_transpose(
        "conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@call(functional=True, grad_fn="Convolution")
def conv_transpose2d(
    input: Node,
    weight: TensorNode,
    bias: TensorNode | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Node:
    """The filters times each element of input, laid where ``conv2d`` would have read, and added up where they overlap.

    It undoes the shape of a ``conv2d`` with the same arguments; of the sizes that this may have had, ``output_padding``
    says by how much a larger one is meant. Shapes: input (N, C, H, W) or (C, H, W), weight (C, O / groups, K, L),
    bias (O); gives (N, O, H', W'), H' = (H - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1.
    RuntimeError where sizes or dtypes do not fit. Source: Zeiler et al. 2010, "Deconvolutional networks".

    >>> nbgrad.conv_transpose2d(nbgrad.tensor([[[[1.0, 2.0]]]]), nbgrad.ones(1, 1, 2, 2))
    tensor([[[[1., 3., 2.],
              [1., 3., 2.]]]])
    """
    return _conv_transpose(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@call(functional=True, grad_fn="Convolution")
def conv_transpose3d(
    input: Node,
    weight: TensorNode,
    bias: TensorNode | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Node:
    """``conv_transpose2d`` with one more dim: input (N, C, D, H, W) or (C, D, H, W), weight (C, O / groups, K, L, M),
    bias (O).
    """
    return _conv_transpose(
        "conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation
    )

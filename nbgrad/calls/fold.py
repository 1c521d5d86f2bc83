"""Columns of windows added up to images: what im2col is undone by."""

from __future__ import annotations

from math import prod

from nbgrad.calls.base import call
from nbgrad.calls.convolution import Sizes, tuple_of
from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import reshape_to
from nbgrad.ops.window import cropped, overlapped, window_count


@call(function=False, functional=True, grad_fn="Col2Im")
def fold(
    input: Node,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Node:
    """Windows laid back where ``unfold`` has taken them and added up: (N, C k k, windows) gives (N, C, H, W) of
    ``output_size`` (H, W); N may be missing.

    RuntimeError where there are not as many windows as fit.

    >>> nbgrad.nn.functional.fold(nbgrad.ones(4, 4), (3, 3), 2)
    tensor([[[1., 2., 1.],
             [2., 4., 2.],
             [1., 2., 1.]]])
    """
    name, rank = "fold", input.spec.rank
    out, size = tuple_of(name, "output_size", output_size, 2), tuple_of(name, "kernel_size", kernel_size, 2)
    apart, step = tuple_of(name, "dilation", dilation, 2), tuple_of(name, "stride", stride, 2)
    around = [(p, p) for p in tuple_of(name, "padding", padding, 2, 0)]
    wide = tuple([n + low + high for n, (low, high) in zip(out, around, strict=True)])
    counts = tuple([window_count(*each) for each in zip(wide, size, step, apart, strict=True)])
    if rank not in (2, 3) or input.spec.shape[-2] % prod(size) or input.spec.shape[-1] != prod(counts):
        raise ShapeError(
            f"{name}: expected an input of shape (N, a multiple of {prod(size)}, {prod(counts)}) or without N, got "
            f"{list(input.spec.shape)}"
        )
    lead = (*input.spec.shape[:-2], input.spec.shape[-2] // prod(size))
    split = reshape_to(input, (*lead, *size, *counts))
    n = len(lead)
    parts = apply("permute", split, params=((n, n + 1, *range(n), n + 2, n + 3),))
    return cropped(overlapped(parts, wide, step, apart), [(0, 0)] * n + around)

"""Pixels from channels and back."""

from __future__ import annotations

from nbgrad.calls.base import call
from nbgrad.errors import ShapeError
from nbgrad.graph.node import Node, apply
from nbgrad.ops.view import reshape_to


def _image(name: str, x: Node, factor: int, argument: str) -> tuple[tuple[int, ...], int, int, int]:
    """(batch dims, channels, height, width) of an image."""
    if x.spec.rank < 3:
        raise ShapeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {x.spec.rank} dimension(s)"
        )
    if factor <= 0:
        raise ShapeError(f"{name} expects a positive {argument}, but got {factor}")
    *batch, channels, height, width = x.spec.shape
    return tuple(batch), channels, height, width


def _regrouped(x: Node, rank: int, order: tuple[int, ...]) -> Node:
    """``x``, of which ``rank`` leading dims stay, with the others in another order."""
    return apply("permute", x, params=((*range(rank), *[rank + d for d in order]),))


@call(functional=True)
def pixel_shuffle(input: Node, upscale_factor: int) -> Node:
    """Channels as pixels: shape (*, C r^2, H, W) becomes (*, C, H r, W r) with r the ``upscale_factor``.

    Source: Shi et al. 2016, "Real-time single image and video super-resolution".

    >>> nbgrad.pixel_shuffle(nbgrad.arange(4).reshape(4, 1, 1), 2)
    tensor([[[0, 1],
             [2, 3]]])
    """
    r = upscale_factor
    batch, channels, height, width = _image("pixel_shuffle", input, r, "upscale_factor")
    if channels % (r * r):
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    split = reshape_to(input, (*batch, channels // (r * r), r, r, height, width))
    turned = apply("copy", _regrouped(split, len(batch), (0, 3, 1, 4, 2)))
    return reshape_to(turned, (*batch, channels // (r * r), height * r, width * r))


@call(functional=True)
def pixel_unshuffle(input: Node, downscale_factor: int) -> Node:
    """Pixels as channels: shape (*, C, H r, W r) becomes (*, C r^2, H, W) with r the ``downscale_factor``.

    >>> nbgrad.pixel_unshuffle(nbgrad.arange(4).reshape(1, 2, 2), 2).shape
    nbgrad.Size([4, 1, 1])
    """
    r = downscale_factor
    batch, channels, height, width = _image("pixel_unshuffle", input, r, "downscale_factor")
    for what, size in (("height", height), ("width", width)):
        if size % r:
            raise ShapeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor: {size} is not by {r}"
            )
    split = reshape_to(input, (*batch, channels, height // r, r, width // r, r))
    turned = apply("copy", _regrouped(split, len(batch), (0, 2, 4, 1, 3)))
    return reshape_to(turned, (*batch, channels * r * r, height // r, width // r))

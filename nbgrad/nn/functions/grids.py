"""Images and volumes looked up at any places: the grids of affine maps, and samples at the places of a grid."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import nbgrad.calls.grid  # noqa: F401  defines it
from nbgrad.calls.arguments import ints_of, word_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import ones
from nbgrad.functions.ramps import arange
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import function_of
from nbgrad.trace import record, tensor_of

_stack = function_of(CALLS["stack"])

MODES: Final = ("bilinear", "nearest", "bicubic")
PADDINGS: Final = ("zeros", "border", "reflection")


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The places that affine maps take the elements of an image of ``size`` to, as ``grid_sample`` wants them: from
    -1 to 1, which are the middles of the outermost elements with ``align_corners``, otherwise their outer edges.

    Shapes: theta (N, 2, 3) and size (N, C, H, W) give (N, H, W, 2); (N, 3, 4) and (N, C, D, H, W) give (N, D, H, W, 3).

    >>> nbgrad.nn.functional.affine_grid(nbgrad.eye(2, 3).unsqueeze(0), (1, 1, 1, 2), align_corners=False)
    tensor([[[[-0.5000,  0.0000],
              [ 0.5000,  0.0000]]]])
    """
    name = "affine_grid"
    maps: Any = tensor_of(name, "theta", theta)
    sizes = ints_of(name, "size", size)
    if align_corners is None:
        _said(name)
    if len(sizes) not in (4, 5):
        raise DimensionError(f"{name} only supports 4D and 5D sizes, for 2D and 3D affine transforms. Got {sizes}.")
    dims = len(sizes) - 2
    if not maps.dtype.is_floating_point or tuple(maps.shape[1:]) != (dims, dims + 1):
        raise ArgumentError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {sizes}. "
            f"Got {list(maps.shape)}."
        )
    if min(sizes) <= 0:
        raise ArgumentError(f"Expected non-zero, positive output size. Got {sizes}")
    n, _, *inner = sizes
    base = [_even(m, bool(align_corners), maps) for m in inner]
    shaped = [
        b.reshape(*[-1 if j == k else 1 for j in range(dims)]).expand(*inner) for k, b in enumerate(base)
    ]  # the last dim is x
    places = _stack([*reversed(shaped), ones(*inner, dtype=maps.dtype, device=maps.device)], -1)
    found: Any = places.reshape(1, -1, dims + 1).matmul(maps.transpose(1, 2))
    return found.reshape(n, *inner, dims)  # type: ignore[no-any-return]


class DimensionError(ArgumentError, NotImplementedError):
    """A number of dims that there is nothing for (PyTorch: NotImplementedError)."""


def _said(name: str) -> None:
    warnings.warn(f"Default {name} behavior has changed to align_corners=False since 1.3.0.", stacklevel=3)


def _even(n: int, align_corners: bool, like: Any) -> Any:
    """n places from -1 to 1: the middles of n equal parts, or both ends included."""
    i: Any = arange(n, dtype=like.dtype, device=like.device)
    if n == 1:
        return i
    return i * (2.0 / (n - 1)) - 1.0 if align_corners else (i * 2.0 + 1.0) / n - 1.0


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """``input`` at the places of ``grid``, whose last dim is (x, y) or (x, y, z), from -1 to 1 over the input.

    Shapes: (N, C, H, W) and (N, H', W', 2) give (N, C, H', W'); volumes have a dim more. ``mode``: "nearest" elements,
    "bilinear" between neighbours, or "bicubic" (images only). Beyond the edges are "zeros", the edge ("border"), or the
    mirrored input ("reflection"). ``align_corners`` as in ``affine_grid``.

    >>> image = nbgrad.tensor([[[[1.0, 3.0]]]])
    >>> nbgrad.nn.functional.grid_sample(image, nbgrad.zeros(1, 1, 1, 2), align_corners=False)
    tensor([[[[2.]]]])
    """
    name = "grid_sample"
    x: Any = tensor_of(name, "input", input)
    at: Any = tensor_of(name, "grid", grid)
    if word_of(name, "mode", mode) not in MODES:
        raise ArgumentError(f"{name}: expected mode to be one of {MODES}, but got: '{mode}'")
    if word_of(name, "padding_mode", padding_mode) not in PADDINGS:
        raise ArgumentError(f"{name}: expected padding_mode to be one of {PADDINGS}, but got: '{padding_mode}'")
    if align_corners is None:
        _said(name)
    _check(name, x, at, mode)
    sampled: Tensor = record(CALLS["grid_sample_of"], (x, at), (mode, padding_mode, bool(align_corners)))
    return sampled


def _check(name: str, x: Any, at: Any, mode: str) -> None:
    dims = x.dim() - 2
    if dims not in (2, 3) or at.dim() != x.dim():
        raise ShapeError(
            f"{name}: expected 4D or 5D input and grid with same number of dimensions, but got input with sizes "
            f"{list(x.shape)} and grid with sizes {list(at.shape)}"
        )
    if at.shape[0] != x.shape[0] or at.shape[-1] != dims:
        raise ShapeError(
            f"{name}: expected grid to have size {dims} in last dimension and the batch size of the input, but got "
            f"input with sizes {list(x.shape)} and grid with sizes {list(at.shape)}"
        )
    if 0 in x.shape[2:]:
        raise ShapeError(f"{name}: expected input to have non-empty spatial dimensions, but input has {list(x.shape)}")
    if mode == "bicubic" and dims != 2:
        raise ShapeError(f"{name}: bicubic interpolation only supports 4D input")

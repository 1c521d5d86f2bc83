"""Images, volumes and signals in another size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, floor
from typing import Any

import numpy as np

from nbgrad.calls.arguments import float_of, int_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.tensor import Tensor
from nbgrad.trace import record, tensor_of

_RANKS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
_NEAREST = ("nearest", "nearest-exact")


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The input in another ``size``, or larger by ``scale_factor``: one number for all dims but the first two, or one
    for each.

    ``mode`` takes the "nearest" elements ("nearest-exact": by their middles), or goes "linear" (3 dims), "bilinear" (4)
    or "trilinear" (5) between neighbours, or "bicubic" (4) on curves through four, for which elements are little
    squares, or with ``align_corners`` points whose outermost ones stay where they are. "area" takes means, as
    ``adaptive_avg_pool2d`` does. ``antialias`` ("bilinear" and "bicubic") averages what comes to lie on one element;
    both take images of bytes, too, and round weights and rows as Pillow does.
    ``recompute_scale_factor`` has the elements as far apart as the sizes say, not as ``scale_factor`` does. ValueError
    for other modes.

    >>> nbgrad.nn.functional.interpolate(nbgrad.tensor([[[1.0, 2.0, 4.0]]]), size=5, mode="linear", align_corners=True)
    tensor([[[1.0000, 1.5000, 2.0000, 3.0000, 4.0000]]])
    """
    x: Tensor = tensor_of("interpolate", "input", input)
    spatial = x.dim() - 2
    if mode not in (*_NEAREST, "area", *_RANKS):
        raise ArgumentError(f"interpolate: mode {mode!r} is not there")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ArgumentError(
            "interpolate: Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor"
        )
    if not 1 <= spatial <= 3 or _RANKS.get(mode, x.dim()) != x.dim():
        raise ArgumentError(f"interpolate: mode {mode!r} does not go with an input of {x.dim()} dims")
    if mode in (*_NEAREST, "area") and align_corners is not None:
        raise ArgumentError("align_corners option can only be set with linear, bilinear, bicubic and trilinear modes")
    if (size is None) == (scale_factor is None):
        raise ArgumentError("interpolate: only one of size or scale_factor should be defined, and one has to be")
    factors: list[float | None] = [None] * spatial
    if size is not None:
        if recompute_scale_factor:
            raise ArgumentError("recompute_scale_factor is not meaningful with an explicit size.")
        sizes = [int_of("interpolate", "size", n) for n in _each("size", size, spatial)]
    else:
        given = [float_of("interpolate", "scale_factor", f) for f in _each("scale_factor", scale_factor, spatial)]
        sizes = [floor(n * f) for n, f in zip(x.shape[2:], given, strict=True)]
        factors = factors if recompute_scale_factor else [*given]
    if 0 in x.shape[1:] or min(sizes) < 1:
        raise ShapeError(f"interpolate: sizes must be positive, got {list(x.shape)} and {sizes}")
    if mode == "area":
        return record(CALLS[f"adaptive_avg_pool{spatial}d"], (x,), (tuple(sizes),))  # type: ignore[no-any-return]
    kind = mode if mode in _NEAREST else "cubic" if mode == "bicubic" else "linear"
    for k in reversed(range(spatial)):
        n, m, factor = x.size(k + 2), sizes[k], factors[k]
        apart = n / m if factor is None else 1.0 / factor
        if align_corners:
            apart = (n - 1) / (m - 1) if m > 1 else 0.0
        if kind in _NEAREST and _repeats(n, m, apart, kind):
            x = record(CALLS["repeat_each"], (x,), (m // n, k + 2))
        else:
            reach = max(apart, 1.0) * (2 if kind == "cubic" else 1)
            taps = 2 * ceil(reach) + 1 if antialias else 0
            x = record(CALLS["resample"], (x, apart), (k + 2, m, kind, bool(align_corners), taps))
    return x


@lru_cache(maxsize=256)
def _repeats(n: int, m: int, apart: float, mode: str) -> bool:
    """Whether the nearest of n elements, for m of them ``apart``, are each element m / n times."""
    if m % n:
        return False
    places = np.arange(m, dtype=np.float32) + np.float32(0.5 if mode == "nearest-exact" else 0.0)
    return np.array_equal(np.floor(places * np.float32(apart)), np.arange(m) // (m // n))


def _each(name: str, given: Any, spatial: int) -> list[Any]:
    """One for each dim; a single one stands for all of them."""
    if not isinstance(given, (tuple, list)):
        return [given] * spatial
    if len(given) != spatial:
        raise ArgumentError(f"interpolate: {name} must be one number or {spatial} of them, got {list(given)}")
    return list(given)

"""Max pooling whose windows begin at random, so that the input shrinks by any factor."""

from __future__ import annotations

from typing import Any

from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.random_tensors import rand
from nbgrad.nn.functions.windows import counted, each, largest, numbered, pooled
from nbgrad.tensor import Tensor

Both = tuple[Tensor, Tensor]


def _fractional(spatial: int, input: Tensor, kernel_size: Any, size: Any, ratio: Any, samples: Any) -> Both:
    """Source: Graham 2014, "Fractional max-pooling": window i begins at floor(alpha (i + u)) - floor(alpha u)."""
    name = f"fractional_max_pool{spatial}d"
    x = pooled(name, input, spatial)
    if (size is None) == (ratio is None):
        raise ArgumentError(f"{name}: requires specifying either an output_size or an output_ratio")
    shape = tuple(x.shape[x.dim() - spatial :])
    window = each(name, "kernel_size", kernel_size, spatial)
    if size is None:
        ratios = ratio if isinstance(ratio, (tuple, list)) else (ratio,) * spatial
        if not all(0 < r < 1 for r in ratios):
            raise ArgumentError(f"{name}: output_ratio must be between 0 and 1 (got {ratio})")
        size = [int(n * r) for n, r in zip(shape, ratios, strict=True)]
    counts = each(name, "output_size", size, spatial)
    for n, k, m in zip(shape, window, counts, strict=True):
        if m < 1 or m + k - 1 > n:
            raise ShapeError(f"{name}: pool size {k} and output size {m} are too large for an input of {n}")
    lead = x.shape[: x.dim() - spatial]
    batch = lead if len(lead) == 2 else (1, *lead)
    u: Any = rand(*batch, spatial, dtype=x.dtype, device=x.device) if samples is None else samples
    if tuple(u.shape) != (*batch, spatial):
        raise ShapeError(f"{name}: expected _random_samples of shape {[*batch, spatial]}, got {list(u.shape)}")
    along = []
    for d, (n, k, m) in enumerate(zip(shape, window, counts, strict=True)):
        own = u.reshape(*lead, spatial)[..., -1 - d if spatial == 2 else d].unsqueeze(-1)
        along.append(_starts(n, k, m, own).unsqueeze(-1) + counted(k, x.device))
    return largest(x, numbered(shape, along), spatial)


def _starts(n: int, k: int, m: int, u: Any) -> Any:
    """Where ``m`` windows of ``k`` of ``n`` elements begin; the last one ends with the last element."""
    i = counted(m, u.device)
    if m == 1:
        return (i + (n - k)).expand(*u.shape[:-1], 1)
    alpha = (n - k) / (m - 1)
    begins = ((i.to(u.dtype) + u) * alpha).floor().long() - (u * alpha).floor().long()
    return begins.where(i < m - 1, i * 0 + (n - k))


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Both:
    """``fractional_max_pool2d`` and the places of its elements among the H W of a channel.

    >>> both = nbgrad.nn.functional.fractional_max_pool2d_with_indices(nbgrad.ones(1, 5, 5), 2, output_size=3)
    >>> both[1].shape
    nbgrad.Size([1, 3, 3])
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Both:
    """``fractional_max_pool3d`` and the places of its elements among the D H W of a channel.

    >>> nbgrad.nn.functional.fractional_max_pool3d_with_indices(nbgrad.ones(1, 4, 4, 4), 2, 2)[0].shape
    nbgrad.Size([1, 2, 2, 2])
    """
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """The largest element of windows that begin at random, as many as ``output_size``, or ``output_ratio`` of the
    input's size. Shapes (N, C, H, W) or (C, H, W); ``return_indices`` gives also where they are.

    ``_random_samples`` (N, C, 2), in [0, 1), stand for the random numbers. ValueError for none or both of size and
    ratio. Source: Graham 2014, "Fractional max-pooling".

    >>> nbgrad.nn.functional.fractional_max_pool2d(nbgrad.ones(1, 5, 5), 2, output_ratio=0.5).shape
    nbgrad.Size([1, 2, 2])
    """
    both = _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """``fractional_max_pool2d`` of volumes: shapes (N, C, D, H, W), or without N.

    >>> nbgrad.nn.functional.fractional_max_pool3d(nbgrad.ones(1, 4, 4, 4), 2, output_ratio=0.5).shape
    nbgrad.Size([1, 2, 2, 2])
    """
    both = _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return both if return_indices else both[0]

"""Names from before ``interpolate``, which warn and call it."""

from __future__ import annotations

import warnings
from typing import Any

from nbgrad.nn import functional
from nbgrad.tensor import Tensor


def _warn(name: str) -> None:
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None
) -> Tensor:
    """``interpolate``, with a warning.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> nbgrad.nn.functional.upsample(nbgrad.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    _warn("upsample")
    return functional.interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` by the nearest elements, with a warning.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> nbgrad.nn.functional.upsample_nearest(nbgrad.tensor([[[1.0, 2.0]]]), size=4)
    tensor([[[1., 1., 2., 2.]]])
    """
    _warn("upsample_nearest")
    return functional.interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` with mode "bilinear" and ``align_corners``, with a warning.

    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> nbgrad.nn.functional.upsample_bilinear(nbgrad.tensor([[[[1.0, 2.0]]]]), size=(1, 3))
    tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """
    _warn("upsample_bilinear")
    return functional.interpolate(input, size, scale_factor, "bilinear", align_corners=True)

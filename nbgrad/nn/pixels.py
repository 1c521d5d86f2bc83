"""Pixels from channels and back, as modules."""

from __future__ import annotations

from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.tensor import Tensor


class PixelShuffle(Module):
    """Channels as pixels, (*, C r^2, H, W) to (*, C, H r, W r); see ``functional.pixel_shuffle``."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels as channels, (*, C, H r, W r) to (*, C r^2, H, W); see ``functional.pixel_unshuffle``."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"

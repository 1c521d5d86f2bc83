"""Images, volumes and signals in another size, as modules."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.nn import functional
from nbgrad.nn.module import Module
from nbgrad.tensor import Tensor


class Upsample(Module):
    """The input in another ``size``, or larger by ``scale_factor``; see ``functional.interpolate``.

    >>> nbgrad.nn.Upsample(scale_factor=2)(nbgrad.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        how = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{how}, mode={self.mode!r}"

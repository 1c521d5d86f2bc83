"""AdamW: Adam with the decay of weights taken out of the gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbgrad.optim.adam import Adam
from nbgrad.optim.options import options_of


class AdamW(Adam):
    """p *= 1 - lr * weight_decay, then Adam's step by the gradient alone: the decay is not scaled by the averages.

    Source: Loshchilov and Hutter 2019, "Decoupled weight decay regularization", in PyTorch's order of operations.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, decoupled_weight_decay=True, **options_of(locals()))

"""Learning rates that change while training. Names, arguments and defaults are those of PyTorch."""

from nbgrad.optim.lr_scheduler.by_epoch import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    StepLR,
)
from nbgrad.optim.lr_scheduler.cyclic import CyclicLR
from nbgrad.optim.lr_scheduler.one_cycle import OneCycleLR
from nbgrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.lr_scheduler.sequential import SequentialLR

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

"""Learning rates that change while training. Names, arguments and defaults are those of PyTorch."""

from typing import TYPE_CHECKING, Any

from nbgrad.absent import AbsentError
from nbgrad.optim.lr_scheduler.by_epoch import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from nbgrad.optim.lr_scheduler.cyclic import CyclicLR
from nbgrad.optim.lr_scheduler.one_cycle import OneCycleLR
from nbgrad.optim.lr_scheduler.plateau import ReduceLROnPlateau
from nbgrad.optim.lr_scheduler.scheduler import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler
from nbgrad.optim.lr_scheduler.sequential import SequentialLR

if TYPE_CHECKING:
    from nbgrad.optim.lr_scheduler.chained import ChainedScheduler

__all__ = [
    "ChainedScheduler",
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
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

_LRScheduler = LRScheduler  # the old name


def __getattr__(name: str) -> Any:
    if name == "ChainedScheduler":  # few programs need it
        from nbgrad.optim.lr_scheduler.chained import ChainedScheduler

        return globals().setdefault(name, ChainedScheduler)
    raise AbsentError("module 'nbgrad.optim.lr_scheduler'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

"""Optimisers. Names, arguments, defaults and the order of operations are those of ``torch.optim``."""

from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.optim import lr_scheduler
from nbgrad.optim.adagrad import Adagrad
from nbgrad.optim.adam import Adam
from nbgrad.optim.adamw import AdamW
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.rmsprop import RMSprop
from nbgrad.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.optim'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

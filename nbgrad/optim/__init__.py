"""Optimisers. Names, arguments, defaults and the order of operations are those of ``torch.optim``."""

from typing import TYPE_CHECKING, Any

from nbgrad.absent import AbsentError
from nbgrad.optim import lr_scheduler
from nbgrad.optim.adagrad import Adagrad
from nbgrad.optim.adam import Adam
from nbgrad.optim.adamw import AdamW
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.rmsprop import RMSprop
from nbgrad.optim.sgd import SGD
from nbgrad.system.imports import import_module

if TYPE_CHECKING:
    from nbgrad.optim import swa_utils
    from nbgrad.optim.adadelta import Adadelta
    from nbgrad.optim.adafactor import Adafactor
    from nbgrad.optim.adamax import Adamax
    from nbgrad.optim.asgd import ASGD
    from nbgrad.optim.lbfgs import LBFGS
    from nbgrad.optim.muon import Muon
    from nbgrad.optim.nadam import NAdam
    from nbgrad.optim.radam import RAdam
    from nbgrad.optim.rprop import Rprop

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swa_utils",
]


def __getattr__(name: str) -> Any:
    """An optimiser of a module of its own, made when somebody first asks for it: most programs need none of them."""
    if name in __all__:
        module = import_module(f"nbgrad.optim.{name.lower()}")
        return globals().setdefault(name, getattr(module, name, module))
    raise AbsentError("module 'nbgrad.optim'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

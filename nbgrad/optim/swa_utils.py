"""Averages of a model's weights over a training, and the learning rate that goes with them. Names, arguments and
defaults are PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from itertools import chain
from math import cos, pi
from typing import Any

from nbgrad.absent import AbsentError
from nbgrad.autograd import no_grad
from nbgrad.errors import ArgumentError
from nbgrad.functions import tensor
from nbgrad.graph.dtypes import int64
from nbgrad.nn.module import Module
from nbgrad.nn.normalization import _BatchNorm
from nbgrad.optim.lr_scheduler.one_cycle import for_each
from nbgrad.optim.lr_scheduler.scheduler import LRScheduler, rates_of
from nbgrad.optim.optimizer import Optimizer
from nbgrad.tensor import Tensor

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
Averages = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """What gives decay * average + (1 - decay) * value. ValueError for a ``decay`` outside 0 to 1."""
    if not 0.0 <= decay <= 1.0:
        raise ArgumentError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")

    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        averaged: Tensor = decay * ema_param + (1 - decay) * current_param
        return averaged

    return ema_update


def get_swa_avg_fn() -> Average:
    """What gives the mean of all values so far."""

    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        averaged: Tensor = averaged_param + (current_param - averaged_param) / (num_averaged + 1)
        return averaged

    return swa_update


def _of_all(average: Average) -> Averages:
    """The same of many tensors, in place."""

    def update(averaged_params: Sequence[Tensor], current_params: Sequence[Tensor], num_averaged: Any) -> None:
        with no_grad():
            for averaged, current in zip(averaged_params, current_params, strict=True):
                averaged.copy_(average(averaged, current, num_averaged))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Averages:
    """``get_ema_avg_fn`` for lists of tensors, written in place."""
    return _of_all(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Averages:
    """``get_swa_avg_fn`` for lists of tensors, written in place."""
    return _of_all(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of ``model``, as ``module``, whose parameters are averages of those given to ``update_parameters``.

    ``avg_fn(average, parameter, count)`` gives the new average, ``multi_avg_fn(averages, parameters, count)`` writes
    all; the mean unless given, and AssertionError for both. Buffers are copied, or averaged with ``use_buffers``.
    Source: Izmailov et al. 2018, "Averaging weights leads to wider optima and better generalization".

    >>> model = nbgrad.nn.Linear(1, 1)
    >>> averaged = nbgrad.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = nbgrad.nn.init.constant_(model.weight, value)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.item()
    3.0
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _averaged(self, model: Module) -> list[Tensor]:
        buffers: Iterable[Tensor] = model.buffers() if self.use_buffers else ()
        return [x.detach() for x in chain(model.parameters(), buffers)]

    def update_parameters(self, model: Module) -> None:
        """Take the parameters of ``model`` into the averages; the first are copied."""
        own, given = self._averaged(self.module), self._averaged(model)
        given = [new.to(x.device) for x, new in zip(own, given, strict=True)]
        count = int(self.n_averaged)
        if count == 0:
            for x, new in zip(own, given, strict=True):
                x.copy_(new)
        else:
            average = self.multi_avg_fn or _of_all(self.avg_fn or get_swa_avg_fn())
            average(own, given, self.n_averaged)
        if not self.use_buffers:
            for x, new in zip(self.module.buffers(), model.buffers(), strict=True):
                x.detach().copy_(new.detach())
        self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms of ``model`` anew, over the batches of ``loader``; of a batch
    that is a list or tuple, the first. ``device``: where the batches go."""
    momenta = {x: x.momentum for x in model.modules() if isinstance(x, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    for norm in momenta:
        norm.reset_running_stats()
        norm.momentum = None
    with no_grad():
        for batch in loader:
            first = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(first if device is None else first.to(device))
    for norm, momentum in momenta.items():
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the rates that are there to ``swa_lr`` (one, or one for each group) in ``anneal_epochs``, along half a
    cosine or, with ``anneal_strategy`` "linear", a line; and no change from then on."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        for group, lr in zip(groups, for_each("swa_lr", groups, swa_lr), strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ArgumentError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """How much of the rate is ``swa_lr`` after ``step`` epochs."""
        done = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return done if self.anneal_strategy == "linear" else (1 - cos(pi * done)) / 2

    def _rates(self) -> list[float]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        rates = []
        for group, lr in zip(self.optimizer.param_groups, rates_of(self.optimizer), strict=True):
            last: float = group["swa_lr"]
            first = last if before == 1 else (lr - last * before) / (1 - before)
            rates.append(last * share + first * (1 - share))
        return rates


def __getattr__(name: str) -> Any:
    raise AbsentError("module 'nbgrad.optim.swa_utils'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

"""RAdam: Adam that waits for its average of squares to be of use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Any

from nbgrad.functions.creation import zeros_like
from nbgrad.optim.adam import check_averaging
from nbgrad.optim.optimizer import Group, Optimizer, plain
from nbgrad.tensor import Tensor


class RAdam(Optimizer):
    """Adam's step times a factor that rises to 1, and the running mean of the gradient alone in the first steps.

    Those are the steps in which the average of squares is one of 5 or fewer. ``decoupled_weight_decay`` decays as AdamW
    does. Source: Liu et al. 2020, "On the variance of the adaptive learning rate and beyond"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.RAdam([weight], lr=0.25)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        check_averaging(type(self).__name__, group)

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
        return state["exp_avg"], state["exp_avg_sq"]

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["weight_decay"] != 0), bool(group["decoupled_weight_decay"]), bool(group["maximize"])

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        beta1, beta2 = [plain(beta) for beta in group["betas"]]
        lr, eps, decay = plain(group["lr"]), plain(group["eps"]), plain(group["weight_decay"])
        first = () if decay == 0 else (1 - lr * decay if group["decoupled_weight_decay"] else decay,)
        numbers: list[Any] = []
        for param in params:
            step = self.state[param]["step"] + 1
            rate = -lr / (1 - beta1**step)
            rectified = _rectified(beta2, step)
            # one form for all steps: the spread is sqrt(square) + eps, or 1
            last = (0.0, 1.0, rate) if rectified is None else (1.0, eps, rate * rectified)
            numbers += (*first, 1 - beta1, beta2, 1 - beta2, *last)
        made = tuple(numbers)
        self._count(params)  # last, so that no exception comes behind it
        return made

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                param.mul_(next(numbers))
            else:
                grad = grad.add(param, alpha=next(numbers))
        mean.lerp_(grad, next(numbers))
        square.mul_(next(numbers)).addcmul_(grad, grad, value=next(numbers))
        spread = square.sqrt().mul_(next(numbers)).add_(next(numbers))
        param.addcdiv_(mean, spread, value=next(numbers))


def _rectified(beta: Any, step: int) -> Any:
    """The factor of a step that is divided by the root of an average of squares; None where that has too few."""
    most, unbiased = 2 / (1 - beta) - 1, 1 - beta**step
    length = most - 2 * step * beta**step / unbiased
    if length <= 5:
        return None
    return sqrt(unbiased * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))

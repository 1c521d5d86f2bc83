"""RAdam: Adam that waits for its average of squares to be of use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.optim.by_parameter import ByParameter
from nbgrad.optim.options import Group, numbers_in, options_of, root
from nbgrad.tensor import Tensor


class RAdam(ByParameter):
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

    _kept = ("exp_avg", "exp_avg_sq")
    _switches = ("weight_decay", "decoupled_weight_decay", "maximize")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        lr, (beta1, beta2), eps = numbers_in(group, "lr", "betas", "eps")
        rate, rectified = -lr / (1 - beta1**step), _rectified(beta2, step)
        # one form for all steps: the spread is sqrt(square) + eps, or 1
        last = (0.0, 1.0, rate) if rectified is None else (1.0, eps, rate * rectified)
        return 1 - beta1, beta2, 1 - beta2, *last

    def _along(self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], mean: Tensor, square: Tensor) -> None:
        mean.lerp_(grad, next(n))
        square.mul_(next(n)).addcmul_(grad, grad, value=next(n))
        spread = square.sqrt().mul_(next(n)).add_(next(n))
        param.addcdiv_(mean, spread, value=next(n))


def _rectified(beta: Any, step: int) -> Any:
    """The factor of a step that is divided by the root of an average of squares; None where that has too few."""
    most, unbiased = 2 / (1 - beta) - 1, 1 - beta**step
    length = most - 2 * step * beta**step / unbiased
    if length <= 5:
        return None
    return root(unbiased * (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))

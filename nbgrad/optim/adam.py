"""Adam: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Any

from nbgrad.calls.arguments import items_of
from nbgrad.functions.creation import zeros_like
from nbgrad.optim.optimizer import Group, Optimizer, number, plain, require
from nbgrad.tensor import Tensor


class Adam(Optimizer):
    """p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps), m and v running averages of grad and grad^2.

    ``amsgrad`` takes the largest v so far. ``weight_decay`` is added to the gradient (L2). Source: Kingma and Ba 2015,
    in PyTorch's order of operations; AMSGrad by Reddi et al. 2018.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
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
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        check_averaging(type(self).__name__, group)

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(param)
        kept: tuple[Tensor, ...] = state["exp_avg"], state["exp_avg_sq"]
        return (*kept, state["max_exp_avg_sq"]) if group["amsgrad"] else kept

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["amsgrad"]), bool(group["maximize"]), bool(group["weight_decay"] != 0)

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        beta1, beta2 = [plain(beta) for beta in group["betas"]]
        lr, eps = plain(group["lr"]), plain(group["eps"])
        first = [self._decay(group), 1 - beta1, beta2, 1 - beta2]
        if group["weight_decay"] == 0:
            del first[0]
        counted = None
        numbers: list[Any] = []
        kept = self.state
        own: tuple[Any, ...] = ()
        try:
            for param in params:
                state = kept[param]
                step = state["step"] + 1
                if step != counted:
                    counted = step
                    own = (*first, sqrt(1 - beta2**counted), eps, -lr / (1 - beta1**counted))
                numbers += own
                state["step"] = step
            return tuple(numbers)
        except BaseException:  # of a signal's handler: all steps are counted, or none is
            self._uncount(params[: len(numbers) // max(len(own), 1)])
            raise

    def _decay(self, group: Group) -> Any:
        """The number by which weights decay."""
        return plain(group["weight_decay"])

    def _decayed(self, param: Tensor, grad: Tensor, decay: Any) -> Tensor:
        """The gradient to follow, with the pull of ``param`` towards 0 in it."""
        pulled: Tensor = grad.add(param, alpha=decay)
        return pulled

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = self._decayed(param, grad, next(numbers))
        mean.lerp_(grad, next(numbers))
        square.mul_(next(numbers)).addcmul_(grad, grad, value=next(numbers))
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            largest.copy_(largest.maximum(square))
            square = largest
        spread = (square.sqrt() / next(numbers)).add_(next(numbers))
        param.addcdiv_(mean, spread, value=next(numbers))


def check_averaging(name: str, group: Group) -> None:
    """Raise ArgumentError where an option that optimiser ``name`` shares with Adam is out of range."""
    require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
    require(number("epsilon value", group["eps"]) >= 0.0, "epsilon value", group["eps"])
    for i, beta in enumerate(items_of(name, "betas", group["betas"], "two numbers")):
        require(0.0 <= number("beta", beta) < 1.0, f"beta parameter at index {i}", beta)
    require(number("weight_decay value", group["weight_decay"]) >= 0.0, "weight_decay value", group["weight_decay"])

"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.functions.creation import zeros_like
from nbgrad.optim.adam import check_averaging
from nbgrad.optim.kept_numbers import KeepsNumbers, Numbers
from nbgrad.optim.optimizer import Group, number, plain, require
from nbgrad.tensor import Tensor


class NAdam(KeepsNumbers):
    """Adam whose step goes along the next momentum: m of weight mu(t + 1) and grad of weight 1 - mu(t).

    mu(t) = b1 * (1 - 0.96^(t * momentum_decay) / 2). ``decoupled_weight_decay`` decays as AdamW does. Source: Dozat
    2016, "Incorporating Nesterov momentum into Adam"; in PyTorch's order of operations.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.NAdam([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.4718], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
                "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        check_averaging(type(self).__name__, group)
        decay = number("momentum_decay value", group["momentum_decay"])
        require(decay >= 0.0, "momentum_decay value", decay)

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, mu_product=1.0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
        return state["exp_avg"], state["exp_avg_sq"]

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["weight_decay"] != 0), bool(group["decoupled_weight_decay"]), bool(group["maximize"])

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        beta1, beta2 = [plain(beta) for beta in group["betas"]]
        lr, eps, decay = plain(group["lr"]), plain(group["eps"]), plain(group["weight_decay"])
        slowing = plain(group["momentum_decay"])
        first = () if decay == 0 else (1 - lr * decay if group["decoupled_weight_decay"] else decay,)
        numbers: list[Any] = []
        after: list[Numbers] = []
        for param in params:
            step = self.state[param]["step"] + 1
            now, then = [beta1 * (1 - 0.5 * 0.96 ** (t * slowing)) for t in (step, step + 1)]
            product = self.state[param]["mu_product"] * now
            numbers += (*first, 1 - beta1, beta2, 1 - beta2, 1 - beta2**step, eps)
            numbers += (-lr * (1 - now) / (1 - product), -lr * then / (1 - product * then))
            after.append({"step": step, "mu_product": product})
        made = tuple(numbers)
        self._advance(params, after)  # last, so that no exception comes behind it
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
        spread = square.div(next(numbers)).sqrt_().add_(next(numbers))
        param.addcdiv_(grad, spread, value=next(numbers))
        param.addcdiv_(mean, spread, value=next(numbers))

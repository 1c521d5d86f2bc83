"""Adagrad: steps divided by the root of the sum of all squared gradients so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.functions.creation import full_like
from nbgrad.optim.optimizer import Group, Optimizer, number, plain, require
from nbgrad.tensor import Tensor


class Adagrad(Optimizer):
    """p -= lr / (1 + t lr_decay) * grad / (sqrt(s) + eps) with s += grad^2, t counting the steps before.

    Source: Duchi, Hazan and Singer 2011, "Adaptive subgradient methods"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adagrad([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "maximize": maximize,
            },
        )

    def _check(self, group: Group) -> None:
        for name, said in (
            ("lr", "learning rate"),
            ("lr_decay", "lr_decay value"),
            ("weight_decay", "weight_decay value"),
            ("initial_accumulator_value", "initial_accumulator_value value"),
            ("eps", "epsilon value"),
        ):
            require(number(said, group[name]) >= 0.0, said, group[name])

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, sum=full_like(param, group["initial_accumulator_value"]))
        return (state["sum"],)

    def _form(self, group: Group) -> tuple[bool, ...]:
        return bool(group["weight_decay"] != 0), bool(group["maximize"])

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        numbers: list[Any] = []
        for param in params:
            if group["weight_decay"] != 0:
                numbers.append(plain(group["weight_decay"]))
            steps = self.state[param]["step"]
            numbers += [plain(group["eps"]), -plain(group["lr"]) / (1 + steps * plain(group["lr_decay"]))]
        made = tuple(numbers)
        self._count(params)  # last, so that no exception comes behind it
        return made

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=next(numbers))
        squares = state["sum"].addcmul_(grad, grad)
        param.addcdiv_(grad, squares.sqrt().add_(next(numbers)), value=next(numbers))

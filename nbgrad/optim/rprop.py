"""Rprop: steps by the sign of the gradient alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.functions import where
from nbgrad.functions.creation import full_like, zeros_like
from nbgrad.optim.optimizer import Group, Optimizer, number, plain, require
from nbgrad.tensor import Tensor


class Rprop(Optimizer):
    """p -= sign(grad) * s, where each element's s grows by ``etas[1]`` while its gradient keeps its sign.

    Where the sign changes, s shrinks by ``etas[0]`` and the element rests for a step. s begins with lr and stays within
    ``step_sizes``. Source: Riedmiller and Braun 1993, "A direct adaptive method for faster backpropagation learning";
    in PyTorch's form, which does not go back.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Rprop([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})

    def _check(self, group: Group) -> None:
        require(number("learning rate", group["lr"]) >= 0.0, "learning rate", group["lr"])
        down, up = [number("eta value", eta) for eta in group["etas"]]
        if not 0.0 < down < 1.0 < up:
            raise ArgumentError(f"Invalid eta values: {down}, {up}")

    def _state_of(self, param: Tensor, group: Group) -> tuple[Tensor, ...]:
        state = self.state[param]
        if not state:
            state.update(step=0, prev=zeros_like(param), step_size=full_like(param, plain(group["lr"])))
        return state["prev"], state["step_size"]

    def _form(self, group: Group) -> tuple[bool, ...]:
        return (bool(group["maximize"]),)

    def _numbers(self, group: Group, params: Sequence[Tensor]) -> tuple[Any, ...]:
        (down, up), (least, most) = [[plain(x) for x in group[name]] for name in ("etas", "step_sizes")]
        numbers = (0.0, up, 0.0, down, least, most, 0.0, -1.0) * len(params)
        self._count(params)  # last, so that no exception comes behind it
        return numbers

    def _step(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: Group, numbers: Iterator[Any]) -> None:
        before, size = state["prev"], state["step_size"]
        if group["maximize"]:
            grad = -grad
        agreement = grad * before
        grown = where(agreement.gt(next(numbers)), size * next(numbers), size)
        turned = agreement.lt(next(numbers))
        size.copy_(where(turned, size * next(numbers), grown)).clamp_(next(numbers), next(numbers))
        grad = where(turned, next(numbers), grad)
        param.addcmul_(grad.sign(), size, value=next(numbers))
        before.copy_(grad)

"""Rprop: steps by the sign of the gradient alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.functions import where
from nbgrad.optim.by_parameter import ByParameter, filled_like
from nbgrad.optim.options import Group, number, numbers_in, options_of, plain
from nbgrad.tensor import Tensor


class Rprop(ByParameter):
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

    _kept = ("prev", "step_size")
    _switches = ("maximize",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        super()._check(group)
        down, up = [number("eta value", eta) for eta in group["etas"]]
        if not 0.0 < down < 1.0 < up:
            raise ArgumentError(f"Invalid eta values: {down}, {up}")

    def _first(self, param: Tensor, group: Group) -> dict[str, Any]:
        return {**super()._first(param, group), "step_size": filled_like(param, plain(group["lr"]))}

    def _own(self, group: Group, step: int) -> tuple[Any, ...]:
        (down, up), (least, most) = numbers_in(group, "etas", "step_sizes")
        return 0.0, up, 0.0, down, least, most, 0.0, -1.0

    def _along(self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], before: Tensor, size: Tensor) -> None:
        agreement = grad * before
        grown = where(agreement.gt(next(n)), size * next(n), size)
        turned = agreement.lt(next(n))
        size.copy_(where(turned, size * next(n), grown)).clamp_(next(n), next(n))
        grad = where(turned, next(n), grad)
        param.addcmul_(grad.sign(), size, value=next(n))
        before.copy_(grad)

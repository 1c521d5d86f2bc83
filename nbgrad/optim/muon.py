"""Muon: steps along the orthogonal matrix that is nearest to the momentum of a matrix's gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.optim.kept_numbers import KeepsNumbers, Numbers
from nbgrad.optim.options import Group, numbers_in, options_of
from nbgrad.tensor import Tensor

_LEAST_TOO_MANY = 100  # steps of the iteration


class Muon(KeepsNumbers):
    """p = (1 - lr * weight_decay) * p - lr * c * O(m), m the running average of grad, for matrices alone.

    O takes the singular values of a matrix to about 1, by ``ns_steps`` Newton-Schulz iterations a x + (b + c x x^T)
    x x^T x with ``ns_coefficients`` (a, b, c), in the parameter's dtype (PyTorch's are of bfloat16: three digits).
    ``nesterov`` goes along grad and m. c follows from the (rows, columns) by ``adjust_lr_fn``: "original", or None:
    sqrt(max(1, rows / columns)); "match_rms_adamw": 0.2 sqrt(max(rows, columns)). Source: Jordan et al. 2024, "Muon: an
    optimizer for hidden layers in neural networks"; Liu et al. 2025, "Muon is scalable for LLM training".

    >>> weight = nbgrad.eye(2, requires_grad=True)
    >>> optimizer = nbgrad.optim.Muon([weight], lr=0.5, weight_decay=0)
    >>> (weight * nbgrad.eye(2)).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([[0.6499, 0.0000],
            [0.0000, 0.6499]], requires_grad=True)
    """

    _decoupled = True
    _takes_complex = False
    _counts = ()
    _kept = ("momentum_buffer",)
    _switches = ("weight_decay", "nesterov")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        for option, words in (("lr", "Learning rate"), ("momentum", "momentum"), ("weight_decay", "weight decay")):
            if not group[option] >= 0:
                raise ArgumentError(f"{words} should be >= 0 but is: {group[option]}")
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ArgumentError(f"Adjust learning rate function {group['adjust_lr_fn']} is not supported")
        if group["ns_steps"] >= _LEAST_TOO_MANY:
            raise ArgumentError("Number of steps must be less than 100 for computational efficiency")
        if len(group["ns_coefficients"]) != 3:
            raise ArgumentError("Coefficients must be a tuple of exactly 3 values")
        for param in group["params"]:
            if param.dim() != 2:
                raise ArgumentError(f"Muon only supports 2D parameters, but one has shape {[*param.shape]}")

    def _form(self, group: Group) -> tuple[bool, ...]:
        return *super()._form(group), group["ns_steps"]

    def _first(self, param: Tensor, group: Group) -> dict[str, Any]:
        first = super()._first(param, group)
        return {name: first[name] for name in self._kept}

    def _kind(self, param: Tensor) -> Any:
        return tuple(param.shape)

    def _after(self, group: Group, state: Numbers, kind: Any) -> tuple[tuple[Any, ...], Numbers]:
        lr, momentum, eps, (a, b, c) = numbers_in(group, "lr", "momentum", "eps", "ns_coefficients")
        rows, columns = kind
        is_wide = group["adjust_lr_fn"] == "match_rms_adamw"
        scale = 0.2 * sqrt(max(rows, columns)) if is_wide else sqrt(max(1.0, rows / columns))
        nesterov = (momentum,) if group["nesterov"] else ()
        return (1 - momentum, *nesterov, eps, *(b, c, a) * group["ns_steps"], -lr * scale), {}

    def _along(self, param: Tensor, grad: Tensor, group: Group, n: Iterator[Any], mean: Tensor) -> None:
        mean.lerp_(grad, next(n))
        update = grad.lerp(mean, next(n)) if group["nesterov"] else mean
        is_tall = param.size(0) > param.size(1)
        x = update.T if is_tall else update
        x = x / (x * x).sum().sqrt_().clamp_(next(n))
        for _ in range(group["ns_steps"]):
            gram = x @ x.T
            polynomial = (gram * next(n)).add_(gram @ gram, alpha=next(n))
            x = (x * next(n)).add_(polynomial @ x)
        param.add_(x.T if is_tall else x, alpha=next(n))

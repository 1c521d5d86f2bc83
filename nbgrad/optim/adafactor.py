"""Adafactor: Adam's scaling from the means of rows and columns alone, which take little memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Any

from nbgrad.errors import ArgumentError
from nbgrad.functions.creation import zeros
from nbgrad.functions.limits import finfo
from nbgrad.optim.kept_numbers import KeepsNumbers, Numbers
from nbgrad.optim.options import Group, numbers_in, options_of, plain
from nbgrad.tensor import Tensor


class Adafactor(KeepsNumbers):
    """p -= rate * u / max(1, rms(u) / d) with u = grad / sqrt(v) and rate = max(eps2, rms(p)) * min(lr, 1 / sqrt(t)).

    v is a running average of grad^2, whose newest has the weight t ** beta2_decay; of a parameter with two dims or more
    it is the product of its means over rows and over columns, which are all that is kept. ``eps`` is (the least v, or
    None for the dtype's own; eps2). Source: Shazeer and Stern 2018, "Adafactor: adaptive learning rates with sublinear
    memory cost"; in PyTorch's form.

    >>> weight = nbgrad.ones(1, requires_grad=True)
    >>> optimizer = nbgrad.optim.Adafactor([weight], lr=0.5)
    >>> (2 * weight).sum().backward()
    >>> optimizer.step()
    >>> weight
    tensor([0.5000], requires_grad=True)
    """

    _smaller = ("row_var", "col_var")
    _takes_complex = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    def _check(self, group: Group) -> None:
        least, size = group["eps"]
        for words, value, is_good in (
            ("Learning rate should be >= 0", group["lr"], group["lr"] >= 0),
            ("beta2_decay should be <= 0", group["beta2_decay"], group["beta2_decay"] <= 0),
            ("epsilon1 should be >= 0", least, least is None or least >= 0),
            ("epsilon2 should be >= 0", size, size >= 0),
            ("Clipping threshold d should be >= 1", group["d"], group["d"] >= 1),
            ("weight_decay should be >= 0", group["weight_decay"], group["weight_decay"] >= 0),
        ):
            if not is_good:
                raise ArgumentError(f"{words} but is: {value}")

    def _states_of(self, params: Sequence[Tensor], group: Group) -> Sequence[tuple[Tensor, ...]]:
        found = []
        for param in params:
            state = self.state[param]
            if not state:
                state.update(step=0, **_averages(param))
            names = ("row_var", "col_var") if param.dim() > 1 else ("variance",)
            found.append(tuple([state[name] for name in names]))
        return found

    def _kind(self, param: Tensor) -> Any:
        return param.dtype, param.dim() > 1

    def _decay(self, group: Group) -> tuple[Any, ...]:
        return ()  # it comes behind the parameter's size

    def _after(self, group: Group, state: Numbers, kind: Any) -> tuple[tuple[Any, ...], Numbers]:
        step, (dtype, is_matrix) = state["step"] + 1, kind
        lr, slowing, d, decay = numbers_in(group, "lr", "beta2_decay", "d", "weight_decay")
        least, size = group["eps"]
        least = finfo(dtype).eps if least is None else plain(least)
        decayed = () if group["weight_decay"] == 0 else (1 - lr * decay,)
        newest = step**slowing
        averaged = (newest, newest, least) if is_matrix else (newest,)
        rate = min(lr, 1 / sqrt(step))
        return (plain(size), rate, *decayed, *averaged, least * least, d, 1.0), {"step": step}

    def _step(self, param: Tensor, grad: Tensor, group: Group, numbers: Iterator[Any], kept: Sequence[Tensor]) -> None:
        n = numbers
        rate = _rms(param).clamp_(next(n)).mul_(next(n))
        if group["weight_decay"] != 0:
            param.mul_(next(n))
        squares = grad * grad
        if param.dim() > 1:
            rows, columns = kept
            rows.lerp_(squares.mean(-1, keepdim=True), next(n))
            columns.lerp_(squares.mean(-2, keepdim=True), next(n))
            average = (rows @ columns).div_(rows.mean(-2, keepdim=True).clamp_(next(n)))
        else:
            average = kept[0].lerp_(squares, next(n))
        update = average.clamp(next(n)).rsqrt_().mul_(grad)
        rate.div_((_rms(update) / next(n)).clamp_(next(n)))
        if group["maximize"]:
            param.add_(update.mul_(rate))
        else:
            param.sub_(update.mul_(rate))


def _averages(param: Tensor) -> dict[str, Tensor]:
    """What is kept of a parameter's gradients, before there are any."""
    sizes = [*param.shape]
    shapes = {"variance": sizes}
    if len(sizes) > 1:
        shapes = {"row_var": [*sizes[:-1], 1], "col_var": [*sizes[:-2], 1, sizes[-1]]}
    return {name: zeros(shape, dtype=param.dtype, device=param.device) for name, shape in shapes.items()}


def _rms(x: Tensor) -> Tensor:
    size: Tensor = (x * x).mean().sqrt_()
    return size

"""Options of optimisers: whether they are in range, and their values as numbers to count with."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, Final

import numpy as np

from nbgrad.calls.arguments import items_of
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.tensor import Tensor

Group = dict[str, Any]  # "params": the tensors, and one entry per option

# Options that change no result here: PyTorch chooses an implementation by them.
IDLE: Final = ("foreach", "capturable", "fused", "param_names")

_NOT_NEGATIVE = ("lr", "eps", "weight_decay", "momentum", "lr_decay", "initial_accumulator_value", "momentum_decay")
_WORDS = {"lr": "learning rate", "eps": "epsilon value"}


class Required:
    """The default of an option that every group has to have."""

    def __repr__(self) -> str:
        return "<required parameter>"


def options_of(arguments: Mapping[str, Any]) -> Group:
    """The options among the ``arguments`` of an optimiser's ``__init__``: what it calls ``locals()``."""
    return {name: value for name, value in arguments.items() if name not in ("self", "params", "__class__")}


def check_options(name: str, group: Group) -> None:
    """Raise ArgumentError where an option that several optimisers have is out of range for optimiser ``name``,
    RuntimeError for flags that do not go together."""
    for option in _NOT_NEGATIVE:
        if option in group:
            check_not_negative(group, option)
    if "betas" in group:
        for i, beta in enumerate(items_of(name, "betas", group["betas"], "two numbers")):
            require(0.0 <= number("beta", beta) < 1.0, f"beta parameter at index {i}", beta)
    if group.get("fused") and group.get("differentiable"):
        raise RunError("`fused` does not support `differentiable`")
    if group.get("fused") and group.get("foreach"):
        raise RunError("`fused` and `foreach` cannot be `True` together.")
    if isinstance(group["lr"], Tensor) and group.get("foreach") and not group.get("capturable"):
        raise ArgumentError("lr as a Tensor is not supported for capturable=False and foreach=True")


def check_not_negative(group: Group, option: str) -> None:
    """Raise ArgumentError "Invalid <option> value: <value>" for one below 0 or NaN."""
    said = _WORDS.get(option, f"{option} value")
    require(number(said, group[option]) >= 0.0, said, group[option])


def require(ok: bool, name: str, value: object) -> None:
    """ArgumentError "Invalid <name>: <value>" unless ``ok``."""
    if not ok:
        raise ArgumentError(f"Invalid {name}: {value}")


def number(name: str, value: object) -> float:
    """``value``; DTypeError where it is no number (a tensor of one element is one, ArgumentError for others)."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise ArgumentError(f"Tensor {name} must be 1-element, got {value.numel()} elements")
    elif not isinstance(value, (int, float, np.number)):
        raise DTypeError(f"Invalid {name}: expected a number, got {type(value).__name__}")
    return value  # type: ignore[return-value]


def numbers_in(group: Group, *names: str) -> list[Any]:
    """The options of these names as floats, a pair as two; those that are tensors as they are."""
    values = [group[name] for name in names]
    return [[*map(plain, value)] if isinstance(value, (tuple, list)) else plain(value) for value in values]


def plain(value: Any) -> Any:
    """A number as a float; a tensor as it is."""
    return value if isinstance(value, Tensor) else float(value)


def root(value: Any) -> Any:
    """The square root of such a value: a tensor's derivative goes through it."""
    return value.sqrt() if isinstance(value, Tensor) else sqrt(value)

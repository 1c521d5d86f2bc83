"""0-d tensors are tensors: whatever made them, they promote as PyTorch's do, and never as the numbers they hold."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.errors import DTypeError
from nbgrad.graph.dtypes import ALL

TABLE = json.loads((Path(__file__).parents[1] / "fixtures" / "promotion.json").read_text())["result_type"]
NUMBERS = {"bool": True, "int64": 3, "float32": 2.5}
OPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "floor_divide": operator.floordiv,
    "lt": operator.lt,
    "where": lambda a, b: nb.where(nb.tensor(True), a, b),
}


def written(dtype: nb.dtype) -> Any:
    a = nb.zeros((), dtype=dtype)
    a[...] = 1
    return a


def filled(dtype: nb.dtype) -> Any:
    return nb.empty((), dtype=dtype).fill_(1)


def gradient(dtype: nb.dtype) -> Any:
    """Of a product: the number itself."""
    if not dtype.is_floating_point:
        return nb.ones((), dtype=dtype)
    x = nb.ones((), dtype=dtype, requires_grad=True)
    return nb.autograd.grad(x * 1, x)[0]


MADE: dict[str, Callable[[Any], Any]] = {
    "full": lambda d: nb.full((), 1, dtype=d),
    "full of a float": lambda d: nb.full((), 1.0, dtype=d),
    "full of a bool": lambda d: nb.full((), True, dtype=d),
    "full_like": lambda d: nb.full_like(nb.tensor(0, dtype=d), 1),
    "new_full": lambda d: nb.tensor(0.0).new_full((), 1, dtype=d),
    "full, reshaped": lambda d: nb.full((1,), 1, dtype=d).reshape(()),
    "full, one element": lambda d: nb.full((2,), 1, dtype=d)[1],
    "full, cast": lambda d: nb.full((), 1).to(d),
    "full, cloned": lambda d: nb.full((), 1, dtype=d).clone(),
    "full, detached": lambda d: nb.full((), 1, dtype=d).detach(),
    "full, expanded": lambda d: nb.full((), 1, dtype=d).expand(3)[0],
    "tensor": lambda d: nb.tensor(1, dtype=d),
    "ones": lambda d: nb.ones((), dtype=d),
    "zeros + 1": lambda d: nb.zeros((), dtype=d).logical_not().to(d),
    "arange": lambda d: nb.arange(1, 2).to(d)[0],
    "eye": lambda d: nb.eye(2, dtype=d)[0, 0],
    "linspace": lambda d: nb.linspace(1, 1, 1).to(d)[0],
    "written": written,
    "filled": filled,
    "masked_fill": lambda d: nb.zeros((), dtype=d).masked_fill(nb.tensor(True), 1),
    "where": lambda d: nb.where(nb.tensor(True), 1, 0).to(d),
    "clamp": lambda d: nb.zeros((), dtype=nb.int64).clamp(min=1).to(d),
    "gradient": gradient,
}


def others() -> Iterator[tuple[str, Any, Any]]:
    """(what the other operand is in the table, the operand, its value)"""
    for name, number in NUMBERS.items():
        yield f"{name}:2", number, number
    for dtype in ALL:
        yield f"{dtype.name}:1", nb.tensor(1, dtype=dtype), 1
        yield f"{dtype.name}:0", nb.tensor([1, 1], dtype=dtype), 1


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("made", MADE)
def test_a_tensor_without_dims_is_no_number(made: str, dtype: nb.dtype) -> None:
    """In the baseline tier, when its structure is planned, and each time after that."""
    make = MADE[made]
    for kind, other, value in others():
        for _ in range(4):
            for both in ((make(dtype), other), (other, make(dtype))):
                y = nb.mul(*both) if isinstance(both[0], nb.Tensor) else both[0] * both[1]
                assert y.dtype.name == TABLE[f"{dtype.name}:1,{kind}"], (made, kind)
                assert y.reshape(-1)[0].item() == value * 1, (made, kind)


@pytest.mark.parametrize("name", OPS)
def test_results_are_those_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares dtypes and values with torch's")
    op = OPS[name] if name != "where" else lambda a, b: torch.where(torch.tensor(True), a, b)
    for dtype in ALL:
        theirs = torch.full((), 1, dtype=getattr(torch, dtype.name))
        for number in (True, 3, 2.5):
            for turned in (False, True):
                if name == "pow" and number is True and dtype is nb.bool:
                    continue  # not implemented here
                try:
                    expected = op(number, theirs) if turned else op(theirs, number)
                except RuntimeError:
                    expected = None
                for _ in range(4):
                    own = nb.full((), 1, dtype=dtype)
                    try:
                        y = OPS[name](number, own) if turned else OPS[name](own, number)
                    except (DTypeError, RuntimeError):
                        assert expected is None, (dtype, number, turned)
                        continue
                    assert expected is not None, (dtype, number, turned)
                    assert y.dtype.name == str(expected.dtype).removeprefix("torch."), (dtype, number, turned)
                    assert y.item() == expected.item(), (dtype, number, turned)


def test_values_keep_all_their_digits() -> None:
    for _ in range(4):
        y = nb.full((), 0.1, dtype=nb.float64) * 2
        assert (y.dtype, y.item()) == (nb.float64, 0.2)
        x = nb.tensor(1.0, dtype=nb.float64, requires_grad=True)
        (g,) = nb.autograd.grad(x * 0.1, x)
        assert ((g * 2).dtype, (g * 2).item()) == (nb.float64, 0.2)


def test_a_weight_that_was_cast_is_a_tensor() -> None:
    a, b = nb.zeros(2), nb.ones(2)
    with pytest.raises(DTypeError, match="one dtype"):
        nb.lerp(a, b, nb.ones(2).to(nb.float64))

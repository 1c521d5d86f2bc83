"""Python's operators with everything that may stand beside a tensor."""

from __future__ import annotations

import enum
import operator

import numpy as np
import pytest

import nbgrad as nb


def test_bools_are_numbers_beside_a_tensor() -> None:
    x = nb.tensor([1.0, 2.0])
    assert (x + True).tolist() == (True + x).tolist() == [2.0, 3.0]
    assert (x * False).tolist() == [0.0, 0.0]
    x += True
    assert x.tolist() == [2.0, 3.0]


def test_arrays_are_taken_in_on_either_side() -> None:
    x, a = nb.ones(3), np.arange(3.0)
    assert (x + a).tolist() == (a + x).tolist() == [1.0, 2.0, 3.0]
    assert (np.eye(3) @ x.double()).tolist() == [1.0] * 3


def test_an_integer_beyond_64_bits_is_refused() -> None:
    with pytest.raises(RuntimeError, match="64 bits"):
        nb.ones(2) + 2**70


def test_flat_functions_have_zero_derivatives() -> None:
    for name in ("floor", "ceil", "trunc", "round", "sign"):
        x = nb.tensor([1.5, -2.5], requires_grad=True)
        getattr(x, name)().sum().backward()
        assert x.grad.tolist() == [0.0, 0.0], name


class Whole(int):
    pass


class Part(float):
    pass


class Choice(enum.IntEnum):
    TWO = 2


class Ratio(float, enum.Enum):
    HALF = 0.5


@pytest.mark.parametrize("number", [Whole(2), Choice.TWO, Part(0.5), Ratio.HALF, np.float64(0.5)], ids=repr)
def test_subclasses_of_numbers_are_operands(number: float) -> None:
    plain = int(number) if isinstance(number, int) else float(number)
    for _ in range(3):
        for x in (nb.tensor([1.0, 3.0]), nb.tensor([1, 3])):
            for use in (
                lambda x, n: x + n,
                lambda x, n: n - x,
                lambda x, n: x / n,
                lambda x, n: n // x,
                lambda x, n: x % n,
                lambda x, n: n**x,
                lambda x, n: x**n,
                lambda x, n: x < n,
                lambda x, n: x == n,
                lambda x, n: n != x,
                lambda x, n: nb.where(x > 1, x, n),
                lambda x, n: x.clamp(min=n),
                lambda x, n: x.masked_fill(x > 1, n),
                lambda x, n: nb.add(x, x, alpha=n) if x.is_floating_point() else x,
                lambda x, n: nb.full((2,), n),
                lambda x, n: x.new_full((2,), n),
                lambda x, n: x.double().mul_(n),
                lambda x, n: x.double().copy_(n),
                lambda x, n: nb.arange(0, 4, n),
            ):
                found, expected = use(x, number), use(x, plain)
                assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    assert nb.result_type(nb.ones(1), number) is nb.float32


@pytest.mark.parametrize("number", [Whole(2), Choice.TWO, np.int64(2)], ids=repr)
def test_subclasses_of_int_are_sizes_dims_and_indices(number: int) -> None:
    x = nb.arange(24).reshape(2, 3, 4)
    assert nb.zeros(number, number).shape == nb.zeros((number, number)).shape == (2, 2)
    assert x.sum(number).tolist() == x.sum((number,)).tolist() == x.sum(2).tolist()
    assert x[..., number].tolist() == x[..., 2].tolist()
    assert x[:, number].tolist() == x[:, 2].tolist()
    assert x[:, :number, ::number].tolist() == x[:, :2, ::2].tolist()
    assert x.transpose(0, number).shape == (4, 3, 2)
    assert x.reshape(-1, number).shape == (12, 2)
    assert nb.nn.Linear(number, number).weight.shape == (2, 2)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "lshift"])
def test_the_class_of_the_other_operand_is_asked(name: str) -> None:
    other = type("Other", (), {f"__r{name}__": lambda self, tensor: "theirs"})()
    for form in (name, f"i{name}") if name != "matmul" else (name,):
        x = nb.tensor([1, 2])
        assert getattr(operator, f"__{form}__")(x, other) == "theirs"
        with pytest.raises(TypeError, match=r"unsupported operand type.* 'Tensor' and 'object'"):
            getattr(operator, f"__{form}__")(x, object())
    with pytest.raises(TypeError, match=r"unsupported operand type.* 'object' and 'Tensor'"):
        getattr(operator, f"__{name}__")(object(), nb.tensor([1, 2]))

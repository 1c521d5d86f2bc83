"""Python numbers that a function converts to a tensor's dtype: those that do not fit are refused where PyTorch refuses
them, and wrap where it calculates with them."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import nbgrad as nb


def assigned(place: Any) -> Any:
    def write(m: Any, x: Any, v: Any) -> Any:
        x = x.clone()
        x[place(m, x)] = v
        return x

    return write


FUNCTIONS: dict[str, Any] = {
    "fill_": lambda m, x, v: x.clone().fill_(v),
    "fill": lambda m, x, v: m.fill(x, v),
    "clamp": lambda m, x, v: x.clamp(v),
    "clamp max": lambda m, x, v: m.clamp(x, max=v),
    "clamp_": lambda m, x, v: x.clone().clamp_(v),
    "clamp_min": lambda m, x, v: m.clamp_min(x, v),
    "clamp_max_": lambda m, x, v: x.clone().clamp_max_(v),
    "where": lambda m, x, v: m.where(x == 1, x, v),
    "where first": lambda m, x, v: m.where(x == 1, v, x),
    "Tensor.where": lambda m, x, v: x.where(x == 1, v),
    "masked_fill": lambda m, x, v: x.masked_fill(x == 1, v),
    "masked_fill_": lambda m, x, v: x.clone().masked_fill_(x == 1, v),
    "index_fill": lambda m, x, v: x.index_fill(0, m.tensor([0]), v),
    "x[0] =": assigned(lambda m, x: 0),
    "x[0:2] =": assigned(lambda m, x: slice(0, 2)),
    "x[mask] =": assigned(lambda m, x: x == 1),
    "x[index] =": assigned(lambda m, x: m.tensor([0, 1])),
    "x[0:0] =": assigned(lambda m, x: slice(0, 0)),
    "pad": lambda m, x, v: m.nn.functional.pad(x, (1, 1), value=v),
    "threshold": lambda m, x, v: m.nn.functional.threshold(x, 0, v),
    "hardtanh": lambda m, x, v: m.nn.functional.hardtanh(x, *sorted((v, 1))),
    "scatter": lambda m, x, v: x.scatter(0, m.tensor([0]), v),
    "scatter add": lambda m, x, v: x.clone().scatter_(0, m.tensor([0]), v, reduce="add"),
    "fill_diagonal_": lambda m, x, v: x.clone().reshape(3, 1).fill_diagonal_(v),
    "full": lambda m, x, v: m.full((2,), v, dtype=x.dtype),
    "full_like": lambda m, x, v: m.full_like(x, v),
    "new_full": lambda m, x, v: x.new_full((2,), v),
    "tensor": lambda m, x, v: m.tensor(v, dtype=x.dtype),
    "tensor of several": lambda m, x, v: m.tensor([v, 0], dtype=x.dtype),
    "constant_": lambda m, x, v: m.nn.init.constant_(x.clone(), v),
    "add alpha": lambda m, x, v: m.add(x, x, alpha=v),
    "addcmul": lambda m, x, v: m.addcmul(x, x, x, value=v),
    "addmv": lambda m, x, v: m.addmv(x, x[:, None] @ x[None], x, alpha=v),
    "index_add": lambda m, x, v: x.index_add(0, m.tensor([0, 1, 2]), x, alpha=v),
    "leaky_relu": lambda m, x, v: m.nn.functional.leaky_relu(x, v),
    "softplus": lambda m, x, v: m.nn.functional.softplus(x, 1, v),
    "add": lambda m, x, v: x + v,  # these calculate, and wrap
    "mul_": lambda m, x, v: x.clone().mul_(v),
    "eq": lambda m, x, v: x == v,
}
OTHER_REASONS = {"addcmul", "addmv", "add alpha", "hardtanh"}  # bool, or floating numbers beside integers
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
NUMBERS = [
    *(True, 2, 300, -1, -300, 127, 128, 255, 256, -128, -129, -255, -256, 40000, 2**31, -(2**31) - 1, 2**62),
    *(0.5, -0.5, 127.5, -129.0, 65504.0, 65520.0, 70000.0, 3e38, 3.5e38, 1e300, nb.inf, -nb.inf, nb.nan),
]
COMPLEX = [1 + 0j, 300 + 0j, 2j, complex(nb.nan, 0)]
TAKE_COMPLEX = ["fill_", "masked_fill", "x[0] =", "x[mask] =", "x[index] =", "scatter", "full", "full_like"]
# There PyTorch makes an infinite half of what is too large for float32, too; and casts bools and NaN to integers alike.
LOUDER = {"where", "where first", "Tensor.where", "x[0] =", "x[0:2] =", "x[mask] =", "x[index] =", "x[0:0] ="}


def answer(m: Any, name: str, dtype: str, number: Any) -> Any:
    """The class of the error, or the dtype and the values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            y = FUNCTIONS[name](m, m.tensor([1, 0, 1], dtype=getattr(m, dtype)), number)
            return str(y.dtype).rpartition(".")[2], repr(y.tolist()).replace("-0.0", "0.0")
        except Exception as error:
            return error


def check(name: str, dtype: str, number: Any) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the other side")
    want, got = (answer(m, name, dtype, number) for m in (torch, nb))
    if isinstance(want, Exception):
        assert isinstance(got, nb.errors.NbgradError), (dtype, number, want, got)
        assert isinstance(got, RuntimeError), (dtype, number, want, got)
        return
    is_large_half = dtype in ("float16", "bfloat16") and abs(number) > 3.4e38
    if not (is_large_half and isinstance(got, nb.errors.NumberError) and name in LOUDER | {"fill_diagonal_"}):
        assert got == want, (dtype, number)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_fit_or_are_refused(name: str) -> None:
    for dtype in DTYPES:
        for number in NUMBERS:
            is_other = name in OTHER_REASONS and (dtype == "bool" or number != number)
            is_other |= name == "threshold" and number is True  # no float here
            is_other |= name == "hardtanh" and number in (-0.5, 127.5)  # cut there
            is_negative = name in ("pad", "threshold") and dtype == "uint8" and type(number) is int and number < 0
            is_other |= is_negative  # of a float and of an int, which wraps, the other library takes the other
            if not is_other:
                check(name, dtype, number)


@pytest.mark.parametrize("name", TAKE_COMPLEX)
def test_complex_numbers_without_imaginary_part_are_real_ones(name: str) -> None:
    for dtype in [*DTYPES, "complex64"]:
        for number in COMPLEX:
            check(name, dtype, number)


def test_the_error_says_number_dtype_and_range() -> None:
    x = nb.zeros(3, dtype=nb.int8)
    with pytest.raises(nb.errors.NumberError, match=r"type int8 without overflow: 300 is not between -128 and 127"):
        x[0] = 300
    assert (x + 1).tolist() == [1, 1, 1]  # what is recorded goes on


def test_a_compiled_function_refuses_a_later_number() -> None:
    @nb.compile
    def put(x: Any, number: int) -> Any:
        return nb.where(x > 0, x, number)

    x = nb.tensor([1, 0], dtype=nb.int8)
    for number in (3, 4, 5, 6):
        assert put(x, number).tolist() == [1, number]
    with pytest.raises(nb.errors.NumberError, match="300"):
        put(x, 300)
    assert put(x, 7).tolist() == [1, 7]


def test_arange_cuts_its_ends_before_they_have_to_fit() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the other side")
    assert nb.arange(-0.9, 3, dtype=nb.uint8).tolist() == torch.arange(-0.9, 3, dtype=torch.uint8).tolist()


@pytest.mark.parametrize("name", ["index_fill", "index_fill_"])
def test_index_fill_takes_no_complex_number_for_a_bool(name: str) -> None:
    with pytest.raises(RuntimeError, match="Converting complex Scalar to non-complex type is not supported"):
        getattr(nb.ones(2, 3, dtype=nb.bool), name)(1, nb.tensor([0]), 1j)

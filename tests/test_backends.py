"""What may be said of the precision of products, as in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import nbgrad as nb


@pytest.fixture(autouse=True)
def back() -> Iterator[None]:
    yield
    nb.set_float32_matmul_precision("highest")


def test_products_are_float32_unless_more_is_allowed() -> None:
    assert nb.get_float32_matmul_precision() == "highest"
    assert nb.backends.cuda.matmul.allow_tf32 is False


@pytest.mark.parametrize(("precision", "allowed"), [("highest", False), ("high", True), ("medium", True)])
def test_both_ways_say_the_same(precision: str, allowed: bool) -> None:
    nb.set_float32_matmul_precision(precision)
    assert nb.backends.cuda.matmul.allow_tf32 is allowed
    assert nb.get_float32_matmul_precision() == precision
    nb.backends.cuda.matmul.allow_tf32 = allowed
    assert nb.get_float32_matmul_precision() == ("high" if allowed else "highest")


def test_what_is_no_precision_is_refused() -> None:
    with pytest.raises(ValueError, match=r"set_float32_matmul_precision\(\): expected one of highest, high, medium"):
        nb.set_float32_matmul_precision("low")
    with pytest.raises(TypeError, match="set_float32_matmul_precision"):
        nb.set_float32_matmul_precision(True)
    with pytest.raises(TypeError, match="allow_tf32"):
        nb.backends.cuda.matmul.allow_tf32 = "yes"
    assert nb.get_float32_matmul_precision() == "highest"


def test_a_compiled_function_does_not_change_it() -> None:
    @nb.compile
    def step(x: nb.Tensor) -> nb.Tensor:
        nb.set_float32_matmul_precision("high")
        return x * 2

    for _ in range(4):
        nb.set_float32_matmul_precision("highest")
        assert step(nb.ones(2)).tolist() == [2.0, 2.0]
        assert nb.get_float32_matmul_precision() == "high"


def test_switches_of_libraries_that_are_not_used_are_taken() -> None:
    cudnn = nb.backends.cudnn
    assert (cudnn.is_available(), cudnn.version(), nb.backends.mps.is_available()) == (False, None, False)
    cudnn.benchmark = True
    with cudnn.flags(deterministic=True, benchmark=False):
        assert cudnn.deterministic and not cudnn.benchmark
    assert cudnn.benchmark and not cudnn.deterministic
    cudnn.benchmark = False
    with pytest.raises(AttributeError, match=r"module 'nbgrad\.backends' has no attribute 'xeon'"):
        nb.backends.xeon  # noqa: B018

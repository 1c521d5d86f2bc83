"""Anomaly mode: which step of a derivative made a NaN, and at which line of the user's."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd import detect_anomaly, set_detect_anomaly
from tests.squares import Square


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Anomaly Detection has been enabled")
        yield


class Bad(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * float("nan")


def leaf(*values: float) -> Any:
    return nb.tensor(values or (0.0, 1.0), requires_grad=True)


def line_of(text: str) -> str:
    """``file:line`` of the first line of this file that contains ``text``."""
    lines, _ = inspect.getsourcelines(inspect.getmodule(line_of))  # type: ignore[arg-type]
    return f"test_anomaly_mode.py:{next(k for k, line in enumerate(lines, 1) if text in line)}"


@pytest.mark.parametrize("looks", [False, True])
def test_the_function_and_both_lines_are_named_each_time(looks: bool) -> None:
    for _ in range(3):
        x = leaf()
        with detect_anomaly():
            y = (x * 0).sqrt()  # the root
            z = (y * 0).sum()
            if looks:
                z.item()
            with pytest.raises(RuntimeError) as raised:
                z.backward()  # the end
        assert str(raised.value) == (
            "Function 'SqrtBackward0' returned nan values in its 0th output.\n"
            f"  in {line_of('# the root')}, differentiated at {line_of('# the end')}"
        )
        assert x.grad is None


def test_the_line_is_that_of_this_time() -> None:
    for k in range(3):
        x = leaf()
        with detect_anomaly():
            if k == 0:
                y = x.sqrt()  # way 0
            elif k == 1:
                y = x.sqrt()  # way 1
            else:
                y = x.sqrt()  # way 2
            with pytest.raises(RuntimeError, match=line_of(f"# way {k}")):
                (y * 0).sum().backward()


def test_a_nan_on_the_way_is_found_though_none_arrives() -> None:
    x = leaf()
    with detect_anomaly(), pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values in its 0th output"):
        (nb.where(nb.tensor([False, True]), x, nb.zeros(2)).sqrt() * 0).sum().backward()
    (nb.where(nb.tensor([False, True]), x, nb.zeros(2)).sqrt() * 0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_which_output_it_was() -> None:
    x, w = leaf(1.0, 2.0), leaf(float("inf"), 1.0)
    with detect_anomaly(), pytest.raises(RuntimeError, match="'MulBackward0' returned nan values in its 0th output"):
        ((x * w) * 0).sum().backward()


def test_custom_functions_are_asked_too() -> None:
    with detect_anomaly(), pytest.raises(RuntimeError, match="'BadBackward' returned nan values in its 0th output"):
        Bad.apply(leaf()).sum().backward()
    with detect_anomaly(), pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan"):
        (Square.apply(leaf().sqrt()) * 0).sum().backward()


def test_grad_and_second_derivatives_are_asked_too() -> None:
    x = leaf()
    with detect_anomaly():
        (g,) = nb.autograd.grad((x * x * x).sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values"):
            nb.autograd.grad((g.sqrt() * 0).sum(), x, retain_graph=True)
        (h,) = nb.autograd.grad((g * g).sum(), x)
    assert h.tolist() == [0.0, 36.0]


def test_what_was_recorded_before_has_no_line() -> None:
    y = (leaf().sqrt() * 0).sum()
    with detect_anomaly(), pytest.raises(RuntimeError, match="Enable anomaly mode during the forward pass"):
        y.backward()


def test_without_a_nan_gradients_are_the_same() -> None:
    def gradients() -> list[Any]:
        nb.manual_seed(0)
        model = nb.nn.Sequential(nb.nn.Linear(3, 4), nb.nn.Tanh(), nb.nn.LayerNorm(4), nb.nn.Linear(4, 2))
        x = nb.randn(5, 3)
        for _ in range(3):
            loss = nb.nn.functional.cross_entropy(model(x), nb.tensor([0, 1, 0, 1, 1])) + (model(x) ** 2).mean()
            loss.backward()
        return [p.grad.tolist() for p in model.parameters()]

    expected = gradients()
    with detect_anomaly():
        found = gradients()
    for a, b in zip(found, expected, strict=True):
        assert nb.allclose(nb.tensor(a), nb.tensor(b), rtol=1e-5, atol=1e-6)


def test_it_is_on_inside_and_may_leave_nan_alone() -> None:
    assert not nb.is_anomaly_enabled()
    with set_detect_anomaly(True):
        assert nb.is_anomaly_enabled() and nb.is_anomaly_check_nan_enabled()
        with detect_anomaly(check_nan=False):
            assert nb.is_anomaly_enabled() and not nb.is_anomaly_check_nan_enabled()
            x = leaf()
            (x.sqrt() * 0).sum().backward()
            assert str(x.grad.tolist()) == "[nan, 0.0]"
        assert nb.is_anomaly_check_nan_enabled()
    set_detect_anomaly(True)
    set_detect_anomaly(False)
    assert not nb.is_anomaly_enabled() and nb.is_anomaly_check_nan_enabled()  # as it is to begin with in PyTorch


def test_detecting_warns() -> None:
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        detect_anomaly()
    with pytest.raises(TypeError):
        set_detect_anomaly("yes")  # type: ignore[arg-type]


def test_a_compiled_function_is_asked_too() -> None:
    @nb.compile
    def step(x: Any) -> Any:
        loss = (x.sqrt() * 0).sum()
        loss.backward()
        return loss

    x = leaf(1.0, 2.0)
    for _ in range(3):
        step(x)
    with detect_anomaly(), pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan"):
        step(leaf())
    step(x)
    assert x.grad.tolist() == [0.0, 0.0]


def test_inside_vmap_nothing_is_looked_at() -> None:
    x = leaf(1.0, 2.0)
    with detect_anomaly():
        by_row = nb.vmap(nb.func.grad(lambda row: (row * row).sum()))(nb.ones(2, 3))
        (rows,) = nb.autograd.grad(x * x, x, nb.eye(2), is_grads_batched=True)
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan"):
            nb.func.grad(lambda row: (row.sqrt() * 0).sum())(nb.zeros(2))
    assert by_row.tolist() == [[2.0] * 3] * 2 and rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_a_backward_uses_the_graph_up() -> None:
    with detect_anomaly():
        y = leaf().exp().sum()
        y.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            y.backward()


def test_other_programs_are_recorded_as_before() -> None:
    def step() -> Any:
        x = leaf(1.0, 2.0)
        (x.exp() * 2).sum().backward()
        return x.grad.tolist()

    before = step()
    with detect_anomaly():
        assert step() == step() == before
    assert step() == before
    y = leaf(1.0, 2.0).exp() * 2
    assert not nb.autograd.nodes.line_of_node(y.grad_fn)


def test_a_nan_in_a_second_derivative_is_found() -> None:
    x = nb.zeros(1, requires_grad=True)
    with nb.autograd.detect_anomaly():
        (g,) = nb.autograd.grad((x**1.5).sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match="returned nan values"):
            nb.autograd.grad((g * 0).sum(), x)


def test_a_step_that_the_gradient_does_not_go_through_is_not_asked() -> None:
    x = leaf()
    y = x.sqrt()
    with detect_anomaly():
        (g,) = nb.autograd.grad(y.sum(), y)
    assert g.tolist() == [1.0, 1.0]


def test_a_warning_says_where_the_step_was_recorded() -> None:
    x = nb.zeros(2, requires_grad=True)
    y = (x.sqrt() * 0).sum()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with detect_anomaly():
            with pytest.raises(RuntimeError, match="returned nan values"):
                y.backward()
            z = (x.sqrt() * 0).sum()
            with pytest.raises(RuntimeError, match="returned nan values"):
                z.backward()
    _, first, second = [str(warning.message) for warning in said]
    assert first.startswith("Error detected in SqrtBackward0. No forward pass information available.")
    assert "z = (x.sqrt() * 0).sum()" in second

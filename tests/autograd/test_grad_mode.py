"""Grad modes: as blocks, decorators and functions; nested, across looks, with errors inside; inference tensors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import nbgrad as nb
from tests.threads import in_threads


def leaf() -> nb.Tensor:
    return nb.tensor([1.0, 2.0], requires_grad=True)


# --- blocks


def test_modes_nest_and_end_where_they_began() -> None:
    x = leaf()
    with nb.no_grad():
        with nb.enable_grad():
            assert (x * 2).requires_grad
            with nb.no_grad():
                assert not (x * 2).requires_grad
            assert nb.is_grad_enabled()
        assert not nb.is_grad_enabled()
    assert nb.is_grad_enabled()


def test_an_error_inside_a_block_ends_its_mode() -> None:
    for make in (nb.no_grad, nb.inference_mode, lambda: nb.set_grad_enabled(False)):
        with pytest.raises(ZeroDivisionError), make():
            raise ZeroDivisionError
        assert nb.is_grad_enabled()
        assert not nb.is_inference_mode_enabled()


def test_one_object_can_be_entered_again_and_again() -> None:
    mode = nb.no_grad()
    for _ in range(2):
        with mode:
            assert not nb.is_grad_enabled()
        assert nb.is_grad_enabled()


def test_a_mode_holds_across_a_look() -> None:
    x = leaf()
    with nb.no_grad():
        y = x * 2
        y.sum().item()
        z = y * x
        assert not z.requires_grad
        z.sum().item()
        assert not nb.is_grad_enabled()
        assert not (x + 1).requires_grad
    w = x * z
    w.sum().backward()
    assert x.grad.tolist() == [2.0, 8.0]  # z = 2 x^2, a constant


def test_a_look_in_one_mode_leaves_what_another_recorded_alone() -> None:
    x = leaf()
    y = x * 3
    with nb.no_grad():
        z = y * 2
        assert z.tolist() == [6.0, 12.0]
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_result_keeps_the_flag_it_was_recorded_with() -> None:
    x = leaf()
    with nb.no_grad():
        y = x * 2
    z = x * 2
    assert not y.requires_grad
    assert z.requires_grad
    assert y.is_leaf
    assert not z.is_leaf


def test_a_leaf_changed_under_no_grad_keeps_its_gradients_coming() -> None:
    x = leaf()
    for _ in range(3):
        (x * x).sum().backward()
        with nb.no_grad():
            x -= 0.25 * x.grad
        x.grad = None
    assert x.tolist() == [0.125, 0.25]
    assert x.requires_grad
    assert x.is_leaf


def test_leaves_made_under_no_grad_require_grad_as_asked() -> None:
    with nb.no_grad():
        x = nb.ones(2, requires_grad=True)
    assert x.requires_grad
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch gives results a grad_fn, but no gradient reaches the leaf")
def test_a_view_made_under_no_grad_has_no_history_later_either() -> None:
    x = leaf()
    with nb.no_grad():
        v = x[:1]
    assert v.requires_grad  # as PyTorch's
    assert v.is_leaf
    assert not (v * 2).requires_grad
    v.tolist()
    assert not (v * 2).requires_grad


def test_in_place_under_no_grad_keeps_the_history() -> None:
    x = leaf()
    y = x * 3
    with nb.no_grad():
        y.add_(100.0)
    assert y.requires_grad
    assert y.tolist() == [103.0, 106.0]
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


# --- functions and decorators


def test_set_grad_enabled_acts_at_once() -> None:
    nb.set_grad_enabled(False)
    try:
        assert not nb.is_grad_enabled()
    finally:
        nb.set_grad_enabled(True)


def test_set_grad_enabled_ends_with_its_block_only() -> None:
    with nb.set_grad_enabled(False):
        with nb.set_grad_enabled(True):
            assert nb.is_grad_enabled()
        assert not nb.is_grad_enabled()
    assert nb.is_grad_enabled()


@pytest.mark.parametrize("decorate", [nb.no_grad, nb.no_grad(), nb.inference_mode, nb.inference_mode()])
def test_modes_decorate_functions(decorate: Any) -> None:
    @decorate
    def double(x: nb.Tensor) -> nb.Tensor:
        """Doubles."""
        return x * 2

    x = leaf()
    assert not double(x).requires_grad
    assert nb.is_grad_enabled()
    assert double.__name__ == "double"
    assert double.__doc__ == "Doubles."


def test_set_grad_enabled_decorates_without_acting_where_it_stands() -> None:
    @nb.set_grad_enabled(False)
    def double(x: nb.Tensor) -> nb.Tensor:
        return x * 2

    assert nb.is_grad_enabled()
    assert not double(leaf()).requires_grad
    assert nb.is_grad_enabled()


def test_enable_grad_decorates_inside_no_grad() -> None:
    @nb.enable_grad()
    def double(x: nb.Tensor) -> nb.Tensor:
        return x * 2

    with nb.no_grad():
        assert double(leaf()).requires_grad
        assert not nb.is_grad_enabled()


def test_a_decorated_function_that_raises_ends_the_mode() -> None:
    @nb.no_grad()
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert nb.is_grad_enabled()


def test_a_decorated_function_may_call_itself() -> None:
    @nb.no_grad()
    def count(n: int) -> int:
        assert not nb.is_grad_enabled()
        return 0 if n == 0 else 1 + count(n - 1)

    assert count(5) == 5
    assert nb.is_grad_enabled()


def test_a_decorated_generator_runs_its_own_stretches_only() -> None:
    @nb.no_grad()
    def results(x: nb.Tensor) -> Iterator[nb.Tensor]:
        for i in range(3):
            assert not nb.is_grad_enabled()
            yield x * i

    x = leaf()
    for y in results(x):
        assert not y.requires_grad
        assert nb.is_grad_enabled()
        assert (x * 2).requires_grad
    assert nb.is_grad_enabled()


def test_a_decorated_generator_takes_what_is_sent_and_thrown() -> None:
    closed = []

    @nb.no_grad()
    def talk() -> Iterator[Any]:
        try:
            got = yield "first"
            assert not nb.is_grad_enabled()
            try:
                yield got
            except KeyError:
                yield "caught"
        finally:
            closed.append(nb.is_grad_enabled())

    conversation: Any = talk()
    assert next(conversation) == "first"
    assert conversation.send(42) == 42
    assert conversation.throw(KeyError) == "caught"
    conversation.close()
    assert closed == [False]
    assert nb.is_grad_enabled()


def test_a_decorated_generator_returns_its_value() -> None:
    @nb.no_grad()
    def inner() -> Iterator[int]:
        yield 1
        return 7

    def outer() -> Iterator[Any]:
        got = yield from inner()  # type: ignore[func-returns-value]
        yield got

    assert list(outer()) == [1, 7]


# --- per thread


def test_modes_are_per_thread() -> None:
    seen = []
    with nb.no_grad():
        in_threads(lambda: seen.append(nb.is_grad_enabled()))
    assert seen == [True]


def test_a_mode_in_another_thread_does_not_come_here() -> None:
    inside, done = threading.Event(), threading.Event()

    def work() -> None:
        with nb.no_grad():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(10)
    assert nb.is_grad_enabled()
    assert (leaf() * 2).requires_grad
    done.set()
    thread.join()


# --- inference mode


def test_inference_mode_disables_grad_and_says_so() -> None:
    with nb.inference_mode():
        assert not nb.is_grad_enabled()
        assert nb.is_inference_mode_enabled()
        with nb.enable_grad():
            assert not (leaf() * 2).requires_grad
    assert not nb.is_inference_mode_enabled()


def test_inference_mode_false_changes_nothing_outside() -> None:
    with nb.inference_mode(False):
        assert nb.is_grad_enabled()
        assert not nb.is_inference_mode_enabled()
    with nb.no_grad(), nb.inference_mode(False):
        assert not nb.is_inference_mode_enabled()


def test_tensors_made_in_inference_mode_say_so() -> None:
    x = leaf()
    with nb.inference_mode():
        made = nb.ones(2)
        from_data = nb.tensor([1.0])
        computed = x * 2
        assert made.is_inference()
        assert from_data.is_inference()
        assert computed.is_inference()
        assert not x.is_inference()
    assert computed.is_inference()
    assert computed.tolist() == [2.0, 4.0]
    assert computed.is_inference()


def test_views_and_aliases_are_what_their_base_is() -> None:
    x = nb.tensor([1.0, 2.0])
    with nb.inference_mode():
        assert not x[:1].is_inference()
        assert not x.detach().is_inference()
        y = x * 2
        assert y[:1].is_inference()
        assert y.detach().is_inference()
    assert y[:1].is_inference()
    assert not y.clone().is_inference()
    assert not (y * 2).is_inference()


def test_a_normal_tensor_written_in_inference_mode_stays_normal() -> None:
    x = nb.tensor([1.0, 2.0])
    with nb.inference_mode():
        x.mul_(3.0)
        x[0] = 7.0
        assert not x.is_inference()
    x.add_(1.0)
    assert x.tolist() == [8.0, 7.0]


def test_an_inference_tensor_can_be_used_where_no_derivative_needs_it() -> None:
    x = leaf()
    with nb.inference_mode():
        c = nb.tensor([10.0, 20.0])
    plain = c * 2
    assert plain.tolist() == [20.0, 40.0]
    assert not plain.is_inference()
    (x + c).sum().backward()  # a sum keeps nothing
    assert x.grad.tolist() == [1.0, 1.0]


def test_an_inference_tensor_cannot_be_saved_for_backward() -> None:
    x = leaf()
    with nb.inference_mode():
        c = nb.tensor([10.0, 20.0])
    for _ in range(2):
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            x * c
    with nb.no_grad():
        assert (x * c).tolist() == [10.0, 40.0]
    assert (x * c.clone()).requires_grad


def test_a_computed_or_viewed_inference_tensor_cannot_be_saved_either() -> None:
    x = leaf()
    with nb.inference_mode():
        c = nb.tensor([[10.0, 20.0], [30.0, 40.0]]) * 2
    with pytest.raises(RuntimeError, match="saved for backward"):
        c.matmul(x)
    with pytest.raises(RuntimeError, match="saved for backward"):
        c[0] * x


def test_an_inference_tensor_cannot_be_written_outside() -> None:
    with nb.inference_mode():
        c = nb.tensor([10.0, 20.0])
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        c.add_(1.0)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        c[:1].mul_(3.0)


def test_an_inference_tensor_can_be_written_inside() -> None:
    with nb.inference_mode():
        c = nb.tensor([10.0, 20.0])
    c.tolist()
    with nb.inference_mode():
        c.add_(1.0)
        c[:1].mul_(3.0)
    assert c.tolist() == [33.0, 21.0]
    assert c.is_inference()


def test_an_inference_tensor_cannot_start_requiring_grad() -> None:
    with nb.inference_mode():
        c = nb.tensor([10.0, 20.0])
    with pytest.raises(RuntimeError, match="requires_grad=True on inference tensor outside InferenceMode"):
        c.requires_grad_()
    c.requires_grad_(False)


def test_inference_mode_across_looks_and_calls() -> None:
    x = leaf()
    for _ in range(3):
        with nb.inference_mode():
            y = (x * 2).sum()
            assert y.item() == 6.0
            z = y + x
            assert z.is_inference()
        loss = (x * x).sum()
        loss.backward()
        x.grad = None
    assert not loss.is_inference()


def test_a_custom_function_saves_no_inference_tensor() -> None:
    class Scaled(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor, by: nb.Tensor) -> nb.Tensor:
            ctx.save_for_backward(by)
            return x * by

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> Any:
            return g * ctx.saved_tensors[0], None

    x = nb.ones(2, requires_grad=True)
    with nb.inference_mode():
        by = nb.ones(2) * 3
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        Scaled.apply(x, by)
    assert Scaled.apply(x.detach(), by).tolist() == [3.0, 3.0]
    Scaled.apply(x, by.clone()).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("inside", [True, False])
def test_views_of_inference_tensors_never_require_grad(inside: bool) -> None:
    with nb.inference_mode():
        c = nb.ones(2, 3, requires_grad=True)
    with nb.inference_mode(inside):
        view = c.view(-1)
        assert view.is_inference()
        assert not view.requires_grad
        assert view.is_leaf
        assert not (view * 2).requires_grad
    assert c.requires_grad
    assert (c + 1).requires_grad


def test_a_view_of_an_inference_tensor_stays_a_constant_when_that_becomes_a_leaf() -> None:
    for show in (lambda x: x[1:], lambda x: x.T, lambda x: x.reshape(-1)):
        with nb.inference_mode():
            x = nb.ones(2, 3)
            y = show(x)
            x.requires_grad_()
            assert not y.requires_grad and not show(y).requires_grad and not (y * 2).requires_grad
            assert y.is_inference() and not y[0].requires_grad
        assert x.requires_grad and not y.requires_grad and y.is_inference() and y.is_leaf


def test_inference_tensors_that_are_written_stay_such() -> None:
    with nb.inference_mode():
        c = nb.ones(2, 2, requires_grad=True)
        c.mul_(3)
        assert (c.is_inference(), c.requires_grad) == (True, True)
        view = c[0]
        view.add_(1)
        assert (view.is_inference(), view.requires_grad) == (True, False)
        assert (c.is_inference(), c.requires_grad) == (True, True)
        c.add_(10)
        assert view.tolist() == [14.0, 14.0]
    assert c.tolist() == [[14.0, 14.0], [13.0, 13.0]]
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        c.add_(1)


def test_a_class_that_is_decorated_becomes_a_function_with_a_warning() -> None:
    class Program:
        def __init__(self) -> None:
            self.is_recorded = nb.is_grad_enabled()

    with pytest.warns(FutureWarning, match="Decorating classes is deprecated: no_grad makes a function of Program"):
        made = nb.no_grad()(Program)
    assert not made().is_recorded and nb.is_grad_enabled()

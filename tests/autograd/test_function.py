"""Custom functions: outputs, arguments, missing gradients, what is saved, higher derivatives, errors inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd.function import InplaceFunction

Function = nb.autograd.Function


def leaf(*numbers: float) -> nb.Tensor:
    return nb.tensor(list(numbers or (1.0, 2.0)), requires_grad=True)


class Cube(Function):
    """x^3 with a backward that can be differentiated."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


class SumAndDifference(Function):
    @staticmethod
    def forward(ctx: Any, a: nb.Tensor, b: nb.Tensor) -> tuple[nb.Tensor, nb.Tensor]:
        return a + b, a - b

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor, h: nb.Tensor) -> tuple[nb.Tensor, nb.Tensor]:
        return g + h, g - h


# --- arguments and results


def test_a_function_between_recorded_operations() -> None:
    x = leaf(1.0, 2.0)
    y = Cube.apply(x * 2) * 5
    assert y.tolist() == [40.0, 320.0]
    y.sum().backward()
    assert x.grad.tolist() == [120.0, 480.0]  # 5 * 3 (2x)^2 * 2


def test_a_function_twice_in_a_row() -> None:
    x = leaf(1.5)
    Cube.apply(Cube.apply(x)).sum().backward()
    assert x.grad.item() == pytest.approx(9 * 1.5**8)


def test_a_function_used_on_two_paths() -> None:
    x = leaf(2.0)
    y = Cube.apply(x)
    (y * y + y * 3).sum().backward()
    assert x.grad.item() == (2 * 8 + 3) * 12


def test_several_outputs() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 5.0)
    s, d = SumAndDifference.apply(a, b)
    assert s.tolist() == [4.0, 7.0]
    assert d.tolist() == [-2.0, -3.0]
    (s * 10 + d).sum().backward()
    assert a.grad.tolist() == [11.0, 11.0]
    assert b.grad.tolist() == [9.0, 9.0]


def test_an_output_that_nothing_depends_on_gets_zeros() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 5.0)
    s, _ = SumAndDifference.apply(a, b)
    s.sum().backward()
    assert a.grad.tolist() == [1.0, 1.0]
    assert b.grad.tolist() == [1.0, 1.0]


def test_an_output_that_nothing_depends_on_gets_none_on_request() -> None:
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> tuple[nb.Tensor, nb.Tensor]:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            seen.append((g is None, h is None))
            return h * 3

    x = leaf()
    _, second = Two.apply(x)
    second.sum().backward()
    assert seen == [(True, False)]
    assert x.grad.tolist() == [3.0, 3.0]


def test_arguments_that_are_no_tensors() -> None:
    class Scale(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor, factor: float, name: str, options: dict[str, int]) -> nb.Tensor:
            ctx.factor = factor
            ctx.needs = ctx.needs_input_grad
            assert name == "scale"
            return x * factor + options["shift"]

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> tuple[Any, ...]:
            assert ctx.needs == (True, False, False, False)
            return g * ctx.factor, None, None, None

    x = leaf()
    y = Scale.apply(x, 2.5, "scale", {"shift": 1})
    assert y.tolist() == [3.5, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.5, 2.5]


def test_none_means_no_gradient() -> None:
    class Half(Function):
        @staticmethod
        def forward(ctx: Any, a: nb.Tensor, b: nb.Tensor) -> nb.Tensor:
            return a * b

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> tuple[Any, ...]:
            return None, g * 7

    a, b = leaf(), leaf()
    Half.apply(a, b).sum().backward()
    assert a.grad is None
    assert b.grad.tolist() == [7.0, 7.0]


def test_a_gradient_for_a_tensor_that_needs_none_is_dropped() -> None:
    class Both(Function):
        @staticmethod
        def forward(ctx: Any, a: nb.Tensor, b: nb.Tensor) -> nb.Tensor:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> tuple[Any, ...]:
            a, b = ctx.saved_tensors
            return g * b, g * a

    a, b = leaf(), nb.tensor([3.0, 4.0])
    Both.apply(a, b).sum().backward()
    assert a.grad.tolist() == [3.0, 4.0]
    assert b.grad is None


def test_no_argument_needs_a_gradient() -> None:
    called = []

    class Watch(Cube):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            called.append(1)
            return g

    y = Watch.apply(nb.ones(2))
    assert not y.requires_grad
    with nb.no_grad():
        assert not Watch.apply(leaf()).requires_grad
    assert not called


def test_results_have_history_and_a_name() -> None:
    y = Cube.apply(leaf())
    assert y.requires_grad
    assert not y.is_leaf
    assert "CubeBackward" in repr(y.grad_fn)


def test_the_forward_runs_without_grad() -> None:
    class Look(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            assert not nb.is_grad_enabled()
            y = x * 2
            assert not y.requires_grad
            return y

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return g * 2

    x = leaf()
    Look.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_the_backward_runs_without_grad_unless_a_graph_is_wanted() -> None:
    modes = []

    class Look(Cube):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            modes.append(nb.is_grad_enabled())
            return Cube.backward(ctx, g)

    x = leaf()
    Look.apply(x).sum().backward()
    nb.autograd.grad(Look.apply(x).sum(), x, create_graph=True)
    assert modes == [False, True]


def test_an_input_may_be_returned_as_it_is() -> None:
    class Pass(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return -g

    x = leaf()
    y = Pass.apply(x)
    assert y.tolist() == x.tolist()
    y.sum().backward()
    assert x.grad.tolist() == [-1.0, -1.0]


def test_a_gradient_of_another_shape_is_refused() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return nb.ones(3)

    x = leaf()
    with pytest.raises(RuntimeError, match="shape"):
        Wrong.apply(x).sum().backward()
    assert x.grad is None


def test_a_wrong_number_of_gradients_is_refused() -> None:
    class Wrong(SumAndDifference):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor, h: nb.Tensor) -> Any:
            return g

    a, b = leaf(), leaf()
    s, _ = Wrong.apply(a, b)
    with pytest.raises(RuntimeError, match=r"incorrect number of gradients \(expected 2, got 1\)"):
        s.sum().backward()


def test_trailing_nones_are_allowed() -> None:
    class Generous(Cube):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> Any:
            return g * 2, None, None

    x = leaf()
    Generous.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_gradient_that_is_no_tensor_is_refused() -> None:
    class Wrong(Cube):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> Any:
            return 1.0

    x = leaf()
    with pytest.raises((RuntimeError, TypeError)):
        Wrong.apply(x).sum().backward()


def test_forward_and_backward_must_be_given() -> None:
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="forward"):
        Empty.apply(leaf())


# --- marks


def test_an_output_marked_non_differentiable_has_no_history() -> None:
    class Sort(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> tuple[nb.Tensor, nb.Tensor]:
            mask = (x > 1.5).to(x.dtype)
            ctx.mark_non_differentiable(mask)
            ctx.save_for_backward(mask)
            return x * mask, mask

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor, unused: nb.Tensor) -> nb.Tensor:
            (mask,) = ctx.saved_tensors
            assert unused.tolist() == [0.0, 0.0]
            return g * mask

    x = leaf(1.0, 2.0)
    y, mask = Sort.apply(x)
    assert y.requires_grad
    assert not mask.requires_grad
    (y * 5).sum().backward()
    assert x.grad.tolist() == [0.0, 5.0]


def test_integer_outputs_have_no_history() -> None:
    class Count(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> tuple[nb.Tensor, nb.Tensor]:
            return x * 2, (x > 0).sum()

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor, unused: Any) -> nb.Tensor:
            return g * 2

    x = leaf()
    y, count = Count.apply(x)
    assert count.item() == 2
    assert not count.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_once_differentiable_is_enough_for_a_first_derivative() -> None:
    class Once(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @nb.autograd.function.once_differentiable
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            (x,) = ctx.saved_tensors
            assert not nb.is_grad_enabled()
            return 2 * x * g

    x = leaf(3.0)
    (first,) = nb.autograd.grad((Once.apply(x) * x).sum(), x, create_graph=True)
    assert first.item() == 27.0
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


# --- what is saved


def test_saved_tensors_are_gone_after_backward() -> None:
    kept: list[Any] = []

    class Keep(Cube):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            kept.append(ctx)
            return Cube.backward(ctx, g)

    x = leaf()
    y = Keep.apply(x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        _ = kept[0].saved_tensors
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_saved_tensors_stay_when_the_graph_is_retained() -> None:
    x = leaf()
    y = Cube.apply(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [6.0, 24.0]


def test_saving_outputs_and_none() -> None:
    class Exp(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            y = x.exp()
            ctx.save_for_backward(None, y)
            return y

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            nothing, y = ctx.saved_tensors
            assert nothing is None
            return g * y

    x = leaf(0.0, 1.0)
    y = Exp.apply(x)
    y.sum().backward()
    assert x.grad.tolist() == y.tolist()


def test_only_tensors_can_be_saved() -> None:
    class Wrong(Cube):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            ctx.save_for_backward(3.0)
            return x

    with pytest.raises(TypeError, match="can only save"):
        Wrong.apply(leaf())


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch refuses: modified by an inplace operation")
def test_a_saved_value_is_the_one_of_the_forward() -> None:
    x = leaf(2.0)
    h = x * 1.0
    y = Cube.apply(h)
    h.detach().mul_(10.0)
    y.sum().backward()
    assert x.grad.item() == 12.0


# --- higher derivatives


def test_double_backward_through_the_users_formula() -> None:
    x = nb.tensor(2.0, dtype=nb.float64, requires_grad=True)
    y = Cube.apply(x)
    found = []
    for _ in range(3):
        (y,) = nb.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    assert found == [12.0, 12.0, 6.0]


def test_double_backward_uses_the_saved_output() -> None:
    class Exp(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            (y,) = ctx.saved_tensors
            return g * y

    x = nb.tensor(0.5, dtype=nb.float64, requires_grad=True)
    (first,) = nb.autograd.grad(Exp.apply(x), x, create_graph=True)
    (second,) = nb.autograd.grad(first, x, create_graph=True)
    (third,) = nb.autograd.grad(second, x)
    assert first.item() == second.item() == third.item() == pytest.approx(1.6487212707001282)


def test_gradgradcheck_of_a_custom_function() -> None:
    x = nb.tensor([0.3, -0.7], dtype=nb.float64, requires_grad=True)
    assert nb.autograd.gradcheck(Cube.apply, (x,))
    assert nb.autograd.gradgradcheck(Cube.apply, (x,))


# --- looks and errors inside


def test_a_backward_that_looks_at_values() -> None:
    seen = []

    class Clip(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            return x * 1.0

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            seen.append(g.tolist())
            return g.clamp(-1.0, 1.0) if g.abs().max().item() > 1.0 else g

    x = leaf(1.0, 2.0)
    w = leaf(3.0, 0.5)
    y = Clip.apply(x * 2)
    (y * w).sum().backward()
    assert seen == [[3.0, 0.5]]
    assert x.grad.tolist() == [2.0, 1.0]
    assert w.grad.tolist() == [2.0, 4.0]


def test_a_forward_that_looks_at_values() -> None:
    class Branch(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            ctx.factor = 2.0 if x.sum().item() > 0 else -2.0
            return x * ctx.factor

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return g * ctx.factor

    for sign in (1.0, -1.0):
        x = leaf(sign, sign)
        h = x * 3
        Branch.apply(h).sum().backward()
        assert x.grad.tolist() == [6.0 * sign] * 2


def test_a_function_across_looks() -> None:
    x = leaf(1.0, 2.0)
    h = x * 2
    h.tolist()
    y = Cube.apply(h)
    y.tolist()
    z = (y * h).sum()
    z.item()
    z.backward()
    assert x.grad.tolist() == [64.0, 512.0]  # d (2x)^4 / dx = 64 x^3


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch accumulates and frees what it has passed")
def test_an_error_in_backward_leaves_everything_as_it_was() -> None:
    class Fails(Cube):
        fail = True

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            if Fails.fail:
                raise ZeroDivisionError("mine")
            return Cube.backward(ctx, g)

    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (x * 10).sum().backward()
    held = x.grad
    y = (Fails.apply(x) * w).sum()
    z = x * 5
    with pytest.raises(ZeroDivisionError, match="mine"):
        y.backward()
    assert x.grad is held
    assert x.grad.tolist() == [10.0, 10.0]
    assert w.grad is None
    assert nb.is_grad_enabled()
    assert z.tolist() == [5.0, 10.0]
    Fails.fail = False
    y.backward()
    assert x.grad.tolist() == [10.0 + 9.0, 10.0 + 48.0]
    assert w.grad.tolist() == [1.0, 8.0]


def test_an_error_in_forward_leaves_everything_as_it_was() -> None:
    class Fails(Cube):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            x * 2
            raise ZeroDivisionError("mine")

    x = leaf()
    y = x * 3
    with pytest.raises(ZeroDivisionError, match="mine"):
        Fails.apply(y)
    assert nb.is_grad_enabled()
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_backward_inside_backward() -> None:
    class Inner(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            (x,) = ctx.saved_tensors
            with nb.enable_grad():
                again = x.detach().requires_grad_()
                (dx,) = nb.autograd.grad((again * again * again).sum(), again)
            return g * dx

    x = leaf(1.0, 2.0)
    (Inner.apply(x) * 2).sum().backward()
    assert x.grad.tolist() == [6.0, 24.0]


def test_a_checkpoint_recomputes_in_backward() -> None:
    runs = []

    def block(x: nb.Tensor, w: nb.Tensor) -> nb.Tensor:
        runs.append(nb.is_grad_enabled())
        return (x * w).tanh() * w

    class Checkpoint(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor, w: nb.Tensor) -> nb.Tensor:
            ctx.save_for_backward(x, w)
            return block(x, w)

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> tuple[Any, ...]:
            x, w = [t.detach().requires_grad_() for t in ctx.saved_tensors]
            with nb.enable_grad():
                y = block(x, w)
            nb.autograd.backward(y, g)
            return x.grad, w.grad

    x, w = leaf(0.3, -0.2), leaf(1.1, 0.7)
    Checkpoint.apply(x * 2, w).sum().backward()
    x2, w2 = leaf(0.3, -0.2), leaf(1.1, 0.7)
    block(x2 * 2, w2).sum().backward()
    assert x.grad.tolist() == x2.grad.tolist()
    assert w.grad.tolist() == w2.grad.tolist()
    assert runs == [False, True, True]


def test_a_function_in_a_training_loop_gives_the_same_numbers_every_time() -> None:
    def train(function: Any) -> list[float]:
        w = leaf(0.5, -0.3)
        x = nb.tensor([1.0, 2.0])
        losses = []
        for _ in range(6):
            loss = (function(w * x) - 1.0).abs().sum()
            loss.backward()
            with nb.no_grad():
                w -= 0.01 * w.grad
            w.grad = None
            losses.append(loss.item())
        return losses

    assert train(Cube.apply) == pytest.approx(train(lambda x: x * x * x), rel=1e-6)


class Repeated(Function):
    """2 x, twice; the backward notes what comes in."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor, arrived: list[Any]) -> Any:
        ctx.arrived, y = arrived, x * 2
        ctx.save_for_backward(y)
        return y, y

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor, h: nb.Tensor) -> Any:
        ctx.arrived.append((g.tolist(), h.tolist(), ctx.saved_tensors[0].tolist()))
        return 2 * (g + h), None


def test_an_output_that_is_given_twice_is_one_tensor() -> None:
    x, arrived = leaf(1.0, 2.0), []
    first, second = Repeated.apply(x, arrived)
    assert first is second and first.output_nr == 1
    (first + 10 * second).sum().backward()
    assert arrived == [([0.0, 0.0], [11.0, 11.0], [2.0, 4.0])] and x.grad.tolist() == [22.0, 22.0]
    nb.autograd.gradgradcheck(lambda x: sum(Repeated.apply(x, [])) ** 2, nb.ones(2, dtype=nb.float64).requires_grad_())


class Both(Function):
    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> Any:
        return x, x

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor, h: nb.Tensor) -> Any:
        return g + 3 * h


def test_an_input_that_is_given_twice_is_two() -> None:
    x = leaf(1.0, 2.0)
    first, second = Both.apply(x)
    assert first is not second
    (first + 10 * second).sum().backward()
    assert x.grad.tolist() == [31.0, 31.0]


def test_a_function_is_not_called_but_applied() -> None:
    class Old(Function):
        def forward(self, x: nb.Tensor) -> nb.Tensor:  # type: ignore[override]
            return x

    with pytest.raises(RuntimeError, match=r"Old: a legacy autograd function .* call Old.apply"):
        Old()(leaf())


def test_a_function_that_writes_its_input_in_place() -> None:
    class Double(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            x.mul_(2.0)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return g * 2

    x = leaf(1.0, 2.0)
    h = x * 5
    y = Double.apply(h)
    assert y is h
    assert h.tolist() == [10.0, 20.0]
    (h * 3).sum().backward()
    assert x.grad.tolist() == [30.0, 30.0]


def test_what_a_function_writes_in_place_has_no_gradient_any_more() -> None:
    x = leaf(1.0, 2.0, 3.0)
    h = (x * 2)[1:]
    (h * h).sum().backward(inputs=[h])
    Halved.apply(h)
    assert h.grad is None
    (h * 3).sum().backward()
    assert h.grad is not None
    assert h.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("needed", [False, True])
def test_what_a_function_writes_without_gradient_it_gives_detached_if_it_required_grad(needed: bool) -> None:
    base = leaf(1.0, 2.0) * 1.0
    view = base[1:]
    base.detach_()
    if not needed:
        view = base[1:]
    with nb.no_grad():
        y = Halved.apply(view)
    assert (y is view) is not needed
    y.add_(1.0)
    assert base.tolist() == [1.0, 2.0]
    assert not y.requires_grad


def test_what_a_function_writes_in_place_it_returns() -> None:
    class Lost(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            x.mul_(2.0)
            ctx.mark_dirty(x)
            return x * 1

    with pytest.raises(RuntimeError, match="not returned as output"):
        Lost.apply(leaf(1.0) * 1)


def test_only_functions_on_the_way_to_the_inputs_are_run() -> None:
    class Never(Cube):
        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            raise AssertionError

    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    y = (Never.apply(x) * w).sum()
    (by_w,) = nb.autograd.grad(y, w)
    assert by_w.tolist() == [1.0, 8.0]


def test_gradients_are_summed_to_the_inputs_shape_and_converted() -> None:
    class Spread(Function):
        @staticmethod
        def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
            return x.expand(3, 2) * 1.0

        @staticmethod
        def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
            return g.to(nb.float64)

    x = leaf(1.0, 2.0)
    Spread.apply(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    assert x.grad.dtype == nb.float32


class Sine(Function):
    """Saves its result, and not its input."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        y = x.sin()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        return g * ctx.saved_tensors[0]


class Twice(Function):
    """Its input, with twice the gradient."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        return x

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        return g * 2.0


class Halved(Function):
    """Writes its input."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        x.mul_(0.5)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        return g * 0.5


@pytest.mark.parametrize("function", [Sine, Halved])
def test_what_a_derivative_reads_behind_a_function_is_kept_across_a_look(function: Any) -> None:
    def computed(look: bool) -> Any:
        x = leaf(1.5, 2.0)
        y = function.apply(x * x)
        if look:
            y.tolist()
            nb.ones(100).tolist()
        return nb.autograd.grad(y.sum(), x)[0].tolist()

    assert computed(look=True) == computed(look=False)


def test_a_result_that_is_a_view_of_exported_memory_leaves_that_alone() -> None:
    x = leaf(1.5, 2.0, 1.5, 3.0)
    array = x.detach().numpy()
    y = Twice.apply(x[:2])
    (y * y).sum().backward()
    assert array.tolist() == [1.5, 2.0, 1.5, 3.0]
    assert x.grad.tolist() == [6.0, 8.0, 0.0, 0.0]


@pytest.mark.parametrize("look", [False, True])
def test_a_write_through_data_leaves_a_view_behind_its_function(look: bool) -> None:
    x = leaf(1.0, 2.0)
    y = Twice.apply(x * 1.0)
    if look:
        y.tolist()
    y.data.mul_(3.0)
    assert y.tolist() == [3.0, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_an_input_given_back_where_nothing_is_differentiated() -> None:
    plain, x = nb.tensor([1.0, 2.0]), leaf()
    assert Halved.apply(plain) is plain
    shown = Twice.apply(plain)
    assert shown is not plain
    plain.mul_(2.0)
    assert shown.tolist() == [1.0, 2.0]
    plain.requires_grad_()
    with pytest.raises(RuntimeError, match="no_grad mode"):
        shown * 2.0  # it is a view of what was written
    with nb.no_grad():
        assert Halved.apply(x) is not x
        assert not Twice.apply(x).requires_grad


def test_an_output_nobody_holds_when_the_rest_is_looked_at() -> None:
    x = leaf()
    a, b = x * 2.0, x * 3.0
    total = SumAndDifference.apply(a, b)[0]
    total.tolist()
    total.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_a_leaf_that_was_moved_into_the_graph_is_refused() -> None:
    x = leaf()
    part = x[:1]
    x.requires_grad_(False)
    x.add_(part)
    with pytest.raises(RuntimeError, match="moved into the graph interior"):
        x.sum().backward()


def test_derivatives_after_one_that_passes_a_kept_gradient_and_a_custom_function() -> None:
    w = nb.tensor([0.75, -1.0], dtype=nb.float64, requires_grad=True)
    x = w * 0.5
    x.retain_grad()
    y = Cube.apply(w.clone())
    assert nb.autograd.grad(y.sum(), [x], retain_graph=True, allow_unused=True) == (None,)
    z = x * x
    assert x.tolist() == [0.375, -0.5]  # what comes next goes back to what ran here
    assert nb.autograd.grad(z.sum(), [x])[0].tolist() == [0.75, -1.0]


class _Twice(nb.autograd.Function):
    """A view of its input, with another derivative."""

    called = 0

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> nb.Tensor:
        _Twice.called += 1
        return g * 2.0


@pytest.mark.parametrize("looks", [False, True])
def test_a_function_whose_result_is_a_view_of_memory_that_numpy_has_shows_what_numpy_writes(looks: bool) -> None:
    x = nb.tensor([0.5, -1.0], requires_grad=True)
    array = x.detach().numpy()
    y = _Twice.apply(x)
    if looks:
        y.tolist()
    array[...] = 0.25
    assert y.sum().item() == 0.5
    array[...] = 1.5
    assert y.sum().item() == 3.0


def test_a_function_whose_result_was_written_without_gradient_has_no_part_in_the_derivative() -> None:
    x = nb.tensor([2.0, 0.5], requires_grad=True)
    y = x * 1.0
    called, z = _Twice.called, _Twice.apply(y * 1.0)
    with nb.no_grad():
        y.copy_(z)
    (g,) = nb.autograd.grad((y * 3.0).sum(), x, create_graph=True)
    assert g.tolist() == [3.0, 3.0]
    assert not g.requires_grad
    assert _Twice.called == called


def test_a_pullback_may_be_called_vjp() -> None:
    class Triple(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 3 * x

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return 3 * g

    class Both(Triple):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = nb.ones(2, requires_grad=True)
    Triple.apply(x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="both 'backward' and 'vjp'"):
        Both.apply(x).sum().backward()


def test_marking_what_is_no_input_as_dirty_warns() -> None:
    class Marks(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * 2
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

    x = nb.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="mark_dirty is for inputs"):
        y = Marks.apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def _notes(order: list[int]) -> Any:
    """A function whose backward notes its number."""

    class Note(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, k: int) -> Any:
            ctx.k = k
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            order.append(ctx.k)
            return g, None

    return Note.apply


def test_what_was_recorded_last_comes_first_in_a_backward() -> None:
    order: list[int] = []
    note = _notes(order)

    x = nb.ones(2, requires_grad=True)
    parts = [note(x, k) for k in range(12)]
    (parts[3] + sum(parts)).sum().backward()
    assert order == list(range(11, -1, -1))


@pytest.mark.parametrize("kinds", ["ffff", "hhhh", "fhfh", "hfhf"])
def test_so_do_functions_and_hooks_of_which_some_wait_longer_for_their_users(kinds: str) -> None:
    """``a`` is ready for its cotangent before ``b``, which was recorded after it."""
    order: list[int] = []
    note = _notes(order)

    def noted(x: Any, k: int) -> Any:
        if kinds[k] == "f":
            return note(x, k)
        y = x * 2
        y.register_hook(lambda g: order.append(k))
        return y

    x = nb.ones(2, requires_grad=True)
    a, b = noted(x, 0), noted(x, 1)
    c = noted(b, 2)
    d = noted(a * c, 3)
    (a + c + d).sum().backward()
    assert order == [3, 2, 1, 0]


def test_a_function_knows_the_class_of_its_nodes() -> None:
    class Double(InplaceFunction):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    assert (Double().inplace, Double(inplace=True).inplace) == (False, True)
    y = Double.apply(nb.ones(2, requires_grad=True) * 1)
    assert type(y.grad_fn) is Double._backward_cls
    assert Double._backward_cls.__name__ == "DoubleBackward"


def test_of_several_outputs_no_view_may_be_written() -> None:
    class Parts(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[:1], x * 2

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return nb.cat((g, g)) + h

    first, _ = Parts.apply(nb.ones(2, requires_grad=True) * 1)
    with pytest.raises(RuntimeError, match="is the output of a function that returns multiple views"):
        first.add_(1)


def test_arguments_by_name_and_defaults() -> None:
    class Scaled(nb.autograd.Function):
        @staticmethod
        def forward(x: Any, k: float = 2.0) -> Any:
            return x * k

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            _, ctx.k = inputs

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.k, None

    class InOne(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, k: Any = 2.0) -> Any:
            ctx.k = k
            return x * k

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.k

    x = nb.ones(2, requires_grad=True)
    for y, slope in ((Scaled.apply(x), 2.0), (Scaled.apply(x, k=3.0), 3.0), (Scaled.apply(k=4.0, x=x), 4.0)):
        assert nb.autograd.grad(y.sum(), x)[0].tolist() == [slope] * 2
    assert nb.func.vmap(lambda a: Scaled.apply(a, k=5.0), randomness="error")(nb.ones(3, 2)).tolist() == [[5.0] * 2] * 3
    y = InOne.apply(x, k=3.0)
    assert nb.autograd.grad(y.sum(), x)[0].tolist() == [3.0, 3.0] and not InOne.apply(x=x).requires_grad
    with pytest.raises(TypeError, match="q"):
        Scaled.apply(x, q=1.0)


CONSTANTS: dict[str, Callable[[Any], Any]] = {
    "detached": lambda y: y.detach(),
    "by data": lambda y: y.data,
    "a view": lambda y: y[:].detach(),
    "computed of it": lambda y: y.detach().exp(),
    "looked at": lambda y: (y.detach().tolist(), y.detach())[1],
    "compared": lambda y: y > 0,
    "chosen by it": lambda y: nb.where(y > 0, 1.0, 2.0),
}


@pytest.mark.parametrize("how", [*CONSTANTS, "without gradients"])
@pytest.mark.parametrize("by", ["backward", "grad"])
def test_the_backward_of_a_function_behind_a_constant_does_not_run(how: str, by: str) -> None:
    """Nor do those who use that constant get gradients of zeros for its inputs."""
    ran = 0

    class Counted(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b, a + b

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            nonlocal ran
            ran += 1
            return g + h, g + h

    a, b, c = (nb.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
    y = Counted.apply(a, b)[0]
    if how == "without gradients":
        with nb.no_grad():
            constant = y * 2.0
    else:
        constant = CONSTANTS[how](y)
    z = (c * constant).sum()
    if by == "backward":
        z.backward()
        assert a.grad is b.grad is None
        assert c.grad is not None
    else:
        found = nb.autograd.grad(z, [a, b, c], allow_unused=True)
        assert found[0] is found[1] is None
        assert found[2] is not None
    assert ran == 0


@pytest.mark.parametrize("kind", ["a number", "integers", "nothing differentiable"])
def test_a_function_without_differentiable_outputs_leaves_the_next_one_its_number(kind: str) -> None:
    class Other(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = {"a number": 3, "integers": nb.tensor([1, 2])}.get(kind, x * 2)
            if kind == "nothing differentiable":
                ctx.mark_non_differentiable(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    class Twice(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = nb.ones(2, requires_grad=True)
    Other.apply(x)
    Twice.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]

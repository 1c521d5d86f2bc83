"""What PyTorch's own tests of autograd ask for beyond numbers: words, classes of errors, which hooks run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.autograd import Function, gradcheck
from nbgrad.autograd.graph import GradientEdge


def leaf(*shape: int) -> nb.Tensor:
    return nb.rand(shape, dtype=nb.float64, requires_grad=True)


def test_a_hook_of_a_node_may_remove_one_that_this_backward_still_calls() -> None:
    class Double(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    called: list[int] = []
    b = Double.apply(leaf(3))
    first = b.grad_fn.register_prehook(lambda _: second.remove())
    second = b.grad_fn.register_prehook(lambda _: called.append(2))
    b.sum().backward(retain_graph=True)
    first.remove()
    b.sum().backward()
    assert called == [2]


def test_zeros_are_not_made_for_an_edge_of_the_graph() -> None:
    x, y = leaf(2).clone(), leaf(2).clone()
    edges = [GradientEdge(t.grad_fn, t.output_nr) for t in (x, y)]
    out = x.clone()
    nb.autograd.grad(out.sum(), (edges[0], y), allow_unused=True, materialize_grads=True)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        nb.autograd.grad(out.sum(), (x, edges[1]), allow_unused=True, materialize_grads=True)


@pytest.mark.parametrize(("shape", "is_sum"), [((2, 2), False), ((2, 1), True)])
def test_a_batch_of_cotangents_has_one_dim_more(shape: tuple[int, ...], is_sum: bool) -> None:
    x = nb.rand(2, 2, requires_grad=True)
    y = x.sum() if is_sum else x.clone()
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first"):
        nb.autograd.grad(y, x, nb.ones(shape), is_grads_batched=True)


def test_a_final_callback_may_queue_another_one() -> None:
    queue = nb.autograd.Variable._execution_engine.queue_callback
    called: list[str] = []

    class Asks(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            queue(lambda: (called.append("first"), queue(lambda: called.append("second"))))
            return g

    Asks.apply(leaf(2)).sum().backward()
    assert called == ["first", "second"]


def test_whether_several_threads_were_asked_for_is_remembered() -> None:
    asked = nb.autograd.is_multithreading_enabled
    with nb.autograd.set_multithreading_enabled(False):
        assert not asked()
        nb.autograd.set_multithreading_enabled(True)
        assert asked()
    assert asked()
    nb.autograd.set_multithreading_enabled(False)
    assert not asked()
    nb.autograd.set_multithreading_enabled(True)

    @nb.autograd.set_multithreading_enabled(False)
    def inside() -> bool:
        return asked()

    nb.autograd.set_multithreading_enabled(True)
    assert not inside()
    assert asked()


def test_a_view_whose_place_in_the_graph_is_unknown_is_printed() -> None:
    a = nb.ones(1, requires_grad=True)
    with nb.no_grad():
        b = a[:]
        b *= 2
    assert repr(b) == "tensor([2.], grad_fn=<Invalid>)"


def test_functions_are_not_to_be_made_instances_of() -> None:
    class Own(Function):
        pass

    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        Own()


def test_no_tangent_comes_back_for_what_has_no_derivative() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.clone()
            ctx.mark_non_differentiable(y)
            return x.clone(), y

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t, t.clone()

    with nb.autograd.forward_ad.dual_level():
        dual = nb.autograd.forward_ad.make_dual(nb.ones(2), nb.ones(2))
        with pytest.raises(RuntimeError, match="You should return None at that position instead"):
            Wrong.apply(dual)


@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck_refuses_results_that_change_with_the_input(fast: bool) -> None:
    x = nb.ones(1, dtype=nb.float64, requires_grad=True)
    for name, other in (("shape", lambda x: nb.cat([x, x])), ("dtype", lambda x: x.to(nb.float32))):
        with pytest.raises(AssertionError, match=f"return outputs with the same {name} when inputs are perturbed"):
            gradcheck(lambda x, other=other: other(x) if bool((x >= 1).all()) else x, (x,), fast_mode=fast)


def test_gradcheck_has_to_check_something() -> None:
    with pytest.raises(AssertionError, match="Expected at least one of"):
        gradcheck(nb.sin, (leaf(2),), check_backward_ad=False)


def test_gradcheck_says_which_mode_is_wrong() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return 3 * t

    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch for output 0"):
        gradcheck(Wrong.apply, (leaf(3),), check_forward_ad=True)


def test_the_fast_gradcheck_allows_each_element_what_the_slow_one_does() -> None:
    x = leaf(40)

    def near(x: nb.Tensor) -> nb.Tensor:
        y = x * 1.0
        y.register_hook(lambda g: g + 0.9e-2 * g)
        return y

    for fast in (False, True):
        assert gradcheck(near, (x,), fast_mode=fast, atol=1e-2, rtol=0.0)


def test_register_hooks_takes_two_functions() -> None:
    y = leaf(2)
    y = y * y
    with pytest.raises(TypeError, match="incompatible function arguments"):
        y.grad_fn._raw_saved_self.register_hooks(np.sin)


def test_nobody_makes_a_saved_tensor() -> None:
    x = leaf(2)
    assert isinstance((x * x).grad_fn._raw_saved_self, nb.autograd.SavedTensor)
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        nb.autograd.SavedTensor()


def test_saved_variables_is_the_old_name_of_saved_tensors() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_variables
            return 2 * x * g

    x = leaf(2)
    with pytest.warns(DeprecationWarning, match="saved_variables"):
        Square.apply(x).sum().backward()
    assert x.grad.tolist() == (2 * x).tolist()


def test_a_view_that_a_custom_function_without_gradient_gives_is_one_of_a_custom_function() -> None:
    class View(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    b = nb.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        View.apply(nb.ones(1, 2)).copy_(b)
    x = nb.ones(1, 2)
    View.apply(x).add_(1)
    assert x.tolist() == [[2.0, 2.0]]
    with nb.no_grad():
        v = View.apply(x)
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        v.copy_(b)


def test_the_shape_of_a_view_from_no_grad_changes_and_it_stays_one() -> None:
    base = nb.rand(2, 3, requires_grad=True).clone()
    with nb.no_grad():
        v = base.view_as(base)
        v.t_()
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        v.add_(1)
    with nb.no_grad():
        v.zero_()
    assert not base.any()


def test_inference_tensors_change_their_shape_and_are_no_views() -> None:
    with nb.inference_mode():
        x = nb.ones(1, 2, 3, requires_grad=True)
        assert x.resize_(1, 2).requires_grad and x.is_inference() and x.shape == (1, 2)
        assert x.view(-1)._base is None
    assert not x.view(-1)._is_view() and x.view(-1).is_inference()
    a = nb.ones(1, 2, 3, requires_grad=True)
    y = a * 2
    with nb.inference_mode():
        y.transpose_(0, 1)
        assert y.requires_grad and not y.is_inference() and y.shape == (2, 1, 3)
    (y * nb.arange(6.0).view(2, 1, 3)).sum().backward()
    assert a.grad.tolist() == [[[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]]


def test_resize_is_counted_as_a_write() -> None:
    x = nb.rand(1)
    before = x._version
    assert x.resize_(1, 2)._version == before + 1
    assert x.resize_as_(nb.ones(3))._version == before + 2
    assert x.resize_(3)._version == before + 2


def test_a_negative_tolerance_is_a_runtime_error() -> None:
    with pytest.raises(RuntimeError, match="rtol must be greater than or equal to zero"):
        nb.allclose(nb.ones(2), nb.ones(2), rtol=-1.0)


def test_the_modes_are_classes() -> None:
    assert isinstance(nb.enable_grad(), nb.enable_grad) and isinstance(nb.no_grad(), nb.no_grad)
    assert not isinstance(nb.no_grad(), nb.enable_grad)


def test_what_is_saved_can_be_let_go_when_it_is_read() -> None:
    class Twice(nb.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            with pytest.raises(RuntimeError, match="can only be accessed once"):
                _ = ctx.saved_tensors
            return g * x

    x = nb.tensor([2.0, 3.0], requires_grad=True)
    Twice.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 3.0]


def test_what_is_marked_dirty_is_an_input_and_a_view_has_one_output() -> None:
    class Other(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.clone().view_as(x)
            ctx.mark_dirty(y)
            return y

    class Two(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x, x.clone()

    a = nb.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"received a tensor that was not an input\."):
        Other.apply(a.clone())
    with pytest.raises(RuntimeError, match="modifies inplace an input that is a view of another Tensor"):
        Two.apply(a.clone().view_as(a))


def test_a_tangent_is_a_view_or_written_where_the_output_is() -> None:
    class Part(nb.autograd.Function):
        tangent: Any = None

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[:1]

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return Part.tangent(t)

    class Twice(Part):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

    fw = nb.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(nb.ones(2), nb.tensor([3.0, 4.0]))
        Part.tangent = staticmethod(lambda t: t[:1])
        assert fw.unpack_dual(Part.apply(d)).tangent.tolist() == [3.0]
        for wrong, words in ((lambda t: t[:1].clone(), "a view\n"), (lambda t: t.clone()[:1], "a view of the given")):
            Part.tangent = staticmethod(wrong)
            with pytest.raises(RuntimeError, match=f"jvp is not returning {words}"):
                Part.apply(d)
        Part.tangent = staticmethod(lambda t: t.mul_(2))
        y = Twice.apply(d.clone())
        assert fw.unpack_dual(y).tangent.tolist() == [6.0, 8.0] and y.tolist() == [2.0, 2.0]
        Part.tangent = staticmethod(lambda t: t * 2)
        with pytest.raises(RuntimeError, match="is not modifying the forward mode gradients inplace"):
            Twice.apply(d.clone())
        with pytest.raises(RuntimeError, match="an out= function"):
            nb.add(d, 1.0, out=nb.ones(2))


def test_prehooks_see_a_gradient_that_backward_adds_to_what_is_computed() -> None:
    log = []
    a = nb.tensor(1.0, requires_grad=True)
    b = a.clone()
    b.register_hook(lambda g: (log.append(1), g * 3)[1])
    b.grad_fn.register_prehook(lambda g: (log.append(2), (g[0] * 2,))[1])
    b.sum().backward(inputs=[b], retain_graph=True)
    assert log == [1, 2] and b.grad.item() == 3.0
    nb.autograd.grad(b.sum(), b, retain_graph=True)
    assert log == [1, 2, 1]

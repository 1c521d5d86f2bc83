"""backward and grad: every argument, accumulation, freed graphs, higher derivatives, looks in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb


def values(x: Any) -> Any:
    return x.detach().tolist()


def vector(*numbers: float, **kwargs: Any) -> nb.Tensor:
    return nb.tensor(list(numbers), requires_grad=True, **kwargs)


# --- outputs and their gradients


def test_gradient_of_a_scalar_may_be_given() -> None:
    x = vector(1.0, 2.0)
    (x * x).sum().backward(nb.tensor(10.0))
    assert values(x.grad) == [20.0, 40.0]


def test_gradient_of_another_shape_is_refused() -> None:
    x = vector(1.0, 2.0)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * x).backward(nb.ones(3))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * x).backward(nb.ones(2, 1))


def test_a_tensor_with_one_element_needs_no_gradient() -> None:
    x = nb.tensor([[3.0]], requires_grad=True)
    (x * x).backward()
    assert values(x.grad) == [[6.0]]


def test_two_tensors_and_one_gradient_is_an_error() -> None:
    x = vector(1.0)
    with pytest.raises(RuntimeError, match="2 tensors and 1 gradients"):
        nb.autograd.backward([x * 2, x * 3], [nb.ones(1)])


def test_backward_of_a_leaf_gives_ones() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    x.backward()
    assert x.grad.item() == 1.0
    v = vector(1.0, 2.0)
    v.backward(nb.tensor([3.0, 4.0]))
    assert values(v.grad) == [3.0, 4.0]


def test_backward_without_any_history_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        nb.ones(1).sum().backward()
    x = vector(1.0)
    with pytest.raises(RuntimeError, match="element 1 of tensors does not require grad"):
        nb.autograd.backward([x.sum(), nb.ones(())])


def test_the_same_output_twice_counts_twice() -> None:
    x = vector(1.0, 2.0)
    y = (x * x).sum()
    nb.autograd.backward([y, y])
    assert values(x.grad) == [4.0, 8.0]


def test_an_output_behind_another_counts_on_both_paths() -> None:
    x = vector(3.0)
    y = x * x
    z = y * 5
    nb.autograd.backward([z.sum(), y.sum()])
    assert values(x.grad) == [36.0]


def test_the_gradient_given_may_be_differentiated_too() -> None:
    x, g = vector(2.0), vector(5.0)
    (got,) = nb.autograd.grad(x * x, x, g, create_graph=True)
    by_x, by_g = nb.autograd.grad(got, [x, g])
    assert (values(got), values(by_x), values(by_g)) == ([20.0], [10.0], [4.0])


def test_the_gradient_given_may_be_a_view_or_expanded() -> None:
    x = vector(1.0, 2.0)
    (x * x).backward(nb.tensor(3.0).expand(2))
    assert values(x.grad) == [6.0, 12.0]
    y = vector(1.0, 2.0)
    (y * y).backward(nb.tensor([[1.0, 5.0], [2.0, 6.0]])[:, 1])
    assert values(y.grad) == [10.0, 24.0]


def test_the_gradient_given_is_not_changed_by_accumulation() -> None:
    x = vector(1.0, 2.0)
    g = nb.tensor([1.0, 1.0])
    x.backward(g)
    x.backward(g)
    assert values(x.grad) == [2.0, 2.0]
    assert values(g) == [1.0, 1.0]


def test_changing_the_gradient_given_does_not_change_grad() -> None:
    x = vector(1.0, 2.0)
    g = nb.tensor([1.0, 1.0])
    (x * 1.0).backward(g)
    g.add_(5.0)
    assert values(x.grad) == [1.0, 1.0]


# --- inputs


def test_backward_into_a_value_in_the_middle() -> None:
    x = nb.tensor(3.0, requires_grad=True)
    y = x * x
    y.retain_grad()
    (y * y).backward(inputs=[y])
    assert y.grad.item() == 18.0
    assert x.grad is None


def test_backward_inputs_may_be_one_tensor() -> None:
    x, w = vector(2.0), vector(3.0)
    (x * w).sum().backward(inputs=w)
    assert values(w.grad) == [2.0]
    assert x.grad is None


def test_backward_inputs_may_not_be_empty() -> None:
    x = vector(2.0)
    with pytest.raises(RuntimeError, match="cannot be empty"):
        (x * x).sum().backward(inputs=[])


def test_backward_inputs_must_require_grad() -> None:
    x = vector(2.0)
    with pytest.raises(RuntimeError, match="require"):
        (x * x).sum().backward(inputs=[nb.ones(1)])


def test_an_unused_input_of_backward_keeps_no_gradient() -> None:
    x, other = vector(2.0), vector(1.0)
    (x * x).sum().backward(inputs=[x, other])
    assert values(x.grad) == [4.0]
    assert other.grad is None


def test_grad_refuses_inputs_without_gradient() -> None:
    x = vector(2.0)
    with pytest.raises(RuntimeError, match="does not require grad"):
        nb.autograd.grad((x * x).sum(), nb.ones(1))
    with pytest.raises(RuntimeError, match="does not require grad"):
        nb.autograd.grad((x * x).sum(), [nb.ones(1)], allow_unused=True)


def test_grad_by_the_output_itself_is_one() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    y = x * x
    (g,) = nb.autograd.grad(y, y)
    assert g.item() == 1.0
    (g,) = nb.autograd.grad(x, x)
    assert g.item() == 1.0


def test_grad_by_the_same_tensor_twice_gives_it_twice() -> None:
    x = nb.tensor(2.0, requires_grad=True)
    a, b = nb.autograd.grad(x * x, [x, x])
    assert a.item() == b.item() == 4.0


def test_grad_by_a_view_of_a_leaf_sees_only_what_went_through_it() -> None:
    x = vector(1.0, 2.0, 3.0)
    v = x[1:]
    y = (v * v).sum() + (x * 10).sum()
    by_v, by_x = nb.autograd.grad(y, [v, x])
    assert values(by_v) == [4.0, 6.0]
    assert values(by_x) == [10.0, 14.0, 16.0]


def test_materialized_zeros_have_the_shape_and_dtype_of_the_input() -> None:
    x = vector(2.0)
    other = nb.ones(2, 3, dtype=nb.float64, requires_grad=True)
    _, zeros = nb.autograd.grad((x * x).sum(), [x, other], materialize_grads=True)
    assert zeros.shape == (2, 3)
    assert zeros.dtype == nb.float64
    assert values(zeros) == [[0.0] * 3] * 2


def test_materialized_zeros_of_a_graph_may_be_differentiated() -> None:
    """As in PyTorch: where all else has a derivative, they have, too."""
    x, other = nb.ones(2, requires_grad=True), nb.ones(3, requires_grad=True)
    _, zeros = nb.autograd.grad((x * x).sum(), [x, other], materialize_grads=True, create_graph=True)
    assert zeros.requires_grad
    (second,) = nb.autograd.grad((zeros * zeros).sum(), other, materialize_grads=True)
    assert second.tolist() == [0, 0, 0] and not second.requires_grad


def test_materialized_zeros_contradict_allow_unused_false() -> None:
    x = vector(2.0)
    with pytest.raises(ValueError, match="allow_unused"):
        nb.autograd.grad((x * x).sum(), x, allow_unused=False, materialize_grads=True)


def test_batched_gradients_come_stacked() -> None:
    x = vector(1.0, 2.0)
    y = x * x
    (rows,) = nb.autograd.grad(y, x, nb.eye(2), is_grads_batched=True)
    assert values(rows) == [[2.0, 0.0], [0.0, 4.0]]


def test_batched_gradients_of_what_was_looked_at() -> None:
    x = vector(1.0, 2.0)
    y = (x * x) ** 2
    assert values(y) == [1.0, 16.0]
    (rows,) = nb.autograd.grad(y, x, nb.eye(2), is_grads_batched=True)
    assert values(rows) == [[4.0, 0.0], [0.0, 32.0]]


def test_batched_gradients_of_several_outputs() -> None:
    x = vector(1.0, 2.0)
    seeds = (nb.tensor([1.0, 0.0, 2.0]), nb.tensor([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]))
    (rows,) = nb.autograd.grad([(x * x).sum(), x * 3], [x], seeds, is_grads_batched=True)
    assert values(rows) == [[5.0, 7.0], [0.0, 3.0], [4.0, 8.0]]


# --- accumulation


def test_accumulation_keeps_the_identity_of_grad() -> None:
    x = vector(1.0, 2.0)
    (x * x).sum().backward()
    held = x.grad
    (x * 3).sum().backward()
    assert x.grad is held
    assert values(held) == [5.0, 7.0]


def test_accumulation_is_seen_through_views_and_detached_aliases_of_grad() -> None:
    x = vector(1.0, 2.0)
    (x * x).sum().backward()
    view, alias = x.grad[:1], x.grad.detach()
    (x * 3).sum().backward()
    assert values(view) == [5.0]
    assert values(alias) == [5.0, 7.0]


def test_create_graph_makes_a_new_grad() -> None:
    x = vector(1.0, 2.0)
    (x * x).sum().backward()
    held = x.grad
    (x * x * x).sum().backward(create_graph=True)
    assert x.grad is not held
    assert values(held) == [2.0, 4.0]
    assert values(x.grad) == [5.0, 16.0]
    assert x.grad.requires_grad
    x.grad = None


def test_grad_does_not_require_grad_without_create_graph() -> None:
    x = vector(1.0, 2.0)
    (x * x).sum().backward()
    assert not x.grad.requires_grad
    assert x.grad.is_leaf


def test_two_leaves_never_share_their_grad() -> None:
    x, w = vector(1.0, 2.0), vector(3.0, 4.0)
    (x + w).sum().backward()
    x.grad.add_(1.0)
    assert values(x.grad) == [2.0, 2.0]
    assert values(w.grad) == [1.0, 1.0]


def test_grad_never_shares_memory_with_the_gradient_given() -> None:
    x, w = vector(1.0, 2.0), vector(3.0, 4.0)
    g = nb.ones(2)
    (x + w).backward(g)
    x.grad.mul_(7.0)
    assert values(w.grad) == [1.0, 1.0]
    assert values(g) == [1.0, 1.0]


def test_a_grad_set_by_the_user_is_accumulated_into() -> None:
    x = vector(1.0, 2.0)
    mine = nb.tensor([100.0, 200.0])
    x.grad = mine
    (x * x).sum().backward()
    assert x.grad is mine
    assert values(mine) == [102.0, 204.0]


def test_a_grad_of_another_shape_or_type_cannot_be_set() -> None:
    x = vector(1.0, 2.0)
    with pytest.raises(RuntimeError, match="size"):
        x.grad = nb.ones(3)
    with pytest.raises(RuntimeError, match="type"):
        x.grad = nb.ones(2, dtype=nb.float64)
    with pytest.raises(TypeError):
        x.grad = 1.0  # type: ignore[assignment]


def test_a_float64_path_gives_a_float32_leaf_a_float32_grad() -> None:
    x = vector(1.0, 2.0)
    (x.to(nb.float64) * 2.5).sum().backward()
    assert x.grad.dtype == nb.float32
    assert values(x.grad) == [2.5, 2.5]


def test_gradients_of_broadcast_operands_are_summed() -> None:
    x = nb.ones(3, 1, requires_grad=True)
    w = nb.ones(2, requires_grad=True)
    s = nb.tensor(2.0, requires_grad=True)
    (x * w * s).sum().backward()
    assert values(x.grad) == [[4.0]] * 3
    assert values(w.grad) == [6.0, 6.0]
    assert s.grad.item() == 6.0


def test_integer_and_comparison_results_have_no_gradient() -> None:
    x = vector(1.0, -2.0)
    assert not (x > 0).requires_grad
    assert not x.argmax().requires_grad
    assert not x.to(nb.int64).requires_grad
    assert (x > 0).to(nb.float32).requires_grad is False


def test_empty_tensors_have_empty_gradients() -> None:
    x = nb.ones(0, 3, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.shape == (0, 3)
    y = nb.ones(2, 3, requires_grad=True)
    y[:0].sum().backward()
    assert values(y.grad) == [[0.0] * 3] * 2


# --- graphs: freed, retained, shared


def test_a_freed_graph_cannot_be_used_by_grad_either() -> None:
    x = vector(1.0, 2.0)
    y = (x * x).sum()
    nb.autograd.grad(y, x)
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        nb.autograd.grad(y, x)


def test_a_freed_part_shared_by_another_output_is_found() -> None:
    x = vector(1.0, 2.0)
    h = x.exp()
    a, b = h.sum(), (h * 2).sum()
    a.backward()
    with pytest.raises(RuntimeError, match="second time"):
        b.backward()
    assert values(x.grad) == pytest.approx([2.7182817, 7.389056])


def test_a_graph_that_saved_nothing_can_be_used_again() -> None:
    x = vector(1.0, 2.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert values(x.grad) == [2.0, 2.0]


def test_shared_parts_can_be_used_again_when_retained() -> None:
    x = vector(1.0, 2.0)
    h = x.exp()
    a, b = h.sum(), (h * h).sum()
    a.backward(retain_graph=True)
    first = values(x.grad)
    b.backward()
    expected = [f + 2 * f * f for f in first]
    assert values(x.grad) == pytest.approx(expected)


def test_retain_graph_false_frees_although_create_graph_is_given() -> None:
    x = nb.tensor(3.0, requires_grad=True)
    y = x * x
    nb.autograd.grad(y, x, retain_graph=False, create_graph=True)
    with pytest.raises(RuntimeError, match="second time"):
        nb.autograd.grad(y, x)


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch has freed the graph by then")
def test_a_failed_backward_leaves_the_graph_usable() -> None:
    x, w = vector(1.0, 2.0), vector(1.0)
    y = (x * x).sum()
    with pytest.raises(RuntimeError, match="allow_unused"):
        nb.autograd.grad(y, [x, w])
    y.backward()
    assert values(x.grad) == [2.0, 4.0]


def test_backward_only_frees_what_it_went_through() -> None:
    x, w = vector(1.0, 2.0), vector(3.0, 4.0)
    a, b = (x * x).sum(), (w * w).sum()
    (a + b).backward(inputs=[x])
    assert values(x.grad) == [2.0, 4.0]
    assert w.grad is None


def test_a_loop_that_keeps_its_graph_fails_like_in_pytorch() -> None:
    state = vector(1.0)
    loss = (state * state).sum()
    loss.backward()
    second = loss * (state * 2).sum()
    with pytest.raises(RuntimeError, match="second time"):
        second.backward()


# --- higher derivatives


def test_derivatives_of_an_angle_at_the_origin_are_zero() -> None:
    y, x = vector(0.0, 1.0), vector(0.0, 1.0)
    by_y, by_x = nb.autograd.grad(nb.atan2(y, x).sum(), [y, x], create_graph=True)
    assert values(by_y) == [0.0, 0.5]
    assert values(by_x) == [0.0, -0.5]
    (by_both,) = nb.autograd.grad(by_y.sum(), y)
    assert values(by_both) == [0.0, -0.5]  # -2 x y / (x^2 + y^2)^2


@pytest.mark.parametrize("look", [False, True])
def test_derivatives_up_to_the_fifth(look: bool) -> None:
    x = nb.tensor(2.0, dtype=nb.float64, requires_grad=True)
    y = x**5 + x.exp() * 0
    found = []
    for _ in range(5):
        (y,) = nb.autograd.grad(y, x, create_graph=True)
        if look:
            y.item()
        found.append(y)
    assert [f.item() for f in found] == [80.0, 160.0, 240.0, 240.0, 120.0]


def test_third_derivative_of_sin_through_backward() -> None:
    x = nb.tensor(0.5, dtype=nb.float64, requires_grad=True)
    (x.sin() * 1.0).backward(create_graph=True)
    first = x.grad
    x.grad = None
    first.backward(create_graph=True)
    second = x.grad
    x.grad = None
    second.backward()
    assert first.item() == pytest.approx(0.8775825618903728, rel=1e-14)
    assert second.item() == pytest.approx(-0.479425538604203, rel=1e-14)
    assert x.grad.item() == pytest.approx(-0.8775825618903728, rel=1e-14)


def test_a_gradient_penalty_trains() -> None:
    w = nb.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=nb.float64, requires_grad=True)
    x = nb.tensor([[0.5, -1.0]], dtype=nb.float64, requires_grad=True)
    out = (x.matmul(w)).tanh().sum()
    (g,) = nb.autograd.grad(out, x, create_graph=True)
    penalty = ((g * g).sum() - 1.0) ** 2
    penalty.backward()
    assert w.grad.shape == (2, 2)
    assert x.grad.shape == (1, 2)


def test_second_derivative_after_the_first_was_accumulated() -> None:
    x = vector(2.0, 3.0)
    (x**3).sum().backward(create_graph=True)
    (x.grad**2).sum().backward()  # 9 x^4: adds 36 x^3 to 3 x^2
    assert values(x.grad) == [12.0 + 288.0, 27.0 + 972.0]
    x.grad = None


# --- looks between forward and backward


def looks() -> list[Callable[[nb.Tensor], object]]:
    return [
        lambda y: None,
        lambda y: y.sum().item(),
        lambda y: repr(y),
        lambda y: y.detach().numpy(),
        lambda y: bool((y > 0).all()),
    ]


@pytest.mark.parametrize("look", looks())
def test_looking_between_forward_and_backward_changes_no_bit(look: Callable[[nb.Tensor], object]) -> None:
    def run(look_at: Callable[[nb.Tensor], object]) -> tuple[Any, Any, Any]:
        x = nb.tensor([0.1, 0.7, -1.3], requires_grad=True)
        w = nb.tensor([[0.3, 0.2, -0.5]] * 3, requires_grad=True)
        h = (w * x).sin().exp()
        look_at(h)
        z = h.tanh() * h + x
        look_at(z)
        loss = (z * z).sum()
        look_at(loss)
        loss.backward()
        return values(loss), values(x.grad), values(w.grad)

    assert run(look) == run(lambda y: None)


def test_item_before_backward_gives_the_same_loss_and_gradient() -> None:
    x = vector(1.0, 2.0)
    loss = (x * x).sum()
    assert loss.item() == 5.0
    loss.backward()
    assert loss.item() == 5.0
    assert values(x.grad) == [2.0, 4.0]


def test_backward_over_many_flushed_pieces() -> None:
    x = nb.tensor(1.0, dtype=nb.float64, requires_grad=True)
    y = x
    for i in range(30):
        y = y * x if i % 2 else y + x
        y.item()
    y.backward()
    with nb.enable_grad():
        z = nb.tensor(1.0, dtype=nb.float64, requires_grad=True)
        whole = z
        for i in range(30):
            whole = whole * z if i % 2 else whole + z
        whole.backward()
    assert y.item() == whole.item()
    assert x.grad.item() == z.grad.item()


def test_a_value_used_before_and_after_a_look_counts_twice() -> None:
    x = vector(2.0)
    h = x * x
    a = (h * 3).sum()
    a.item()
    b = (h * 5).sum()
    (a + b).backward()
    assert values(x.grad) == [32.0]


def test_a_leaf_changed_after_the_forward_does_not_change_the_gradient_of_a_held_graph() -> None:
    x = vector(2.0, 3.0)
    y = (x * x).sum()
    y.item()
    x.requires_grad_(False)
    x.requires_grad_(True)
    y.backward()
    assert values(x.grad) == [4.0, 6.0]


# --- retain_grad


def test_retain_grad_keeps_the_gradient_of_a_computed_tensor() -> None:
    x = vector(1.0, 2.0)
    h = x * x
    h.retain_grad()
    assert h.retains_grad
    (h * 3).sum().backward()
    assert values(h.grad) == [3.0, 3.0]
    assert values(x.grad) == [6.0, 12.0]


def test_retain_grad_accumulates_over_calls() -> None:
    x = vector(1.0, 2.0)
    h = x * x
    h.retain_grad()
    (h * 3).sum().backward(retain_graph=True)
    (h * 4).sum().backward()
    assert values(h.grad) == [7.0, 7.0]


@pytest.mark.parametrize("asks", ["retain_grad", "inputs"])
@pytest.mark.parametrize("is_leaf_again", [False, True])
def test_retain_grad_is_of_a_place_in_the_graph_which_a_detached_tensor_had(asks: str, is_leaf_again: bool) -> None:
    x = vector(1.0, 2.0)
    h = x * x
    y = h * 3.0
    z = nb.stack([h, h])
    if asks == "inputs":
        y.sum().backward(retain_graph=True, inputs=[h])
    else:
        h.retain_grad()
        y.sum().backward(retain_graph=True)
    first = h.grad
    h.detach_()
    if is_leaf_again:
        h.requires_grad_()
    else:
        h.mul_(2.0)
    y.sum().backward(retain_graph=True)
    z.sum().backward()
    assert values(h.grad) == [8.0, 8.0]
    assert values(first) == [3.0, 3.0]
    assert values(x.grad) == ([10.0, 20.0] if asks == "inputs" else [16.0, 32.0])


def test_retain_grad_adds_up_in_a_new_tensor() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.retain_grad()
    (h * h * x).sum().backward(create_graph=True)
    first = h.grad
    assert first is not None
    (h * h).sum().backward()
    assert h.grad is not None
    assert (first.tolist(), first.requires_grad) == ([4.0, 16.0], True)
    assert (h.grad.tolist(), h.grad.requires_grad) == ([8.0, 24.0], False)


def _halved(h: Any) -> None:
    with nb.no_grad():
        h.mul_(0.5)


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.detach().requires_grad_(),
        lambda h: h.data.mul_(0.5),
        _halved,
        lambda h: [_halved(h), h.tolist(), _halved(h)],
    ],
)
@pytest.mark.parametrize("is_asked_before", [False, True])
def test_retain_grad_keeps_the_gradient_of_what_was_computed_before_a_change(
    change: Any, is_asked_before: bool
) -> None:
    for looks in [(), (1,), (2,), (1, 2)]:
        x = vector(1.0, 2.0)
        h = x * 2.0
        before = (h * 3.0).sum()
        if 1 in looks:
            before.item()
        if is_asked_before:
            h.retain_grad()
        _kept = change(h)
        if 2 in looks:
            h.tolist()
        h.retain_grad()
        before.backward(retain_graph=True)
        assert values(h.grad) == [3.0, 3.0]
        h.sum().backward()
        assert values(h.grad) == [4.0, 4.0]
        assert values(x.grad) == [8.0, 8.0]


def test_a_kept_gradient_stays_with_other_data() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    (h * 3).sum().backward(inputs=[h])
    h.data = nb.tensor([5.0, 6.0])
    assert h.retains_grad
    h.sum().backward()
    assert h.grad is not None
    assert h.grad.tolist() == [4.0, 4.0]


def test_a_backward_that_cannot_be_keeps_no_gradients() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    with pytest.raises(RuntimeError):
        h.detach().sum().backward(inputs=[h])
    assert not h.retains_grad


@pytest.mark.parametrize("again", [False, True])
def test_retain_grad_of_a_view_follows_it_where_its_base_is_written(again: bool) -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    part, other = y[:2], y[1:]
    part.retain_grad()
    before = (part * 2).sum()
    with nb.no_grad():
        other.add_(1.0)
        part.clone()
    if again:
        (part * 3).sum().backward(retain_graph=True)
    before.backward()
    assert part.grad is not None
    assert part.grad.tolist() == ([3.0, 3.0] if again else [2.0, 2.0])


@pytest.mark.parametrize("write", [lambda v: v.zero_(), lambda v: v.fill_(3.0), lambda v: v.copy_(nb.ones(2, 1))])
def test_zeros_behind_what_was_written_through_a_view_depend_on_it(write: Any) -> None:
    def by_x(way: Any) -> tuple[Any, bool]:
        x = nb.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        write(way(y))
        (g,) = nb.autograd.grad((y * y).sum(), x, create_graph=True)
        return g.tolist(), g.requires_grad

    assert by_x(lambda y: y.view(2, 1)) == ([0.0, 0.0], True)


def test_retain_grad_of_a_view_that_is_protected_by_now_is_in_nobodys_way() -> None:
    x = vector(1.0, 2.0)
    part = x.unbind(0)[1]
    y = -part
    part.retain_grad()
    with nb.no_grad():
        x.add_(1.0)
    with pytest.raises(RuntimeError, match="multiple views"):
        part * 2.0
    assert values(nb.autograd.grad(y * 3.0, x)[0]) == [0.0, -3.0]
    assert values(part.grad) == -3.0


def test_retain_grad_of_the_output_itself() -> None:
    x = vector(1.0, 2.0)
    y = (x * x).sum()
    y.retain_grad()
    y.backward()
    assert y.grad.item() == 1.0


def test_retain_grad_of_a_leaf_does_nothing() -> None:
    x = vector(1.0)
    x.retain_grad()
    assert not x.retains_grad


def test_retain_grad_without_history_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="requires_grad=False"):
        nb.ones(1).retain_grad()


def test_retain_grad_across_a_flush() -> None:
    x = vector(1.0, 2.0)
    h = x.exp()
    h.retain_grad()
    h.sum().item()
    loss = (h * h).sum()
    loss.item()
    loss.backward()
    assert values(h.grad) == [2 * v for v in values(h)]


def test_retain_grad_of_a_tensor_another_graph_does_not_reach() -> None:
    x = vector(1.0)
    h = x * 2
    h.retain_grad()
    (x * 5).sum().backward()
    assert h.grad is None
    assert values(x.grad) == [5.0]


def test_a_dropped_tensor_that_retained_its_gradient_disturbs_nobody() -> None:
    x = vector(1.0)
    h = x * 2
    h.retain_grad()
    y = (h * h).sum()
    del h
    y.backward()
    assert values(x.grad) == [8.0]


# --- flags


def test_a_flag_of_a_computed_tensor_cannot_be_switched_off() -> None:
    y = vector(1.0) * 2
    with pytest.raises(RuntimeError, match="leaf variables"):
        y.requires_grad_(False)
    with pytest.raises(RuntimeError, match="leaf variables"):
        y.requires_grad = False
    y.requires_grad_(True)  # what it is already
    assert y.requires_grad


def test_a_computed_tensor_without_history_can_start_one() -> None:
    y = nb.tensor([1.0, 2.0]) * 2
    y.requires_grad_()
    assert y.is_leaf
    (y * y).sum().backward()
    assert values(y.grad) == [4.0, 8.0]


def test_what_was_recorded_before_the_flag_has_no_gradient() -> None:
    x = nb.tensor([1.0, 2.0])
    before = x * 3
    x.requires_grad_()
    after = x * 5
    (before + after).sum().backward()
    assert values(x.grad) == [5.0, 5.0]


def test_a_view_of_plain_data_can_start_a_history_and_share_memory() -> None:
    base = nb.tensor([1.0, 2.0, 3.0])
    view = base[1:]
    view.requires_grad_()
    assert view.requires_grad
    assert not base.requires_grad
    (view * view).sum().backward()
    assert values(view.grad) == [4.0, 6.0]
    with nb.no_grad():
        view.mul_(10.0)
    assert values(base) == [1.0, 20.0, 30.0]


def test_integers_cannot_require_grad() -> None:
    with pytest.raises(RuntimeError, match="floating point"):
        nb.ones(2, dtype=nb.int64).requires_grad_()


def test_switching_the_flag_off_keeps_the_value_and_the_grad() -> None:
    x = vector(1.0, 2.0)
    (x * x).sum().backward()
    x.requires_grad_(False)
    assert values(x.grad) == [2.0, 4.0]
    assert not (x * 2).requires_grad


def test_detach_in_place_cuts_the_history() -> None:
    x = vector(1.0, 2.0)
    y = x * 3
    z = y * 2
    y.detach_()
    assert y.is_leaf
    assert not y.requires_grad
    assert values(y) == [3.0, 6.0]
    z.sum().backward()  # what was recorded before goes on
    assert values(x.grad) == [6.0, 6.0]


def test_detach_in_place_refuses_views() -> None:
    y = (vector(1.0, 2.0) * 3)[:1]
    with pytest.raises(RuntimeError, match="detach views"):
        y.detach_()


def test_detach_in_place_of_a_leaf_stops_its_gradient() -> None:
    x = vector(1.0)
    x.detach_()
    assert not x.requires_grad


def test_requires_grad_of_results() -> None:
    x, c = vector(1.0), nb.ones(1)
    assert (x + c).requires_grad
    assert not (c + c).requires_grad
    assert x.clone().requires_grad
    assert not x.clone().is_leaf
    assert not x.detach().clone().requires_grad
    assert x[:1].requires_grad
    assert not x.data.requires_grad
    assert nb.zeros_like(x).requires_grad is False


def test_deepcopy_copies_leaves_only() -> None:
    import copy

    x = vector(1.0, 2.0)
    twin = copy.deepcopy(x)
    assert twin.requires_grad
    assert twin.is_leaf
    with nb.no_grad():
        twin.add_(1.0)
    assert values(x) == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(x * 2)


def test_backward_within_no_grad_still_works() -> None:
    x = vector(1.0, 2.0)
    y = (x * x).sum()
    with nb.no_grad():
        y.backward()
    assert values(x.grad) == [2.0, 4.0]


def test_create_graph_within_no_grad_still_builds() -> None:
    x = nb.tensor(3.0, requires_grad=True)
    y = x * x * x
    with nb.no_grad():
        (g,) = nb.autograd.grad(y, x, create_graph=True)
    assert g.requires_grad
    (h,) = nb.autograd.grad(g, x)
    assert h.item() == 18.0


def test_the_order_in_which_contributions_are_added_does_not_depend_on_looks() -> None:
    def run(*looks_after: int) -> list[float]:
        x = vector(0.1, 0.7, -1.3, 5.5, 3e-5)
        w = vector(3.3, 1e-4, 7.7, 2.9, -2.0)
        total = (x * 0.3).sum()
        for i in range(12):
            total = total + (x.sin() * w * (i * 0.37 + 1.1)).sum() * w.exp().clamp(max=9.0).sum()
            if i in looks_after:
                total.item()
        total.backward()
        return values(x.grad) + values(w.grad)

    plain = run()
    assert run(3) == plain
    assert run(0, 1, 2, 3, 9) == plain
    assert run(*range(12)) == plain


def test_a_leaf_used_before_an_older_graph_comes_in_adds_up_in_the_order_of_use() -> None:
    def run(look: bool) -> list[float]:
        x = vector(0.1, 0.7, -1.3, 5.5, 3e-5)
        a = ((x * 0.3).exp().clamp(max=1e3) * x * 1.7).sum()
        if look:
            a.item()
        b = x * 0.9 + x.cos() * 0.1
        ((b * x).sum() * 0.7 + a * a).backward()
        return values(x.grad)

    assert run(True) == run(False)


@pytest.mark.parametrize(
    "flat",
    [lambda x: x**0, lambda x: nb.cat([x[:0], nb.ones(2)]), lambda x: nb.ones(2).scatter_add(0, nb.tensor([0])[:0], x)],
    ids=["power 0", "nothing joined", "nothing scattered"],
)
def test_what_is_flat_has_zeros_for_its_derivative_and_is_not_unused(flat: Any) -> None:
    x = nb.ones(3, requires_grad=True)
    (g,) = nb.autograd.grad(flat(x).sum(), x)
    assert g.tolist() == [0.0, 0.0, 0.0]


F = nb.nn.functional
BROKEN_LINES = {
    **{name: getattr(F, name) for name in ("relu", "leaky_relu", "hardtanh", "relu6", "hardsigmoid", "softshrink")},
    "hardshrink": nb.hardshrink,
    "threshold": lambda x: F.threshold(x, 0.1, 0.0),
    "power 1": lambda x: x**1,
    "power 1.0": lambda x: x**1.0,
    "power 1 in place": lambda x: x.clone().pow_(1),
    "prelu": lambda x: F.prelu(x, nb.tensor([0.25])),
    "prelu, weight": lambda x: F.prelu(x, nb.tensor([0.25], requires_grad=True)),
    "max_pool1d": lambda x: F.max_pool1d(x[None], 2),
    "max_pool2d": lambda x: F.max_pool2d(x[None, None], 1),
    "avg_pool1d": lambda x: F.avg_pool1d(x[None], 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x[None, None], 1),
    "adaptive_avg_pool1d": lambda x: F.adaptive_avg_pool1d(x[None], 2),
    "nll_loss": lambda x: F.nll_loss(x, nb.tensor(1)),
    "conv1d": lambda x: F.conv1d(x[None], nb.ones(1, 1, 2)),
}


@pytest.mark.parametrize("f", BROKEN_LINES.values(), ids=BROKEN_LINES)
def test_the_second_derivative_of_a_broken_line_is_zeros(f: Any) -> None:
    x = nb.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    y = f(x)
    (g,) = nb.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = nb.autograd.grad(g.sum(), x)
    assert g.requires_grad and h.tolist() == [0.0, 0.0, 0.0]
    x = x.detach().requires_grad_()
    y = f(x)
    y.sum().backward()
    assert x.grad.tolist() == g.tolist()
    with pytest.raises(RuntimeError, match="second time"):  # the derivative reads what was saved
        y.sum().backward()


def test_a_batch_of_cotangents_gives_one_gradient_each() -> None:
    x = vector(1.0, 2.0)
    (rows,) = nb.autograd.grad([x * x, 3 * x], x, [nb.eye(2), nb.ones(2, 2)], is_grads_batched=True)
    assert rows.tolist() == [[5.0, 3.0], [3.0, 7.0]]
    with pytest.raises(ValueError, match="differ in their first dim"):
        nb.autograd.grad([x * x, 3 * x], x, [nb.eye(2), nb.ones(3, 2)], is_grads_batched=True)
    with pytest.raises(IndexError, match="at least one cotangent"):
        nb.autograd.grad(x * x, x, nb.ones(0, 2), is_grads_batched=True)


@pytest.mark.parametrize("wrong", [None, 5, "ab", [None], [3.0], {"a": 1}])
def test_what_is_no_tensor_is_named(wrong: Any) -> None:
    x = vector(1.0)
    for run in (
        lambda: nb.autograd.grad(wrong, x),
        lambda: nb.autograd.grad(x.sum(), wrong),
        lambda: nb.autograd.backward(wrong),
    ):
        with pytest.raises(TypeError, match="must be Tensor or sequence of Tensors"):
            run()


def test_a_derivative_by_what_was_used_up_may_be_taken_of_what_was_not() -> None:
    u = nb.tensor([0.25, 0.75])
    for _ in range(3):  # in the baseline tier all is kept; then there is a plan
        x = nb.tensor([0.5, 1.5], requires_grad=True)
        a = nb.exp(x * x)
        product = nb.sin(u) * a
        (g,) = nb.autograd.grad((a * a).sum(), [x])
        assert g is not None
        assert g.isfinite().all()  # that computes, and keeps what is still read: the sine
        (by_a,) = nb.autograd.grad(product.sum(), [a], retain_graph=True)
        assert by_a is not None
        assert by_a.tolist() == nb.sin(u).tolist()
        with pytest.raises(nb.errors.GradError, match="freed"):
            nb.autograd.grad(product.sum(), [x])


def test_an_empty_view_beside_another_one() -> None:
    x = nb.ones(2, 2, 2, requires_grad=True)
    empty, other = x.expand(2, 2, 2).narrow(2, 0, 0), x.broadcast_to((2, 2, 2, 2))
    (empty * empty).sum().backward(retain_graph=True)
    assert x.grad is not None and x.grad.sum().item() == 0.0 and other.shape == (2, 2, 2, 2)


@pytest.mark.parametrize("first", ["x", "v"])
def test_inputs_that_are_no_leaves_go_on_keeping_their_gradient(first: str) -> None:
    x = nb.tensor([1.5, 2.0, 3.0], requires_grad=True)
    v = x[1:]
    for inputs in ([{"x": x, "v": v}[first]], [v], None):
        (v * v).sum().backward(inputs=inputs)
    assert v.grad.tolist() == {"x": [8.0, 12.0], "v": [12.0, 18.0]}[first]


def test_a_view_that_keeps_its_gradient_keeps_that_of_what_was_written_to_it() -> None:
    x = nb.tensor([2.0, 3.0], requires_grad=True)
    v = (x * 1.0)[1:]
    v.retain_grad()
    v.mul_(2.0)
    (v * v).sum().backward()
    assert v.grad.tolist() == [12.0]
    assert x.grad.tolist() == [0.0, 24.0]


def test_a_view_of_several_is_one_place_in_the_graph_after_a_write_through_data() -> None:
    y = nb.tensor([2.0, 3.0], requires_grad=True) * 1.0
    v = y.unbind(0)[1]
    y.data.mul_(2.0)
    assert nb.autograd.grad(v * v, v)[0].item() == 12.0

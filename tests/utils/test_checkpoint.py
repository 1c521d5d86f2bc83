"""checkpoint: nothing is kept but arguments and results, backward calls again, and gradients are what they were."""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)
from tests.each import functions
from tests.memory_pool import pool_stats

Checkpoint = Callable[..., Any]


def plainly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def again(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return checkpoint(function, *args, use_reentrant=False, **kwargs)


def leaf(*numbers: float) -> nb.Tensor:
    return nb.tensor(list(numbers or (0.3, 0.4)), requires_grad=True)


# --- the same gradients, to the bit


def one_argument(ck: Checkpoint) -> Any:
    x = leaf()
    ck(lambda a: a.sin() * a, x * 2).sum().backward()
    return x.grad


def an_argument_that_is_a_leaf(ck: Checkpoint) -> Any:
    x = leaf()
    ck(lambda a: a.sin() * a, x).sum().backward()
    return x.grad


def parameters_in_a_chain(ck: Checkpoint) -> Any:
    nb.manual_seed(1)
    layers = [nb.nn.Linear(3, 3) for _ in range(3)]
    h = x = leaf(0.1, 0.2, 0.3)
    for layer in layers:
        h = ck(lambda a, layer=layer: layer(a).tanh(), h)
    h.square().sum().backward()
    return x.grad, [p.grad for layer in layers for p in layer.parameters()]


def one_parameter_in_several(ck: Checkpoint) -> Any:
    w = leaf()
    h = ck(lambda a: (a * w).sin(), nb.tensor([1.0, 3.0]))
    ck(lambda a: (a * w).sin(), h).sum().backward()
    return w.grad


def around_them(ck: Checkpoint) -> Any:
    w = leaf()
    h = w * 1
    for _ in range(4):
        h = h + ck(lambda a: (a * w).tanh(), h)
    h.sum().backward()
    return w.grad


def what_was_computed_outside(ck: Checkpoint) -> Any:
    x = leaf()
    h = (x * 3).sin()
    g = nb.autograd.grad(ck(lambda a: a * h * a, x * 2).sum(), [h, x])
    return g


def what_was_computed_outside_and_run(ck: Checkpoint) -> Any:
    x = leaf()
    h, z = (x * 3).sin(), x * 2
    assert len(h.tolist()) == 2
    y = ck(lambda a: a * h * a, z)
    assert len(y.tolist()) == 2
    y.sum().backward()
    return x.grad


def one_in_another(ck: Checkpoint) -> Any:
    x, w = leaf(), leaf(1.0, 2.0)
    ck(lambda a: ck(lambda b: (b * w).sin(), ck(lambda b: (b * w).sin(), a)) * w, x * 1).sum().backward()
    return x.grad, w.grad


def looking_at_values_inside(ck: Checkpoint) -> Any:
    x, w = leaf(), leaf(1.0, 2.0)
    z, q = x * 2, x.exp()

    def function(a: nb.Tensor) -> nb.Tensor:
        b = (a * w).sin()
        assert len(b.tolist()) == 2
        c = b * a * q
        assert len(c.tolist()) == 2
        return c * w

    ck(function, z).sum().backward()
    return x.grad, w.grad


def writing_an_argument(ck: Checkpoint) -> Any:
    x, w = leaf(), leaf(1.0, 2.0)
    z = x * 2
    y = ck(lambda a: a.mul_(w).sin(), z)
    (y.sum() + z.sum()).backward()
    return x.grad, w.grad, z


def writing_an_argument_afterwards(ck: Checkpoint) -> Any:
    x = leaf()
    z = x * 2
    y = ck(lambda a: a.sin() * a, z).sum()
    z.zero_()
    y.backward()
    return x.grad


def one_argument_twice(ck: Checkpoint) -> Any:
    x = leaf()
    z = x * 2
    ck(lambda a, b: a * b.sin(), z, z).sum().backward()
    return x.grad


def a_leaf_by_two_names(ck: Checkpoint) -> Any:
    x = leaf()
    ck(lambda a: a * x.sin(), x).sum().backward()
    return x.grad


def an_argument_by_two_names(ck: Checkpoint) -> Any:
    x = leaf()
    z = x * 2
    y = ck(lambda a: a * z.sin(), z).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def views_of_one_tensor(ck: Checkpoint) -> Any:
    x = nb.tensor([[0.3, 0.4], [1.0, 2.0]], requires_grad=True)
    z = x * 2
    ck(lambda a, b, c: a * b.sin() * c.sum(), z[0], z[1], z).sum().backward()
    return x.grad


def trees_of_tensors(ck: Checkpoint) -> Any:
    x, w = leaf(), leaf(0.3, 0.9)

    def function(a: nb.Tensor, d: dict[str, nb.Tensor], *, k: list[nb.Tensor]) -> dict[str, Any]:
        return {"r": a * d["w"] * k[0], "n": (a.sum(), 3)}

    y = ck(function, x, {"w": w * 2}, k=[x * 3])
    (y["r"].sum() * y["n"][0]).backward()
    return x.grad, w.grad, y["n"][1]


def several_results_of_which_one_is_used(ck: Checkpoint) -> Any:
    x = leaf()
    a, b, c = ck(lambda a: (a.sin(), a.cos(), a.detach()), x * 2)
    a.sum().backward()
    return x.grad, b, c.requires_grad


def twice_with_retain_graph(ck: Checkpoint) -> Any:
    x = leaf()
    y = ck(lambda a: a.sin() * a, x * 2).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def hooks_inside_and_outside(ck: Checkpoint) -> Any:
    x = leaf()
    seen: list[Any] = []
    z = x * 2
    z.register_hook(lambda g: seen.append(("outside", g.tolist())))

    def function(a: nb.Tensor) -> nb.Tensor:
        b = a.sin()
        b.register_hook(lambda g: seen.append(("inside", g.tolist())))
        return b * a

    ck(function, z).sum().backward()
    return x.grad, seen


def second_derivatives(ck: Checkpoint) -> Any:
    w, x = leaf(), leaf(1.0, 2.0)
    y = ck(lambda a: (a * w).sin() * a, x * 1).sum()
    first = nb.autograd.grad(y, [x, w], create_graph=True)
    return first, nb.autograd.grad((first[0] * first[1]).sum(), [x, w])


def in_function_transforms(ck: Checkpoint) -> Any:
    def function(x: nb.Tensor) -> nb.Tensor:
        return ck(lambda a: a.sin() * a, x).sum()

    x = nb.tensor([0.3, 0.4])
    return nb.func.grad(function)(x), nb.func.jacrev(nb.func.grad(function))(x)


def in_a_compiled_step(ck: Checkpoint) -> Any:
    w = leaf()

    @nb.compile
    def step(x: nb.Tensor) -> float:
        loss = ck(lambda a: (a * w).tanh(), x).sum()
        loss.backward()
        return float(loss.item())

    return [step(nb.ones(2) * k) for k in range(5)], w.grad


def dropout_and_what_is_drawn_afterwards(ck: Checkpoint) -> Any:
    nb.manual_seed(3)
    x = leaf(*[0.1] * 50)
    y = ck(lambda a: nb.nn.functional.dropout(a, 0.5) * nb.rand(50), x * 1)
    before = nb.rand(2)
    y.sum().backward()
    return x.grad, before, nb.rand(2)


def training(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    layers = nb.nn.Sequential(*[nb.nn.Linear(4, 4) for _ in range(3)])
    optimizer = nb.optim.Adam(layers.parameters(), lr=0.1)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        h = nb.ones(2, 4)
        for layer in layers:
            h = ck(lambda a, layer=layer: nb.nn.functional.dropout(layer(a).tanh(), 0.2), h)
        loss = h.square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


CASES = functions(one_argument, training)


def bits(value: Any) -> Any:
    if isinstance(value, nb.Tensor):
        return value.detach().numpy().tobytes()
    if isinstance(value, (list, tuple)):
        return [bits(v) for v in value]
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_gradients_are_the_same_to_the_bit(case: Callable[[Checkpoint], Any]) -> None:
    expected = bits(case(plainly))
    for _ in range(3):  # another tier each time
        assert bits(case(again)) == expected


@pytest.mark.parametrize(
    "case", [one_argument, an_argument_that_is_a_leaf, parameters_in_a_chain, second_derivatives, around_them]
)
def test_so_with_use_reentrant(case: Callable[[Checkpoint], Any]) -> None:
    def reentrant(function: Any, *args: Any) -> Any:
        return checkpoint(function, *args, use_reentrant=True)

    assert bits(case(reentrant)) == bits(case(plainly))


# --- memory, and how often it is called


def used_after_forward_and_at_most(depth: int, size: int, ck: Checkpoint) -> tuple[int, int]:
    """Bytes that lie between forward and backward, and the most when ``depth`` backwards of a layer begin."""
    layers = [nb.ones(size, requires_grad=True) for _ in range(depth)]
    seen: list[int] = []

    def layer(w: nb.Tensor, x: nb.Tensor) -> nb.Tensor:
        for _ in range(6):
            x = (x * w).sin() * x.exp().neg().exp()
        return x

    h = nb.ones(size, requires_grad=True)
    for w in layers:
        h.register_hook(lambda g: (g.sum().item(), seen.append(pool_stats().used_bytes))[0] and None)
        h = ck(layer, w, h)
    loss = h.sum()
    loss.item()
    gc.collect()
    before = pool_stats().used_bytes
    loss.backward()
    return before, max(seen)


def test_what_is_inside_is_not_held_between_forward_and_backward() -> None:
    size, depth = 1 << 14, 8
    gc.collect()
    base = pool_stats().used_bytes
    held, most = used_after_forward_and_at_most(depth, size, again)
    one = 4 * size
    assert held - base < (2 * depth + 4) * one  # parameters and what goes from layer to layer
    plain, _ = used_after_forward_and_at_most(depth, size, plainly)
    assert plain - base > 2 * (held - base)
    assert most - base < (3 * depth + 40) * one  # gradients, and one layer from within: not all of them


def test_intermediate_tensors_die_with_the_call() -> None:
    inside: list[weakref.ref[nb.Tensor]] = []

    def function(x: nb.Tensor) -> nb.Tensor:
        y = x.sin()
        inside.append(weakref.ref(y))
        return y * y

    y = again(function, leaf())
    assert y.tolist() and inside[0]() is None


def test_each_backward_calls_the_function_once() -> None:
    calls: list[str] = []

    def layer(name: str, x: nb.Tensor) -> nb.Tensor:
        calls.append(name)
        return x.sin()

    x = leaf()
    y = again(layer, "b", again(layer, "a", x)).sum()
    assert calls == ["a", "b"]
    y.backward(retain_graph=True)
    assert calls == ["a", "b", "b", "a"]
    y.backward()
    assert calls == ["a", "b", "b", "a", "b", "a"]


@pytest.mark.parametrize("wanted", [True, False])
def test_only_what_is_on_the_way_is_called_again(wanted: bool) -> None:
    calls: list[str] = []
    x, w = leaf(), leaf()
    y = again(lambda a: calls.append("x") or a.sin(), x * 1)
    z = again(lambda a: calls.append("w") or a.sin(), w * 1)
    calls.clear()
    nb.autograd.grad((y * z).sum(), [x if wanted else w])
    assert calls == ["x" if wanted else "w"]


def test_an_argument_by_two_names_costs_one_call_more_once() -> None:
    calls: list[int] = []
    x = leaf()
    z = x * 2
    y = again(lambda a: calls.append(1) or a * z.sin(), z).sum()
    y.backward(retain_graph=True)
    assert len(calls) == 3
    y.backward()
    assert len(calls) == 4


def test_where_nothing_is_differentiated_it_is_a_call() -> None:
    w = leaf()
    with nb.no_grad():
        assert not again(lambda a: a * w, w).requires_grad
    assert not again(lambda a: a * 2, nb.ones(2)).requires_grad
    assert nb.func.vmap(lambda x: again(lambda a: a * 2, x))(nb.ones(2, 3)).tolist() == [[2.0] * 3] * 2


def test_contexts_for_the_first_and_for_later_calls() -> None:
    seen: list[str] = []

    @contextmanager
    def says(word: str) -> Iterator[None]:
        seen.append(word)
        yield
        seen.append(f"end of {word}")

    x = leaf()
    y = again(lambda a: a.sin(), x, context_fn=lambda: (says("first"), says("later")))
    y.sum().backward()
    assert seen == ["first", "end of first", "later", "end of later"]


def test_random_numbers_go_on_without_preserve_rng_state() -> None:
    nb.manual_seed(3)
    drawn: list[Any] = []

    def function(a: nb.Tensor) -> nb.Tensor:
        drawn.append(nb.rand(2).tolist())
        return a.sin()

    again(function, leaf(), preserve_rng_state=False).sum().backward()
    assert drawn[0] != drawn[1]


# --- refusals


def test_another_tensor_the_second_time_is_an_error() -> None:
    x = leaf()
    read = x * 2
    y = again(lambda a: a * read.sin(), x * 3).sum()
    read = x * 5
    with pytest.raises(CheckpointError, match="it read another tensor than before"):
        y.backward()
    assert x.grad is None


def test_a_parameter_that_was_written_meanwhile_is_an_error() -> None:
    w = leaf()
    y = again(lambda a: a.sin() * w, w * 2).sum()
    with nb.no_grad():
        w.add_(1)
    with pytest.raises(CheckpointError, match="was written between forward and backward"):
        y.backward()
    assert w.grad is None


def test_other_computations_the_second_time_are_an_error() -> None:
    def once_so_once_otherwise(**how: Any) -> None:
        calls: list[int] = []
        w = leaf()

        def function(a: nb.Tensor) -> nb.Tensor:
            calls.append(1)
            return a.sin() * w if len(calls) == 1 else a.cos() * w * 2

        again(function, w * 2, **how).sum().backward()

    with pytest.raises(CheckpointError, match=r"3 operations, 2 before\). debug=True lists them"):
        once_so_once_otherwise()
    with pytest.raises(CheckpointError, match=r"again: mul .* cos"):
        once_so_once_otherwise(debug=True)
    once_so_once_otherwise(determinism_check="none")


def test_a_freed_graph_is_an_error() -> None:
    y = again(lambda a: a.sin(), leaf()).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_an_exception_of_the_second_call_leaves_all_as_it_was() -> None:
    calls: list[int] = []
    w = leaf()

    def function(a: nb.Tensor) -> nb.Tensor:
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("second")
        return a.sin() * w

    nb.manual_seed(1)
    state = nb.get_rng_state().tolist()
    y = again(function, w * 2).sum()
    with pytest.raises(KeyError):
        y.backward()
    assert w.grad is None and nb.is_grad_enabled() and nb.get_rng_state().tolist() == state
    y.backward()
    (expected,) = nb.autograd.grad(((w * 2).sin() * w).sum(), w)
    assert w.grad.tolist() == expected.tolist()


def test_inside_vmap_it_is_an_error() -> None:
    function = nb.func.grad(lambda x: again(lambda a: a.sin() * a, x).sum())
    with pytest.raises(RuntimeError, match="inside vmap"):
        nb.func.vmap(function)(nb.ones(2, 3))


def test_a_fullgraph_program_has_no_checkpoints() -> None:
    w = leaf()

    @nb.compile(fullgraph=True)
    def step(x: nb.Tensor) -> nb.Tensor:
        return again(lambda a: a * w, x).sum()

    with pytest.raises(RuntimeError, match="checkpointed function"):
        step(nb.ones(2))


def test_wrong_arguments() -> None:
    x = leaf()
    with pytest.raises(ValueError, match="Unexpected keyword arguments: b"):
        checkpoint(lambda a, b: a, x, b=1, use_reentrant=True)
    with pytest.raises(ValueError, match="determinism_check should be one of"):
        again(lambda a: a, x, determinism_check="all")
    with pytest.raises(ValueError, match="debug=True is incompatible"):
        again(lambda a: a, x, debug=True, context_fn=lambda: (nb.no_grad(), nb.no_grad()))
    with pytest.raises(TypeError), set_checkpoint_early_stop("no"):
        pass
    with pytest.raises(ValueError, match="segments must be a positive int"):
        checkpoint_sequential([nb.sin], 0, x, use_reentrant=False)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo"):
        checkpoint_sequential([nb.sin], 1, x, use_reentrant=False, foo=1)


def test_use_reentrant_is_asked_for() -> None:
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(nb.sin, leaf())
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        assert not checkpoint(lambda a: a * leaf(), nb.ones(2), use_reentrant=True).requires_grad


# --- checkpoint_sequential


@pytest.mark.parametrize("segments", [1, 2, 3, 5])
@pytest.mark.parametrize("reentrant", [True, False])
def test_segments_of_a_sequential(segments: int, reentrant: bool) -> None:
    nb.manual_seed(0)
    model = nb.nn.Sequential(*[nb.nn.Sequential(nb.nn.Linear(3, 3), nb.nn.Tanh()) for _ in range(5)])
    calls: list[Any] = []
    for layer in model:
        layer.register_forward_pre_hook(lambda module, args: calls.append(module))
    x = leaf(0.1, 0.2, 0.3)
    model(x).sum().backward()
    expected = bits([x.grad, *[p.grad for p in model.parameters()]])
    x.grad = None
    model.zero_grad()
    calls.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = checkpoint_sequential(model, segments, x, use_reentrant=reentrant)
    y.sum().backward()
    assert bits([x.grad, *[p.grad for p in model.parameters()]]) == expected
    assert len(calls) == 5 + (segments - 1) * (5 // segments)


def test_set_checkpoint_early_stop_changes_no_gradient() -> None:
    x = leaf()
    with set_checkpoint_early_stop(False):
        y = again(nb.sin, x)
    y.sum().backward()
    assert x.grad.tolist() == x.cos().tolist()


def test_the_node_of_a_checkpoint_leads_to_what_it_reads_and_takes_no_hooks() -> None:
    x = nb.ones(3, requires_grad=True)
    y = checkpoint(lambda a: (a * a).exp(), x, use_reentrant=False)
    assert [node.variable is x for node, _ in y.grad_fn.next_functions] == [True]
    with pytest.raises(RuntimeError, match="belongs on its results or arguments"):
        y.grad_fn.register_hook(lambda *_: None)
    y.sum().backward()
    assert [node.variable is x for node, _ in y.grad_fn.next_functions] == [True]


@pytest.mark.filterwarnings("ignore:Anomaly")
def test_anomaly_mode_goes_through_checkpoints() -> None:
    x = nb.ones(2, requires_grad=True)
    with nb.autograd.detect_anomaly():
        y = checkpoint(lambda a: (a * a).exp(), x, use_reentrant=False)
        checkpoint(lambda a: a.sin(), y, use_reentrant=False).sum().backward()
        with pytest.raises(RuntimeError, match="returned nan values"):
            checkpoint(lambda a: (a - 1).sqrt() * 0, x, use_reentrant=False).sum().backward()


def test_forward_mode_refuses_a_checkpoint() -> None:
    x = nb.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match="call the function itself"):
        nb.func.jvp(lambda a: checkpoint(lambda b: b.exp(), a, use_reentrant=False), (x,), (x,))


def test_hooks_of_what_a_checkpoint_reads_see_the_whole_gradient_once() -> None:
    def gradients(use: Any) -> Any:
        x, w = nb.tensor([1.0, 2.0], requires_grad=True), nb.tensor([3.0, 4.0], requires_grad=True)
        seen: list[Any] = []
        for a in (x, w):
            a.register_hook(lambda g: (seen.append(g.tolist()), g * 2)[1])
        nb.autograd.graph.register_multi_grad_hook([x, w], lambda gs: seen.append([g.tolist() for g in gs]))
        (use(lambda a: (a * w).tanh() * a, x) * w).sum().backward()
        return x.grad.tolist(), w.grad.tolist(), sorted(seen, key=str)

    plain = gradients(lambda f, x: f(x))
    assert gradients(lambda f, x: checkpoint(f, x, use_reentrant=False)) == plain


@pytest.mark.parametrize("create_graph", [False, True])
def test_many_cotangents_at_once(create_graph: bool) -> None:
    x, w = nb.tensor([1.0, 2.0], requires_grad=True), nb.tensor([3.0, 4.0], requires_grad=True)
    u = w + w

    def f(x: Any) -> Any:
        if (x * 1).tolist() != [1.0, 2.0]:
            raise AssertionError
        return x * x * u * nb.rand(2)

    nb.manual_seed(0)
    plain = f(x)
    nb.manual_seed(0)
    y = checkpoint(f, x, use_reentrant=False)
    seeds = nb.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
    found, wanted = (
        nb.autograd.grad(z, [x, w], seeds, is_grads_batched=True, create_graph=create_graph) for z in (y, plain)
    )
    assert [g.tolist() for g in found] == [g.tolist() for g in wanted]
    if create_graph:
        second, wanted = (nb.autograd.grad(g[0].sum(), [x, w])[0] for g in (found, wanted))
        assert second.tolist() == wanted.tolist()
    else:
        with pytest.raises(RuntimeError, match="a second time"):
            nb.autograd.grad(y, x, seeds, is_grads_batched=True)


@pytest.mark.parametrize("inner", ["plain", "checkpoint"])
@pytest.mark.parametrize("is_leaf", [True, False])
def test_a_gradient_that_is_taken_inside_has_a_derivative(inner: str, is_leaf: bool) -> None:
    """It was lost without a word: x.grad stayed None."""

    def slope(x: nb.Tensor) -> nb.Tensor:
        y = x.sin().exp() if inner == "plain" else again(lambda x: x.sin().exp(), x)
        (g,) = nb.autograd.grad(y.sum(), x, create_graph=True)
        return g

    def by(call: Checkpoint) -> tuple[list[float], list[float]]:
        x = leaf()
        z = call(slope, x if is_leaf else x * 2).sum()
        (g,) = nb.autograd.grad(z, x, retain_graph=True)
        z.backward()
        assert x.grad is not None
        return g.tolist(), x.grad.tolist()

    assert by(again) == by(plainly)

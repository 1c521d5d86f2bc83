"""The graph as users walk it: its nodes, their hooks, and edges in place of tensors."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.autograd.graph import GradientEdge, Node, get_gradient_edge
from nbgrad.trace import local
from tests.squares import Square


def leaf(*values: float) -> Any:
    return nb.tensor(values or (1.0, 2.0), requires_grad=True)


class Two(nb.autograd.Function):
    """Twice the first and thrice the second of its tensors."""

    @staticmethod
    def forward(ctx: Any, a: Any, factor: float, b: Any) -> Any:
        ctx.factor = factor
        return a * factor, b * 3

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        return g * ctx.factor, None, h * 3


def walked(root: Any) -> list[Any]:
    """All nodes behind a tensor, users first."""
    found: dict[Any, None] = {}
    pending = [root.grad_fn]
    while pending:
        node = pending.pop()
        if node is not None and node not in found:
            found[node] = None
            pending += [behind for behind, _ in reversed(node.next_functions)]
    return list(found)


def names(root: Any) -> list[str]:
    return [type(node).__name__ for node in walked(root)]


@pytest.fixture(params=["pending", "in memory"])
def ready(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """What a tensor is made of is looked at before the graph is, or not."""

    def look(x: Any) -> Any:
        if request.param == "in memory":
            x.tolist()
        return x

    return look


def test_a_graph_is_walked_to_its_leaves(ready: Any) -> None:
    x, w = leaf(), leaf()
    y = ready(x * 2)
    z = ready((y * y + w).sum())
    assert isinstance(z.grad_fn, Node)
    assert names(z) == ["SumBackward0", "AddBackward0", "MulBackward0", "MulBackward0"] + ["AccumulateGrad"] * 2
    product = z.grad_fn.next_functions[0][0].next_functions[0][0]
    assert product.next_functions == ((y.grad_fn, 0), (y.grad_fn, 0))
    (end, number), (nothing, zero) = y.grad_fn.next_functions
    assert end.variable is x and end.next_functions == () and (number, nothing, zero) == (0, None, 0)
    assert end.name() == "torch::autograd::AccumulateGrad"


def test_the_same_operation_is_the_same_node_and_keeps_its_metadata(ready: Any) -> None:
    x = leaf()
    y = x * 2
    node = y.grad_fn
    node.metadata["note"] = "here"
    ready(y)
    assert y.grad_fn is node and (y + 1).grad_fn.next_functions[0][0] is node
    del node
    assert y.grad_fn.metadata == {"note": "here"}
    assert (x * 2).grad_fn.metadata == {}


def test_values_that_are_written_have_the_nodes_of_their_writes(ready: Any) -> None:
    x = leaf()
    y = ready(x * 2)
    first = y.grad_fn
    y.add_(x)
    assert y.grad_fn.next_functions == ((first, 0), ((x * 1).grad_fn.next_functions[0]))
    y[0] = 5.0
    assert names(ready(y))[:3] == ["CopySlices", "AddBackward0", "MulBackward0"]
    with nb.no_grad():
        node = y.grad_fn
        y.mul_(2)
    assert y.grad_fn is node  # nothing was recorded of that
    copied = nb.zeros(2).copy_(x)
    assert names(copied) == ["CopyBackwards", "AccumulateGrad"]


def test_views_have_the_nodes_of_their_steps(ready: Any) -> None:
    x = leaf(1.0, 2.0, 3.0, 4.0)
    y = ready(x * 1)
    view = y.view(2, 2)[0]
    assert names(view)[:3] == ["SelectBackward0", "ViewBackward0", "MulBackward0"]
    y.mul_(2)
    assert names(view)[:2] == ["SelectBackward0", "ViewBackward0"]


def test_outputs_of_a_custom_function_have_one_node_with_the_attributes_of_its_ctx(ready: Any) -> None:
    x, w = leaf(), leaf()
    a, b = Two.apply(x, 2.0, w)
    node = ready(a).grad_fn
    assert node is b.grad_fn and node.name() == "TwoBackward" and node.factor == 2.0
    assert [end.variable for end, _ in node.next_functions] == [x, w]
    assert [get_gradient_edge(t).output_nr for t in (a, b)] == [0, 1]
    assert (b * 2).grad_fn.next_functions[0] == (node, 1)


def test_gradients_that_can_be_differentiated_go_back_to_what_they_were_made_of() -> None:
    x = leaf()
    y = x * x
    (g,) = nb.autograd.grad(y.sum(), x, create_graph=True)
    assert names(g)[-1] == "AccumulateGrad" and y.grad_fn in walked(g)


def as_lists(grads: Any) -> Any:
    return [None if g is None else g.tolist() for g in (grads if isinstance(grads, tuple) else (grads,))]


def test_a_node_is_called_with_gradients_of_its_outputs(ready: Any) -> None:
    x, z = leaf(), leaf(3.0, 4.0)
    y = ready(x * z)
    grads = y.grad_fn(nb.ones(2))
    assert as_lists(grads) == [[3.0, 4.0], [1.0, 2.0]] and grads[0].requires_grad
    with nb.no_grad():
        assert not y.grad_fn(nb.ones(2))[0].requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]  # nothing was added, nor freed
    assert as_lists(ready(3 * x).grad_fn(nb.ones(2))) == [None, [3.0, 3.0]]
    assert as_lists(ready(x * x).grad_fn(nb.ones(2))) == [[2.0, 4.0], None]
    assert isinstance(grad := ready(x.sum()).grad_fn(nb.tensor(2.0)), nb.Tensor) and grad.tolist() == [2.0, 2.0]
    assert as_lists(ready(y * 2).grad_fn(None)) == [None, None]
    for given in ((), (1.0, 2.0)):
        with pytest.raises(TypeError, match=rf"<MulBackward0>: expected 1 arguments, got {len(given)} instead"):
            y.grad_fn(*given)


def test_the_node_of_a_custom_function_takes_attributes() -> None:
    a, b = Two.apply(leaf(), 2.0, leaf())
    a.grad_fn.note = "mine"
    assert b.grad_fn.note == "mine"
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute 'note'"):
        (a * 2).grad_fn.note = "mine"


def test_what_is_no_attribute_says_so() -> None:
    node = (leaf() * 2).grad_fn
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute '_saved_result'"):
        assert node._saved_result
    with pytest.raises(AttributeError, match="'MulBackward0' object has no attribute 'x'"):
        assert node.x


def test_a_node_holds_its_graph_and_a_graph_no_node() -> None:
    y = leaf() * 2
    node = weakref.ref(y.grad_fn)
    gc.collect()
    assert node() is None
    kept = (y * y).grad_fn
    y.tolist()
    x = weakref.ref(y)
    del y
    gc.collect()
    assert x() is None
    assert kept.next_functions[0][0].name() == "MulBackward0"


def test_printing_records_nothing() -> None:
    y = leaf() * 2
    y.tolist()
    before = local.trace.node
    assert "grad_fn=<MulBackward0>" in repr(y)
    assert local.trace.node is before


class Told(list[Any]):
    """What hooks are called with, as lists; ``gives`` what they give."""

    def hook(self, name: str, gives: Any = None, *, looks: bool = True) -> Any:
        def shown(g: Any) -> Any:
            return g if g is None else g.tolist() if looks else tuple(g.shape)

        def called(*grads: Any) -> Any:
            self.append((name, *[tuple([shown(g) for g in each]) for each in grads]))
            return gives(*grads) if gives is not None else None

        return called


@pytest.mark.parametrize("looks", [True, False])
def test_hooks_of_a_node_run_around_it(ready: Any, looks: bool) -> None:
    x, told = leaf(), Told()
    y = ready(x * 2)
    z = ready((y * y).sum())
    end = y.grad_fn.next_functions[0][0]
    end.register_hook(told.hook("added"))
    end.register_prehook(told.hook("before adding"))
    y.grad_fn.register_hook(told.hook("after", looks=looks))
    y.grad_fn.register_prehook(told.hook("before", looks=looks))
    y.register_hook(lambda g: told.append("tensor"))
    z.backward()
    came, went = ([4.0, 8.0], [8.0, 16.0]) if looks else ((2,), (2,))
    assert told == [
        "tensor",
        ("before", (came,)),
        ("after", (went, None), (came,)),
        ("before adding", ([8.0, 16.0],)),
        ("added", (), ([8.0, 16.0],)),
    ]
    assert x.grad.tolist() == [8.0, 16.0]


def test_what_hooks_give_goes_on_in_place() -> None:
    x, w = leaf(), leaf(3.0, 4.0)
    y = x * w
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + outputs[0], None))
    (y + x).sum().backward()
    assert x.grad.tolist() == [41.0, 51.0] and w.grad is None


def test_an_argument_that_comes_twice_has_all_of_its_gradient_at_its_first_place() -> None:
    x, told = leaf(), Told()
    y = x * x
    y.grad_fn.register_hook(told.hook("after"))
    y.sum().backward()
    assert told == [("after", ([2.0, 4.0], None), ([1.0, 1.0],))]
    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_of_a_node_count_what_goes_through_it_alone(ready: Any) -> None:
    x, told = leaf(), Told()
    u = ready(x * 3)
    y = u * x  # where one argument was made of the other
    y.grad_fn.register_hook(told.hook("after"))
    (y + u).sum().backward()
    assert told == [("after", ([1.0, 2.0], [3.0, 6.0]), ([1.0, 1.0],))]
    assert x.grad.tolist() == [9.0, 15.0]


def test_hooks_of_a_custom_function(ready: Any) -> None:
    x, w, told = leaf(), leaf(), Told()
    a, _b = Two.apply(x, 2.0, w)
    node = ready(a).grad_fn
    node.register_prehook(told.hook("before", lambda grads: (grads[0] * 10, None)))
    handle = node.register_hook(told.hook("after", lambda inputs, outputs: (inputs[0] + 1, inputs[1])))
    a.sum().backward(retain_graph=True)
    assert told == [("before", ([1.0, 1.0], None)), ("after", ([20.0, 20.0], [0.0, 0.0]), ([10.0, 10.0], None))]
    assert x.grad.tolist() == [21.0, 21.0] and w.grad.tolist() == [0.0, 0.0]
    handle.remove()
    a.sum().backward()
    assert len(told) == 3 and x.grad.tolist() == [41.0, 41.0]


def test_hooks_of_a_node_and_of_one_behind_it(ready: Any) -> None:
    x, told = leaf(), Told()
    y = ready(Square.apply(x * 2))
    z = y.exp().log()
    for name, node in zip("zyvx", walked(z.sum())[1:], strict=False):
        node.register_hook(told.hook(name))
    z.sum().backward()
    assert [name for name, *_ in told] == ["z", "y", "v", "x"]
    assert x.grad.tolist() == pytest.approx([8.0, 16.0])


def test_hooks_of_all_nodes_leave_second_derivatives_as_they_are(ready: Any) -> None:
    x, told = leaf(), Told()
    y = (ready(x * 2) ** 3).sum()
    for node in walked(y):
        node.register_hook(told.hook("after"))
    (g,) = nb.autograd.grad(y, x, create_graph=True)
    (h,) = nb.autograd.grad(g.sum(), x)
    assert (g.tolist(), h.tolist()) == ([24.0, 96.0], [48.0, 96.0])
    assert len(told) >= 3


def test_a_backward_through_hooks_uses_the_graph_up(ready: Any) -> None:
    x = leaf()
    z = ready((x * x).exp() * x)
    for node in walked(z)[:3]:
        node.register_hook(lambda inputs, outputs: None)
    z.sum().backward(retain_graph=True)
    z.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        z.sum().backward()


def test_kept_gradients_have_what_hooks_of_nodes_gave(ready: Any) -> None:
    x = leaf()
    y = ready(x * 3)
    y.retain_grad()
    z = y * y.square()
    for a in (y, z):
        a.grad_fn.register_hook(lambda inputs, outputs: tuple([g if g is None else g * 2 for g in inputs]))
    z.sum().backward(retain_graph=True)
    assert (y.grad.tolist(), x.grad.tolist()) == ([54.0, 216.0], [324.0, 1296.0])
    (g,) = nb.autograd.grad(z.sum(), y)
    assert g.tolist() == [54.0, 216.0]


@pytest.mark.parametrize("anomaly", [True, False])
@pytest.mark.parametrize("is_before", [True, False])
def test_gradients_of_a_tensor_have_what_its_hooks_gave_and_not_its_nodes(
    ready: Any, is_before: bool, anomaly: bool
) -> None:
    x, told = leaf(), Told()
    y = ready(x * 3)
    y.retain_grad()
    register = y.grad_fn.register_prehook if is_before else y.grad_fn.register_hook
    register(lambda grads, *_: tuple([g if g is None else g * 5 for g in grads]))
    register(told.hook("node"))
    y.register_hook(lambda g: g * 2)
    z = y.sum()
    with nb.autograd.set_detect_anomaly(anomaly):
        assert [g.tolist() for g in nb.autograd.grad(z, [y], retain_graph=True)] == [[2.0, 2.0]]
        assert told == []  # the gradient does not go through the node
        assert [g.tolist() for g in nb.autograd.grad(z, [x, y], retain_graph=True)] == [[30.0, 30.0], [2.0, 2.0]]
        z.backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([6.0, 6.0], [30.0, 30.0])


@pytest.mark.parametrize(
    ("gives", "error", "says"),
    [
        (nb.ones(2), TypeError, "expected tuple, but hook returned 'Tensor'"),
        ((nb.ones(2),), RuntimeError, r"an incorrect number of values \(got 1, but expected 2\)"),
        ((nb.ones(2), nb.ones(2)), RuntimeError, "can't replace a None gradient with a non-None value"),
        ((nb.ones(3), None), RuntimeError, "has changed the size of value"),
        ((5, None), TypeError, "expected Variable, but hook returned 'int'"),
    ],
)
def test_what_a_hook_may_not_give(gives: Any, error: type[Exception], says: str) -> None:
    x = leaf()
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: gives)
    with pytest.raises(error, match=says):
        y.sum().backward()
    assert x.grad is None


def test_hooks_of_a_leafs_node_are_for_what_is_added() -> None:
    x, told = leaf(), Told()
    end = (x * 2).grad_fn.next_functions[0][0]
    end.register_prehook(told.hook("before"))
    end.register_hook(told.hook("after"))
    nb.autograd.grad((x * 2).sum(), x)
    assert told == []


def test_what_is_told_that_a_gradient_was_added_is_told_of_the_gradient_that_was() -> None:
    x, told = leaf(), Told()
    end = get_gradient_edge(x).node
    end.register_hook(told.hook("after"))
    end.register_prehook(lambda grads: (grads[0] * 5,))
    x.register_hook(lambda g: g * 2)
    x.sum().backward()
    assert (x.grad.tolist(), told) == ([10.0, 10.0], [("after", (), ([10.0, 10.0],))])


def test_edges_stand_for_tensors_that_are_gone(ready: Any) -> None:
    x = leaf()
    y = ready(x * x)
    edge = get_gradient_edge(y)
    assert isinstance(edge, GradientEdge) and edge.node is y.grad_fn
    z = ready((y * 3).sum())
    del y
    gc.collect()
    (g,) = nb.autograd.grad(z, edge, retain_graph=True)
    (h,) = nb.autograd.grad(edge, [get_gradient_edge(x)], nb.ones(2), retain_graph=True)
    assert (g.tolist(), h.tolist()) == ([3.0, 3.0], [2.0, 4.0])
    nb.autograd.backward([edge, z], [nb.ones(2), None], inputs=get_gradient_edge(x))
    assert x.grad.tolist() == [8.0, 16.0]


def test_edges_of_a_custom_functions_outputs(ready: Any) -> None:
    x, w = leaf(), leaf()
    a, b = Two.apply(x, 2.0, w)
    z = ready((a + b * b).sum())
    (g,) = nb.autograd.grad(z, GradientEdge(a.grad_fn, 1), retain_graph=True)
    assert g.tolist() == [6.0, 12.0]
    (h,) = nb.autograd.grad(get_gradient_edge(b), w, nb.ones(2))
    assert h.tolist() == [3.0, 3.0]


def test_an_edge_by_way_of_a_walk(ready: Any) -> None:
    x = leaf()
    z = ready(((x * 2).exp() * 3).sum())
    inner = next(node for node in walked(z) if node.name() == "ExpBackward0")
    (g,) = nb.autograd.grad(z, GradientEdge(inner, 0))
    assert g.tolist() == [3.0, 3.0]


def test_a_compiled_function_may_use_them() -> None:
    @nb.compile
    def by_middle(x: Any, factor: float) -> Any:
        y = x * factor
        z = (y * y).sum()
        (g,) = nb.autograd.grad(z, get_gradient_edge(y))
        return g

    for k in range(4):
        assert by_middle(leaf(), float(k)).tolist() == [2.0 * k, 4.0 * k]


def test_results_of_compiled_functions_have_nodes() -> None:
    @nb.compile
    def squared(x: Any) -> Any:
        return (x * 2).square()

    for _ in range(4):
        x, told = leaf(), Told()
        y = squared(x)
        assert names(y) == ["PowBackward0", "MulBackward0", "AccumulateGrad"]
        assert walked(y)[-1].variable is x
        y.grad_fn.register_hook(told.hook("after"))
        y.sum().backward()
        assert told == [("after", ([4.0, 8.0],), ([1.0, 1.0],))]
        assert x.grad.tolist() == [8.0, 16.0]


def test_an_error_of_a_hook_leaves_nodes_as_they_are() -> None:
    x = leaf()
    y = x * 2
    node = y.grad_fn

    def fail(inputs: Any, outputs: Any) -> None:
        raise ValueError("no")

    handle = node.register_hook(fail)
    with pytest.raises(ValueError, match="no"):
        y.sum().backward()
    handle.remove()
    assert y.grad_fn is node
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_what_has_no_edge() -> None:
    with pytest.raises(RuntimeError, match="not possible to get the gradient edge"):
        get_gradient_edge(nb.ones(2))
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        get_gradient_edge(3)

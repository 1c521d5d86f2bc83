"""Hooks on gradients: which they see, in which order, what they give, and what they do besides."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import nbgrad as nb
from tests.squares import Square
from tests.threads import in_threads


def leaf(*values: float) -> Any:
    return nb.tensor(values or (1.0, 2.0), requires_grad=True)


class Noted:
    """A hook that notes what it is given; ``times`` what it gives in its place (None: nothing)."""

    def __init__(self, log: list[Any], name: str = "", times: float | None = None, *, looks: bool = True) -> None:
        self.log, self.name, self.times, self.looks = log, name, times, looks

    def __call__(self, g: Any) -> Any:
        self.log.append((self.name, g.tolist()) if self.looks else self.name)
        return None if self.times is None else g * self.times


def test_hooks_of_a_leaf_run_in_order_on_the_whole_gradient() -> None:
    x, log = leaf(), []
    x.register_hook(Noted(log, "first"))
    x.register_hook(Noted(log, "second", 2.0))
    x.register_hook(Noted(log, "third"))
    (x * x + x).sum().backward()
    assert log == [("first", [3.0, 5.0]), ("second", [3.0, 5.0]), ("third", [6.0, 10.0])]
    assert x.grad.tolist() == [6.0, 10.0]
    (x * 1.0).sum().backward()
    assert x.grad.tolist() == [8.0, 12.0]


@pytest.mark.parametrize("looks", [True, False])
@pytest.mark.parametrize("late", [True, False])
def test_a_hook_of_a_computed_tensor_sees_all_its_uses(late: bool, looks: bool) -> None:
    x, log = leaf(), []
    y = x * 2
    if not late:
        y.register_hook(Noted(log, "y", 10.0, looks=looks))
    z = (y * y).sum() + y.sum()
    if late:
        y.register_hook(Noted(log, "y", 10.0, looks=looks))
    z.backward()
    assert log == ([("y", [5.0, 9.0])] if looks else ["y"])
    assert x.grad.tolist() == [100.0, 180.0]


@pytest.mark.parametrize("looks", [True, False])
def test_hooks_run_from_the_outputs_to_the_leaves(looks: bool) -> None:
    x, log = leaf(), []
    y = x * 3
    z = Square.apply(y)
    w = Square.apply(z)
    for name, a in (("x", x), ("y", y), ("z", z), ("w", w)):
        a.register_hook(Noted(log, name, 2.0, looks=looks))
    w.sum().backward()
    assert [entry[0] for entry in log] == ["w", "z", "y", "x"]
    assert x.grad.tolist() == [5184.0, 41472.0]


def test_kept_gradients_and_those_that_are_asked_for_are_the_hooks() -> None:
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 5)
    y.retain_grad()
    (y * y).sum().backward(retain_graph=True)
    assert (y.grad.tolist(), x.grad.tolist()) == ([20.0, 40.0], [40.0, 80.0])
    (g,) = nb.autograd.grad((y * y).sum(), [y])
    assert g.tolist() == [20.0, 40.0]


def test_a_hook_that_is_not_on_the_way_is_not_called() -> None:
    x, log = leaf(), []
    y = x * 2
    u = y + 1
    y.register_hook(Noted(log, "y"))
    u.register_hook(Noted(log, "u"))
    nb.autograd.grad(u.sum(), u, retain_graph=True)
    (x * x).sum().backward()
    assert [name for name, _ in log] == ["u"]


def test_a_hook_after_the_value_was_looked_at() -> None:
    x, log = leaf(), []
    y = x * 2
    z = (y * y).sum()
    assert z.item() == 20.0
    y.register_hook(Noted(log, "y", 7.0))
    z.backward()
    assert x.grad.tolist() == [56.0, 112.0]
    assert log == [("y", [4.0, 8.0])]


def test_hooks_of_views_and_of_what_is_written_since() -> None:
    x, log = leaf(1.0, 2.0, 3.0), []
    y = x * 2
    v = y[1:]
    v.register_hook(Noted(log, "v", 2.0))
    y.register_hook(Noted(log, "y"))
    (v.sum() + y.sum()).backward()
    assert log == [("v", [1.0, 1.0]), ("y", [1.0, 3.0, 3.0])]
    x.grad = None
    y, log[:] = x * 2, []
    y.register_hook(Noted(log, "before", 2.0))
    y.mul_(3)
    y.register_hook(Noted(log, "after", 5.0))
    y.sum().backward()
    assert log == [("after", [1.0] * 3), ("before", [15.0] * 3)]
    assert x.grad.tolist() == [60.0] * 3


def test_a_hook_is_part_of_what_is_differentiated() -> None:
    x = leaf()
    y = x * 2
    handle = y.register_hook(lambda g: g * g)
    (g,) = nb.autograd.grad((y**3).sum(), x, create_graph=True)
    assert g.tolist() == [288.0, 4608.0]
    handle.remove()
    (h,) = nb.autograd.grad(g.sum(), x)
    assert h.tolist() == [1152.0, 9216.0]


def test_handles() -> None:
    x = leaf()
    y = x + x
    with y.register_hook(lambda g: g * 0) as handle:
        (y * 1).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    handle.remove()
    (y * 1).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert isinstance(handle, nb.utils.hooks.RemovableHandle)


def test_a_hook_may_take_itself_away() -> None:
    x, calls = leaf(), []

    def hook(g: Any) -> None:
        calls.append(1)
        handle.remove()

    handle = x.register_hook(hook)
    for _ in range(2):
        (x * x).sum().backward()
    assert calls == [1]


def test_what_a_hook_raises_leaves_all_as_it_was() -> None:
    x = leaf()
    y = x * 2

    def hook(g: Any) -> None:
        raise KeyError("mine")

    handle = y.register_hook(hook)
    z = (y * y).sum()
    with pytest.raises(KeyError, match="mine"):
        z.backward()
    assert x.grad is None
    handle.remove()
    z.backward()
    assert x.grad.tolist() == [8.0, 16.0]


@pytest.mark.parametrize("is_leaf", [True, False])
@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (3, TypeError, "expected Variable, but hook returned 'int'"),
        (nb.ones(1), RuntimeError, "changed the size of value"),
        (nb.ones(2).double(), RuntimeError, "changed the type of value"),
    ],
)
def test_what_a_hook_may_not_give(given: Any, kind: type[Exception], words: str, is_leaf: bool) -> None:
    x = leaf()
    y = x if is_leaf else x * 2
    handle = y.register_hook(lambda g: given)
    z = (y * y).sum()
    with pytest.raises(kind, match=words):
        z.backward()
    assert x.grad is None
    handle.remove()
    z.backward()
    assert x.grad is not None


def test_which_tensors_take_hooks() -> None:
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        nb.ones(2).register_hook(print)
    with pytest.raises(RuntimeError, match="non-leaf"):
        (leaf() * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        nb.ones(2).register_post_accumulate_grad_hook(print)


def test_a_leaf_is_told_when_its_gradient_was_added() -> None:
    x, log = leaf(), []
    x.register_hook(lambda g: g * 2)
    x.register_post_accumulate_grad_hook(lambda p: log.append((p is x, p.grad.tolist())))
    for _ in range(2):
        (x * x).sum().backward()
    nb.autograd.grad((x * x).sum(), x)
    assert log == [(True, [4.0, 8.0]), (True, [8.0, 16.0])]


def test_an_optimiser_may_step_inside_a_backward() -> None:
    nb.manual_seed(0)
    nets = [nb.nn.Linear(3, 2) for _ in range(2)]
    nets[1].load_state_dict(nets[0].state_dict())
    steps = {p: nb.optim.SGD([p], lr=0.1, momentum=0.9) for p in nets[0].parameters()}

    def step(p: Any) -> None:
        steps[p].step()
        steps[p].zero_grad()

    for p in nets[0].parameters():
        p.register_post_accumulate_grad_hook(step)
    other = nb.optim.SGD(nets[1].parameters(), lr=0.1, momentum=0.9)
    for k in range(4):
        x = nb.arange(6.0).reshape(2, 3) + k
        for net in nets:
            net(x).square().mean().backward()
        other.step()
        other.zero_grad()
    assert all(p.grad is None for p in nets[0].parameters())
    for a, b in zip(*[net.parameters() for net in nets], strict=True):
        assert a.tolist() == b.tolist()


def test_a_hook_of_several_tensors() -> None:
    a, b, log = leaf(), leaf(3.0, 4.0), []
    c = a * b
    handle = nb.autograd.graph.register_multi_grad_hook(
        [a, b, c], lambda gs: log.append([None if g is None else g.tolist() for g in gs])
    )
    (c * a).sum().backward()
    (a * b).sum().backward()
    assert log == [[[6.0, 16.0], [1.0, 4.0], [1.0, 2.0]], [[3.0, 4.0], [1.0, 2.0], None]]
    handle.remove()
    (a * b).sum().backward()
    assert len(log) == 2
    firsts: list[Any] = []
    nb.autograd.graph.register_multi_grad_hook([a, b], lambda g: firsts.append(g.tolist()), mode="any")
    for _ in range(2):
        (a * b).sum().backward()
    assert len(firsts) == 2
    with pytest.raises(ValueError, match="Expects mode"):
        nb.autograd.graph.register_multi_grad_hook([a], print, mode="some")


def test_a_failed_backward_leaves_nothing_to_a_hook_of_several() -> None:
    a, b, log = leaf(), leaf(), []
    nb.autograd.graph.register_multi_grad_hook(
        [a, b], lambda gs: log.append([None if g is None else g.tolist() for g in gs])
    )

    def fails(g: Any) -> None:
        raise ValueError

    handle = b.register_hook(fails)
    with pytest.raises(ValueError):  # noqa: PT011  the user's own
        (a * b).sum().backward()
    handle.remove()
    (a * 2.0).sum().backward()
    assert log == [[[2.0, 2.0], None]]


def test_a_backward_that_fails_on_its_way_leaves_nothing_to_a_hook_of_several() -> None:
    x, log = leaf(), []
    y = x * 2
    z = y * y
    nb.autograd.graph.register_multi_grad_hook(
        [z, x], lambda gs: log.append([None if g is None else g.tolist() for g in gs])
    )

    def fails(g: Any) -> None:
        raise ValueError

    handle = y.register_hook(fails)
    with pytest.raises(ValueError):  # noqa: PT011  the user's own
        z.sum().backward()
    handle.remove()
    (x * 3.0).sum().backward()
    assert log == [[None, [3.0, 3.0]]]


class _Counted(nb.autograd.Function):
    log: ClassVar[list[str]] = []

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _Counted.log.append("function")
        return g * 2


def test_hooks_of_a_backward_that_fails_run_once() -> None:
    x, log, beyond = leaf(), _Counted.log, nb.tensor([0, 7])
    for _ in range(3):  # recorded, met again, run by a plan
        log.clear()
        y = _Counted.apply(x * 1)
        y.register_hook(lambda g: log.append("hook") or g[beyond])
        with pytest.raises(IndexError):
            y.sum().backward()
        assert log.count("hook") == 1 and log.count("function") <= 1 and x.grad is None


@pytest.mark.skipif(nb.__name__ == "torch", reason="PyTorch has raised at the index")
def test_hooks_run_once_where_what_others_have_recorded_fails() -> None:
    x, log, beyond = leaf(), _Counted.log, nb.tensor([0, 7])
    for k in range(1, 4):
        log.clear()
        others = x.detach()[beyond]
        y = _Counted.apply(x * 1)
        y.register_hook(lambda g: log.append("hook"))
        y.sum().backward()
        assert log == ["hook", "function"] and x.grad.tolist() == [2.0 * k] * 2
        with pytest.raises(IndexError):
            others.tolist()


def test_a_backward_inside_a_hook_ends_only_its_own_hooks_of_several() -> None:
    a, b, other, log = leaf(), leaf(3.0, 4.0), leaf(), []
    for name, tensors in (("outer", [a, b]), ("inner", [other])):
        nb.autograd.graph.register_multi_grad_hook(
            tensors, lambda gs, name=name: log.append((name, len(gs), None in gs))
        )

    def nested(g: Any) -> None:
        with nb.enable_grad():
            (other * 2).sum().backward()

    b.register_hook(nested)
    (a * b).sum().backward()
    assert log == [("inner", 1, False), ("outer", 2, False)]


def test_each_thread_has_its_own_hooks_of_several() -> None:
    """A backward in another thread between two hooks of this one."""
    a, b, log = leaf(), leaf(3.0, 4.0), []
    nb.autograd.graph.register_multi_grad_hook(
        [a, b], lambda gs: log.append([None if g is None else g.tolist() for g in gs])
    )

    def elsewhere(g: Any) -> None:
        in_threads(lambda: (a * 5.0).sum().backward())

    handle = b.register_hook(elsewhere)
    (a * b).sum().backward()
    handle.remove()
    assert log == [[[5.0, 5.0], None], [[3.0, 4.0], [1.0, 2.0]]]


@pytest.mark.parametrize("inside", [True, False])
def test_a_compiled_function_with_hooks_is_recorded_at_each_call(inside: bool) -> None:
    x, calls = leaf(), []

    def hook(g: Any) -> Any:
        calls.append(1)
        return g * 2

    def step(k: float) -> Any:
        y = x * k
        if inside:
            y.register_hook(hook)
        y.sum().backward()
        return x.grad * 1

    if not inside:
        x.register_hook(hook)
    run = nb.compile(step)
    total = 0.0
    for k in range(1, 7):
        total += 2.0 * k
        assert run(float(k)).tolist() == [total] * 2
    assert len(calls) == 6
    with pytest.raises(RuntimeError, match="hook"):
        [nb.compile(step, fullgraph=True)(float(k)) for k in range(6)]


def test_the_same_structure_with_and_without_a_hook() -> None:
    """What is recorded again has the hooks of this time."""
    x = leaf()
    for k in range(8):
        x.grad = None
        y = x * 2
        if k % 2:
            y.register_hook(lambda g, k=k: g * k)
        (y * y).sum().backward()
        assert x.grad.tolist() == ([8.0 * k, 16.0 * k] if k % 2 else [8.0, 16.0])


@pytest.mark.parametrize("order", ["hook first", "flush between"])
def test_hooks_on_both_sides_of_a_flush(order: str) -> None:
    x, log = leaf(), []
    y = x.sin()
    y.register_hook(Noted(log, "y", 2.0))
    if order == "flush between":
        assert len(y.tolist()) == 2
    z = y * y
    z.register_hook(Noted(log, "z", 3.0))
    (z * z).sum().backward()
    assert [name for name, _ in log] == ["z", "y"]
    want = 6 * 4 * x.detach().sin() ** 3 * x.detach().cos()
    assert nb.allclose(x.grad, want)


def test_a_hook_that_differentiates() -> None:
    x, other, log = leaf(), leaf(), []

    def hook(g: Any) -> None:
        with nb.enable_grad():
            (inner,) = nb.autograd.grad((other**2).sum(), other)
        log.append(inner.tolist())

    y = x * 2
    y.register_hook(hook)
    (y * y).sum().backward()
    assert log == [[2.0, 4.0]]
    assert x.grad.tolist() == [8.0, 16.0]


def test_hooks_keep_no_tensor_alive() -> None:
    x = leaf()
    x.register_hook(lambda g: None)
    y = x * 2
    y.register_hook(lambda g: None)
    refs = [weakref.ref(x), weakref.ref(y)]
    y.sum().backward()
    del x, y
    gc.collect()
    assert [ref() for ref in refs] == [None, None]


LOOPS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: (x.sin() * x).sum(),
    "looked at": lambda x: (x.sin() * (x * x).sum().item()).sum(),
    "custom": lambda x: (Square.apply(x) * x).sum(),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_with_a_hook_on_a_leaf_is_the_loop_with_another_gradient(name: str) -> None:
    x, y = leaf(), leaf()
    x.register_hook(lambda g: g.clamp(-0.5, 0.5))
    for _ in range(5):
        x.grad = y.grad = None
        LOOPS[name](x).backward()
        LOOPS[name](y).backward()
        assert x.grad.tolist() == y.grad.clamp(-0.5, 0.5).tolist()
        with nb.no_grad():
            x -= 0.1 * x.grad
            y.copy_(x)


def once(register: Callable[..., Any], hook: Callable[..., Any]) -> None:
    """Register a hook that removes itself when it runs."""
    handles: list[Any] = []

    def run(*given: Any) -> Any:
        handles[0].remove()
        return hook(*given)

    handles.append(register(run))


@pytest.mark.parametrize("what", ["tensor", "leaf", "node", "prehook"])
def test_a_hook_may_remove_itself(what: str) -> None:
    x = leaf()
    y = x * 2
    if what == "node":
        once(y.grad_fn.register_hook, lambda gi, _: (gi[0] * 3, *gi[1:]))
    elif what == "prehook":
        once(y.grad_fn.register_prehook, lambda go: (go[0] * 3,))
    else:
        once((y if what == "tensor" else x).register_hook, lambda g: g * 3)
    (y * y).sum().backward()
    assert x.grad.tolist() == [24.0, 48.0]


def test_a_hook_may_add_and_remove_others() -> None:
    x = leaf()
    y = x * 2
    z = y * y
    z.register_hook(lambda g: (y.register_hook(lambda u: u * 3), None)[1])
    z.sum().backward()
    assert x.grad.tolist() == [24.0, 48.0]
    x = leaf()
    y = x * 2
    z = y * y
    handle = y.register_hook(lambda g: g * 3)
    z.register_hook(lambda g: handle.remove())
    z.sum().backward()
    assert x.grad.tolist() == [8.0, 16.0]


@pytest.mark.parametrize("bound", ["argument", "held"])
def test_a_hook_that_is_added_after_recording_is_called_by_a_compiled_function(bound: str) -> None:
    w = leaf()

    def step(x: Any) -> Any:
        own = x if bound == "argument" else w
        own.grad = None
        (own * own).sum().backward()
        return own.grad.clone()

    compiled, found = nb.compile(step), []
    for k in range(8):
        if k == 4:
            handle = w.register_hook(lambda g: g * 10)
        if k == 6:
            handle.remove()
        found.append(compiled(w).tolist())
    assert found == [[2.0, 4.0]] * 4 + [[20.0, 40.0]] * 2 + [[2.0, 4.0]] * 2


def test_a_hook_on_the_node_of_a_custom_function_in_another_thread() -> None:
    x = leaf()
    y = Square.apply(x * 1)
    y.grad_fn.register_hook(lambda *_: None)
    for _ in range(2):
        in_threads(lambda y=y: y.sum().backward())
        y = Square.apply(x * 1)
    assert x.grad.tolist() == [4.0, 8.0]


@pytest.mark.parametrize("looks", [True, False])
@pytest.mark.parametrize("on", ["argument", "computed", "node"])
def test_a_hook_in_a_function_transform_is_for_its_own_gradients(on: str, looks: bool) -> None:
    log: list[Any] = []

    def cube(x: Any) -> Any:
        y = x * x
        if looks:
            y.tolist()
        if on == "node":
            y.grad_fn.register_prehook(lambda grads: (log.append("y"), (grads[0] * 2,))[1])
        else:
            (y if on == "computed" else x).register_hook(Noted(log, "y", 2.0, looks=False))
        return (y * x).sum()

    inner, outer = ([54.0, 216.0], [36.0, 72.0]) if on == "argument" else ([45.0, 180.0], [30.0, 60.0])
    for run in (nb.func.grad(cube), nb.func.jacrev(cube), lambda x: nb.func.vjp(cube, x)[1](nb.tensor(1.0))[0]):
        log.clear()
        x = leaf(3.0, 6.0)
        g = run(x)
        g.sum().backward()
        assert (g.tolist(), x.grad.tolist(), log) == (inner, outer, ["y"])
    x = leaf(3.0, 6.0)
    nb.func.grad_and_value(cube)(x)[1].backward()
    assert x.grad.tolist() == [27.0, 108.0]


def test_a_hook_in_a_transform_on_what_is_outside_is_for_gradients_outside() -> None:
    log: list[Any] = []
    x = leaf(3.0, 6.0)
    earlier = nb.func.grad(lambda x: (x * x).sum())(x)

    def product(t: Any) -> Any:
        for u in (x * 2, earlier):
            u.register_hook(Noted(log, "u", 2.0))
            t = t * u
        return t.sum()

    g = nb.func.grad(product)(nb.ones(2))
    assert log == []
    g.sum().backward()  # of 4 x^2
    assert (x.grad.tolist(), len(log)) == ([48.0, 96.0], 2)


def test_a_second_derivative_has_the_hooks_of_its_own_transform() -> None:
    def cube(x: Any) -> Any:
        y = x * x
        y.register_hook(lambda g: g * 2)
        return (y * x).sum()

    second = nb.func.grad(lambda x: nb.func.grad(cube)(x).sum())
    assert second(leaf(3.0)).tolist() == [30.0]  # of 5 x^2


def test_hooks_inside_vmap_are_for_gradients_inside() -> None:
    def square(x: Any) -> Any:
        y = x * x
        y.register_hook(lambda g: g * 2)
        return y.sum()

    x = leaf(3.0, 6.0)
    assert nb.func.vmap(nb.func.grad(square))(x).tolist() == [12.0, 24.0]
    for f in (nb.func.vmap(square), nb.func.grad(lambda x: nb.func.vmap(square)(x).sum())):
        with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
            f(x)


@pytest.mark.parametrize("transform", [nb.func.grad, nb.func.vmap])
def test_no_gradient_is_retained_inside_a_transform(transform: Any) -> None:
    def f(x: Any) -> Any:
        y = x * x
        y.retain_grad()
        return y.sum()

    with pytest.raises(RuntimeError, match="inside of a function being transformed"):
        transform(f)(leaf())


def test_hooks_on_several_tensors_of_another_thread() -> None:
    x, told = nb.ones(2, requires_grad=True), []
    ys = [x * 2, x * 3]
    nb.autograd.graph.register_multi_grad_hook(ys, lambda grads: told.append([g.tolist() for g in grads]))
    nb.autograd.graph.register_multi_grad_hook(ys, lambda g: told.append("any"), mode="any")

    def step() -> None:
        for _ in range(2):
            sum(y.sum() for y in ys).backward(retain_graph=True)

    in_threads(step)
    assert told == ["any", [[1.0, 1.0], [1.0, 1.0]]] * 2


def test_a_tensor_is_not_its_own_gradient() -> None:
    x = nb.ones(2)
    with pytest.raises(RuntimeError, match="own grad"):
        x.grad = x


@pytest.mark.parametrize("by", ["computed", "leaf"])
@pytest.mark.parametrize("gives", [False, True])
def test_a_second_derivative_goes_through_a_gradient_that_a_hook_looked_at(by: str, gives: bool) -> None:
    def second(looks: bool) -> Any:
        def hook(g: Any) -> Any:
            if looks:
                g.tolist()
            return g * g if gives else None

        x = nb.tensor([0.5, -0.25, 0.75], dtype=nb.float64, requires_grad=True)
        y = x * x
        y.register_hook(hook)
        (g,) = nb.autograd.grad((y * y * y).sum(), x, create_graph=True)
        return nb.autograd.grad(g.sin().sum(), y if by == "computed" else x)[0].tolist()

    assert second(looks=True) == second(looks=False)

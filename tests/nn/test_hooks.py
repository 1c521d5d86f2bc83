"""Hooks on modules and optimisers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
import nbgrad.nn.modules.module as every


def net() -> Any:
    made = nb.nn.Sequential(nb.nn.Linear(2, 3), nb.nn.Tanh(), nb.nn.Linear(3, 1))
    with nb.no_grad():
        for k, p in enumerate(made.parameters()):
            p.copy_(nb.arange(float(p.numel())).reshape(p.shape) * 0.1 + k * 0.1)
    return made


class Times(nb.nn.Module):
    def forward(self, x: Any, *, k: float = 1.0) -> Any:
        if k > 100:
            raise KeyError("too much")
        return x * k


def test_before_and_after_forward() -> None:
    m, log = Times(), []
    m.register_forward_pre_hook(lambda mod, args: (args[0] + 1,))
    m.register_forward_pre_hook(lambda mod, args: args[0] * 2)  # one value
    m.register_forward_pre_hook(lambda mod, args: log.append(args[0].tolist()), prepend=True)
    m.register_forward_hook(lambda mod, args, out: log.append((mod is m, args[0].tolist(), out.tolist())))
    m.register_forward_hook(lambda mod, args, out: out * 10)
    m.register_forward_hook(lambda mod, args, out: log.append("first"), prepend=True)
    assert m(nb.ones(2)).tolist() == [40.0, 40.0]
    assert log == [[1.0, 1.0], "first", (True, [4.0, 4.0], [4.0, 4.0])]


def test_hooks_with_named_arguments() -> None:
    m, log = Times(), []
    handle = m.register_forward_pre_hook(lambda mod, args, kw: (args, {"k": kw["k"] + 1}), with_kwargs=True)
    m.register_forward_hook(lambda mod, args, kw, out: log.append(kw), with_kwargs=True)
    assert m(nb.ones(2), k=3.0).tolist() == [4.0, 4.0]
    assert log == [{"k": 4.0}]
    handle.remove()
    m.register_forward_pre_hook(lambda mod, args, kw: args, with_kwargs=True)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        m(nb.ones(2), k=3.0)


def test_a_hook_that_is_always_called() -> None:
    m, log = Times(), []
    m.register_forward_hook(lambda mod, args, out: log.append("plain"))
    m.register_forward_hook(lambda mod, args, out: log.append(("always", out is None)), always_call=True)
    with pytest.raises(KeyError, match="too much"):
        m(nb.ones(2), k=1000.0)
    m(nb.ones(2), k=1.0)
    assert log == [("always", True), "plain", ("always", False)]


@pytest.mark.parametrize("needs", [True, False])
def test_gradients_that_pass_a_module(needs: bool) -> None:
    m, plain, log = net(), net(), []
    x, y = (nb.ones(2, 2, requires_grad=needs) for _ in range(2))
    handle = m[1].register_full_backward_hook(lambda mod, gi, go: log.append((gi[0].tolist(), go[0].tolist())))
    m[1].register_full_backward_pre_hook(lambda mod, go: log.append(go[0].tolist()))
    m[0].register_full_backward_hook(lambda mod, gi, go: log.append(gi[0] is None))
    m(x).sum().backward()
    inner = plain[0](y)
    outer = plain[1](inner)
    plain[2](outer).sum().backward()
    (want_in, want_out) = nb.autograd.grad(plain[2](o := plain[1](i := plain[0](y))).sum(), [i, o])
    assert log == [want_out.tolist(), (want_in.tolist(), want_out.tolist()), not needs]
    assert [p.grad.tolist() for p in m.parameters()] == [p.grad.tolist() for p in plain.parameters()]
    handle.remove()
    m(x).sum().backward()
    assert len(log) == 5


def test_gradients_that_hooks_replace() -> None:
    m, plain = net(), net()
    m[2].register_full_backward_hook(lambda mod, gi, go: (gi[0] * 2,))
    m[2].register_full_backward_pre_hook(lambda mod, go: (go[0] * 3,))
    for n in (m, plain):
        n(nb.ones(2, 2)).sum().backward()
    factors = [6.0, 6.0, 3.0, 3.0]
    for p, q, factor in zip(m.parameters(), plain.parameters(), factors, strict=True):
        assert nb.allclose(p.grad, q.grad * factor)
    m[2].register_full_backward_hook(lambda mod, gi, go: (None, None))
    with pytest.raises(RuntimeError, match="returned 2 gradients"):
        m(nb.ones(2, 2)).sum().backward()


def test_modules_that_give_several_tensors() -> None:
    m, log = nb.nn.LSTM(2, 3), []
    m.register_full_backward_hook(lambda mod, gi, go: log.append([g if g is None else tuple(g.shape) for g in go]))
    out, _ = m(nb.ones(4, 1, 2))
    out.sum().backward()
    assert log == [[(4, 1, 3), None]]


@pytest.mark.parametrize("kind", ["register_full_backward_hook", "register_full_backward_pre_hook"])
@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (lambda: nb.ones(1, 2), RuntimeError, "hook returned a Tensor in place of 1 gradients"),
        (lambda: 5, TypeError, "hook returned a int in place of 1 gradients"),
        (lambda: (nb.ones(2), nb.ones(2)), RuntimeError, "hook returned 2 gradients, but the module has 1"),
        (lambda: (nb.ones(3),), RuntimeError, "invalid gradient"),
        (lambda: [nb.ones(2)], None, ""),
    ],
)
def test_what_hooks_on_gradients_of_a_module_may_give(
    kind: str, given: Callable[[], Any], error: type[Exception] | None, words: str
) -> None:
    module, x = nb.nn.Tanh(), nb.zeros(2, requires_grad=True)
    getattr(module, kind)(lambda *_: given())
    y = (module(x) * 3).sum()
    if error is None:
        y.backward()
        assert x.grad.tolist() == [1.0, 1.0]
    else:
        with pytest.raises(error, match=words):
            y.backward()


@pytest.mark.parametrize("needs", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("used", [(0,), (1,), (0, 1)])
def test_gradients_of_what_is_not_used_are_zeros_as_in_pytorch(used: tuple[int, ...], needs: tuple[bool, bool]) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for lib in (nb, torch):
        m = type("Two", (lib.nn.Module,), {"forward": lambda self, x, y: (x * 2.0, y * 3.0)})()
        log: list[Any] = []

        def seen(gs: Any) -> Any:
            return [None if g is None else g.tolist() for g in gs]

        m.register_full_backward_pre_hook(lambda mod, go, log=log: log.append(seen(go)))
        m.register_full_backward_hook(lambda mod, gi, go, log=log: log.append((seen(gi), seen(go))))
        x, y = [lib.ones(2, requires_grad=n) for n in needs]
        parts = m(x, y)
        loss = sum([(parts[i] * 2.0).sum() for i in used])
        if loss.requires_grad:
            loss.backward()
        found.append((log, seen([x.grad, y.grad])))
    assert found[0] == found[1]


def test_hooks_of_all_modules() -> None:
    log: list[Any] = []
    handles = [
        every.register_module_forward_pre_hook(lambda mod, args: log.append(("before", type(mod).__name__))),
        every.register_module_forward_hook(lambda mod, args, out: log.append(("after", type(mod).__name__))),
        every.register_module_full_backward_pre_hook(lambda mod, go: log.append("to")),
        every.register_module_full_backward_hook(lambda mod, gi, go: log.append("from")),
    ]
    m = nb.nn.Sequential(nb.nn.ReLU())
    m(nb.ones(1, requires_grad=True)).sum().backward()
    for handle in handles:
        handle.remove()
    m(nb.ones(1))
    names = [("before", "Sequential"), ("before", "ReLU"), ("after", "ReLU"), ("after", "Sequential")]
    assert log == [*names, "to", "to", "from", "from"]


def test_hooks_of_state_dicts() -> None:
    m, log = net(), []
    m[0].register_state_dict_pre_hook(lambda mod, prefix, keep: log.append((prefix, keep)))
    m[0].register_state_dict_post_hook(lambda mod, found, prefix, meta: found.update({prefix + "extra": nb.ones(1)}))
    found = m.state_dict()
    assert list(found) == ["0.weight", "0.bias", "0.extra", "2.weight", "2.bias"]
    assert log == [("0.", False)]
    with pytest.raises(RuntimeError, match="Unexpected"):
        net().load_state_dict(found)
    other = net()
    other[0].register_load_state_dict_pre_hook(
        lambda mod, given, prefix, meta, strict, missing, unexpected, said: given.pop(prefix + "extra") and None
    )
    assert other.load_state_dict(found).unexpected_keys == []
    assert "0.extra" in found
    third = net()
    third.register_load_state_dict_post_hook(lambda mod, keys: keys.unexpected_keys.clear())
    third.load_state_dict(found)
    fourth = net()
    fourth.register_load_state_dict_pre_hook(lambda *given: given[-1].append("mine"))
    with pytest.raises(RuntimeError, match="mine"):
        fourth.load_state_dict(net().state_dict())


def test_hooks_of_an_optimiser() -> None:
    p, log = nb.ones(2, requires_grad=True), []
    optimizer = nb.optim.SGD([p], lr=0.1)
    handle = optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append((o is optimizer, p.tolist())))
    optimizer.register_step_post_hook(lambda o, args, kwargs: log.append(p.tolist()))
    p.sum().backward()
    optimizer.step()
    assert log == [(True, [1.0, 1.0]), [pytest.approx(0.9)] * 2]
    handle.remove()
    optimizer.step()
    assert len(log) == 3


def test_hooks_of_all_optimisers_run_for_the_users_own() -> None:
    class Own(nb.optim.Optimizer):
        def __init__(self, params: Any) -> None:
            super().__init__(params, {})

        def step(self) -> None:
            log.append("step")

    log: list[str] = []
    optimizer = Own([nb.ones(2, requires_grad=True)])
    steps = nb.optim.optimizer
    before = steps.register_optimizer_step_pre_hook(lambda *_: log.append("before"))
    with before, steps.register_optimizer_step_post_hook(lambda *_: log.append("after")):
        optimizer.step()
    assert log == ["before", "step", "after"]
    optimizer.step()
    assert log[3:] == ["step"]


def test_copies_and_compiled_modules_have_the_hooks() -> None:
    m = net()
    plain = [m(nb.ones(1, 2) * k).item() for k in range(5)]
    handle = m.register_forward_hook(lambda mod, args, out: out * 2)
    doubled = [2 * y for y in plain]
    assert [copy.deepcopy(m)(nb.ones(1, 2) * k).item() for k in range(5)] == doubled
    run = nb.compile(m)
    assert [run(nb.ones(1, 2) * k).item() for k in range(5)] == doubled
    handle.remove()
    assert [run(nb.ones(1, 2) * k).item() for k in range(5)] == plain


def test_an_activation_and_its_gradient() -> None:
    """What class activation maps keep."""
    m, kept = net(), {}

    def keep(mod: Any, args: Any, out: Any) -> None:
        kept["value"] = out.detach()
        out.register_hook(lambda g: kept.update(grad=g))

    m[1].register_forward_hook(keep)
    m(nb.ones(1, 2)).sum().backward()
    assert kept["grad"].tolist() == m[2].weight.tolist()
    assert kept["value"].shape == (1, 3)


def test_a_backward_hook_is_told_of_gradients_once_and_not_of_theirs() -> None:
    m, x, told = nb.nn.MSELoss(), nb.tensor([3.0], requires_grad=True), []
    m.register_full_backward_hook(lambda mod, into, out: told.append(into[0].item()))
    for _ in range(2):
        (g,) = nb.autograd.grad(m(x, nb.ones(1)), x, create_graph=True)
        (second,) = nb.autograd.grad(g, x)
        assert second.item() == 2.0
    assert told == [4.0, 4.0]


def test_hooked_modules_pass_tangents_on_and_leave_tensors_alone_without_grad_mode() -> None:
    layer = nb.nn.Linear(2, 2)
    seen: list[Any] = []
    layer.register_full_backward_hook(lambda module, ingoing, outgoing: seen.append(ingoing[0]))
    plain = nb.nn.Linear(2, 2)
    plain.load_state_dict(layer.state_dict())
    x, v = nb.tensor([[1.0, 2.0]], requires_grad=True), nb.tensor([[0.5, -1.0]])
    assert nb.func.jvp(layer, (x,), (v,))[1].tolist() == nb.func.jvp(plain, (x,), (v,))[1].tolist()
    with nb.autograd.forward_ad.dual_level():
        y, known = (m(nb.autograd.forward_ad.make_dual(x, v)) for m in (layer, plain))
        tangents = [nb.autograd.forward_ad.unpack_dual(t).tangent.tolist() for t in (y, known)]
    assert tangents[0] == tangents[1]
    with nb.no_grad():
        assert not layer(x).requires_grad
    assert type(layer(x).grad_fn).__name__ == "BackwardHookFunctionBackward"
    assert not seen


def test_a_hook_that_changes_the_grad_mode_changes_it_for_itself() -> None:
    w = nb.ones(3, requires_grad=True)
    y = w * 2
    z = y * 3
    modes = []
    z.register_hook(lambda g: nb.set_grad_enabled(True) and None)
    y.register_hook(lambda g: modes.append(nb.is_grad_enabled()))
    z.sum().backward()
    assert modes == [False]
    assert w.grad.tolist() == [6.0] * 3

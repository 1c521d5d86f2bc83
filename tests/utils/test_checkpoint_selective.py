"""Selective checkpoints: gradients are what they were to the bit, and what a policy keeps is not computed again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.tape.show import show_tape
from nbgrad.trace.flush_plan import plans_run
from nbgrad.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
)
from tests.each import functions
from tests.memory_pool import pool_stats

aten = nb.ops.aten
Checkpoint = Callable[..., Any]
SAVED = [
    aten.mm.default,
    aten.addmm.default,
    aten.bmm.default,
    aten.convolution.default,
    aten._scaled_dot_product_flash_attention.default,
]


def contexts(policy: Any, **how: Any) -> Callable[[], Any]:
    return partial(create_selective_checkpoint_contexts, policy, **how)


def keeping(policy: Any, **how: Any) -> Checkpoint:
    return partial(checkpoint, use_reentrant=False, context_fn=contexts(policy, **how))


def everything(ctx: SelectiveCheckpointContext, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
    return CheckpointPolicy.PREFER_SAVE


def nothing(ctx: SelectiveCheckpointContext, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
    return CheckpointPolicy.MUST_RECOMPUTE


def every_second(ctx: SelectiveCheckpointContext, op: Any, *args: Any, **kwargs: Any) -> bool:
    every_second.calls = getattr(every_second, "calls", 0) + 1  # type: ignore[attr-defined]
    return every_second.calls % 2 == 0  # type: ignore[attr-defined]


plainly: Checkpoint = lambda function, *args, **kwargs: function(*args, **kwargs)  # noqa: E731


def data(*shape: int) -> nb.Tensor:
    return nb.randn(*shape, requires_grad=True)


def gradients(y: Any, *wrt: Any, **how: Any) -> list[Any]:
    return [y, *nb.autograd.grad(y, wrt, **how)]


def mlp(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    net = nb.nn.Sequential(nb.nn.Linear(7, 9), nb.nn.Tanh(), nb.nn.Linear(9, 9, bias=False), nb.nn.GELU())
    head = nb.nn.Linear(9, 3)
    x = data(5, 7)
    return gradients(head(ck(net, x)).square().sum(), x, *net.parameters(), *head.parameters())


def attention_block(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    layer = nb.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.3, batch_first=True)
    x = data(2, 5, 8)
    return gradients(ck(layer, x).square().sum(), x, *layer.parameters())


def attention_by_hand(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(2, 5, 8), data(8, 24)

    def attention(x: nb.Tensor) -> nb.Tensor:
        q, k, v = (x @ w).split(8, -1)
        scores = (q @ k.transpose(1, 2) / 3.0).softmax(-1)
        return nb.nn.functional.layer_norm(scores @ v + x, (8,))

    return gradients(ck(attention, x).square().sum(), x, w)


def fused_attention(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    q, k, v = data(2, 2, 5, 4), data(2, 2, 5, 4), data(2, 2, 5, 4)
    attend = partial(nb.nn.functional.scaled_dot_product_attention, is_causal=True)
    return gradients(ck(lambda q, k, v: attend(q, k, v).tanh(), q, k, v).square().sum(), q, k, v)


def convolutions(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    net = nb.nn.Sequential(nb.nn.Conv2d(2, 3, 3), nb.nn.BatchNorm2d(3), nb.nn.ReLU(), nb.nn.Conv2d(3, 2, 2))
    x = data(2, 2, 8, 8)
    return gradients(ck(net, x).square().sum(), x, *net.parameters())


def looking_at_values_inside(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)

    def function(x: nb.Tensor) -> nb.Tensor:
        y = (x @ w).exp()
        assert y.sum().item() > 0
        z = (y @ w).tanh()
        assert len(z.tolist()) == 4
        return z @ w

    return gradients(ck(function, x * 2).square().sum(), x, w)


def what_was_computed_outside(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    h = (w * 3).sin()
    return gradients(ck(lambda a: ((a @ h).exp() @ h).sigmoid(), x * 2).sum(), x, w)


def one_in_another(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w, v = data(4, 4), data(4, 4), data(4, 4)
    inner = lambda a: (a @ v).tanh() @ v  # noqa: E731
    return gradients(ck(lambda a: ck(inner, (a @ w).exp()).tanh() @ w, x).sum(), x, w, v)


def a_plain_one_inside(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    inner = partial(checkpoint, lambda a: (a @ w).tanh() @ w, use_reentrant=False)
    return gradients(ck(lambda a: inner((a @ w).exp()).tanh() @ w, x).sum(), x, w)


def twice_with_retain_graph(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    y = ck(lambda a: (a @ w).exp().log1p() @ w, x).sum()
    return gradients(y, x, w, retain_graph=True) + gradients(y, x, w)


def second_derivatives(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    y = ck(lambda a: ((a @ w).exp().softmax(1) @ w).tanh(), x * 1).sum()
    first = nb.autograd.grad(y, [x, w], create_graph=True)
    return [*first, *gradients((first[0] * first[1].exp()).sum(), x, w)]


def second_derivatives_of_what_ran(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    y = ck(lambda a: ((a @ w).exp() @ w).tanh(), x * 1).sum()
    first = nb.autograd.grad(y, [x, w], create_graph=True)
    loss = (first[0] * first[1].tanh()).sum()
    values = [g.tolist() for g in first]  # which ends the segment
    again = nb.autograd.grad(loss, [x, w], create_graph=True)
    assert again[0].sum().item() == again[0].sum().item()
    return [str(values), *again, *gradients(again[0].square().sum(), x, w)]


def many_cotangents_at_once(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    y = ck(lambda a: ((a @ w).exp() @ w).sum(0), x)
    return [*nb.autograd.grad(y, [x, w], nb.eye(4), is_grads_batched=True)]


def in_function_transforms(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(3, 3).detach(), data(3, 3).detach()
    function = lambda x: ck(lambda a: (a @ w).tanh() @ w, x).sum()  # noqa: E731
    return [nb.func.grad(function)(x), nb.func.jacrev(nb.func.grad(function))(x)]


def writes_in_place(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)

    def function(a: nb.Tensor) -> nb.Tensor:
        y = (a @ w).exp()
        y[0] = (a @ w)[1]
        y.mul_(2)
        return (y @ w).sigmoid()

    return gradients(ck(function, x * 1).sum(), x, w)


def dropout(ck: Checkpoint) -> Any:
    nb.manual_seed(3)
    x, w = data(8, 8), data(8, 8)
    y = ck(lambda a: nb.nn.functional.dropout(a @ w, 0.5) @ w, x * 1)
    drawn = nb.rand(2)
    return [*gradients(y.sum(), x, w), drawn, nb.rand(2)]


def in_lower_precision(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    x, w = data(4, 4), data(4, 4)
    with nb.autocast("cpu", nb.bfloat16):
        y = ck(lambda a: (a @ w).tanh() @ w, x)
    return gradients(y.float().sum(), x, w)


def training(ck: Checkpoint) -> Any:
    nb.manual_seed(0)
    layers = [nb.nn.Linear(6, 6) for _ in range(3)]
    optimizer = nb.optim.Adam([p for layer in layers for p in layer.parameters()], lr=0.1)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        h = nb.ones(2, 6)
        for layer in layers:
            h = ck(lambda a, layer=layer: nb.nn.functional.gelu(layer(a)), h)
        h.square().mean().backward()
        optimizer.step()
        losses.append(h)
    return losses


CASES = functions(mlp, training)


def bits(values: list[Any]) -> list[Any]:
    return [v.detach().float().numpy().tobytes() if isinstance(v, nb.Tensor) else v for v in values]


@pytest.mark.parametrize("policy", [SAVED, everything, nothing, every_second])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_gradients_are_the_same_to_the_bit(case: Callable[[Checkpoint], Any], policy: Any) -> None:
    expected = bits(case(plainly))
    ck = keeping(policy, allow_cache_entry_mutation=case is writes_in_place)
    for _ in range(3):  # another tier each time
        assert bits(case(ck)) == expected


# --- what is computed, and kept


def products(ck: Checkpoint) -> int:
    """How many matrix products a backward computes."""
    nb.manual_seed(0)
    x, w, v = data(16, 16), data(16, 16), data(16, 16)
    y = ck(lambda a: ((a @ w).tanh() @ v).sigmoid().mean(), x)
    assert y.item() > 0
    with plans_run() as plans:
        y.backward()
        assert all(a.grad.abs().sum().item() > 0 for a in (x, w, v))
    return sum([show_tape(plan.tape).count("gemm") for plan in plans])


@pytest.mark.parametrize("policy", [[aten.mm.default], [nb.matmul], everything])
def test_what_is_kept_is_not_computed_again(policy: Any) -> None:
    for _ in range(3):
        without, kept, again = products(plainly), products(keeping(policy)), products(keeping(nothing))
        assert (kept, again) == (without, without + 2)


def test_what_is_kept_of_custom_functions_inside_is_what_they_are_made_of() -> None:
    class Twice(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, w: Any) -> Any:
            ctx.save_for_backward(x, w)
            return x @ w

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, w = ctx.saved_tensors
            return g @ w.T, x.T @ g

    def case(ck: Checkpoint) -> Any:
        nb.manual_seed(0)
        x, w = data(4, 4), data(4, 4)
        return gradients(ck(lambda a: Twice.apply(a.exp(), w).tanh(), x).sum(), x, w)

    assert bits(case(keeping([aten.mm.default, aten.exp.default]))) == bits(case(plainly))


def test_memory_holds_what_the_policy_says_until_backward() -> None:
    size, depth = 1 << 16, 4

    def held(ck: Checkpoint) -> tuple[int, int]:
        gc.collect()
        base = pool_stats().used_bytes
        h = x = nb.ones(size, requires_grad=True)
        for _ in range(depth):
            h = ck(lambda a: ((a.sin() * a).exp().sin() * a).cos(), h)
        loss = h.sum()
        del h
        loss.item()
        gc.collect()
        before = pool_stats().used_bytes - base
        loss.backward()
        x.grad.sum().item()
        loss.item()
        gc.collect()
        return round(before / (4 * size)), round((pool_stats().used_bytes - base) / (4 * size))

    held(keeping(nothing))
    without = held(keeping(nothing))
    assert held(keeping([aten.exp.default])) == (without[0] + depth, without[1])
    assert held(keeping([aten.exp.default, aten.sin.default])) == (without[0] + 3 * depth, without[1])


def test_views_are_not_kept_and_nothing_else_is_held() -> None:
    size = 1 << 16

    def held(policy: Any) -> int:
        gc.collect()
        base = pool_stats().used_bytes
        x, w = nb.ones(size, requires_grad=True), nb.ones(size, requires_grad=True)
        y = keeping(policy)(lambda a: (a * w).view(256, 256).T.exp().sum(), x * 2)
        assert y.item() > 0
        gc.collect()
        return round((pool_stats().used_bytes - base) / (4 * size))

    held(nothing)
    without = held(nothing)
    assert held([aten.view.default, aten.transpose.int, aten.permute.default, aten.t.default]) == without
    assert held([aten.exp.default]) == without + 1


def test_what_is_kept_goes_with_the_backward() -> None:
    kept: list[weakref.ref[Any]] = []

    def policy(ctx: SelectiveCheckpointContext, op: Any, *args: Any) -> bool:
        kept.append(weakref.ref(ctx.op_output))
        return op == aten.exp.default

    x = nb.ones(3, requires_grad=True)
    y = keeping(policy)(lambda a: a.sin().exp().cos(), x).sum()
    assert y.item() != 0
    gc.collect()
    assert [ref() is not None for ref in kept] == [False, True, False]
    y.backward(retain_graph=True)
    assert kept[1]() is not None
    y.backward()
    gc.collect()
    assert kept[1]() is None


# --- policies


def test_a_policy_is_told_of_each_call_once() -> None:
    told: list[Any] = []

    def policy(ctx: SelectiveCheckpointContext, op: Any, *args: Any) -> bool:
        told.append((str(op), [tuple(a.shape) for a in args], tuple(ctx.op_output.shape), ctx.is_recompute))
        return op == aten.mm.default

    x, w = data(2, 3), data(3, 4)
    y = keeping(policy)(lambda a: (a @ w).tanh().sum(0) * 2, x).sum()
    expected = [
        ("aten.mm.default", [(2, 3), (3, 4)], (2, 4), False),
        ("aten.tanh.default", [(2, 4)], (2, 4), False),
        ("aten.sum.dim_IntList", [(2, 4)], (4,), False),
        ("aten.mul.Tensor", [(4,)], (4,), False),
    ]
    assert told == expected
    y.backward()
    assert told == expected


def test_a_policy_may_compute_and_look_at_values() -> None:
    def policy(ctx: SelectiveCheckpointContext, op: Any, *args: Any) -> bool:
        return bool(ctx.op_output.sum().item() > 0)

    assert bits(mlp(keeping(policy))) == bits(mlp(plainly))
    assert bits(second_derivatives(keeping(policy))) == bits(second_derivatives(plainly))


def test_where_no_derivative_is_recorded_no_policy_is_asked() -> None:
    told: list[Any] = []
    ck = keeping(lambda ctx, op, *args: told.append(op))
    with nb.no_grad():
        ck(nb.exp, nb.ones(2, requires_grad=True))
    assert not told


EXPRESSIONS = (
    "x + 1|x - x|x * x|x / 2|x ** 2|2 ** x|x ** x|x > 1|x > x|x.sum()|x.sum(0)|x.mean()|x.mean(1)|x.amax(1)|"
    "x.softmax(1)|x.log_softmax(1)|F.layer_norm(x, (3,))|F.linear(x, w, b)|F.linear(x, w)|F.linear(x3, w, b)|"
    "F.linear(x3, w)|x @ x.T|x3 @ w.T|x3 @ x3.mT|x[0] @ x[1]|w @ x[0]|F.conv2d(q, q)|"
    "F.scaled_dot_product_attention(q, q, q)|F.gelu(x)|F.silu(x)|x.relu()|x.tanh()|x.exp()|-x|x.clamp(0, 1)|"
    "x.var()|x.std(1)|x.reshape(6)|x.transpose(0, 1)|x[0]|x.unsqueeze(0)|x.expand(2, 2, 3)|torch.cat([x, x])|"
    "torch.stack([x, x])|x.double()|x.clone()|F.mse_loss(x, x)|F.avg_pool2d(q, 2)|F.max_pool2d(q, 2)|"
    "F.batch_norm(q, None, None, training=True)|F.group_norm(q, 1)|torch.maximum(x, x)|x.cumsum(0)|"
    "torch.addmm(b, x, w.T)|torch.bmm(x3, x3.mT)|torch.outer(b, b)|x.norm()|x.flatten()|F.leaky_relu(x)|"
    "F.softplus(x)|torch.where(x > 0, x, x)|x.logsumexp(1)|x[:, 1:]|F.embedding((x > 9).long()[0], w)"
)


def operators(lib: Any, expression: str, keep: Callable[..., Any]) -> list[str]:
    """What a policy is told of an expression."""
    told: list[str] = []
    shapes = {"x": (2, 3), "w": (4, 3), "b": (4,), "x3": (2, 5, 3), "q": (2, 2, 4, 4)}
    scope = {name: lib.ones(*shape).requires_grad_() for name, shape in shapes.items()}
    scope |= {"torch": lib, "F": lib.nn.functional}
    with keep(lambda ctx, op, *args, **kwargs: told.append(str(op)))[0]:
        eval(expression, scope)
    return told


@pytest.mark.parametrize("expression", EXPRESSIONS.split("|"))
def test_operators_have_the_names_of_pytorch(expression: str) -> None:
    torch = pytest.importorskip("torch", reason="the names are PyTorch's")
    theirs = operators(
        torch, expression, pytest.importorskip("torch.utils.checkpoint").create_selective_checkpoint_contexts
    )
    ours = operators(nb, expression, create_selective_checkpoint_contexts)
    theirs = [
        "aten.scaled_dot_product_attention.default" if "_scaled_dot" in name else name.replace("_unsafe_view", "view")
        for name in theirs
    ]
    assert ours and set(ours) <= set(theirs), theirs


def test_operators_are_names() -> None:
    assert (str(aten.mm), str(aten.mm.default), aten.mm.default.__name__) == (
        "aten.mm",
        "aten.mm.default",
        "mm.default",
    )
    assert repr(aten.sum.dim_IntList) == "<OpOverload(op='aten.sum', overload='dim_IntList')>"
    assert {aten.add.Tensor: 1}[nb.ops.aten.add.Tensor] == 1
    assert aten.add.Tensor != aten.add.Scalar != aten.mul.Scalar
    assert aten._scaled_dot_product_efficient_attention.default in [aten.scaled_dot_product_attention.default]
    with pytest.raises(AttributeError):
        aten.mm.__wrapped__  # noqa: B018
    with pytest.raises(AttributeError):
        nb.ops.no_such_room  # noqa: B018


# --- refusals


@pytest.mark.parametrize("where", ["inside", "a view", "outside"])
def test_a_kept_tensor_that_was_written_is_an_error(where: str) -> None:
    def case(ck: Checkpoint) -> Any:
        nb.manual_seed(0)
        x, w = data(3, 3), data(3, 3)

        def function(a: nb.Tensor) -> Any:
            y = a @ w
            z = y.clone()
            if where == "inside":
                y.relu_()
            if where == "a view":
                y[0].mul_(2)
            return z.tanh(), y.detach()

        z, y = ck(function, x)
        if where == "outside":
            y.zero_()
        return gradients(z.sum(), x, w)

    with pytest.raises(RuntimeError, match="Tensor cached during selective activation checkpoint has been mutated"):
        case(keeping([aten.mm.default]))
    assert bits(case(keeping([aten.mm.default], allow_cache_entry_mutation=True))) == bits(case(plainly))
    assert bits(case(keeping([aten.tanh.default]))) == bits(case(plainly))


def test_other_calls_the_second_time_are_an_error() -> None:
    def twice(second: Callable[[Any], Any], **how: Any) -> None:
        calls: list[int] = []
        x = nb.ones(2, 3, requires_grad=True)

        def function(a: nb.Tensor) -> nb.Tensor:
            calls.append(1)
            return a.sum(0) if len(calls) == 1 else second(a)

        keeping([aten.sum.dim_IntList])(function, x, **how).square().sum().backward()

    for how in ({}, {"determinism_check": "none"}):
        with pytest.raises(RuntimeError, match=r"aten\.sin\.default encountered during backward but not found in"):
            twice(lambda a: a.sin(), **how)
        with pytest.raises(
            RuntimeError, match=r"aten\.sum\.dim_IntList invocation index 1 encountered during backward"
        ):
            twice(lambda a: a.sum(0).sum(0), **how)
    with pytest.raises(CheckpointError, match="computed something else"):
        twice(lambda a: a.sum(1))


def test_an_exception_inside_leaves_all_as_it_was() -> None:
    def fails(a: nb.Tensor) -> nb.Tensor:
        a.exp()
        raise KeyError("inside")

    told: list[Any] = []
    with pytest.raises(KeyError):
        keeping(lambda ctx, op, *args: told.append(op))(fails, nb.ones(2, requires_grad=True))
    told.clear()
    nb.ones(2).exp()
    assert not told

    def bad(ctx: Any, op: Any, *args: Any) -> Any:
        raise KeyError("policy")

    with pytest.raises(KeyError, match="policy"):
        keeping(bad)(nb.exp, nb.ones(2, requires_grad=True))
    assert nb.ones(2).exp().tolist() == nb.ones(2).exp().tolist()


def test_with_hooks_on_what_is_saved() -> None:
    hooks = nb.autograd.graph.saved_tensors_hooks

    def case(ck: Checkpoint, *, inside: bool) -> Any:
        nb.manual_seed(0)
        x, w = data(3, 3), data(3, 3)

        def function(a: nb.Tensor) -> nb.Tensor:
            y = (a @ w).exp()
            if inside:
                with hooks(lambda t: t, lambda t: t):
                    y = (y @ w).tanh()
                    assert len(y.tolist()) == 3
            return (y @ w).sigmoid() @ w

        if inside:
            return gradients(ck(function, x).sum(), x, w)
        packed: list[Any] = []
        with hooks(lambda t: (packed.append(1), t)[1], lambda t: t):
            y = ck(function, x).sum()
        assert packed
        return gradients(y, x, w)

    for inside in (False, True):
        for policy in (SAVED, everything):
            assert bits(case(keeping(policy), inside=inside)) == bits(case(plainly, inside=inside))


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="policy_fn_or_list must be either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload but got: mm of type"):
        create_selective_checkpoint_contexts(["mm"])
    with pytest.raises(ValueError, match=r"change it to `nbgrad.ops.aten.mm.default`"):
        create_selective_checkpoint_contexts([aten.mm])

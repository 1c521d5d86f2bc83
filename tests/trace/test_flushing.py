"""What a look runs and what it does not; failing instructions; what stays in memory."""

from __future__ import annotations

import copy
import gc
import io
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.graph.node import toposort
from nbgrad.trace.flush_plan import plans_run
from nbgrad.trace.grow import SEGMENT_LENGTH
from nbgrad.trace.thread import local
from tests.memory_pool import pool_stats


def operators_run(function: Callable[[], object]) -> Counter[str]:
    """How often each operator stands in the plans that ``function`` runs."""
    with plans_run() as plans:
        function()
    return Counter(node.op.name for plan in plans for node in toposort(plan.roots))


# --- what runs


def test_item_before_backward_does_not_compute_the_forward_again() -> None:
    x = nb.tensor([0.5, 1.5], requires_grad=True)
    w = nb.tensor([2.0, 3.0], requires_grad=True)
    loss = ((x * w).erf() * w.tanh()).sum()
    assert operators_run(loss.item)["erf"] == 1
    backward = operators_run(loss.backward)
    assert backward["erf"] == 0
    assert backward["tanh"] == 0


def test_a_second_look_runs_nothing() -> None:
    x = nb.tensor([0.5, 1.5])
    y = x.exp()
    y.tolist()
    assert not operators_run(y.tolist)
    assert not operators_run(lambda: repr(y))


def test_values_that_nobody_holds_are_not_handed_out() -> None:
    x = nb.tensor([1.0, 2.0])
    y = ((x + 1) * 2 - 3).sum()
    with plans_run() as plans:
        y.item()
    (plan,) = plans
    assert len(plan.roots) == 1


def test_one_look_runs_everything_that_is_held() -> None:
    x = nb.tensor([1.0, 2.0])
    a, b = x + 1, x * 10
    assert operators_run(a.tolist)["mul"] == 1
    assert not operators_run(b.tolist)


def test_a_value_dropped_before_the_look_is_not_computed() -> None:
    x = nb.tensor([0.5, 1.5])
    dropped = x.erf()
    kept = x + 1
    del dropped
    assert operators_run(kept.tolist)["erf"] == 0


def test_a_dropped_view_does_not_hold_the_tensor_that_it_shows() -> None:
    x = nb.ones(4)
    x.tolist()
    base = x.exp()
    view = base[1:]
    assert view.is_leaf  # whoever asks makes it hold its base
    del view, base
    doubled = x * 2
    assert operators_run(doubled.tolist)["exp"] == 0


def test_looks_with_other_values_held_give_the_same_bits() -> None:
    x = nb.tensor([0.1, 0.7, -1.3])

    def run(hold: bool) -> tuple[list[float], list[float] | None]:
        h = x.sin()
        y = (h * h + x).exp()
        held = h if hold else None
        del h
        return y.tolist(), held.tolist() if held is not None else None

    (first, nothing), (second, held), (third, _) = run(False), run(True), run(False)
    assert first == second == third
    assert nothing is None
    assert held == x.sin().tolist()


def test_a_long_segment_is_cut_without_a_look() -> None:
    y = nb.tensor([1.0, 2.0])
    longest = 0
    for _ in range(2 * SEGMENT_LENGTH + 10):
        y = y + 1
        longest = max(longest, local.trace.node.ix)
    assert longest <= SEGMENT_LENGTH
    assert y.tolist() == [2 * SEGMENT_LENGTH + 11.0, 2 * SEGMENT_LENGTH + 12.0]


def test_a_loop_is_cut_at_the_same_places_every_time() -> None:
    def cuts() -> list[int]:
        found, y = [], nb.tensor([1.0, 2.0])
        for i in range(2 * SEGMENT_LENGTH):
            segment = local.trace.segment
            y = (y + 1) * 0.5
            if local.trace.segment is not segment:
                found.append(i)
        y.tolist()
        return found

    (nb.ones(1) + 1).tolist()  # now nothing waits whose history would be kept
    first, second, third = cuts(), cuts(), cuts()
    assert first == second == third
    assert len({b - a for a, b in pairwise(first)}) == 1


def test_a_long_segment_with_a_history_gives_the_derivative() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(SEGMENT_LENGTH + 10):
        y = y + x
    y.sum().backward()
    assert x.grad.tolist() == [SEGMENT_LENGTH + 11.0] * 2


def test_a_long_history_is_not_cut_where_it_meets_a_tensor_without_gradient() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(3 * SEGMENT_LENGTH + 10):
        y = y + x
    segment = local.trace.segment
    y = y - nb.tensor([3.0, 4.0])  # it is entered last before the operation
    assert local.trace.segment is segment
    y.sum().backward()
    assert x.grad.tolist() == [3 * SEGMENT_LENGTH + 11.0] * 2


# --- failing instructions


def test_an_index_out_of_range_names_the_users_line_and_leaves_the_rest_usable() -> None:
    x = nb.arange(4.0)
    good = x * 2
    line = sys._getframe().f_lineno + 1
    bad = x[nb.tensor([0, 7])]
    other = x + 1
    with pytest.raises(IndexError) as caught:
        bad.tolist()
    assert f"test_flushing.py:{line}" in str(caught.value)
    assert good.tolist() == [0.0, 2.0, 4.0, 6.0]
    assert other.tolist() == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(IndexError):
        bad.tolist()
    with pytest.raises(IndexError):
        bad + 1


def test_an_integer_division_by_zero_is_an_error_with_the_users_line() -> None:
    x = nb.tensor([1, 2, 3])
    y = x // nb.tensor([1, 0, 1])
    z = x * 5
    with pytest.raises(RuntimeError, match="zero"):
        y.tolist()
    assert z.tolist() == [5, 10, 15]
    assert (x // nb.tensor([1, 2, 1])).tolist() == [1, 1, 3]


FAILS = {  # a function of x and y, good arguments, bad ones
    "floor divide": ("(x // y).sum()", ([4, 5], [1, 2]), ([4, 5], [1, 0])),
    "remainder": ("nb.remainder(x, y).sum()", ([4, 5], [1, 2]), ([4, 5], [1, 0])),
    "reflected": ("(7 // y).sum() + x", (0, [1, 2]), (0, [1, 0])),
    "by a number": ("(x // 0 if y else x // 1).sum()", ([4, 5], 0), ([4, 5], 1)),
    "in place": ("(x + 1).__ifloordiv__(y).sum()", ([4, 5], [1, 2]), ([4, 5], [1, 0])),
    "in place by a method": ("(x + 1).remainder_(y).sum()", ([4, 5], [1, 2]), ([4, 5], [1, 0])),
    "rounded": ("nb.div(x, y, rounding_mode='floor').sum()", ([4, 5], [1, 2]), ([4, 5], [1, 0])),
    "index": ("x[y].sum()", ([4, 5], [1, 0]), ([4, 5], [1, 9])),
    "index put": ("x.clone().index_put_((y,), nb.tensor(1.0)).sum()", ([4.0, 5.0], [1, 0]), ([4.0, 5.0], [1, 9])),
    "gather": ("x.gather(0, y).sum()", ([4, 5], [1, 0]), ([4, 5], [1, 9])),
    "embedding": ("nb.nn.functional.embedding(y, x).sum()", ([[4.0], [5.0]], [1, 0]), ([[4.0], [5.0]], [1, 9])),
    "cross entropy": ("nb.nn.functional.cross_entropy(x, y)", ([[4.0, 5.0]], [1]), ([[4.0, 5.0]], [9])),
    "cholesky": ("nb.linalg.cholesky(x).sum() + y", ([[4.0]], 0.0), ([[-4.0]], 0.0)),
    "inv": ("nb.linalg.inv(x).sum() + y", ([[4.0]], 0.0), ([[0.0]], 0.0)),
    "solve": ("nb.linalg.solve(x, y).sum()", ([[4.0]], [1.0]), ([[0.0]], [1.0])),
}


@pytest.mark.parametrize("compiled", ["background", "eager"])
@pytest.mark.parametrize("name", FAILS)
def test_an_error_names_the_line_that_recorded_it_this_time(name: str, compiled: str) -> None:
    source, good, bad = FAILS[name]

    def written_at(file: str) -> Callable[[Any, Any], Any]:
        return eval(compile(f"lambda x, y: {source}", file, "eval"), {"nb": nb})  # type: ignore[no-any-return]

    first, second = written_at("first.py"), written_at("second.py")
    with override(compile=compiled):
        for times in range(4):
            for before in range(times):
                assert first(*map(nb.tensor, good)).isfinite().item(), before
            for function, line in ((second, "second.py:1"), (first, "first.py:1")):
                result = function(*map(nb.tensor, bad))
                with pytest.raises(nb.errors.NbgradError) as caught:
                    result.item()
                assert str(caught.value).endswith(line)


def test_a_failure_is_raised_to_those_who_read_what_needs_it_and_to_nobody_else() -> None:
    x = nb.arange(4.0)
    bad = x[nb.tensor([9])]
    needs, view = bad * 2, bad[:1]
    fine = x.sum()
    assert fine.item() == 6.0
    for lost in (bad, needs, view):
        for _ in range(2):
            with pytest.raises(IndexError, match=r"test_flushing.py:\d+"):
                lost.tolist()


def test_a_failure_that_nobody_holds_is_no_failure() -> None:
    x = nb.arange(4.0)
    bad = x[nb.tensor([9])]
    del bad
    assert (x + 1).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_values_beside_a_failure_keep_their_histories() -> None:
    x = nb.tensor([0.5, 1.5], requires_grad=True)
    bad = x[nb.tensor([9])]
    h = x.exp()
    y = (h * h).sum()
    y.item()
    g_h, g_x = nb.autograd.grad(y, [h, x])
    with pytest.raises(IndexError):
        bad.sum().item()
    assert g_h.tolist() == (h * 2).tolist()
    assert g_x.tolist() == (h * h * 2).tolist()


def test_a_value_whose_derivative_needs_a_failure_fails_when_it_is_read() -> None:
    x = nb.tensor([0.5, 1.5], requires_grad=True)
    y = x[nb.tensor([9])].exp()
    with nb.no_grad():
        y.fill_(1.0)
    fine = x * 2
    assert fine.tolist() == [1.0, 3.0]
    with pytest.raises(IndexError):
        y.tolist()


def test_a_backward_beside_a_failure_is_done_once() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    bad = x[nb.tensor([9])]
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    for _ in range(2):
        with pytest.raises(IndexError, match=r"test_flushing.py:\d+"):
            bad.sum().backward()
        with pytest.raises(IndexError, match=r"test_flushing.py:\d+"):
            nb.autograd.grad(bad, x, nb.ones(1))
    assert x.grad.tolist() == [2.0, 4.0]


def test_a_failing_write_to_memory_that_others_see_is_raised_at_once() -> None:
    x = nb.zeros(2)
    array = x.numpy()
    with pytest.raises(IndexError):
        x.copy_(nb.ones(3)[nb.tensor([0, 7])])
    assert array.tolist() == [0.0, 0.0]


def test_an_error_does_not_keep_the_frames_that_it_passed() -> None:
    bad = nb.arange(4.0)[nb.tensor([9])]
    (nb.ones(1) + 1).item()
    errors = []
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            bad.tolist()
        errors.append(caught.value)
    assert errors[0] is not errors[1]
    assert bad._share is not None
    assert bad._share.error is not None
    assert bad._share.error.__traceback__ is None


def test_a_failure_in_the_forward_of_backward_leaves_gradients_and_graph_as_they_were() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    held = x.grad
    alias, view = x.grad.detach(), x.grad[:1]
    index = nb.tensor([0, 5])
    y = (x * x)[index].sum()
    fine = (x * 7).sum()
    with pytest.raises(IndexError):
        y.backward()
    assert x.grad is held
    assert held.tolist() == [3.0, 3.0]
    assert alias.tolist() == [3.0, 3.0]
    assert view.tolist() == [3.0]
    fine.backward()
    assert held.tolist() == [10.0, 10.0]
    assert alias.tolist() == [10.0, 10.0]


def test_a_mistake_when_recording_leaves_what_was_recorded() -> None:
    x = nb.ones(3, requires_grad=True)
    y = x * 2
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broadcast"):
            y + nb.ones(4)
        with pytest.raises(TypeError):
            y + "text"  # type: ignore[operator]
    (y * y).sum().backward()
    assert x.grad.tolist() == [8.0] * 3


# --- memory


def test_a_small_result_does_not_pin_the_memory_of_what_it_came_from() -> None:
    x = nb.ones(1000, 1000, requires_grad=True)
    gc.collect()
    before = pool_stats().used_bytes
    kept = [(x * float(i) + 1).sum() for i in range(5)]
    assert [k.item() for k in kept] == [1e6 * (i + 1) for i in range(5)]
    gc.collect()
    assert pool_stats().used_bytes - before < 1_000_000


def test_a_dropped_graph_gives_its_memory_back() -> None:
    x = nb.ones(1000, 1000, requires_grad=True)
    gc.collect()
    before = pool_stats().used_bytes
    y = x.exp().sin()
    loss = (y * y).sum()
    loss.item()
    assert pool_stats().used_bytes - before > 4_000_000
    del y, loss
    (nb.ones(1) + 1).item()
    gc.collect()
    assert pool_stats().used_bytes - before < 1_000_000


def test_backward_gives_back_what_only_the_graph_needed() -> None:
    x = nb.ones(1000, 1000, requires_grad=True)
    loss = (x.exp().sin() ** 2).sum()
    loss.item()
    (nb.ones(1) + 1).item()
    before = pool_stats().used_bytes
    loss.backward()
    (nb.ones(1) + 1).item()
    gc.collect()
    assert pool_stats().used_bytes - before < 1_000_000  # x.grad came, what was saved went


def test_results_are_let_go_of_without_the_garbage_collector() -> None:
    x = nb.ones(1000, 1000, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        before = pool_stats().used_bytes
        for _ in range(5):
            loss = ((x * x).sin() * x).sum()
            loss.backward()
            loss.item()
            x.grad = None
        del loss
        (nb.ones(1) + 1).item()
        assert pool_stats().used_bytes - before < 1_000_000
    finally:
        gc.enable()


def test_reference_counts_tell_held_values_on_this_python() -> None:
    y = nb.ones(2) + 1
    assert sys.getrefcount(y) >= 2
    assert np.asarray(y).tolist() == [2.0, 2.0]


def test_nothing_is_kept_for_a_graph_that_is_used_up_after_an_optimiser_s_step() -> None:
    layer = nb.nn.Linear(6, 5)
    optimizer = nb.optim.Adam(layer.parameters(), lr=0.01)
    x = nb.ones(4, 6)
    losses = []
    for _ in range(4):
        loss = layer(x).tanh().pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    for loss in losses:
        assert loss._history is not None
        assert not any(b is not None for b in loss._history[0].buffers)


def test_a_failure_beside_other_work_loses_the_same_values_for_any_number_of_threads() -> None:
    def told(threads: int) -> list[bytes | str]:
        with override(num_threads=threads, compile="eager"):
            nb.manual_seed(3)
            x, w, table = nb.randn(200, 200), nb.randn(200, 200), nb.randn(1000, 64)
            good, other, lost = (x @ w).tanh(), x.exp() @ w.exp(), table[nb.tensor([3, 5000])] * 2
            found: list[bytes | str] = []
            for value in (good, lost + 1, other, lost):
                try:
                    found.append(value.numpy().tobytes())
                except IndexError as error:
                    found.append(str(error))
            return found

    alone = told(1)
    assert [type(value) for value in alone] == [bytes, str, bytes, str]
    assert told(2) == told(7) == alone


FLAT = {
    "round": lambda x: x.round(),
    "sign": lambda x: x.sign(),
    "floor": lambda x: x.floor(),
    "ceil": lambda x: x.ceil(),
    "trunc": lambda x: x.trunc(),
    "heaviside": lambda x: x.sign().relu(),
    "compared": lambda x: (x > 1).to(x.dtype) * x,
    "cast": lambda x: x.to(nb.int64).to(nb.float32) + x.round(),
    "detached": lambda x: x.detach().requires_grad_(),
    "times zero": lambda x: x * 0,
    "floor_divide": lambda x: (x / 1.5).floor(),
    "a part": lambda x: x.round()[1:],
    "a view": lambda x: x.round().reshape(3, 1),
    "picked": lambda x: x.round()[nb.tensor([2, 0, 0])],
    "summed": lambda x: x.round().sum(),
    "written": lambda x: (x * 1).round_().mul_(2),
    "chosen": lambda x: nb.where(x > 1, x.sign(), x.floor()),
    "clamped": lambda x: x.clamp(5, 6),
    "a custom function": lambda x: Flat.apply(x),
}


class Flat(nb.autograd.Function):
    """A step, of which no derivative comes."""

    @staticmethod
    def forward(ctx: Any, x: nb.Tensor) -> nb.Tensor:
        return x.round()

    @staticmethod
    def backward(ctx: Any, g: nb.Tensor) -> None:
        return None


def by_all_that_is_held(name: str, looks: tuple[int, ...], create_graph: bool) -> list[Any]:
    """Derivatives by everything on the way from a leaf to a loss."""
    x = nb.tensor([3.3, 1.2, 0.4], requires_grad=True)
    other = nb.tensor([1.0, 2.0])

    def look(place: int) -> None:
        if place in looks:
            (other * place).sum().item()

    flat = FLAT[name](x)
    look(0)
    y = flat * flat + flat.sin()
    look(1)
    z = (y.tanh() * flat).exp()
    copy = y.detach() * 2
    look(2)
    loss = (z * z).sum() + copy.sum()
    look(3)
    held = [flat, y, z, loss]
    return [nb.autograd.grad(loss, a, retain_graph=True, create_graph=create_graph)[0].tolist() for a in held]


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", FLAT)
def test_derivatives_by_all_that_is_held_after_looks(name: str, create_graph: bool) -> None:
    """Also where none goes on to a leaf, so that no derivative by leaves reads what they do."""
    expected = by_all_that_is_held(name, (), create_graph)
    for looks in ((0,), (1,), (2,), (3,), (0, 1), (1, 3), (0, 1, 2, 3)):
        for _ in range(3):
            assert by_all_that_is_held(name, looks, create_graph) == expected, looks


def test_no_more_is_kept_where_all_is_held_than_derivatives_by_leaves_read() -> None:
    layers = [nb.ones(256, 256, requires_grad=True) for _ in range(4)]
    kept = []
    for _ in range(3):
        h, held = nb.ones(64, 256), []
        gc.collect()
        before = pool_stats().used_bytes
        for w in layers:
            held.append(h := (h @ w * 0.01).relu())
        loss = h.sum()
        loss.item()
        kept.append(pool_stats().used_bytes - before)
        del h, held, loss
    assert kept[-1] <= 5 * 64 * 256 * 4 + 4096  # what is held and the first input, not each product and its multiple


def lost(size: int) -> nb.Tensor:
    """A parameter whose last update failed, which was told once."""
    w = nb.full((size,), 7.0, requires_grad=True)
    with nb.no_grad():
        w[nb.tensor([size])] = 1.0
    with pytest.raises(IndexError):
        w.tolist()
    return w


@pytest.mark.parametrize("size", [4, 100_000])
@pytest.mark.parametrize(
    "use",
    [
        lambda w: w.detach(),
        lambda w: w.data.fill_(3.0),
        lambda w: w.detach().numpy(),
        lambda w: copy.deepcopy(w),
        lambda w: nb.nn.Parameter(w),
        lambda w: nb.save({"w": w}, io.BytesIO()),
        lambda w: w[1:],
    ],
)
def test_a_value_that_could_not_be_computed_is_told_at_every_use(use: Callable[[nb.Tensor], Any], size: int) -> None:
    w = lost(size)
    for _ in range(2):
        with pytest.raises(IndexError, match=f"index {size} is out of bounds"):
            use(w)


def test_a_parameter_whose_update_failed_is_one_still_once_all_of_it_is_written() -> None:
    for write in (lambda w: w.copy_(nb.full((4,), 2.0)), lambda w: w.fill_(2.0), lambda w: w.zero_().add_(2.0)):
        w = lost(4)
        assert w.requires_grad
        assert w.is_leaf
        with nb.no_grad():
            write(w)
        (w * w).sum().backward()
        assert w.tolist() == [2.0] * 4
        assert w.grad.tolist() == [4.0] * 4

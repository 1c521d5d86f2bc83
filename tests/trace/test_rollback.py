"""Ctrl-C at any moment: in a long tape, while recording, inside backward. What is left is right, or says it is lost."""

from __future__ import annotations

import gc
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, ClassVar

import pytest

import nbgrad as nb
from nbgrad.autograd import engine
from nbgrad.errors import OURS
from nbgrad.trace import fast, handle, past
from nbgrad.trace.grow import advance
from nbgrad.trace.handle import ROOT
from nbgrad.trace.rollback import FAILED_LENGTH
from nbgrad.trace.thread import Trace, local
from nbgrad.trace.trie import path_between


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Ctrl-C comes once, ``seconds`` from now, unless the block ends before.

    Not inside a callback of the garbage collector (test tools have some): Python ignores what is raised there.
    """
    over = threading.Event()

    def strike() -> None:
        if not over.wait(seconds):
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=strike)
    gc.disable()
    try:
        thread.start()
        yield
    finally:
        try:
            over.set()
        finally:  # here it has come, or will not come any more
            gc.enable()
            thread.join()


def long_chain(x: nb.Tensor) -> nb.Tensor:
    y = x
    for _ in range(150):
        y = (y @ x) * 0.02
    return (y * y).mean()


def test_ctrl_c_in_a_long_backward_leaves_everything_as_it_was() -> None:
    nb.manual_seed(0)
    x = nb.randn(1000, 1000).requires_grad_()
    w = nb.ones(3, requires_grad=True)
    (w * 2).sum().backward()
    held, pending = w.grad, w * 3
    loss = long_chain(x) + w.sum()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), interrupted_after(0.3):
        loss.backward()
    assert time.perf_counter() - started < 5.0  # a slice is 50 ms and a product a few more
    assert x.grad is None
    assert w.grad is held
    assert held.tolist() == [2.0] * 3
    assert pending.tolist() == [3.0] * 3
    (w * 5).sum().backward()
    assert held.tolist() == [7.0] * 3
    (x[:1, :2] * 2).sum().backward()
    assert x.grad[0, :3].tolist() == [2.0, 2.0, 0.0]


def test_a_backward_that_ctrl_c_stopped_is_done_once_when_it_is_asked_for_again() -> None:
    nb.manual_seed(0)
    x, w = nb.randn(500, 500).requires_grad_(), nb.ones(3, requires_grad=True)
    passed = []

    class Count(nb.autograd.Function):
        @staticmethod
        def forward(ctx: object, a: nb.Tensor) -> nb.Tensor:
            return a * 1.0

        @staticmethod
        def backward(ctx: object, g: nb.Tensor) -> nb.Tensor:
            passed.append(1)
            return g

    def loss() -> nb.Tensor:
        y = x
        for _ in range(60):
            y = (y @ x) * 0.04
        return (y * y).mean() + Count.apply(w).sum()

    loss().backward()
    expected = x.grad.tolist()
    x.grad, w.grad = None, nb.ones(3)
    stopped = loss()

    def backward() -> None:
        stopped.backward()
        time.sleep(10)  # on a machine so fast that it is done

    with pytest.raises(KeyboardInterrupt), interrupted_after(0.03):
        backward()
    if x.grad is None:
        assert w.grad.tolist() == [1.0] * 3
        stopped.backward()
    assert x.grad.tolist() == expected
    assert w.grad.tolist() == [2.0] * 3
    assert len(passed) in (2, 3)
    with pytest.raises(RuntimeError, match="second time"):
        stopped.backward()


def test_what_ctrl_c_stopped_can_be_computed_again() -> None:
    nb.manual_seed(0)
    x = nb.randn(500, 500)
    y = x
    for _ in range(200):
        y = (y @ x) * 0.04

    def look() -> None:
        y.sum().item()
        time.sleep(10)  # on a machine so fast that it is done

    with pytest.raises(KeyboardInterrupt), interrupted_after(0.1):
        look()
    first = y.tolist()
    z = x
    for _ in range(200):
        z = (z @ x) * 0.04
    assert z.tolist() == first


class _Alarm:
    """Raises KeyboardInterrupt at a random moment of a block."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    @contextmanager
    def __call__(self, within_s: float) -> Iterator[None]:
        def strike(number: int, frame: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, strike)
        try:
            signal.setitimer(signal.ITIMER_REAL, self._random.uniform(1e-6, within_s))
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _loss(x: nb.Tensor, w: nb.Tensor) -> nb.Tensor:
    y = (x * 2.5 + w)[1:] * 2.0
    y.mul_(1.5)
    y[0] = y[1] * 3.25
    return ((y - 0.75) * y).sum() + x.sum() * 0.25


def _leaves() -> tuple[nb.Tensor, nb.Tensor]:
    return nb.tensor([1.0, 2.0, 3.0], requires_grad=True), nb.tensor([0.5, 0.25, 0.125], requires_grad=True)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_at_random_moments_never_gives_a_wrong_number() -> None:
    x, w = _leaves()
    loss = _loss(x, w)
    loss.backward()
    value, gradients = loss.item(), (x.grad.tolist(), w.grad.tolist())
    alarm, strikes = _Alarm(seed=7), 0
    end = time.monotonic() + 6.0
    while time.monotonic() < end:
        x, w = _leaves()
        pending: list[tuple[nb.Tensor, object]] = []
        try:
            with alarm(3e-4):
                a = x * 3.5
                pending.append((a, [3.5, 7.0, 10.5]))
                with nb.no_grad():
                    b = a + w * 1.0
                pending.append((b, [4.0, 7.25, 10.625]))
                loss = _loss(x, w)
                pending.append((loss, value))
                loss.backward()
        except KeyboardInterrupt:
            strikes += 1
        nb.set_grad_enabled(True)  # Python itself can lose the end of a ``with`` block to Ctrl-C
        for tensor, expected in pending:
            _check_or_lost(lambda tensor=tensor: tensor.tolist(), expected)
        if x.grad is not None:
            assert (x.grad.tolist(), w.grad.tolist()) == gradients
        x, w = _leaves()
        again = _loss(x, w)
        again.backward()
        assert again.item() == value
        assert (x.grad.tolist(), w.grad.tolist()) == gradients
    assert strikes > 100


def _check_or_lost(compute: Callable[[], object], expected: object) -> None:
    """The right value, or an error that says it is lost."""
    try:
        found = compute()
    except RuntimeError as error:
        assert "interrupted" in str(error) or "given up" in str(error)  # noqa: PT017
    else:
        assert found == expected


@pytest.mark.parametrize(
    "cut", [lambda x: x * 2.0, lambda x: 2.0 * x, lambda x: nb.clamp(x, 0.5), lambda x: x[1:], lambda x: x.relu() * 2]
)
def test_the_numbers_of_an_operation_that_ctrl_c_cut_short_are_no_others(
    cut: Callable[[nb.Tensor], nb.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    def strike() -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    for _ in range(3):  # seen for the first time, and again
        x = nb.ones(3) + 0.0
        for interrupted in (False, True):
            if interrupted:
                monkeypatch.setattr(handle.later, "tensor", strike)
                monkeypatch.setattr(fast, "_tensor", strike)
                with pytest.raises(KeyboardInterrupt):
                    cut(x)
            else:
                cut(x)
            y = x * 3.0
            assert (y + nb.zeros(3)).tolist() == [3.0] * 3
            x = nb.ones(3) + 0.0


def test_what_a_refused_derivative_has_read_anew_is_as_it_was() -> None:
    x = nb.tensor([1.5], requires_grad=True)
    part, other = x[0], x.detach()
    y = x[[0, 0]]
    other[...] = 0.25
    with pytest.raises(RuntimeError, match="to not have been used"):
        nb.autograd.grad((y * y).sum(), part)
    assert x.tolist() == [0.25]
    assert part.tolist() == 0.25
    (g,) = nb.autograd.grad((y * y).sum(), x)
    assert g.tolist() == [6.0]


def test_a_view_of_memory_that_numpy_has_is_used_after_a_derivative_by_it_was_refused() -> None:
    x = nb.tensor([-0.25, 3.0], requires_grad=True)
    base = x.unsqueeze(-1)
    view = base[1:]
    array = base.detach().numpy()
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        nb.autograd.grad((x * x).sum(), view, create_graph=True)
    (view * view).sum().backward()
    assert x.grad.tolist() == [0.0, 6.0]
    assert array.shape == (2, 1)


def test_a_view_of_memory_that_numpy_has_goes_back_to_its_base_after_a_derivative_by_it_was_refused() -> None:
    x = nb.tensor([0.5, 2.0, 1.5], requires_grad=True)
    base = x[:-1]
    view = base[:1]
    array = x.detach().numpy()
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        nb.autograd.grad((x * x).sum(), view)
    array[0] = 3.0
    (view * view).sum().backward(retain_graph=True, inputs=[base])
    assert base.grad.tolist() == [6.0, 0.0]
    del array
    assert view.tolist() == [3.0]


def at_moment(moment: int, handler: Callable[[], object]) -> Callable[..., None]:
    """A profile hook that calls ``handler``, as an alarm does, at one call or end of a call of ours."""
    left = [moment]

    def hook(frame: FrameType, event: str, _: object) -> None:
        if event in ("call", "c_return") and frame.f_code.co_filename.startswith(OURS):
            left[0] -= 1
            if left[0] == 0:
                handler()

    return hook


def raising_at(moment: int) -> Callable[..., None]:
    """One that raises a TimeoutError."""

    def stop() -> None:
        raise TimeoutError

    return at_moment(moment, stop)


def test_an_alarm_while_a_tensor_comes_in_loses_nothing_that_waits() -> None:
    w = nb.ones(3, requires_grad=True)
    optimizer, t = nb.optim.SGD([w], lr=0.25), nb.zeros(8)
    t.tolist()
    for moment in range(1, 9):
        expected = [x / 2 for x in w.tolist()]
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
        try:
            sys.setprofile(raising_at(moment))
            _ = t + moment
        except TimeoutError:
            pass
        finally:
            sys.setprofile(None)
        assert w.tolist() == expected


@pytest.mark.parametrize("kind", [nb.optim.Adam, nb.optim.Adagrad, nb.optim.RMSprop, nb.optim.NAdam])
def test_an_alarm_in_a_compiled_step_counts_all_of_it_or_nothing(kind: type[nb.optim.Optimizer]) -> None:
    w, v = (nb.ones(3, requires_grad=True) for _ in range(2))
    optimizer = kind([w, v], lr=0.125)

    @nb.compile
    def step() -> None:
        optimizer.zero_grad()
        (w * w * v).sum().backward()
        optimizer.step()

    for _ in range(6):
        step()
    for moment in range(1, 120):
        before, steps = (w.tolist(), v.tolist()), [optimizer.state[p]["step"] for p in (w, v)]
        try:
            sys.setprofile(raising_at(moment))
            step()
        except TimeoutError:
            pass
        finally:
            sys.setprofile(None)
        is_done = (w.tolist(), v.tolist()) != before
        assert [optimizer.state[p]["step"] for p in (w, v)] == [n + is_done for n in steps]


class Scaled(nb.autograd.Function):
    """``x * x * 1.5``; its derivative shows a value that it computes."""

    seen: ClassVar[list[Any]] = []

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * 1.5

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        part = g * 2.5 + 0.25 * x
        Scaled.seen.append(part)
        return part * x * 1.2 - g * 0.75 * x


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # raised in generators that end
def test_what_an_alarm_has_read_of_a_derivative_that_it_ends_can_be_differentiated() -> None:
    """The numbers of the derivative are taken back, and others come to their places."""
    own = nb.tensor([1.0, 2.0, 3.0])
    w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    expected, wrong, kept = None, 0, 0
    for moment in range(600, 0, -1):
        w.grad, _ = None, Scaled.seen.clear()
        found: list[Any] = []

        def stop() -> None:
            found.extend(Scaled.seen[-1:])  # noqa: B023
            found[:] = [x * own for x in found]  # noqa: B023
            raise TimeoutError

        try:
            sys.setprofile(at_moment(moment, stop))
            (Scaled.apply((w * 3.0 + 1.0) * w) ** 2 * 2.5).sum().backward(create_graph=True)
        except TimeoutError:
            pass
        finally:
            sys.setprofile(None)
        if not found and w.grad is not None and expected is None:
            expected = nb.autograd.grad((Scaled.seen[-1] * own).sum(), w)[0].tolist()
        with suppress(nb.errors.RunError):  # what waited is lost where an operation was cut short, and says so
            z = nb.ones(3, requires_grad=True)
            ((z * 7.0 + 0.5).exp() * 2).sum().backward()
        for x in found:
            with suppress(nb.errors.GradError):  # recorded by code of the user's that the derivative ran
                wrong += nb.autograd.grad(x.sum(), w)[0].tolist() != expected
                kept += 1
    assert expected is not None and kept > 50
    assert not wrong


@pytest.mark.parametrize("has_come", [False, True])
def test_an_alarm_while_an_earlier_segment_comes_in_leaves_nothing_torn(
    has_come: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no derivative is recorded, nothing is taken back."""
    w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = w * 2
    _ = y.tolist()
    z = nb.ones(3) * 1 * w * 3
    _ = z.tolist()

    def pushed(a: nb.Tensor) -> list[float]:
        _, tangent = nb.func.jvp(lambda t: t * a, (nb.ones(3),), (nb.ones(3),))
        by_w = nb.autograd.grad((tangent * a).sum(), w, retain_graph=True)[0]
        return [*tangent.tolist(), *by_w.tolist()]

    def raises(trace: Trace, key: Any, *more: Any) -> None:
        if key[0] != "earlier segment":
            advance(trace, key, *more)
            return
        if has_come:
            advance(trace, key, *more)
        raise TimeoutError

    monkeypatch.setattr(past, "advance", raises)
    with pytest.raises(TimeoutError):
        pushed(y)
    monkeypatch.undo()
    for _ in range(3):
        assert pushed(z) == [3.0, 6.0, 9.0, 18.0, 36.0, 54.0]
        assert pushed(y) == [2.0, 4.0, 6.0, 8.0, 16.0, 24.0]
        assert nb.autograd.grad(y.sum(), w, retain_graph=True)[0].tolist() == [2.0] * 3


def raising_at_return(function: str, moment: int) -> Callable[..., None]:
    """A profile hook that raises a TimeoutError when one of the calls that ``function`` makes to C returns."""
    left = [moment]

    def hook(frame: FrameType, event: str, _: object) -> None:
        if event == "c_return" and frame.f_code.co_name == function and frame.f_code.co_filename.startswith(OURS):
            left[0] -= 1
            if left[0] == 0:
                raise TimeoutError

    return hook


def was_stopped(function: str, moment: int, run: Callable[[], object]) -> bool:
    """Whether ``run`` came to that moment."""
    try:
        sys.setprofile(raising_at_return(function, moment))
        run()
    except TimeoutError:
        return True
    finally:
        sys.setprofile(None)
    return False


def test_an_alarm_while_a_block_is_taken_over_leaves_all_of_it_or_nothing() -> None:
    w = nb.ones(3, requires_grad=True)
    optimizer = nb.optim.SGD([w], lr=0.25, momentum=0.5)
    stopped = 0
    for moment in (0, 0, 0, 0, 1, 2, 3, 4):  # first it becomes known
        optimizer.zero_grad()
        (w * w).sum().backward()
        _ = w.tolist(), w.grad.tolist()
        begun = local.trace.node
        stopped += was_stopped("take_over", moment, optimizer.step)
        assert (w._page is not None) is (local.trace.node is not begun)
    assert stopped


@pytest.mark.parametrize("function", ["enter", "enter_leaf"])
def test_an_alarm_while_a_leaf_comes_in_leaves_no_entry_that_nobody_knows(function: str) -> None:
    stopped = 0
    for k, moment in enumerate((0, 0, 0, 1, 2, 3, 4)):
        size = 3 if function == "enter" else 1000 + k  # known, or not
        w = nb.ones(size, requires_grad=True)
        _ = w.tolist()
        stopped += was_stopped(function, moment, lambda w=w: w * 2)
        segment, path = local.trace.segment, path_between(ROOT, local.trace.node) or []
        leaves = [entry.ix for entry in path if entry.leaf == entry.ix]
        assert [*segment.leaves] == leaves and len(segment.leaf_places) == len(leaves)
        _ = (w * 2).tolist()
    assert stopped > 1


class Counted(nb.autograd.Function):
    """``x * 2``; its derivative writes to tensors, and fails."""

    count: ClassVar[Any] = None
    rows: ClassVar[Any] = None
    weight: ClassVar[Any] = None
    made: ClassVar[Any] = None

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        Counted.count.add_(1.0)
        Counted.rows[0] += Counted.count
        Counted.made = Counted.count * 3
        with nb.no_grad():
            Counted.weight.mul_(2)
        raise ValueError("no further")


@pytest.mark.parametrize("waits", [False, True])
def test_what_a_custom_function_wrote_before_its_derivative_failed_stays_written(waits: bool) -> None:
    Counted.count, Counted.rows, Counted.weight = nb.zeros(2), nb.zeros(2, 2), nb.ones(2, requires_grad=True)
    part = Counted.rows[0]
    if not waits:
        _ = Counted.count.tolist(), Counted.rows.tolist()
    for k in range(1, 4):
        w = nb.ones(2, requires_grad=True)
        with pytest.raises(ValueError, match="no further"):
            Counted.apply(w * 3).sum().backward()
        if waits:
            assert (Counted.count * 1).tolist() == [float(k)] * 2
        assert w.grad is None and Counted.weight.requires_grad and Counted.weight.is_leaf
        found = [Counted.count, part, Counted.rows[1], Counted.made, Counted.weight]
        assert [x.tolist() for x in found] == [[x] * 2 for x in (float(k), k * (k + 1) / 2, 0.0, 3.0 * k, 2.0**k)]


def test_what_a_hook_wrote_before_it_failed_stays_written() -> None:
    total = nb.zeros(())

    def hook(g: Any) -> None:
        total.add_(g.sum())
        raise ValueError("no further")

    for k in range(1, 4):
        w = nb.ones(2, requires_grad=True)
        y = w * 2
        y.register_hook(hook)
        for differentiate in (
            lambda y=y: (y * y).sum().backward(),
            lambda y=y, w=w: nb.autograd.grad((y * y).sum(), w),
        ):
            with pytest.raises(ValueError, match="no further"):
                differentiate()
        assert total.item() == 16.0 * k


@pytest.mark.parametrize("create_graph", [False, True])
def test_what_a_hook_keeps_before_it_fails_is_there_as_in_pytorch(create_graph: bool) -> None:
    """With its history, where the derivative has one."""
    total, row, other, kept = nb.zeros(2), nb.zeros(2, 2)[0], nb.ones(2), []
    fails = True

    def hook(g: Any) -> None:
        if fails:
            total.add_(g)
            row.add_(g)
            other.grad = g
            kept[:] = [g, g * 3, (g * 3)[:1]]
            raise ValueError("no further")

    for k in range(1, 4):
        w = nb.tensor([1.0, 2.0], requires_grad=True)
        y = w * 2
        y.register_hook(hook)
        fails = True
        with pytest.raises(ValueError, match="no further"):
            nb.autograd.grad((y * y).sum(), w, create_graph=create_graph)
        fails = False
        found = [total, row, other.grad, *kept]
        expected = [[4.0 * k, 8.0 * k], [4.0 * k, 8.0 * k], [4.0, 8.0], [4.0, 8.0], [12.0, 24.0], [12.0]]
        assert [x.tolist() for x in found] == expected
        assert [x.requires_grad for x in found] == [create_graph] * 6
        if create_graph:
            by_w = [nb.autograd.grad(x.sum(), w, retain_graph=True)[0].tolist() for x in found]
            assert by_w == [[4.0, 4.0]] * 4 + [[12.0, 12.0], [12.0, 0.0]]


@pytest.mark.parametrize("waits", [False, True])
def test_what_a_custom_function_keeps_of_a_derivative_that_fails_can_be_differentiated(waits: bool) -> None:
    total, kept = nb.zeros(2), []

    class Kept(nb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            total.add_(g * x)
            kept[:] = [g * x, (g * x)[0]]
            raise ValueError("no further")

    w = nb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match="no further"):
        nb.autograd.grad((Kept.apply(w * 3) * nb.tensor([2.0, 5.0])).sum(), w, create_graph=True)
    if not waits:
        assert [x.tolist() for x in (total, *kept)] == [[6.0, 30.0], [6.0, 30.0], 6.0]
    by_w = [nb.autograd.grad(x.sum(), w, retain_graph=True)[0].tolist() for x in (total, *kept)]
    assert by_w == [[6.0, 15.0], [6.0, 15.0], [6.0, 0.0]]


@pytest.mark.parametrize("waits", [False, True])
def test_a_gradient_that_a_hook_wrote_has_what_it_wrote_where_the_backward_is_stopped(
    waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = nb.ones(2, requires_grad=True)
    w.grad = nb.ones(2)
    if not waits:
        _ = w.grad.tolist()
    y = w * 2

    def hook(g: Any) -> None:
        w.grad.add_(g)

    y.register_hook(hook)

    def stop(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(engine, "flush", stop)
    with pytest.raises(TimeoutError):
        (y * y).sum().backward()
    monkeypatch.undo()
    assert w.grad.tolist() == [5.0, 5.0]


@pytest.mark.parametrize("of_leaf", [True, False])
@pytest.mark.parametrize("way", ["backward", "grad"])
def test_a_loop_of_derivatives_that_fail_stays_short(way: str, of_leaf: bool) -> None:
    def fails(g: Any) -> None:
        raise ValueError("no")

    w, x = nb.ones(3, requires_grad=True), nb.full((3,), 2.0)
    handle = w.register_hook(fails)
    kept = []
    for _ in range(300):
        y = (w * x).sin()
        kept.append(y)
        if not of_leaf:
            handle.remove()
            y.register_hook(fails)
        with pytest.raises(ValueError, match="no"):
            y.sum().backward() if way == "backward" else nb.autograd.grad(y.sum(), w)
        assert local.trace.node.ix < 2 * FAILED_LENGTH
    handle.remove()
    last = kept[-1]
    (w * last.detach()).sum().backward()
    assert w.grad is not None and w.grad.tolist() == last.tolist()

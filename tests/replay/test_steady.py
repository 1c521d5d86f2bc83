"""Calls that find all tensors as the call before left them do what all others do, and notice where they are not."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.runtime.unchanged import can_tell
from tests.intruding import at_moment

PACKAGE = os.path.dirname(nb.__file__) + os.sep

pytestmark = pytest.mark.skipif(not can_tell(), reason="this Python keeps its objects elsewhere")


@pytest.fixture(autouse=True)
def fused_at_once() -> Iterator[None]:
    with nb.config.override(compile="eager"):
        yield


def calls_of(compiled: Any) -> int:
    """How many of its calls in a row were steady."""
    programs = [program for form in compiled._forms.values() for program in form.programs]
    return max([state[0] for program in programs for state in program.idle], default=0)


class Model:
    """Two parameters, one of them large enough to be written where it lies, and a step of training."""

    def __init__(self, *, compiled: bool) -> None:
        self.w = nb.linspace(-1, 1, 2048).reshape(2, 1024).clone().requires_grad_()
        self.b = nb.tensor([0.5, -0.5], requires_grad=True)
        self.x = nb.linspace(0, 2, 1024)
        self.kept: list[Any] = []
        self.step = nb.compile(self._step) if compiled else self._step

    def _step(self, x: Any, v: Any, rate: float) -> Any:
        self.w.grad = self.b.grad = None
        loss = ((self.w * x * v).mean(1) + self.b).tanh().sum()
        loss.backward()
        with nb.no_grad():
            self.w -= rate * self.w.grad
            self.b -= rate * self.b.grad
            v *= 0.99
        return loss.detach()

    def state(self) -> list[Any]:
        tensors = [self.w, self.b, self.x, self.w.grad, self.b.grad, *self.kept]
        return [None if t is None else t.tolist() for t in tensors]

    @property
    def steady(self) -> list[Any]:
        (form,) = self.step._forms.values()
        return form.programs[0].idle


def nothing(m: Model) -> None:
    """The step is all there is."""


def keep_gradient(m: Model) -> None:
    m.kept.append(m.b.grad)


def keep_alias(m: Model) -> None:
    m.kept.append(m.w.detach())


def keep_view(m: Model) -> None:
    m.kept.append(m.b.grad[1:])


def keep_copy(m: Model) -> None:
    m.kept.append(m.w * 1)


def forget(m: Model) -> None:
    m.kept.clear()


def write_parameter(m: Model) -> None:
    with nb.no_grad():
        m.b.mul_(1.5)


def write_gradient(m: Model) -> None:
    m.b.grad.add_(1)


def write_input(m: Model) -> None:
    m.x.mul_(0.5)


def replace_gradient(m: Model) -> None:
    m.w.grad = nb.ones(2, 1024)


def share_gradient(m: Model) -> None:
    m.kept.append(m.w.grad)
    m.w.grad = m.kept[-1]


def export(m: Model) -> None:
    m.kept.append(nb.from_numpy(m.b.grad.numpy()))


def swap_data(m: Model) -> None:
    m.b.data = nb.tensor([0.25, 0.75])


EVENTS: list[Callable[[Model], None]] = [
    *(keep_gradient, keep_alias, keep_view, keep_copy, forget, write_parameter, write_gradient),
    *(write_input, replace_gradient, share_gradient, export, swap_data),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: e.__name__)
def test_what_happens_between_steady_calls_is_noticed(event: Callable[[Model], None]) -> None:
    plain, compiled = Model(compiled=False), Model(compiled=True)
    histories = []
    for m in (plain, compiled):
        found, v = [], nb.ones(1024)
        for k in range(14):
            found.append(m.step(m.x, v, 0.01 * k).item())
            if k == 7:
                assert m is plain or m.steady[0][0] > 0
                event(m)
            if k >= 7:
                found.append((v.tolist(), m.state()))
        histories.append(found)
    assert histories[0] == histories[1]


@pytest.mark.parametrize("seed", range(6))
def test_random_events_between_calls(seed: int) -> None:
    histories = []
    for m in (Model(compiled=False), Model(compiled=True)):
        rng, found = random.Random(seed), []
        for _ in range(3):
            v = nb.ones(1024)
            for k in range(12):
                found.append(m.step(m.x, v, 0.01 * k).item())
                for event in rng.choices([*[nothing] * 40, *EVENTS], k=2):
                    event(m)
            found.append((v.tolist(), m.state()))
        histories.append(found)
    assert histories[0] == histories[1]


def test_whether_an_argument_has_a_gradient_is_asked_at_each_call() -> None:
    f = nb.compile(lambda a: a * 2 if a.grad is None else a * 3, fullgraph=True)
    a, b = nb.ones(2), nb.ones(2)
    for _ in range(20):
        assert f(a).tolist() == [2.0, 2.0]
    assert calls_of(f) > 8
    b.grad = nb.ones(2)
    assert [f(x).tolist() for x in (a, b, a)] == [[2.0, 2.0], [3.0, 3.0], [2.0, 2.0]]


def test_memory_that_something_pending_reads_is_not_written() -> None:
    """Results take turns in two sets of memory, but for what somebody has kept of the call before the last one."""
    histories = []
    for m in (Model(compiled=False), Model(compiled=True)):
        v, pending = nb.ones(1024), list[Any]()
        for k in range(20):
            m.step(m.x, v, 0.01 * k)
            assert k != 13 or m.step == m._step or m.steady[0][0] > 0
            if k in (14, 17):
                with nb.no_grad():
                    pending.append(m.b * 2)  # recorded, and run when all is over
        histories.append([y.tolist() for y in pending])
    assert histories[0] == histories[1]


def test_a_training_loop_becomes_steady_and_stays_so() -> None:
    m, v = Model(compiled=True), nb.ones(1024)
    losses = [m.step(m.x, v, 0.01) for _ in range(20)]
    (steady,) = m.steady
    assert steady[0] >= 12
    assert len({loss.item() for loss in losses}) == 20  # each result is a tensor of its own


@pytest.mark.parametrize("is_given", [False, True])
def test_gradients_that_are_gone_at_the_end_of_each_call(is_given: bool) -> None:
    """A step that ends with zero_grad() is steady. One that finds a gradient adds to it."""
    found = []
    for compiled in (False, True):
        w = nb.linspace(-1, 1, 4).requires_grad_()

        def step(x: Any, w: Any = w) -> Any:
            (w * w * x).sum().backward()
            with nb.no_grad():
                w -= 0.1 * w.grad
            w.grad = None
            return w.detach().clone()

        run: Any = nb.compile(step) if compiled else step
        given = (w,) if is_given else ()
        results = []
        for k in range(40):
            if k == 30:
                w.grad = nb.ones(4)
            results.append(run(nb.ones(4), *given).tolist())
            assert w.grad is None
            if compiled and k == 29:
                assert calls_of(run) >= 12
        found.append(results)
    assert found[0] == found[1]


@pytest.mark.parametrize("keeps", [False, True])
def test_a_loss_that_is_returned_has_its_history(keeps: bool) -> None:
    """One whose values a backward has used up is no matter for the next call; one that keeps some asks each time."""
    found: list[Any] = []
    for compiled in (False, True):
        w = nb.linspace(-1, 1, 4).requires_grad_()

        def step(x: Any, k: float, w: Any = w) -> Any:
            w.grad = None
            loss = (w * x * k).sin().sum()
            loss.backward(retain_graph=keeps)
            return loss

        f: Any = nb.compile(step, fullgraph=True) if compiled else step
        x = nb.linspace(0, 1, 4)
        losses = [f(x, 0.5 * k) for k in range(16)]
        assert not compiled or (calls_of(f) > 8) is not keeps
        assert all(loss.requires_grad and loss.grad_fn is not None for loss in losses)
        if keeps:
            losses[-2].backward()
        else:
            with pytest.raises(RuntimeError, match="second time"):
                losses[-2].backward()
        found.append([w.grad.tolist(), *[loss.item() for loss in losses]])
    assert found[0] == found[1]


def test_a_history_without_values_is_one_of_the_tensors_of_its_call() -> None:
    """The derivative of a sum reads nothing: it may be asked for again, and belongs to the arguments of that call."""
    f = nb.compile(lambda x, y: (x + x + y).sum(), fullgraph=True)
    pairs = [(nb.ones(3, requires_grad=True), nb.ones(3, requires_grad=True)) for _ in range(16)]
    sums = [f(x, y) for x, y in pairs]
    assert calls_of(f) > 8
    for k in (15, 12, 15):
        sums[k].backward()
    grads = [[None if a.grad is None else a.grad.tolist() for a in pair] for pair in pairs]
    assert grads[15] == [[4.0] * 3, [2.0] * 3]
    assert grads[12] == [[2.0] * 3, [1.0] * 3]
    assert grads[13:15] == [[None, None]] * 2


def test_results_of_steady_calls_lie_where_those_before_the_last_lay() -> None:
    m, v = Model(compiled=True), nb.ones(1024)
    for _ in range(8):
        m.step(m.x, v, 0.01)
    at = []
    for _ in range(4):
        m.step(m.x, v, 0.01)
        at.append((m.w._buffer.address, m.b._buffer.address, m.b.grad._buffer.address))
    assert at[0] == at[2] != at[1] == at[3]
    assert at[0][0] == at[1][0]  # what is large is written where it lies


@pytest.mark.parametrize("renewed", [False, True])
def test_an_argument_that_is_a_gradient_of_the_program(renewed: bool) -> None:
    """It is large: what is added to it would be written where the argument is still to be read."""
    histories = []
    for compiled in (False, True):
        w, x = nb.linspace(-1, 1, 1 << 18).requires_grad_(), nb.linspace(0, 1, 1 << 18)

        def step(x: Any, w: Any = w) -> Any:
            if renewed:
                w.grad = None
            loss = (w * x.flip(0)).sum()
            loss.backward()
            return loss.detach()

        f, found = nb.compile(step) if compiled else step, []
        for _ in range(10):
            found.append(f(x).item())
        if compiled:
            (form,) = f._forms.values()
            assert form.programs[0].idle
        found += [f(w.grad).item(), f(x).item(), w.grad.tolist()]
        histories.append(found)
    assert histories[0] == histories[1]


@pytest.mark.cpu  # on a GPU what can fail is not steady
def test_an_index_out_of_range_in_a_steady_call_changes_what_comes_before_it() -> None:
    w = nb.linspace(-1, 1, 4).requires_grad_()

    @nb.compile(fullgraph=True)
    def step(i: Any) -> Any:
        w.grad = None
        (w[i] * 2).sum().backward()
        with nb.no_grad():
            w.sub_(w.grad)
        return w.sum().detach()

    for _ in range(8):
        step(nb.tensor([0, 1]))
    (form,) = step._forms.values()
    assert form.programs[0].idle
    before = w.tolist()
    with pytest.raises(IndexError):
        step(nb.tensor([0, 9]))
    assert w.tolist() == before
    assert w.grad is None
    step(nb.tensor([0, 1]))
    assert w.tolist() == [before[0] - 2, before[1] - 2, *before[2:]]


def test_gradients_that_nobody_wants_are_not_held_on_to() -> None:
    m, v = Model(compiled=True), nb.ones(1024)
    for _ in range(8):
        m.step(m.x, v, 0.01)
    assert m.steady
    gone = weakref.ref(m.w.grad), weakref.ref(v)
    m.w.grad = None
    del v
    assert [ref() for ref in gone] == [None, None]


@pytest.mark.cpu  # an alarm's handler, unlike that of Ctrl-C, is not kept waiting on a GPU
def test_a_steady_step_that_is_interrupted_is_done_or_not_done() -> None:
    m, v = Model(compiled=True), nb.ones(1024)
    done, steady, interrupts = set(), 0, 0
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for k in range(60):
            for _ in range(10):
                m.step(m.x, v, 0.0)
            steady += len(m.steady)
            last = v.tolist()[0]
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-6 * (k + 1))
                m.step(m.x, v, 0.0)
                time.sleep(
                    0.1
                )  # in no loop: 3.13.0 takes an exception there out of the try. Or it is lost, in a __del__
            except KeyboardInterrupt:
                interrupts += 1
            now = v.tolist()
            assert now == [now[0]] * 1024
            done.add(round(now[0] / last, 4))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert steady > 50
    assert interrupts > 30
    assert done <= {1.0, 0.99}


def test_results_that_somebody_keeps_stay_as_they_are() -> None:
    x = nb.ones(3)
    double = nb.compile(lambda x, k: (x * k, x + k), fullgraph=True)
    kept, arrays, views = [], [], []
    for k in range(24):
        y, z = double(x, float(k))
        if k % 3 == 0:
            kept.append((float(k), y))
        elif k % 3 == 1:
            arrays.append((float(k), z.numpy()))
        else:
            views.append((float(k), z[1:]))
    assert calls_of(double) > 16
    assert [y.tolist() for _, y in kept] == [[k] * 3 for k, _ in kept]
    assert [z.tolist() for _, z in arrays] == [[k + 1] * 3 for k, _ in arrays]
    assert [z.tolist() for _, z in views] == [[k + 1] * 2 for k, _ in views]


def test_a_result_that_is_written_and_comes_back_as_an_argument() -> None:
    found = []
    for compiled in (False, True):

        def step(x: Any) -> Any:
            return x * 0.5 + 1, x.sum()

        f: Any = nb.compile(step, fullgraph=True) if compiled else step
        x, values = nb.ones(4), []
        for k in range(24):
            x, total = f(x)
            if k % 4 == 3:
                x.mul_(2)
            values.append((x.tolist(), total.item()))
        assert not compiled or calls_of(f) > 10
        found.append(values)
    assert found[0] == found[1]


def test_a_tensor_whose_memory_is_another_one_each_time() -> None:
    """It is looked at, so that it is in memory before the call, in a buffer that may lie where another one lay."""
    found = []
    for compiled in (False, True):
        held, w = nb.ones(4), nb.ones(4, requires_grad=True)

        def step(w: Any = w, held: Any = held) -> Any:
            w.grad = None
            loss = (w * held).sum()
            loss.backward()
            with nb.no_grad():
                w -= 0.1 * w.grad
            return loss.detach()

        f: Any = nb.compile(step, fullgraph=True) if compiled else step
        values = []
        for k in range(60):
            values.append((f().item(), w.tolist(), w.grad.tolist()))
            if k > 20:
                held.fill_(0.125 * k)
                assert held.tolist() == [0.125 * k] * 4
        assert not compiled or calls_of(f) > 8
        found.append(values)
    assert found[0] == found[1]


def test_a_number_that_is_out_of_range_in_a_steady_call() -> None:
    x = nb.arange(8.0)
    part = nb.compile(lambda x, k: x[k : k + 2].sum(), fullgraph=True)
    for k in range(12):
        assert part(x, k % 6).item() == 2 * (k % 6) + 1
    assert calls_of(part) > 4
    assert part(x, 7).item() == 7


@pytest.mark.cpu  # on a GPU what can fail is not steady
def test_what_a_source_has_counted_is_taken_back_where_a_steady_call_fails() -> None:
    found = []
    for compiled in (False, True):
        nb.manual_seed(0)
        x = nb.ones(4)

        def noisy(i: Any, x: Any = x) -> Any:
            return (x[i] + nb.rand(2)).sum()

        f: Any = nb.compile(noisy, fullgraph=True) if compiled else noisy
        values = []
        for k in range(24):
            good, bad = nb.tensor([0, 1]), nb.tensor([0, 9])
            if k == 15:
                assert not compiled or calls_of(f) > 4
                state = nb.get_rng_state()
                with pytest.raises(IndexError):
                    f(bad).item()
                if not compiled:
                    nb.set_rng_state(state)
            values.append(f(good).item())
        found.append(values)
    assert found[0] == found[1]


def test_several_threads_make_steady_calls() -> None:
    w = nb.tensor([0.25, 0.5, 0.75, 0.5])
    scaled = nb.compile(lambda x, k: (x * w * k).sum(), fullgraph=True)
    wrong: list[Any] = []

    def work(n: int) -> None:
        x = nb.full((4,), float(n), device=w.device)
        for k in range(200):
            y = scaled(x, float(k))
            if y.item() != 2.0 * n * k:
                wrong.append((n, k, y.item()))

    for k in range(8):
        scaled(nb.ones(4), float(k))
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert calls_of(scaled) > 100


@pytest.mark.parametrize("size", [4, 100_000])
@pytest.mark.parametrize("warm", [True, False])
def test_threads_that_write_one_tensor_lose_nothing(size: int, warm: bool) -> None:
    c, d = nb.zeros(size), nb.zeros(size)

    @nb.compile
    def add(c: Any, s: float) -> None:
        c.add_(s)

    @nb.compile
    def add_to_both() -> None:
        d.add_(1)
        c.add_(1)

    def work(n: int) -> None:
        for _ in range(100):
            if n:
                add(c, 1.0)
            else:
                add_to_both()

    if warm:
        for _ in range(8):
            add(c, 0.0)
            add_to_both()
        c.zero_()
        d.zero_()
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert {*c.tolist()} == {300.0}
    assert {*d.tolist()} == {100.0}


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith((PACKAGE, "<nbgrad replay>"))


_at_line = partial(at_moment, where=_is_ours, events=("line",))


NESTED: dict[str, Callable[[nb.Tensor, Callable[[], object]], object]] = {  # each adds 1
    "a write": lambda x, call: x.add_(1.0),
    "a write to a view": lambda x, call: x[:].add_(1.0),
    "a write to an alias": lambda x, call: x.detach().add_(1.0),
    "the same call": lambda x, call: call(),
}


WRITES = [kind for kind in NESTED if kind.startswith("a write")]  # the same call inside has run when this one goes on


@pytest.mark.parametrize("has_view", [False, True])
@pytest.mark.parametrize(("nested", "beside"), [*[(x, 0) for x in NESTED], *[(x, 4096) for x in WRITES]])
def test_what_nested_code_writes_while_a_call_runs_is_not_lost(nested: str, has_view: bool, beside: int) -> None:
    """At each line, of bound calls and of those after them that are not; ``beside`` a result in its input's memory."""
    state, w, one = nb.zeros(3), nb.ones(3, requires_grad=True), nb.ones(3)
    large = nb.zeros(beside)
    view = state[1:] if has_view else None
    count = 0

    @nb.compile
    def add(x: nb.Tensor, k: float) -> nb.Tensor:
        with nb.no_grad():
            state.add_(x * k)
            if beside:
                large.add_(k)
        return (w * state).sum().detach()

    def call() -> None:
        nonlocal count
        count += 1
        add(one, 1.0)

    def intrude() -> None:
        nonlocal count
        count += nested != "the same call"
        NESTED[nested](state, call)

    for _ in range(8):
        call()
    lines, most = 0, 0
    while lines < most + 30:
        lines += 1
        most = lines if _at_line(lines, call, intrude) else most
        assert state.tolist() == [float(count)] * 3, lines
        assert view is None or view.tolist() == [float(count)] * 2, lines
        for _ in range(lines % 4):
            call()
    assert most > 100


@pytest.mark.parametrize("alias", [lambda p: p.detach(), lambda p: p.detach()[1:]])
def test_an_alias_that_nested_code_writes_after_the_results_are_given_has_them(alias: Any) -> None:
    p, x = nb.zeros(3), nb.ones(3)
    other = alias(p)

    @nb.compile
    def step(x: Any) -> None:
        p.add_(x)

    for _ in range(10):
        step(x)

    def write(frame: Any, event: str, _: Any) -> None:
        if frame.f_code.co_name == "was_written" and event == "call":
            sys.setprofile(None)
            other.add_(100.0)

    sys.setprofile(write)
    try:
        step(x)
    finally:
        sys.setprofile(None)
    assert other.tolist() == [111.0] * other.numel() and p.tolist()[1:] == [111.0, 111.0]


class Alarm(Exception):
    """What a signal's handler raises."""


class OddAlarm(Alarm, ValueError):
    """The same, of a class that guards and numbers raise, too."""


class RunAlarm(Alarm, nb.errors.RunError):
    """The same, of a class that instructions raise, too."""


class IndexAlarm(Alarm, nb.errors.TensorIndexError):
    """Likewise."""


@pytest.mark.cpu
@pytest.mark.parametrize("size", [3, 4096])
@pytest.mark.parametrize("kind", [Alarm, OddAlarm, RunAlarm, IndexAlarm])
def test_what_a_handler_raises_while_a_call_runs_is_raised(kind: type[Exception], size: int) -> None:
    """At each line of the functions that are written for a program, and of those that look at guards; tensors and
    numbers have the call's results, or none of them has. (Where a lock is taken or let go no exception may come.)"""
    total, x, box = nb.zeros(size), nb.ones(size), types.SimpleNamespace(n=0)

    @nb.compile
    def step() -> None:
        box.n += 1
        total.add_(x * box.n)

    def handler(*_: Any) -> None:
        raise kind

    def where(code: CodeType) -> bool:
        return code.co_name in ("ask", "call", "bound_call", "all_hold", "changed", "found", "_is")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for _ in range(8):
            step()
        done, raised = set(), 0
        for lines in range(1, 80):
            n = box.n
            is_reached = True
            try:
                is_reached = _at_line(lines, step, lambda: signal.raise_signal(signal.SIGALRM), where=where)
            except kind:
                done.add(box.n - n)
                raised += 1
            else:
                assert not is_reached, lines
            assert total.tolist() == [float(sum(range(box.n + 1)))] * size, lines
            for _ in range(lines % 4):
                step()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert done == {0, 1} and raised > 20


@pytest.mark.cpu
def test_what_has_changed_is_seen_after_a_handler_has_raised_while_guards_were_looked_at() -> None:
    box, x, raised = types.SimpleNamespace(name="k0"), nb.ones(3), 0

    def handler(*_: Any) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for lines in range(1, 500, 3):
            run = nb.compile(lambda: x * float(box.name[1:]))
            for _ in range(4):
                run()
            box.name = f"k{lines}"
            try:
                _at_line(lines, run, lambda: signal.raise_signal(signal.SIGALRM), where=_is_of_guards)
            except Alarm:
                raised += 1
            assert run().tolist() == [float(lines)] * 3, lines
    finally:
        signal.signal(signal.SIGALRM, before)
    assert raised > 20


def _is_of_guards(code: CodeType) -> bool:
    return code.co_filename.endswith("guards.py")


def test_a_bound_call_that_fails_at_its_first_instruction_gives_nothing() -> None:
    class Box:
        calls = 0

    box, x, out = Box(), nb.tensor([40] * 4000), nb.zeros(4000, dtype=nb.int64)

    @nb.compile
    def divide(y: nb.Tensor) -> None:
        box.calls += 1
        out.copy_(x // y)

    one, two, zero = (nb.tensor([k] * 4000) for k in (1, 2, 0))
    for _ in range(10):
        divide(two)
        divide(one)
    assert calls_of(divide)
    with pytest.raises(nb.errors.RunError, match="integer division by zero"):
        divide(zero)
    assert (out.tolist()[0], box.calls) == (40, 21)  # what comes before the error has happened, as in Python

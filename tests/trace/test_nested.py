"""Code that uses tensors and comes between two lines of ours: signal handlers, finalizers, callbacks, hooks."""

from __future__ import annotations

import gc
import os
import pathlib
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random
from types import CodeType
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.errors import OURS
from nbgrad.trace import enter, grad_mode, read
from nbgrad.trace.nested import holding, in_hand, released
from nbgrad.trace.thread import here, local, threads, turn_page
from tests.intruding import at_moment

SCRIPT = pathlib.Path(__file__).parent / "interrupted.py"
HOW = ("signals", "garbage", "finalizers", "profile")  # interrupted.py has "lines", too, which take minutes


@pytest.mark.parametrize("how", HOW)
def test_loops_do_not_notice_who_comes_between(how: str) -> None:
    names = ("plain", "adam")  # the others, and lines, from the command line: all take minutes
    command = [sys.executable, str(SCRIPT), how, "3", *names]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr


def _is_the_recorders(code: CodeType) -> bool:
    name = code.co_filename
    return "nbgrad/trace/" in name or "nbgrad/autograd/" in name or name == "<nbgrad fast>"


_at_line = partial(at_moment, where=_is_the_recorders)  # and where functions begin and end


def test_nested_use_at_each_line_of_the_recorder() -> None:
    own, given = nb.ones(3), []

    def run() -> None:
        x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x * x + 1.0
        z = (2.0 - y[1:]).exp()
        y = y.detach()
        y += 1.0
        (z.sum() * y.sum()).backward()
        given.append([y.tolist(), z.tolist(), x.grad.tolist()])  # type: ignore[union-attr]

    def intrude() -> None:
        nonlocal count
        count += 1
        with nb.no_grad():
            own.add_(1.0)
        w = nb.ones(2, requires_grad=True)
        with nb.enable_grad():
            (w * own[:2] * 2.0).sum().backward()
        assert w.grad is not None and w.grad.tolist() == [2.0 * (1 + count)] * 2

    count = 0
    for _ in range(3):
        run()
    lines = 1
    while _at_line(lines, run, intrude):
        lines += 7 if lines > 300 else 1
        assert given[-1] == given[0], lines
        assert local.trace.below is None
    assert count > 300
    assert own.tolist() == [1.0 + count] * 3


def test_a_dropped_view_that_a_handler_revives_as_a_segment_ends_never_shows_what_came_later() -> None:
    """Nobody held it when that ran: it has a value only if the handler came in time."""

    def struck(number: int) -> bool:
        found: list[Any] = []
        given = nb.tensor([1.0, 2.0, 3.0])
        doubled = given * 2.0
        view = doubled[1:]
        reference, other = weakref.ref(view), view.sum() + 1.0
        del view, doubled
        came = _at_line(number, other.tolist, lambda: found.append(reference()))
        later = [given + float(k) for k in range(20)]  # in the places where the view and its base were
        if found and found[0] is not None:
            with suppress(nb.errors.GradError):  # it says that its value was lost
                assert found[0].tolist() == [4.0, 6.0], number
        assert later[3].tolist() == [4.0, 5.0, 6.0], number
        return came

    number = 0
    while number < 3 or struck(number):
        number += 1
    assert number > 100


def _between(intrude: Callable[[], object]) -> None:
    """``intrude`` where somebody has the trace in hand."""
    exec("def between(_): intrude()", scope := {"intrude": intrude})
    holding(scope["between"])()


def test_what_waits_below_is_read_aside() -> None:
    x = nb.ones(3, requires_grad=True)
    y = x * 3.0
    seen: list[Any] = []
    _between(lambda: seen.append((y + 1.0).tolist()))
    assert seen == [[4.0] * 3]
    assert y._page is not None  # type: ignore[attr-defined]
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [3.0] * 3


def test_what_nested_code_writes_is_no_longer_the_flushs() -> None:
    for _ in range(4):
        x = nb.ones(5) * 2.0
        y = x + 1.0

        def write(x: Any = x) -> None:
            x.add_(10.0)

        _between(write)
        z = y * 1.0
        assert (x.tolist(), y.tolist(), z.tolist()) == ([12.0] * 5, [3.0] * 5, [3.0] * 5)


def test_nested_code_has_the_grad_mode_of_the_code_below_and_leaves_it_alone() -> None:
    modes: list[bool] = []

    def intrude() -> None:
        modes.append(nb.is_grad_enabled())
        nb.set_grad_enabled(not nb.is_grad_enabled())
        modes.append((nb.ones(2, requires_grad=True) * 2).requires_grad)

    with nb.no_grad():
        _between(intrude)
        assert not nb.is_grad_enabled()
    _between(intrude)
    assert nb.is_grad_enabled()
    assert modes == [False, True, True, False]


def test_what_nested_code_writes_while_it_is_brought_into_memory_gets_there_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, flushes = nb.ones(3) * 2.0, 0
    materialize, flush = read.materialize, read.flush

    def settled(*args: Any) -> None:
        materialize(*args)
        monkeypatch.setattr(read, "materialize", materialize)
        x.add_(1.0)

    def counted(*args: Any) -> None:
        nonlocal flushes
        flushes += 1
        assert flushes < 100
        flush(*args)

    monkeypatch.setattr(read, "materialize", settled)
    monkeypatch.setattr(read, "flush", counted)
    read.bring_up(x)
    assert x._page is None  # type: ignore[attr-defined]
    assert x.tolist() == [3.0] * 3


def test_code_of_ours_records_on_the_trace_that_it_has_in_hand() -> None:
    y = in_hand("function", "x", "return function(x)", {})(nb.ones(3).mul)(2.0)
    assert y._page is local.trace.page  # type: ignore[attr-defined]


def test_a_finalizer_reads_tensors_of_its_cycle_though_their_memory_is_older() -> None:
    class Held:
        def __init__(self) -> None:
            self.me, self.t = self, None

        def __del__(self) -> None:
            nb.full((3,), 7.0).tolist()  # memory of the same size
            seen.append(self.t.tolist())

    seen: list[Any] = []
    for _ in range(20):
        t = nb.ones(3) * 2.0
        assert t.tolist() == [2.0] * 3
        Held().t = t
    del t
    gc.collect()
    assert seen == [[2.0] * 3] * 20


def test_what_is_written_again_knows_what_nested_code_has_written_to_an_alias() -> None:
    x, lines = nb.zeros(2), 0
    alias = x.detach()
    for write in (x, alias, x):
        write.add_(1.0)
    while _at_line(lines := lines + 1, lambda: x.add_(1.0), lambda: alias.add_(1.0)):
        x.mul_(2.0)
        assert x.tolist() == [10.0] * 2, lines
        x.sub_(7.0)
    assert lines > 100


WRITES: dict[str, Callable[[Any], object]] = {  # each adds 1, and is one write in PyTorch
    "of a tensor": lambda x: x.add_(1.0),
    "of a view": lambda x: x[:].add_(1.0),
    "of an alias": lambda x: x.detach().add_(1.0),
    "of an alias of a view": lambda x: x[:].detach().add_(1.0),
    "of places": lambda x: x.index_put_((nb.arange(2),), nb.ones(2), accumulate=True),
    "by an operator": lambda x: x.__iadd__(1.0),
    "by a call": lambda x: x.addcmul_(nb.ones(2), nb.ones(2)),
    "with a derivative": lambda x: x.add_(nb.ones(2, requires_grad=True)),
}


@pytest.fixture(scope="module")
def alone(request: pytest.FixtureRequest) -> str:
    """What pytest says of all tests of writes within writes, in a process that has no other thread."""
    assert "ALONE" not in os.environ, "there is another thread all the same"
    test = f"{__file__}::{test_what_nested_code_writes_within_a_write_is_not_lost.__name__}"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | {"ALONE": "1"}
    command = [sys.executable, "-m", "pytest", "-rA", "-n", "0", "-p", "no:cacheprovider", test]
    return subprocess.run(
        command, cwd=request.config.rootpath, env=env, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("outer", WRITES)
def test_what_nested_code_writes_within_a_write_is_not_lost(
    outer: str, is_shared: bool, request: pytest.FixtureRequest
) -> None:
    """At two levels: the nested write is interrupted by another one at each second moment."""
    if threads.several:  # known: then a nested addcmul_ is lost now and then, as the lock is let go
        said = request.getfixturevalue("alone")
        assert f"PASSED {request.node.nodeid}\n" in said, said
        return
    x, count, lines = nb.zeros(2), 0, 0
    view = x.view(2, 1) if is_shared else None
    inner = list(WRITES.values())[: -1 if outer != "with a derivative" else None]

    def add() -> None:
        nonlocal count
        count += 1
        inner[count % len(inner)](x)

    def intrude() -> None:
        if lines % 2 == 0:
            _at_line(lines % 97, add, add)
        add()

    for write in (*inner, *[WRITES[outer]] * 3):
        write(x)
    while _at_line(lines := lines + (1 if lines < 400 else 3), lambda: WRITES[outer](x), intrude):
        count += 1
        assert x.tolist() == [count + len(inner) + 3.0] * 2, lines
        assert view is None or view.tolist() == [[x[0].item()]] * 2
    assert count > 50


TO_GRADIENTS: dict[str, Callable[[Any], object]] = {  # each adds 1024
    "added to": lambda g: g.add_(1024.0),
    "through views": lambda g: (g[:1].add_(1024.0), g[1:].add_(1024.0)),
    "looked at": lambda g: g.copy_(nb.tensor(g.tolist()) + 1024.0),
}


@pytest.mark.parametrize("how", TO_GRADIENTS)
def test_what_a_handler_writes_to_gradients_while_a_backward_is_taken_over_is_not_lost(how: str) -> None:
    """Neither that nor what the backward adds to them; and the handler sees all of a backward, or nothing."""
    seen: list[set[float]] = []

    def struck(number: int) -> bool:
        ws = [nb.tensor([1.0, 2.0], requires_grad=True) for _ in range(3)]
        grads = [nb.zeros(2) for _ in ws]
        for w, g in zip(ws, grads, strict=True):
            w.grad = g

        def intrude() -> None:
            seen.append({g[0].item() for g in grads})
            with nb.no_grad():
                for g in grads:
                    TO_GRADIENTS[how](g)

        for step in range(4):
            loss = (ws[0] * ws[0] + ws[1] * ws[1] + ws[2] * ws[2]).sum()
            came = _at_line(number if step == 3 else 0, loss.backward, intrude)
        added = 1024.0 if came else 0.0
        assert [g.tolist() for g in grads] == [[8.0 + added, 16.0 + added]] * 3, number
        return came

    number = 0
    while number < 3 or struck(number):
        number += 1
    assert number > 300
    assert {len(values) for values in seen} == {1}


STATES: dict[str, Callable[[Any, Any], Any]] = {
    "parameters": lambda optimizer, w: w,
    "momenta": lambda optimizer, w: optimizer.state[w]["momentum_buffer"],
    "gradients": lambda optimizer, w: w.grad,
}


@pytest.mark.parametrize("of", STATES)
def test_what_a_handler_writes_while_a_step_is_taken_over_comes_before_or_behind(of: str) -> None:
    def train(moment: str, number: int = 0) -> tuple[list[list[float]], bool]:
        ws = [nb.tensor([1.0, 2.0], requires_grad=True) for _ in range(3)]
        optimizer = nb.optim.SGD(ws, lr=0.25, momentum=0.5)
        came = False

        def intrude() -> None:
            with nb.no_grad():
                for w in ws:
                    STATES[of](optimizer, w).add_(1024.0)

        for step in range(4):
            optimizer.zero_grad()
            (ws[0] * ws[0] + ws[1] * ws[1] + ws[2] * ws[2]).sum().backward()
            if step == 3 and moment == "before":
                intrude()
            came = _at_line(number if step == 3 else 0, optimizer.step, intrude)
        if moment == "behind":
            intrude()
        return [state(optimizer, w).tolist() for w in ws for state in STATES.values()], came

    wanted, number, came = [train("before")[0], train("behind")[0]], 0, True
    while came or number < 3:
        number += 1
        found, came = train("in it", number)
        assert not came or found in wanted, number
    assert number > 150


@pytest.mark.parametrize("look", ["read", "write"])
def test_a_first_step_of_an_optimizer_does_not_notice_who_comes_between(look: str) -> None:
    """A write that nested code looks at in its midst is recorded again, with its numbers."""

    def step(width: int, number: int) -> tuple[bool, list[Any]]:
        p = nb.full((width,), 0.5, requires_grad=True)
        other = nb.ones(2)
        optimizer = nb.optim.Adam([p], lr=0.1)
        (p * p).sum().backward()
        looks = {"read": lambda: p.detach().tolist(), "write": lambda: other.add_(1.0).tolist()}
        came = _at_line(number, optimizer.step, looks[look])
        (p * p).sum().backward()
        optimizer.step()
        return came, [p.tolist(), *(v.tolist() for v in optimizer.state[p].values() if isinstance(v, nb.Tensor))]

    width, lines = 2, 0
    _, expected = step(width, 0)
    while True:
        width += 1  # a width of its own: as nothing of the like was recorded before
        lines += 7 if lines < 700 else 21
        came, found = step(width, lines)
        assert [row[:2] if isinstance(row, list) else row for row in found] == [
            row[:2] if isinstance(row, list) else row for row in expected
        ], lines
        if not came:
            break
    assert lines > 700


SHOWS: dict[str, Callable[[Any], Any]] = {
    "an alias": lambda x: x.detach(),
    "a view": lambda x: x[:].view(2, 1)[:, 0],
    "an alias of a view": lambda x: x.view(2, 1).detach()[:, 0],
    "an array": lambda x: x.numpy(),
    "a leaf that is a view": lambda x: x[:].requires_grad_().detach(),
}


@pytest.mark.parametrize("write", ["of a tensor", "of an alias", "of a view"])
@pytest.mark.parametrize("shows", SHOWS)
def test_what_comes_to_show_memory_that_nested_code_writes_shows_what_it_wrote(shows: str, write: str) -> None:
    lines, has_come, made = 0, True, list[Any]()
    while has_come:
        lines += 1 if lines < 60 else 5
        for x in (nb.zeros(2) + 1.0, nb.ones(2)):  # one to be computed, one in memory
            has_come = _at_line(lines, lambda x=x: made.append(SHOWS[shows](x)), lambda x=x: WRITES[write](x))  # type: ignore[misc]
            x.add_(1.0)
            expected = [3.0 if has_come else 2.0] * 2
            assert made.pop().tolist() == expected, lines
            assert x.tolist() == expected, lines
    assert lines > 3


def test_what_nested_code_adds_is_not_lost_where_it_is_set_to_zero() -> None:
    x, lines = nb.zeros(2), 0
    while _at_line(lines := lines + 1, x.zero_, lambda: x[:].add_(1.0)):
        view = x[:]
        assert x.tolist() in ([0.0] * 2, [1.0] * 2)
        assert view.tolist() == x.tolist(), lines


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("threshold", [10, 200])
def test_a_callback_of_the_collector_that_writes_and_never_looks(threshold: int, is_compiled: bool) -> None:
    m = nb.nn.Sequential(nb.nn.Linear(3, 8), nb.nn.Tanh(), nb.nn.Linear(8, 1))
    optimizer = nb.optim.Adam(m.parameters(), lr=0.01)

    def step(x: nb.Tensor) -> nb.Tensor:
        loss = m(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    own, count, before = nb.zeros(3), 0, gc.get_threshold()

    def act(phase: str, info: object) -> None:
        nonlocal count
        if phase == "start":
            count += 1
            own.add_(1.0)
            if is_compiled:
                own.tolist()

    run = nb.compile(step) if is_compiled else step
    gc.set_threshold(threshold)
    gc.callbacks.append(act)
    try:
        for i in range(8):
            run(nb.arange(12.0).view(4, 3) / 10 + i / 100)
    finally:
        gc.callbacks.remove(act)
        gc.set_threshold(*before)
    assert count > 0 and own.tolist() == [float(count)] * 3


def test_what_comes_while_what_came_before_is_run_is_not_lost() -> None:
    """The collector's callbacks write, most where a trace that stood over another one is about to end."""
    own, r = nb.zeros(2), Random(0)
    before, count, is_inside = gc.get_threshold(), 0, False

    def act(phase: str, info: object) -> None:
        nonlocal count, is_inside
        if not is_inside and r.random() < 0.1:
            is_inside = True
            own[0] += 1.0
            count += 1
            is_inside = False

    gc.set_threshold(3)
    gc.callbacks.append(act)
    try:
        for _ in range(100):
            w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
            b = w * 2.0
            (((b + 1.0) * b).sum() + (b[1:].tanh() * 0.5).sum()).backward()
    finally:
        gc.callbacks.remove(act)
        gc.set_threshold(*before)
    assert count > 100 and own.tolist() == [float(count), 0.0]


def test_code_between_the_parts_of_a_backward_records_with_gradients() -> None:
    w, others = nb.ones(3, requires_grad=True), []
    given = nb.ones(3, requires_grad=True)

    def handler(*_: object) -> None:
        others.append((given * 2).requires_grad)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        end = time.monotonic() + 2
        while time.monotonic() < end and len(others) < 1000:
            y = (w * 3).sin()
            y.tolist()  # a backward that goes back to an earlier segment
            (y * y).sum().backward()
            w.grad = None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert others
    assert all(others)


def _hooked(g: nb.Tensor) -> Any:
    h = g * 2
    return None if g.is_leaf and g.requires_grad else h


BACKWARDS: dict[str, Callable[[nb.Tensor], object]] = {
    "into two segments": lambda w: (y := (w * 3).sin(), y.tolist(), (y * y).sum().backward()),
    "added to a gradient": lambda w: [(w * w).sum().backward() for _ in range(3)],
    "with its graph": lambda w: [(w**3).sum().backward(create_graph=True) for _ in range(2)],
    "of a new size": lambda w: [nb.full((17 + k,), 0.5, requires_grad=True).exp().sum().backward() for k in range(2)],
    "through a hook": lambda w: (y := (w * 3).sin(), y.register_hook(_hooked), (y * y).sum().backward()),
    "through a hook of a leaf": lambda w: (w.register_hook(_hooked), (w * w).sum().backward()),
    "through a hook behind it": lambda w: (w.register_post_accumulate_grad_hook(_hooked), (w * w).sum().backward()),
}


@pytest.mark.parametrize("has_hook", [False, True])
@pytest.mark.parametrize("which", BACKWARDS)
def test_at_no_moment_has_code_between_the_parts_of_a_backward_another_grad_mode(which: str, has_hook: bool) -> None:
    """Except where it interrupts a hook."""
    given, hooked = nb.ones(3, requires_grad=True), nb.ones(1, requires_grad=True)
    found: dict[bool, list[bool]] = {False: [], True: []}
    if has_hook:  # no part of the backward, which asks for hooks all the same
        hooked.register_hook(_hooked)

    def trace(is_first: bool, frame: Any, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OURS[:2]):
            return None
        frame.f_trace_opcodes, at = True, frame
        while at is not None and at.f_code not in (released.__code__, _hooked.__code__):
            at = at.f_back
        seen = found[at is not None and at.f_code is _hooked.__code__]
        return None if at is frame else partial(strike, is_first, seen)

    def strike(is_first: bool, seen: list[bool], frame: Any, event: str, arg: Any) -> Any:
        if event == "opcode":
            sys.settrace(None)
            top = local.top
            seen.append(nb.is_grad_enabled() if len(seen) % 53 else (given * 2).requires_grad)
            if is_first:
                here.top = top
            sys.settrace(partial(trace, is_first))
        return partial(strike, is_first, seen)

    for is_first in (False, True):  # whether each is as if none had come before
        w = nb.ones(3, requires_grad=True)
        sys.settrace(partial(trace, is_first))
        try:
            BACKWARDS[which](w)
        finally:
            sys.settrace(None)
    assert len(found[False]) > 1000
    assert all(found[False])
    assert not any(found[True])
    assert bool(found[True]) == ("through" in which)


def test_a_checkpoint_does_not_notice_who_comes_between() -> None:
    w, given, lines = nb.tensor([1.0, 2.0], requires_grad=True), nb.ones(3), 0

    def run() -> None:
        w.grad = None
        nb.utils.checkpoint.checkpoint(lambda x: (x * x).exp(), w, use_reentrant=False).sum().backward()
        found.append(w.grad.tolist())  # type: ignore[union-attr]

    found: list[Any] = []
    for _ in range(3):
        run()
    while _at_line(lines := lines + (1 if lines < 700 else 5), run, lambda: given * 2):
        assert found[-1] == found[0], lines
    assert lines > 700


@pytest.mark.parametrize("ends", ["reads", "records"])
def test_a_checkpoint_does_not_notice_a_handler_in_its_own_lines(ends: str) -> None:
    """Nobody has the trace in hand there: what the handler does is done to the thread's own."""
    given, count = nb.ones(2, requires_grad=True), 0

    def run() -> list[float]:
        v = nb.tensor([2.0, 1.0, 0.5], requires_grad=True)
        y = (v * 2).sin()
        nb.utils.checkpoint.checkpoint(lambda a: a.exp(), y, use_reentrant=False).sum().backward()
        assert v.grad is not None
        return v.grad.tolist()  # type: ignore[no-any-return]

    def struck(moment: int) -> Any:
        def trace(frame: Any, event: str, arg: Any) -> None:
            nonlocal count
            if event in ("call", "c_return") and frame.f_code.co_filename.startswith(OURS[:2]):
                count += 1
                if count == moment:
                    sys.setprofile(None)
                    y = (given * 2).sum()
                    y.tolist() if ends == "reads" else y.sin()

        nonlocal count
        count = 0
        sys.setprofile(trace)
        try:
            return run()
        finally:
            sys.setprofile(None)

    wanted, moment = run(), 0
    while moment <= count:
        moment += 1
        assert struck(moment) == wanted, moment
    assert moment > 500


class _Stopped(BaseException):
    pass


@pytest.mark.parametrize("mode", [nb.no_grad, nb.inference_mode, partial(grad_mode, False)])
def test_a_mode_ends_though_a_handler_raises_as_it_begins_or_ends(mode: Callable[[], Any]) -> None:
    """At every moment but the one before ``__exit__`` has begun, which no code in Python can have back."""
    edges = {"call": "__exit__", "return": "__enter__"}  # a ``with`` statement hears of none behind ``__enter__``
    begins, count = False, 0

    def struck(moment: int) -> bool:
        def trace(frame: Any, event: str, arg: Any) -> Any:
            nonlocal count
            name = frame.f_code.co_name
            if edges.get(event, name) != name and frame.f_code.co_filename.startswith(OURS[:2]):
                count += 1  # where Python hears of signals
                if count == moment:
                    raise _Stopped
            return trace

        nonlocal count
        count = 0
        try:
            sys.settrace(trace if begins else None)
            with mode():
                sys.settrace(None if begins else trace)
        except _Stopped:
            return True
        finally:
            sys.settrace(None)
        return False

    for begins in (True, False):
        moment, has_come = 0, True
        while has_come:
            for _ in range(3):
                struck(0)  # as it was before: it goes the same way
            moment += 1
            has_come = struck(moment)
            assert nb.is_grad_enabled(), (begins, moment)
            assert not nb.is_inference_mode_enabled(), (begins, moment)
            assert (nb.ones(2, requires_grad=True) * 2).requires_grad
        assert moment > 4


def _packed_hook(w: nb.Tensor) -> None:
    with nb.autograd.graph.saved_tensors_hooks(lambda a: a, lambda a: a):
        _Doubled.apply(w).sum().backward()


OF_THE_USERS: dict[str, Callable[[nb.Tensor], object]] = {
    **BACKWARDS,
    "of a function": lambda w: _Doubled.apply(w * 2).sum().backward(),
    "by a hook on what is saved": _packed_hook,
    "of a gradient": lambda w: nb.autograd.grad(_Doubled.apply((w * 3).sin()).sum(), w),
    "of a checkpoint": lambda w: (
        nb.utils.checkpoint.checkpoint(lambda a: a.exp(), w, use_reentrant=False).sum().backward()
    ),
}


@pytest.mark.parametrize("which", OF_THE_USERS)
def test_no_mode_of_ours_stays_though_a_handler_raises_before_its_end_has_begun(which: str) -> None:
    moment, has_come = 0, True

    def strike(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        if event == "call" and frame.f_code is grad_mode.__exit__.__code__:
            count += 1
            if count == moment:
                raise _Stopped

    while has_come:
        moment, count, has_come = moment + 1, 0, False
        w = nb.ones(3, requires_grad=True)
        sys.setprofile(strike)
        try:
            OF_THE_USERS[which](w)
        except _Stopped:
            has_come = True
        finally:
            sys.setprofile(None)
        assert nb.is_grad_enabled(), moment
        assert local.trace.users_mode is None, moment
        assert (nb.ones(2, requires_grad=True) * 2).requires_grad


class _Doubled(nb.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        y = a.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g * ctx.saved_tensors[0]


def _doubled() -> list[float]:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    found, place = x, []
    for _ in range(3):
        found = _Doubled.apply(found * 0.5)
        place.append(found.detach())
    (found * found.detach()).sum().backward()
    return [*x.grad.tolist(), *place[0].tolist()]


@pytest.mark.parametrize("does", ["stop", "read"])
def test_a_handler_in_the_midst_of_custom_functions_leaves_them_right(does: str) -> None:
    wanted, struck = _doubled(), 0
    aside = nb.ones(4)

    def handler(*_: object) -> None:
        nonlocal struck
        struck += 1
        if does == "stop":
            raise _Stopped
        (aside * 3 + struck).sum().item()

    before = signal.signal(signal.SIGALRM, handler)
    random, end = Random(0), time.monotonic() + 3
    try:
        while time.monotonic() < end:
            try:
                try:  # a strike may come before it has begun, and when it has ended
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, 0.002))
                    for _ in range(20):
                        assert _doubled() == wanted
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except _Stopped:
                pass
            nb.set_grad_enabled(True)  # which a strike just before a mode ends may have left off
            assert _doubled() == wanted
    finally:
        signal.signal(signal.SIGALRM, before)
    assert struck > 20


def test_who_comes_in_while_vmap_is_at_work_is_outside_of_it() -> None:
    """At every call of ours, before, inside and after what the function does."""
    x, own = nb.tensor([1.0, 2.0, 3.0]), nb.ones(3)

    def run() -> Any:
        return nb.vmap(lambda t: (t * t).sin() * t)(x).tolist()

    expected, moment, is_over = run(), 0, False
    while not is_over:
        moment += 1
        left, found = [moment], list[float]()

        def visit(frame: Any, event: str, _: object) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(OURS):
                left[0] -= 1  # noqa: B023
                if left[0] == 0:  # noqa: B023
                    sys.setprofile(None)
                    found.append((own * 2).sum().item())  # noqa: B023

        try:
            sys.setprofile(visit)
            assert run() == expected, moment
        finally:
            sys.setprofile(None)
        is_over = not found
        assert is_over or found == [6.0], moment
    assert moment > 50


def test_a_tensor_that_is_brought_into_memory_while_it_enters_is_used_as_it_is_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a = nb.ones(3) * 2
    turn_page(local.trace)  # or nobody would ask where it stands
    mend = enter.mend

    def between(trace: Any) -> None:
        mend(trace)
        monkeypatch.undo()
        assert a.tolist() == [2.0, 2.0, 2.0]

    monkeypatch.setattr(enter, "mend", between)
    assert (a + 1).tolist() == [3.0, 3.0, 3.0]
    assert a._page is None

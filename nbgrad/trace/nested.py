"""Use of tensors between two lines of ours: signal handlers, finalizers, the collector's callbacks, profile hooks.

An operation, a flush, a backward has the trace in hand (``Trace.taken``) from its first line to its last. Who finds it
so is either part of that, or came in between: the stack tells, as some frame between the two is not ours. Whoever came
in between records on a trace of its own, which stands over the other one and in its grad mode. What waits below is
read like what other threads have recorded (``read_foreign``), and what is written is no longer the other's
(``strays``). When the one below is free again, the first to use the thread's trace goes back to it and runs what was
recorded above.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import indent
from types import CodeType, FrameType
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from nbgrad.errors import OURS
from nbgrad.runtime.collector import collector_paused
from nbgrad.trace import handle
from nbgrad.trace.handle import Trace, local

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

_holders: set[tuple[str, int]] = set()  # the functions that take traces in hand: code is copied under other names
_known: dict[int, tuple[bool, CodeType]] = {}  # our code by id, and whether it is one of those
_run: Callable[[Trace], object]
_begin: Callable[[Trace], object]

_IN_HAND: Final = """
def make(local, resolve, {closed}):
    def run({parameters}):
        trace = local.top
        taken = trace.taken
        if taken:
            trace = resolve(trace)
            taken = trace.taken
        try:
            trace.taken = True
{body}
        finally:
            trace.taken = taken

    return run
"""


def use(run: Callable[[Trace], object], begin: Callable[[Trace], object]) -> None:
    """Say who flushes, and who begins a chapter in another grad mode than the usual one."""
    global _run, _begin
    _run, _begin = run, begin


def in_hand(closed: str, parameters: str, body: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """What makes, of values with the names ``closed``, a function that has its thread's trace in hand, as ``trace``,
    while it runs. It is written out, as most that take a trace in hand are the hot path of user code."""
    made: dict[str, Callable[..., Any]] = {}
    text = _IN_HAND.format(closed=closed, parameters=parameters, body=indent(body.strip(), " " * 12))
    exec(compile(text, "<nbgrad fast>", "exec"), scope, made)
    return lambda *values: holder(made["make"](local, resolve, *values))


def holder(function: F) -> F:
    """``function``, which takes a trace in hand: ``trace.taken = True`` to begin with, and at its end what it was."""
    _holders.add(_place(function.__code__))
    return function


def holding(function: Callable[Concatenate[Trace, P], R]) -> Callable[P, R]:
    """``function`` without its first argument: its thread's trace, which it has in hand while it runs."""
    return functools.wraps(function)(_holding(function))


@contextmanager
def released(trace: Trace) -> Iterator[None]:
    """Nobody has the trace in hand inside the ``with`` block: code of the user's runs there."""
    taken = trace.taken
    try:
        trace.give_back()
        yield
    finally:
        trace.taken = taken


def resolve(trace: Trace) -> Trace:
    """The trace on which the caller's caller records: ``trace`` is in hand, or stands over another one."""
    frame = sys._getframe(2)
    while not trace.is_in_hand and (below := trace.below) is not None:
        if below.is_in_hand and _is_between(frame):
            below.strays += 1
            return trace
        local.top = below
        with collector_paused():  # its callbacks may record more than was run, each time
            _run(trace)
        below.above = None
        trace = below
    if not trace.is_in_hand or not _is_between(frame):
        return trace
    trace.strays += 1
    above = Trace(trace)
    above.grad_enabled, above.inference = trace.grad_enabled, trace.inference
    if not above.grad_enabled:
        _begin(above)
    trace.above = local.top = above
    return above


def _is_between(frame: FrameType | None) -> bool:
    """Whether code that is not ours runs between ``frame`` and the innermost function that has a trace in hand."""
    is_ours = True
    while frame is not None:
        code = frame.f_code
        known = _known.get(id(code))
        if known is None and code.co_filename.startswith(OURS):
            known = _known[id(code)] = _place(code) in _holders, code
        if known is None:
            is_ours = False
        elif known[0]:
            return not is_ours
        frame = frame.f_back
    return False


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno


_holding: Final = in_hand("function", "*args, **kwargs", "return function(trace, *args, **kwargs)", {})
handle.use(resolve)

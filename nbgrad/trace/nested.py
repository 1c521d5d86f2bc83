"""Use of tensors between two lines of ours: signal handlers, finalizers, the collector's callbacks, profile hooks.

An operation, a flush, a backward has the trace in hand (``Trace.taken``) from its first line to its last. Who finds it
so is either part of that, or came in between: the stack tells, as some frame between the two is not ours. Whoever came
in between records on a trace of its own, which stands over the other one and in its grad mode. What waits below is
read like what other threads have recorded (``read_foreign``), and what is written is no longer the other's
(``strays``). When the one below is free again, the first to use the thread's trace goes back to it and runs what was
recorded above.

Other threads wait meanwhile, where several record: who has a trace in hand holds the one lock of all, ``threads.lock``.
It is let go while a plan runs, and for code of the user's (``apart``). What other threads do there is what nested code
may do.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from textwrap import indent
from types import CodeType, FrameType
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from nbgrad.errors import OURS
from nbgrad.system.collector import collector_paused
from nbgrad.trace.handle import Handle, later
from nbgrad.trace.thread import APART, HELD, SHARED, Trace, begin, here, threads

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

_holders: set[tuple[str, int]] = set()  # the functions that take traces in hand: code is copied under other names
_known: dict[int, tuple[bool, CodeType]] = {}  # our code by id, and whether it is one of those

_IN_HAND: Final = """
def make({closed}):
    def held(trace, {parameters}):
{held}

    def run({parameters}{named}):
{before}        try:
            trace = here.top
        except AttributeError:
            trace = begin()
        if trace.taken:
            return in_turn(trace, held, {arguments})
        try:
            trace.taken = True
{body}
        finally:
            trace.taken = False

    return run
"""


_OUT: Final = """\
        if out is not None:
            return into({closed}, out, ({parameters},))
"""


def in_hand(
    closed: str, parameters: str, body: str, scope: dict[str, Any], *, takes_out: bool = False
) -> Callable[..., Any]:
    """What makes, of values with the names ``closed``, a function that has its thread's trace in hand, as ``trace``,
    while it runs. It is written out, as most that take a trace in hand are the hot path of user code. With
    ``takes_out`` it takes an argument ``out``, too, of which ``into`` in ``scope`` is told."""
    made: dict[str, Callable[..., Any]] = {}
    body, arguments = body.strip(), re.sub("=[^,]*", "", parameters)
    held, body = indent(body, " " * 8), indent(body, " " * 12)
    begin_with = _OUT.format(closed=closed, parameters=parameters) if takes_out else ""
    forms = {"named": ", *, out=None" if takes_out else "", "before": begin_with, "held": held, "body": body}
    text = _IN_HAND.format(closed=closed, parameters=parameters, arguments=arguments, **forms)
    scope |= {"here": here, "begin": begin, "in_turn": _in_turn}  # what is no variable of ``make`` takes less time
    exec(compile(text, "<nbgrad fast>", "exec"), scope, made)
    return lambda *values: holder(made["make"](*values))


def _in_turn(trace: Trace, held: Callable[..., R], *args: Any, **kwargs: Any) -> R:
    """What ``held`` does with the thread's trace, which is in hand, or other threads record, too."""
    if trace.taken is not SHARED:
        trace = resolve(trace, 3)
    if trace.saver is None or trace.is_in_hand:
        return hold(trace, held, *args, **kwargs)
    given = hold(trace, held, *args, **kwargs)
    trace.saver()
    return given


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno


def holder(function: F) -> F:
    """``function``, which takes a trace in hand: ``trace.taken = True`` to begin with, and at its end what it was."""
    _holders.add(_place(function.__code__))
    return function


@holder
def hold(trace: Trace, function: Callable[Concatenate[Trace, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
    """``function``, which has a trace of this thread in hand while it runs: in its turn, where several record."""
    if trace.is_in_hand:
        return function(trace, *args, **kwargs)
    try:
        trace.taken = trace.rest is False or (threads.lock.take and HELD)
        return function(trace, *args, **kwargs)
    finally:
        taken, trace.taken = trace.taken, trace.rest
        if taken is HELD:
            threads.lock.release()


def holding(function: Callable[Concatenate[Trace, P], R]) -> Callable[P, R]:
    """``function`` without its first argument: its thread's trace, which it has in hand while it runs."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            trace = here.top
        except AttributeError:
            trace = begin()
        if trace.taken:
            return _in_turn(trace, function, *args, **kwargs)
        try:
            trace.taken = True
            return function(trace, *args, **kwargs)
        finally:
            taken, trace.taken = trace.taken, trace.rest
            if taken is HELD:  # another thread joined while code of the user's ran
                threads.lock.release()

    return holder(run)


def apart(trace: Trace, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """``function``, while other threads go on."""
    if trace.taken is not HELD:
        return function(*args, **kwargs)
    try:
        trace.taken = APART
        threads.lock.release()
        return function(*args, **kwargs)
    finally:
        trace.taken = threads.lock.take and HELD  # where a signal's handler raises meanwhile, it is APART to its end


def released(trace: Trace, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """``function``, which is code of the user's: nobody has the trace in hand meanwhile."""
    if not trace.is_in_hand:  # the code of the user's is called by other such
        return function(*args, **kwargs)
    taken, users_mode, segment, begun = trace.taken, trace.users_mode, trace.segment, trace.node.ix
    given = [a for x in args for a in (x if isinstance(x, (list, tuple)) else (x,)) if isinstance(a, Handle)]
    begun = min([begun, *[a._at.ix - 1 for a in given if a._segment is segment]])  # it may keep what it is given
    try:
        trace.taken, trace.users_mode = trace.rest, None
        if taken is HELD:
            threads.lock.release()
        return function(*args, **kwargs)
    finally:
        trace.users_mode = users_mode
        if trace.segment is segment and trace.node.ix > begun:
            segment.by_user += ((begun, trace.node.ix),)
        trace.taken = (threads.lock.take and HELD) if taken is HELD or threads.several else taken


def resolve(trace: Trace, depth: int = 2) -> Trace:
    """The trace on which the caller's caller records, ``depth`` frames from here: ``trace`` is in hand, or stands over
    another one."""
    frame = sys._getframe(depth)
    while not trace.is_in_hand and (below := trace.below) is not None:
        if below.is_in_hand and _is_between(frame) and trace.begun_in == below.users_modes:
            below.strays += 1
            later.write_down(below)
            return trace
        here.top = below
        with collector_paused():  # its callbacks may record more than was run, each time
            later.flush(trace)
        if below.above is trace: below.above = None  # who came meanwhile put one over it  # fmt: skip  # noqa: E701  (nothing may come between)
        trace = below
    if not trace.is_in_hand or not _is_between(frame):
        return trace
    trace.strays += 1
    later.write_down(trace)
    above = Trace(trace)
    above.begun_in = above.grad_enabled, above.inference, above.autocast = trace.users_modes
    if not above.grad_enabled or above.autocast is not None:
        with threads.lock:
            later.enter_modes(above)
    trace.above = here.top = above
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


later.resolve = resolve

"""What a test must leave as it found it: Ctrl-C's handler, settings, the precision of products, threads."""

from __future__ import annotations

import dataclasses
import functools
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

ENDING_S = 1.0  # threads that are about to end get so long
OWN_THREADS = "nbgrad-"  # the pool's, which stay
LIBRARIES_THREADS = ("tqdm._monitor.TMonitor",)  # it watches progress bars as long as the process runs


class State(NamedTuple):
    """What can be put back, by what it is called, each with how that is done; and the threads that ran."""

    values: dict[str, tuple[Any, Callable[[Any], object]]]
    threads: frozenset[threading.Thread]


def state() -> State:
    """How things stand. PyTorch has no part in it where it stands in for nbgrad."""
    values: dict[str, tuple[Any, Callable[[Any], object]]] = {
        "Ctrl-C's handler": (signal.getsignal(signal.SIGINT), lambda handler: signal.signal(signal.SIGINT, handler))
    }
    if (config := sys.modules.get("nbgrad.config")) is not None:
        for field in dataclasses.fields(config.Settings):
            put = functools.partial(_put_setting, config, field.name)
            values[f"the setting {field.name}"] = (getattr(config.settings, field.name), put)
    if (precision := sys.modules.get("nbgrad.runtime.cuda.precision")) is not None:
        values["the precision of products"] = _of(precision.matmul_precision, "name")
    if (dtypes := sys.modules.get("nbgrad.graph.dtypes")) is not None:
        values["the default dtype"] = (dtypes.get_default_dtype(), dtypes.set_default_dtype)
    if (handle := sys.modules.get("nbgrad.trace.thread")) is not None:
        trace = handle.local.trace
        values["the grad mode"] = _of(trace, "grad_enabled")
        values["whether the trace is in hand"] = trace.is_in_hand, lambda _: setattr(trace, "taken", trace.rest)
        values["whether this thread has the lock"] = (
            handle.threads.lock.is_mine(),
            lambda _: _let_go(handle.threads.lock),
        )
    return State(values, frozenset(threading.enumerate()))


def _let_go(lock: Any) -> None:
    while lock.is_mine():
        lock.release()


def _put_setting(config: Any, name: str, value: Any) -> None:
    config._set({name: value})


def _of(owner: Any, name: str) -> tuple[Any, Callable[[Any], object]]:
    return getattr(owner, name), lambda value: setattr(owner, name, value)


def leftovers(before: State) -> list[str]:
    """What is otherwise than ``before``, in words. Values are put back, for the tests that come next."""
    now = state()
    found = []
    for name, (was, put) in before.values.items():
        value = now.values[name][0]
        if value is not was and value != was:
            put(was)
            found.append(f"{name} was {was!r}, and is left {value!r}")
    for thread in now.threads - before.threads:
        if not thread.name.startswith(OWN_THREADS) and _kind(thread) not in LIBRARIES_THREADS:
            thread.join(ENDING_S)
            if thread.is_alive():
                found.append(f"the thread {thread.name} runs on")
    return found


def _kind(thread: threading.Thread) -> str:
    return f"{type(thread).__module__}.{type(thread).__qualname__}"

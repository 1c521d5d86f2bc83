"""The thread's grad mode. A change is an entry of the trace: what follows records with or without gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph import dtypes
from nbgrad.graph.dtypes import DType, get_default_dtype
from nbgrad.runtime.baseline.rules import forget_rules
from nbgrad.trace.grow import grow
from nbgrad.trace.handle import ROOT, later
from nbgrad.trace.nested import holding, in_hand
from nbgrad.trace.thread import Trace, local
from nbgrad.trace.trie import NOBODY, TrieNode, cache_next

_RECORDS: Final[dict[Any, tuple[Any, ...]]] = {}  # of the modes in force: one object for each


def set_mode(grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
    """Set the mode of this thread; gives the one before."""
    trace = local.trace
    before = trace.grad_enabled, trace.inference
    switch(grad_enabled, inference)
    return before


def switch_on(trace: Trace, grad_enabled: bool, inference: bool) -> None:
    """Set the mode of a trace that the caller has in hand."""
    if trace.grad_enabled is grad_enabled and trace.inference is inference:
        return
    modes = grad_enabled, inference, trace.autocast, trace.anomaly
    node: TrieNode | None = trace.node.cached
    if node is None or node.call is not _RECORDS.get(modes, False):
        node = None if trace.node is ROOT and grad_enabled else _entry_of(trace, modes)
    # No call comes between: where a signal's handler raises, what is recorded is what is said.
    trace.grad_enabled = grad_enabled
    trace.inference = inference
    if node is not None:
        trace.node = node
        trace.live.append(None)


class grad_mode:
    """Inside, gradients are recorded, or not; inference mode stays what it is. (A generator would have code that is not
    ours stand between frames of ours, which looks as if that came in between, see nested.py.) ``in_hand`` is the trace,
    where it is in hand: then who comes in between has the mode that the user's code has.

    Where a signal's handler raises before ``__exit__`` has begun, the mode stays: a bookmark of who calls goes back to
    the one before, or a ``grad_mode`` of that around this one, which then ends."""

    __slots__ = ("_before", "_in_hand", "_users_mode", "_wanted")

    def __init__(self, wanted: bool, in_hand: Trace | None = None) -> None:
        self._wanted, self._in_hand = wanted, in_hand

    def __enter__(self) -> None:
        trace = self._in_hand or local.trace
        self._before, self._users_mode = (trace.grad_enabled, trace.inference), trace.users_mode
        if self._in_hand is not None:
            trace.users_mode = trace.users_mode or self._before
        try:
            self._switch(self._wanted, trace.inference)
        except BaseException:  # a signal's handler raised: no __exit__ will follow
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self._switch(*self._before)
        except BaseException:
            self._switch(*self._before)
            raise
        finally:
            if self._in_hand is not None:
                self._in_hand.users_mode = self._users_mode

    def _switch(self, *wanted: bool) -> None:
        switch(*wanted) if self._in_hand is None else switch_on(self._in_hand, *wanted)


# Set the mode of this thread.
switch: Final[Callable[[bool, bool], None]] = in_hand(
    "", "grad_enabled, inference", "return switch_on(trace, grad_enabled, inference)", globals()
)()


def get_mode() -> tuple[bool, bool]:
    """(grad enabled, inference mode) of this thread."""
    trace = local.trace
    return trace.grad_enabled, trace.inference


def enter_modes(trace: Trace) -> None:
    """Record which modes hold from here on: grad mode, autocast, and whether the lines of what follows are noted."""
    trace.node = _entry_of(trace, (trace.grad_enabled, trace.inference, trace.autocast, trace.anomaly))
    trace.live.append(None)


def _entry_of(trace: Trace, modes: tuple[Any, ...]) -> TrieNode:
    record = _RECORDS.setdefault(modes, ("modes", *modes))
    before = trace.node
    node = before.get(record)
    return grow(trace, record, record) if node is None else cache_next(before, node, record)


@holding
def set_autocast(trace: Trace, state: tuple[DType | None, DType | None] | None) -> None:
    """Have calls take their operands in another dtype from here on, as calls/autocast.py says."""
    if state != trace.autocast:
        node = _entry_of(trace, (trace.grad_enabled, trace.inference, state, trace.anomaly))
        trace.autocast, trace.node = state, node
        trace.live.append(None)


def set_default_dtype(dtype: DType) -> None:
    """Make ``dtype``, a floating one, the type that Python floats become, and integers where floats are computed of
    them. TypeError for any other.

    What was recorded runs first. Its structures know the type before, so none of them is met again.
    """
    before = get_default_dtype()
    dtypes.set_default_dtype(dtype)
    if dtype is not before:
        dtypes.set_default_dtype(before)
        later.flush(local.trace)
        dtypes.set_default_dtype(dtype)
        ROOT.clear()
        ROOT.cached = NOBODY
        forget_rules()


@holding
def set_anomaly_mode(trace: Trace, checks: bool | None) -> None:
    """Note the user's line of every operation from here on, and have backwards look for NaN or not; None: neither."""
    if checks is not trace.anomaly:
        trace.anomaly = checks
        enter_modes(trace)


later.enter_modes = enter_modes

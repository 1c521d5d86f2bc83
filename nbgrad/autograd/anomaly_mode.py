"""Anomaly mode: operations remember the user's line, and a backward that makes NaN is an error that names it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from nbgrad.autograd.hooks import RemovableHandle, register_hook
from nbgrad.autograd.nodes import AccumulateGrad, Node, grad_fn_of, is_step_of_graph, line_of_node
from nbgrad.calls.arguments import flag_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import AT_LINE, GradError, described_instruction, user_line, warn_here
from nbgrad.trace import Handle, grad_mode, local, number_of, record, refuse, set_anomaly_mode

R = TypeVar("R")
NO_PASS = "No forward pass information available. Enable detect anomaly during forward pass for more information."
NO_LINE = "Enable anomaly mode during the forward pass, too, to hear of its line."

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Switch anomaly mode on or off, for this thread; as a context manager, as it was before at the end.

    In anomaly mode operations note the user's line, and a derivative raises RuntimeError where one of its steps gives a
    NaN, with ``check_nan``, but inside ``vmap``. It is slow: each step of a derivative is one by itself.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        wanted = flag_of("set_detect_anomaly", "mode", mode), flag_of("set_detect_anomaly", "check_nan", check_nan)
        refuse("anomaly mode looks at every gradient")
        self._before = local.trace.anomaly
        set_anomaly_mode(wanted[1] if wanted[0] else None)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        set_anomaly_mode(self._before)


class detect_anomaly(set_detect_anomaly):
    """A context manager: inside, anomaly mode is on, see ``set_detect_anomaly``.

    >>> x = nbgrad.tensor(0.0, requires_grad=True)
    >>> with nbgrad.autograd.detect_anomaly():
    ...     y = x.sqrt() * 0
    ...     y.backward()
    Traceback (most recent call last):
    nbgrad.errors.GradError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )
        self._check_nan = check_nan

    def __enter__(self) -> None:
        super().__init__(True, self._check_nan)


def is_anomaly_enabled() -> bool:
    """Whether this thread is in anomaly mode."""
    return local.trace.anomaly is not None


def is_anomaly_check_nan_enabled() -> bool:
    """Whether a NaN in a derivative of this thread is an error in anomaly mode; True outside of it."""
    return local.trace.anomaly is not False


def checked(outputs: Sequence[Handle], differentiate: Callable[[], R]) -> R:
    """What ``differentiate`` gives, which goes back from ``outputs``; GradError for the first node that gave a NaN."""
    found: list[tuple[Node, int, Handle]] = []
    handles: list[RemovableHandle] = []
    try:
        for node in _nodes_behind(outputs):
            if is_step_of_graph(node) and node.takes_hooks:
                handles.append(node.register_hook(partial(_note, found, node)))
                continue
            for place, (behind, _) in enumerate(node.next_functions):  # what it sends on is seen where it arrives
                note = partial(_note_arrived, found, node, place)
                if isinstance(behind, AccumulateGrad):
                    handles.append(register_hook(behind.variable, note))
                elif behind is not None and behind.takes_hooks:
                    handles.append(behind.register_prehook(partial(_note_first, note)))
        given = differentiate()
    finally:
        for handle in handles:
            handle.remove()
    for node, place, is_nan in found:
        if number_of(is_nan):
            what = f"Function '{node.name()}' returned nan values in its {place}th output."
            line, text = line_of_node(node), line_of_node(node, described_instruction)
            call = f"Traceback of forward call that caused the error:\n  {text}" if line else NO_PASS
            warn_here(f"Error detected in {node.name()}. {call}", UserWarning)
            if not line:
                raise GradError(f"{what} {NO_LINE}")
            raise GradError(f"{what}{AT_LINE}{line}, differentiated at {user_line()}")
    return given


def _nodes_behind(outputs: Sequence[Handle]) -> list[Node]:
    """All nodes but the leaves."""
    pending = [grad_fn_of(y) for y in outputs]
    found: dict[Node, None] = {}
    while pending:
        node = pending.pop()
        if node is not None and node not in found and not isinstance(node, AccumulateGrad):
            found[node] = None
            pending += [behind for behind, _ in node.next_functions]
    return list(found)


def _note_first(note: Callable[[Handle | None], None], grads: tuple[Handle | None, ...]) -> None:
    note(grads[0])


def _note_arrived(found: list[tuple[Node, int, Handle]], node: Node, place: int, g: Handle | None) -> None:
    _note(found, node, (*[None] * place, g), None)


def _note(found: list[tuple[Node, int, Handle]], node: Node, inputs: tuple[Handle | None, ...], _: object) -> None:
    with grad_mode(False):
        for place, g in enumerate(inputs):
            if g is not None:
                is_nan = record(CALLS["isnan"], (g,))
                found.append((node, place, record(CALLS["any"], (is_nan,), (None, False))))


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

"""The thread's grad mode. A change is an entry of the trace: what follows records with or without gradient."""

from __future__ import annotations

from nbgrad.trace import inference as inference_tensors
from nbgrad.trace.flush import MODES, enter_mode
from nbgrad.trace.handle import HELD, ROOT, Trace, local, threads
from nbgrad.trace.nested import holder


def set_mode(grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
    """Set the mode of this thread; gives the one before."""
    trace = local.trace
    before = trace.grad_enabled, trace.inference
    switch(trace, grad_enabled, inference)
    return before


def switch(trace: Trace, grad_enabled: bool, inference: bool) -> None:
    """Set the mode of the thread that records this trace."""
    if trace.grad_enabled is grad_enabled and trace.inference is inference:
        return
    if inference:
        inference_tensors.is_known = True
    if trace.taken and not trace.is_in_hand:
        with threads.lock:
            _switch(trace, HELD, grad_enabled, inference)
    else:
        _switch(trace, trace.taken or True, grad_enabled, inference)


@holder
def _switch(trace: Trace, taken: object, grad_enabled: bool, inference: bool) -> None:
    before = trace.taken
    try:
        trace.taken = taken
        trace.grad_enabled = grad_enabled
        trace.inference = inference
        node = trace.node.ahead
        if node.call is MODES[grad_enabled, inference]:
            trace.node = node
            trace.live.append(None)
        elif trace.node is not ROOT or not grad_enabled:
            enter_mode(trace)
    finally:
        trace.taken = before if before else trace.rest


def get_mode() -> tuple[bool, bool]:
    """(grad enabled, inference mode) of this thread."""
    trace = local.trace
    return trace.grad_enabled, trace.inference

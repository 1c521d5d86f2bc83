"""The thread's grad mode. A change is an entry of the trace: what follows records with or without gradient."""

from __future__ import annotations

from nbgrad.trace import inference as inference_tensors
from nbgrad.trace.flush import enter_mode
from nbgrad.trace.handle import ROOT, local


def set_mode(grad_enabled: bool, inference: bool) -> tuple[bool, bool]:
    """Set the mode of this thread; gives the one before."""
    trace = local.trace
    if inference:
        inference_tensors.is_known = True
    before = trace.grad_enabled, trace.inference
    if before[0] is not grad_enabled or before[1] is not inference:
        trace.grad_enabled = grad_enabled
        trace.inference = inference
        if trace.node is not ROOT or not grad_enabled:
            enter_mode(trace)
    return before


def get_mode() -> tuple[bool, bool]:
    """(grad enabled, inference mode) of this thread."""
    trace = local.trace
    return trace.grad_enabled, trace.inference

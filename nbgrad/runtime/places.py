"""Memory by place: 0 is the CPU, k + 1 is CUDA device k."""

from __future__ import annotations

from typing import Any

from nbgrad.graph.spec import HOST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.cuda.copies import across, to_device, to_host
from nbgrad.runtime.cuda.memory import DeviceBuffer


def at_place(buffer: Any, source: int, place: int) -> Any:
    """``buffer``, which lies at ``source``, at ``place``: itself, or a copy."""
    if source == place:
        return buffer
    if place == HOST:
        return to_host(buffer)
    return to_device(buffer, place - 1) if source == HOST else across(buffer, place - 1)


def on_host(buffer: Any) -> Buffer:
    """``buffer``, wherever it lies, in the CPU's memory: itself, or a copy."""
    return to_host(buffer) if isinstance(buffer, DeviceBuffer) else buffer

"""``nbgrad.cuda``: GPUs, their streams, events and memory, with PyTorch's names.

>>> nbgrad.cuda.is_available() == (nbgrad.cuda.device_count() > 0)
True
"""

from typing import Any as _Any

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.cuda.devices import (
    current_device,
    device,
    device_count,
    device_of,
    get_device_capability,
    get_device_name,
    get_device_properties,
    init,
    is_available,
    is_bf16_supported,
    is_initialized,
    set_device,
    synchronize,
)
from nbgrad.cuda.events import Event
from nbgrad.cuda.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_peak_memory_stats,
)
from nbgrad.cuda.random import get_rng_state, initial_seed, manual_seed, manual_seed_all, seed, seed_all, set_rng_state
from nbgrad.cuda.streams import (
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    set_stream,
    stream,
)
from nbgrad.errors import OutOfMemoryError
from nbgrad.system.imports import import_module as _import_module

__all__ = [
    "Event",
    "ExternalStream",
    "OutOfMemoryError",
    "Stream",
    "StreamContext",
    "amp",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_stream",
    "stream",
    "synchronize",
]


def __getattr__(name: str) -> _Any:
    """A room that few programs use."""
    if name == "amp":
        return _import_module("nbgrad.cuda.amp")
    raise _AbsentError("module 'nbgrad.cuda'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

"""Which GPUs there are, what they are, and which of them "cuda" means."""

from __future__ import annotations

import copy
from typing import Any

from nbgrad.device import as_device
from nbgrad.errors import ArgumentError
from nbgrad.graph.spec import Spec
from nbgrad.runtime.cuda import devices
from nbgrad.runtime.cuda.devices import Gpu, gpu, here
from nbgrad.runtime.cuda.driver import Properties
from nbgrad.trace import flush, local


def index_of(value: Any) -> int:
    """The number of the GPU that a user names: by number, name or ``nbgrad.device``; None is the current one."""
    if value is None:
        return here.device
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = as_device(value)
    if found.type != "cuda":
        raise ArgumentError(f"Expected a cuda device, but got: {found}")
    return here.device if found.index is None else found.index


def gpu_of(value: Any) -> Gpu:
    """The GPU that a user names, activated; RuntimeError where there is none such."""
    found = gpu(index_of(value))
    found.activate()
    return found


def run_pending() -> None:
    """Enqueue what this thread has recorded so far, on the stream that is current by now."""
    if Spec.any_placed:
        flush(local.trace)


def raise_unheard(index: int) -> None:
    """Raise what this thread's work for a GPU failed with, if nobody was told yet."""
    error = local.trace.unheard.pop(index + 1, None)
    if error is not None:
        raise copy.copy(error)  # one that was raised holds on to the frames that it passed


def is_available() -> bool:
    """Whether there is a GPU to be used. NBGRAD_CUDA says which kind is looked for.

    >>> isinstance(nbgrad.cuda.is_available(), bool)
    True
    """
    return devices.device_count() > 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether there is a GPU: all compute bfloat16 in float32 here.

    >>> nbgrad.cuda.is_bf16_supported() == nbgrad.cuda.is_available()
    True
    """
    return is_available()


def device_count() -> int:
    """How many GPUs there are; 0 without a GPU, its driver or the package for it.

    >>> nbgrad.cuda.device_count() >= 0
    True
    """
    return devices.device_count()


def init() -> None:
    """Look for GPUs now. RuntimeError says what is missing where there is none."""
    gpu(here.device)


def is_initialized() -> bool:
    """Whether somebody has looked for GPUs already, and there are some."""
    return devices.is_open()


def current_device() -> int:
    """The number of the GPU that "cuda" means in this thread."""
    return gpu(here.device).index


def set_device(device: Any) -> None:
    """Let "cuda" mean ``device`` from now on, in this thread. A negative number changes nothing."""
    index = index_of(device)
    if index >= 0:
        run_pending()
        here.device = gpu(index).index


class device:  # PyTorch's name for it
    """A ``with`` block in which "cuda" means ``device``. None or a negative number changes nothing."""

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = here.device
        set_device(self.idx)

    def __exit__(self, *error: object) -> None:
        set_device(self.prev_idx)


class device_of(device):  # PyTorch's name for it
    """A ``with`` block in which "cuda" means the device of a tensor. One on the CPU changes nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device())


def get_device_properties(device: Any = None) -> Properties:
    """What a GPU is: name, major, minor, total_memory, multi_processor_count, ..."""
    return gpu_of(device).properties


def get_device_name(device: Any = None) -> str:
    """The name of a GPU."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a GPU: (major, minor)."""
    found = get_device_properties(device)
    return found.major, found.minor


def synchronize(device: Any = None) -> None:
    """Return when everything that was asked of a GPU so far is done, what this thread has recorded included.

    Raises what failed meanwhile and nobody was told yet, an index out of bounds for example; so do ``synchronize`` of
    streams and events.
    """
    found = gpu_of(device)
    run_pending()
    found.activate()
    found.synchronize()
    raise_unheard(found.index)

"""How much memory of a GPU values take."""

from __future__ import annotations

from typing import Any

from nbgrad.cuda.devices import device_count, gpu_of, is_available, run_pending
from nbgrad.device import device_at
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.memory import readable


def memory_allocated(device: Any = None) -> int:
    """Bytes that values take now. What this thread has recorded runs first."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that values took at a time, since the beginning or ``reset_peak_memory_stats``."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: Any = None) -> int:
    """Bytes taken from the driver: for values, and idle until somebody asks for memory."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes taken from the driver at a time, since the beginning or ``reset_peak_memory_stats``."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


def memory_stats(device: Any = None) -> dict[str, int]:
    """The four figures above, by PyTorch's names for them, how often idle memory had to go back to the driver
    (``num_alloc_retries``), and how often that did not help (``num_ooms``). Without a GPU there are none, and each of
    them is 0."""
    if not is_available():
        return {}
    run_pending()
    pool = gpu_of(device).pool
    return {
        "allocated_bytes.all.current": pool.allocated,
        "allocated_bytes.all.peak": pool.most_allocated,
        "reserved_bytes.all.current": pool.reserved,
        "reserved_bytes.all.peak": pool.most_reserved,
        "num_alloc_retries": pool.retries,
        "num_ooms": pool.refusals,
    }


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """The same as a table to print; ``abbreviated`` leaves out what the driver knows of the whole device."""
    found = memory_stats(device)
    rows = [
        (what, [found.get(f"{kind}_bytes.all.{when}", 0) for when in ("current", "peak")])
        for what, kind in (("taken by values", "allocated"), ("reserved", "reserved"))
    ]
    title = f"memory of {device_at(gpu_of(device).index + 1)}" if found else "no GPU"
    lines = [f"{title:24}{'now':>14}{'at most':>14}"]
    lines += [f"{what:24}{readable(now):>14}{readable(most):>14}" for what, (now, most) in rows]
    lines += [f"{'out of memory, times':24}{found.get('num_ooms', 0):>14}"]
    if found and not abbreviated:
        free, total = mem_get_info(device)
        lines += [f"{'free, of all there is':24}{readable(free):>14}{readable(total):>14}"]
    return "\n".join(lines)


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let the peaks begin anew at what there is now."""
    gpu_of(device).pool.reset_peaks()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Bytes of a GPU's memory that are free, and in all, as its driver knows them."""
    return gpu_of(device).driver.memory_info()


def empty_cache() -> None:
    """Give memory that lies idle back to the driver, of all GPUs, and what programs keep to be quicker: a library's
    workspaces and copies of its inputs. They take it anew when they run. Without a GPU there is none.

    >>> nbgrad.cuda.empty_cache()
    """
    for index in range(device_count()):
        found = gpu(index)
        if found.pool.reserved:
            found.empty_cache()


reset_max_memory_allocated = reset_peak_memory_stats

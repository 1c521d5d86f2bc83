"""What the pool of ``nbgrad/runtime/buffers.py`` holds."""

from __future__ import annotations

from typing import NamedTuple

from nbgrad.runtime.buffers import _pool


class PoolStats(NamedTuple):
    """Bytes taken from the system, those of them idle, blocks ever taken."""

    allocated_bytes: int
    idle_bytes: int
    blocks_made: int

    @property
    def used_bytes(self) -> int:
        return self.allocated_bytes - self.idle_bytes


def pool_stats() -> PoolStats:
    """What it holds now."""
    return PoolStats(_pool.allocated_bytes, _pool.idle_bytes(), _pool.blocks_made)


def empty_cache() -> None:
    """Give all idle blocks back to the system."""
    _pool.trim(0)

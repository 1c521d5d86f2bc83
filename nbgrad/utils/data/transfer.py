"""Batches from a worker to the main process: their arrays lie in one block of shared memory, the rest goes by a pipe.

A block lives from the worker's ``pack`` to the main process's ``unpack``, which copies it out: no tensor holds one. Its
name says which worker's how many-eth it is, so the block of a worker that died on the way is found, too.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from itertools import accumulate
from multiprocessing.shared_memory import SharedMemory
from typing import Any

Packed = tuple[bytes, list[int]]
_ALIGNED = 64


def _places(sizes: list[int]) -> list[int]:
    """Where each array begins, and where the last ends."""
    return [0, *accumulate([-(-size // _ALIGNED) * _ALIGNED for size in sizes])]


def pack(batch: Any, name: str) -> Packed:
    """``batch`` for the pipe, and the sizes of its arrays in the block of that name."""
    arrays: list[pickle.PickleBuffer] = []
    data = pickle.dumps(batch, protocol=5, buffer_callback=arrays.append)
    views = [array.raw() for array in arrays]
    places = _places([view.nbytes for view in views])
    if places[-1]:
        block = SharedMemory(name, create=True, size=places[-1])
        assert block.buf is not None
        for view, start in zip(views, places, strict=False):
            block.buf[start : start + view.nbytes] = view
        block.close()
    return data, [view.nbytes for view in views]


def unpack(packed: Packed, name: str) -> Any:
    """What was packed; the block is gone."""
    data, sizes = packed
    places = _places(sizes)
    if not places[-1]:
        return pickle.loads(data, buffers=[b""] * len(sizes))
    block = SharedMemory(name)
    block.unlink()
    assert block.buf is not None
    arrays = [bytearray(block.buf[start : start + size]) for start, size in zip(places, sizes, strict=False)]
    block.close()
    return pickle.loads(data, buffers=arrays)


def free(name: str) -> None:
    """Unlink the block of that name, if there is one."""
    with suppress(FileNotFoundError):
        block = SharedMemory(name)
        block.unlink()
        block.close()

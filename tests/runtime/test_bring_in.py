"""Memory that comes while kernels are made."""

from __future__ import annotations

import ctypes
import os
import threading

import pytest

from nbgrad.config import settings
from nbgrad.log import fallbacks
from nbgrad.runtime.bring_in import bring_in
from nbgrad.runtime.buffers import Buffer, empty_cache, is_block

SIZE = 5 << 20
PAGE = 1 << 12


def present_pages(address: int, nbytes: int) -> int:
    """How many whole pages of a stretch have memory (Linux: mincore(2))."""
    first = -(-address // PAGE) * PAGE
    count = (address + nbytes - first) // PAGE
    told = (ctypes.c_ubyte * count)()
    assert ctypes.CDLL(None).mincore(ctypes.c_void_p(first), ctypes.c_size_t(count * PAGE), told) == 0
    return sum(page & 1 for page in told)


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "num_threads", 2)
    empty_cache()


@pytest.mark.skipif(
    tuple(map(int, os.uname().release.split(".")[:2])) < (5, 14), reason="Linux brings in pages from 5.14 on"
)
def test_the_next_buffer_of_that_size_has_its_pages() -> None:
    thread = bring_in([SIZE, 64])
    assert thread is not None
    thread.join()
    buffer = Buffer.alloc(SIZE)
    assert present_pages(buffer.address, SIZE) == SIZE // PAGE - (buffer.address % PAGE != 0)


def test_what_a_block_holds_does_not_change() -> None:
    held = Buffer.alloc(SIZE)
    memory = held.array((SIZE,), "uint8")
    memory[:] = 7
    address = held.address
    del held, memory
    thread = bring_in([SIZE])
    assert thread is not None
    thread.join()
    buffer = Buffer.alloc(SIZE)
    assert buffer.address == address
    assert (buffer.array((SIZE,), "uint8") == 7).all()


def test_blocks_that_went_back_to_the_system_are_left_alone() -> None:
    buffer = Buffer.alloc(SIZE)
    address = buffer.address
    assert is_block(address)
    del buffer
    assert is_block(address)
    empty_cache()
    assert not is_block(address)


def test_little_memory_is_not_worth_a_thread() -> None:
    assert bring_in([1 << 20] * 3) is None
    assert bring_in([1 << 10] * (1 << 14)) is None


def test_one_thread_is_all_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "num_threads", 1)
    assert bring_in([SIZE]) is None


def test_where_the_system_gives_no_thread_pages_come_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert bring_in([SIZE]) is None
    assert "memory comes as it is written, not while kernels are made: can't start new thread" in fallbacks()

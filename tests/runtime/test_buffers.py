import gc
import itertools
import os
import sys
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from nbgrad.errors import ArgumentError
from nbgrad.runtime import buffers
from nbgrad.runtime.buffers import ALIGNMENT, Buffer, give_back, size_class
from tests.fresh import fresh
from tests.memory_pool import empty_cache, pool_stats
from tests.runtime.forks import holds_in_child
from tests.threads import in_threads


@pytest.mark.parametrize("nbytes", [0, 1, 63, 64, 65, 512, 513, 4097, 1 << 20, (9 << 20) + 1])
def test_blocks_are_aligned_and_large_enough(nbytes: int) -> None:
    buffer = Buffer.alloc(nbytes)
    assert buffer.nbytes == nbytes
    assert buffer.address > 0
    assert buffer.address % ALIGNMENT == 0
    whole = buffer.array((size_class(nbytes),), np.uint8)
    whole[:] = 7  # every byte of the class may be written
    assert (whole == 7).all()


def test_size_classes_waste_at_most_a_quarter() -> None:
    for nbytes in [*range(513, 5000), 10**6, 10**9 + 7]:
        size = size_class(nbytes)
        assert nbytes <= size <= nbytes * 1.25 + ALIGNMENT
        assert size % ALIGNMENT == 0


def test_a_dropped_block_is_used_again() -> None:
    first = Buffer.alloc(3000)
    address = first.address
    made = pool_stats().blocks_made
    del first
    assert Buffer.alloc(3000).address == address
    assert Buffer.alloc(2990).address == address  # the same size class
    assert pool_stats().blocks_made == made


def test_live_buffers_never_share_memory() -> None:
    live = [Buffer.alloc(100) for _ in range(1000)]
    addresses = sorted(b.address for b in live)
    assert all(y - x >= 128 for x, y in itertools.pairwise(addresses))


def test_from_numpy_copies_in_c_order() -> None:
    source = np.arange(12.0).reshape(3, 4)
    copy = Buffer.from_numpy(source.T)
    source[:] = 0
    assert (copy.array((4, 3), np.float64) == np.arange(12.0).reshape(3, 4).T).all()


def test_a_copy_has_the_same_contents_in_other_memory() -> None:
    array = np.arange(12.0)
    for original in (Buffer.from_numpy(array), Buffer.wrap(array)):
        made = original.copy()
        assert made.is_pooled
        assert made.nbytes == array.nbytes
        made.array((12,), np.float64)[:6] = -1.0
        assert original.array((12,), np.float64).tolist() == [*range(12)]
        assert made.array((12,), np.float64).tolist() == [-1.0] * 6 + [*range(6, 12)]


def test_part_of_an_array_is_copied_by_its_address() -> None:
    array = np.arange(12.0)
    made = Buffer.copied(array[3:].__array_interface__["data"][0], 5 * 8)
    array[:] = -1
    assert (made.nbytes, made.is_pooled) == (40, True)
    assert made.array((5,), np.float64).tolist() == [3, 4, 5, 6, 7]


def test_spare_buffers_are_used_where_they_fit() -> None:
    fits, too_small = Buffer.alloc(100), Buffer.alloc(64)
    made = Buffer.fit_each([fits, None, too_small], [100, 8, 128])
    assert made[0] is fits and made[2] is not too_small
    assert [b.nbytes for b in made] == [100, 8, 128]
    assert len({b.address for b in (*made, too_small)}) == 4


def test_wrap_shares_the_memory_and_keeps_the_array() -> None:
    source = np.zeros(5, np.float32)
    buffer = Buffer.wrap(source)
    buffer.array((5,), np.float32)[:] = 3
    assert (source == 3).all()
    gone = weakref.ref(source)
    del source
    gc.collect()
    assert gone() is not None
    del buffer
    assert gone() is None


def test_wrap_covers_every_byte_a_strided_array_reaches() -> None:
    base = np.arange(20, dtype=np.int64)
    buffer = Buffer.wrap(base[10:2:-2])
    assert buffer.address == base[4:].ctypes.data
    assert buffer.nbytes == (10 - 4 + 1) * 8
    assert Buffer.wrap(base[:0]).nbytes == 0


def test_an_exported_view_outlives_the_buffer_variable() -> None:
    buffer = Buffer.alloc(40)
    view = buffer.array((5,), np.int64)
    view[:] = range(5)
    block = buffer.address
    del buffer
    taken = [Buffer.alloc(40) for _ in range(100)]
    assert block not in [b.address for b in taken]
    assert view.tolist() == [0, 1, 2, 3, 4]


def test_a_weak_reference_to_an_export_lives_as_long_as_any_view_of_it() -> None:
    view = Buffer.alloc(64).array((4, 4), np.float32)
    alive = weakref.ref(view)
    part = view[1:, ::2].T
    flat = memoryview(part)
    del view
    assert alive() is not None
    del part
    assert alive() is not None
    flat.release()
    del flat
    gc.collect()
    assert alive() is None


def test_strided_exports_see_the_right_elements() -> None:
    buffer = Buffer.from_numpy(np.arange(12, dtype=np.int32))
    assert buffer.array((3,), np.int32, (-8,), 40).tolist() == [10, 8, 6]


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ArgumentError, match="-1 bytes"):
        Buffer.alloc(-1)


def test_empty_cache_gives_idle_memory_back() -> None:
    kept = Buffer.alloc(1 << 16)
    dropped = [Buffer.alloc(1 << 16) for _ in range(3)]
    del dropped
    assert pool_stats().idle_bytes > 0
    before = pool_stats().used_bytes
    empty_cache()
    assert pool_stats().idle_bytes == 0
    assert pool_stats().used_bytes == before
    assert kept.array((1,), np.uint8).size == 1


def test_one_large_idle_block_can_be_given_back_and_small_ones_stay() -> None:
    empty_cache()
    dropped = [Buffer.alloc(size) for size in (3 << 20, 3 << 20, 1 << 10)]
    del dropped
    give_back(3 << 20)
    assert pool_stats().idle_bytes == (3 << 20) + (1 << 10)
    give_back(1 << 10)
    assert pool_stats().idle_bytes == (3 << 20) + (1 << 10)
    give_back(3 << 20)
    give_back(3 << 20)  # none is left
    assert pool_stats().idle_bytes == 1 << 10
    empty_cache()


def forget_looks() -> None:
    """No list of blocks was looked at yet: other tests may just have done so, or at a time that they made up."""
    empty_cache()
    for home in buffers._pool.by_size.values():
        home.since_s, home.unused = 0.0, 0


def test_large_blocks_that_nobody_asks_for_go_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_looks()
    now_s = begin_s = time.monotonic()
    monkeypatch.setattr(buffers._pool, "now_s", lambda: now_s)
    monkeypatch.setattr(buffers._pool, "look_s", 0.0)
    dropped = [Buffer.alloc(8 << 20), Buffer.alloc(1 << 10)]
    del dropped
    for passed_s in (0.1, 0.24, 0.45):  # a program that runs on, and sees the others idle
        now_s = begin_s + passed_s
        assert pool_stats().idle_bytes == (8 << 20) + (1 << 10) + (passed_s > 0.1) * (2 << 20)
        Buffer.alloc(2 << 20)
    assert pool_stats().idle_bytes == (2 << 20) + (1 << 10)
    empty_cache()


def test_of_many_blocks_of_a_size_those_stay_that_a_loop_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_looks()
    now_s = begin_s = time.monotonic()
    monkeypatch.setattr(buffers._pool, "now_s", lambda: now_s)
    monkeypatch.setattr(buffers._pool, "look_s", 0.0)
    size = 3 << 16
    first = [Buffer.alloc(size) for _ in range(10)]  # what a call needed that was recorded
    del first
    made = pool_stats().blocks_made
    for step in range(20):
        now_s = begin_s + 0.1 * step
        steady = [Buffer.alloc(size) for _ in range(4 - step % 2)]
        steady[0].array((size,), np.uint8)[:] = step
        del steady
    assert pool_stats().idle_bytes == 4 * size
    assert pool_stats().blocks_made == made
    empty_cache()


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_the_pages_of_blocks_given_back_are_the_systems_though_the_c_library_keeps_their_addresses() -> None:
    blocks = [Buffer.alloc(5 << 15) for _ in range(400)]
    kept = Buffer.alloc(5 << 15)  # above them: the heap cannot become shorter
    for block in blocks:
        block.array((block.nbytes,), np.uint8)[:] = 1
    kept.array((kept.nbytes,), np.uint8)[:] = 2
    before = resident_bytes()
    del block, blocks
    empty_cache()
    assert resident_bytes() < before - (50 << 20)
    assert (kept.array((kept.nbytes,), np.uint8) == 2).all()


def test_idle_memory_is_capped_and_the_longest_unused_size_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_cache()
    monkeypatch.setattr(buffers._pool, "idle_limit", 6 << 20)
    old, new = Buffer.alloc(3 << 20), Buffer.alloc(4 << 20)
    new_address = new.address
    del old
    assert pool_stats().idle_bytes == 3 << 20
    del new
    small = Buffer.alloc(64)  # whoever makes a buffer looks after what came back
    assert pool_stats().idle_bytes == 4 << 20
    assert Buffer.alloc(4 << 20).address == new_address
    assert small.nbytes == 64
    empty_cache()


@pytest.mark.parametrize("make", [lambda: Buffer.alloc(64), lambda: Buffer.alloc(2 << 20), lambda: wrapped()])
def test_no_line_of_python_runs_when_a_buffer_is_dropped(make: Callable[[], Buffer]) -> None:
    """Ctrl-C that came in one would be lost: Python prints what a destructor raises, and goes on."""
    buffer = make()
    events: list[str] = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        del buffer
    finally:
        sys.setprofile(None)
    assert "call" not in events


def wrapped() -> Buffer:
    return Buffer.wrap(np.zeros(4))


def test_many_threads_never_hold_the_same_block() -> None:
    wrong = []

    def churn(mark: int) -> None:
        for k in range(3000):
            buffer = Buffer.alloc(64 + 8 * (k % 5))
            view = buffer.array((8,), np.int64)
            view[:] = mark
            del buffer
            if (view != mark).any():
                wrong.append(mark)

    in_threads(churn, range(6))
    assert not wrong


def test_a_forked_child_can_allocate_though_the_lock_was_held() -> None:
    with buffers._pool.lock:
        assert holds_in_child(lambda: Buffer.alloc(123457).nbytes == 123457)


def test_buffers_that_live_to_the_end_of_the_program_end_quietly() -> None:
    script = """
import numpy as np
from nbgrad.runtime.buffers import Buffer
kept = [Buffer.alloc(n) for n in (10, 5 << 20)]
view = Buffer.alloc(3 << 20).array((4,), np.int64)
class Cycle: pass
cycle = Cycle()
cycle.self, cycle.buffer = cycle, Buffer.alloc(4 << 20)
"""
    done = fresh("-c", script)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_large_block_that_outlives_the_modules_goes_back_in_silence() -> None:
    script = """
import builtins
from nbgrad.runtime import buffers
builtins.kept = buffers.Buffer.alloc(1 << 22)
buffers._LARGE = buffers._pool = None
del builtins.kept
"""
    done = fresh("-c", script)
    assert (done.returncode, done.stderr) == (0, "")

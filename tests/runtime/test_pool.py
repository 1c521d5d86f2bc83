import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.errors import ArgumentError
from nbgrad.kernels.records import WORD
from nbgrad.log import fallbacks
from nbgrad.runtime import pool, pool_kernels, runner
from nbgrad.runtime.layout import CLOSED, CODES, CONTROL_WORDS, NONE, PAUSED, SPLIT, THREAD_WORDS, Pool, Thread
from nbgrad.runtime.pool import control, get_num_threads, set_num_threads
from nbgrad.runtime.pool_kernels import acquired, add_line, open_shares, sees_job, take_parts, wait_for_workers
from nbgrad.runtime.runner import InstructionFailed
from nbgrad.runtime.runner_code import runner_code
from tests.runtime.forks import holds_in_child
from tests.runtime.toys import addresses, failing, in_a_wave, slowly
from tests.threads import in_threads


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_every_item_is_done_once_for_any_number_of_threads(threads: int) -> None:
    with override(num_threads=threads):
        for n in (1, 63, 1000, 4097):
            out, calls = np.zeros(n, np.int64), np.zeros(1, np.int64)
            slowly(n, 5, chunk=37).run(addresses([out, calls]), 0)
            assert (out == 5).all()
            assert calls[0] >= 5 * n / 37


def renewed_pool(threads: int) -> pool.ThreadPool:
    """A pool that no run has used."""
    with override(num_threads=1):
        control()
    control()
    assert pool._current.pool is not None
    assert len(pool._current.pool._threads) == threads - 1
    return pool._current.pool


def test_rows_are_shared_out_and_rows_without_the_flag_are_not() -> None:
    with override(num_threads=2):
        renewed_pool(2)
        out, calls = np.zeros(4096, np.int64), np.zeros(1, np.int64)
        slowly(4096, 1, chunk=4096, flags=0).run(addresses([out, calls]), 0)
        assert calls[0] == 1
        slowly(4096, 1, chunk=4096, flags=SPLIT).run(addresses([out, calls]), 0)
        assert calls[0] > 2


def test_the_worker_does_part_of_the_work() -> None:
    seen = set()
    with override(num_threads=2):
        [worker] = renewed_pool(2)._threads
        stat = f"/proc/self/task/{worker.native_id}/stat"
        for _ in range(50):
            out, calls = np.zeros(20_000, np.int64), np.zeros(1, np.int64)
            slowly(20_000, 5).run(addresses([out, calls]), 0)
            with open(stat) as file:
                seen.add(file.read().rsplit(")", 1)[1].split()[11])  # its processor time so far, in ticks
            if len(seen) > 1:
                break
    assert len(seen) > 1


def test_a_kernel_that_fails_on_any_thread_is_reported_with_its_instruction() -> None:
    with override(num_threads=4):
        program = failing(5000, at=4321, flags=SPLIT)
        for _ in range(20):
            with pytest.raises(InstructionFailed) as caught:
                program.run([], 0)
            assert (caught.value.pc, caught.value.code) == (1, 7)
        failing(5000, at=5000, flags=SPLIT).run([], 0)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("flags", [0, SPLIT])
def test_the_rows_of_a_wave_are_all_done_once(threads: int, flags: int) -> None:
    sizes = [700, 0, 1, 64, 2000, 3] + [5] * 80  # more than fit one job
    with override(num_threads=threads):
        outs, calls = [np.zeros(n, np.int64) for n in sizes], np.zeros(1, np.int64)
        in_a_wave(sizes, 3, flags=flags).run(addresses([*outs, calls]), 0)
    assert all((out == 3).all() for out in outs)


def test_rows_of_a_wave_are_given_to_threads_together() -> None:
    with override(num_threads=2):
        control = renewed_pool(2).control
        sizes = [40] * 10  # 9 us each: alone they are hardly worth a thread
        outs, calls = [np.zeros(n, np.int64) for n in sizes], np.zeros(1, np.int64)
        in_a_wave(sizes, 1, flags=0).run(addresses([*outs, calls]), 0)
        assert control.job.number.load() == 1
        assert control.job.parts == calls[0] == 10


def test_a_wave_cut_into_slices_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_S", 0.0)  # pause at each look at the clock
    sizes = [900, 40, 2500, 7]
    with override(num_threads=2):
        program = in_a_wave(sizes, 12)
        whole, answers = runner_code().run, list[int]()
        program._run = lambda frame: answers.append(whole(frame)) or answers[-1]  # type: ignore[func-returns-value]
        outs, calls = [np.zeros(n, np.int64) for n in sizes], np.zeros(1, np.int64)
        program.run(addresses([*outs, calls]), 0)
    assert all((out == 12).all() for out in outs)
    assert PAUSED in answers


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_of_several_rows_of_a_wave_that_fail_the_first_is_reported(threads: int) -> None:
    sizes = [3000, 3000, 3000]
    with override(num_threads=threads):
        outs, calls = [np.zeros(n, np.int64) for n in sizes], np.zeros(1, np.int64)
        for fails, first in (([-1, 2900, 3], 1), ([2999, 0, -1], 0), ([-1, -1, 0], 2)):
            for _ in range(10):
                with pytest.raises(InstructionFailed) as caught:
                    in_a_wave(sizes, 1, fails).run(addresses([*outs, calls]), 0)
                assert (caught.value.pc, caught.value.code) == (3 + first, 7)
            assert (outs[2] > 0).all()


def test_many_users_of_one_pool_of_many_threads_are_all_right() -> None:
    in_a_wave([1], 1)  # the kernels are there before the users are
    wrong = []

    def use(seed: int) -> None:
        draw = Random(seed)
        for _ in range(12):
            sizes = [draw.choice([0, 1, 5, 40, 300]) for _ in range(draw.randint(1, 70))]
            outs, calls = [np.zeros(n, np.int64) for n in sizes], np.zeros(1, np.int64)
            in_a_wave(sizes, 2, flags=draw.choice([0, SPLIT])).run(addresses([*outs, calls]), 0)
            wrong.extend([out for out in outs if (out != 2).any()])

    with override(num_threads=9):
        in_threads(use, range(4))
    assert not wrong


def test_two_users_at_once_are_both_right() -> None:
    wrong = []

    def use() -> None:
        program = slowly(1500, 3)
        for _ in range(40):
            out, calls = np.zeros(1500, np.int64), np.zeros(1, np.int64)
            program.run(addresses([out, calls]), 0)
            if (out != 3).any():
                wrong.append(out)

    with override(num_threads=3):
        in_threads(lambda _: use(), range(4))
    assert not wrong


def test_the_number_of_threads_can_change_while_a_program_is_kept() -> None:
    program = slowly(3000, 4)
    before = get_num_threads()
    try:
        for threads in (2, 1, 4, 3, 1, 2):
            set_num_threads(threads)
            assert get_num_threads() == threads
            out, calls = np.zeros(3000, np.int64), np.zeros(1, np.int64)
            program.run(addresses([out, calls]), 0)
            assert (out == 4).all()
            assert (control() != 0) == (threads > 1)
    finally:
        set_num_threads(before)


def test_workers_of_a_replaced_pool_go_home() -> None:
    with override(num_threads=3):
        control()
        assert pool._current.pool is not None
        old = pool._current.pool._threads
    with override(num_threads=2):
        control()
        for thread in old:
            thread.join(5)
            assert not thread.is_alive()


def test_where_the_system_gives_no_more_threads_fewer_do_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if thread.name == "nbgrad-1":
            raise RuntimeError("can't start new thread")
        real(thread)

    with override(num_threads=5, log="time", log_dir=None):
        monkeypatch.setattr(threading.Thread, "start", start)
        out, calls = np.zeros(3000, np.int64), np.zeros(1, np.int64)
        slowly(3000, 4).run(addresses([out, calls]), 0)
        assert (out == 4).all()
        assert pool._current.pool is not None
        assert len(pool._current.pool._threads) == 1
    assert "2 threads work on a tape, not 5" in capsys.readouterr().err


@pytest.mark.parametrize("count", [0, -1, 1025, 1.5, "2", True])
def test_a_bad_number_of_threads_is_refused(count: object) -> None:
    error, words = (ArgumentError, "from 1 to 1024") if type(count) is int else (TypeError, "expects an int")
    with pytest.raises(error, match=words):
        set_num_threads(count)  # type: ignore[arg-type]


def test_a_forked_child_makes_threads_of_its_own() -> None:
    with override(num_threads=2):
        program = slowly(4000, 3)
        out, calls = np.zeros(4000, np.int64), np.zeros(1, np.int64)
        program.run(addresses([out, calls]), 0)
        address = control()

        def check() -> bool:
            out[:] = 0
            program.run(addresses([out, calls]), 0)
            return bool((out == 3).all()) and control() not in (0, address)

        with pool._current.lock:  # as if another thread were starting the pool just now
            assert holds_in_child(check)
        out[:] = 0
        program.run(addresses([out, calls]), 0)
        assert (out == 3).all()


def test_a_program_that_ends_with_parked_workers_ends_cleanly() -> None:
    script = """
import numpy as np
from nbgrad.runtime.pool import set_num_threads
from tests.runtime.forks import holds_in_child
from tests.runtime.toys import addresses, slowly
set_num_threads(4)
out, calls = np.zeros(9000, np.int64), np.zeros(1, np.int64)
slowly(9000, 3).run(addresses([out, calls]), 0)
print(int(out.sum()))
"""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr, done.returncode) == ("27000\n", "", 0)


@pytest.fixture
def own_cores() -> Iterator[set[int]]:
    """The cores that this thread may use; it gets them back in the end."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    if len(cores) < 2:
        pytest.skip("needs two cores, and a system that lets threads choose them")
    yield cores
    os.sched_setaffinity(0, cores)


def on_core(core: int | None, look: bool = True) -> None:
    """A run that shares its work, from a thread on ``core``. ``look``: whether it is time to look at cores."""
    assert pool._current.pool is not None
    control = pool._current.pool.control
    control.cores.alone_until = 0  # whatever others do to the machine
    control.cores.looked = 0 if look else time.monotonic_ns() + 10**12

    def run() -> None:
        if core is not None:
            os.sched_setaffinity(0, {core})
        out, calls = np.zeros(2000, np.int64), np.zeros(1, np.int64)
        slowly(2000, 1).run(addresses([out, calls]), 0)

    in_threads(run)


def cores_of(threads: list[threading.Thread]) -> list[set[int]]:
    return [os.sched_getaffinity(t.native_id or 0) for t in threads]


def test_workers_keep_off_the_core_of_the_run_that_has_them(own_cores: set[int]) -> None:
    with override(num_threads=3):
        threads = renewed_pool(3)._threads
        for core in (*sorted(own_cores)[:2], min(own_cores)):
            on_core(core)
            assert cores_of(threads) == [own_cores - {core}] * 2


def test_callers_on_many_cores_do_not_send_the_workers_about_each_time(own_cores: set[int]) -> None:
    with override(num_threads=3):
        threads = renewed_pool(3)._threads
        first, second, *_ = sorted(own_cores)
        on_core(first)
        on_core(second, look=False)
        assert cores_of(threads) == [own_cores - {first}] * 2
        on_core(second)
        assert cores_of(threads) == [own_cores - {second}] * 2


@pytest.mark.parametrize("all_threads", [False, True])
def test_a_process_that_is_pinned_later_stays_there(own_cores: set[int], all_threads: bool) -> None:
    with override(num_threads=3):
        threads = renewed_pool(3)._threads
        for core in (min(own_cores), max(own_cores)):
            on_core(None)
            for thread in threads if all_threads else ():
                os.sched_setaffinity(thread.native_id or 0, {core})
            os.sched_setaffinity(os.getpid(), {core})
            on_core(None)
            assert cores_of(threads) == [{core}] * 2
            os.sched_setaffinity(os.getpid(), own_cores)
            on_core(core)
            assert cores_of(threads) == [own_cores - {core}] * 2


def test_without_a_semaphore_a_run_does_its_work_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        sem_open = sem_unlink = sem_post = staticmethod(lambda *_: -1 & (1 << 64) - 1)
        sem_init = staticmethod(lambda *_: -1)

    with override(num_threads=1):
        control()
    with override(num_threads=3):
        monkeypatch.setattr(pool, "_libc", Library)
        out, calls = np.zeros(4097, np.int64), np.zeros(1, np.int64)
        slowly(4097, 5).run(addresses([out, calls]), 0)
        assert (out == 5).all()
        assert any("one thread works on a tape, not 3" in text for text in fallbacks())
    monkeypatch.undo()
    with override(num_threads=2):
        assert control() != 0


def test_where_there_are_only_named_semaphores_one_is_made() -> None:
    """As on macOS. Mode and value go where variable arguments go."""
    library = ctypes.CDLL(None)
    assert [kind.__name__ for kind in pool._libc.sem_open.argtypes] == ["c_char_p", "c_int"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_libc", NamedOnly(pool._libc))
        address = pool._semaphore(0)
    assert library.sem_trywait(ctypes.c_void_p(address)) == -1  # its value is 0
    assert pool._libc.sem_post(address) == 0
    assert library.sem_trywait(ctypes.c_void_p(address)) == 0


class NamedOnly:
    def __init__(self, library: Any) -> None:
        self._library = library

    def sem_init(self, *_: object) -> int:
        return -1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


def test_with_one_core_only_workers_stay_there(own_cores: set[int]) -> None:
    core = {min(own_cores)}
    os.sched_setaffinity(0, core)
    with override(num_threads=2):
        [worker] = renewed_pool(2)._threads
        out, calls = np.zeros(2000, np.int64), np.zeros(1, np.int64)
        slowly(2000, 3).run(addresses([out, calls]), 0)
        assert (out == 3).all()
        assert os.sched_getaffinity(worker.native_id or 0) == core


def idle_pool() -> tuple[Pool, Thread]:
    """A control block without workers, and what one thread has there. Nobody gives the memory back."""
    memory = ctypes.create_string_buffer((CONTROL_WORDS + 2 * THREAD_WORDS) * WORD)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
    address = ctypes.addressof(memory)
    control = Pool.from_address(address)
    control.gate.store(CLOSED)
    control.crew.clock = time.CLOCK_MONOTONIC
    control.threads[0].pool = control.threads[1].pool = address
    return control, control.threads[1]


def test_a_run_that_waits_long_for_a_worker_does_without_for_a_while() -> None:
    control, _ = idle_pool()
    control.cores.paid_until = time.monotonic_ns()
    wait_for_late_worker(control)
    assert control.cores.paid_until == control.cores.alone_until > time.monotonic_ns()
    assert not acquired(control)
    assert control.lock.load() == 0
    control.cores.alone_until = time.monotonic_ns() - 1
    assert acquired(control)
    assert (control.cores.alone_until, control.lock.load()) == (0, 1)
    assert not acquired(control)  # another run has it


def wait_for_late_worker(control: Pool, worked_ns: int = 0) -> None:
    """A worker goes 50 ms after its caller, who has worked so long, has nothing left to do."""
    control.gate.store(CLOSED + 1)
    timer = threading.Timer(0.05, lambda: control.gate.store(CLOSED))
    timer.start()
    wait_for_workers(control, time.monotonic_ns() - worked_ns)
    timer.join()


def test_a_worker_that_takes_no_longer_than_its_caller_worked_is_not_late() -> None:
    control, _ = idle_pool()
    control.cores.paid_until = time.monotonic_ns()
    wait_for_late_worker(control, worked_ns=10**12)
    assert acquired(control)
    control.lock.store(0)
    wait_for_late_worker(control, worked_ns=10**6)
    assert not acquired(control)


def test_a_wait_long_after_the_last_one_has_a_run_share_on() -> None:
    control, _ = idle_pool()
    control.cores.paid_until = time.monotonic_ns() - 10**12
    wait_for_late_worker(control)
    assert acquired(control)
    control.lock.store(0)
    wait_for_late_worker(control)  # the time before the first wait counts for that one alone
    assert not acquired(control)


def test_a_run_that_may_not_share_calls_a_kernel_once() -> None:
    with override(num_threads=2):
        control = renewed_pool(2).control
        out, calls = np.zeros(4096, np.int64), np.zeros(1, np.int64)
        control.cores.alone_until = time.monotonic_ns() + 10**12
        slowly(4096, 1, chunk=4096).run(addresses([out, calls]), 0)
        control.cores.alone_until = 0
        assert calls[0] == 1


def test_a_worker_looks_out_longer_while_a_tape_runs_and_takes_no_job_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_kernels, "TAKEN_NS", 10**12)  # others may use the machine
    waits = []
    for running in (0, 1):
        control, own = idle_pool()
        control.crew.running.store(running)
        control.job.number.store(5)
        begin = time.monotonic_ns()
        assert not sees_job(control, 5, own)
        waits.append(time.monotonic_ns() - begin)
        assert control.awake.workers.load() == 0
    assert waits[0] >= pool_kernels.LINGER_NS
    assert waits[1] >= pool_kernels.AWAKE_NS
    control.gate.store(0)
    assert not sees_job(control, 5, own)
    assert sees_job(control, 4, own)


def test_a_worker_goes_to_sleep_where_others_take_its_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_kernels, "TAKEN_NS", 0)  # each look at the clock comes too late
    control, own = idle_pool()
    control.crew.running.store(1)
    begin = time.monotonic_ns()
    monkeypatch.setattr(pool_kernels, "AWAKE_NS", 10**13)
    assert not sees_job(control, 0, own)
    assert time.monotonic_ns() - begin < 10**12


def test_no_run_is_counted_once_it_is_over() -> None:
    with override(num_threads=2):
        control = renewed_pool(2).control
        out, calls = np.zeros(3000, np.int64), np.zeros(1, np.int64)
        slowly(3000, 3).run(addresses([out, calls]), 0)
        with pytest.raises(InstructionFailed):
            failing(5000, at=4321, flags=SPLIT).run([], 0)
        assert control.crew.running.load() == 0


def parts_taken(thread: int, fails: tuple[int, ...] = ()) -> tuple[list[int], int]:
    """The parts of a job of 12 for 3 threads in the order in which one thread takes them all, and JOB_FAILED."""
    control, _ = idle_pool()
    control.crew.workers = 2
    control.job.failed.store(NONE)
    taken: list[int] = []

    @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    def kernel(desc: int | None, begin: int, end: int) -> int:
        taken.append(begin // 10)
        return 3 if begin // 10 in fails else 0

    code = ctypes.cast(kernel, ctypes.c_void_p).value
    assert code is not None
    open_shares(control, add_line(control, 0, code, 0, 0, 115, 10))
    take_parts(control, thread)
    return taken, control.job.failed.load()


@pytest.mark.parametrize(("thread", "first"), [(0, 0), (1, 4), (2, 8), (4, 4)])
def test_a_thread_takes_its_own_share_first_and_then_what_others_have_left(thread: int, first: int) -> None:
    assert parts_taken(thread) == ([*range(first, 12), *range(first)], NONE)


def test_after_a_part_that_fails_those_before_it_are_done_and_no_others() -> None:
    assert parts_taken(1, fails=(6, 9)) == ([4, 5, 6, 0, 1, 2, 3], 6 * CODES + 3)
    assert parts_taken(2, fails=(1, 10)) == ([8, 9, 10, 0, 1], 1 * CODES + 3)

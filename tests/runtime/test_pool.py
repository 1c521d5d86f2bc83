import subprocess
import sys
import threading

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.errors import ArgumentError
from nbgrad.runtime import pool
from nbgrad.runtime.layout import SPLIT
from nbgrad.runtime.pool import control, get_num_threads, set_num_threads
from nbgrad.runtime.runner import InstructionFailed
from tests.runtime.forks import holds_in_child
from tests.runtime.toys import addresses, failing, slowly


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_every_item_is_done_once_for_any_number_of_threads(threads: int) -> None:
    with override(num_threads=threads):
        for n in (1, 63, 1000, 4097):
            out, calls = np.zeros(n, np.int64), np.zeros(1, np.int64)
            slowly(n, 5, chunk=37).run(addresses([out, calls]), 0)
            assert (out == 5).all()
            assert calls[0] >= 5 * n / 37


def test_rows_are_shared_out_and_rows_without_the_flag_are_not() -> None:
    with override(num_threads=2):
        out, calls = np.zeros(4096, np.int64), np.zeros(1, np.int64)
        slowly(4096, 1, chunk=4096, flags=0).run(addresses([out, calls]), 0)
        assert calls[0] == 1
        slowly(4096, 1, chunk=4096, flags=SPLIT).run(addresses([out, calls]), 0)
        assert calls[0] > 2


def test_the_worker_does_part_of_the_work() -> None:
    seen = set()
    with override(num_threads=2):
        assert control() != 0
        [worker] = pool._current.pool._threads if pool._current.pool else []
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
        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
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

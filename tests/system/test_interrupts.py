"""Ctrl-C never leaves a lock of LLVM's to the main thread for good: other threads would hang there."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable

import pytest
from llvmlite.binding import ffi

from nbgrad.kernels.compile import asm_text, compile_kernels, llvm_text
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.ptx import ptx_text, warp_llvm_text
from nbgrad.kernels.target import host
from nbgrad.runtime.runner_code import RUNNER
from nbgrad.runtime.word_code import object_code
from nbgrad.system.interrupts import uninterrupted
from nbgrad.tape.kernel import KernelText, Operand, Stmt

LOCK = ffi.lib._lock


KEPT: list[Engine] = []


def _load() -> None:
    engine = Engine()
    KEPT.append(engine)
    engine.load(CODE)
    assert engine.address(TEXT.symbol)


def _nothing() -> None:
    pass


OPERANDS = (Operand("float32", 1, "in"), Operand("float32", 1, "out"))
TEXT = KernelText("map", 1, 0, OPERANDS, (Stmt("exp", (0,), (), "float32"),), ((2, 1),))
CODE = compile_kernels([TEXT], host())
WAYS: dict[str, Callable[[], object]] = {
    "load": _load,
    "compile": lambda: compile_kernels([TEXT], host()),
    "llvm": lambda: llvm_text(TEXT),
    "asm": lambda: asm_text(TEXT),
    "ptx": lambda: ptx_text([TEXT], "sm_80"),
    "warps": lambda: warp_llvm_text([TEXT], "sm_80"),
    "runner": lambda: object_code(host(), RUNNER, True),
}


def _is_free() -> bool:
    """Whether another thread gets LLVM's lock."""
    got: list[bool] = []

    def ask() -> None:
        got.append(LOCK._lock.acquire(timeout=0.5))
        if got[0]:
            LOCK._lock.release()

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return got[0]


def _calls_of_llvm(way: Callable[[], object]) -> int:
    way()  # what is made once is there from now on
    calls: list[bool] = []

    def count() -> None:
        calls.append(True)

    LOCK.register(count, _nothing)
    try:
        way()
    finally:
        LOCK.unregister(count, _nothing)
    return len(calls)


@pytest.mark.parametrize("name", WAYS)
def test_ctrl_c_while_llvm_has_its_lock_leaves_it_free(name: str) -> None:
    gc.collect()
    gc.disable()  # it calls LLVM, too, when it comes across something of others
    try:
        _strike_at_some_calls(WAYS[name])
    finally:
        gc.enable()


def _strike_at_some_calls(way: Callable[[], object]) -> None:
    calls = _calls_of_llvm(way)
    assert calls
    for k in sorted({0, 1, 2, 3, calls // 2, calls - 2, calls - 1} & set(range(calls))):
        left = [k]

        def strike(left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == -1:
                os.kill(os.getpid(), signal.SIGINT)

        LOCK.register(strike, _nothing)
        try:
            with pytest.raises(KeyboardInterrupt):
                way()
        finally:
            LOCK.unregister(strike, _nothing)
        free = _is_free()
        while LOCK._lock._is_owned():  # the tests after this one are not to hang
            LOCK._lock.release()
        assert free, k


def test_ctrl_c_is_heard_at_the_end_by_whoever_listens() -> None:
    heard: list[int] = []
    done: list[int] = []

    @uninterrupted
    def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append(len(heard))

    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        work()
        assert signal.getsignal(signal.SIGINT) is not before
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done, heard) == ([0], [signal.SIGINT])


def test_one_inside_another_waits_for_the_outer_one() -> None:
    done: list[str] = []

    @uninterrupted
    def inner() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        done.append("inner")
        return 1

    @uninterrupted
    def outer() -> None:
        inner()
        done.append("outer")

    with pytest.raises(KeyboardInterrupt):
        outer()
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_thread_goes_on_as_it_is() -> None:
    found: list[object] = []
    work = uninterrupted(lambda: found.append(signal.getsignal(signal.SIGINT)))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


class _Alarm(Exception):
    pass


def test_another_signal_whose_handler_raises_leaves_ctrl_c_as_it_was() -> None:
    work = uninterrupted(lambda: None)

    def strike(number: int, frame: object) -> None:
        raise _Alarm

    before = signal.signal(signal.SIGALRM, strike)
    struck = 0
    try:
        for k in range(400):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 * (k % 40 + 1))
                for _ in range(60):
                    work()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except _Alarm:
                struck += 1
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, k
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert struck

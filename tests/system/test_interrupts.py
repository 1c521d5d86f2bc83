"""Ctrl-C never leaves a lock of LLVM's to the main thread for good: other threads would hang there."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

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
from tests.threads import in_threads

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

    in_threads(ask)
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


@pytest.mark.parametrize("goes_on", [False, True])
def test_what_the_system_does_at_a_signal_stays_as_it_was(goes_on: bool) -> None:
    """Whether a system call goes on after it, say: asyncio has them go on."""

    def action() -> tuple[bytes, bytes]:
        found = ctypes.create_string_buffer(256)
        assert ctypes.PyDLL(None).sigaction(int(signal.SIGINT), None, found) == 0
        return found.raw[:16], found.raw[136:140]  # as glibc has it: what is called, the mask, the flags

    inside: list[tuple[bytes, bytes]] = []
    handler = signal.getsignal(signal.SIGINT)
    try:
        signal.siginterrupt(signal.SIGINT, not goes_on)
        before = action()
        uninterrupted(lambda: inside.append(action()))()
        assert action() == before
        assert inside == [before]
    finally:
        signal.signal(signal.SIGINT, handler)


def _both(first: Callable[[], object], then: Callable[[], object]) -> None:
    first()
    then()


@pytest.mark.parametrize("comes", ["meanwhile", "afterwards"])
def test_who_takes_over_the_handler_found_meanwhile_has_the_one_it_stands_for(comes: str) -> None:
    heard: list[str] = []

    @uninterrupted
    def work() -> None:
        found = signal.getsignal(signal.SIGINT)
        assert callable(found)
        signal.signal(signal.SIGINT, lambda number, frame: (heard.append("new"), found(number, frame))[1])
        if comes == "meanwhile":
            signal.raise_signal(signal.SIGINT)
        heard.append("done")

    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            _both(work, partial(signal.raise_signal, signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)
    assert sorted(heard) == ["done", "new"]


def test_ctrl_c_is_heard_though_another_handler_raises_at_the_end() -> None:
    heard: list[int] = []

    @partial(uninterrupted, signals=(int(signal.SIGINT), int(signal.SIGUSR1)))
    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        sys.setprofile(strike)

    def strike(frame: Any, event: str, arg: Any) -> None:
        if event == "c_return" and arg is sys.modules["_signal"].signal:
            sys.setprofile(None)
            raise _Alarm

    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    other = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    try:
        with pytest.raises(_Alarm):
            work()
        assert heard == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is not before
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGUSR1, other)


def test_a_thread_goes_on_as_it_is() -> None:
    found: list[object] = []
    work = uninterrupted(lambda: found.append(signal.getsignal(signal.SIGINT)))
    in_threads(work)
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

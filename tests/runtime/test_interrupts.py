"""Ctrl-C that waits for the end of a block."""

from __future__ import annotations

import signal
import threading

import pytest

from nbgrad.runtime.interrupts import Uninterrupted


def test_ctrl_c_is_heard_at_the_end() -> None:
    done: list[int] = []

    def work() -> None:
        with Uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append(1)
        done.append(2)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [1]


def test_a_handler_of_the_users_gets_it_and_stays() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        for _ in range(2):
            with Uninterrupted():
                signal.raise_signal(signal.SIGINT)
                assert len(heard) % 2 == 0
            heard.append(0)
        assert heard == [signal.SIGINT, 0, signal.SIGINT, 0]
    finally:
        signal.signal(signal.SIGINT, before)


def test_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Uninterrupted():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_hear_no_signals_anyway() -> None:
    seen: list[object] = []

    def work() -> None:
        with Uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]

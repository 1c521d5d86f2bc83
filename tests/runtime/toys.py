"""Tiny kernels and programs of them, to test the runner without the emitter. All arrays hold int64."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgrad.kernels.engine import Engine
from nbgrad.kernels.records import Atomic, Words
from nbgrad.kernels.target import host
from nbgrad.runtime.layout import SPLIT, WAVE
from nbgrad.runtime.runner import Program
from nbgrad.runtime.word_code import native_code

Array = np.ndarray[Any, np.dtype[np.int64]]
NO_ROWS = np.empty((0, 3), np.int64)


def _add(desc: int, begin: int, end: int) -> int:
    operands = Words.from_address(desc)
    x, out = Words.from_address(operands[0]), Words.from_address(operands[1])
    for i in range(begin, end):
        out[i] += x[i]
    return 0


def _slow(desc: int, begin: int, end: int) -> int:
    operands = Words.from_address(desc)
    out = Words.from_address(operands[0])
    for i in range(begin, end):
        v = i + 1
        for _ in range(150):  # xorshift: steps that no compiler can do together
            v ^= v << 13
            v ^= v >> 7
            v ^= v << 17
        out[i] += v != 0
    Atomic.from_address(operands[1]).add(1)
    return 0


def _fail(desc: int, begin: int, end: int) -> int:
    if begin <= Words.from_address(desc)[0] < end:
        return 7
    return 0


@functools.cache
def _kernels() -> Engine:
    from nbgrad.runtime.numba_words import compiled_text  # takes seconds

    kernels = {"toy_add": _add, "toy_slow": _slow, "toy_fail": _fail}
    signature = "int32(int64, int64, int64)"
    engine = Engine()
    engine.load(native_code(host(), compiled_text({name: (f, signature) for name, f in kernels.items()})))
    return engine


def add() -> int:
    """out[i] += x[i]; descriptor: x, out."""
    return _kernels().address("toy_add")


def slow() -> int:
    """Some 0.2 us of arithmetic an item, then out[i] += 1, and calls += 1; descriptor: out, calls."""
    return _kernels().address("toy_slow")


def fail() -> int:
    """Code 7 if the item numbered desc[0] is asked for."""
    return _kernels().address("toy_fail")


def adding(n: int, times: int = 1, chunk: int = 0) -> Program:
    """slot 1 += slot 0, ``times`` times, over ``n`` items."""
    tape = [[add(), 2 * k, n, chunk, 300, 0] for k in range(times)]
    relocs = [[2 * k + slot, slot, 0] for k in range(times) for slot in (0, 1)]
    return Program(np.array(tape), np.zeros(2 * times, np.int64), np.array(relocs), NO_ROWS, 2)


def slowly(n: int, times: int, chunk: int = 200, commit: int | None = None, flags: int = SPLIT) -> Program:
    """slot 0 += 1 over ``n`` items, ``times`` times, some 0.2 us an item; slot 1 counts the calls."""
    tape = [[slow(), 0, n, chunk, 220_000, flags]] * times
    return Program(np.array(tape), np.zeros(2, np.int64), np.array([[0, 0, 0], [1, 1, 0]]), NO_ROWS, 2, 0, commit)


def failing(n: int, at: int, flags: int = 0) -> Program:
    """Instruction 0 does nothing wrong; instruction 1 fails at item ``at``."""
    tape = [[add(), 0, 0, 0, 1, 0], [fail(), 2, n, 10, 1_000_000, flags]]
    return Program(np.array(tape), np.array([0, 0, at]), NO_ROWS, NO_ROWS, 0)


def in_a_wave(sizes: Sequence[int], times: int, fails: Sequence[int] = (), flags: int = SPLIT) -> Program:
    """Waves whose row k adds 1 to slot k over ``sizes[k]`` items, some 0.2 us an item; the last slot counts calls.

    Row k of the last wave fails at item ``fails[k]`` instead; -1: nowhere.
    """
    n = len(sizes)
    rows = [[slow(), 2 * k, size, 50, 220_000, flags | WAVE * (k < n - 1)] for k, size in enumerate(sizes)]
    relocs = [[2 * k + word, (k, n)[word], 0] for k in range(n) for word in (0, 1)]
    failing = [
        [fail(), 2 * n + k, size, 10, 1_000_000, flags | WAVE * (k < len(fails) - 1)]
        for k, size in enumerate(sizes[: len(fails)])
    ]
    desc = [0] * 2 * n + list(fails)
    return Program(np.array([*rows * times, *failing]), np.array(desc), np.array(relocs), NO_ROWS, n + 1)


def addresses(arrays: Sequence[Array]) -> list[int]:
    return [array.ctypes.data for array in arrays]

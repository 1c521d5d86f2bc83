"""What the compiled look at reference counts finds is what ``getrefcount`` says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbgrad.runtime import held as looking
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.held import IS_KNOWN, MANY, held
from nbgrad.runtime.held_kernels import mark_held
from nbgrad.runtime.runner_code import runner_code
from nbgrad.trace import bits_of, flushing
from tests.threads import in_threads


@pytest.mark.skipif(not IS_KNOWN, reason="this Python keeps its counts elsewhere")
@pytest.mark.parametrize("n", [0, 1, 5, 8, 17, 700, 8184, 8185, 20_001])
def test_python_and_compiled_code_agree(n: int) -> None:
    runner_code()  # there is code
    objects: list[Any] = [[k] for k in range(n)]
    kept = objects[1::2]
    out = Buffer.alloc(8 * (n // 8 + 1))
    assert mark_held(id(objects), out.address) == n
    by_python = bytes(out.array((n,), np.uint8))
    assert held(objects) == by_python == bytes([k % 2 for k in range(n)])
    assert len(kept) == n // 2


def test_constants_of_python_are_held() -> None:
    assert held([None, True, (), 0]) in (b"\1\1\1\1", None)


def test_where_it_does_not_work_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "_works", [False])
    assert held([[]]) is None
    monkeypatch.setattr(looking, "_works", [])
    monkeypatch.setattr(looking, "IS_KNOWN", False)
    assert held([[]]) is None


def test_threads_have_memory_of_their_own() -> None:
    wrong: list[int] = []

    def look(step: int) -> None:
        for n in range(1, 400):
            objects: list[Any] = [[] for _ in range(n)]
            kept = objects[::step]
            if held(objects) not in (bytes([k % step == 0 for k in range(n)]), None):
                wrong.append(n)
            del kept

    in_threads(look, (2, 3, 5))
    assert not wrong


@pytest.mark.parametrize("n", [1, 7, 8, 9, MANY - 1, MANY, MANY + 1, 63, 64, 65, 1000, 9000])
def test_lists_of_any_length(n: int) -> None:
    live: list[Any] = [[] for _ in range(n)]
    kept = live[::3]
    assert bits_of(live) == bytes([k % 3 == 0 for k in range(n)])
    del kept
    assert bits_of(live) == bytes(n)


def test_without_the_compiled_look_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flushing, "held", lambda live: None)
    test_lists_of_any_length(MANY + 1)

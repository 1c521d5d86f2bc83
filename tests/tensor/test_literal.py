"""Indices that the program's text says."""

from __future__ import annotations

import _thread
import operator
import threading
from typing import Any

import pytest

from nbgrad.tensor.literal import index_is_literal


class Asked:
    """Says of each subscript whether its index was a constant; like a tensor, with a function in between."""

    def __init__(self) -> None:
        self.written: list[bool] = []

    def __getitem__(self, index: Any) -> bool:
        return _asked()

    def __setitem__(self, index: Any, value: Any) -> None:
        self.written.append(_asked())


def _asked() -> bool:
    return index_is_literal(2)


def test_an_index_in_the_text_is_literal() -> None:
    a, i = Asked(), 1
    assert a[0]
    assert a[-1]
    assert a[1] is a[300]
    assert not a[i]
    assert not a[i + 0]
    assert not a[len("abc")]


def test_it_is_so_every_time_and_where_the_interpreter_sped_the_subscript_up() -> None:
    a = Asked()
    assert [[a[0], a[k]] for k in range(100)] == [[True, False]] * 100


def test_writes_are_asked_in_the_same_way() -> None:
    a, i = Asked(), 0
    for _ in range(20):
        a[0] = 1
        a[i] = 1
    assert a.written == [True, False] * 20


@pytest.mark.parametrize("call", [operator.getitem, Asked.__getitem__])
def test_other_calls_have_no_literal_index(call: Any) -> None:
    assert not call(Asked(), 0)


def test_a_thread_may_begin_with_a_subscript() -> None:
    a, done = Asked(), threading.Event()

    class Writes(list[bool]):
        def append(self, literal: bool) -> None:
            super().append(literal)
            done.set()

    a.written = Writes()
    _thread.start_new_thread(a.__setitem__, (0, 1))
    assert done.wait(10)
    assert a.written == [False]

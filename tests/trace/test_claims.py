"""Turns among threads that write the same tensors."""

from __future__ import annotations

import threading

import pytest

from nbgrad.trace.claims import Claims
from tests.trace.meanwhile import stand


class Writer(threading.Thread):
    """A thread that claims ``ids``, says so in ``came``, and goes when it is let go."""

    def __init__(self, claims: Claims, ids: set[int], came: list[str], name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.claims, self.ids, self.came = claims, ids, came
        self.inside, self.may_go = threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with self.claims.claim(self.ids):
            self.came.append(self.name)
            self.inside.set()
            self.may_go.wait(10)


def test_who_writes_the_same_tensor_waits_and_others_do_not() -> None:
    claims, came = Claims(threading.RLock()), list[str]()
    first = Writer(claims, {1, 2}, came, "first")
    assert first.inside.wait(10)
    second = Writer(claims, {2, 3}, came, "second")
    stand(claims, 2)
    third = Writer(claims, {4}, came, "third")
    assert third.inside.wait(10)
    assert came == ["first", "third"]
    first.may_go.set()
    assert second.inside.wait(10)
    second.may_go.set()
    third.may_go.set()


def test_turns_are_taken_in_the_order_of_coming() -> None:
    claims, came = Claims(threading.RLock()), list[str]()
    writers = []
    for k, ids in enumerate(({1}, {1, 2}, {2}, {1, 2})):
        writers.append(Writer(claims, ids, came, str(k)))
        stand(claims, k + 1)
    for writer in writers:
        assert writer.inside.wait(10)
        writer.may_go.set()
    assert came == ["0", "1", "2", "3"]


def test_a_thread_does_not_wait_for_itself_nor_for_who_waits_for_it() -> None:
    claims, came = Claims(threading.RLock()), list[str]()
    with claims.claim({1}):
        other = Writer(claims, {1, 2}, came, "other")
        stand(claims, 2)
        with claims.claim({1, 2}):
            assert not came
    assert other.inside.wait(10)
    other.may_go.set()


def test_an_exception_ends_a_claim_and_so_does_its_loss() -> None:
    claims, came = Claims(threading.RLock()), list[str]()
    with pytest.raises(KeyError), claims.claim({1}):
        raise KeyError
    lost = claims.claim({1})
    claims.come(lost)
    del lost  # Ctrl-C struck between coming and going
    writer = Writer(claims, {1}, came, "writer")
    assert writer.inside.wait(10)
    writer.may_go.set()

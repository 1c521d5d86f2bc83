"""One object for each key as long as somebody has it, and no longer."""

from __future__ import annotations

import gc
import threading
from typing import Any

from nbgrad.graph.dtypes import float32, float64
from nbgrad.graph.interned import RECENT, Interned
from nbgrad.graph.spec import Spec
from tests.threads import in_threads


class Thing:
    def __init__(self, key: Any) -> None:
        self.key = key


def one(things: Interned[Thing], key: Any) -> Thing:
    found = things.get(key)
    return things.one(key, lambda: Thing(key)) if found is None else found


def test_what_somebody_has_stays_the_one_of_its_key() -> None:
    things: Interned[Thing] = Interned()
    held = [one(things, k) for k in range(10)]
    for k in range(100, 100 + 3 * RECENT):
        assert one(things, k).key == k
        assert len(things) <= RECENT
    assert all(one(things, k) is held[k] for k in range(10))
    assert things.count() <= RECENT + 10
    held.clear()
    things.clear()
    assert things.count() == 0
    assert one(things, 3).key == 3


def test_an_object_that_comes_to_the_place_of_a_dropped_one_stays() -> None:
    things: Interned[Thing] = Interned()

    def again() -> Thing:
        """Made while another is made."""
        inner.append(things.one(1, lambda: Thing(1)))
        return Thing(1)

    inner: list[Thing] = []
    assert things.one(1, again) is inner[0]
    entry = things._alive[1]
    things.clear()
    inner.clear()
    found = one(things, 1)
    entry.forget(entry)  # told of late
    assert one(things, 1) is found
    things.clear()
    assert one(things, 1) is found


def test_threads_get_the_same() -> None:
    things: Interned[Thing] = Interned()
    found: list[list[Thing]] = [[] for _ in range(4)]
    go = threading.Barrier(4)

    def work(mine: list[Thing]) -> None:
        for k in range(3000):
            if k % 100 == 0:
                go.wait()
                things.clear()
            mine.append(one(things, k % 1500))

    in_threads(work, found)
    for same in zip(*found, strict=True):
        assert len(set(map(id, same))) == 1


def test_specs_go_when_nobody_has_them() -> None:
    kept = Spec.of((12345, 6), float64)
    placed = kept.on(1)
    for k in range(RECENT + 10):
        Spec.of((54321, k), float32)
    Spec._all.clear()
    Spec._placed.clear()
    gc.collect()
    assert not [spec for spec in gc.get_objects() if isinstance(spec, Spec) and spec.shape[:1] == (54321,)]
    assert Spec.of((12345, 6), float64) is kept
    assert kept.on(1) is placed
    assert placed.on(0) is kept

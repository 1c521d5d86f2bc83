from __future__ import annotations

from typing import Any

import pytest

from nbgrad.config import override
from nbgrad.runtime import sheet_code
from nbgrad.runtime.make import SHEET
from tests.runtime.forks import holds_in_child


class FakeStore:
    """A store whose worker answers when it is told to."""

    def __init__(self, has_worker: bool = True, on_disk: bool = False) -> None:
        self.has_worker, self.on_disk = has_worker, on_disk
        self.done: Any = None
        self.compiled_here = 0
        self.here = False

    def ready(self, texts: Any) -> list[int] | None:
        assert texts == [SHEET]
        return [1] if self.on_disk else None

    def request(self, texts: Any, done: Any) -> bool:
        self.done = done
        return self.has_worker

    def poll(self) -> None:
        if self.here:
            self.done()

    def addresses(self, texts: Any) -> list[int]:
        self.compiled_here += not (self.here or self.on_disk)
        return [1]


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet_code, "_loading", sheet_code._Loading())


def _with(monkeypatch: pytest.MonkeyPatch, fake: FakeStore) -> FakeStore:
    monkeypatch.setattr(sheet_code, "store", fake)
    return fake


def test_nobody_waits_for_the_worker(loading: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = _with(monkeypatch, FakeStore())
    with override(compile="background"):
        assert not sheet_code.sheet_ready()
        assert not sheet_code.sheet_ready()
        fake.here = True
        assert sheet_code.sheet_ready()
    assert fake.compiled_here == 0


def test_without_a_worker_it_is_compiled_here(loading: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = _with(monkeypatch, FakeStore(has_worker=False))
    with override(compile="background"):
        assert sheet_code.sheet_ready()
    assert fake.compiled_here == 1


def test_where_nothing_may_be_compiled_it_is_done_without(loading: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = _with(monkeypatch, FakeStore())
    with override(compile="never"):
        assert not sheet_code.sheet_ready()
        assert not sheet_code.sheet_ready()
    assert (fake.done, fake.compiled_here) == (None, 0)
    with override(compile="background"):
        assert not sheet_code.sheet_ready()
    assert fake.done is not None


def test_what_is_on_disk_is_not_asked_for(loading: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = _with(monkeypatch, FakeStore(on_disk=True))
    with override(compile="background"):
        assert sheet_code.sheet_ready()
    assert (fake.done, fake.compiled_here) == (None, 0)


def test_a_forked_child_asks_anew(loading: None, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, FakeStore())
    with override(compile="background"):
        assert not sheet_code.sheet_ready()
        assert holds_in_child(lambda: not sheet_code._loading.asked)

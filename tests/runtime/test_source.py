from __future__ import annotations

import os
import pathlib

import pytest

from nbgrad.errors import PACKAGE_DIR
from nbgrad.runtime import source
from nbgrad.runtime.source import CODE_ROOMS, SOURCE_SUFFIXES, digest, state

LONG_AGO_NS = 10**18


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    for room in CODE_ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "kernels" / "ir").mkdir()
    monkeypatch.setattr(source, "PACKAGE_DIR", str(tmp_path))
    return tmp_path


def test_the_digest_follows_each_file(package: pathlib.Path) -> None:
    seen = {digest()}
    long = "3" * source._READ_BYTES
    changes = [("a.py", "1"), ("a.py", "2"), ("b.py", "2"), ("b.py", long), ("b.py", long + "4"), ("ir/c.py", "5")]
    changes += [("a.ll", "1"), ("a.ll", "2"), ("ir/a.ll", "2")]
    for name, text in changes:
        (package / "kernels" / name).write_text(text)
        seen.add(digest())
    assert len(seen) == 10


def test_the_state_follows_each_file(package: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_SETTLED_NS", 0)
    file = package / "kernels" / "ir" / "a.py"
    file.write_text("1")
    seen = {state()}
    assert state() in seen
    os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))
    seen.add(state())
    file.rename(file.with_name("b.py"))
    seen.add(state())
    file.with_name("c.txt").write_text("no source")
    assert state() in seen
    assert len(seen) == 3


def test_files_that_changed_just_now_have_no_state(package: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = package / "ops" / "a.py"
    file.write_text("1")
    os.utime(file, ns=(LONG_AGO_NS, LONG_AGO_NS))  # the time of the file's own data cannot be set
    monkeypatch.setattr(source, "_SETTLED_NS", 10**12)
    assert state() is None
    monkeypatch.setattr(source, "_SETTLED_NS", 0)
    assert state() is not None


def test_all_that_comes_with_the_package_but_notes_takes_part() -> None:
    """A text that is compiled and that the digest does not follow would be found compiled as it was before."""
    kinds = {file.suffix for room in CODE_ROOMS for file in (pathlib.Path(PACKAGE_DIR) / room).rglob("*.*")}
    assert kinds - {".pyc", ".md"} == set(SOURCE_SUFFIXES)

import dataclasses
import importlib.metadata
import multiprocessing
import os
import pathlib
import signal
import time

import llvmlite
import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.kernels.target import host, named
from nbgrad.runtime import cache, source
from nbgrad.runtime.cache import clear, entry_key, load, publish, publish_together, stats, why_missing
from tests.fresh import fresh, printed
from tests.runtime.forks import holds_in_child

CODE = bytes(range(256)) * 40


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(cache, "_said", set())
    with override(cache_dir=str(tmp_path / "below" / "nbgrad"), log="cache", log_dir=None):
        yield tmp_path / "below" / "nbgrad"


def only_entry(folder: pathlib.Path) -> pathlib.Path:
    [entry] = folder.iterdir()
    return entry


def test_what_was_published_is_loaded(folder: pathlib.Path) -> None:
    assert load("key") is None
    publish("key", CODE)
    assert load("key") == CODE
    assert load("another key") is None
    assert stats().entries == 1


def test_the_folder_and_its_files_are_for_their_owner_only(folder: pathlib.Path) -> None:
    publish("key", CODE)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_entry(folder).stat().st_mode & 0o777 == 0o600


def test_publishing_again_replaces_the_entry(folder: pathlib.Path) -> None:
    publish("key", b"old")
    publish("key", b"new")
    assert load("key") == b"new"
    assert len(list(folder.iterdir())) == 1


def test_code_made_together_is_found_under_each_key_and_kept_once(folder: pathlib.Path) -> None:
    publish_together(["a", "b", "c"], CODE)
    assert [load(key) for key in ("a", "b", "c", "d")] == [CODE, CODE, CODE, None]
    assert len({entry.stat().st_ino for entry in folder.iterdir()}) == 1
    assert stats().entries == 3
    assert len(CODE) < stats().nbytes < 2 * len(CODE)
    publish_together(["a", "b", "c"], CODE)
    assert len(list(folder.iterdir())) == 3  # no partial file is left
    publish("b", b"new")
    assert [load(key) for key in ("a", "b", "c")] == [CODE, b"new", CODE]


def test_code_made_together_is_copied_where_a_file_has_one_name(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*paths: str, **folders: int) -> None:
        raise PermissionError("no such names here")

    monkeypatch.setattr(os, "link", refuse)
    publish_together(["a", "b"], CODE)
    assert [load(key) for key in ("a", "b")] == [CODE, CODE]
    assert len({entry.stat().st_ino for entry in folder.iterdir()}) == 2


def test_an_entry_under_a_name_that_it_was_not_made_for_is_discarded(folder: pathlib.Path) -> None:
    publish_together(["a", "b"], CODE)
    entry = next(folder.iterdir())
    entry.rename(folder / (cache.hashlib.sha256(b"c").hexdigest() + cache.SUFFIX))
    assert load("c") is None


@pytest.mark.parametrize("length", [0, 10, 95, 96, 100, 96 + len(CODE) - 1])
def test_a_truncated_entry_is_discarded_and_made_again(folder: pathlib.Path, length: int) -> None:
    publish("key", CODE)
    os.truncate(only_entry(folder), length)
    assert load("key") is None
    assert list(folder.iterdir()) == []
    publish("key", CODE)
    assert load("key") == CODE


def test_no_flipped_bit_goes_unseen(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish("key", b"short code")
    whole = only_entry(folder).read_bytes()
    for byte in range(len(whole)):
        damaged = bytearray(whole)
        damaged[byte] ^= 1 << (byte % 8)
        publish("key", b"")
        only_entry(folder).write_bytes(damaged)
        assert load("key") is None, byte
    assert "damaged entry" in capsys.readouterr().err


def test_an_entry_under_a_wrong_name_is_not_taken_for_another(folder: pathlib.Path) -> None:
    publish("key", CODE)
    first = only_entry(folder)
    publish("other", b"x")
    [other] = set(folder.iterdir()) - {first}
    other.write_bytes(first.read_bytes())
    assert load("other") is None


def test_changed_text_cpu_or_versions_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {entry_key("kernel", "text", host().key)}
    keys.add(entry_key("kernel", "text2", host().key))
    keys.add(entry_key("runner", "text", host().key))
    keys.add(entry_key("kernel", "text", named("haswell").key))
    keys.add(entry_key("kernel", "text", named("x86-64").key))
    for library in (llvmlite, np):
        cache.versions.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(library, "__version__", "99")
            keys.add(entry_key("kernel", "text", host().key))
    cache.versions.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(cache, "_numba_version", lambda: "99")
        keys.add(entry_key("kernel", "text", host().key))
    cache.versions.cache_clear()
    monkeypatch.setattr(cache, "_source_digest", lambda: "changed")  # another version of nbgrad itself
    keys.add(entry_key("kernel", "text", host().key))
    cache.versions.cache_clear()
    monkeypatch.undo()
    monkeypatch.setattr(cache, "ABI", cache.ABI + 1)
    keys.add(entry_key("kernel", "text", host().key))
    cache.versions.cache_clear()
    monkeypatch.undo()
    assert len(keys) == 10


def test_numbas_version_is_known_without_importing_it() -> None:
    script = "import sys; from nbgrad.runtime.cache import versions; print(versions(), 'numba' in sys.modules)"
    told = printed("-c", script)
    assert told.endswith(f" numba={importlib.metadata.version('numba')} False\n")


def test_a_miss_says_which_part_of_the_key_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    old = host()
    key = entry_key("kernel", "text", old.key)
    assert why_missing(key) == "new code"
    publish(key, CODE)
    assert why_missing(entry_key("kernel", "another text", old.key)) == "new code"
    cpu = dataclasses.replace(old, cpu="pentium4")
    assert (
        why_missing(entry_key("kernel", "text", cpu.key)) == f"the same code is there for CPU={old.cpu} (now pentium4)"
    )
    more = dataclasses.replace(old, features=old.features + ",+warp")
    assert why_missing(entry_key("kernel", "text", more.key)) == "the same code is there for warp=none (now +)"
    before = cache.versions()
    monkeypatch.setattr(cache, "versions", lambda: before.replace("abi=", "abi=9").replace("llvmlite=", "llvmlite=9"))
    said = why_missing(entry_key("kernel", "text", old.key))
    assert said.startswith(f"the same code is there for abi={cache.ABI} (now 9{cache.ABI}), llvmlite=")
    assert why_missing(entry_key("another kind", "text", old.key)) == "new code"


def test_the_closest_maker_explains_a_miss() -> None:
    old = host()
    far = dataclasses.replace(old, cpu="i386", triple="i386-pc")
    for target in (far, old):
        publish(entry_key("kernel", "text", target.key), CODE)
    asked = entry_key("kernel", "text", dataclasses.replace(old, cpu="pentium4").key)
    assert why_missing(asked) == f"the same code is there for CPU={old.cpu} (now pentium4)"
    assert stats().entries == 2
    assert clear() == 2
    assert why_missing(asked) == "new code"


def test_a_published_kernel_is_missed_by_another_cpu(folder: pathlib.Path) -> None:
    publish(entry_key("kernel", "text", host().key), CODE)
    assert load(entry_key("kernel", "text", named("x86-64").key)) is None
    assert load(entry_key("kernel", "text", host().key)) == CODE


def test_the_source_is_read_once_for_all_processes(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"state": "1" * 32, "digest": "a" * 32}
    reads = []
    monkeypatch.setattr(source, "state", lambda: found["state"])
    monkeypatch.setattr(source, "digest", lambda: reads.append(1) or found["digest"])
    assert [cache._source_digest() for _ in range(2)] == ["a" * 32] * 2
    assert not folder.exists()
    assert len(reads) == 2
    publish("key", CODE)
    assert [cache._source_digest() for _ in range(3)] == ["a" * 32] * 3
    assert len(reads) == 3
    found.update(state="2" * 32, digest="b" * 32)  # a file has changed
    assert [cache._source_digest() for _ in range(2)] == ["b" * 32] * 2
    assert len(reads) == 4
    [noted] = folder.glob("2*" + cache.SOURCE_SUFFIX)
    noted.write_bytes(b"b")
    assert [cache._source_digest() for _ in range(2)] == ["b" * 32] * 2
    assert len(reads) == 5  # a damaged note is none
    clear()
    assert not [*folder.iterdir()]


def test_a_source_that_changes_now_is_read_each_time(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish("key", CODE)
    monkeypatch.setattr(source, "state", lambda: None)
    digests = iter(["a", "b"])
    monkeypatch.setattr(source, "digest", lambda: next(digests))
    assert [cache._source_digest() for _ in range(2)] == ["a", "b"]
    assert len([*folder.iterdir()]) == 1


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_refused(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str], mode: int
) -> None:
    publish("key", CODE)
    folder.chmod(mode)
    assert load("key") is None
    publish("key2", CODE)
    assert len(list(folder.iterdir())) == 1
    assert capsys.readouterr().err.count("can be written by others") == 1  # said once
    folder.chmod(0o700)
    assert load("key") == CODE


def test_a_file_that_others_may_write_is_refused(folder: pathlib.Path) -> None:
    publish("key", CODE)
    only_entry(folder).chmod(0o622)
    assert load("key") is None


def test_a_folder_or_file_of_another_user_is_refused(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish("key", CODE)
    monkeypatch.setattr(cache.os, "geteuid", lambda: os.getuid() + 1)
    assert load("key") is None
    assert "belongs to another user" in capsys.readouterr().err


def test_a_link_in_place_of_an_entry_is_refused(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    publish("key", CODE)
    entry = only_entry(folder)
    elsewhere = tmp_path / "elsewhere"
    entry.rename(elsewhere)
    entry.symlink_to(elsewhere)
    assert load("key") is None


def test_a_pipe_in_place_of_an_entry_does_not_hang(folder: pathlib.Path) -> None:
    publish("key", CODE)
    entry = only_entry(folder)
    entry.unlink()
    os.mkfifo(entry, 0o600)
    assert load("key") is None


def test_a_file_in_place_of_the_folder_costs_only_speed(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.parent.mkdir()
    folder.write_text("not a folder")
    for _ in range(3):
        publish("key", CODE)
        assert load("key") is None
    assert capsys.readouterr().err.count("-- cache --") == 1


def test_a_read_only_folder_serves_what_it_has_and_is_mentioned_once(folder: pathlib.Path) -> None:
    publish("old", CODE)
    folder.chmod(0o500)

    def check() -> bool:
        if os.geteuid() == 0:  # no mode stops root: become somebody else
            for path in (folder, only_entry(folder)):
                os.chown(path, 65534, -1)
            for parent in [*folder.parents][:-1]:
                os.chmod(parent, parent.stat().st_mode | 0o055)
            os.setresuid(65534, 65534, 65534)
        publish("new", CODE)
        publish("newer", CODE)
        return load("old") == CODE and load("new") is None and len(cache._said) == 1

    assert holds_in_child(check)
    folder.chmod(0o700)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("step", ["open", "write", "rename"])
def test_a_full_or_read_only_disk_costs_one_log_line(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], step: str
) -> None:
    publish("old", CODE)

    class FullFile:
        def __init__(self, file: int, mode: str) -> None:
            self.file = file

        def __enter__(self) -> "FullFile":
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.file)

        def write(self, data: bytes) -> int:
            os.write(self.file, data[:100])
            raise OSError(28, "No space left on device")

    real_open = os.open

    def no_new_files(path: object, flags: int, *args: object, **kwargs: object) -> int:
        if flags & os.O_CREAT:
            raise OSError(30, "Read-only file system")
        return real_open(path, flags, *args, **kwargs)  # type: ignore[arg-type]

    def no_rename(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if step == "open":
        monkeypatch.setattr(cache.os, "open", no_new_files)
    elif step == "write":
        monkeypatch.setattr(cache.os, "fdopen", FullFile)
    else:
        monkeypatch.setattr(cache.os, "rename", no_rename)
    for key in ("a", "b", "c"):
        publish(key, CODE)
        assert load(key) is None
    assert load("old") == CODE
    monkeypatch.undo()
    assert len(list(folder.iterdir())) == 1  # no half entries left behind
    assert capsys.readouterr().err.count("-- cache --") == 1


WRITER = """
import io, os, signal, sys
from nbgrad.config import settings
from nbgrad.runtime import cache, source

class Half(io.FileIO):
    def write(self, data):
        super().write(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

settings.cache_dir = sys.argv[1]
cache.publish("whole", b"1")
cache.os.fdopen = Half
cache.publish("key", bytes(range(256)) * 40)
"""


def test_a_process_killed_in_the_middle_of_a_write_leaves_no_half_entry(folder: pathlib.Path) -> None:
    writer = fresh("-c", WRITER, folder)
    assert writer.returncode == -signal.SIGKILL, writer.stderr
    [partial] = [file for file in folder.iterdir() if file.name.startswith(".partial")]
    assert load("whole") == b"1"
    assert load("key") is None
    publish("key", CODE)
    assert load("key") == CODE
    trim_to(1 << 30)
    assert partial.exists()  # it might belong to somebody who is still writing
    long_ago = time.time() - 7200
    os.utime(partial, (long_ago, long_ago))
    trim_to(1 << 30)
    assert not partial.exists()
    assert load("key") == CODE


def trim_to(limit: int) -> None:
    with cache._folder(create=False) as opened:
        cache.trim(opened, limit)


def hammer(folder: str, mark: int) -> None:
    with override(cache_dir=folder):
        for turn in range(150):
            key = f"key {turn % 7}"
            code = load(key)
            if code is not None and (len(code) != 5000 or len(set(code)) != 1):
                os._exit(1)
            publish(key, bytes([mark]) * 5000)
            if turn % 50 == 49:
                clear()


def test_processes_that_publish_load_and_clear_at_once_never_see_a_broken_entry(folder: pathlib.Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=hammer, args=(str(folder), mark)) for mark in (1, 2, 3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0


def test_the_longest_unused_entries_go_when_the_folder_is_too_large(folder: pathlib.Path) -> None:
    for k in range(8):
        publish(f"key {k}", CODE)
    entries = {k: folder / (cache.hashlib.sha256(f"key {k}".encode()).hexdigest() + cache.SUFFIX) for k in range(8)}
    for k, entry in entries.items():
        template = time.time() - 100_000 + 5000 * k
        os.utime(entry, (template, template))
    assert load("key 0") == CODE  # used now, so no longer the oldest
    size = entries[0].stat().st_size
    trim_to(6 * size)
    left = {k for k, entry in entries.items() if entry.exists()}
    assert left == {0, 5, 6, 7}  # down to three quarters of the limit


def test_publishing_keeps_the_folder_within_its_limit(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_CHECK_EVERY", 2)
    monkeypatch.setattr(cache, "_published", 0)
    with override(cache_bytes=50_000):
        for k in range(40):
            publish(f"key {k}", CODE)
            assert stats().nbytes <= 50_000 + 2 * (len(CODE) + 96)


def test_clear_removes_our_files_and_no_others(folder: pathlib.Path) -> None:
    publish("a", CODE)
    publish("b", CODE)
    (folder / "mine.txt").write_text("keep")
    assert clear() == 2
    assert [f.name for f in folder.iterdir()] == ["mine.txt"]
    assert clear() == 0
    assert stats().entries == 0


def test_a_missing_folder_holds_nothing() -> None:
    assert stats()[1:] == (0, 0)
    assert clear() == 0

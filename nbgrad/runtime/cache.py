"""Object code on disk: found again by a key that holds everything that shapes it, and trusted only when unharmed.

An entry is one file: a header (magic, number of keys, length, checksum), the digests of its keys, and the code. It is
written beside its place and moved there in one step, so any number of processes may share the folder and a killed one
leaves no half entry. Code that was made together has a name for each key, all of one file.
Code is read only from a folder and files that belong to this user and that nobody else may write. Whatever goes wrong
with the folder costs time, never an answer: it is said once in the log, and the code is made again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import struct
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from typing import Final, NamedTuple

import llvmlite
import numpy

from nbgrad.config import settings
from nbgrad.log import emit, fall_back
from nbgrad.runtime import source

ABI: Final = 2  # rises when descriptors, frames or the meaning of entries change
MAGIC: Final = b"nbgrad object 2\n"
SUFFIX: Final = ".nbo"
MAKER_SUFFIX: Final = ".nbm"  # versions and target that entries were made with, so that a miss can say what is new
SOURCE_SUFFIX: Final = ".nbs"  # the digest of the source that looked like the file's name
_HEADER: Final = struct.Struct("<16sQQ32s")
_DIGEST_BYTES: Final = 32
_PARTIAL: Final = ".partial-"
_FRESH_S: Final = 3600.0  # an entry's time of use is kept to the hour: loading it seldom writes to the disk
_ABANDONED_S: Final = 3600.0  # a partial file this old belongs to a process that died
_CHECK_EVERY: Final = 64  # publications between two looks at the folder's size

_said: set[str] = set()
_published = 0


class CacheStats(NamedTuple):
    """What the folder holds."""

    folder: str
    entries: int
    nbytes: int


class _Refused(OSError):
    """A folder or file that others could have written."""


@functools.cache
def versions() -> str:
    """The versions of all that takes part in making code; of nbgrad also a digest of the source that does."""
    return " ".join(
        [
            f"abi={ABI}",
            f"nbgrad={_source_digest()}",
            f"llvmlite={llvmlite.__version__}",  # asking the installation takes 5 ms, which each process would wait for
            f"numpy={numpy.__version__}",
            f"numba={_numba_version()}",
        ]
    )


def _numba_version() -> str:
    """That of the Numba which the worker will find, without importing it; "none" where none says its version."""
    found = PathFinder.find_spec("numba", source.import_folders())
    if found is None or found.origin is None:
        return "none"
    with contextlib.suppress(OSError), open(os.path.join(os.path.dirname(found.origin), "_version.py")) as file:
        _, _, rest = file.read().partition('"version": "')  # a regular expression takes four times as long
        said, _, _ = rest.partition('"')
        return said if said and not said.isspace() else "none"
    return "none"


def _source_digest() -> str:
    """Of the source: to read it takes 4 ms, which each process would wait for, so the folder says what is known. The
    first process of all does not take the time to note it: its worker does, or the next."""
    with contextlib.suppress(OSError), _folder(create=False) as folder:  # whoever asks for code says what is wrong
        state = source.state() if _holds_something(folder) else None
        if state is not None:
            return _noted_source(folder, state) or _note_source(folder, state)
    return source.digest()


def _holds_something(folder: int) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is not None


def _noted_source(folder: int, state: str) -> str | None:
    """The digest of the source that looks like ``state``, where that is noted."""
    try:
        noted = _read(folder, state + SOURCE_SUFFIX).decode(errors="replace")
    except FileNotFoundError:
        return None
    return noted if len(noted) == len(state) and noted.isalnum() else None


def _note_source(folder: int, state: str) -> str:
    """The same, read from the source; a folder that cannot be written has no notes."""
    digest = source.digest()
    with contextlib.suppress(OSError):
        _write(folder, state + SOURCE_SUFFIX, digest.encode())
    return digest


def entry_key(kind: str, text: str, target: str) -> str:
    """The key of one piece of code: what it is, its full text, the machine it is for, and the versions that make it."""
    return "\n".join((kind, versions(), target, text))


def load(key: str) -> bytes | None:
    """The code published under ``key``, or None. A damaged entry is removed."""
    digest = hashlib.sha256(key.encode()).digest()
    name = digest.hex() + SUFFIX
    try:
        with _folder(create=False) as folder:
            data = _read(folder, name)
            code = _unpack(data, digest)
            if code is None:
                emit("cache", f"damaged entry {name} removed; its code is made again")
                os.unlink(name, dir_fd=folder)
            return code
    except FileNotFoundError:
        return None
    except OSError as error:
        _say(error)
        return None


def publish(key: str, code: bytes) -> None:
    """Keep ``code`` under ``key`` for later processes, where the folder lets us."""
    publish_together([key], code)


def publish_together(keys: Sequence[str], code: bytes) -> None:
    """Keep ``code`` under each of ``keys``, which it was made for."""
    digests = [hashlib.sha256(key.encode()).digest() for key in keys]
    names = b"".join(digests)
    header = _HEADER.pack(MAGIC, len(keys), len(code), hashlib.sha256(names + code).digest())
    try:
        with _folder(create=True) as folder:
            first, *others = [digest.hex() + SUFFIX for digest in digests]
            _write(folder, first, header + names + code)
            for name in others:
                _write_again(folder, first, name, header + names + code)
            _note_maker(folder, keys[0])
            _trim_now_and_then(folder, len(keys))
    except OSError as error:
        _say(error)


def why_missing(key: str) -> str:
    """Which part of ``key`` the folder does not know: "new code", or what the same code was made with before."""
    kind, maker, text = _parts(key)
    fewest: list[str] = []
    try:
        with _folder(create=False) as folder:
            for other in _makers(folder):
                name = hashlib.sha256("\n".join((kind, other, text)).encode()).hexdigest() + SUFFIX
                changes = _changes(other, maker)
                if changes and _exists(folder, name) and (not fewest or len(changes) < len(fewest)):
                    fewest = changes
    except FileNotFoundError:  # no folder yet
        pass
    except OSError:
        return "no usable folder"
    return f"the same code is there for {', '.join(fewest)}" if fewest else "new code"


def _parts(key: str) -> tuple[str, str, str]:
    """Kind, maker (versions and target) and text of a key; keys of other forms have no maker."""
    kind, *maker, text = ["", "", "", *key.split("\n", 3)][-4:]
    return kind, "\n".join(maker), text


def _changes(before: str, now: str) -> list[str]:
    """What differs between two makers, as "llvmlite=0.49 (now 0.50)"."""
    old, new = _words(before), _words(now)
    names = [name for name in old | new if old.get(name) != new.get(name)]
    return [f"{name}={old.get(name, 'none')} (now {new.get(name, 'none')})" for name in names]


def _words(maker: str) -> dict[str, str]:
    """Each version, and each part of the target, by its name; CPU features are on (+) or off (-)."""
    versions, target = maker.split("\n")
    words = dict([word.partition("=")[::2] for word in versions.split()])
    parts = target.split(" ", 3)
    words.update(zip(("platform", "CPU", "level"), parts, strict=False))
    features = parts[3].split(",") if len(parts) > 3 else []
    words.update([(feature[1:], feature[0]) for feature in features if feature])
    return words


def _makers(folder: int) -> list[str]:
    names = [name for name in os.listdir(folder) if name.endswith(MAKER_SUFFIX)]
    return [maker for name in names if (maker := _read(folder, name).decode(errors="replace")).count("\n") == 1]


def _note_maker(folder: int, key: str) -> None:
    """Write down what made the entry of ``key``, once."""
    maker = _parts(key)[1]
    name = hashlib.sha256(maker.encode()).hexdigest()[:32] + MAKER_SUFFIX
    if maker.strip() and not _exists(folder, name):
        _write(folder, name, maker.encode())


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def stats() -> CacheStats:
    """What the folder holds; zeros where there is none."""
    try:
        with _folder(create=False) as folder:
            sizes = [_share(info) for _, info in _entries(folder)]
    except FileNotFoundError:
        sizes = []
    return CacheStats(settings.cache_dir, len(sizes), sum(sizes))


def obstacle() -> str:
    """Why no code can be kept in the folder; "" where it can."""
    path = settings.cache_dir
    while not os.path.exists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    if not os.path.isdir(path):
        return f"{path} is no folder"
    return "" if os.access(path, os.W_OK | os.X_OK) else f"{path} cannot be written"


def clear() -> int:
    """Remove all entries and partial files; gives how many. Other files are left alone."""
    removed = 0
    with contextlib.suppress(FileNotFoundError), _folder(create=False) as folder:
        for name in os.listdir(folder):
            if name.endswith(SUFFIX) or name.startswith(_PARTIAL):
                os.unlink(name, dir_fd=folder)
                removed += 1
            elif name.endswith((MAKER_SUFFIX, SOURCE_SUFFIX)):
                os.unlink(name, dir_fd=folder)
    return removed


@contextlib.contextmanager
def _folder(create: bool) -> Iterator[int]:
    """The open cache folder. Working relative to it, nobody can put another in its place meanwhile."""
    path = settings.cache_dir
    if create:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _require_ours(os.fstat(folder), path)
        yield folder
    finally:
        os.close(folder)


def _require_ours(info: os.stat_result, path: str) -> None:
    if info.st_uid != os.geteuid():
        raise _Refused(f"{path} belongs to another user")
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _Refused(
            f"{path} can be written by others (mode {stat.S_IMODE(info.st_mode):o}); chmod go-w makes it usable"
        )


def _read(folder: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        info = os.fstat(file)
        _require_ours(info, name)
        if time.time() - info.st_mtime > _FRESH_S:
            with contextlib.suppress(OSError):  # a read-only folder keeps no times of use
                os.utime(file)
        return os.read(file, info.st_size)
    finally:
        os.close(file)


def _unpack(data: bytes, digest: bytes) -> bytes | None:
    """The code of an entry, or None where anything about the entry is wrong."""
    if len(data) < _HEADER.size:
        return None
    magic, n_keys, length, checksum = _HEADER.unpack_from(data)
    start = _HEADER.size + n_keys * _DIGEST_BYTES
    if magic != MAGIC or len(data) != start + length or hashlib.sha256(data[_HEADER.size :]).digest() != checksum:
        return None
    digests = [data[at : at + _DIGEST_BYTES] for at in range(_HEADER.size, start, _DIGEST_BYTES)]
    return data[start:] if digest in digests else None


def _write_again(folder: int, known: str, name: str, data: bytes) -> None:
    """Give the file ``known``, which holds ``data``, another name; a copy where the folder has no such names."""
    partial = _new_partial()
    try:
        os.link(known, partial, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        _write(folder, name, data)
        return
    os.rename(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
    with contextlib.suppress(FileNotFoundError):  # where both were one file already, renaming does nothing
        os.unlink(partial, dir_fd=folder)


def _new_partial() -> str:
    return f"{_PARTIAL}{os.getpid()}-{os.urandom(8).hex()}"


def _write(folder: int, name: str, data: bytes) -> None:
    partial = _new_partial()
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
        os.rename(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial, dir_fd=folder)
        raise


def _entries(folder: int) -> list[tuple[str, os.stat_result]]:
    found = []
    for name in os.listdir(folder):
        if name.endswith(SUFFIX) or name.startswith(_PARTIAL):
            with contextlib.suppress(FileNotFoundError):  # another process removed it meanwhile
                found.append((name, os.stat(name, dir_fd=folder, follow_symlinks=False)))
    return found


def _share(info: os.stat_result) -> int:
    """The bytes of a file that one of its names stands for."""
    return info.st_size // max(info.st_nlink, 1)


def _trim_now_and_then(folder: int, entries: int) -> None:
    global _published
    before, _published = _published, _published + entries
    if (before + _CHECK_EVERY - 1) // _CHECK_EVERY != (_published + _CHECK_EVERY - 1) // _CHECK_EVERY:
        trim(folder, settings.cache_bytes)


def trim(folder: int, limit: int) -> None:
    """Remove abandoned partial files, and the longest unused entries beyond ``limit`` bytes."""
    entries = _entries(folder)
    now = time.time()
    total = sum(_share(info) for _, info in entries)
    goal = limit if total <= limit else limit * 3 // 4  # make room for a while, not for one entry
    for name, info in sorted(entries, key=lambda entry: entry[1].st_mtime):
        abandoned = name.startswith(_PARTIAL) and now - info.st_mtime > _ABANDONED_S
        if abandoned or (total > goal and name.endswith(SUFFIX)):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            total -= _share(info)


def _say(error: OSError) -> None:
    """Log what keeps the folder from being used, once for each reason."""
    reason = str(error) if isinstance(error, _Refused) else f"{settings.cache_dir}: {error.strerror or error}"
    if reason not in _said:
        _said.add(reason)
        fall_back("cache", f"kernels are not kept on disk, each process compiles its own: {reason}")

"""The source that takes part in making code: where it is found, a digest of its text, and what its files look like from
outside."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from operator import attrgetter
from typing import Final

from nbgrad.errors import PACKAGE_DIR

CODE_ROOMS: Final = ("graph", "ops", "tape", "kernels", "runtime")
SOURCE_SUFFIXES: Final = (".py", ".ll")
_READ_BYTES: Final = 1 << 16  # more than most files have
_by_name: Final = attrgetter("name")
_SETTLED_NS: Final = 2_000_000_000  # clocks of file systems tick: two changes within a tick look like one


def import_folders() -> list[str]:
    """Where the worker looks for what it imports: whatever else a program put into ``sys.path``, imports pass over, or
    fail at. This package is found even where the program has changed that since. Its own folder is none of them: its
    rooms would be found in place of other packages, ``nbgrad/cuda`` for one."""
    folders = [folder for folder in sys.path if isinstance(folder, str) and "\0" not in folder]
    return [*folders, os.path.dirname(PACKAGE_DIR.rstrip(os.sep))]


def digest() -> str:
    """Of all names and texts."""
    found = hashlib.sha256()
    for file in _files():
        found.update(file.name.encode() + b"\0" + _bytes_of(file.path) + b"\0")
    return found.hexdigest()[:32]


def state() -> str | None:
    """A digest of where the files lie and when they changed, in a tenth of the time; None where one has changed so
    recently that the next change might not show."""
    seen = []
    for file in _files():
        info = file.stat()
        seen.append((file.path, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns))
    newest_ns = max([max(mtime_ns, ctime_ns) for *_, mtime_ns, ctime_ns in seen], default=0)
    if time.time_ns() - newest_ns < _SETTLED_NS:
        return None
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:32]


def _files() -> list[os.DirEntry[str]]:
    """In an order that is always the same."""
    found: list[os.DirEntry[str]] = []
    folders = [os.path.join(PACKAGE_DIR, room) for room in CODE_ROOMS]
    for folder in folders:  # which grows
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=_by_name)
        for entry in inside:
            if entry.name.endswith(SOURCE_SUFFIXES):
                found.append(entry)
            elif entry.name != "__pycache__" and entry.is_dir():
                folders.append(entry.path)
    return found


def _bytes_of(path: str) -> bytes:
    """What the file holds. There are 200 files: Python's file objects took half as long again, and so did asking for
    more of what was read whole."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(file, _READ_BYTES)
        while len(data) % _READ_BYTES == 0 and (more := os.read(file, _READ_BYTES)):
            data += more
        return data
    finally:
        os.close(file)

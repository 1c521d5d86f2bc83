"""A file that takes another one's place when it is whole: who may do what with it stays as it was."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import stat
from collections.abc import Iterator
from typing import IO, Final

_PREFIX, _SUFFIX = ".nbgrad-", ".partial"
_MODE: Final = 0o666  # of a new file, less the umask


@contextlib.contextmanager
def replaced(path: str) -> Iterator[IO[bytes]]:
    """A file to write that takes the place of ``path`` when the block ends well, and is gone when it does not.

    Where ``path`` is a link, of what it leads to; what is no plain file (a pipe, a device) is written as it is.
    """
    target = os.path.realpath(path)
    try:
        before = os.stat(target)
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        whole = io.BytesIO()  # a device may say that it can be sought, and not do it
        yield whole
        with open(target, "wb") as file:
            file.write(whole.getbuffer())
        return
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)
    folder = os.path.dirname(target)
    _remove_left_behind(folder)
    with _partial(folder) as (file, name):
        yield file
        if before is not None:
            _make_like(file.fileno(), before)
        file.flush()
        os.fsync(file.fileno())
        os.replace(name, target)


@contextlib.contextmanager
def _partial(folder: str) -> Iterator[tuple[IO[bytes], str]]:
    """A new file and its name, under which nothing is left in the end. It is locked as long as somebody writes it."""
    while True:
        name = os.path.join(folder, f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
        file = os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _MODE), "wb")
        try:
            if _locked(file.fileno()) is False or not os.path.exists(name):
                continue  # another one has taken it for left behind
            yield file, name
            return
        finally:
            with contextlib.suppress(FileNotFoundError):  # it has become the target
                os.unlink(name)
            file.close()


def _remove_left_behind(folder: str) -> None:
    """Remove the files of those who were killed as they wrote: nobody has them locked."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        left = [e.path for e in entries if e.name.startswith(_PREFIX) and e.name.endswith(_SUFFIX)]
        for name in left:
            with contextlib.suppress(OSError):  # another one was quicker, or it is another user's
                number = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    if _locked(number):
                        os.unlink(name)
                finally:
                    os.close(number)


def _locked(number: int) -> bool | None:
    """Lock a file for as long as it is open; False where another one has, None where this file system has no locks."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _make_like(number: int, before: os.stat_result) -> None:
    """Give a file the owner, the group and the mode of the one before, as far as that is ours to give."""
    for uid, gid in ((before.st_uid, -1), (-1, before.st_gid)):
        with contextlib.suppress(OSError):
            os.fchown(number, uid, gid)
    os.fchmod(number, stat.S_IMODE(before.st_mode))

"""File descriptors of ours in a program that may close any it finds, as daemons do, and be given their numbers anew."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import Final

from nbgrad.system.imports import import_module

_STANDARD: Final = 3  # below are those of a program's own input and output, also where these are closed
_KEPT_BYTES: Final = 1 << 14


class Descriptor:
    """The descriptor ``number``, as long as it ``is_ours``: another file may have the number later."""

    def __init__(self, number: int) -> None:
        try:
            self.number = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _STANDARD)
        finally:
            os.close(number)
        self._file = _file_behind(self.number)

    @staticmethod
    def pipe() -> tuple[Descriptor, Descriptor]:
        """The end to read from, and the one to write to."""
        reader, writer = os.pipe()
        try:
            read = Descriptor(reader)
        except BaseException:
            os.close(writer)
            raise
        try:
            return read, Descriptor(writer)
        except BaseException:
            read.close()
            raise

    @staticmethod
    def of_nameless_file() -> Descriptor:
        """A new file that is gone when nobody has it open."""
        number, path = import_module("tempfile").mkstemp()
        os.unlink(path)
        return Descriptor(number)

    @property
    def is_ours(self) -> bool:
        try:
            return _file_behind(self.number) == self._file
        except OSError:
            return False

    def contents(self) -> bytes:
        """The end of what was written to a file."""
        if not self.is_ours:
            return b""
        return os.pread(self.number, _KEPT_BYTES, max(0, os.fstat(self.number).st_size - _KEPT_BYTES))

    def close(self) -> None:
        """Close it, once."""
        if self.is_ours:
            with contextlib.suppress(OSError):
                os.close(self.number)
        self._file = None


def _file_behind(number: int) -> tuple[int, int] | None:
    info = os.fstat(number)
    return info.st_dev, info.st_ino

"""The user's process's end of the compile worker: start it, send it kernels, collect its answers, never wait."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import astuple
from typing import Final, NamedTuple

from nbgrad.config import settings
from nbgrad.kernels.target import Target
from nbgrad.log import fall_back
from nbgrad.runtime import cache
from nbgrad.runtime.descriptor import Descriptor
from nbgrad.runtime.protocol import BYE, COMPILED, HEADER, HELLO, IDLE_S, MARK, SAID
from nbgrad.runtime.source import import_folders

# The worker finds modules where this process finds them; ``-m`` would look into the current folder first.
_START: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from nbgrad.runtime.worker import main
main(float(sys.argv[2]))
"""
_READ_BYTES: Final = 1 << 20
_MOST_READS: Final = 64  # in a row: what is no worker may write for ever
_END_S: Final = 1.0  # a process whose output has ended is all but gone


class Reply(NamedTuple):
    """What came back for request ``number``: object code, or the text of an error."""

    number: int
    compiled: bool
    data: bytes


class WorkerGone(Exception):
    """The worker's process has ended. ``idle``: as it does when nobody asks for a while."""

    def __init__(self, reason: str, idle: bool = False) -> None:
        super().__init__(reason)
        self.idle = idle


class Worker:
    """A running compile worker. Whatever the system or the program's own settings have against one is raised."""

    def __init__(self, idle_s: float = IDLE_S) -> None:
        command = [_interpreter(), "-c", _START, json.dumps(import_folders()), str(idle_s)]
        self._ours: list[Descriptor] = []
        theirs: list[Descriptor] = []
        try:
            requests, self._stdin = self._pipe(theirs, reading=True)
            self._stdout, replies = self._pipe(theirs, reading=False)
            self._stderr = Descriptor.of_nameless_file()
            self._ours.append(self._stderr)
            self.process = subprocess.Popen(
                command,
                stdin=requests.number,
                stdout=replies.number,
                stderr=self._stderr.number,
                env=_environment(),
                process_group=0,  # Ctrl-C at the terminal is not for it
            )
        except BaseException:
            self._let_go()
            raise
        finally:
            for end in theirs:
                end.close()
        self._incoming = bytearray()
        self._outgoing = bytearray()  # what the pipe had no room for: waiting for room could wait for ever
        self._said_bye = False
        os.set_blocking(self._stdin.number, False)
        os.set_blocking(self._stdout.number, False)

    def _pipe(self, theirs: list[Descriptor], reading: bool) -> tuple[Descriptor, Descriptor]:
        """The two ends of a pipe; the worker gets the one that reads, or that writes."""
        ends = Descriptor.pipe()
        theirs.append(ends[not reading])
        self._ours.append(ends[reading])
        return ends

    def send(self, number: int, text: str, target: Target) -> None:
        """Ask for the kernel ``text``. Never raises for a dead worker: ``replies`` tells."""
        self._write({"number": number, "text": text, "target": astuple(target)})

    def order(self, words: str) -> None:
        """Ask for the code of word functions to be on disk, see ``runner_code``. There is no answer."""
        self._write({"words": words})

    def _write(self, request: dict[str, object]) -> None:
        self._outgoing += json.dumps({**request, "cache_dir": settings.cache_dir}).encode() + b"\n"
        self._push()

    def _push(self) -> None:
        try:
            while self._outgoing and self._stdin.is_ours:
                del self._outgoing[: os.write(self._stdin.number, self._outgoing)]
        except OSError:  # no room for more now, or nobody is there to read it: ``replies`` tells
            pass

    def replies(self) -> Iterator[Reply]:
        """The answers that are there by now; then ``WorkerGone`` if there will be no more."""
        self._push()
        ended = self._pull()
        while (reply := self._next()) is not None:
            if reply.number == BYE:
                self._said_bye = True
            elif reply.number == SAID:
                fall_back("code", f"the worker process: {reply.data.decode()}")
            elif reply.number != HELLO:
                yield reply
            elif reply.data.decode() != cache.versions():
                raise WorkerGone(f"it would make other code: {reply.data.decode()}")
        if ended:
            raise self._gone()

    def _pull(self) -> bool:
        """Read what is there; whether that was the end."""
        if not self._stdin.is_ours or not self._stdout.is_ours:
            raise WorkerGone("the program has closed its pipes")
        try:
            for _ in range(_MOST_READS):
                data = os.read(self._stdout.number, _READ_BYTES)
                if not data:
                    return True
                self._incoming += data
        except BlockingIOError:
            pass
        except OSError as error:
            raise WorkerGone(str(error)) from error
        return False

    def _next(self) -> Reply | None:
        if len(self._incoming) < HEADER.size:
            return None
        mark, number, status, length = HEADER.unpack_from(self._incoming)
        if mark != MARK:
            raise WorkerGone("its answers make no sense")
        end = HEADER.size + length
        if len(self._incoming) < end:
            return None
        data = bytes(self._incoming[HEADER.size : end])
        del self._incoming[:end]
        return Reply(number, status == COMPILED, data)

    def _gone(self) -> WorkerGone:
        if self._said_bye:
            return WorkerGone("nobody asked for a while", idle=True)
        try:
            code = self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return WorkerGone("it closed its output")
        lines = self._stderr.contents().decode(errors="replace").strip().splitlines()
        return WorkerGone(f"exit code {code}" + (f": {lines[-1]}" if lines else ""))

    def stop(self) -> None:
        """End the process and wait for that."""
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        self.leave()

    def leave(self) -> None:
        """Let go of the pipes only: what a forked child does with its parent's worker."""
        self._let_go()
        self.process.returncode = self.process.returncode or 0  # subprocess need not ask after it any more

    def _let_go(self) -> None:
        for end in self._ours:
            end.close()


def _interpreter() -> str:
    """The Python that this program runs in."""
    if getattr(sys, "frozen", False):
        raise OSError("a frozen application has no interpreter to start")
    if not sys.executable or not isinstance(sys.executable, str):
        raise OSError(f"sys.executable is {sys.executable!r}")
    return sys.executable


def _environment() -> dict[str, str]:
    """The program's, without what it tells Numba: that is for functions of its own, and no part of a kernel's key."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return {**kept, "NBGRAD_LOG": "", "OPENBLAS_NUM_THREADS": "1"}

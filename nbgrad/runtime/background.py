"""The user's process's end of the compile worker: start it, send it kernels, collect its answers, never wait."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import astuple
from typing import Final, NamedTuple

from nbgrad.config import settings
from nbgrad.kernels.target import Target
from nbgrad.runtime import cache
from nbgrad.runtime.protocol import COMPILED, HEADER, HELLO, IDLE_S, MARK

# The worker finds modules where this process finds them; ``-m`` would look into the current folder first.
_START: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from nbgrad.runtime.worker import main
main(float(sys.argv[2]))
"""
_READ_BYTES: Final = 1 << 20
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
    """A running compile worker. Raises ``OSError`` where none can be started."""

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process does)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START, json.dumps(sys.path), str(idle_s)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                env={**os.environ, "NBGRAD_LOG": "", "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C at the terminal is not for it
            )
        except BaseException:
            self._stderr.close()
            raise
        assert self.process.stdin is not None  # both are pipes, see above
        assert self.process.stdout is not None
        self._stdin, self._stdout = self.process.stdin, self.process.stdout
        self._incoming = bytearray()
        self._outgoing = bytearray()  # what the pipe had no room for: waiting for room could wait for ever
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)

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
            while self._outgoing:
                del self._outgoing[: os.write(self._stdin.fileno(), self._outgoing)]
        except (BlockingIOError, BrokenPipeError):
            pass

    def replies(self) -> Iterator[Reply]:
        """The answers that are there by now; then ``WorkerGone`` if there will be no more."""
        self._push()
        ended = self._pull()
        while (reply := self._next()) is not None:
            if reply.number != HELLO:
                yield reply
            elif reply.data.decode() != cache.versions():
                raise WorkerGone(f"it would make other code: {reply.data.decode()}")
        if ended:
            raise self._gone()

    def _pull(self) -> bool:
        """Read what is there; whether that was the end."""
        try:
            while data := os.read(self._stdout.fileno(), _READ_BYTES):
                self._incoming += data
        except BlockingIOError:
            return False
        return True

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
        try:
            code = self.process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return WorkerGone("it closed its output")
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return WorkerGone(f"exit code {code}" + (f": {lines[-1]}" if lines else ""), idle=code == 0)

    def stop(self) -> None:
        """End the process and wait for that."""
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        self.leave()

    def leave(self) -> None:
        """Let go of the pipes only: what a forked child does with its parent's worker."""
        for file in (self._stdin, self._stdout, self._stderr):
            with contextlib.suppress(OSError):
                file.close()
        self.process.returncode = self.process.returncode or 0  # subprocess need not ask after it any more

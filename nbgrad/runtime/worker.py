"""The process that compiles in the background: requests as JSON lines on stdin, object code on stdout.

It exists so that no thread of the user's process compiles: a compiling thread would be starved by a loop of short tapes
and would make ``fork`` unsafe. It does not import the user's script, keeps what it makes on disk, and ends
when nobody has asked for a minute or when the user's process is gone.

See ``protocol`` for what it reads and writes.
"""

from __future__ import annotations

import json
import os
import select
from typing import BinaryIO

import nbgrad.ops.library  # noqa: F401  (kernels name operators, and this defines them)
from nbgrad.config import settings
from nbgrad.kernels.target import Target
from nbgrad.log import fallbacks
from nbgrad.runtime import cache
from nbgrad.runtime.code import full_code
from nbgrad.runtime.protocol import BYE, COMPILED, HEADER, HELLO, MARK, REFUSED, SAID
from nbgrad.runtime.runner_code import make_good
from nbgrad.tape.kernel import KernelText


def serve(requests: int, replies: BinaryIO, idle_s: float) -> None:
    """Answer requests from the file descriptor ``requests`` until it ends or stays silent."""
    _reply(replies, HELLO, COMPILED, cache.versions().encode())
    waiting, said = b"", set[str]()
    while select.select([requests], [], [], idle_s)[0]:
        arrived = os.read(requests, 1 << 16)
        if not arrived:
            return
        *lines, waiting = (waiting + arrived).split(b"\n")
        for line in lines:
            request = json.loads(line)
            settings.cache_dir = request["cache_dir"]
            if "words" in request:
                make_good(request["words"])
            else:
                _reply(replies, request["number"], *answer(request["text"], Target(*request["target"])))
            for text in set(fallbacks()) - said:
                _reply(replies, SAID, COMPILED, text.encode())
            said.update(fallbacks())
    _reply(replies, BYE, COMPILED, b"")


def answer(text: str, target: Target) -> tuple[int, bytes]:
    """The status and the bytes for one kernel."""
    try:
        code = full_code(KernelText.from_json(text), target)
    except Exception as error:  # whatever it is, the process that asked must hear of it and this one go on
        return REFUSED, f"{type(error).__name__}: {error}".encode()
    cache.publish(cache.entry_key("kernel", text, target.key), code)
    return COMPILED, code


def _reply(replies: BinaryIO, number: int, status: int, data: bytes) -> None:
    replies.write(HEADER.pack(MARK, number, status, len(data)) + data)
    replies.flush()


def main(idle_s: float) -> None:
    """The life of the process: answer what comes in by stdin, end after ``idle_s`` of silence."""
    os.nice(5)  # the user's loop comes first
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not end up between the replies
    try:
        serve(0, replies, idle_s)
    except BrokenPipeError:
        os._exit(0)  # the user's process is gone; nothing is left to flush to

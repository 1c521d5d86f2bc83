"""What word functions ask of the machine, and each has in its own way: LLVM that goes behind a text that is the same
everywhere."""

from __future__ import annotations

import os
import platform
from typing import Final

PAUSE: Final = "nbgrad_pause"
GETCPU: Final = "nbgrad_getcpu"
SETAFFINITY: Final = "nbgrad_setaffinity"

# Only Linux lets threads choose their cores; elsewhere nobody knows where one runs, and it stays.
CHOOSES_CORES: Final = hasattr(os, "sched_setaffinity")
_IS_X86: Final = platform.machine().lower() in ("x86_64", "amd64")


def with_machine_words(text: str) -> str:
    """``text``, and behind it the definitions of what it calls of these."""
    return "\n".join([text, *[lines for name, lines in _DEFINITIONS.items() if f"@{name}(" in text]])


def _defined(name: str, arguments: str, *lines: str, result: str = "0") -> str:
    return "\n".join([f"define internal i64 @{name}({arguments}) nounwind {{", *lines, f"  ret i64 {result}", "}"])


def _pause() -> str:
    name, hint = ("llvm.x86.sse2.pause", "") if _IS_X86 else ("llvm.aarch64.hint", "i32")
    return f"declare void @{name}({hint})\n" + _defined(PAUSE, "", f"  call void @{name}({hint and 'i32 1'})")


def _getcpu() -> str:
    if not CHOOSES_CORES:
        return _defined(GETCPU, "", result="-1")
    lines = "  %cpu = call i32 @sched_getcpu()", "  %word = sext i32 %cpu to i64"
    return "declare i32 @sched_getcpu()\n" + _defined(GETCPU, "", *lines, result="%word")


def _setaffinity() -> str:
    arguments = "i64 %thread, i64 %bytes, i64 %cores"
    if not CHOOSES_CORES:
        return _defined(SETAFFINITY, arguments)
    lines = (
        "  %id = trunc i64 %thread to i32",
        "  %code = call i32 @sched_setaffinity(i32 %id, i64 %bytes, i64 %cores)",
        "  %word = sext i32 %code to i64",
    )
    declared = "declare i32 @sched_setaffinity(i32, i64, i64)\n"
    return declared + _defined(SETAFFINITY, arguments, *lines, result="%word")


_DEFINITIONS: Final = {PAUSE: _pause(), GETCPU: _getcpu(), SETAFFINITY: _setaffinity()}

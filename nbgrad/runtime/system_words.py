"""What word functions ask of the system, where machines differ: LLVM behind a text that is the same everywhere.

Libraries lie out of the reach of short calls, and code that makes long ones takes half as long again to write. So no
code calls them by name: it finds their addresses in a table of its own, which whoever loads it fills in (``bind``).
"""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any, Final, Protocol

PAUSE: Final = "nbgrad_pause"
_TABLE: Final = "nbgrad_addresses"

# Functions of the C library that give an int32, with the kinds of their arguments: i64 for addresses. Only Linux lets
# threads choose their cores; elsewhere nobody knows where one runs, and it stays.
CHOOSES_CORES: Final = hasattr(os, "sched_setaffinity")
FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "clock_gettime": ("i32", "i64"),
    "sem_wait": ("i64",),
    "sem_post": ("i64",),
    "sched_yield": (),
    "sched_getcpu": (),
    "sched_getaffinity": ("i32", "i64", "i64"),
    "sched_setaffinity": ("i32", "i64", "i64"),
}
_ELSEWHERE: Final = {} if CHOOSES_CORES else {"sched_getcpu": -1, "sched_getaffinity": -1, "sched_setaffinity": 0}
_libc: Final = ctypes.CDLL(None)


class _Code(Protocol):
    """Code that was loaded."""

    def address(self, symbol: str) -> int: ...


def by_python(name: str) -> Any:
    """The function, for Python."""
    if name in _ELSEWHERE:
        return lambda *_: _ELSEWHERE[name]
    function = getattr(_libc, name)
    function.argtypes = [ctypes.c_int32 if kind == "i32" else ctypes.c_int64 for kind in FUNCTIONS[name]]
    return lambda *words: int(function(*words))


def llvm_name(name: str) -> str:
    """The name by which a text calls the function, for a word."""
    return f"@nbgrad_{name}"


def with_system_words(text: str) -> str:
    """``text``, and behind it the definitions of what it calls of these."""
    parts = [text]
    called = [name for name in FUNCTIONS if f"{llvm_name(name)}(" in text]
    if called:
        parts.append(f"@{_TABLE} = dso_local global [{len(FUNCTIONS)} x i64] zeroinitializer")
        parts += [_function_text(name) for name in called]
    if f"@{PAUSE}(" in text:
        parts.append(_pause_text())
    return "\n".join(parts) + "\n"


def bind(code: _Code) -> None:
    """Fill in the table of addresses, where ``code`` has one."""
    table = code.address(_TABLE)
    if table:
        words = [0 if name in _ELSEWHERE else _address(name) for name in FUNCTIONS]
        addresses = (ctypes.c_int64 * len(FUNCTIONS))(*words)
        ctypes.memmove(table, addresses, ctypes.sizeof(addresses))


def _address(name: str) -> int:
    return ctypes.cast(getattr(_libc, name), ctypes.c_void_p).value or 0


def _function_text(name: str) -> str:
    kinds = FUNCTIONS[name]
    arguments = ", ".join([f"i64 %a{k}" for k in range(len(kinds))])
    lines = [f"define internal i64 {llvm_name(name)}({arguments}) nounwind {{"]
    if name in _ELSEWHERE:
        return "\n".join([*lines, f"  ret i64 {_ELSEWHERE[name]}", "}"])
    lines += [f"  %n{k} = trunc i64 %a{k} to i32" for k, kind in enumerate(kinds) if kind == "i32"]
    args = ", ".join([f"{kind} %{'n' if kind == 'i32' else 'a'}{k}" for k, kind in enumerate(kinds)])
    place = f"getelementptr (i64, ptr @{_TABLE}, i64 {[*FUNCTIONS].index(name)})"
    lines += [f"  %at = load i64, ptr {place}", "  %function = inttoptr i64 %at to ptr"]
    lines += [f"  %code = call i32 %function({args})", "  %word = sext i32 %code to i64", "  ret i64 %word", "}"]
    return "\n".join(lines)


def _pause_text() -> str:
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    hint, kind, word = ("llvm.x86.sse2.pause", "", "") if is_x86 else ("llvm.aarch64.hint", "i32", "i32 1")
    head = f"declare void @{hint}({kind})\ndefine internal i64 @{PAUSE}() nounwind {{\n"
    return f"{head}  call void @{hint}({word})\n  ret i64 0\n}}"

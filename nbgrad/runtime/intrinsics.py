"""Memory words, atomic words and kernel calls: what word functions (see ``translate``) can do besides arithmetic.

Each has two halves: what Python does when it runs a word function as it stands, a plain function, which is called
soonest; and the LLVM that takes its place, which ``INTRINSICS`` knows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

from nbgrad.runtime import system_words
from nbgrad.runtime.ir_text import IRText
from nbgrad.runtime.layout import WORD

_KERNEL: Final = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


_Python = Callable[..., Any]

# What writes the LLVM in a function's place and gives its value: ``emit(text, *values)``.
INTRINSICS: Final[dict[_Python, Callable[..., str]]] = {}


def _intrinsic(emit: Callable[..., str]) -> Callable[[_Python], _Python]:
    def known(python: _Python) -> _Python:
        INTRINSICS[python] = emit
        return python

    return known


def _place(t: IRText, address: str, index: str) -> str:
    return t.once(f"getelementptr i64, ptr {t.once(f'inttoptr i64 {address} to ptr')}, i64 {index}")


_word_at: Final = ctypes.c_int64.from_address


def _word(address: int, index: int) -> ctypes.c_int64:
    return _word_at(address + WORD * index)


@_intrinsic(lambda t, address, index: t.let(f"load i64, ptr {_place(t, address, index)}"))
def load(address: int, index: int) -> int:
    """The word ``index`` words after ``address``."""
    return _word_at(address + WORD * index).value


def _emit_store(t: IRText, address: str, index: str, value: str) -> str:
    t.do(f"store i64 {value}, ptr {_place(t, address, index)}")
    return "0"


@_intrinsic(_emit_store)
def store(address: int, index: int, value: int) -> None:
    """Set the word ``index`` words after ``address``."""
    _word_at(address + WORD * index).value = value


@_intrinsic(lambda t, address, index: t.let(f"load atomic i64, ptr {_place(t, address, index)} seq_cst, align 8"))
def atomic_load(address: int, index: int) -> int:
    """The word, as no later than any other thread's earlier stores."""
    return _word(address, index).value


def _emit_atomic_store(t: IRText, address: str, index: str, value: str) -> str:
    t.do(f"store atomic i64 {value}, ptr {_place(t, address, index)} seq_cst, align 8")
    return "0"


@_intrinsic(_emit_atomic_store)
def atomic_store(address: int, index: int, value: int) -> None:
    """Set the word after everything this thread wrote before."""
    _word(address, index).value = value


def _exchange(operation: str) -> Callable[..., str]:
    return lambda t, address, index, value: t.let(
        f"atomicrmw {operation} ptr {_place(t, address, index)}, i64 {value} seq_cst"
    )


@_intrinsic(_exchange("add"))
def fetch_add(address: int, index: int, value: int) -> int:
    """Add to the word in one step; gives what it was before."""
    before = _word(address, index).value
    _word(address, index).value = before + value
    return before


@_intrinsic(_exchange("min"))
def fetch_min(address: int, index: int, value: int) -> int:
    """Set the word to ``value`` where that is less, in one step; gives what it was before."""
    before = _word(address, index).value
    _word(address, index).value = min(before, value)
    return before


@_intrinsic(_exchange("xchg"))
def swap(address: int, index: int, value: int) -> int:
    """Set the word in one step; gives what it was before."""
    before = _word(address, index).value
    _word(address, index).value = value
    return before


def _emit_call(t: IRText, kernel: str, desc: str, begin: str, end: str) -> str:
    function, block = t.let(f"inttoptr i64 {kernel} to ptr"), t.let(f"inttoptr i64 {desc} to ptr")
    return _widened(t, f"call i32 {function}(ptr {block}, i64 {begin}, i64 {end})")


def _widened(t: IRText, what: str) -> str:
    return t.let(f"sext i32 {t.let(what)} to i64")


@_intrinsic(_emit_call)
def call_kernel(kernel: int, desc: int, begin: int, end: int) -> int:
    """Run the kernel at address ``kernel`` on the items [begin, end); gives its code, 0 for success."""
    return int(_KERNEL(kernel)(desc, begin, end))


def _choice(relation: str) -> Callable[..., str]:
    return lambda t, x, y: t.let(f"select i1 {t.let(f'icmp {relation} i64 {x}, {y}')}, i64 {x}, i64 {y}")


@_intrinsic(_choice("slt"))
def lesser(x: int, y: int) -> int:
    """The lesser of two words."""
    return min(x, y)


@_intrinsic(_choice("sgt"))
def greater(x: int, y: int) -> int:
    """The greater of two words."""
    return max(x, y)


def _called(name: str, python: _Python) -> _Python:
    """What the system has (``system_words``); gives a word."""
    return _intrinsic(lambda t, *words: t.let(f"call i64 {name}({', '.join([f'i64 {word}' for word in words])})"))(
        python
    )


def _of_system(name: str) -> _Python:
    return _called(system_words.llvm_name(name), system_words.by_python(name))


clock_gettime: Final = _of_system("clock_gettime")
sem_wait: Final = _of_system("sem_wait")
sem_post: Final = _of_system("sem_post")
sched_yield: Final = _of_system("sched_yield")
sched_getcpu: Final = _of_system("sched_getcpu")
sched_getaffinity: Final = _of_system("sched_getaffinity")
sched_setaffinity: Final = _of_system("sched_setaffinity")
# A moment of waiting that leaves the core to its other thread.
pause: Final = _called(f"@{system_words.PAUSE}", lambda: 0)

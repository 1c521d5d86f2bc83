"""What a function runs, and what that names: which instructions, of them the globals, attributes, free variables and
imports, and how they ask for them. Only what those can have read matters."""

from __future__ import annotations

import dis
import functools
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

from nbgrad.errors import PACKAGE_DIR
from nbgrad.replay.kinds import OPAQUE, names_in

_NAMED: Final = {  # where the names are noted that instructions have
    **dict.fromkeys(names_in("LOAD_GLOBAL LOAD_NAME STORE_GLOBAL STORE_NAME DELETE_GLOBAL DELETE_NAME"), "loads"),
    "LOAD_FROM_DICT_OR_GLOBALS": "loads",  # of a class body: its own names, then globals
    **dict.fromkeys(names_in("LOAD_ATTR LOAD_METHOD STORE_ATTR DELETE_ATTR IMPORT_FROM LOAD_SUPER_ATTR"), "names"),
    **dict.fromkeys(names_in("LOAD_DEREF STORE_DEREF DELETE_DEREF LOAD_CLASSDEREF LOAD_CLOSURE MAKE_CELL"), "free"),
    **dict.fromkeys(names_in("COPY_FREE_VARS LOAD_FROM_DICT_OR_DEREF"), "free"),
    "IMPORT_NAME": "imports",
}
_CALL: Final = "PRECALL" if sys.version_info < (3, 12) else "CALL"
_BY_NAME: Final = frozenset(["getattr", "hasattr", "setattr", "delattr"])
_PRINTING: Final = frozenset(["str", "repr", "format"])
_CONSTANTS: Final = (None, True, False, ...)
Where = tuple[str, int]  # file and line


@dataclass
class Uses:
    """Names that instructions use, each with its line. ``made`` are beginnings of attribute names that are made at run
    time; ``problem`` is what cannot be told. ``identity``: objects are compared by it. ``probes``: whether there is
    something may have been asked for, rather than taken. ``prints``: objects may be made into text."""

    loads: dict[str, Where]
    names: dict[str, Where]
    free: dict[str, Where]
    imports: dict[str, Where]
    made: dict[str, Where]
    problem: tuple[str, Where] | None = None
    identity: bool = False
    probes: bool = False
    prints: bool = False


@functools.lru_cache(maxsize=1 << 12)
def uses_of(code: CodeType, offsets: frozenset[int] | None) -> Uses:
    """What the instructions at ``offsets`` use, with None all of them."""
    uses = Uses({}, {}, {}, {}, {})
    instructions = [i for i in _all_of(code) if i.opname not in ("KW_NAMES", "EXTENDED_ARG")]
    for k, i in enumerate(instructions):
        if offsets is not None and i.offset not in offsets:
            continue
        where = (code.co_filename, (i.positions and i.positions.lineno) or code.co_firstlineno)
        noted = _NAMED.get(i.opname)
        if noted is not None and type(i.argval) is str:
            getattr(uses, noted).setdefault(i.argval, where)
        elif i.opname == "MATCH_CLASS":
            by_name = instructions[k - 1].argval  # a tuple: the attributes that a pattern names
            for name in ("__match_args__", *(by_name if type(by_name) is tuple else ())):
                uses.names.setdefault(name, where)
        elif i.opname == "IS_OP":
            before = instructions[k - 1]
            uses.identity |= not (before.opname.startswith("LOAD_CONST") and before.argval in _CONSTANTS)
        elif i.opname == "PUSH_EXC_INFO":
            uses.probes = True
        elif i.opname.startswith("FORMAT_"):
            uses.prints = True
        elif noted is None and (i.opcode in dis.hasname or i.opcode in dis.hasfree):
            uses.problem = uses.problem or (f"the instruction {i.opname}", where)
        if noted == "loads" and i.argval in _BY_NAME:
            uses.probes = True
            name = _second_argument(instructions[k + 1 :]) if i.opname == "LOAD_GLOBAL" else None
            if name is None:
                uses.problem = uses.problem or (f"{i.argval} with a name that is made at run time", where)
            elif name.endswith("*"):
                uses.made.setdefault(name[:-1], where)
            else:
                uses.names.setdefault(name, where)
    uses.prints |= not _PRINTING.isdisjoint(uses.loads)
    return uses


@functools.lru_cache(maxsize=1 << 12)
def _all_of(code: CodeType) -> tuple[Any, ...]:
    return tuple([i for i in dis.get_instructions(code) if i.opname != "CACHE"])


def completed(code: CodeType, offsets: set[int]) -> frozenset[int]:
    """With the instructions whose argument begins before them: those are seen to run where they begin."""
    found = set(offsets)
    for i in _all_of(code):
        if i.opname == "EXTENDED_ARG" and i.offset in found:
            found.add(i.offset + 2)
    return frozenset(found)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """``code`` and those of functions and classes inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_in(inner)


def _second_argument(after: Sequence[Any]) -> str | None:
    """The constant that is the second argument of the call whose arguments ``after`` puts on the stack; its beginning
    and a star where it is an f-string that begins with a constant. None where neither can be told."""
    stack: list[str | None] = []  # of constants and beginnings what they are
    for i in after:
        if i.opname == _CALL and len(stack) == i.arg:
            return stack[1] if i.arg > 1 else None
        n = len(stack) + dis.stack_effect(i.opcode, i.arg)
        if "JUMP" in i.opname or n < 1:
            return None
        if i.opname == "LOAD_CONST":
            stack.append(i.argval if type(i.argval) is str else None)
        elif n > len(stack):
            stack += [None] * (n - len(stack))
        else:
            is_begun = i.opname == "BUILD_STRING" and stack[n - 1]
            stack[n - 1 :] = [f"{stack[n - 1]}*" if is_begun else None]
    return None


_STANDARD: Final = (os.path.dirname(os.__file__) + os.sep, "<frozen ")
_COMPILERS: Final = frozenset(["llvmlite", "numba"])
_TOOLS: Final = (4, 3)  # of ``sys.monitoring``, those that no kind of tool is meant to take


class Ran:
    """The instructions that ran, as offsets by code. nbgrad and NumPy are not looked into, nor the standard library
    where they call it, nor what they import."""

    def __init__(self) -> None:
        self.offsets: dict[CodeType, set[int]] = {}
        self._opaque = {f.__code__ for f in gc.callbacks if isinstance(f, FunctionType)}  # these run at any time

    def is_of_interest(self, frame: FrameType) -> bool:
        """Whether the instructions of a frame that begins are to be noted."""
        code, back = frame.f_code, frame.f_back
        if code in self.offsets:
            return True
        if code in self._opaque:
            return False
        if is_opaque(code, frame.f_globals):
            self._opaque.add(code)
            return False
        if is_standard(code, frame.f_globals) and back is not None and back.f_code not in self.offsets:
            return False
        if self._is_brought_in(back):
            return False
        self.offsets[code] = set()
        return True

    def _is_brought_in(self, frame: FrameType | None) -> bool:
        """Whether a compiler or an import runs, which code that is looked into has not asked for itself."""
        while frame is not None and frame.f_code not in self.offsets:
            if frame.f_code.co_filename.startswith("<frozen importlib") or _root(frame.f_globals) in _COMPILERS:
                return True
            frame = frame.f_back
        return False

    def __or__(self, other: Ran) -> Ran:
        both = Ran()
        for code, offsets in (*self.offsets.items(), *other.offsets.items()):
            both.offsets[code] = both.offsets.get(code, set()) | offsets
        return both

    def uses(self) -> dict[CodeType, Uses]:
        """What those name, by code."""
        return {code: uses_of(code, completed(code, offsets)) for code, offsets in self.offsets.items()}


def is_opaque(code: CodeType, scope: dict[str, Any]) -> bool:
    """Whether it is nbgrad's own code, NumPy's, or that of the compilers that it runs."""
    if code.co_filename.startswith((PACKAGE_DIR, "<nbgrad ")):
        return True
    return _root(scope) in OPAQUE | _COMPILERS


def _root(scope: dict[str, Any]) -> str:
    """The package that a global scope belongs to."""
    return str(scope.get("__name__", "")).partition(".")[0]


def is_standard(code: CodeType, scope: dict[str, Any]) -> bool:
    """Whether it is code of the standard library, or made by it."""
    name = str(scope.get("__name__", ""))
    return code.co_filename.startswith(_STANDARD) or (code.co_filename == "<string>" and name.startswith("namedtuple_"))


def can_observe() -> bool:
    """Whether nobody else observes: profilers and debuggers keep their hooks."""
    return sys.gettrace() is None if sys.version_info < (3, 12) else _free_tool() is not None


def observed(ran: Ran) -> AbstractContextManager[None]:
    """Note what runs in the ``with`` block."""
    return _traced(ran) if sys.version_info < (3, 12) else _monitored(ran)


@contextmanager
def _traced(ran: Ran) -> Iterator[None]:
    def instruction(frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            ran.offsets[frame.f_code].add(frame.f_lasti)
        return instruction

    def call(frame: FrameType, event: str, _: Any) -> Any:
        if not ran.is_of_interest(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return instruction

    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(None)


def _free_tool() -> int | None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    return next((tool for tool in _TOOLS if monitoring.get_tool(tool) is None), None)


@contextmanager
def _monitored(ran: Ran) -> Iterator[None]:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    events, tool, thread = monitoring.events, _free_tool(), threading.get_ident()

    def start(code: CodeType, _: int) -> Any:
        if threading.get_ident() != thread:
            return None
        if not ran.is_of_interest(sys._getframe(1)):
            return None if is_standard(code, {}) else monitoring.DISABLE
        monitoring.set_local_events(tool, code, events.INSTRUCTION)
        return None

    def instruction(code: CodeType, offset: int) -> Any:
        if threading.get_ident() != thread:
            return None
        ran.offsets[code].add(offset)
        return monitoring.DISABLE

    callbacks: dict[int, Callable[..., Any]] = {events.PY_START: start, events.INSTRUCTION: instruction}
    monitoring.use_tool_id(tool, "nbgrad")
    try:
        for event, callback in callbacks.items():
            monitoring.register_callback(tool, event, callback)
        monitoring.restart_events()
        monitoring.set_events(tool, events.PY_START)
        yield
    finally:
        monitoring.set_events(tool, 0)
        for code in ran.offsets:
            monitoring.set_local_events(tool, code, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

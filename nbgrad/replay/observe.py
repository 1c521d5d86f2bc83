"""Which instructions run while a function is recorded: only what those can have read matters."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

from nbgrad.errors import PACKAGE_DIR, shown_line
from nbgrad.replay.kinds import METHODS_OF, OPAQUE, is_pure
from nbgrad.replay.uses import Uses, completed, count_of, uses_of
from nbgrad.trace.handle import Handle

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

    def is_within(self, other: Ran) -> bool:
        """Whether all of it ran there, too."""
        return all(offsets <= other.offsets.get(code, set()) for code, offsets in self.offsets.items())

    def __or__(self, other: Ran) -> Ran:
        both = Ran()
        for ran in (self, other):
            for code, offsets in ran.offsets.items():
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
    done: set[CodeType] = set()

    def instruction(frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            code = frame.f_code
            offsets = ran.offsets[code]
            offsets.add(frame.f_lasti)
            if len(offsets) == count_of(code):  # nothing more to learn of it
                done.add(code)
                frame.f_trace_opcodes = False
        return instruction

    def call(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code in done or not ran.is_of_interest(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return instruction

    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(None)


@contextmanager
def calls_in_c(found: list[str]) -> Iterator[None]:
    """Note in ``found`` which functions written in C are called that no list has: the walk must not let that pass.
    (NBGRAD_CHECK=1. Calls of types are not seen before Python 3.12, nor what an operator calls.)"""

    def hook(frame: FrameType, event: str, function: Any) -> None:
        code, scope = frame.f_code, frame.f_globals
        if event == "c_call" and not (is_opaque(code, scope) or is_standard(code, scope)):
            of = getattr(function, "__self__", None)
            is_method = of is not None and not isinstance(of, ModuleType)
            is_known = (of if isinstance(of, type) else type(of)) in METHODS_OF if is_method else is_pure(function)
            if not is_known and not isinstance(of, Handle):
                found.append(f"{function.__qualname__} in {shown_line((code.co_filename, frame.f_lineno))}")

    if sys.getprofile() is not None:
        yield
        return
    sys.setprofile(hook)
    try:
        yield
    finally:
        sys.setprofile(None)
        found[:] = [name for name in found if not name.startswith("setprofile")]


def _free_tool() -> int | None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    return next((tool for tool in _TOOLS if monitoring.get_tool(tool) is None), None)


@contextmanager
def _monitored(ran: Ran) -> Iterator[None]:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    events, tool, thread = monitoring.events, _free_tool(), threading.get_ident()
    begun: set[CodeType] = set()

    def start(code: CodeType, _: int) -> Any:
        if threading.get_ident() != thread:
            return None
        if not ran.is_of_interest(sys._getframe(1)):
            return None if is_standard(code, {}) else monitoring.DISABLE
        if code not in begun:
            begun.add(code)
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
        for code in begun:
            monitoring.set_local_events(tool, code, 0)
        for event in callbacks:
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

"""Every error nbgrad raises on purpose. Each is also the builtin that a PyTorch user would catch, and says where the
user's code was when it was made.

NbgradError                      what all of them share: message, operation, user's line
├── ShapeError(RuntimeError)     shapes that do not fit together
├── DTypeError(TypeError, RuntimeError)   a dtype or an argument type an operation does not take
│   └── DTypeNotImplementedError(NotImplementedError)   an operation that is not there for a dtype, or a device
├── TensorIndexError(IndexError, RuntimeError)   an index or a dim out of range
├── ArgumentError(ValueError, RuntimeError)   an argument with a value outside its range
│   └── NumberError(OverflowError)   a number that does not fit its dtype
├── GradError(RuntimeError)      a derivative that cannot be had: no graph, freed graph, wrong leaf
├── MissingRuleError(NotImplementedError)   an operator without the rule that was asked for
├── StateError(RuntimeError)     saved state that does not fit what it is loaded into, or a damaged file of it
├── OutOfMemoryError(RuntimeError)   a device has no room for a value
└── RunError(RuntimeError)       an instruction failed while the tape ran
    └── LinAlgError              a matrix that cannot be inverted or taken apart

PerformanceWarning (UserWarning) says once for a line that something there takes long, and why.

The user's instruction is kept for operations that can fail while they run (integer divisions, indices, matrices, the
user's functions), and the line of all others only where the graph is built while recording (under `nbgrad.explain` and
NBGRAD_LOG, for example): finding the line costs as much as recording.
"""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from types import CodeType, FrameType
from typing import Final

__all__ = [
    "ArgumentError",
    "DTypeError",
    "DTypeNotImplementedError",
    "GradError",
    "LinAlgError",
    "MissingRuleError",
    "NbgradError",
    "NumberError",
    "OutOfMemoryError",
    "RunError",
    "ShapeError",
    "StateError",
    "TensorIndexError",
]

PACKAGE_DIR = os.path.dirname(os.path.abspath(__file__)) + os.sep
# Files of the package, functions made from declarations (tensor/surface.py), and what runs while a module is imported.
OURS = (PACKAGE_DIR, "<nbgrad ", "<frozen importlib")
COMPILER = f"{os.sep}numba{os.sep}core{os.sep}"  # part of the names of its files
LIBRARY = os.path.dirname(os.__file__) + os.sep  # of Python, where others' packages lie, too
AT_LINE = "\n  in "
Instruction = tuple[CodeType, int]  # of a function, and how far it is


class NbgradError(Exception):
    """Base of all errors raised on purpose. The text ends with the user's line, unless the message has one already."""

    def __init__(self, message: str = "", *rest: object) -> None:
        super().__init__(message, *rest)
        frame = None if AT_LINE in message else user_frame()
        self.where = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)

    def __str__(self) -> str:
        message = str(self.args[0]) if self.args else ""
        return message if self.where is None else message + AT_LINE + described(*self.where)


class ShapeError(NbgradError, RuntimeError):
    """Shapes that do not fit together."""


class DTypeError(NbgradError, TypeError, RuntimeError):
    """A dtype or an argument type an operation does not take (PyTorch: TypeError, or RuntimeError for most)."""


class DTypeNotImplementedError(DTypeError, NotImplementedError):
    """An operation that is not there for a dtype, or a device."""


class TensorIndexError(NbgradError, IndexError, RuntimeError):
    """An index or a dim out of range (PyTorch: IndexError, but RuntimeError from gather and scatter)."""


class ArgumentError(NbgradError, ValueError, RuntimeError):
    """An argument with a value outside its range (PyTorch: ValueError for some, RuntimeError for others)."""


class NumberError(ArgumentError, OverflowError):
    """A number that does not fit its dtype (PyTorch: RuntimeError, OverflowError or ValueError)."""


class GradError(NbgradError, RuntimeError):
    """A derivative that cannot be had."""


class MissingRuleError(NbgradError, NotImplementedError):
    """An operator without the rule that was asked for."""


class StateError(NbgradError, RuntimeError):
    """Saved state that does not fit what it is loaded into, or a damaged file of it."""


class OutOfMemoryError(NbgradError, RuntimeError):
    """A device has no room for a value."""


class RunError(NbgradError, RuntimeError):
    """An instruction failed while the tape ran."""


class LinAlgError(RunError):
    """A matrix that cannot be inverted or taken apart."""


class PerformanceWarning(UserWarning):
    """Something takes long that the user may want to write otherwise. ``warnings.filterwarnings`` knows this name.

    >>> import warnings
    >>> import nbgrad as nb
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", nb.errors.PerformanceWarning)
    ...     y = nb.tensor(2.0) * 3.0  # and whatever takes long
    """


_warned: set[tuple[str, int]] = set()  # lines that were


def warn_once(text: str, category: type[Warning]) -> None:
    """Warn at the user's line, once for a line, however often the text changes."""
    frame = user_frame()
    if frame is None:
        return
    place = frame.f_code.co_filename, frame.f_lineno
    if place not in _warned:
        _warned.add(place)
        warn_here(text, category)


def is_internal(error: BaseException) -> bool:
    """Whether an error comes from code of this package, the compiler and the standard library alone: no code of the
    user's ran where it was raised."""
    tb, files = error.__traceback__, []
    while tb is not None:
        files.append(tb.tb_frame.f_code.co_filename)
        tb = tb.tb_next
    return all(_ours[file] for file in files)


def warn_here(text: str, category: type[Warning]) -> None:
    """Warn at the user's line."""
    frame = user_frame()
    if frame is not None:
        place = frame.f_code.co_filename, frame.f_lineno
        module = frame.f_globals.get("__name__", "<string>")  # as Python calls code of exec
        warnings.warn_explicit(text, category, *place, module, frame.f_globals.setdefault("__warningregistry__", {}))


_MOST_FILES: Final = 4096  # an interactive shell makes one of each cell


class _Ours(dict[str, bool]):
    """Whether code of a file is none of the user's."""

    def __missing__(self, file: str) -> bool:
        if len(self) >= _MOST_FILES:
            self.clear()
        self[file] = found = file.startswith(OURS) or COMPILER in file or _is_standard(file)
        return found


def _is_standard(file: str) -> bool:
    """Whether a file is of the standard library, as copy.py is, which calls ``__deepcopy__``."""
    return file.startswith(LIBRARY) and f"-packages{os.sep}" not in file


_ours: Final = _Ours()


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame outside this package, Numba's compiler and the standard library: the user's line.
    The innermost ``depth`` frames are known to be ours: to look at each takes 0.1 us."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and _ours[frame.f_code.co_filename]:
        frame = frame.f_back
    return frame


def user_line() -> str:
    """``file:line`` of the user's code now running, or "" where there is none."""
    return shown_line(user_place())


def user_place() -> tuple[str, int]:
    """File and number of the user's line now running: half of what ``user_line`` takes. ("", 0) where there is none."""
    frame = user_frame()
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def user_instruction(depth: int = 1) -> Instruction | None:
    """The user's instruction now running: half of what ``user_place`` takes. ``depth`` as of ``user_frame``."""
    frame = user_frame(depth + 1)
    return None if frame is None else (frame.f_code, frame.f_lasti)


def shown_instruction(code: CodeType, at: int) -> str:
    """``file:line`` of what ``user_instruction`` gave."""
    return shown_line(_place_of(code, at))


def described_instruction(code: CodeType, at: int) -> str:
    """The same, as messages end."""
    return described(*_place_of(code, at))


def _place_of(code: CodeType, at: int) -> tuple[str, int]:
    lines = [line for start, end, line in code.co_lines() if start <= at < end]
    return (code.co_filename, lines[0] or 0) if lines else ("", 0)


def shown_line(place: tuple[str, int]) -> str:
    """``file:line`` of what ``user_place`` gave."""
    file, line = place
    return f"{os.path.basename(file)}:{line}" if file else ""


def described(file: str, line: int) -> str:
    """``file, line 3:  the text of the line``, as messages end."""
    text = linecache.getline(file, line).strip()
    return f"{file}, line {line}" + (f":  {text}" if text else "")


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]

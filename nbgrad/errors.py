"""Every error nbgrad raises on purpose. Each is also the builtin that a PyTorch user would catch.

NbgradError                      what all of them share: message, operation, user's line
├── ShapeError(RuntimeError)     shapes that do not fit together
├── DTypeError(TypeError, RuntimeError)   a dtype or an argument type an operation does not take
├── TensorIndexError(IndexError) an index or a dim out of range
├── ArgumentError(ValueError, RuntimeError)   an argument with a value outside its range
├── GradError(RuntimeError)      a derivative that cannot be had: no graph, freed graph, wrong leaf
├── MissingRuleError(NotImplementedError)   an operator without the rule that was asked for
├── StateError(RuntimeError)     saved state that does not fit what it is loaded into, or a damaged file of it
└── RunError(RuntimeError)       an instruction failed while the tape ran
"""

from __future__ import annotations

import os
import sys
from types import FrameType

PACKAGE_DIR = os.path.dirname(os.path.abspath(__file__)) + os.sep
OURS = (PACKAGE_DIR, "<nbgrad ")  # files of the package, and functions made from declarations (surface.py)


class NbgradError(Exception):
    """Base of all errors raised on purpose."""


class ShapeError(NbgradError, RuntimeError):
    """Shapes that do not fit together."""


class DTypeError(NbgradError, TypeError, RuntimeError):
    """A dtype or an argument type an operation does not take (PyTorch: TypeError, or RuntimeError for most)."""


class TensorIndexError(NbgradError, IndexError):
    """An index or a dim out of range."""


class ArgumentError(NbgradError, ValueError, RuntimeError):
    """An argument with a value outside its range (PyTorch: ValueError for some, RuntimeError for others)."""


class GradError(NbgradError, RuntimeError):
    """A derivative that cannot be had."""


class MissingRuleError(NbgradError, NotImplementedError):
    """An operator without the rule that was asked for."""


class StateError(NbgradError, RuntimeError):
    """Saved state that does not fit what it is loaded into, or a damaged file of it."""


class RunError(NbgradError, RuntimeError):
    """An instruction failed while the tape ran."""


def user_frame() -> FrameType | None:
    """The innermost frame outside this package: the user's line."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    return frame


def user_line() -> str:
    """``file:line`` of the user's code now running, or "" where there is none."""
    frame = user_frame()
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def at_user_line(error: NbgradError) -> NbgradError:
    """``error`` with the user's file, line and text of the line added to its message (once)."""
    frame = user_frame()
    if frame is None or "\n  in " in str(error):
        return error
    text = _source_line(frame)
    where = f"\n  in {frame.f_code.co_filename}, line {frame.f_lineno}" + (f":  {text}" if text else "")
    error.args = (f"{error.args[0] if error.args else ''}{where}", *error.args[1:])
    return error


def _source_line(frame: FrameType) -> str:
    import linecache

    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()

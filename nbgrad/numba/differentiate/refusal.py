"""What is not differentiated is refused, at the user's line; no error of Numba's or LLVM's is shown as it is."""

from __future__ import annotations

import os
import re
import sys
from types import FrameType
from typing import Any, NoReturn

import numba

from nbgrad.errors import AT_LINE, PACKAGE_DIR, DTypeError, DTypeNotImplementedError, described
from nbgrad.kernels.numba_target import errors, said_by

A_CALL = "a call of "
TEXT = "<nbgrad differentiate>"  # the file of all code that is written here
_NUMBA_DIR = os.path.dirname(os.path.abspath(numba.__file__)) + os.sep
_PLACE = re.compile(r'(?:at|File "?)\s*(?P<file>[^\s"()]+\.py|<[^>]+>)"?,?\s*(?:\((?P<a>\d+)\)|line (?P<b>\d+))')


class Refused(errors.NumbaError):
    """Raised inside Numba's compiler, which passes its own errors on; ``place`` is file and line of the user's,
    ``caller`` the function of Numba's there in which it was found."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what, self.remedy = what, remedy
        self.place: tuple[str, int] | None = None
        self.caller = ""


def refuse(what: str, remedy: str) -> NoReturn:
    raise Refused(what, remedy)


def is_users(filename: str) -> bool:
    return not filename.startswith("<") and not os.path.abspath(filename).startswith((_NUMBA_DIR, PACKAGE_DIR))


def at_function(message: str, function: Any) -> str:
    """A message about a function, with where it is defined."""
    code = function.__code__
    return message + AT_LINE + described(code.co_filename, code.co_firstlineno)


def located(error: BaseException, loc: Any) -> BaseException:
    """``error``, which came out of the statement at ``loc``, as a refusal that knows the innermost line of the
    user's."""
    if isinstance(error, Refused):
        known = error
    elif isinstance(error, errors.NumbaError):
        return error
    else:
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        known = Refused(f"what Numba makes of this statement ({said})", "write it otherwise")
        known.__cause__ = error
    if known.place is None and is_users(loc.filename):
        known.place = loc.filename, loc.line
    return known


def calling_place() -> tuple[str, int] | None:
    """Where the user calls what is being compiled; None where nobody's line is on the stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def for_user(error: Exception, function: Any) -> DTypeError:
    """The error that the user sees, for one that compiling ``function`` ended in."""
    code = function.__code__
    if isinstance(error, Refused):
        place = error.place or (code.co_filename, code.co_firstlineno)
        through = f"{error.caller}, which makes " if error.caller and error.what.startswith(A_CALL) else ""
        what = f"differentiate: {function.__name__}: no derivative of {through}{error.what}; {error.remedy}"
        return DTypeNotImplementedError(what + AT_LINE + described(*place))
    found = [
        (os.path.abspath(m["file"]), int(m["a"] or m["b"])) for m in _PLACE.finditer(str(error)) if is_users(m["file"])
    ]
    place = found[0] if found else (code.co_filename, code.co_firstlineno)
    why = said_by(error, with_places=False)[:2000]
    return DTypeError(f"differentiate: Numba cannot compile {function.__name__}: {why}{AT_LINE}{described(*place)}")

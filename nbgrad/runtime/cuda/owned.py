"""What a driver or another library has to hear when nobody needs something any more.

No line of Python runs when such an object is dropped: Ctrl-C that came there would be lost, as whatever is raised while
an object is destroyed.
"""

from __future__ import annotations

from collections.abc import Callable


class Owned:
    """A handle; when the last reference to this goes, ``forget`` is called, which has to be compiled code: a method of
    a built-in type, a function of a library, or a ``functools.partial`` of one."""

    __slots__ = ("__del__", "handle")

    __del__: Callable[[], object]

    def __init__(self, handle: int, forget: Callable[[], object]) -> None:
        self.handle = handle
        self.__del__ = forget

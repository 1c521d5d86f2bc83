"""Memory by names: structures of 64-bit words, which compiled functions share with Python.

Python sees them through ctypes; Numba (``numba_records``) takes the same classes for addresses of known kinds, so that
``frame.pc`` is one instruction. A class says in annotations what it holds:

    int                        a word, which wraps
    another record             that record, in place
    Pointer[int or record]     the address of the first of many
    Annotated[Pointer[...], n] so many in place; MANY of them end a record

Where it says ``Item``, ``with_items`` makes a record of it for items of one type.
"""

import ctypes
import functools
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

_Item = TypeVar("_Item")
_Kind = TypeVar("_Kind", bound="type[ctypes.Structure]")

WORD: Final = 8  # bytes
LINE_WORDS: Final = 8  # of a cache line
MANY: Final = 1 << 40

if TYPE_CHECKING:

    class Pointer(ctypes.Structure, Generic[_Item]):
        """The first of many."""

        def __getitem__(self, k: int) -> _Item: ...
        def __setitem__(self, k: int, value: _Item) -> None: ...

    Words = Pointer[int]  # those from an address on
    Item = Any

else:

    class Pointer:
        """In annotations: the address of the first of many."""

        def __class_getitem__(cls, kind: type) -> type:
            return ctypes.POINTER(_in_memory(kind))

    Words = ctypes.c_int64 * MANY

    class Item(ctypes.Structure):
        """In annotations: an element of whatever dtype."""


def _in_memory(kind: Any) -> Any:
    if hasattr(kind, "__metadata__"):
        return kind.__origin__._type_ * kind.__metadata__[0]
    return ctypes.c_int64 if kind is int else kind


def record(kind: _Kind) -> _Kind:
    """The class with the fields of its annotations, which stand in the module as types, not as texts."""
    kind._fields_ = [(name, _in_memory(held)) for name, held in kind.__annotations__.items()]
    return kind


def cache_line(kind: _Kind) -> _Kind:
    """``record`` for what no other thread's words may stand beside: it fills its cache lines."""
    fields = [(name, _in_memory(held)) for name, held in kind.__annotations__.items()]
    words = sum(ctypes.sizeof(held) for _, held in fields) // WORD
    kind._fields_ = [*fields, ("_rest", ctypes.c_int64 * (-words % LINE_WORDS))]
    return kind


@functools.cache
def with_items(kind: Any, item: Any) -> Any:
    """The record, and those in it, with items of the ctypes type ``item``.

    To Numba two of one name in one module are one type, whatever fields they have.
    """
    if kind is ctypes.POINTER(Item):
        return ctypes.POINTER(item)
    if not issubclass(kind, ctypes.Structure):
        return kind
    fields = [(name, with_items(held, item)) for name, held in kind._fields_]
    return type(
        f"{kind.__name__}[{item.__name__}]", (ctypes.Structure,), {"_fields_": fields, "__module__": kind.__module__}
    )


def word_of(kind: type[ctypes.Structure], name: str) -> int:
    """Where in a record a field begins, in words."""
    place: int = getattr(kind, name).offset
    return place // WORD


@record
class Atomic(ctypes.Structure):
    """A word that several threads change. Python runs these functions where there is one thread."""

    word: int

    def load(self) -> int:
        """The word, as no later than any other thread's earlier stores."""
        return self.word

    def store(self, value: int) -> None:
        """Set the word after everything this thread wrote before."""
        self.word = value

    def add(self, value: int) -> int:
        """Add to the word in one step; gives what it was before."""
        return self.swap(self.word + value)

    def lower(self, value: int) -> int:
        """Set the word to ``value`` where that is less, in one step; gives what it was before."""
        return self.swap(min(self.word, value))

    def swap(self, value: int) -> int:
        """Set the word in one step; gives what it was before."""
        before, self.word = self.word, value
        return before


class LineAtomic(Atomic):
    """One with a cache line of its own."""

    _fields_ = (("_rest", ctypes.c_int64 * (LINE_WORDS - 1)),)

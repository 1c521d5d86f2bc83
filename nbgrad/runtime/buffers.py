"""Memory for values: 64-byte aligned blocks from a pool that a dropped ``Buffer`` gives its block back to.

A steady training loop asks for the same sizes again and again, so freed blocks wait in a list per size class. Making
and dropping a pooled buffer takes 0.3 us: the hot road is one dict look-up and one list pop, both atomic under the GIL;
the lock is taken only where blocks come from or go to the system. Large blocks that nobody asks for any more (the arena
of a program that another one replaced, say, or what the calls needed that were recorded) go back to the system after a
while: the last to come back is the first to be taken, so as many as a list never fell short of were not used.

No line of Python runs when a buffer is dropped: Ctrl-C that came there would be lost, as whatever is raised while an
object is destroyed. A list is appended to, and what there is to do besides waits for the next buffer that is made.

Buffers are immutable. The plan had tapes end in a segment that writes to parameters and `.grad` and cannot be
interrupted. Now every result is a buffer that nobody uses (a fresh one, or where a compiled function's tensor had its
value two calls ago), and Python hands them out after the run has succeeded; `.grad` keeps its tensor's identity, not
its address, unless it was exported.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from nbgrad.errors import ArgumentError
from nbgrad.system.fork_safety import Lock

ALIGNMENT: Final = 64  # a cache line, and the widest vector
_HUGE_PAGE: Final = 1 << 21
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_LARGE: Final = 1 << 16  # freeing a block of this size checks the limit on idle memory
# How long large blocks wait for somebody to ask for them: twenty times as long as touching all of them anew takes.
_PATIENCE_S: Final = 0.2
_PATIENCE_S_PER_BYTE: Final = 20 * 0.25e-9
_SIZES_REMEMBERED: Final = 1 << 14
# Of Linux: numbers of advice are each system's own.
_IS_LINUX: Final = sys.platform == "linux"
_MADV_DONTNEED: Final = 4
_MADV_HUGEPAGE: Final = 14

Array = np.ndarray[Any, np.dtype[Any]]

_libc = ctypes.CDLL(None)
_libc.posix_memalign.argtypes = (ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t, ctypes.c_size_t)
_libc.free.argtypes = (ctypes.c_void_p,)
_libc.free.restype = None
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def address_of(array: Array) -> int:
    """Where the array's first element lies."""
    return int(array.__array_interface__["data"][0])


class _SizeClass(list[int]):
    """The addresses of idle blocks of one size."""

    __slots__ = ("is_large", "since_s", "size", "unused", "used")

    def __init__(self, size: int) -> None:
        self.size = size
        self.is_large = size >= _LARGE
        self.unused = 0  # how many large ones were idle all the time
        self.since_s = 0.0  # since then
        self.used = 0  # the pool's clock when last asked in vain or trimmed: the least recent goes first


def size_class(nbytes: int, unit: int = ALIGNMENT) -> int:
    """The block that serves ``nbytes``: multiples of ``unit``, above 8 four per doubling (at most a quarter lost)."""
    if nbytes <= 8 * unit:
        return max((nbytes + unit - 1) // unit * unit, unit)
    step = 1 << ((nbytes - 1).bit_length() - 3)
    return (nbytes + step - 1) // step * step


def _memory_limit() -> int:
    """Idle bytes the pool keeps: an eighth of the memory this process may use, at most 4 GiB."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            total = min(total, int(file.read()))
    except (OSError, ValueError):
        pass  # no control group, or one without a limit ("max")
    return min(total // 8, 4 << 30)


class _Pool:
    """The size classes, and the slow roads: blocks from and to the system."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.by_size: dict[int, _SizeClass] = {}
        self.by_request: dict[int, _SizeClass] = {}  # the same lists, by the exact bytes asked for
        self.givers: dict[int, Callable[[], None]] = {}  # by address, what lets a block wait for the next who asks
        self.came_back: list[int] = []  # large blocks that were dropped since the last buffer was made
        self.large: dict[int, _SizeClass] = {}  # by address, where large ones belong
        self.clock = 0
        self.allocated_bytes = 0
        self.blocks_made = 0
        self.idle_limit = _memory_limit()
        self.now_s = time.monotonic
        self.look_s = 0.0  # when to look for blocks that nobody asks for

    def take(self, nbytes: int) -> tuple[int, _SizeClass]:
        """A block for ``nbytes`` where none was idle, or where this size is new."""
        if nbytes < 0:
            raise ArgumentError(f"a buffer of {nbytes} bytes")
        with self.lock:
            home = self._home(nbytes)
            self.clock += 1
            home.used = self.clock
        try:
            return home.pop(), home
        except IndexError:
            pass
        if self.allocated_bytes > self.idle_limit:
            self.trim(self.idle_limit)
        address = _system_block(home.size)
        if address == 0:
            self.trim(0)
            address = _system_block(home.size)
        if address == 0:
            raise MemoryError(f"nbgrad: no memory for {nbytes} bytes")
        with self.lock:
            self.allocated_bytes += home.size
            self.blocks_made += 1
            self.givers[address] = partial(self.came_back.append if home.is_large else home.append, address)
            if home.is_large:
                self.large[address] = home
        return address, home

    def _home(self, nbytes: int) -> _SizeClass:
        size = size_class(nbytes)
        home = self.by_size.setdefault(size, _SizeClass(size))
        if len(self.by_request) >= _SIZES_REMEMBERED:
            self.by_request.clear()
        self.by_request[nbytes] = home
        return home

    def idle_bytes(self) -> int:
        waiting = sum([home.size for address in list(self.came_back) if (home := self.large.get(address)) is not None])
        return waiting + sum([len(home) * home.size for home in list(self.by_size.values())])

    def take_in(self) -> None:
        """Large blocks that came back are idle now: give back to the system what is idle beyond the limit, or too
        long."""
        now_s = self.now_s()
        self._sort_in()
        if self.allocated_bytes > self.idle_limit:
            self.trim(self.idle_limit)
        if now_s >= self.look_s:
            self.look_s = now_s + _PATIENCE_S
            self.drop_forgotten(now_s)

    def _sort_in(self) -> None:
        """Put large blocks that came back where they belong."""
        while self.came_back:
            try:
                address = self.came_back.pop()
            except IndexError:  # another thread took it meanwhile
                return
            home = self.large[address]
            home.unused = min(home.unused, len(home))  # it only became shorter since the last one was put there
            home.append(address)

    def drop_forgotten(self, now_s: float) -> None:
        """Give the large blocks back to the system that nobody used for a while."""
        if self.lock.locked():  # see ``trim``
            return
        with self.lock:
            since_s = now_s - _PATIENCE_S - _PATIENCE_S_PER_BYTE * self.idle_bytes()
            for home in self.by_size.values():
                if home.is_large and home.since_s < since_s:
                    for _ in range(min(home.unused, len(home))):
                        self._give_back(home)
                    home.unused, home.since_s = len(home), now_s

    def _give_back(self, home: _SizeClass) -> bool:
        """Give the idle block of ``home`` that waits longest back to the system; whether there was one. Needs the
        lock."""
        try:
            address = home.pop(0)
        except IndexError:  # another thread took it meanwhile
            return False
        del self.givers[address]
        if home.is_large:
            del self.large[address]
            _leave_pages(address, home.size)
        _libc.free(address)
        self.allocated_bytes -= home.size
        return True

    def give_back(self, nbytes: int) -> None:
        """Give one idle block that served ``nbytes`` back, where such blocks are large."""
        home = self.by_request.get(nbytes)
        if home is None or not home.is_large or self.lock.locked():
            return
        self._sort_in()
        with self.lock:
            self._give_back(home)

    def trim(self, limit: int) -> None:
        """Give idle blocks back to the system until ``limit`` bytes are left, the longest unused sizes first."""
        # Never wait here: a buffer may be dropped by the garbage collector inside a locked stretch of this very thread.
        # Only a ``with`` lets go whenever Ctrl-C strikes: it can come between the end of ``acquire()`` and a ``try``.
        if self.lock.locked():
            return
        self._sort_in()
        with self.lock:
            excess = self.idle_bytes() - limit
            if excess <= 0:
                return
            for home in sorted(self.by_size.values(), key=lambda h: h.used):
                while excess > 0 and self._give_back(home):
                    excess -= home.size


def _system_block(size: int) -> int:
    """The address of ``size`` fresh bytes, or 0."""
    pointer = ctypes.c_void_p()
    huge = size >= 2 * _HUGE_PAGE
    if _libc.posix_memalign(ctypes.byref(pointer), _HUGE_PAGE if huge else ALIGNMENT, size) != 0:
        return 0
    if huge and _IS_LINUX:  # fewer page faults on first touch; advice only, so its answer does not matter
        _libc.madvise(pointer, size, _MADV_HUGEPAGE)
    return pointer.value or 0


def _leave_pages(address: int, size: int) -> None:
    """Let the system have the whole pages of a block: the C library may keep what is freed for itself."""
    first = (address + _PAGE - 1) // _PAGE * _PAGE
    end = (address + size) // _PAGE * _PAGE
    if first < end and _IS_LINUX:
        _libc.madvise(first, end - first, _MADV_DONTNEED)  # advice only, so its answer does not matter


_pool = _Pool()
_by_request, _givers, _came_back = _pool.by_request, _pool.givers, _pool.came_back


class Buffer:
    """A stretch of memory: ``address``, ``nbytes``, and what keeps it alive. Dropping the last reference frees it.

    ``__del__`` is an attribute of each buffer that has a block of the pool: a compiled call that gives the block back.
    The collector does not know such a buffer, which is in no cycle: it would call that before the finalizers of what
    holds it, which may still read it.
    """

    __slots__ = ("__del__", "__weakref__", "_home", "_keep", "address", "nbytes", "results")

    __del__: Callable[[], None]
    results: weakref.ref[Results]  # of a run whose program uses them again
    address: int
    nbytes: int
    _home: _SizeClass | None  # the list its block returns to
    _keep: object  # the array that owns wrapped memory

    @staticmethod
    def alloc(nbytes: int) -> Buffer:
        """``nbytes`` of memory with arbitrary contents, at an address divisible by 64."""
        if _came_back:
            _pool.take_in()
        try:
            home = _by_request[nbytes]
            address = home.pop()
        except (KeyError, IndexError):
            address, home = _pool.take(nbytes)
        self = _new(Buffer)
        self.address = address
        self.nbytes = nbytes
        self._home = home
        self.__del__ = _givers[address]
        untrack(self)
        return self

    @staticmethod
    def alloc_each(sizes: Sequence[int]) -> list[Buffer]:
        """A buffer of each size: the same, in one go."""
        return Buffer.fit_each((None,) * len(sizes), sizes)

    @staticmethod
    def fit_each(spare: Sequence[Buffer | None], sizes: Sequence[int]) -> list[Buffer]:
        """A buffer of each size: the one of ``spare`` in its place where that fits, or a new one."""
        made = []
        if _came_back:
            _pool.take_in()
        for self, nbytes in zip(spare, sizes, strict=True):
            if self is None or self.nbytes != nbytes:
                try:
                    home = _by_request[nbytes]
                    address = home.pop()
                except (KeyError, IndexError):
                    address, home = _pool.take(nbytes)
                self = _new(Buffer)
                self.address = address
                self.nbytes = nbytes
                self._home = home
                self.__del__ = _givers[address]
                untrack(self)
            made.append(self)
        return made

    @staticmethod
    def from_numpy(array: Array) -> Buffer:
        """A copy of ``array`` in C order."""
        self = Buffer.alloc(array.nbytes)
        np.copyto(self.array(array.shape, array.dtype), array)
        return self

    def copy(self) -> Buffer:
        """Other memory with the same contents."""
        return Buffer.copied(self.address, self.nbytes)

    @staticmethod
    def copied(address: int, nbytes: int) -> Buffer:
        """A copy of so much memory at an address."""
        self = Buffer.alloc(nbytes)
        ctypes.memmove(self.address, address, nbytes)
        return self

    @staticmethod
    def wrap(array: Array) -> Buffer:
        """The memory of ``array`` itself, kept alive. Covers every byte its elements reach, from the lowest one."""
        low, high = _reach(array)
        self = _new(Buffer)
        self.address = address_of(array) + low
        self.nbytes = high - low
        self._home = None
        self._keep = array
        return self

    def array(
        self, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...] | None = None, offset: int = 0
    ) -> Array:
        """A NumPy view that keeps this buffer alive. All further views of it keep *it* alive, so a weak reference to it
        tells when the last of them is gone."""
        home = self._home
        size = self.nbytes if home is None else home.size
        try:
            window = _windows[size]
        except KeyError:
            if len(_windows) >= _SIZES_REMEMBERED:
                _windows.clear()
            window = _windows[size] = ctypes.c_char * size
        memory: Any = window.from_address(self.address)
        memory.buffer = self
        return np.ndarray(shape, dtype, memory, offset, strides)

    @property
    def is_kept(self) -> bool:
        """Whether a program holds this, too, for when nobody else does."""
        kept = getattr(self, "results", None)
        return kept is not None and self in (kept() or ())

    @property
    def is_pooled(self) -> bool:
        """Whether the memory is the pool's, and not an array's."""
        return self._home is not None

    @property
    def owner(self) -> object:
        """The array whose memory this is; None where it is the pool's."""
        return self._keep if self._home is None else None

    def __repr__(self) -> str:
        return f"Buffer({self.nbytes} bytes at {self.address:#x})"


class Results(list[Any]):
    """The buffers of a program's results, which it uses again where they are idle."""

    __slots__ = ("__weakref__",)


_new = object.__new__
untrack: Final = ctypes.PyDLL(None).PyObject_GC_UnTrack
untrack.argtypes, untrack.restype = (ctypes.py_object,), None
_windows: dict[int, Any] = {}  # by size, what stands between an array and its buffer: NumPy does not look through it


def _reach(array: Array) -> tuple[int, int]:
    """The bytes that the elements of ``array`` cover, relative to its first element."""
    if array.flags.c_contiguous:
        return 0, array.nbytes
    if array.size == 0:
        return 0, 0
    spans = [stride * (size - 1) for stride, size in zip(array.strides, array.shape, strict=True)]
    return sum(s for s in spans if s < 0), sum(s for s in spans if s > 0) + array.itemsize


def give_back(nbytes: int) -> None:
    """Give an idle block that served ``nbytes`` back to the system, where such a block is large: it was the memory of
    a program that runs no more, and no other may ever ask for that size."""
    _pool.give_back(nbytes)

"""BLAS routines by address, from a private single-threaded copy of the OpenBLAS that SciPy brings.

The threads of a BLAS change its bits, so ours must run with one; the user's thread count must not be touched. Loading
the same library a second time gives a second instance with a count of its own. It is a copy in memory (memfd) without
a name: the loader would take the file itself, or anything that bears its name, for the one that SciPy wants.
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import importlib
import importlib.util
import mmap
import os
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Final

from nbgrad.errors import ArgumentError
from nbgrad.log import fall_back

ROUTINES: Final = {"float32": "sgemm", "float64": "dgemm"}
_THREADS: Final = "OPENBLAS_NUM_THREADS"
_ELF64: Final = b"\x7fELF\x02\x01"
_PT_DYNAMIC: Final = 2
_DT_SONAME: Final = 14
_DT_IGNORED: Final = 0x6000000D  # of the range left to systems; none of ours knows it

_addresses: dict[str, int] = {}
_loaded: list[ctypes.CDLL] = []  # keeps the copy loaded
_lock = threading.Lock()


def gemm_address(dtype: str) -> int:
    """The address of the Fortran routine sgemm or dgemm, single-threaded where SciPy's layout allows it."""
    if dtype not in ROUTINES:
        raise ArgumentError(f"no matrix product for {dtype}: expected {' or '.join(ROUTINES)}")
    if dtype not in _addresses:
        with _lock:
            if dtype not in _addresses:
                _addresses.update(_find())
    return _addresses[dtype]


def _find() -> dict[str, int]:
    try:
        return _private(_libraries())
    except (OSError, AttributeError) as error:
        fall_back("code", f"BLAS: no private copy ({error}); with SciPy's own, its number of threads may change bits")
        return _shared()


def _libraries() -> str:
    """The folder of the libraries that SciPy brings."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        raise OSError("SciPy is not installed")
    return os.path.join(os.path.dirname(os.path.dirname(spec.origin)), "scipy.libs")


def _private(folder: str) -> dict[str, int]:
    """The routines of a new instance of the OpenBLAS in ``folder``; OSError or AttributeError where that cannot be."""
    [path] = glob.glob(os.path.join(folder, "libscipy_openblas-*.so")) or [""]
    if not path or not hasattr(os, "memfd_create"):
        raise OSError(f"no OpenBLAS in {folder}")
    for pattern in ("libquadmath*.so*", "libgfortran*.so*"):  # in this order: the second needs the first
        for needed in sorted(glob.glob(os.path.join(folder, pattern))):
            ctypes.CDLL(needed)
    with _nameless_copy(path) as copy, _one_thread():
        library = ctypes.CDLL(copy)
    if library.scipy_openblas_get_num_threads() != 1:
        raise OSError("the copy has more than one thread")
    _loaded.append(library)
    return {dtype: _address(getattr(library, f"scipy_{name}_")) for dtype, name in ROUTINES.items()}


@contextlib.contextmanager
def _nameless_copy(path: str) -> Iterator[str]:
    """A copy of a shared library in memory that does not say what it is called; gives a path to open it by."""
    file = os.memfd_create("nbgrad-blas")
    try:
        with open(path, "rb") as source:
            size = os.fstat(source.fileno()).st_size
            while (done := os.lseek(file, 0, os.SEEK_CUR)) < size:
                if os.sendfile(file, source.fileno(), done, size - done) == 0:
                    raise OSError(f"{path} ends early")
        with mmap.mmap(file, size) as copy:
            _forget_name(copy)
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)


def _forget_name(library: mmap.mmap) -> None:
    """Take the SONAME entry out of the dynamic section of an ELF file. Source: System V ABI, chapters 4 and 5."""
    if library[:6] != _ELF64:
        raise OSError("not a 64-bit little-endian ELF library")
    [headers] = struct.unpack_from("<Q", library, 32)
    size, count = struct.unpack_from("<HH", library, 54)
    for header in range(headers, headers + size * count, size):
        kind, _, at, _, _, length = struct.unpack_from("<IIQQQQ", library, header)
        if kind == _PT_DYNAMIC:
            for entry in range(at, at + length, 16):
                if struct.unpack_from("<q", library, entry)[0] == _DT_SONAME:
                    struct.pack_into("<q", library, entry, _DT_IGNORED)
                    return


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """While this lasts, an OpenBLAS that is being loaded starts no threads."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


def _shared() -> dict[str, int]:
    """The routines that SciPy itself calls."""
    capsules = importlib.import_module("scipy.linalg.cython_blas").__pyx_capi__
    return {dtype: _in_capsule(capsules[name]) for dtype, name in ROUTINES.items()}


def _in_capsule(capsule: object) -> int:
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.argtypes, name_of.restype = (ctypes.py_object,), ctypes.c_char_p
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.argtypes, pointer_of.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    return int(pointer_of(capsule, name_of(capsule)))


def _address(function: Callable[..., object]) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)

"""``python -m nbgrad``: what this installation consists of, what it finds on this machine, and what falls back."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from nbgrad.config import SWITCHES, settings
from nbgrad.kernels.engine import llvm_version
from nbgrad.kernels.target import host
from nbgrad.log import fallbacks
from nbgrad.runtime import cache
from nbgrad.runtime.cuda.devices import device_count, gpu, why_none
from nbgrad.runtime.store import KernelStore
from nbgrad.tape.blas import of_numpy, of_scipy
from nbgrad.tape.kernel import KernelText, Operand, Stmt

_LIBRARIES: Final = ("numba", "llvmlite", "numpy", "scipy", "numba-cuda", "cuda-bindings", "nvidia-nvjitlink")
_PATIENCE_S: Final = 60.0  # with the worker process, which imports Numba
_LOOK_S: Final = 0.01


def report() -> str:
    """The whole, a part of it under each heading. It starts the worker process and has it make a kernel."""
    parts = {
        "Versions": [*_versions()],
        "Processor": [*_processor()],
        "Switches": _switches(),
        "Kernels on disk": [*_cache()],
        "Worker process": [_worker()],
        "GPUs": [*_gpus()],
        "BLAS and LAPACK": [*_blas()],
    }
    parts["Falls back"] = fallbacks() or ["nothing"]  # what the others have found, too
    return "\n\n".join(["\n  ".join([title, *lines]) for title, lines in parts.items()])


def _versions() -> Iterator[str]:
    yield f"nbgrad {importlib.import_module('nbgrad').__version__}"
    yield f"Python {platform.python_version()} ({platform.python_implementation()}), {platform.platform()}"
    for name in _LIBRARIES:
        more = f" (LLVM {llvm_version()})" if name == "llvmlite" else ""
        yield f"{name} {_version(name)}{more}"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "is not installed"


def _processor() -> Iterator[str]:
    target = host()
    yield f"{target.cpu}, {target.triple}: code for {target.level}, vectors of {target.lanes(4)} float32"
    yield f"features: {' '.join([word[1:] for word in target.features.split(',') if word.startswith('+')])}"
    yield f"{os.cpu_count()} cores, {settings.num_threads} threads work on a program"


def _switches() -> list[str]:
    names = [switch.variable for switch in SWITCHES.values()]
    return [f"{name}={os.environ[name]}" for name in names if name in os.environ] or ["none is set"]


def _cache() -> Iterator[str]:
    problem = cache.obstacle()
    try:
        folder, entries, nbytes = cache.stats()
        yield f"{folder}: {entries} entries, {nbytes / 1e6:.1f} of {settings.cache_bytes / 1e6:.0f} MB"
    except OSError as error:
        problem = problem or str(error)
    yield f"no kernels can be kept there, so each process compiles its own: {problem}" if problem else "it can be used"


def _worker() -> str:
    """What becomes of a kernel that is asked of the worker process."""
    x = Operand("float32", 1, "in")
    text = KernelText("map", 1, 0, (x, x._replace(role="out")), (Stmt("mul", (0, 0), (), "float32"),), ((2, 1),))
    store, done = KernelStore(), list[None]()
    begun_s = time.monotonic()
    if not store.request([text], lambda: done.append(None)):
        return "there is none"  # why, stands under what falls back
    while not done and time.monotonic() - begun_s < _PATIENCE_S:
        time.sleep(_LOOK_S)
        store.poll()
    made = store.made_by([text]).split("  ")[1]
    store.stop_worker()
    return f"made a kernel in {time.monotonic() - begun_s:.1f} s: {made}"


def _gpus() -> Iterator[str]:
    if not device_count():
        yield f"none: {why_none()}"
    for index in range(device_count()):
        found = gpu(index)
        what = found.properties
        memory = f"{what.total_memory / 2**30:.0f} GiB, {what.multi_processor_count} processors"
        yield f"cuda:{index}: {what.name}, compute capability {what.major}.{what.minor}, {memory}"


def _blas() -> Iterator[str]:
    """What SciPy brings, which decompositions call; products are kernels of our own."""
    name = ""
    with suppress(Exception):  # a form that SciPy promises nothing about
        found: Any = importlib.import_module("scipy").show_config(mode="dicts")["Build Dependencies"]["lapack"]
        name = f": {found['name']} {found['version']}"
    yield f"SciPy's for decompositions{name}; products are kernels of nbgrad's"
    for owner, blas in (("SciPy", of_scipy()), ("NumPy", of_numpy())):
        if not blas.put:
            yield f"{owner}'s is no OpenBLAS with threads of its own: nbgrad leaves its number of threads as it is"

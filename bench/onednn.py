"""Convolutions by oneDNN itself, through ctypes, where PyPI's wheel ``onednn-cpu-gomp`` is installed.

Of the wheels on PyPI, ``onednn`` (2026.1) brings 2 GB of SYCL and OpenCL libraries and needs their paths set;
``onednn-cpu-gomp`` (2023.2, oneDNN 3.2, 39 MB) needs nothing but libgomp. Numbers are those of ``dnnl_types.h``.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

CPU, IN_ORDER, FLOAT, DIRECT, FORWARD = 1, 1, 3, 1, 64
ANY_LAYOUT: Final = 1
ALLOCATE: Final = ctypes.c_void_p(-1)
DIMS: Final = ctypes.c_int64 * 12
Steps: TypeAlias = tuple[Callable[[], None], ...]
# What a pass reads, and what it writes: (number of the argument, number that asks for its layout).
SOURCE, RESULT, WEIGHTS = (1, 129), (17, 133), (33, 131)
SOURCE_GRAD, RESULT_GRAD, WEIGHTS_GRAD = (129, 130), (145, 134), (161, 132)


class _Argument(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int), ("memory", ctypes.c_void_p))


class Window(NamedTuple):
    """Shapes of a convolution's input and filters, its stride and padding."""

    x: tuple[int, ...]
    w: tuple[int, ...]
    stride: int
    padding: int

    @property
    def y(self) -> tuple[int, ...]:
        """The shape of the result."""
        out = (self.x[2] + 2 * self.padding - self.w[2]) // self.stride + 1
        return self.x[0], self.w[0], out, out


def why_absent() -> str:
    """Why oneDNN cannot take part; empty where it can."""
    return "" if _places() else "onednn-cpu-gomp is not installed"


def _places() -> list[Path]:
    return sorted(Path(sys.prefix, "lib").glob("libdnnl.so.*"))


@cache
def _library() -> tuple[Any, Any, Any]:
    """oneDNN, an engine and a stream."""
    dnnl, engine, stream = ctypes.CDLL(str(_places()[0])), ctypes.c_void_p(), ctypes.c_void_p()
    dnnl.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
    dnnl.dnnl_primitive_desc_query_md.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    _check(dnnl.dnnl_engine_create(ctypes.byref(engine), CPU, ctypes.c_size_t(0)))
    _check(dnnl.dnnl_stream_create(ctypes.byref(stream), engine, IN_ORDER))
    return dnnl, engine, stream


def _check(status: int) -> None:
    if status:
        raise RuntimeError(f"oneDNN says {status}")


def _made(name: str, *args: Any) -> ctypes.c_void_p:
    """What ``dnnl_NAME`` writes to its first argument."""
    made = ctypes.c_void_p()
    _check(getattr(_library()[0], f"dnnl_{name}")(ctypes.byref(made), *args))
    return made


def _layout(shape: Sequence[int], *, free: bool) -> ctypes.c_void_p:
    """Of row-major numbers, or the one that oneDNN likes best."""
    dims = DIMS(*shape)
    if free:
        return _made("memory_desc_create_with_tag", len(shape), dims, FLOAT, ANY_LAYOUT)
    strides = DIMS(*[int(np.prod(shape[k + 1 :])) for k in range(len(shape))])
    return _made("memory_desc_create_with_strides", len(shape), dims, FLOAT, strides)


def _memory(layout: ctypes.c_void_p, place: ctypes.c_void_p) -> ctypes.c_void_p:
    return _made("memory_create", layout, _library()[1], place)


def _runs(description: ctypes.c_void_p, arguments: Sequence[tuple[int, ctypes.c_void_p]]) -> Callable[[], None]:
    """Computes what is described."""
    dnnl, _, stream = _library()
    primitive = _made("primitive_create", description)
    given = (_Argument * len(arguments))(*[_Argument(number, memory.value) for number, memory in arguments])

    def run() -> None:
        _check(dnnl.dnnl_primitive_execute(primitive, stream, len(given), given))

    return run


def _copies(source: Any, place: Any, to: Any, there: Any) -> Callable[[], None]:
    """Brings numbers from one layout to another."""
    engine = _library()[1]
    return _runs(_made("reorder_primitive_desc_create", source, engine, to, engine, None), [(1, place), (17, there)])


class Convolution:
    """A convolution in layouts that oneDNN chooses, with the way there from arrays row by row, and back.

    ``results`` are those of the forward pass and the gradients of x and w by g; they are filled in by ``step``.
    """

    def __init__(self, window: Window, x: Any, w: Any, g: Any) -> None:
        self.results = [np.empty_like(array) for array in (g, x, w)]
        self._arrays = dict(zip((SOURCE, WEIGHTS, RESULT_GRAD), (x, w, g), strict=True))
        self._arrays |= dict(zip((RESULT, SOURCE_GRAD, WEIGHTS_GRAD), self.results, strict=True))
        engine, pads = _library()[1], DIMS(*[window.padding] * 2)
        source, weights, result = (_layout(shape, free=True) for shape in (window.x, window.w, window.y))
        how = DIMS(*[window.stride] * 2), DIMS(0, 0), pads, pads
        name = "convolution_{}_primitive_desc_create".format
        ahead = _made(name("forward"), engine, FORWARD, DIRECT, source, weights, None, result, *how, None)
        to_x = _made(name("backward_data"), engine, DIRECT, source, weights, result, *how, ahead, None)
        to_w = _made(name("backward_weights"), engine, DIRECT, source, weights, None, result, *how, ahead, None)
        self._passes = [
            self._pass(ahead, (SOURCE, WEIGHTS), RESULT),
            self._pass(to_x, (RESULT_GRAD, WEIGHTS), SOURCE_GRAD),
            self._pass(to_w, (SOURCE, RESULT_GRAD), WEIGHTS_GRAD),
        ]

    def _pass(self, description: Any, reads: Sequence[Any], writes: Any) -> tuple[Callable[[], None], Steps]:
        """What computes, and that between the way there and the way back."""
        dnnl, there, back, given = _library()[0], list[Callable[[], None]](), list[Callable[[], None]](), []
        for number, asks in (*reads, writes):
            array = self._arrays[number, asks]
            theirs = ctypes.c_void_p(dnnl.dnnl_primitive_desc_query_md(description, asks, 0))
            ours = _layout(array.shape, free=False)
            place = _memory(ours, ctypes.c_void_p(array.ctypes.data))
            if dnnl.dnnl_memory_desc_equal(theirs, ours):
                given.append((number, place))
                continue
            aside = _memory(theirs, ALLOCATE)
            given.append((number, aside))
            if (number, asks) == writes:
                back.append(_copies(theirs, aside, ours, place))
            else:
                there.append(_copies(ours, place, theirs, aside))
        run = _runs(description, given)
        return run, (*there, run, *back)

    def step(self, *, gradients: bool, moves: bool) -> Callable[[], None]:
        """The forward pass, or all three; with the way there and back where it ``moves`` numbers."""
        passes = self._passes if gradients else self._passes[:1]
        return partial(self._run, [step for run, whole in passes for step in (whole if moves else (run,))])

    def _run(self, steps: Sequence[Callable[[], None]]) -> None:
        """Of a method, as oneDNN keeps addresses in arrays that are this object's."""
        for each in steps:
            each()

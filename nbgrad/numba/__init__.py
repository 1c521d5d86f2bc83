"""``import nbgrad.numba``: computations as functions of Numba's. It imports Numba, which nbgrad itself does without."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any

import numba

from nbgrad.errors import ArgumentError
from nbgrad.explain import plans_of
from nbgrad.kernels.compile import emitted_body
from nbgrad.kernels.frame import body_name
from nbgrad.kernels.listing import descriptor_words, listing
from nbgrad.kernels.numba_target import kernel_function
from nbgrad.kernels.nvvm import jit_function
from nbgrad.kernels.target import host
from nbgrad.numba.cfunctions import cfunc
from nbgrad.numba.differentiate import checkpointed, differentiate, differentiate_hvp, differentiate_vjp
from nbgrad.numba.elementwise import elementwise
from nbgrad.numba.forms import hvp, jacobian, njit, value_and_grad, value_and_jacobian, vjp
from nbgrad.numba.operator import operator
from nbgrad.tape.kernel import KernelText

__all__ = [
    "cfunc",
    "checkpointed",
    "differentiate",
    "differentiate_hvp",
    "differentiate_vjp",
    "elementwise",
    "hvp",
    "jacobian",
    "kernels",
    "njit",
    "operator",
    "value_and_grad",
    "value_and_jacobian",
    "vjp",
]

_ARRAY_KERNEL = numba.types.int32(numba.types.int64[::1], numba.types.int64, numba.types.int64)


def kernels(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
    """The kernels of what ``fn`` computes of these arguments, in the order in which they run, each once, as ``@njit``
    functions: Numba dispatchers, with ``signatures``, ``inspect_llvm``, ``inspect_asm`` and the rest.

    Each is called as ``kernel(desc, begin, end)``, from Python or from other ``@njit`` functions (which may also hand
    over a pointer to int64), works on the items ``begin`` to ``end`` without the GIL, and gives 0. ``desc`` is an array
    of int64 with sizes, addresses and strides, whose words ``kernel.__doc__`` names; ``nbgrad/tape/kernel.py`` says
    what they and items are. The bits are those that nbgrad computes. ``nbgrad.explain`` shows the same names.

    What runs on a GPU are ``@cuda.jit`` kernels, compiled when they are launched: ``kernel[blocks, threads, stream,
    shared](desc, items, chunk, status, workspace, scratch)``, see ``nbgrad/kernels/ptx.py``. That needs
    numba-cuda, but no GPU: ``numba.cuda.compile_ptx(kernel.py_func, ...)`` compiles for any.

    >>> import numpy as np, nbgrad.numba
    >>> [kernel] = nbgrad.numba.kernels(lambda x: (x * x).tanh() + x, nbgrad.ones(4))
    >>> kernel.signatures[0]
    (Array(int64, 1, 'C', False, aligned=True), int64, int64)
    >>> print(kernel.__doc__.splitlines()[-1])
      desc = i0, in0, in0 by i0, out1, out1 by i0
    >>> x, out = np.linspace(0, 1, 5, dtype=np.float32), np.zeros(5, np.float32)
    >>> desc = np.array([x.size, x.ctypes.data, x.itemsize, out.ctypes.data, out.itemsize])
    >>> kernel(desc, 0, x.size)
    0
    >>> bool((out == (lambda x: (x * x).tanh() + x)(nbgrad.tensor(x)).numpy()).all())
    True
    """
    _, plans = plans_of(fn, args, kwargs)
    found = dict.fromkeys([kernel for plan in plans for kernel in plan.kernels()])
    return [_cuda_dispatcher(text) if target.is_warp else _dispatcher(text) for text, target in found]


@functools.lru_cache(maxsize=1024)
def _dispatcher(text: KernelText) -> Any:
    dispatcher = numba.njit(nogil=True)(
        _told(kernel_function(text.symbol, body_name(text.symbol), emitted_body(text, host())), text)
    )
    dispatcher.compile(_ARRAY_KERNEL)
    return dispatcher


@functools.lru_cache(maxsize=1024)
def _cuda_dispatcher(text: KernelText) -> Any:
    if importlib.util.find_spec("numba_cuda") is None:
        raise ArgumentError("kernels: those of a GPU need numba-cuda: pip install 'nbgrad[cuda]'")
    from numba import cuda

    return cuda.jit(_told(jit_function(text), text))


def _told(function: Callable[..., Any], text: KernelText) -> Callable[..., Any]:
    """``function``, documented as the kernel that it is."""
    function.__doc__ = f"{listing(text)}  desc = {', '.join(descriptor_words(text))}"
    return function

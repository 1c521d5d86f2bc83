"""Who is compared, where each comes from, and why one is missing from a table."""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.util
import os
import shutil
import sys
from types import SimpleNamespace
from typing import Any, Final

from nbgrad.system.cores import available_cores

NBGRAD: Final = "nbgrad"
NBGRAD_COMPILED: Final = "nbgrad.compile"
TORCH: Final = "PyTorch eager"
COMPILED: Final = "torch.compile"
JAX: Final = "JAX jit"
AUTOGRAD: Final = "HIPS autograd"
NUMBA: Final = "Numba by hand"
NBGRAD_NJIT: Final = "nbgrad.numba"
NBGRAD_OUT: Final = "nbgrad.numba, out="
NUMPY: Final = "NumPy by hand"
PRIMAL: Final = "Numba, value alone"
VECTORIZED: Final = "numba.vectorize, value alone"
DRJIT: Final = "Dr.Jit"
ENZYME: Final = "numba-enzyme"

MODULES: Final = {
    NBGRAD: "nbgrad",
    NBGRAD_COMPILED: "nbgrad",
    NBGRAD_NJIT: "nbgrad",
    NBGRAD_OUT: "nbgrad",
    TORCH: "torch",
    COMPILED: "torch",
    JAX: "jax",
    AUTOGRAD: "autograd",
    DRJIT: "drjit",
}


def why_absent(contestant: str, compile_asked: bool) -> str:
    """Why ``contestant`` cannot take part in this run; empty where it can."""
    module = MODULES.get(contestant, "numpy")
    if importlib.util.find_spec(module) is None:
        return f"{module} is not installed"
    if contestant == COMPILED and not compile_asked:
        return "not asked for (--compile asks)"
    if contestant == COMPILED and not any(map(shutil.which, ("g++", "c++", "clang++"))):
        return "needs a C++ compiler, and there is none"
    if contestant == DRJIT and not _drjit_has_llvm():
        return "finds no LLVM; DRJIT_LIBLLVM_PATH says where one is"
    return ""


def _drjit_has_llvm() -> bool:
    import drjit  # an extra, which loads an LLVM of the system's

    found: bool = drjit.has_backend(drjit.JitBackend.LLVM)
    return found


def why_without_gpu(contestant: str) -> str:
    """Why ``contestant`` cannot run on a GPU here; empty where it can. The floor's copies are nbgrad's."""
    if contestant == JAX:
        import jax  # an extra

        return "" if any(d.platform == "gpu" for d in jax.devices()) else "this JAX finds no GPU"
    name = TORCH if contestant in (TORCH, COMPILED) else NBGRAD
    if importlib.util.find_spec(MODULES[name]) is None:
        return f"{MODULES[name]} is not installed"
    return "" if library(name).cuda.is_available() else f"{MODULES[name]} finds no GPU"


def release_gpu_memory() -> None:
    """Give back what the libraries keep on the GPU for cases that are over: the next one may need all of it."""
    gc.collect()
    if "torch" in sys.modules:
        torch = library(TORCH)
        torch.compiler.reset()  # its graphs have memory of their own
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    library(NBGRAD).cuda.empty_cache()


def gpu_name() -> str:
    """What the GPU calls itself."""
    name: str = library(NBGRAD).cuda.get_device_name()
    return name


def library(contestant: str) -> Any:
    """nbgrad or PyTorch. They are imported where a case needs them: each is an extra, and its start is measured."""
    return importlib.import_module(MODULES[contestant])


@functools.cache
def jax_functions() -> Any:
    """``jax.numpy`` with the functions that PyTorch has beside its elementary ones."""
    import jax  # an extra

    jax.config.update("jax_enable_x64", True)  # float32 stays float32
    special = {name: getattr(jax.scipy.special, name) for name in ("erf", "logsumexp")}
    activations = {name: getattr(jax.nn, name) for name in ("sigmoid", "relu", "softmax", "log_softmax")}
    return SimpleNamespace(**{**vars(jax.numpy), **special, **activations, "clone": jax.numpy.copy})


@functools.cache
def drjit_functions() -> Any:
    """``drjit`` with a constructor ``array`` of its LLVM backend's arrays, on as many threads as everybody."""
    import drjit
    from drjit.llvm import ad

    drjit.set_thread_count(int(os.environ.get("NBGRAD_NUM_THREADS", 0)) or available_cores())
    kinds = {"float32": ad.Float, "float64": ad.Float64, "int64": ad.Int64}
    return SimpleNamespace(**{**vars(drjit), "array": lambda x: kinds[x.dtype.name](x)})


@functools.cache
def autograd_functions() -> Any:
    """``autograd.numpy`` with the functions that PyTorch has beside its elementary ones."""
    from autograd import numpy as anp  # an extra
    from autograd.scipy import special

    named = {"erf": special.erf, "logsumexp": special.logsumexp, "sigmoid": lambda x: 1 / (1 + anp.exp(-x))}
    return SimpleNamespace(**{**vars(anp), **named})

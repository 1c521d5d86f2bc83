"""``nbgrad.numba.differentiate``: gradients of ``@njit`` functions, with their loops, branches and writes, as ``@njit`` functions.

The function is compiled a second time. Numba types it as ever; what is other is how floats lie in memory (``layout.py``) and
what an operation on them does beside computing (``operations.py``): it writes an entry on a tape (``tape.py``). So
derivatives go wherever values go, through containers and calls, and nothing is transformed. ``gate.py`` is the list of
what may touch a float.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numba
from numba.extending import overload

from nbgrad.numba.differentiate.driver import Program, value_and_gradients

__all__ = ["differentiate"]


def differentiate(fn: Any, *, tape_bytes: int | None = None) -> Any:
    program = Program(fn, tape_bytes)
    names = list(program.parameters)
    defaults = {name: p.default for name, p in program.parameters.items() if p.default is not p.empty}
    return _dispatcher(program, value_and_gradients, names, defaults)


def _dispatcher(
    program: Program, driver: Callable[..., Any], names: Sequence[str], defaults: dict[str, Any]
) -> Any:
    """An ``@njit`` function with these parameters, whose body ``driver`` writes for the types of a call."""
    inner = [f"x{k}" for k in range(len(names))]
    scope: dict[str, Any] = {"write": lambda *kinds: driver(program, kinds, inner)}
    exec(f"def stub({', '.join(inner)}): pass", scope)
    exec(f"def written({', '.join(inner)}): return write({', '.join(inner)})", scope)
    error_model = program.options.get("error_model", "python")
    overload(scope["stub"], strict=False, jit_options={"error_model": error_model, "nogil": True})(scope["written"])
    given = [f"{name}=default_{name}" if name in defaults else name for name in names]
    scope |= {f"default_{name}": value for name, value in defaults.items()}
    exec(f"def {program.name}({', '.join(given)}): return stub({', '.join(names)})", scope)
    function = scope[program.name]
    function.__doc__ = f"Value and gradients of {program.name}, as ``nbgrad.numba.differentiate`` says."
    return numba.njit(nogil=True, error_model=error_model)(function)

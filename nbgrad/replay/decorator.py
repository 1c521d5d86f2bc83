"""``nbgrad.compile``: what it takes, and what it makes of it."""

from __future__ import annotations

import functools
from typing import Any, Final

from nbgrad.errors import DTypeError, RunError
from nbgrad.nn.module import Module
from nbgrad.replay.compiled import Compiled

MODES: Final = (None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")  # PyTorch's names


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str = "nbgrad",
    mode: str | None = None,
    options: Any = None,
    disable: bool = False,
) -> Any:
    """A function, method or Module that is recorded once and then run without recording: no Python per operation.

    ``model`` is called as before, with the same results: its first calls (two or three) are recorded like any code;
    from then on a call is one run of one program: forward, ``backward()``, the optimiser's step, in-place writes of
    parameters and buffers, random numbers. At each call it is bound to the arguments (tensors, and numbers that are
    arguments of their own), to the tensors that the function reaches through closures, globals, defaults, attributes
    and containers, to the options of optimisers and to the random stream. All else that the recorded calls can have
    read is of a known kind (docs/compile.md has the list) and is looked at before each call: where something has
    changed the call is recorded again, and ``NBGRAD_LOG=compile`` says what. Otherwise the function is recorded at each
    call, as if it were not compiled, and ``nbgrad.explain`` and the log say why; with ``fullgraph`` that is a
    RuntimeError that shows the line. A number, or which tensor stands in a place, that has changed once is bound like
    an argument from then on; the function itself may change it, too (``self.n += 1``, ``self.h = h.detach()``). Numbers
    decide as they did: ``if lr > 0.1`` is checked again, too; functions of ``math`` are computed again. Arguments that
    are lists, tuples, dicts, dataclasses or ``SimpleNamespace`` are taken apart.

    Views that it reaches, and tensors over NumPy's memory (``from_numpy``), are read at each call where they lie, and
    what it writes to a view reaches all that show the memory.

    What cannot be repeated: a look at a value (``item()``, ``print``, an ``if`` on a tensor), lists that grow,
    iterators, files, clocks, Python's and NumPy's random numbers, writing to memory that NumPy sees, and reading a view
    that was made outside with a derivative (a PerformanceWarning tells of these two). Results that are views
    show what they show plainly. May be used as a decorator, with or without arguments, on methods, too.

    ``dynamic`` and ``mode`` are taken for PyTorch's sake: sizes and numbers are never compiled into kernels, and there
    is one way to compile. ``disable`` gives the function back as it is. Another ``backend`` or ``mode``, or
    ``options``, is a RuntimeError.

    >>> w = nbgrad.ones(3, requires_grad=True)
    >>> @nbgrad.compile
    ... def step(x, lr):
    ...     loss = ((w * x).sum() - 1) ** 2
    ...     loss.backward()
    ...     with nbgrad.no_grad():
    ...         w.sub_(lr * w.grad)
    ...     w.grad = None
    ...     return loss.detach()
    >>> [round(step(nbgrad.ones(3), 0.1).item(), 4) for _ in range(4)]
    [4.0, 0.64, 0.1024, 0.0164]
    """
    if backend != "nbgrad":
        raise RunError(f"compile: there is no backend {backend!r}; leave the argument out")
    if mode not in MODES:
        raise RunError(f"compile: unrecognized mode {mode!r}; should be one of {', '.join(map(repr, MODES))}")
    if options:
        raise RunError(f"compile: there are no options, got {options!r}; nbgrad's switches are in nbgrad.config")
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, dynamic=dynamic, mode=mode, disable=disable)
    if disable:
        return model
    if isinstance(model, Module):
        return _with_compiled_forward(model, fullgraph)
    if not callable(model):
        raise DTypeError(f"compile(): argument 'model' must be a function or Module, not {type(model).__name__}")
    return Compiled(model, fullgraph=fullgraph)


def _with_compiled_forward(model: Module, fullgraph: bool) -> Module:
    """Another face of ``model``: the same attributes, also those that are set later, in an object whose class has a
    compiled ``forward``."""
    kind = type(model)
    members: dict[str, Any] = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
    members["forward"] = Compiled(kind.forward, fullgraph=fullgraph)
    made: Module = Module.__new__(type(kind.__name__, (kind,), members))
    object.__setattr__(made, "__dict__", model.__dict__)
    return made

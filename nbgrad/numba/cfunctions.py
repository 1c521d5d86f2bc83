"""Computations as C functions by their address: for SciPy's ``LowLevelCallable``, and for C libraries."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numba import types
from scipy import LowLevelCallable

from nbgrad.autograd import grad
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.graph.dtypes import float64
from nbgrad.graph.spec import Spec
from nbgrad.numba.addresses import address_of, call_with_words, lasting
from nbgrad.numba.arguments import parameter_names, spec_of
from nbgrad.numba.export import Export, tensors_of
from nbgrad.numba.failures import noted, tell
from nbgrad.tensor import Tensor


class _Form(NamedTuple):
    """A C signature."""

    result: Any
    arguments: dict[str, Any]  # Numba's types
    dims: int  # of the function's argument
    body: str  # of an ``@njit`` function; ``data`` are parameters, where there are some


_DOUBLES: Final = types.CPointer(types.float64)
_DATA: Final = {"data": types.voidptr}
_VECTOR: Final = {"n": types.intc, "x": _DOUBLES}
_WINDOW: Final = {"x": _DOUBLES, "n": types.intp, "y": _DOUBLES, "data": types.voidptr}
_SLOPE: Final = {"n": types.uintc, "x": _DOUBLES, "gradient": _DOUBLES, "data": types.voidptr}
_OF_NUMBER: Final = "return value(x{parameters})"
_OF_VECTOR: Final = "return value(carray(x, (n,)){parameters})"
_OF_WINDOW: Final = "y[0] = value(carray(x, (n,)){parameters}); return 1"
_BOTH: Final = "both(carray(x, (n,)){parameters}, out=carray(gradient, (n,)))[0]"
_FORMS: Final = {
    "double (double)": _Form(types.float64, {"x": types.float64}, 0, _OF_NUMBER),
    "double (double, void *)": _Form(types.float64, {"x": types.float64} | _DATA, 0, _OF_NUMBER),
    "double (int, double *)": _Form(types.float64, _VECTOR, 1, _OF_VECTOR),
    "double (int, double *, void *)": _Form(types.float64, _VECTOR | _DATA, 1, _OF_VECTOR),
    "int (double *, intptr_t, double *, void *)": _Form(types.intc, _WINDOW, 1, _OF_WINDOW),
    "double (unsigned, const double *, double *, void *)": _Form(
        types.float64, _SLOPE, 1, f"{_OF_VECTOR} if address_of(gradient) == 0 else {_BOTH}"
    ),
}
_NULL: Final = 1  # why a call failed, where it is not for an error


def cfunc(fn: Callable[..., Any], signature: str, *examples: Any) -> CFunction:
    """``fn``, a function on tensors that gives a 0-d one, as a C function of one of these signatures:

        double (double)                                         ``fn(x)`` of a number: SciPy's ``quad``
        double (double, void *)                                 the same with parameters
        double (int, double *)                                  ``fn(x)`` of a 1-d tensor: ``quad``, ``nquad``
        double (int, double *, void *)                          the same with parameters
        int (double *, intptr_t, double *, void *)              ``fn(window)``: ``ndimage.generic_filter``
        double (unsigned, const double *, double *, void *)     ``fn(x)``, and its gradient by x where the second
                                                                pointer is not null: optimisers, as of NLopt

    ``examples`` are one of ``x`` and, where ``fn`` has a second argument, one of these parameters: a 1-d array. C hands
    over its elements as ``void *``, always as many. All is float64. It runs without the GIL, and in several threads at
    once. ``fn`` may ask for derivatives (``nbgrad.autograd.grad``); see ``njit`` for what else it may do.

    C has no exceptions. A call that fails gives NaN (0 where it gives an int, by which ``generic_filter`` fails), and
    its error is kept: ``check()`` raises the first one, which was also written to stderr (``sys.unraisablehook``).

    >>> import numpy as np, nbgrad.numba
    >>> from scipy.integrate import quad
    >>> def slope(x, a):
    ...     return nbgrad.autograd.grad((a[0] * x).sin(), x)[0]
    >>> f = nbgrad.numba.cfunc(slope, "double (double, void *)", 0.0, np.zeros(1))
    >>> area, _ = quad(f.callable(np.array([2.0])), 0.0, 1.0)
    >>> f.check()
    >>> bool(abs(area - np.sin(2.0)) < 1e-12)
    True
    """
    return CFunction(fn, signature, examples)


class CFunction:
    """What ``cfunc`` gives. ``address`` is that of its machine code, which is there as long as the process; ``ctypes``
    is a ctypes function with its signature."""

    def __init__(self, fn: Callable[..., Any], signature: str, examples: Sequence[Any]) -> None:
        self._name: str = getattr(fn, "__name__", "function")
        self.signature = _known(signature)
        form = _FORMS[self.signature]
        self._specs = _specs(self._name, self.signature, form, examples)
        self._error: BaseException | None = None
        self._callback = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(self._failed)
        made = numba.cfunc(form.result(*form.arguments.values()))(self._entry(form, self._scope(fn, form, examples)))
        _alive.append((self, made))
        self.address: int = made.address
        self.ctypes: Any = made.ctypes

    def __repr__(self) -> str:
        return f"<C function {self._name}: {self.signature}>"

    def callable(self, parameters: Any = None) -> LowLevelCallable:
        """It as SciPy takes it, with ``parameters``: a float64 array of the example's shape, which each call reads.
        TypeError for another."""
        if len(self._specs) == 1:
            if parameters is not None:
                raise ArgumentError(f"{self._name}: it was made without an example of parameters, so it takes none")
            return LowLevelCallable(self.ctypes)
        wanted = self._specs[1].shape
        fits = isinstance(parameters, np.ndarray) and parameters.dtype == np.float64 and parameters.shape == wanted
        if not fits or not parameters.flags.c_contiguous:
            raise DTypeError(
                f"{self._name}: parameters must be a row-major array of float64 of shape {list(wanted)}, not "
                f"{_told(parameters)}"
            )
        return LowLevelCallable(self.ctypes, _Parameters(parameters))

    def check(self) -> None:
        """Raise the first error of a call since the last ``check``, if there was one."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _failed(self, why: int, *_: int) -> int:
        """From the machine code: a call failed."""
        error: BaseException | None = noted()
        if why == _NULL:
            error = ArgumentError(
                f"{self._name}: called without its {self._specs[1].size} parameters: void * is null; callable(array) "
                "hands them over"
            )
        if error is not None and self._error is None:
            self._error = error
            tell(error)
        return 0

    def _scope(self, fn: Callable[..., Any], form: _Form, examples: Sequence[Any]) -> dict[str, Any]:
        """The names in the text of the function."""
        name, names = self._name, parameter_names(fn, len(examples))

        def value(*tensors: Tensor) -> Tensor:
            found = tensors_of(name, fn(*tensors))
            if len(found) > 1 or found[0].ndim or found[0].dtype is not float64:
                raise ArgumentError(f"cfunc: {name} must give one 0-d Tensor of float64")
            return found[0]

        def both(*tensors: Tensor) -> tuple[Any, ...]:
            y = value(*tensors)
            return (y, *grad(y, tensors[:1], materialize_grads=True))

        scope: dict[str, Any] = {"value": Export(value, examples, name, names).dispatcher}
        if _BOTH in form.body:
            scope["both"] = Export(both, examples, name, names).dispatcher
        callback = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        scope |= {"carray": numba.carray, "address_of": address_of, "float64": types.float64, "nan": np.nan}
        return scope | {"call": call_with_words, "failed": lasting(callback, f"{name}: Python")}

    def _entry(self, form: _Form, scope: dict[str, Any]) -> Any:
        failed = "nan" if form.result is types.float64 else "0"
        parameters = f", carray(data, ({self._specs[1].size},), float64)" if len(self._specs) > 1 else ""
        null = [f"if address_of(data) == 0: call(failed(), {_NULL}, 0, 0); return {failed}"] if parameters else []
        lines = [
            *null,
            f"try: {form.body.format(parameters=parameters)}",
            "except Exception: call(failed(), 0, 0, 0)",
            f"return {failed}",
        ]
        exec(f"def entry({', '.join(form.arguments)}):\n    " + "\n    ".join(lines), scope)
        return scope["entry"]


_alive: list[Any] = []  # C has their addresses


class _Parameters(ctypes.c_void_p):
    """The address of an array, and the array itself, which SciPy so keeps."""

    def __init__(self, array: Any) -> None:
        super().__init__(array.ctypes.data)
        self.array = array


def _known(signature: str) -> str:
    """The signature that is meant, however it is spaced."""

    def plain(text: str) -> str:
        return (
            "".join(text.split())
            .replace("const", "")
            .replace("npy_intp", "intptr_t")
            .replace("unsignedint", "unsigned")
        )

    for known in _FORMS:
        if plain(known) == plain(signature):
            return known
    raise ArgumentError(f"cfunc: no function can have the C signature {signature!r}; there are {', '.join(_FORMS)}")


def _specs(name: str, signature: str, form: _Form, examples: Sequence[Any]) -> list[Spec]:
    specs = [spec_of(name, place, x) for place, x in enumerate(examples, 1)]
    if len(specs) not in (1, 1 + ("data" in form.arguments)):
        most = "one of x, and one of parameters where there are some" if "data" in form.arguments else "one of x"
        raise ArgumentError(f"cfunc: {signature} takes as examples {most}, not {len(specs)}")
    for place, (spec, rank) in enumerate(zip(specs, (form.dims, 1), strict=False), 1):
        if spec.dtype is not float64 or spec.rank != rank:
            wanted = "a 1-d float64 array" if rank else "a float"
            raise ArgumentError(f"cfunc: example {place} of {name} must be {wanted} for {signature}")
    return specs


def _told(x: Any) -> str:
    if not isinstance(x, np.ndarray):
        return type(x).__name__
    return f"one of {x.dtype} of shape {list(x.shape)}" if x.flags.c_contiguous else "a strided one"

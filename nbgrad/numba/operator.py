"""Array functions of the user's own as operators: compiled by Numba, called by the runner without the GIL."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

import numba
import numpy as np
from numba import types

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, ShapeError
from nbgrad.graph.spec import Spec
from nbgrad.kernels.numba_target import REFUSALS, CPUDispatcher, cuda_dispatcher, said_by
from nbgrad.numba.addresses import at
from nbgrad.numba.differentiate import differentiate, differentiate_vjp
from nbgrad.numba.differentiate.tensors import backward_of
from nbgrad.numba.gpu_kernels import Arguments, CudaFunction, CudaKernel, cuda_function
from nbgrad.ops.native import Native
from nbgrad.tape.kernel import RAISED
from nbgrad.tensor import Tensor
from nbgrad.trace import record

_WORDS: Final = types.CPointer(types.int64)
_ENTRY: Final = types.void(_WORDS, _WORDS)  # see nbgrad/kernels/library/native.py
_REMEMBERED: Final = 1024  # combinations of shapes

Shapes = Callable[..., Any]


def operator(
    forward: Callable[..., None],
    backward: Callable[..., Any] | Operator | None = None,
    *,
    shapes: Shapes | None = None,
) -> Operator:
    """A function on arrays as an operator on tensors: a part of the tape, which calls it without the GIL.

    ``forward(*inputs, *results)`` is an ``@njit`` function, or a Python function that Numba can compile. Its arguments
    are row-major arrays, one for each tensor of a call, then one of zeros for each result, which it writes. It must
    depend on its inputs alone and must not write to them. ``shapes(*input_shapes)`` gives the shape of the result, a
    tuple of ints, or a list of such of several results; without it there is one, shaped like the first input.

    ``backward(*inputs, *results, *cotangents, *gradients)`` writes the gradient of each floating input, by the
    cotangents of the results. A function has no derivative of its own; an operator may have, so derivatives of any
    order are possible. ``backward=nbgrad.numba.differentiate`` makes one of ``forward``, for first derivatives. Without
    ``backward`` a derivative is refused (RuntimeError).

    Floating inputs are float32 or float64 in their common dtype, which is that of results and gradients; integer and
    bool ones are as they are, and have no gradient. What Numba cannot compile is refused at the
    first call with such dtypes and numbers of dims (TypeError). An exception in the function becomes a RuntimeError.

    Tensors on a GPU have ``@cuda.jit`` kernels, compiled by numba-cuda: ``kernel[blocks, threads]`` is launched so, on
    the tape's stream, and ``kernel`` with a thread for each element of its largest array, as by ``kernel.forall``. On a
    simulated GPU numba-cuda's simulator runs them.

    >>> import numba, nbgrad
    >>> @numba.njit
    ... def running_max(x, y):
    ...     for i in range(len(x)):
    ...         y[i] = x[i] if i == 0 else max(x[i], y[i - 1])
    >>> @numba.njit
    ... def running_max_backward(x, y, gy, gx):
    ...     best = 0
    ...     for i in range(len(x)):
    ...         best = i if x[i] > x[best] else best
    ...         gx[best] += gy[i]
    >>> cummax = nbgrad.operator(running_max, running_max_backward)
    >>> x = nbgrad.tensor([1.0, 3.0, 2.0], requires_grad=True)
    >>> cummax(x * 2.0)
    tensor([2., 6., 6.], grad_fn=<NativeBackward0>)
    >>> cummax(x * 2.0).sum().backward()
    >>> x.grad
    tensor([2., 4., 0.])
    """
    made = Operator if cuda_dispatcher(forward) is None else CudaOperator
    return made(forward, backward, shapes)


class Operator(Native):
    """What ``operator`` gives: called with tensors, it gives a tensor, or a tuple of several."""

    def __init__(self, forward: Any, backward: Any, shapes: Shapes | None) -> None:
        self._function = self._accepted("forward", forward)
        if shapes is not None and not callable(shapes):
            raise DTypeError(
                "operator(): argument 'shapes' must be a function of the shapes of the inputs, not "
                f"{type(shapes).__name__}: lambda *inputs: {shapes!r}"
            )
        self._shapes = shapes
        self._is_backward = False  # made of a function that was given as one
        self.name: str = self._function.py_func.__name__
        self.n_results = 0  # known with the first call
        self.backward = self._backward_of(backward)
        self._entries: dict[tuple[Any, ...], Any] = {}
        self._results = functools.lru_cache(_REMEMBERED)(self._results_of)

    def _accepted(self, name: str, function: Any) -> Any:
        """``function``, given by that name, as one of Numba's for the CPU."""
        if isinstance(function, CPUDispatcher):
            return function
        if isinstance(function, FunctionType):
            return numba.njit(nogil=True)(function)
        raise DTypeError(
            f"operator(): argument '{name}' must be a function that Numba compiles for the CPU, "
            f"not {type(function).__name__}"
        )

    def _backward_of(self, given: Any) -> Operator | None:
        if given is differentiate and not self.is_launched:
            return _Derived(self)
        if isinstance(given, Operator) and given.is_launched is not self.is_launched:
            raise DTypeError(f"operator(): {self.name} and its backward must both be @cuda.jit kernels, or neither")
        if given is None or isinstance(given, Operator):
            return given
        made = type(self)(self._accepted("backward", given), None, None)
        made._is_backward = True
        return made

    def __call__(self, *tensors: Tensor) -> Any:
        for place, x in enumerate(tensors, 1):
            if not isinstance(x, Tensor):
                raise DTypeError(f"{self.name}(): argument {place} must be Tensor, not {type(x).__name__}")
            if (x.device.type == "cuda") is not self.is_launched:
                what, where = ("a @cuda.jit kernel", "cuda") if self.is_launched else ("one for the CPU", "cpu")
                raise DTypeNotImplementedError(
                    f"{self.name}(): argument {place} is on {x.device}, and the function is {what}: "
                    f"call it with x.{where}()"
                )
        if not tensors:
            raise ArgumentError(f"{self.name}(): expected at least one Tensor")
        packed = record(CALLS["native"], tensors, (self,))
        results = self.results(tuple([Spec.of(tuple(x.shape), x.dtype) for x in tensors]))
        if len(results) == 1:
            return packed
        ends = np.cumsum([r.size for r in results]).tolist()
        return tuple([packed[end - r.size : end].reshape(r.shape) for r, end in zip(results, ends, strict=True)])

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    def on_arrays(self, *arrays: Any) -> None:
        """The function itself."""
        self._function(*arrays)

    def function(self, inputs: Sequence[Any], results: Sequence[Any]) -> Any:
        """What is called with arrays of these dtypes."""
        return self._function

    def results(self, specs: tuple[Spec, ...]) -> tuple[Spec, ...]:
        return self._results(specs)

    def _results_of(self, specs: tuple[Spec, ...]) -> tuple[Spec, ...]:
        floats = [spec.dtype for spec in specs if spec.dtype.is_floating_point]
        dtype = max(floats, key=lambda d: d.itemsize) if floats else specs[0].dtype
        found = specs[0].shape if self._shapes is None else self._shapes(*[spec.shape for spec in specs])
        shapes: Any = found if isinstance(found, list) else [found]
        if not all(isinstance(shape, tuple) and all(isinstance(n, int) and n >= 0 for n in shape) for shape in shapes):
            raise ShapeError(f"{self.name}: shapes() gave {found!r}, expected a tuple of sizes, or a list of such")
        self.n_results = len(shapes)
        return tuple([Spec.of(shape, dtype) for shape in shapes])

    def address(self, specs: Sequence[Spec], results: Sequence[Spec]) -> int:
        """The entry for arguments of these dtypes and ranks; Numba compiles it when it is first asked for."""
        key = tuple([tuple([(spec.dtype.name, spec.rank) for spec in side]) for side in (specs, results)])
        entry = self._entries.get(key)
        if entry is None:
            self._require_arguments(len(specs), len(results))
            entry = self._entries.setdefault(key, self._compiled(*key))
        return entry if isinstance(entry, int) else int(entry.address)

    def _require_arguments(self, n_inputs: int, n_results: int) -> None:
        """The function must take as many arrays as a call has."""
        signature = inspect.signature(self._function.py_func)
        try:
            signature.bind(*range(n_inputs + n_results))
        except TypeError:
            takes = len(signature.parameters)
        else:
            return
        if self._is_backward:
            raise DTypeError(
                f"{self.name}: a backward is called with inputs, results, a cotangent of each result and a gradient of "
                f"each floating input: here {n_inputs + n_results} arrays, and it takes {takes}"
            )
        if takes <= n_results:
            raise DTypeError(
                f"{self.name} takes {_counted(takes, 'array')}, got {_counted(n_inputs, 'input')} and "
                f"{_counted(n_results, 'result')}"
            )
        raise DTypeError(
            f"{self.name} takes {_counted(takes - n_results, 'input')} and {_counted(n_results, 'result')}, "
            f"got {_counted(n_inputs, 'input')}"
        )

    def _compiled(self, inputs: Arguments, results: Arguments) -> Any:
        """A C function that makes arrays of what it is told, zeros of the results, and says whether all went well."""
        function = self.function([dtype for dtype, _ in inputs], [dtype for dtype, _ in results])
        scope: dict[str, Any] = {"function": function, "at": at, "carray": numba.carray}
        arrays, word = [], 0
        for k, (dtype, rank) in enumerate((*inputs, *results)):
            scope[f"item{k}"] = types.boolean if dtype == "bool" else getattr(types, dtype)
            sizes = "".join([f"words[{word + 1 + dim}], " for dim in range(rank)])
            arrays.append(f"a{k} = carray(at(words[{word}], item{k}), ({sizes}))")
            word += 1 + rank
        names = [f"a{k}" for k in range(len(arrays))]
        lines = [
            *arrays,
            *[f"{name}[...] = 0" for name in names[len(inputs) :]],
            "try:",
            f"    function({', '.join(names)})",
            "except Exception:",
            f"    status[0] = {RAISED}",
        ]
        exec("def entry(words, status):\n    " + "\n    ".join(lines), scope)
        try:
            return numba.cfunc(_ENTRY)(scope["entry"])
        except REFUSALS as error:
            given = ", ".join([f"{dtype} of {rank} dims" for dtype, rank in (*inputs, *results)])
            raise DTypeError(f"{self.name}: Numba cannot compile it for arrays ({given}): {said_by(error)}") from error


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


class _Derived(Operator):
    """The backward of an operator, made of its forward function."""

    def __init__(self, forward: Operator) -> None:
        super().__init__(forward._function, None, None)
        self._forward = forward
        self.name = f"{forward.name}_backward"

    def on_arrays(self, *arrays: Any) -> None:
        n_inputs = len(inspect.signature(self._function.py_func).parameters) - self._forward.n_results
        floating = tuple([x.dtype.kind == "f" for x in arrays[:n_inputs]])
        backward_of(self._function, floating, self._forward.n_results, differentiate_vjp)(*arrays)

    def _require_arguments(self, n_inputs: int, n_results: int) -> None:
        """Those of the forward function were looked at."""

    def function(self, inputs: Sequence[Any], results: Sequence[Any]) -> Any:
        n_parameters = len(inspect.signature(self._function.py_func).parameters)
        n_results = len(inputs) - n_parameters
        floating = tuple([str(dtype).startswith("float") for dtype in inputs[: n_parameters - n_results]])
        return backward_of(self._function, floating, n_results, differentiate_vjp)


class CudaOperator(Operator):
    """The same of ``@cuda.jit`` kernels, for tensors on a GPU."""

    is_launched = True

    def __init__(self, forward: Any, backward: Any, shapes: Shapes | None) -> None:
        self._kernels: dict[int, CudaKernel] = {}
        super().__init__(forward, backward, shapes)

    def _accepted(self, name: str, function: Any) -> Any:
        return function if isinstance(function, CudaFunction) else cuda_function(name, function)

    def on_arrays(self, *arrays: Any) -> None:
        self._function.simulate(self._function.dims_for([x.shape for x in arrays]), arrays)

    def _compiled(self, inputs: Arguments, results: Arguments) -> int:
        kernel = CudaKernel(self._function, (*inputs, *results))
        self._kernels[kernel.number] = kernel
        return kernel.number

    def launched(self, number: int) -> CudaKernel:
        return self._kernels[number]

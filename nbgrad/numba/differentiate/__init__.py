"""``nbgrad.numba.differentiate``: gradients of ``@njit`` functions, with their loops, branches and writes, as
``@njit`` functions.

The function is compiled a second time. Numba types it as ever; what is other is how floats lie in memory
(``layout.py``) and what an operation on them does beside computing (``operations.py``): it gives a record, of which
``groups.py`` makes entries on a tape (``tape.py``). So derivatives go wherever values go, through containers and calls,
and no code but that of records is transformed.
``gate.py`` is the list of what may touch a float.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from numba import types

from nbgrad.errors import DTypeError, NbgradError
from nbgrad.kernels.numba_linking import WrittenDispatcher
from nbgrad.numba.differentiate.checkpoints import checkpointing
from nbgrad.numba.differentiate.driver import (
    Program,
    gradients_and_products,
    outputs_and_pullback,
    value_and_gradients,
)
from nbgrad.numba.differentiate.refusal import calling_place
from nbgrad.tensor import Tensor

__all__ = ["checkpointed", "differentiate", "differentiate_hvp", "differentiate_vjp"]


def differentiate(fn: Any, *, tape_bytes: int | None = None) -> Any:
    """``fn``, an ``@njit`` function that gives a float, as an ``@njit`` function of the same arguments that gives
    ``(value, gradients)``: to be called from Python and from ``@njit`` code, without the GIL, in ``prange`` too.

    ``gradients`` is a tuple with one for each float argument, in order: of a number a number, of an array an array of
    its shape and dtype, of a tuple those of its members. Floats are float32, float64 and complex ones; whole numbers,
    bools, strings and functions have none. Arguments left to their defaults have theirs. A complex gradient is
    ``d/dx + i d/dy``, as in PyTorch. Derivatives are exact, of the way that the program took: a comparison, an index
    and ``int()`` have none. rules.py names the conventions at corners, which are PyTorch's.

    The function works on copies of its array arguments: gradients are by the values at entry, whatever it writes to its
    arguments, and the caller's arrays stay as they are. Two arguments that share memory are refused where it writes to
    one of them (ValueError). What it may do: loops, branches, slices, in-place writes, lists, tuples, generators,
    exceptions, calls of other ``@njit`` functions, itself among them, and of NumPy's functions as far as Numba has them
    in Python; ``parallel=True`` is run by one thread. Indices are checked, as with ``boundscheck=True`` and whatever
    the function says (IndexError, at its line). ``np.random`` draws numbers without derivative. What cannot be
    differentiated is refused at its line, when the function is first called with such types (TypeError): object mode,
    function pointers, external functions, records, ``@jitclass``, keys of dicts
    and items of sets that are floats, views as other items, addresses.

    The tape takes up to 28 bytes for an operation on floats, fewer for those that run one after the other and whose
    results only they use; in all at most ``tape_bytes``, without it half of the machine's memory. Beyond that it is a
    MemoryError, once the function has run to its end; ``checkpointed`` needs less.

    >>> import numba, numpy as np, nbgrad.numba
    >>> @numba.njit
    ... def length(x, scale):
    ...     total = 0.0
    ...     for value in x:
    ...         total += value * value
    ...     return scale * np.sqrt(total)
    >>> value, (dx, dscale) = nbgrad.numba.differentiate(length)(np.array([3.0, 4.0]), 2.0)
    >>> value, dx, dscale
    (10.0, array([1.2, 1.6]), 5.0)
    """
    return _dispatcher(differentiate, fn, tape_bytes, value_and_gradients)


def differentiate_vjp(fn: Any, *, tape_bytes: int | None = None) -> Any:
    """``fn``, an ``@njit`` function that gives floats, arrays, or tuples of them, as an ``@njit`` function
    ``(inputs, v) -> (outputs, gradients)``, as ``torch.autograd.functional.vjp`` is for tensors.

    ``inputs`` is the tuple of all arguments, but those left to their defaults, ``v`` is shaped like the result; the
    gradients are those of the sum of products of ``v`` and the result, by the float arguments, as ``differentiate``
    says.

    >>> import numba, numpy as np, nbgrad.numba
    >>> @numba.njit
    ... def running_product(x):
    ...     y = x.copy()
    ...     for i in range(1, len(x)):
    ...         y[i] *= y[i - 1]
    ...     return y
    >>> nbgrad.numba.differentiate_vjp(running_product)((np.array([2.0, 3.0, 5.0]),), np.array([0.0, 1.0, 1.0]))
    (array([ 2.,  6., 30.]), (array([18., 12.,  6.]),))
    """
    return _dispatcher(differentiate_vjp, fn, tape_bytes, outputs_and_pullback, ["inputs", "v"])


def differentiate_hvp(fn: Any, *, tape_bytes: int | None = None) -> Any:
    """``fn``, an ``@njit`` function that gives a float, as an ``@njit`` function ``(inputs, v) -> (value, gradients,
    products)``: the products are those of the Hessian with ``v``, which has a direction for each of the gradients.

    They are exact, and cost about twice a gradient, in time and memory. ``inputs`` may leave arguments to their
    defaults, by which there are gradients, too.

    >>> import numba, numpy as np, nbgrad.numba
    >>> cubes = numba.njit(lambda x, y: (x**3).sum() * y)
    >>> nbgrad.numba.differentiate_hvp(cubes)((np.array([1.0, 2.0]), 3.0), (np.array([1.0, 0.0]), 0.0))
    (27.0, (array([ 9., 36.]), 9.0), (array([18.,  0.]), 3.0))
    """
    return _dispatcher(differentiate_hvp, fn, tape_bytes, gradients_and_products, ["inputs", "v"])


def checkpointed(step: Any, loss: Any, *, tape_bytes: int | None = None) -> Any:
    """Gradients of a long recurrence, with the tape of about the square root of its steps, and as many states in
    memory; each step runs twice more, so it must neither draw random numbers nor write to its parameters (ValueError).

    ``step(state, parameters, k)`` gives the state after step ``k``, ``loss(state, parameters)`` a float of the last
    one; both are ``@njit`` functions, state and parameters arrays of floats. What is made is an ``@njit`` function
    ``(state, parameters, steps) -> (value, (gradient by the first state, gradient by the parameters))``.

    >>> import numba, numpy as np, nbgrad.numba
    >>> @numba.njit
    ... def euler(u, p, k):
    ...     return u + 0.001 * p[0] * u * (1.0 - u / p[1])
    >>> final = numba.njit(lambda u, p: u[0])
    >>> run = nbgrad.numba.checkpointed(euler, final)
    >>> value, (by_start, by_parameters) = run(np.array([0.1]), np.array([1.0, 2.0]), 10_000)
    >>> round(value, 4), by_parameters.round(4)
    (1.9983, array([0.0172, 0.9982]))
    """
    for fn in (step, loss):
        Program(fn, tape_bytes)
    return checkpointing(
        step,
        loss,
        lambda fn: differentiate_vjp(fn, tape_bytes=tape_bytes),
        lambda fn: differentiate(fn, tape_bytes=tape_bytes),
    )


def _dispatcher(
    make: Callable[..., Any],
    fn: Any,
    tape_bytes: int | None,
    driver: Callable[..., Any],
    names: Sequence[str] = (),
) -> Any:
    """What ``make`` is to make of ``fn``: an ``@njit`` function whose body ``driver`` writes for the types of a call.
    Its parameters are ``names``, or else those of ``fn``."""
    program = Program(fn, tape_bytes)
    inner = [f"x{k}" for k in range(len(names or program.parameters))]

    def write(*kinds: Any) -> Any:
        try:
            return driver(program, [types.unliteral(kind) for kind in kinds], inner)
        except NbgradError as error:  # noted a line of Numba's, or of the text below
            error.where = calling_place() if error.where is not None else None
            raise

    def function(*given: Any) -> Any: ...

    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    function.__signature__ = inspect.Signature(parameters or list(program.parameters.values()))  # type: ignore[attr-defined]
    function.__defaults__ = () if names else fn.py_func.__defaults__  # that Numba's dispatchers read
    function.__name__ = function.__qualname__ = program.name
    function.__doc__ = f"{driver.__doc__} of {program.name}, made by nbgrad.numba"
    options = {"nogil": True, "error_model": program.options.get("error_model", "python")}
    refuse, remake = functools.partial(_refuse_tensors, program), functools.partial(make, fn, tape_bytes=tape_bytes)
    return WrittenDispatcher(function, options, write, refuse, remake)


def _refuse_tensors(program: Program, *given: Any) -> None:
    for value in given:
        if isinstance(value, Tensor):
            raise DTypeError(
                f"differentiate: {program.name} takes arrays and numbers, not tensors: give x.numpy(), or make an "
                "operator on tensors with nbgrad.numba.operator"
            )
        if type(value) is tuple:
            _refuse_tensors(program, *value)

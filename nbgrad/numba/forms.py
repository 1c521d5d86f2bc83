"""The forms in which a computation goes into ``@njit`` code: itself, and its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.autograd import grad
from nbgrad.errors import ArgumentError, ShapeError
from nbgrad.functions.creation import eye, zeros
from nbgrad.numba.arguments import parameter_names, spec_of
from nbgrad.numba.export import Export, tensors_of
from nbgrad.tensor import Tensor

_Function = Callable[..., Any]
Argnums = int | Sequence[int] | None


def njit(fn: _Function, *examples: Any) -> Any:
    """``fn``, a function on tensors, as an ``@njit`` function on arrays: a Numba dispatcher, to be called from other
    ``@njit`` functions (without the GIL, in ``prange``, too) and from Python.

    ``examples``, one for each argument, are arrays, tensors or floats, and say its dtype and number of dims: the
    argument is a row-major array of these, or a number. Another one is refused: from Python by a TypeError, in
    ``@njit`` code by Numba's TypingError at its line. Sizes may be others at each call: the first with new ones waits
    for its kernels. ``fn`` gives a tensor or several; the function gives arrays, of 0-d tensors numbers, with nbgrad's
    bits.

    With ``out=``, an array for the result, or a tuple of one for each result that is an array, it writes there, and
    allocates nothing. They must have the results' shapes (RuntimeError), and no memory in common with arguments or each
    other (ValueError).

    ``fn`` may ask for derivatives by its arguments (``nbgrad.autograd.grad``). Other tensors and numbers that it reads
    are bound: as they are now, for good. Once they have changed, new sizes are refused (ValueError). ``fn`` must
    compute the same way for all values (ValueError where it looks at some, or draws random numbers), and on the CPU.

    Numba keeps no code that calls it on disk (``cache=True``), as addresses of this process are in it, and says so.

    >>> import numba, numpy as np, nbgrad.numba
    >>> softmax = nbgrad.numba.njit(lambda x: x.softmax(-1), np.zeros(3))
    >>> @numba.njit
    ... def entropy(x):
    ...     p = softmax(x)
    ...     return -(p * np.log(p)).sum()
    >>> float(round(entropy(np.array([1.0, 2.0, 3.0, 4.0])), 6))
    0.947537
    >>> p = np.empty(2)
    >>> softmax(np.zeros(2), out=p)
    array([0.5, 0.5])
    >>> p
    array([0.5, 0.5])
    """
    return _exported(fn, fn, examples)


def value_and_grad(fn: _Function, *examples: Any, argnums: Argnums = None) -> Any:
    """``njit`` of a function and its gradient: ``fn``, which gives a 0-d tensor, becomes an ``@njit`` function that
    gives its value, and after it the gradient by each floating argument, shaped like that. ``argnums``, a number or
    several, says by which arguments alone, counted from 0 (as for ``torch.func``).

    >>> import numpy as np, nbgrad.numba
    >>> f = nbgrad.numba.value_and_grad(lambda x, a: (a * x * x).sum(), np.zeros(2), 0.0)
    >>> f(np.array([1.0, 2.0]), 3.0)
    (15.0, array([ 6., 12.]), 5.0)
    >>> f = nbgrad.numba.value_and_grad(lambda x, a: (a * x * x).sum(), np.zeros(2), 0.0, argnums=1)
    >>> f(np.array([1.0, 2.0]), 3.0)
    (15.0, 5.0)
    """
    places = _places("value_and_grad", fn, examples, argnums)

    def both(*tensors: Tensor) -> Sequence[Tensor]:
        y = _value("value_and_grad", fn, tensors)
        return (y, *_grads([y], [tensors[k] for k in places], [None]))

    return _exported(both, fn, examples)


def vjp(fn: _Function, *examples: Any, argnums: Argnums = None) -> Any:
    """``njit`` of a function and its vector-Jacobian product: the arguments are those of ``fn``, then a cotangent ``v``
    for each floating result, shaped like it. It gives the results, then by each floating argument (or by those of
    ``argnums``) the gradient of the sum of results times cotangents. That is
    ``torch.autograd.functional.vjp(fn, arguments, v)``, in one tuple.

    >>> import numpy as np, nbgrad.numba
    >>> f = nbgrad.numba.vjp(lambda x: x * x, np.zeros(2))
    >>> f(np.array([1.0, 2.0]), np.array([10.0, 100.0]))
    (array([1., 4.]), array([ 20., 400.]))
    """
    n, places = len(examples), _places("vjp", fn, examples, argnums)
    cotangents = [y for y in _results(fn, examples) if y.is_floating_point()]

    def pulled(*tensors: Tensor) -> Sequence[Tensor]:
        results = tensors_of(_name(fn), fn(*tensors[:n]))
        outputs = [y for y in results if y.is_floating_point()]
        for y, v in zip(outputs, tensors[n:], strict=True):
            if y.shape != v.shape:
                raise ShapeError(f"vjp: a cotangent has shape {list(v.shape)}, its result {list(y.shape)}")
        return (*results, *_grads(outputs, [tensors[k] for k in places], tensors[n:]))

    return _exported(pulled, fn, examples, [y.detach() for y in cotangents])


def hvp(fn: _Function, *examples: Any, argnums: Argnums = None) -> Any:
    """``njit`` of a function and its Hessian-vector product: the arguments are those of ``fn``, which gives a 0-d
    tensor, then a vector ``v`` for each floating one (or for those of ``argnums``), shaped like it. It gives the value,
    then the Hessian times the vectors, by each of these. That is ``torch.autograd.functional.hvp(fn, arguments, v)``,
    in one tuple.

    >>> import numpy as np, nbgrad.numba
    >>> f = nbgrad.numba.hvp(lambda x: (x**3).sum(), np.zeros(2))
    >>> f(np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    (9.0, array([  6., 120.]))
    """
    n, places = len(examples), _places("hvp", fn, examples, argnums)

    def product(*tensors: Tensor) -> Sequence[Tensor]:
        y, by = _value("hvp", fn, tensors[:n]), [tensors[k] for k in places]
        for x, v in zip(by, tensors[n:], strict=True):
            if x.shape != v.shape:
                raise ShapeError(f"hvp: a vector has shape {list(v.shape)}, its argument {list(x.shape)}")
        slopes: Any = grad(y, by, create_graph=True, materialize_grads=True) if y.requires_grad else []
        return (y, *_grads(slopes, by, tensors[n : n + len(slopes)]))

    return _exported(product, fn, examples, [examples[k] for k in places])


def jacobian(fn: _Function, *examples: Any, argnums: Argnums = None) -> Any:
    """``njit`` of the Jacobian of a function: of each floating result by each floating argument (or by those of
    ``argnums``) an array, whose shape is the result's, then the argument's. That is
    ``torch.autograd.functional.jacobian(fn, arguments)``, in one tuple. All rows are one program.

    >>> import numpy as np, nbgrad.numba
    >>> f = nbgrad.numba.jacobian(lambda x: x[0] * x, np.zeros(2))
    >>> f(np.array([2.0, 3.0]))
    array([[4., 0.],
           [3., 2.]])
    """
    places = _places("jacobian", fn, examples, argnums)
    return _exported(lambda *tensors: _jacobians(fn, tensors, places)[1], fn, examples)


def value_and_jacobian(fn: _Function, *examples: Any, argnums: Argnums = None) -> Any:
    """``jacobian``, with the results of the function before it.

    >>> import numpy as np, nbgrad.numba
    >>> f = nbgrad.numba.value_and_jacobian(lambda x, a: a * x * x, np.zeros(2), 0.0)
    >>> for found in f(np.array([1.0, 2.0]), 3.0):
    ...     print(found)
    [ 3. 12.]
    [[ 6.  0.]
     [ 0. 12.]]
    [1. 4.]
    """
    places = _places("value_and_jacobian", fn, examples, argnums)

    def both(*tensors: Tensor) -> Sequence[Tensor]:
        results, jacobians = _jacobians(fn, tensors, places)
        return (*results, *jacobians)

    return _exported(both, fn, examples)


def _jacobians(fn: _Function, tensors: Sequence[Tensor], places: Sequence[int]) -> tuple[list[Tensor], list[Tensor]]:
    """Results and Jacobians. Rows share what they have in common."""
    results, by = tensors_of(_name(fn), fn(*tensors)), [tensors[k] for k in places]
    outputs = [y for y in results if y.is_floating_point()]
    if not outputs:
        raise ArgumentError(f"jacobian: no result of {_name(fn)} is floating")
    found: list[Tensor] = []
    for y in outputs:
        rows: Any = [zeros((y.numel(), *x.shape), dtype=x.dtype) for x in by]
        if y.requires_grad and y.numel():
            units = eye(y.numel(), dtype=y.dtype).reshape((-1, *y.shape))
            rows = grad(y, by, units, retain_graph=True, is_grads_batched=True, materialize_grads=True)
        found += [columns.reshape((*y.shape, *x.shape)) for columns, x in zip(rows, by, strict=True)]
    return results, found


def _grads(outputs: Sequence[Tensor], by: Sequence[Tensor], seeds: Sequence[Tensor | None]) -> Sequence[Tensor]:
    """Gradients; zeros by what no output depends on."""
    dependent = [(y, v) for y, v in zip(outputs, seeds, strict=True) if y.requires_grad]
    if not dependent:
        return [zeros(x.shape, dtype=x.dtype) for x in by]
    ys, vs = zip(*dependent, strict=True)
    found: Any = grad(ys, [*by], vs, retain_graph=True, materialize_grads=True)
    return [*found]


def _places(form: str, fn: _Function, examples: Sequence[Any], argnums: Argnums) -> list[int]:
    """Which arguments to differentiate by: those of ``argnums``, or all floating ones."""
    name = _name(fn)
    floating = [k for k, x in enumerate(examples) if spec_of(name, k + 1, x).dtype.is_floating_point]
    chosen = floating if argnums is None else [argnums] if isinstance(argnums, int) else [*argnums]
    if not chosen or not all(type(k) is int and k in floating for k in chosen) or len({*chosen}) < len(chosen):
        raise ArgumentError(
            f"{form}: argnums must be among the floating arguments of {name}, {floating}, each once; not {argnums}"
            if floating
            else f"{form}: no argument of {name} is floating"
        )
    return chosen


def _value(form: str, fn: _Function, tensors: Sequence[Tensor]) -> Tensor:
    y = fn(*tensors)
    if not isinstance(y, Tensor) or y.ndim or not y.is_floating_point():
        raise ArgumentError(f"{form}: expected a function that gives a 0-d floating Tensor")
    return y


def _results(fn: _Function, examples: Sequence[Any]) -> list[Tensor]:
    """What ``fn`` gives for arguments like the examples, which nobody computes."""
    specs = [spec_of(_name(fn), place, x) for place, x in enumerate(examples, 1)]
    return tensors_of(_name(fn), fn(*[zeros(spec.shape, dtype=spec.dtype) for spec in specs]))


def _name(fn: _Function) -> str:
    return getattr(fn, "__name__", "function")


def _exported(computed: _Function, fn: _Function, examples: Sequence[Any], more: Sequence[Any] = ()) -> Any:
    """``computed``, of the arguments of ``fn`` and ``more``, named after ``fn``."""
    names = parameter_names(fn, len(examples))
    names += [f"v{k}" if len(more) > 1 else "v" for k in range(1, len(more) + 1)]
    return Export(computed, [*examples, *more], _name(fn), names).dispatcher

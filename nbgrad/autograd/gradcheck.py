"""Derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgrad.autograd.engine import grad
from nbgrad.errors import ArgumentError, GradError
from nbgrad.graph.dtypes import float64
from nbgrad.trace import Handle, from_values, requires_grad, values

Array = np.ndarray[Any, np.dtype[Any]]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the gradients of ``func`` agree with central differences at ``inputs``.

    ``inputs``: a tensor or a tuple; those that require grad are checked and should be float64. Every element of the
    Jacobian is compared: |analytical - numerical| <= atol + rtol |numerical|. GradError says where they differ.
    """
    args = (inputs,) if isinstance(inputs, Handle) else tuple(inputs)
    checked = [i for i, x in enumerate(args) if isinstance(x, Handle) and requires_grad(x)]
    if not checked:
        raise ArgumentError("gradcheck expects at least one input tensor to require gradient, but none of them does")
    for i in checked:
        spec = args[i].at.spec
        if spec is not None and spec.dtype is not float64:
            raise ArgumentError(f"gradcheck: input {i} is {spec.dtype.name}; differences need float64")
    outputs = _tuple(func(*args))
    for o, y in enumerate(outputs):
        if not requires_grad(y):
            continue
        for i in checked:
            analytical = _rows(y, args[i])
            numerical = _differences(func, args, i, o, eps)
            if not np.allclose(analytical, numerical, rtol=rtol, atol=atol, equal_nan=True):
                if not raise_exception:
                    return False
                raise GradError(
                    f"Jacobian mismatch for output {o} with respect to input {i},\n"
                    f"numerical:{numerical}\nanalytical:{analytical}\n"
                )
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the second derivatives of ``func`` agree with central differences of the first."""
    args = (inputs,) if isinstance(inputs, Handle) else tuple(inputs)
    checked = [i for i, x in enumerate(args) if isinstance(x, Handle) and requires_grad(x)]
    seeds = _tuple(grad_outputs) if grad_outputs is not None else _random_seeds(_tuple(func(*args)))

    def first(*given: Any) -> tuple[Any, ...]:
        outs = [y for y in _tuple(func(*given[: len(args)])) if requires_grad(y)]
        gradients = grad(outs, [given[i] for i in checked], given[len(args) :], create_graph=True, allow_unused=True)
        return tuple([g for g in gradients if g is not None])

    return gradcheck(first, (*args, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


def _random_seeds(outputs: Sequence[Handle]) -> tuple[Handle, ...]:
    rng = np.random.default_rng(0)
    specs = [y.at.spec for y in outputs if requires_grad(y)]
    drawn = [(rng.standard_normal(s.shape), s.place) for s in specs if s]
    return tuple([from_values(x, float64, requires_grad=True, place=place) for x, place in drawn])


def _tuple(result: Any) -> tuple[Any, ...]:
    return (result,) if isinstance(result, Handle) else tuple(result)


def _rows(y: Handle, x: Handle) -> Array:
    """The Jacobian of ``y`` by ``x``, one vjp a row."""
    y_spec, x_spec = y.at.spec, x.at.spec
    assert y_spec is not None and x_spec is not None
    rows = np.zeros((y_spec.size, x_spec.size))
    for k in range(y_spec.size):
        seed = np.zeros(y_spec.size)
        seed[k] = 1.0
        cotangent = from_values(seed.reshape(y_spec.shape), y_spec.dtype, place=y_spec.place)
        (g,) = grad(y, x, cotangent, retain_graph=True, allow_unused=True)
        if g is not None:
            rows[k] = values(g).reshape(-1)
    return rows


def _differences(func: Callable[..., Any], args: tuple[Any, ...], i: int, o: int, eps: float) -> Array:
    """Column k: (f(x + eps e_k) - f(x - eps e_k)) / (2 eps)."""
    here = np.array(values(args[i]))
    columns = []
    for k in range(here.size):
        ends = []
        for sign in (1.0, -1.0):
            moved = here.copy()
            moved.reshape(-1)[k] += sign * eps
            at = from_values(moved, requires_grad=True, place=args[i].at.spec.place)
            ends.append(np.array(values(_tuple(func(*args[:i], at, *args[i + 1 :]))[o])).reshape(-1))
        columns.append((ends[0] - ends[1]) / (2.0 * eps))
    return np.stack(columns, axis=1) if columns else np.zeros((0, 0))

"""Jacobians and Hessians: all rows, or all columns, at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import prod
from typing import Any

from nbgrad.autograd.engine import zeros
from nbgrad.autograd.levels import lowered, pushed, transform
from nbgrad.autograd.transforms import (
    Argnums,
    Inputs,
    differentiable_outputs_of,
    lower_tree,
    outputs_of,
    reverse,
    split_aux,
)
from nbgrad.autograd.tree import Tree, unflatten
from nbgrad.autograd.vmap import vmap
from nbgrad.calls.base import CALLS
from nbgrad.graph.spec import Shape
from nbgrad.trace import Handle, record, spec_of


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Callable[..., Any]:
    """A function that gives the Jacobian of ``func`` by its positional argument or arguments ``argnums``, by reverse
    mode: the cheaper way where there are fewer outputs than inputs.

    For an output of shape s and an argument of shape t the Jacobian has shape (*s, *t); for trees of outputs and
    arguments it is a tree of arguments in one of outputs. With ``has_aux`` ``func`` gives ``(output, aux)``, and the
    result is ``(Jacobian, aux)``. ``chunk_size``: how many rows are computed at once (None: all).

    >>> nbgrad.func.jacrev(nbgrad.sin)(nbgrad.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _jacobian(
        "jacrev",
        func,
        argnums,
        has_aux,
        reverse,
        differentiable_outputs_of,
        lambda inputs, outputs: [_rows(inputs, y, chunk_size) for y in outputs],
    )


def _jacobian(
    name: str,
    func: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    begun: Callable[[], AbstractContextManager[Any]],
    checked: Callable[[str, Any], tuple[list[Handle], Tree]],
    derived: Callable[[Inputs, list[Handle]], list[list[Handle]]],
) -> Callable[..., Any]:
    """A function that gives what ``derived`` does, of each output by each variable, of outputs that are ``checked``,
    inside the transform ``begun``."""

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with begun():
            inputs = Inputs(name, args, argnums)
            output, aux = split_aux(name, func(*inputs.args, **kwargs), has_aux)
            outputs, tree = checked(f"{name}(f)(*args)", output)
            rows = derived(inputs, outputs)
        flat = iter(lowered([x for row in rows for x in row]))
        found = unflatten(tree, [inputs.like_arguments([next(flat) for _ in row]) for row in rows])
        return (found, lower_tree(aux)) if has_aux else found

    return jacobian


def _rows(inputs: Inputs, y: Handle, chunk_size: int | None) -> list[Handle]:
    """The Jacobian of one output by each variable."""
    shape = spec_of(y).shape
    if shape:
        rows = vmap(lambda seed: tuple(inputs.gradients([y], [seed])), chunk_size=chunk_size)(basis(y))
    else:
        rows = inputs.gradients([y], [None])
    return [reshaped(g, (*shape, *spec_of(x).shape)) for g, x in zip(rows, inputs.variables, strict=True)]


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """The same function as ``jacrev`` gives, by forward mode: the cheaper way where there are fewer inputs than
    outputs, and outside of a reverse mode.

    >>> nbgrad.func.jacfwd(lambda x: x * x)(nbgrad.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    def derived(inputs: Inputs, outputs: list[Handle]) -> list[list[Handle]]:
        columns = [_columns(outputs, x, randomness) for x in inputs.variables]
        return [[column[i] for column in columns] for i in range(len(outputs))]

    return _jacobian("jacfwd", func, argnums, has_aux, transform, outputs_of, derived)


def _columns(outputs: list[Handle], x: Handle, randomness: str) -> list[Handle]:
    """The Jacobian of each output by the variable ``x``."""

    def column(tangent: Handle) -> tuple[Handle, ...]:
        found = pushed(outputs, [x], [tangent])
        return tuple([zeros(spec_of(y)) if t is None else t for t, y in zip(found, outputs, strict=True)])

    columns = vmap(column, out_dims=-1, randomness=randomness)(basis(x))
    return [reshaped(c, (*spec_of(y).shape, *spec_of(x).shape)) for c, y in zip(columns, outputs, strict=True)]


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives of ``func``, by forward over reverse mode.

    >>> nbgrad.func.hessian(lambda x: (x * x * x).sum())(nbgrad.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def basis(x: Handle) -> Handle:
    """Along the first dim all values like ``x`` that are 1 in one element."""
    shape, size = spec_of(x).shape, prod(spec_of(x).shape)
    return reshaped(record(CALLS["eye_of"], (), ((size, size), spec_of(x).dtype)), (size, *shape))


def reshaped(x: Handle, shape: Shape) -> Handle:
    return x if spec_of(x).shape == shape else record(CALLS["reshape"], (x,), (shape,))

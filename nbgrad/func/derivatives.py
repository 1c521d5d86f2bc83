"""grad, vjp, jvp and what is made of them: functions in, functions out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from nbgrad.autograd import engine
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.func.tree import Tree, flatten, unflatten
from nbgrad.trace import Handle, lowered, record, requires_grad, spec_of, transform, variables

Argnums = int | tuple[int, ...]
Tensors = Sequence[Handle]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of ``func``, which gives a scalar tensor, by its positional argument or
    arguments ``argnums``: a tensor, or a dict, list or tuple of tensors, and so is the gradient.

    With ``has_aux`` ``func`` gives ``(value, aux)``, and the result is ``(gradient, aux)``. Transforms can be nested.
    What ``func`` reads otherwise is differentiated by ``backward`` as ever. RuntimeError where ``func`` does not give a
    scalar tensor.

    >>> nbgrad.func.grad(nbgrad.sin)(nbgrad.tensor(0.0))
    tensor(1.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives ``(gradient, value)`` of ``func``: as ``grad``. With ``has_aux`` the value is
    ``(value, aux)``.

    >>> nbgrad.func.grad_and_value(lambda x: (x * x).sum())(nbgrad.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    @functools.wraps(func)
    def both(*args: Any, **kwargs: Any) -> Any:
        with transform():
            inputs = Inputs("grad", args, argnums)
            value, aux = _split("grad", func(*inputs.args, **kwargs), has_aux)
            _check_scalar(value)
            grads = inputs.gradients([value], [None])
        (value, *grads) = lowered([value, *grads])
        found = inputs.like_arguments(grads)
        return found, ((value, lower_tree(aux)) if has_aux else value)

    return both


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """``(output, vjp_fn)`` of ``func`` at ``primals``; with ``has_aux`` also what ``func`` gives besides.

    ``vjp_fn(cotangents)``, which are as the output is, gives a tuple: for each of ``primals`` the product of the
    cotangents with the Jacobian. It can be called any number of times.

    >>> output, vjp_fn = nbgrad.func.vjp(nbgrad.sin, nbgrad.tensor([0.0, 1.0]))
    >>> vjp_fn(nbgrad.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    with transform():
        inputs = Inputs("vjp", primals, tuple(range(len(primals))))
        output, aux = _split("vjp", func(*inputs.args), has_aux)
        outputs, tree = _tensors("vjp", output)

    def vjp_fn(*cotangents: Any) -> Any:
        given = cotangents[0] if len(cotangents) == 1 else cotangents
        seeds, got = flatten(given)
        if got != tree:
            raise RunError(
                f"vjp_fn(): expected cotangents of the structure of the output, {tree}, but got {got}: give one tensor "
                "for each output, in the same lists, tuples and dicts"
            )
        with transform():
            grads = inputs.gradients(outputs, seeds)
        return inputs.like_arguments(lowered(grads))

    results = unflatten(tree, lowered(outputs))
    return (results, vjp_fn, lower_tree(aux)) if has_aux else (results, vjp_fn)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """``(output, tangent)``: ``func`` at the tuple ``primals``, and the product of its Jacobian with ``tangents``, a
    tuple of the same structure; with ``has_aux`` also what ``func`` gives besides.

    ``strict``: RuntimeError where an output does not depend on the primals; its tangent is 0 otherwise.

    >>> nbgrad.func.jvp(nbgrad.sin, (nbgrad.tensor(0.0),), (nbgrad.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    if not isinstance(primals, tuple):
        raise RunError(
            f"jvp: expected primals to be a tuple. E.g. it should be valid to call f(*primals), got {type(primals).__name__}"
        )
    along, got = flatten(tangents)
    with transform():
        inputs = Inputs("jvp", primals, tuple(range(len(primals))))
        _check_tangents(inputs, along, got)
        output, aux = _split("jvp", func(*inputs.args), has_aux)
        outputs, tree = _tensors("jvp", output)
        pushed = _push(inputs, outputs, along, strict)
    results = lowered([*outputs, *pushed])
    pair = unflatten(tree, results[: len(outputs)]), unflatten(tree, results[len(outputs) :])
    return (*pair, lower_tree(aux)) if has_aux else pair


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """``(output, jvp_fn)``: ``func`` at ``primals``, and a function from tangents, one for each of ``primals``, to the
    tangent of the output, which runs nothing of ``func`` again.

    >>> output, jvp_fn = nbgrad.func.linearize(nbgrad.sin, nbgrad.tensor(0.0))
    >>> jvp_fn(nbgrad.tensor(3.0))
    tensor(3.)
    """
    with transform():
        inputs = Inputs("linearize", primals, tuple(range(len(primals))))
        outputs, tree = _tensors("linearize", func(*inputs.args))

    def jvp_fn(*tangents: Any) -> Any:
        along, got = flatten(tangents)
        with transform():
            _check_tangents(inputs, along, got)
            pushed = _push(inputs, outputs, along, strict=False)
        return unflatten(tree, lowered(pushed))

    return unflatten(tree, lowered(outputs)), jvp_fn


class Inputs:
    """The arguments of a function under a transform: those it differentiates by are variables now."""

    def __init__(self, function: str, args: Sequence[Any], argnums: Argnums) -> None:
        self.function, self.argnums = function, argnums
        self.places = _places(function, argnums, len(args))
        flat, self.tree = flatten([args[i] for i in self.places])
        for x in flat:
            if not isinstance(x, Handle):
                raise DTypeError(
                    f"{function}: Expected all tensors in the arguments that are differentiated, got {type(x).__name__}"
                )
            if not spec_of(x).dtype.is_floating_point:
                raise RunError(
                    f"{function}: only Tensors of floating point dtype can require gradients, got "
                    f"{spec_of(x).dtype.name}"
                )
        self.variables = variables(flat)
        self.args = list(args)
        for i, value in zip(self.places, unflatten(self.tree, self.variables), strict=True):
            self.args[i] = value

    def gradients(self, outputs: Tensors, seeds: Sequence[Handle | None]) -> list[Handle]:
        """The cotangents of the variables, given those of ``outputs`` (None: ones)."""
        return [
            zeros_like(x) if g is None else g
            for x, g in zip(self.variables, pull(outputs, seeds, self.variables), strict=True)
        ]

    def like_arguments(self, grads: Tensors) -> Any:
        """One for each variable, as the arguments ``argnums`` are built."""
        parts = unflatten(self.tree, grads)
        return parts[0] if isinstance(self.argnums, int) else tuple(parts)


def pull(outputs: Tensors, seeds: Sequence[Handle | None], wrt: Tensors) -> list[Handle | None]:
    """The cotangents of ``wrt``, which can be differentiated again; None where nothing leads there."""
    pairs = [(y, g) for y, g in zip(outputs, seeds, strict=True) if requires_grad(y)]
    if not pairs:
        return [None] * len(wrt)
    ys, gs = [y for y, _ in pairs], [g for _, g in pairs]
    return list(engine.grad(ys, wrt, gs, retain_graph=True, create_graph=True, allow_unused=True))


def _push(inputs: Inputs, outputs: Tensors, along: Tensors, strict: bool) -> list[Handle]:
    """The tangents of ``outputs``: cotangents are linear in those they come from, which transposes twice."""
    seeds = variables([zeros_like(y) for y in outputs])
    pulled = pull(outputs, seeds, inputs.variables)
    pairs = [(g, t) for g, t in zip(pulled, along, strict=True) if g is not None]
    found = pull([g for g, _ in pairs], [t for _, t in pairs], seeds)
    if strict and None in found:
        raise RunError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs")
    return [zeros_like(y) if t is None else t for y, t in zip(outputs, found, strict=True)]


def zeros_like(x: Handle) -> Handle:
    spec = spec_of(x)
    return record(CALLS["filled"], (), (spec.shape, spec.dtype, 0))  # type: ignore[no-any-return]


def lower_tree(value: Any) -> Any:
    """A tree that leaves a transform."""
    leaves, tree = flatten(value)
    tensors = iter(lowered([x for x in leaves if isinstance(x, Handle)]))
    return unflatten(tree, [next(tensors) if isinstance(x, Handle) else x for x in leaves])


def _places(function: str, argnums: Argnums, count: int) -> list[int]:
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(wanted, tuple) or not all(type(i) is int for i in wanted):
        raise RunError(f"argnum must be int or Tuple, got: {type(argnums).__name__}")
    if isinstance(argnums, tuple) and not wanted and count:
        raise RunError("argnums must be non-empty")
    for i in wanted:
        if not -count <= i < count:
            raise RunError(f"Got argnum={i}, but only {count} positional inputs")
    places = [i % count for i in wanted]
    if len(set(places)) < len(places):
        raise RunError(f"argnums elements must be unique, got {argnums}")
    return places


def _split(function: str, output: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise RunError(
            f"{function}(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def _check_scalar(value: Any) -> None:
    if not isinstance(value, Handle):
        raise RunError(f"Expected `f(*args)` to return a tensor, got {type(value).__name__}")
    if spec_of(value).shape:
        raise RunError(
            f"Expected `f(*args)` to return a scalar tensor, got tensor with {len(spec_of(value).shape)} dims. Maybe "
            "you wanted to use the vjp or jacrev APIs instead?"
        )
    if not spec_of(value).dtype.is_floating_point:
        raise RunError(f"grad: the output of f must be of floating point dtype, got {spec_of(value).dtype.name}")


def _tensors(function: str, output: Any) -> tuple[list[Handle], Tree]:
    outputs, tree = flatten(output)
    for y in outputs:
        if not isinstance(y, Handle):
            raise RunError(
                f"{function}(f, *primals): Expected f to be a function that has non-empty output composed of tensors, "
                f"got output of type {type(y).__name__}"
            )
    if not outputs:
        raise RunError(
            f"{function}(f, *primals): Expected f to be a function that has non-empty output composed of tensors"
        )
    return outputs, tree


def _check_tangents(inputs: Inputs, along: Tensors, got: Tree) -> None:
    wanted = Tree(tuple, (), inputs.tree.below)
    if got != wanted:
        raise RunError(
            f"{inputs.function}: expected primals and tangents to have the same python structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {wanted} and tangents "
            f"with structure {got}"
        )
    for x, t in zip(inputs.variables, along, strict=True):
        if not isinstance(t, Handle):
            raise RunError(f"{inputs.function}: expected tangents to contain only tensors, got {type(t).__name__}")
        if spec_of(x).shape != spec_of(t).shape:
            raise ArgumentError(
                f"{inputs.function}: a primal of shape {list(spec_of(x).shape)} has a tangent of shape "
                f"{list(spec_of(t).shape)}"
            )

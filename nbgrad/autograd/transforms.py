"""grad, vjp, jvp and what is made of them: functions in, functions out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from nbgrad.autograd import engine
from nbgrad.autograd.levels import is_as_begun, lowered, pushed, transform, variables
from nbgrad.autograd.saved import disable_saved_tensors_hooks, packing
from nbgrad.autograd.tree import Tree, flatten, unflatten
from nbgrad.calls.arguments import function_of
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.trace import Handle, record, requires_grad, spec_of

Argnums = int | tuple[int, ...]
Tensors = Sequence[Handle]
NO_HOOKS = (
    "func.grad, vjp, jacrev and hessian don't go with hooks on saved tensors (saved_tensors_hooks, save_on_cpu): leave "
    "them away around the transform and inside, or use backward() and autograd.grad, which call them"
)


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

    @functools.wraps(function_of("grad", "func", func))
    def both(*args: Any, **kwargs: Any) -> Any:
        with reverse():
            inputs = Inputs("grad", args, argnums)
            value, aux = split_aux("grad", func(*inputs.args, **kwargs), has_aux)
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
    with reverse():
        inputs = Inputs("vjp", primals, tuple(range(len(primals))))
        output, aux = split_aux("vjp", function_of("vjp", "func", func)(*inputs.args), has_aux)
        outputs, tree = differentiable_outputs_of("vjp(f, *primals)", output)

    def vjp_fn(*cotangents: Any) -> Any:
        if not cotangents:
            raise DTypeError("vjp_fn() missing 1 required positional argument: 'cotangents'")
        seeds, got = flatten(cotangents[0] if len(cotangents) == 1 else cotangents)
        if got != tree:
            raise RunError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {got}, primal output: {tree}"
            )
        with transform():
            grads = inputs.gradients(outputs, seeds)
        return inputs.like_arguments(lowered(grads))

    results = unflatten(tree, lowered(outputs))
    return (results, vjp_fn, lower_tree(aux)) if has_aux else (results, vjp_fn)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """``(output, tangent)``: ``func`` at the tuple ``primals``, and the product of its Jacobian with ``tangents``, a
    tuple of the same structure; with ``has_aux`` also what ``func`` gives besides.

    ``strict``: RuntimeError where an output does not depend on the primals; its tangent is 0 otherwise. As in ``grad``,
    what ``func`` computes under ``no_grad`` counts as constant. (PyTorch differentiates it in forward mode alone.)

    >>> nbgrad.func.jvp(nbgrad.sin, (nbgrad.tensor(0.0),), (nbgrad.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    if not isinstance(primals, tuple):
        raise RunError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals). "
            f"Got {type(primals)}"
        )
    along, got = flatten(tangents)
    with transform():
        inputs = Inputs("jvp", primals, tuple(range(len(primals))))
        given = _fitting_tangents(inputs, along, got)
        output, aux = split_aux("jvp", function_of("jvp", "func", func)(*inputs.args), has_aux)
        outputs, tree = outputs_of("jvp(f, primals, tangents)", output)
        moved = _push(inputs, outputs, given, strict)
    results = lowered([*outputs, *moved])
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
        outputs, tree = outputs_of("linearize(f, *primals)", function_of("linearize", "func", func)(*inputs.args))

    def jvp_fn(*tangents: Any) -> Any:
        along, got = flatten(tangents)
        with transform():
            moved = _push(inputs, outputs, _fitting_tangents(inputs, along, got), strict=False)
        return unflatten(tree, lowered(moved))

    return unflatten(tree, lowered(outputs)), jvp_fn


@contextmanager
def reverse() -> Iterator[None]:
    """A transform of reverse mode: as in PyTorch there are no hooks on saved tensors around it, nor inside, but for
    those of ``autograd.functional``."""
    with nullcontext() if packing.is_free else disable_saved_tensors_hooks(NO_HOOKS), transform():
        yield


class Inputs:
    """The arguments of a function under a transform: those it differentiates by are variables now."""

    def __init__(self, function: str, args: Sequence[Any], argnums: Argnums) -> None:
        self.function, self.argnums = function, argnums
        self.places = _places(function, argnums, len(args))
        flat, self.tree = flatten([args[i] for i in self.places])
        for x in flat:
            if not isinstance(x, Handle):
                raise ArgumentError(
                    f"{function}: the arguments to differentiate by must be Tensors, got {type(x)}: choose others by "
                    "argnums"
                )
            if not spec_of(x).dtype.is_inexact:
                raise RunError(
                    f"{function}: only Tensors of floating point dtype can require gradients, got "
                    f"{spec_of(x).dtype.name}"
                )
        self._variables = variables(flat)
        self._entries = [x._at for x in self._variables]
        self.args = list(args)
        for i, value in zip(self.places, unflatten(self.tree, self._variables), strict=True):
            self.args[i] = value

    @property
    def variables(self) -> list[Handle]:
        """What is differentiated by. RuntimeError where the function has written it."""
        if not all(is_as_begun(x, entry) for x, entry in zip(self._variables, self._entries, strict=True)):
            raise RunError(
                f"{self.function}: a leaf Variable that requires grad is being used in an in-place operation: the "
                "function writes its argument; let it write a clone()"
            )
        return self._variables

    def gradients(self, outputs: Tensors, seeds: Sequence[Handle | None]) -> list[Handle]:
        """The cotangents of the variables, given those of ``outputs`` (None: ones)."""
        return [
            engine.zeros(spec_of(x)) if g is None else g
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
    """The tangents of ``outputs``."""
    found = pushed(outputs, inputs.variables, along)
    if strict and None in found:
        raise RunError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return [engine.zeros(spec_of(y)) if t is None else t for y, t in zip(outputs, found, strict=True)]


def lower_tree(value: Any) -> Any:
    """A tree that leaves a transform."""
    leaves, tree = flatten(value)
    tensors = iter(lowered([x for x in leaves if isinstance(x, Handle)]))
    return unflatten(tree, [next(tensors) if isinstance(x, Handle) else x for x in leaves])


def _places(function: str, argnums: Argnums, count: int) -> list[int]:
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(wanted, tuple) or not all(type(i) is int for i in wanted):
        raise RunError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, tuple) and not wanted and count:
        raise RunError("argnums must be non-empty")
    for i in wanted:
        if not -count <= i < count:
            raise RunError(f"Got argnum={i}, but only {count} positional inputs")
    places = [i % count for i in wanted]
    if len(set(places)) < len(places):
        raise RunError(f"argnums elements must be unique, got {argnums}")
    return places


def split_aux(function: str, output: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise RunError(
            f"{function}(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return output


def _check_scalar(value: Any) -> None:
    if not isinstance(value, Handle):
        raise RunError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}")
    if spec_of(value).shape:
        raise RunError(
            f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
            f"{len(spec_of(value).shape)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
        )
    if not spec_of(value).dtype.is_inexact:
        raise RunError(f"grad: the output of f must be of floating point dtype, got {spec_of(value).dtype.name}")


def outputs_of(call: str, output: Any) -> tuple[list[Handle], Tree]:
    """The tensors that a function gave, and the tree that they are in."""
    outputs, tree = flatten(output)
    for y in outputs:
        if not isinstance(y, Handle):
            raise RunError(f"{call}: expected f(*primals) to return only tensors, got unsupported type {type(y)}")
    return outputs, tree


def differentiable_outputs_of(call: str, output: Any) -> tuple[list[Handle], Tree]:
    """The same, which must be of floating point dtypes."""
    outputs, tree = outputs_of(call, output)
    for y in outputs:
        if not spec_of(y).dtype.is_inexact:
            raise RunError(f"{call}: All outputs of f must be floating-point, got Tensor with dtype {spec_of(y).dtype}")
    return outputs, tree


def _fitting_tangents(inputs: Inputs, along: Tensors, got: Tree) -> Tensors:
    """``along``, each in the dtype of its primal."""
    wanted = Tree(tuple, (), inputs.tree.below)
    if got != wanted:
        raise RunError(
            f"{inputs.function}: Expected primals and tangents to have the same python structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {wanted} and tangents "
            f"with structure {got}"
        )
    for x, t in zip(inputs.variables, along, strict=True):
        if not isinstance(t, Handle):
            raise RunError(f"{inputs.function}: expected tangents to contain only tensors, got {type(t).__name__}")
        if spec_of(x).shape != spec_of(t).shape:
            raise RunError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(spec_of(x).shape)} while the given forward gradient is of "
                f"size {list(spec_of(t).shape)}."
            )
    return [_in_dtype_of(x, t, inputs.function) for x, t in zip(inputs.variables, along, strict=True)]


def _in_dtype_of(x: Handle, t: Handle, function: str) -> Handle:
    """A tangent in the dtype of its primal. RuntimeError where it is no number that moves, or would lose a part."""
    wanted, given = spec_of(x).dtype, spec_of(t).dtype
    if given is wanted:
        return t
    if not given.is_inexact or (given.is_complex and not wanted.is_complex) or function == "linearize":
        raise RunError(f"{function}: expected a tangent of dtype {wanted.name}, as the primal, got {given.name}")
    return record(CALLS["to_dtype"], (t,), (wanted,))  # type: ignore[no-any-return]

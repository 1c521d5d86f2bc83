"""Derivatives of functions at a point, as numbers: what ``nbgrad.func`` gives as functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nbgrad.absent import AbsentError as _AbsentError
from nbgrad.autograd.grad_mode import enable_grad
from nbgrad.autograd.jacobians import jacfwd, jacrev
from nbgrad.autograd.saved import packing
from nbgrad.autograd.transforms import grad_and_value, pull
from nbgrad.autograd.transforms import jvp as push_at
from nbgrad.autograd.transforms import vjp as pull_at
from nbgrad.autograd.tree import tree_map
from nbgrad.calls.arguments import function_of
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.trace import Handle, detach, requires_grad, set_requires_grad, spec_of

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Handle | tuple[Handle, ...]
F = TypeVar("F", bound=Callable[..., Any])


def _in_grad_mode(function: F) -> F:
    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        before, packing.is_free = packing.is_free, True
        try:
            with enable_grad():
                return function(*args, **kwargs)
        finally:
            packing.is_free = before

    return inside  # type: ignore[return-value]


def __getattr__(name: str) -> Any:
    raise _AbsentError("module 'nbgrad.autograd.functional'", name, __all__)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return [*__all__]


@_in_grad_mode
def vjp(func: Any, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """``(output, product)``: ``func`` at ``inputs``, a tensor or a tuple, and the product of ``v``, which is like the
    output (None: 1 for a single number), with its Jacobian by each input.

    ``create_graph``: results can be differentiated. ``strict``: RuntimeError where an output does not depend on an
    input; its part is 0 otherwise.

    >>> nbgrad.autograd.functional.vjp(lambda x: (x * x).sum(), nbgrad.tensor([1.0, 2.0]))
    (tensor(5.), tensor([2., 4.]))
    """
    call = _Call("vjp", func, inputs, create_graph, strict)
    output, pull = pull_at(call.dependent, *call.inputs)
    seeds = call.vector(v, output, "the user-provided function returns")
    return call.given(call.like_output(output)), call.product("jacobian", pull(seeds), call.like_inputs)


@_in_grad_mode
def jvp(func: Any, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """``(output, product)``: ``func`` at ``inputs``, a tensor or a tuple, and the product of its Jacobian with ``v``,
    which is like the inputs (None: 1 for a single number). Arguments as those of ``vjp``.

    >>> nbgrad.autograd.functional.jvp(lambda x: x * x, nbgrad.tensor([1.0, 2.0]), nbgrad.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    call = _Call("jvp", func, inputs, create_graph, strict)
    along = call.vector(v, call.inputs, "the input to the user-provided function is")
    output, product = push_at(call.dependent, call.inputs, along)
    return call.given(call.like_output(output)), call.product("jacobian", product, call.like_output)


@_in_grad_mode
def jacobian(
    func: Any,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of ``func`` at ``inputs``, a tensor or a tuple: of shape (*output, *input), in a tuple of outputs
    and one of inputs where there are several.

    ``strategy``: "reverse-mode", or "forward-mode" for more outputs than inputs. All rows are computed at once, with
    ``vectorize`` or without. Other arguments as those of ``vjp``.

    >>> nbgrad.autograd.functional.jacobian(lambda x: x * x, nbgrad.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _require_strategy(strategy)
    _refuse_both("jacobian", strict, vectorize or strategy == "forward-mode")
    call = _Call("jacobian", func, inputs, create_graph, strict)
    places = tuple(range(len(call.inputs)))
    transform = jacrev if strategy == "reverse-mode" else jacfwd
    rows = transform(call.dependent, places)(*call.inputs)
    return call.given(call.like_output([call.like_inputs(row) for row in rows]))


@_in_grad_mode
def hessian(
    func: Any,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of ``func``, which gives one number, at ``inputs``, a tensor or a tuple: of shape
    (*input, *input), in tuples of tuples where there are several inputs. Arguments as those of ``jacobian``.

    >>> nbgrad.autograd.functional.hessian(lambda x: (x * x * x).sum(), nbgrad.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    _require_strategy(outer_jacobian_strategy)
    _refuse_both("hessian", strict, vectorize or outer_jacobian_strategy == "forward-mode")
    call = _Call("hessian", func, inputs, create_graph, strict)
    places = tuple(range(len(call.inputs)))
    outer = jacrev if outer_jacobian_strategy == "reverse-mode" else jacfwd
    rows, _ = outer(call.gradient, places, has_aux=True)(*call.inputs)
    return call.given(call.like_inputs([call.like_inputs(row) for row in rows]))


@_in_grad_mode
def vhp(func: Any, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """``(output, product)``: ``func``, which gives one number, at ``inputs``, and the product of ``v``, which is like
    the inputs, with its Hessian. Arguments as those of ``vjp``.

    >>> nbgrad.autograd.functional.vhp(lambda x: (x * x * x).sum(), nbgrad.tensor([1.0, 2.0]), nbgrad.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    call = _Call("vhp", func, inputs, create_graph, strict)
    seeds = call.vector(v, call.inputs, "the input to the user-provided function is")
    _, pull, output = pull_at(call.gradient, *call.inputs, has_aux=True)
    return call.given(output), call.product("hessian", pull(seeds), call.like_inputs)


@_in_grad_mode
def hvp(func: Any, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """``(output, product)``: as ``vhp``, by forward over reverse mode: the product of the Hessian with ``v``, which is
    the same, and cheaper.

    >>> nbgrad.autograd.functional.hvp(lambda x: (x * x * x).sum(), nbgrad.tensor([1.0, 2.0]), nbgrad.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    call = _Call("hvp", func, inputs, create_graph, strict)
    along = call.vector(v, call.inputs, "the input to the user-provided function is")
    _, product, output = push_at(call.gradient, call.inputs, along, has_aux=True)
    return call.given(output), call.product("hessian", product, call.like_inputs)


class _Call:
    """A function of several tensors that gives several, whatever the user's takes and gives."""

    def __init__(self, name: str, func: Any, inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.func = function_of(name, "func", func)
        self.is_one = isinstance(inputs, Handle)
        self.gives_one = True
        self.inputs = _tuple(inputs, "inputs given", name)
        if create_graph:  # what leads to no leaf outside leads to one that nobody has, as in PyTorch
            self.inputs = tuple([x.view_as(x) if requires_grad(x) else _leaf(x) for x in self.inputs])  # type: ignore[attr-defined]

    def run(self, *xs: Handle) -> tuple[Handle, ...]:
        output = self.func(*xs)
        self.gives_one = isinstance(output, Handle)
        outputs = _tuple(output, "outputs of the user-provided function given", self.name)
        for i, y in enumerate(outputs):
            if self.strict and not requires_grad(y):
                raise RunError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                    "computed in a differentiable manner from the input when running in strict mode."
                )
        return outputs

    def dependent(self, *xs: Handle) -> tuple[Handle, ...]:
        """As ``run``, and strict."""
        outputs = self.run(*xs)
        self.check(outputs, xs)
        return outputs

    def check(self, outputs: tuple[Handle, ...], xs: Sequence[Handle]) -> None:
        """Strict mode asks whether each input leads to an output, of a matrix to each output, and to a gradient that
        depends on it."""
        if not self.strict:
            return
        is_matrix = self.name in ("jacobian", "hessian")
        parts: list[tuple[str, tuple[Handle, ...]]] = [("The output", outputs)]
        if is_matrix:
            parts = [(f"Output {i}", (y,)) for i, y in enumerate(outputs)]
        for what, ys in parts:
            ones = [y.new_ones(spec_of(y).shape) for y in ys]  # type: ignore[attr-defined]
            for k, g in enumerate(pull(ys, ones, xs)):
                if g is None:
                    raise RunError(
                        f"{what} of the user-provided function is independent of input {k}. This is not allowed in "
                        "strict mode."
                    )
                if is_matrix:
                    self.check_varies("jacobian", k, g)

    def check_varies(self, what: str, k: int, g: Handle) -> None:
        """Strict mode asks whether a derivative can be differentiated where that is wanted."""
        if self.strict and self.create_graph and not requires_grad(g):
            raise RunError(
                f"The {what} of the user-provided function is independent of input {k}. This is not allowed in strict "
                "mode when create_graph=True."
            )

    def number(self, *xs: Handle) -> Handle:
        """The only element of the only output."""
        outputs = self.run(*xs)
        if self.name != "hessian":
            self.check(outputs, xs)
        if len(outputs) != 1:
            raise RunError(f"The function given to {self.name} should return a single Tensor")
        if spec_of(outputs[0]).size != 1:
            raise RunError(f"The Tensor returned by the function given to {self.name} should contain a single element")
        return outputs[0].reshape(())  # type: ignore[attr-defined, no-any-return]

    def gradient(self, *xs: Handle) -> Any:
        """The gradient of the number, and the number."""
        grads, value = grad_and_value(self.number, tuple(range(len(xs))))(*xs)
        for i, g in enumerate(grads):
            if self.strict and not requires_grad(g):
                raise RunError(
                    f"While computing the {self.name}, found that the jacobian of the user-provided function with "
                    f"respect to input {i} is independent of the input. This is not allowed in strict mode. You should "
                    "ensure that your function is twice differentiable and that the jacobian depends on the inputs."
                )
        if self.name == "hessian":
            self.check(grads, xs)
        return grads, value

    def vector(self, v: Any, like: Sequence[Handle], what: str) -> tuple[Handle, ...]:
        """``v`` as one tensor for each of ``like``."""
        if v is None:
            if len(like) != 1 or spec_of(like[0]).size != 1:
                raise RunError(f"The vector v can only be None if {what} a single Tensor with a single element.")
            return (like[0].new_ones(spec_of(like[0]).shape),)  # type: ignore[attr-defined]
        vectors = _tuple(v, "v given", self.name)
        if len(vectors) != len(like):
            raise RunError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
        for x, own in zip(like, vectors, strict=True):
            if spec_of(x).shape != spec_of(own).shape:
                raise RunError(
                    f"v has invalid size: should be {list(spec_of(x).shape)} but got {list(spec_of(own).shape)}."
                )
        return vectors

    def product(self, what: str, parts: Sequence[Handle], like: Callable[[Sequence[Any]], Any]) -> Any:
        """A product with the Jacobian or the Hessian as the user gets it."""
        for k, g in enumerate(parts):
            self.check_varies(what, k, g)
        return self.given(like(parts))

    def given(self, results: Any) -> Any:
        """Results as the user gets them."""
        return results if self.create_graph else tree_map(detach, results)

    def like_inputs(self, parts: Sequence[Any]) -> Any:
        return parts[0] if self.is_one else tuple(parts)

    def like_output(self, parts: Sequence[Any]) -> Any:
        return parts[0] if self.gives_one else tuple(parts)


def _leaf(x: Handle) -> Handle:
    y = detach(x)
    set_requires_grad(y, True)
    return y


def _require_strategy(strategy: str) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ArgumentError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )


def _refuse_both(function: str, strict: bool, vectorized: bool) -> None:
    if strict and vectorized:
        raise RunError(
            f"{function}: `strict=True` and `vectorized=True` are not supported together. Please either set "
            "`strict=False` or `vectorize=False`."
        )


def _tuple(value: Any, what: str, function: str) -> tuple[Handle, ...]:
    values = value if isinstance(value, tuple) else (value,)
    for k, x in enumerate(values):
        if not isinstance(x, Handle):
            where = "the given" if values is not value else f"the value at index {k} of the given"
            raise DTypeError(
                f"The {what} to {function} must be either a Tensor or a tuple of Tensors but {where} {what.split()[0]} "
                f"has type {type(x)}."
            )
    return values

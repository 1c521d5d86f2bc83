"""Functions with a derivative written by the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeError, GradError, RunError, at_user_line
from nbgrad.graph.spec import Spec
from nbgrad.trace.derive import FREED
from nbgrad.trace.gradient import record_function
from nbgrad.trace.handle import Handle
from nbgrad.trace.mode import get_mode, set_mode
from nbgrad.trace.record import record


class FunctionCtx:
    """What ``forward`` hands to ``backward``: saved tensors, flags, and any attribute the user sets.

    ``needs_input_grad[i]`` says whether argument i of ``forward`` is a tensor that requires grad.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: tuple[Handle | None, ...] = ()
        self._not_differentiable: list[Handle] = []
        self._materialize = True
        self._freed = False

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep ``tensors`` (inputs, outputs, others, or None) for ``backward``, which finds them in
        ``saved_tensors``."""
        for x in tensors:
            if x is not None and not isinstance(x, Handle):
                raise at_user_line(
                    DTypeError(f"save_for_backward can only save variables, but argument is of type {type(x).__name__}")
                )
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to ``save_for_backward``. RuntimeError once the graph was freed."""
        if self._freed:
            raise at_user_line(GradError(FREED))
        return self._saved

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that these outputs of ``forward`` have no derivative."""
        self._not_differentiable = list(tensors)

    def mark_dirty(self, *tensors: Any) -> None:
        """Accepted for PyTorch's sake: a write to an input is seen by itself here."""

    def set_materialize_grads(self, value: bool) -> None:
        """With False, ``backward`` gets None instead of zeros for outputs that nothing depends on."""
        self._materialize = bool(value)


class _Call:
    """One application: what the engine calls when cotangents of its outputs are there."""

    def __init__(self, function: type[Function], ctx: FunctionCtx, specs: list[Spec], count: int) -> None:
        self.function, self.ctx, self.specs, self.count = function, ctx, specs, count

    def pull_back(self, cotangents: list[Handle | None]) -> Sequence[Handle | None]:
        grads = [self._filled(g, spec) for g, spec in zip(cotangents, self.specs, strict=True)]
        given = self.function.backward(self.ctx, *grads)
        results = given if isinstance(given, tuple) else (given,)
        name = self.function.__name__
        if len(results) < self.count or any(g is not None for g in results[self.count :]):
            raise at_user_line(
                RunError(
                    f"function {name}Backward returned an incorrect number of gradients (expected {self.count}, "
                    f"got {len(results)})"
                )
            )
        for g in results:
            if g is not None and not isinstance(g, Handle):
                raise at_user_line(DTypeError(f"{name}.backward: expected a tensor or None, got {type(g).__name__}"))
        return results[: self.count]

    def _filled(self, g: Handle | None, spec: Spec) -> Handle | None:
        if g is not None or not self.ctx._materialize:
            return g
        zeros: Handle = record(CALLS["filled"], (), (spec.shape, spec.dtype, 0))
        return zeros


class Function:
    """Base of functions with a derivative of their own: static methods ``forward`` and ``backward``; use ``apply``.

    >>> class Square(nbgrad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 2 * x * g
    >>> x = nbgrad.tensor(3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Compute the outputs; what the derivative needs goes to ``ctx.save_for_backward``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """One gradient (or None) per argument of ``forward``, from one cotangent per output."""
        raise NotImplementedError("You must implement the backward function for your custom autograd.Function.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run ``forward`` and remember the call for differentiation. Arguments are positional, as in PyTorch."""
        needs = tuple([isinstance(a, Handle) and a.at.requires_grad for a in args])
        ctx = FunctionCtx(needs)
        enabled, inference = get_mode()
        before = set_mode(False, inference)
        try:
            result = cls.forward(ctx, *args)
        finally:
            set_mode(*before)
        if not enabled or not any(needs):
            return result
        outputs = list(result) if isinstance(result, (tuple, list)) else [result]
        places = [i for i, y in enumerate(outputs) if _is_differentiable(y, ctx)]
        values = [outputs[i] for i in places]
        specs = [y.at.spec for y in values]
        graphed = record_function(_Call(cls, ctx, specs, len(args)), args, values)
        replaced = {id(v): y for v, y in zip(values, graphed, strict=True)}
        ctx._saved = tuple([replaced.get(id(x), x) for x in ctx._saved])
        for i, y in zip(places, graphed, strict=True):
            outputs[i] = y
        return tuple(outputs) if isinstance(result, (tuple, list)) else outputs[0]


def _is_differentiable(y: Any, ctx: FunctionCtx) -> bool:
    return (
        isinstance(y, Handle)
        and y.at.spec is not None
        and y.at.spec.dtype.is_floating_point
        and not any(y is x for x in ctx._not_differentiable)
    )

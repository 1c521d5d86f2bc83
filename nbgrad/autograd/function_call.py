"""One call of a custom function: what it hands to its derivatives, and what the engine calls of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.autograd.engine import zeros
from nbgrad.autograd.hooks import run_node_hooks
from nbgrad.autograd.saved import Kept, Saved
from nbgrad.calls.base import CALLS
from nbgrad.errors import DTypeError, GradError, RunError, ShapeError, warn_here
from nbgrad.graph.spec import Shape, Spec, place_name
from nbgrad.trace import (
    CUSTOM,
    FREED,
    SEVERAL,
    Handle,
    Hooks,
    Trace,
    advance_as,
    entry_of,
    holding,
    is_exported,
    local,
    new_tensor,
    record,
    requires_grad,
    seen_through,
    shows_same,
    turn_page,
)


class FunctionCtx:
    """What ``forward`` hands to ``backward``: saved tensors, flags, and any attribute the user sets.

    ``needs_input_grad[i]`` says whether argument i of ``forward`` is a tensor that requires grad.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: list[Handle | None] = []
        self._saved_for_forward: list[Handle | None] = []
        self._kept: list[Kept | None] | None = None  # once the call is over
        self._kept_for_forward: list[Saved | None] | None = None
        self._pushes = False  # whether it is ``jvp`` that reads
        self._clears = self._was_read = False  # whether the first look lets go what was saved
        self._not_differentiable: list[Handle] = []
        self._dirty: list[Handle] = []
        self._materialize = self._materialize_non_diff_grads = True
        self._freed = False

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep ``tensors`` (inputs, outputs, others, None) for ``backward``, which finds them in ``saved_tensors``."""
        for k, x in enumerate(tensors):
            if x is not None and not isinstance(x, Handle):
                raise DTypeError(
                    f"save_for_backward can only save variables, but argument {k} is of type {type(x).__name__}"
                )
        self._saved = list(tensors)

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep ``tensors`` (inputs, outputs, others, None) for ``jvp``, which finds them in ``saved_tensors``."""
        for x in tensors:
            if x is not None and not isinstance(x, Handle):
                raise DTypeError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx."
                )
        self._saved_for_forward = list(tensors)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to ``save_for_backward``, as they were then; in ``jvp`` those given to
        ``save_for_forward``. RuntimeError once the graph was freed."""
        if self._freed and not self._pushes:
            raise GradError(FREED)
        kept = self._kept_for_forward if self._pushes else self._kept
        if kept is None:
            return tuple(self._saved_for_forward if self._pushes else self._saved)
        if self._clears and not self._pushes:
            if self._was_read:
                raise GradError("saved_tensors can only be accessed once where clear_saved_tensors_on_access is True")
            self._was_read, self._saved, self._kept = True, [], []
        return tuple([None if x is None else x.tensor() for x in kept])

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The old name of ``saved_tensors``."""
        warn_here("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    def forget(self) -> None:
        """Let go what was saved."""
        self._saved, self._saved_for_forward = [], []
        self._kept = self._kept_for_forward = None

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that these outputs of ``forward`` have no derivative."""
        self._not_differentiable = list(tensors)

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that ``forward`` has written these inputs in place and returns them."""
        self._dirty = list(tensors)

    def set_materialize_grads(self, value: bool) -> None:
        """With False, ``backward`` gets None instead of zeros for outputs that nothing depends on, and ``jvp`` for
        inputs that depend on nothing."""
        self._materialize = bool(value)


class Call:
    """One application: what the engine calls when cotangents of its outputs are there, or tangents of its inputs.
    ``before`` and ``after`` are the hooks of the node that it is in the graph."""

    depth: int
    before: Hooks | None = None
    after: Hooks | None = None

    def __init__(self, function: Any, ctx: FunctionCtx, args: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.name, self.count = function.__name__, len(outputs)
        self._function, self.ctx = function, ctx
        self._inputs = [a._at.spec if isinstance(a, Handle) else None for a in args]
        self._outputs = [y._at.spec if isinstance(y, Handle) else None for y in outputs]
        self.places = [i for i, y in enumerate(outputs) if is_differentiable(y, ctx)]

    @property
    def takes(self) -> Sequence[bool]:
        return [spec is not None for spec in self._inputs]

    def pull_back(self, cotangents: list[Handle | None]) -> Sequence[Handle | None]:
        """What ``backward`` gives, one gradient for each argument."""
        grads: list[Handle | None] = [None] * len(self._outputs)
        for place, g in zip(self.places, cotangents, strict=False):  # the last outputs may have been let go at once
            grads[place] = g
        if self.before:
            grads = list(run_node_hooks(local.trace, self.before.values(), tuple(grads)))
        arrived = tuple(grads)
        if self.ctx._materialize:
            those = range(self.count) if self.ctx._materialize_non_diff_grads else self.places
            blank = {i: spec for i in those if (spec := self._outputs[i]) is not None and grads[i] is None}
            grads = [zeros(blank[i]) if i in blank else g for i, g in enumerate(grads)]
        given = self._function._pull_back()(self.ctx, *grads)
        results = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        count = len(self._inputs)
        if len(results) != count and (len(results) < count or any(g is not None for g in results[count:])):
            raise RunError(
                f"function {self.name}Backward returned an incorrect number of gradients (expected {count}, "
                f"got {len(results)})"
            )
        fitted = [self._fitted(i, g, spec) for i, (g, spec) in enumerate(zip(results, self._inputs, strict=False))]
        return self._hooked(fitted, arrived) if self.after else fitted

    def _hooked(self, grads: list[Handle | None], arrived: tuple[Handle | None, ...]) -> list[Handle | None]:
        """What hooks on this node make of its gradients by tensors."""
        places = [i for i, spec in enumerate(self._inputs) if spec is not None]
        given = run_node_hooks(local.trace, (self.after or {}).values(), tuple([grads[i] for i in places]), arrived)
        for i, g in zip(places, given, strict=True):
            grads[i] = g
        return grads

    def push_forward(self, tangents: list[Handle | None]) -> Sequence[Handle | None]:
        """What ``jvp`` gives, one tangent for each output that is differentiable."""
        ctx = self.ctx
        if ctx._materialize:
            tangents = [
                zeros(spec) if t is None and spec else t for t, spec in zip(tangents, self._inputs, strict=True)
            ]
        ctx._pushes = True
        try:
            given = self._function.jvp(ctx, *tangents)
        finally:
            ctx._pushes = False
        results = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(results) != self.count:
            raise RunError(
                f"Function's jvp returned an invalid number of forward gradients (expected {self.count} but "
                f"got {len(results)})"
            )
        for i in set(range(self.count)).difference(self.places):
            if results[i] is not None:
                raise RunError(
                    f"{self.name}.jvp: a tangent came back for output {i}, which has no derivative: it is no tensor, "
                    "of integers, or marked as non-differentiable. You should return None at that position instead."
                )
        return [self._moved(results[i], self._outputs[i]) for i in self.places]

    def free(self) -> None:
        self.ctx._freed = True
        self.ctx._saved, self.ctx._kept = [], None

    def _moved(self, t: Any, spec: Spec | None) -> Handle | None:
        """A tangent in the dtype of its output."""
        if t is None:
            return None
        if not isinstance(t, Handle):
            raise DTypeError(f"{self.name}.jvp: expected Variable or None (got {type(t).__name__}) for a tangent")
        got = t._at.spec
        assert got is not None and spec is not None
        if got.shape != spec.shape:
            raise ShapeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(spec.shape)} while the given forward gradient is of size "
                f"{list(got.shape)}."
            )
        return t if got.dtype is spec.dtype else record(CALLS["to_dtype"], (t,), (spec.dtype,))

    def _fitted(self, place: int, g: Any, spec: Spec | None) -> Handle | None:
        """A gradient in the shape and dtype of its input."""
        if g is None or spec is None:
            return None
        if not isinstance(g, Handle):
            raise RunError(f"{self.name}.backward: expected Variable or None (got {type(g).__name__})")
        got = g._at.spec
        assert got is not None
        if got.place != spec.place:
            raise RunError(
                f"Function {self.name}Backward returned an invalid gradient at index {place} - expected device "
                f"{place_name(spec.place)} but got {place_name(got.place)}"
            )
        if got.shape != spec.shape:
            g = self._summed(place, g, got.shape, spec.shape)
        return g if got.dtype is spec.dtype else record(CALLS["to_dtype"], (g,), (spec.dtype,))  # type: ignore[no-any-return]

    def _summed(self, place: int, g: Handle, shape: Shape, wanted: Shape) -> Handle:
        lead = len(shape) - len(wanted)
        if lead < 0 or any(m not in (1, n) for n, m in zip(shape[lead:], wanted, strict=True)):
            raise ShapeError(
                f"Function {self.name}Backward returned an invalid gradient at index {place} - got {list(shape)} "
                f"but expected shape compatible with {list(wanted)}"
            )
        dims = tuple([d for d in range(len(shape)) if d < lead or wanted[d - lead] != shape[d]])
        return record(CALLS["reshape"], (record(CALLS["sum"], (g,), (dims, True, None)),), (wanted,))  # type: ignore[no-any-return]


def is_differentiable(y: Any, ctx: FunctionCtx) -> bool:
    """Whether an output of a custom function has a derivative."""
    return (
        isinstance(y, Handle)
        and y._at.spec is not None
        and y._at.spec.dtype.is_inexact
        and not (ctx._not_differentiable and any(y is x for x in ctx._not_differentiable))
    )


@holding
def record_function(
    trace: Trace,
    custom: Any,
    inputs: Sequence[Any],
    values: Sequence[Handle],
    dirty: Sequence[Handle] = (),
    has_vmap: bool = False,
    sources: Sequence[int] | None = None,
) -> list[Handle]:
    """The outputs of a custom function: ``values`` with the function's backward behind them. Those that show memory of
    an input, unless that is ``dirty``, are views. Without any no entry would name the function, and the next one is to
    have its number. ``has_vmap``: the values were computed for all examples of a vmap.
    Cotangents go to the entries ``sources``; None: to those of the inputs that require grad."""
    if not values:
        return []
    refs = sources
    if refs is None:
        refs = [entry_of(trace, x).ix if isinstance(x, Handle) else -1 for x in inputs]
        sources = [r if isinstance(x, Handle) and requires_grad(x) else -1 for x, r in zip(inputs, refs, strict=True)]
    outputs = []
    value_ix = [entry_of(trace, v).ix for v in values]
    functions, node = trace.segment.functions, trace.node
    index = len(functions)
    try:
        functions.append((custom, sources))
        custom.depth = trace.transforms
        for place, (value, ix) in enumerate(zip(values, value_ix, strict=True)):
            y = new_tensor(trace, "function", index, place, tuple(refs), ix, has_vmap)
            if not (dirty and any(x is value for x in dirty)) and _is_shown(inputs, value):
                be_view(trace, y, value, SEVERAL if len(values) > 1 else CUSTOM)
            outputs.append(y)
    except BaseException:
        if trace.node is node:  # a signal's handler raised: no entry names it
            del functions[index:]
        raise
    return outputs


def _is_shown(inputs: Sequence[Any], value: Handle) -> bool:
    """Whether one of ``inputs`` shows the memory of ``value``."""
    for x in inputs:  # noqa: SIM110, a generator takes longer, and so does every call of a custom function
        if x is value or (isinstance(x, Handle) and shows_same(x, value)):
            return True
    return False


def be_view(trace: Trace, y: Handle, value: Handle, kind: int) -> None:
    """Let ``y``, which stands for the last entry, be a view of this kind of the memory of ``value``: with a history of
    its own until that is written."""
    y._share = seen_through(value, (), kind)
    advance_as(trace, y, ("renewed", y._at.ix, y._at.ix))
    if is_exported(y):
        turn_page(trace)  # others may write it: it is read again

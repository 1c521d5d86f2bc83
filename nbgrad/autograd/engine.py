"""backward and grad: check the request, record it, run it, write the gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from nbgrad.autograd.again import backward_again, backward_block, grad_again, grad_block, is_simple
from nbgrad.autograd.arguments import check_flags, check_inputs, plain_seeds, refuse_inference, seeds_of, tensors_of
from nbgrad.autograd.grad_fn import GradientEdge
from nbgrad.autograd.hooks import hooked_gradients, hooks_after, leaf_hooks, one_derivative, run_after, several_hooks
from nbgrad.autograd.later import later
from nbgrad.autograd.memory_order import laid_out, order_of
from nbgrad.autograd.walk import NOTHING_FREED, request_gradients
from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, GradError, NbgradError, RunError
from nbgrad.graph.spec import Spec
from nbgrad.trace import (
    Bookmark,
    Handle,
    Trace,
    aside,
    at,
    backward_by_baseline,
    flush,
    grad_mode,
    holding,
    is_leaf,
    permuted_leaves,
    record,
    require_kept,
    require_value,
    requires_grad,
    set_requires_grad,
    spec_of,
    write_checked,
)

Tensors = Handle | Sequence[Handle]


def backward(
    tensors: Tensors,
    grad_tensors: Handle | Sequence[Handle | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of the sum of ``tensors`` to the ``.grad`` of the leaves behind them.

    ``grad_tensors``: the cotangent of each tensor, of its shape; None for scalars means 1. ``retain_graph`` (default:
    the value of ``create_graph``) keeps the graph for another backward. ``create_graph`` makes the gradients
    differentiable. ``grad_variables`` is another name of ``grad_tensors``. ``inputs``: accumulate into these leaves
    only. RuntimeError where a tensor has no graph, its graph was freed, or shapes differ. An error or Ctrl-C leaves
    every tensor and the graph as they were.

    A backward frees what was saved for derivatives. A second one is refused where PyTorch refuses it; through
    operators for which nothing is saved, such as ``x + y`` and ``x.mean()``, it adds the same gradient again.

    >>> x = nbgrad.tensor([1.0, 2.0], requires_grad=True)
    >>> nbgrad.autograd.backward([(x * x).sum()])
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RunError("backward(): grad_tensors and grad_variables are the same argument; give one of them")
        grad_tensors = grad_variables
    _backward_in_hand(tensors, grad_tensors, retain_graph, create_graph, inputs)


@holding
def _backward_in_hand(
    trace: Trace, tensors: Tensors, grad_tensors: Any, retain_graph: Any, create_graph: Any, inputs: Tensors | None
) -> None:
    if create_graph is not False or retain_graph is not None:
        flags = {"create_graph": create_graph, "retain_graph": False if retain_graph is None else retain_graph}
        check_flags("backward", flags)
    retain = bool(create_graph if retain_graph is None else retain_graph)
    if not create_graph and inputs is None and grad_tensors is None:
        output = tensors[0] if isinstance(tensors, (list, tuple)) and len(tensors) == 1 else tensors
        if isinstance(output, Handle) and is_simple(trace, output):
            if not trace.node and backward_by_baseline(trace, output, retain):
                return
            if backward_again(trace, output, retain):
                return
    outputs = tensors_of("backward", "tensors", tensors)
    wanted = None if inputs is None else tensors_of("backward", "inputs", inputs)
    refuse_inference(trace)
    if wanted is not None:
        _require_differentiable(outputs)
        check_inputs(wanted)
    if not _backward(trace, outputs, grad_tensors, wanted, retain, create_graph, again=True):
        _backward(trace, outputs, grad_tensors, wanted, retain, create_graph, again=False)


def _backward(
    trace: Trace,
    outputs: tuple[Handle, ...],
    grad_tensors: Any,
    wanted: Any,
    retain: bool,
    create_graph: bool,
    *,
    again: bool,
) -> bool:
    """Record, run and accumulate. False where an instruction failed and there will be an attempt ``again``.

    What was pending before has been run then: what failed there belongs to others, or is known to these outputs. Code
    of the user's, a hook's, runs once: there is no other attempt, and gradients that can be computed are given.
    """
    mark, flushing, freed, block = Bookmark(trace), None, NOTHING_FREED, None
    try:
        _require_differentiable(outputs)
        seeds = seeds_of("backward", "grad_tensors", outputs, grad_tensors)
        if seeds == [None] and wanted is None and not create_graph and is_simple(trace, outputs[0]):
            known = list(trace.segment.leaves.values())
            block = backward_block(trace, outputs[0], retain, known)
        leaves, keepers, grads, freed = _request(
            trace, outputs, seeds, wanted, retain, create_graph, unused=True, accumulates=True
        )
        told = hooks_after(leaves, grads, freed.order) if leaf_hooks else []
        _accumulate_all(trace, mark, leaves, keepers, grads, create_graph)
        del leaves, keepers, grads
        if block is not None:
            block.end([x._grad for x in known])
        del block, seeds
        if trace.watcher is not None and trace.watcher.defers and not told:
            freed.mark(trace)
            return True
        flushing = trace.segment
        flush(trace, isolate=False)
    except BaseException as error:
        if flushing is not None and flushing is not trace.segment:  # Ctrl-C came when all was done
            freed.mark(trace)
            raise
        has_failed = flushing is not None and isinstance(error, NbgradError)
        is_once = mark.has_users_code()
        if not (has_failed and is_once and _are_computable(trace, mark)):
            mark.restore()
            if is_once or not (has_failed and again):
                mark.cut(error)
                raise
            flush(trace)
            return False
        flush(trace)
    freed.mark(trace)
    if told:
        try:
            run_after(trace, told, create_graph)
        except BaseException:
            mark.restore_modes()
            raise
    return True


def _require_differentiable(outputs: Sequence[Handle]) -> None:
    """The error PyTorch gives for an output without a derivative; the one that lost it its value comes first."""
    for i, y in enumerate(outputs):
        require_value(y)
        require_kept(y)
        if not requires_grad(y):
            raise GradError(
                f"element {i} of tensors does not require grad and does not have a grad_fn: compute it from "
                "tensors with requires_grad=True, outside no_grad"
            )


def _are_computable(trace: Trace, mark: Bookmark) -> bool:
    """Whether the gradients that were added since ``mark`` do not need what failed."""
    try:
        for x, name, _ in mark.kept:
            if name == "_grad":
                aside(trace, x._grad)
    except NbgradError:
        return False
    return True


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Handle | Sequence[Handle | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Handle | None, ...]:
    """The gradients of the sum of ``outputs`` by each of ``inputs``, returned and not accumulated.

    Arguments as ``torch.autograd.grad``; ``only_inputs`` changes nothing. An input that no output depends on is an
    error, or None with ``allow_unused``, or zeros with ``materialize_grads``. ``is_grads_batched``: the first dim of
    each ``grad_outputs`` runs over several cotangents, and the first dim of each result over their gradients.

    >>> x = nbgrad.tensor(3.0, requires_grad=True)
    >>> nbgrad.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    return _grad_in_hand(
        outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, is_grads_batched, materialize_grads
    )


def gradients_in_part(outputs: Tensors, inputs: Tensors, grad_outputs: Any) -> tuple[Handle | None, ...]:
    """What ``grad`` gives, None of unused inputs, where more will be added: hooks of leaves wait for all of it."""
    return _grad_in_hand(outputs, inputs, grad_outputs, None, False, True, False, False, hooked=False)


@holding
def _grad_in_hand(
    trace: Trace,
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any,
    retain_graph: Any,
    create_graph: Any,
    allow_unused: bool | None,
    is_grads_batched: Any,
    materialize_grads: Any,
    *,
    hooked: bool = True,
) -> tuple[Handle | None, ...]:
    if not (type(create_graph) is type(is_grads_batched) is type(materialize_grads) is bool and retain_graph is None):
        flags = {"create_graph": create_graph, "is_grads_batched": is_grads_batched}
        flags |= {
            "materialize_grads": materialize_grads,
            "retain_graph": False if retain_graph is None else retain_graph,
        }
        check_flags("grad", flags)
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    outs, wrt = tensors_of("grad", "outputs", outputs), tensors_of("grad", "inputs", inputs)
    unused = materialize_grads if allow_unused is None else allow_unused
    retain = create_graph if retain_graph is None else bool(retain_graph)
    how = retain, create_graph, unused
    if not (is_grads_batched or materialize_grads) and (plain := plain_seeds(outs, grad_outputs)) is not None:
        found = grad_again(trace, outs, plain, wrt, how)
        if found is not None:
            return found
    if not wrt:
        raise RunError("grad(): `inputs` argument cannot be empty.")
    refuse_inference(trace)
    if is_grads_batched:
        batch = () if grad_outputs is None else tensors_of("grad", "grad_outputs", grad_outputs)
        return later("batched").grad_batched(trace, outs, wrt, batch, *how, materialize_grads)  # type: ignore[no-any-return]
    for x in wrt:
        if not requires_grad(x):
            raise GradError("One of the differentiated Tensors does not require grad")
    mark = Bookmark(trace)
    try:
        _require_differentiable(outs)
        seeds = seeds_of("grad", "grad_outputs", outs, grad_outputs)
        block = grad_block(trace, outs, seeds, wrt, how)
        _, keepers, grads, freed = _request(
            trace, outs, seeds, wrt, retain, create_graph, unused=unused, accumulates=False, hooked=hooked
        )
        if keepers:
            _accumulate_all(trace, mark, (), keepers, grads[len(wrt) :], create_graph)
        del grads[len(wrt) :]
        if block is not None:
            block.end(grads)
    except BaseException as error:
        mark.restore()
        mark.cut(error)
        raise
    try:
        if trace.segment.earlier and not retain and trace.watcher is None and not trace.vmaps:
            flush(trace)  # what is recorded next does not hold on to the segments that this went back to
    finally:
        freed.mark(trace)
    if materialize_grads:
        given = tuple(inputs) if isinstance(inputs, (list, tuple)) else ()
        for k in [k for k, g in enumerate(grads) if g is None]:
            if not isinstance(inputs, Handle) and isinstance(given[k], GradientEdge):
                raise RunError("materialize_grads cannot be used when the given input is a GradientEdge")
            grads[k] = none = zeros(spec_of(wrt[k]))
            if create_graph:
                set_requires_grad(none, True)
    return tuple(grads)


def _request(
    trace: Trace,
    outputs: Any,
    seeds: Any,
    wrt: Any,
    retain: bool,
    create_graph: bool,
    *,
    unused: bool,
    accumulates: bool,
    hooked: bool = True,
) -> tuple[Any, Any, list[Handle | None], Any]:
    """``request_gradients``, and all hooks on what it gives."""
    how = {"retain_graph": retain, "create_graph": create_graph, "allow_unused": unused, "accumulates": accumulates}
    if trace.anomaly and not trace.vmaps:  # inside vmap nothing can be looked at
        trace.anomaly = False
        try:
            arguments = trace, outputs, seeds, wrt, retain, create_graph
            once = partial(_request, *arguments, unused=unused, accumulates=accumulates, hooked=hooked)
            return later("anomaly_mode").checked(outputs, once)  # type: ignore[no-any-return]
        finally:
            trace.anomaly = True
    segment = trace.segment
    around, trace.callbacks = trace.callbacks, []
    try:
        if not (leaf_hooks or several_hooks or segment.hooks or any(s.hooks for s in segment.earlier)):
            found = request_gradients(trace, outputs, seeds, wrt, **how)
        else:
            with one_derivative():
                found = request_gradients(trace, outputs, seeds, wrt, **how)
                if hooked:
                    hooked_gradients(trace, found[0], found[2], found[3].order, create_graph, accumulates)
        return (*found[:3], found[3]._replace(callbacks=trace.callbacks)) if trace.callbacks else found
    finally:
        trace.callbacks = around


def zeros(spec: Spec) -> Handle:
    """A tensor of zeros."""
    return at(record(CALLS["filled"], (), (spec.shape, spec.dtype, 0)), spec.place)


def _accumulate_all(
    trace: Trace,
    mark: Bookmark,
    leaves: Sequence[Handle],
    keepers: Sequence[Handle],
    grads: Sequence[Handle | None],
    create_graph: bool,
) -> None:
    """Leaves come once for every segment they were used in. Of computed tensors that are wanted, ``keepers`` are told:
    those have asked for the gradient of a place in the graph, whatever they are by now."""
    adds = any(x._grad is not None for x in (*leaves, *keepers))
    with grad_mode(trace.grad_enabled and (not adds or bool(create_graph)), trace):
        for k, (x, g) in enumerate(zip((*leaves, *keepers), grads, strict=True)):
            is_kept = k >= len(leaves)
            if g is not None and (is_kept or (is_leaf(x) and requires_grad(x))):  # which it may not any more
                mark.keep(x)
                _accumulate(x, g, in_place=not (create_graph or is_kept))


def _accumulate(x: Handle, g: Handle, *, in_place: bool) -> None:
    """Add ``g`` to ``x.grad``: in place, keeping the tensor's identity, unless the sum must be differentiable, or ``x``
    keeps the gradient of a place in the graph, as in PyTorch.

    The caller has turned gradients off where it is not differentiable.
    """
    old = x._grad
    if old is not None and in_place:
        write_checked(old, lambda: record(CALLS["add"], (old, g, None)), "backward")
        return
    new = g if old is None else record(CALLS["add"], (old, g, None))
    order = order_of(x) if id(x) in permuted_leaves else None
    x._grad = new if order is None else laid_out(order, new, "clone")

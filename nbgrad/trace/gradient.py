"""What has its place among the entries, for derivatives to come by: custom functions, hooks, tensors that keep their
gradient."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from nbgrad.errors import GradError, RunError
from nbgrad.trace.builder import depends_on_examples
from nbgrad.trace.grow import advance_as, builder_of, new_tensor
from nbgrad.trace.handle import CUSTOM, INFERENCE, NO_GRAD, PLAIN, SEVERAL, Handle
from nbgrad.trace.history import require_kept, requires_grad
from nbgrad.trace.nested import holding
from nbgrad.trace.nodes import spot_of
from nbgrad.trace.past import bring_in
from nbgrad.trace.segment import Hooks
from nbgrad.trace.storage import entry_of, is_exported, seen_through, share_of, sharing, shows_same
from nbgrad.trace.thread import Trace, require_value, turn_page
from nbgrad.trace.watch import refuse


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
    an input, unless that is ``dirty``, are views. ``has_vmap``: the values were computed for all examples of a vmap.
    Cotangents go to the entries ``sources``; None: to those of the inputs that require grad."""
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
                # With a history of its own until that is written.
                y._share = seen_through(value, (), SEVERAL if len(values) > 1 else CUSTOM)
                advance_as(trace, y, ("renewed", y._at.ix, y._at.ix))
                if is_exported(y):
                    turn_page(trace)  # others may write it: it is read again
            outputs.append(y)
    except BaseException:
        if trace.node is node:  # a signal's handler raised: no entry names it, and the next one is to have its number
            del functions[index:]
        raise
    return outputs


def _is_shown(inputs: Sequence[Any], value: Handle) -> bool:
    """Whether one of ``inputs`` shows the memory of ``value``."""
    for x in inputs:  # noqa: SIM110, a generator takes longer, and so does every call of a custom function
        if x is value or (isinstance(x, Handle) and shows_same(x, value)):
            return True
    return False


@holding
def made_of(trace: Trace, a: Handle, view: Handle, history: Handle | None) -> Handle:
    """``view``, which shows memory that ``a`` is a view of, as one that was made of ``a``: protected as that is, with
    the place in the graph that ``history`` has, which is of the same values. None: it has no place."""
    require_kept(a)
    own, y = share_of(a), view
    if history is not None:
        y = new_tensor(trace, "rebase_history", entry_of(trace, history).ix, entry_of(trace, view).ix, -1)
        y._share = seen_through(view, (), CUSTOM)
        advance_as(trace, y, ("renewed", y._at.ix, y._at.ix))
        if is_exported(y):
            turn_page(trace)  # others may write it: it is read again
    is_plain = own is None or (own.root is None and own.kind in (NO_GRAD, INFERENCE))
    sharing(y).kind = PLAIN if is_plain else own.kind  # type: ignore[union-attr]
    return y


def require_differentiable(outputs: Sequence[Handle]) -> None:
    """The error PyTorch gives for an output without a derivative; the one that lost it its value comes first."""
    for i, y in enumerate(outputs):
        require_value(y)
        require_kept(y)
        if not requires_grad(y):
            raise GradError(
                f"element {i} of tensors does not require grad and does not have a grad_fn: compute it from "
                "tensors with requires_grad=True, outside no_grad"
            )


@holding
def retain(trace: Trace, a: Handle) -> None:
    """From now on derivatives that pass ``a``, as it stands now, are kept in its ``.grad``."""
    refuse("retain_grad() gives a gradient to a tensor of this call")
    share, segment = sharing(a), trace.segment
    before = share.retained
    if before is not None:
        known, ix = before
        known.pop(ix, None)
    book, entry = spot_of(trace, a)
    book.retained[entry.ix] = weakref.ref(a)
    share.retained = book.retained, entry.ix
    if book is segment:
        if segment.retained_before is None:
            segment.retained_before = {}
        segment.retained_before[entry.ix] = before


@holding
def hooks_of(trace: Trace, a: Handle) -> Hooks:
    """The hooks on the gradient of ``a``, which is computed, as it stands now: to be added to."""
    refuse("register_hook() adds to a tensor of this call")
    book, entry = spot_of(trace, a)
    hooks = book.hooks.setdefault(entry.ix, Hooks())
    if trace.transforms or trace.vmaps:
        ref = entry_of(trace, a).ix
        bring_in(trace, [ref])
        builder = builder_of(trace, trace.node)
        hooks.depth = builder.depth_of(builder.node_of(ref))
        for level in trace.vmaps:
            if level.depth >= hooks.depth and depends_on_examples(builder, ref, level.entries):
                raise RunError(
                    "cannot register a hook on a tensor that doesn't require gradient: a gradient of one example of a "
                    "vmap is computed inside of it alone"
                )
    return hooks

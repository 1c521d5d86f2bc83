"""Hooks on gradients: code of the user's that runs while a derivative is recorded, on lazy tensors, every time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from nbgrad.errors import DTypeError, RunError
from nbgrad.trace.handle import Handle, spec_of
from nbgrad.trace.nested import released
from nbgrad.trace.thread import Hooks, Trace
from nbgrad.trace.watch import refuse


class NodeHook(NamedTuple):
    """A hook of a node of the graph among those of its output: it takes tuples of cotangents. ``is_before``: of the
    outputs, otherwise of the inputs, and of the outputs. None: it is the derivative of the node itself, see
    inference.py."""

    call: Callable[..., Any]
    is_before: bool | None


def run_node_hooks(
    trace: Trace, hooks: Iterable[Callable[..., Any]], grads: tuple[Any, ...], *others: tuple[Any, ...]
) -> tuple[Any, ...]:
    """``grads``, or what the hooks, which are told of ``others``, too, give in their place."""
    for hook in hooks:
        refuse("a hook runs in a backward", trace)
        given = released(trace, hook, grads, *others)
        if given is None:
            continue
        if not isinstance(given, tuple):
            raise DTypeError(f"expected tuple, but hook returned '{type(given).__name__}'")
        if len(given) != len(grads):
            raise RunError(
                f"hook '{_name_of(hook)}' has returned an incorrect number of values (got {len(given)}, but expected "
                f"{len(grads)})"
            )
        for before, after in zip(grads, given, strict=True):
            if after is not None and before is None:
                raise RunError("can't replace a None gradient with a non-None value")
            if after is not None:
                _check(hook, before, after)
        grads = given
    return grads


def hooks_of_node(hooks: Hooks, is_before: bool | None) -> list[Callable[..., Any]]:
    """Those of ``hooks`` that are a node's and run then."""
    return [hook.call for hook in hooks.values() if isinstance(hook, NodeHook) and hook.is_before is is_before]


def run_hooks(trace: Trace, hooks: Hooks, g: Handle | None) -> Handle | None:
    """``g``, or what the hooks of a tensor, one after the other, give in its place. They are not called where there is
    none."""
    for hook in list(hooks.values()):
        if g is None:
            return None
        if isinstance(hook, NodeHook):
            continue
        refuse("a hook runs in a backward", trace)
        given = released(trace, hook, g)
        if given is not None:
            _check(hook, g, given)
            g = given
    return g


def _name_of(hook: Any) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def _check(hook: Any, g: Any, given: Any) -> None:
    name = _name_of(hook)
    if not isinstance(given, Handle):
        raise DTypeError(f"hook '{name}': expected a Tensor or None, but it returned {type(given).__name__}")
    before, after = spec_of(g), spec_of(given)
    if after.shape != before.shape:
        raise RunError(f"hook '{name}' has changed the size of value: from {list(before.shape)} to {list(after.shape)}")
    if after.dtype is not before.dtype or after.place != before.place:
        raise RunError(f"hook '{name}' has changed the type of value: from {before} to {after}")

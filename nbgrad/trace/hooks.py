"""Hooks on gradients: code of the user's that runs while a derivative is recorded, on lazy tensors, every time."""

from __future__ import annotations

from typing import Any

from nbgrad.errors import DTypeError, RunError
from nbgrad.trace.handle import Handle, Hooks, local, spec_of
from nbgrad.trace.nested import released
from nbgrad.trace.watch import refuse


def run_hooks(hooks: Hooks, g: Handle | None) -> Handle | None:
    """``g``, or what the hooks, one after the other, give in its place. They are not called where there is none."""
    for hook in list(hooks.values()):
        if g is None:
            return None
        refuse("a hook runs in a backward")
        given = released(local.trace, hook, g)
        if given is not None:
            _check(hook, g, given)
            g = given
    return g


def _check(hook: Any, g: Handle, given: Any) -> None:
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(given, Handle):
        raise DTypeError(f"hook '{name}': expected a Tensor or None, but it returned {type(given).__name__}")
    before, after = spec_of(g), spec_of(given)
    if after.shape != before.shape:
        raise RunError(f"hook '{name}' has changed the size of value: from {list(before.shape)} to {list(after.shape)}")
    if after.dtype is not before.dtype or after.place != before.place:
        raise RunError(f"hook '{name}' has changed the type of value: from {before} to {after}")

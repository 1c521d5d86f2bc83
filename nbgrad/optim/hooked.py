"""Hooks around an optimiser's steps, and around saving and loading its state."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from nbgrad.autograd.hooks import RemovableHandle, added
from nbgrad.errors import RunError

P = ParamSpec("P")
R = TypeVar("R")
Hooks = OrderedDict[int, Callable[..., Any]]

before_every: Final[Hooks] = OrderedDict()
after_every: Final[Hooks] = OrderedDict()


def profile_hook_step(step: Callable[P, R]) -> Callable[P, R]:
    """``step`` with the hooks that are registered around it: a decorator for an optimiser's own."""

    @wraps(step)
    def hooked(*args: Any, **kwargs: Any) -> Any:
        own: Any = args[0]
        own._opt_called = True
        if own._hooks is None and not (before_every or after_every):
            return step(*args, **kwargs)
        for hook in [*before_every.values(), *own._hooked("step_pre")]:
            given = hook(own, args, kwargs)
            if given is not None:
                if not (isinstance(given, tuple) and len(given) == 2):
                    raise RunError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {given}.")
                args, kwargs = given
        result = step(*args, **kwargs)
        for hook in [*after_every.values(), *own._hooked("step_post")]:
            hook(own, args, kwargs)
        return result

    hooked.hooked = True  # type: ignore[attr-defined]
    return hooked


class Hooked:
    """What has hooks: none until the first is added."""

    _hooks: dict[str, Hooks] | None = None

    profile_hook_step = staticmethod(profile_hook_step)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each ``step``, which takes the (args, kwargs) that it gives."""
        return self._add_hook("step_pre", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each ``step``."""
        return self._add_hook("step_post", hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before each ``state_dict``."""
        return self._add_hook("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after each ``state_dict``, which gives what it gives, unless None."""
        return self._add_hook("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before each ``load_state_dict``, which loads what it gives, unless
        None."""
        return self._add_hook("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after each ``load_state_dict``."""
        return self._add_hook("load_state_dict_post", hook, prepend)

    def _add_hook(self, kind: str, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        if self._hooks is None:
            self._hooks = {}
        hooks = self._hooks.setdefault(kind, OrderedDict())
        handle = added(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def _hooked(self, kind: str) -> list[Callable[..., Any]]:
        return [] if self._hooks is None else [*self._hooks.get(kind, {}).values()]

    def _passed(self, kind: str, state: Any) -> Any:
        """``state`` after the hooks of that kind, each of which may give another."""
        for hook in self._hooked(kind):
            given = hook(self, state)
            state = state if given is None else given
        return state


def make_hooked(kind: Any) -> None:
    """Have the step of a user's class run the hooks."""
    if not hasattr(kind.step, "hooked"):
        kind.step = profile_hook_step(kind.step)


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of every optimiser."""
    return added(before_every, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of every optimiser."""
    return added(after_every, hook)

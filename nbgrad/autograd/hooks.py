"""Hooks on gradients: code of the user's that a backward calls."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, NamedTuple, Self

from nbgrad.calls.base import CALLS
from nbgrad.errors import ArgumentError, DTypeError, RunError
from nbgrad.trace import (
    Handle,
    Hooks,
    Trace,
    bring_in,
    builder_of,
    depends_on_examples,
    entry_of,
    grad_mode,
    holding,
    is_leaf,
    record,
    refuse,
    released,
    requires_grad,
    spec_of,
    spot_of,
)

_numbers = itertools.count()


class NodeHook(NamedTuple):
    """A hook of a node of the graph among those of its output: it takes tuples of cotangents. ``is_before``: of the
    outputs, otherwise of the inputs, and of the outputs. None: it is the derivative of the node itself, see
    saved_calls.py."""

    call: Callable[..., Any]
    is_before: bool | None


def run_node_hooks(
    trace: Trace, hooks: Iterable[Callable[..., Any]], grads: tuple[Any, ...], *others: tuple[Any, ...]
) -> tuple[Any, ...]:
    """``grads``, or what the hooks, which are told of ``others``, too, give in their place."""
    for hook in tuple(hooks):  # one may remove others, which run this once
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
        raise DTypeError(f"hook '{name}': expected Variable, but hook returned '{type(given).__name__}'")
    before, after = spec_of(g), spec_of(given)
    if after.shape != before.shape:
        raise RunError(f"hook '{name}' has changed the size of value: from {list(before.shape)} to {list(after.shape)}")
    if after.dtype is not before.dtype or after.place != before.place:
        raise RunError(f"hook '{name}' has changed the type of value: from {before} to {after}")


class RemovableHandle:
    """What registering a hook gives: ``remove()`` takes the hook away. As a context manager it does so at the end."""

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.id = next(_numbers)
        extra = () if extra_dict is None else extra_dict if isinstance(extra_dict, list) else (extra_dict,)
        self._dicts = (hooks_dict, *extra)

    def remove(self) -> None:
        """Take the hook away; once is enough, and twice no error."""
        for hooks in self._dicts:
            hooks.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class _Own(NamedTuple):
    """The hooks of a leaf: on its gradient, and on itself when that was added."""

    leaf: weakref.ref[Handle]
    hooks: Hooks
    after: Hooks


leaf_hooks: Final[dict[int, _Own]] = {}  # by id, as tensors are not compared


def _own(x: Handle) -> _Own:
    found = leaf_hooks.get(id(x))
    if found is None or found.leaf() is not x:
        found = leaf_hooks[id(x)] = _Own(weakref.ref(x, partial(_let_go, leaf_hooks, id(x))), Hooks(), Hooks())
    return found


def _let_go(known: dict[int, _Own], key: int, _: object) -> None:
    known.pop(key, None)


def _known(x: Handle) -> _Own | None:
    """The hooks of ``x``; when all are gone, backwards take the short way again."""
    found = leaf_hooks.get(id(x))
    if found is None or found.leaf() is not x:
        return None
    if not (found.hooks or found.after):
        leaf_hooks.pop(id(x), None)
    return found


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


def register_hook(x: Handle, hook: Callable[[Any], Any] | NodeHook) -> RemovableHandle:
    if not requires_grad(x):
        raise RunError("cannot register a hook on a tensor that doesn't require gradient")
    return added(_own(x).hooks if is_leaf(x) else hooks_of(x), hook)


def register_post_accumulate_grad_hook(x: Handle, hook: Callable[[Any], Any]) -> RemovableHandle:
    if not requires_grad(x):
        raise RunError("cannot register a hook on a tensor that doesn't require gradient")
    if not is_leaf(x):
        raise RunError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return added(_own(x).after, hook)


def added(hooks: Any, hook: Any) -> RemovableHandle:
    """``hooks`` with one more."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def hooked_gradients(
    trace: Trace,
    leaves: Sequence[Handle],
    grads: list[Any],
    order: Iterable[int],
    create_graph: bool,
    accumulates: bool,
) -> None:
    """Run the hooks of leaves, in ``order``, on their gradients, which come in so many parts as the leaf, in place;
    those of nodes where it ``accumulates``."""
    places: dict[int, tuple[Hooks, list[int]]] = {}
    for k in order:
        x = leaves[k]
        own = _known(x) if is_leaf(x) else None
        if own is not None and own.hooks and grads[k] is not None:
            places.setdefault(id(x), (own.hooks, []))[1].append(k)
    with grad_mode(create_graph, trace):
        for hooks, (first, *others) in places.values():
            total = grads[first]
            for k in others:
                total, grads[k] = record(CALLS["add"], (total, grads[k], None)), None
            grads[first] = run_hooks(trace, hooks, total)
            if accumulates and grads[first] is not None:
                (grads[first],) = run_node_hooks(trace, hooks_of_node(hooks, True), (grads[first],))
                run_node_hooks(trace, hooks_of_node(hooks, False), (grads[first],))


def hooks_after(leaves: Sequence[Handle], grads: Sequence[Any], order: Iterable[int]) -> list[Handle]:
    """Those of ``leaves``, in ``order``, that are told when their gradient was added."""
    added = [leaves[k] for k in order if grads[k] is not None]
    found = {id(x): x for x in added if (own := _known(x)) is not None and own.after}
    return list(found.values())


def run_after(trace: Trace, leaves: Sequence[Handle], create_graph: bool) -> None:
    """Tell ``leaves`` that their gradients were added."""
    with grad_mode(create_graph, trace):
        for x in leaves:
            own = _known(x)
            for hook in list(own.after.values()) if own is not None else ():
                refuse("a hook runs in a backward")
                if released(trace, hook, x) is not None:
                    raise RunError("Tensor post accumulate grad hooks should return None.")


several_hooks: weakref.WeakSet[_Several] = weakref.WeakSet()  # whose tensors may be another thread's


class _Several:
    """Hooks on several tensors that are one."""

    def __init__(self, fn: Callable[..., Any], count: int, is_any: bool) -> None:
        self.fn, self.count, self.is_any = fn, count, is_any
        several_hooks.add(self)

    def arrived(self, k: int, g: Any) -> None:
        grads = _here.begun.setdefault(self, {})
        if self.is_any and not grads:
            self.fn(g)
        grads[k] = g

    def end(self, grads: dict[int, Any]) -> None:
        if not self.is_any:
            self.fn([grads.get(k) for k in range(self.count)])


class _Here(threading.local):
    """What the innermost derivative of this thread has brought to hooks on several tensors."""

    def __init__(self) -> None:
        self.begun: dict[_Several, dict[int, Any]] = {}


_here = _Here()


@contextmanager
def one_derivative() -> Iterator[None]:
    """Inside, gradients arrive of one derivative. At its end hooks on several tensors have what there is of theirs; one
    that fails leaves nothing."""
    before, _here.begun = _here.begun, {}
    try:
        yield
        for several, grads in list(_here.begun.items()):
            several.end(grads)
    finally:
        _here.begun = before


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[..., Any], *, mode: str = "all") -> RemovableHandle:
    """Call ``fn`` with the list of the gradients of ``tensors`` (None: not part of this backward) once all are there,
    or, with ``mode="any"``, with the first that is. What it gives is ignored.

    >>> a, b = (nbgrad.ones(1, requires_grad=True) for _ in range(2))
    >>> handle = nbgrad.autograd.graph.register_multi_grad_hook([a, b], lambda grads: print(len(grads)))
    >>> (a * b).sum().backward()
    2
    """
    if mode not in ("all", "any"):
        raise ArgumentError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    together = _Several(fn, len(tensors), mode == "any")
    return Together([register_hook(x, partial(together.arrived, k)) for k, x in enumerate(tensors)])


class Together(RemovableHandle):
    """Several handles as one."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        super().__init__({})
        self._handles = handles

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()

"""Hooks on what custom functions save for their backward, and writes to that. Loaded when somebody asks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from nbgrad.autograd.saved import Hooks, packing
from nbgrad.errors import DTypeError, RunError, warn_here
from nbgrad.trace import (
    Handle,
    Trace,
    entry_of,
    get_mode,
    holding,
    local,
    new_tensor,
    path_between,
    refuse,
    requires_grad,
    set_mode,
    sharing,
    spec_of,
    spot_of,
    tensor_at,
)


class _Disabled(threading.local):
    """Why this thread may use no hooks on saved tensors, if so."""

    why: str | None = None


class _Mutation(threading.local):
    """Whether this thread is inside ``allow_mutation_on_saved_tensors``."""

    is_allowed = False


_disabled, _mutation = _Disabled(), _Mutation()


class saved_tensors_hooks:
    """Inside, what ``save_for_backward`` of custom functions is given goes through ``pack_hook(tensor)``, and what that
    gives is kept; ``ctx.saved_tensors`` goes through ``unpack_hook``, each time, which gives a tensor like it.

    Operators of the library save nothing when they are recorded, so these hooks do not see them: it warns (UserWarning)
    where some were recorded. What is kept for their derivatives is the least of which the rest can be computed again.

    >>> class Exp(nbgrad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * ctx.saved_tensors[0]
    >>> x = nbgrad.tensor(0.0, requires_grad=True)
    >>> with nbgrad.autograd.graph.saved_tensors_hooks(lambda x: x.detach().numpy(), nbgrad.from_numpy):
    ...     y = Exp.apply(x)
    >>> y.backward()
    >>> x.grad
    tensor(1.)
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._pack, self._unpack = pack_hook, unpack_hook
        self._before: list[tuple[Hooks | None, Trace, Any, Any]] = []

    def __enter__(self) -> Self:
        if _disabled.why is not None:
            raise RunError(_disabled.why)
        trace = local.trace
        self._before.append((packing.hooks, trace, trace.segment, trace.node))
        packing.hooks = self
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        packing.hooks, trace, segment, node = self._before.pop()
        path = path_between(node, trace.node) if trace.segment is segment else None
        if kind is None and (path is None or any(e.requires_grad and e.record[0] in ("call", "put") for e in path)):
            warn_here(
                f"{type(self).__name__}: its hooks see what custom functions save. Operators save nothing when they "
                "are recorded: what is kept for their derivatives is decided when they run",
                UserWarning,
            )

    def packed(self, a: Handle) -> _Packed:
        refuse("a hook on saved tensors runs")
        writes = sharing(a).counter
        before, mode = writes[0], set_mode(False, get_mode()[1])
        try:
            given = self._pack(a)
        finally:
            set_mode(*mode)
        if writes[0] != before:
            raise RunError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
                "cannot be modified by in-place operations as this can lead to unexpected side-effects"
            )
        return _Packed(a, given, self._unpack)


class _Packed:
    """What a hook gave for a tensor; and the place of that in the graph, which what is unpacked gets."""

    def __init__(self, a: Handle, given: Any, unpack: Callable[[Any], Any]) -> None:
        self._spec, self._given, self._unpack = spec_of(a), given, unpack
        self._place = _place_of(a) if requires_grad(a) else None

    def tensor(self) -> Handle:
        found = self._unpack(self._given)
        if not isinstance(found, Handle):
            raise DTypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        return found if self._place is None else _with_history(found, self._place, self._spec)


@holding
def _place_of(trace: Trace, a: Handle) -> Handle:
    return tensor_at(trace, *spot_of(trace, a))


@holding
def _with_history(trace: Trace, a: Handle, place: Handle, spec: Any) -> Handle:
    """The value of ``a`` as a tensor with the history of ``place``."""
    if spec_of(a) is not spec:
        raise RunError(f"unpack_hook gave {spec_of(a)} for a saved tensor {spec}")
    history, value = entry_of(trace, place), entry_of(trace, a)
    return new_tensor(trace, "rebase_history", history.ix, value.ix, history.leaf)


class save_on_cpu(saved_tensors_hooks):
    """Inside, what custom functions save is kept on the CPU, pinned with ``pin_memory``, and brought back when it is
    asked for. For operators see ``saved_tensors_hooks``."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(x: Any) -> Any:
            kept = x.to("cpu")
            return x.device, kept.pin_memory() if pin_memory and x.device.type == device_type else kept

        def unpack(packed: Any) -> Any:
            device, kept = packed
            return kept.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, hooks on saved tensors are a RuntimeError with this message; so is this where there are some."""
    if packing.hooks is not None:
        raise RunError(error_message)
    before, _disabled.why = _disabled.why, error_message
    try:
        yield
    finally:
        _disabled.why = before


class _Allowed:
    """What ``allow_mutation_on_saved_tensors`` gives."""

    def clear(self) -> None:
        """Nothing: no copies were made."""


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Allowed]:
    """Inside, what a derivative reads may be written in place. So it may outside: a write makes a new value, and a
    derivative reads those of then. It is there for programs that say so; a backward outside works, too, where PyTorch
    refuses it. RuntimeError inside another one.

    >>> x = nbgrad.tensor([2.0], requires_grad=True)
    >>> with nbgrad.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = y**2
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor([4.])
    """
    if _mutation.is_allowed:
        raise RunError("allow_mutation_on_saved_tensors contexts cannot be nested")
    _mutation.is_allowed = True
    try:
        yield _Allowed()
    finally:
        _mutation.is_allowed = False

"""Hooks on what is saved for derivatives, and writes to that. Loaded when somebody asks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from nbgrad.autograd.saved import Hooks, packing
from nbgrad.autograd.saved_calls import Saver, require_spec, with_history
from nbgrad.errors import DTypeError, RunError
from nbgrad.trace import (
    Handle,
    Trace,
    get_mode,
    grad_mode,
    holding,
    local,
    refuse,
    requires_grad,
    sharing,
    spec_of,
    spot_of,
    tensor_at,
)


class _Mutation(threading.local):
    """Whether this thread is inside ``allow_mutation_on_saved_tensors``."""

    is_allowed = False


class _Entered(threading.local):
    """What there was before each of the hooks that this thread is inside of."""

    def __init__(self) -> None:
        self.before: list[tuple[Hooks | None, Saver]] = []


_mutation, _entered = _Mutation(), _Entered()


class saved_tensors_hooks:
    """Inside, what operators save for their derivatives, and ``save_for_backward`` of custom functions is given, goes
    through ``pack_hook(tensor)``, and what that gives is kept. A derivative, and ``ctx.saved_tensors``, reads what
    ``unpack_hook`` makes of it, each time: a tensor like the one that was packed.

    What is packed is what PyTorch saves (``x`` of ``x.sin()``, ``y`` of ``x.exp()``) for elementary functions,
    products, reductions and the like; elsewhere what the derivative reads. Without hooks operators save nothing when
    they are recorded: then the least is kept of which the rest can be computed again. ``vmap``, ``jvp`` and dual levels
    take no notice of hooks; ``func.grad``, ``vjp``, ``jacrev`` and ``hessian`` refuse them with a RuntimeError, around
    them and inside.

    >>> x = nbgrad.tensor([0.0, 1.0], requires_grad=True)
    >>> with nbgrad.autograd.graph.saved_tensors_hooks(lambda x: x.numpy(), nbgrad.from_numpy):
    ...     y = x.sin()
    >>> y.sum().backward()
    >>> x.grad
    tensor([1.0000, 0.5403])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._pack, self._unpack = pack_hook, unpack_hook

    def __enter__(self) -> Self:
        if packing.refused is not None:
            raise RunError(packing.refused)
        saver = Saver(local.trace, self._packed)
        _entered.before.append((packing.hooks, saver))
        packing.hooks = self
        saver.begin()
        return self

    def __exit__(self, *_: object) -> None:
        """What was entered last on this thread ends, as in PyTorch: a generator may close its own too late."""
        if not _entered.before:
            raise RunError(f"{type(self).__name__}: this thread is inside of none; leave it where it was entered")
        packing.hooks, saver = _entered.before.pop()
        saver.end()
        if saver.outer is not None:
            saver.outer.go_on()

    def packed(self, a: Handle) -> _Packed:
        return self._packed(a, _place_of(a) if requires_grad(a) else None)

    def _packed(self, a: Handle, place: Handle | None = None) -> _Packed:
        return packed_by(a, self._pack, self._unpack, place)


def packed_by(a: Handle, pack: Callable[[Any], Any], unpack: Callable[[Any], Any], place: Any = None) -> _Packed:
    """What ``pack`` gives for ``a``; what is unpacked gets the ``place`` in the graph."""
    refuse("a hook on saved tensors runs")
    writes = sharing(a).counter
    before = writes[0]
    with grad_mode(get_mode()[0]), grad_mode(False):
        given = pack(a)
    if writes[0] != before:
        raise RunError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects"
        )
    return _Packed(spec_of(a), given, unpack, place)


class _Packed:
    """What a hook gave for a tensor; and the place of that in the graph, which what is unpacked gets."""

    def __init__(self, spec: Any, given: Any, unpack: Callable[[Any], Any], place: Handle | None) -> None:
        self._spec, self._given, self._unpack, self._place = spec, given, unpack, place

    def tensor(self) -> Handle:
        found = self._unpack(self._given)
        if not isinstance(found, Handle):
            raise DTypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(found).__name__}"
            )
        if self._place is not None:
            return with_history(found, self._place, self._spec)
        require_spec(found, self._spec)
        return found


@holding
def _place_of(trace: Trace, a: Handle) -> Handle:
    return tensor_at(trace, *spot_of(trace, a))


class save_on_cpu(saved_tensors_hooks):
    """Inside, what is saved for derivatives is kept on the CPU, pinned with ``pin_memory``, and brought back when it is
    asked for. See ``saved_tensors_hooks``."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(x: Any) -> Any:
            kept = x.to("cpu")
            return x.device, kept.pin_memory() if pin_memory and x.device.type == device_type else kept

        def unpack(packed: Any) -> Any:
            device, kept = packed
            return kept.to(device, non_blocking=pin_memory)

        super().__init__(pack, unpack)


class _Allowed:
    """What ``allow_mutation_on_saved_tensors`` gives."""

    def __init__(self) -> None:
        self.cloned: dict[Any, Any] = {}

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

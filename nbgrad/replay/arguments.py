"""The arguments of one call: what is bound at run time (tensors, numbers), and the key that stands for all else.

An argument that shares its memory with other tensors, or with NumPy, is read where it lies. While a function is
recorded it is a tensor from memory like any other (``Recorder.shown``), and so is what the call shows of it.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from nbgrad.device import default_place
from nbgrad.graph.dtypes import get_default_dtype
from nbgrad.number import Number, Plain
from nbgrad.trace import (
    Handle,
    Leaf,
    Trace,
    bring_up,
    is_exported,
    is_shown_once,
    layout_of,
    requires_grad,
    share_of,
    spec_of,
    tensor_types,
)

DATA_DEPENDENT = frozenset([str, bytes, bool, type(None), float, int, complex, type(Ellipsis)])
FLOATING = frozenset([float, complex])
DICTS = frozenset([dict, OrderedDict, defaultdict])
CONTAINERS = frozenset([list, tuple, *DICTS])
_PLAIN = CONTAINERS - {defaultdict} | {SimpleNamespace}  # of which nothing but what is inside matters
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1  # a larger int is no number of a tensor


# What the key says of an argument, or of an item in one: the state of a tensor, the type of a number, or one of these.


class Value(NamedTuple):
    """A value that the key holds: floats that are odd (NaN, -0.0) as text."""

    kind: type
    value: Any


class Known(NamedTuple):
    """An object that is known by its identity."""

    kind: type
    id: int


class Attributed(NamedTuple):
    """A tensor with attributes: those are known by the dict that has them."""

    state: Leaf
    own: Known


class Inside(NamedTuple):
    """A container or record: ``of`` is the id of a class or factory that it may run, ``names`` are a dict's keys, or
    attributes."""

    kind: type
    of: int | None
    names: tuple[Any, ...]
    items: tuple[Any, ...]


class Arguments:
    """``key`` is their layout: (names of the last ones, which tensors are the same, what it says of each); ``tensors``
    and ``numbers`` are in its order. ``objects`` are arguments known by identity; a dict among them has the attributes
    of a tensor. ``shared`` are the tensors that share their memory with others, by place. ``problem`` says why the call
    cannot be run from a recording.

    Numbers inside containers belong to the key: only an argument of its own is bound at run time.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.tensors: list[Handle] = []
        given = (*args, *kwargs.values())
        self.numbers: list[Plain] = [a for a in given if is_bound(a)]
        self.objects: list[Any] = []
        self.shared: dict[int, Handle] = {}
        self.problem = ""
        key = [type(a) if is_bound(a) else self._layout(a) for a in given]
        ids = [*map(id, self.tensors)]
        same = tuple(map(ids.index, ids)) if len({*ids}) < len(ids) else ()
        self.key = (tuple(kwargs), same, *key)

    def _tensor(self, a: Handle) -> Leaf:
        """Note a tensor; gives its state in memory."""
        if a._page is not None or a._share is not None:  # few are
            bring_up(a)  # with what an alias that is gone has written
            if not is_shown_once(a):
                if requires_grad(a):
                    why = "an argument that requires grad shares its memory with other tensors"
                    self.problem = self.problem or why
                self.shared[len(self.tensors)] = a
                self.tensors.append(a)
                return Leaf.of(spec_of(a), False, True, a._at.inference, layout_of(a))
        self.tensors.append(a)
        while not isinstance(leaf := a._at, Leaf):  # a view, or another thread has written it since
            bring_up(a)
        return leaf

    def _layout(self, a: Any) -> Any:
        """What the key says of an argument that is no number of its own, or of what is in one."""
        kind = type(a)
        if kind in tensor_types:
            state = self._tensor(a)
            return Attributed(state, self._known(vars(a))) if vars(a) else state
        if kind in DATA_DEPENDENT:
            return Value(kind, a if kind not in FLOATING or (a == a and a != 0) else repr(a))
        if (items := inside(a)) is None:
            if isinstance(a, (np.ndarray, np.generic)):
                self.problem = self.problem or "a NumPy argument: pass a tensor"
            return self._known(a)
        may_run = a.default_factory if kind is defaultdict else kind
        of = None if kind in _PLAIN else self._known(may_run).id
        names = () if isinstance(a, (list, tuple)) else tuple([x if type(x) is str else self._layout(x) for x in items])
        return Inside(kind, of, names, tuple(map(self._layout, items.values())))

    def _known(self, a: Any) -> Known:
        self.objects.append(a)
        return Known(type(a), id(a))

    def for_recording(self, conditions: list[str], takes_numbers: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with which a function is recorded: numbers know that they come from outside, or else belong to
        the conditions."""
        names = iter(range(len(self.numbers)))

        def outer(a: Any) -> Any:
            if not is_bound(a):
                return a
            number = Number(a, f"a{next(names)}", conditions)
            return number if takes_numbers else number.plain()

        return tuple([outer(a) for a in self.args]), {name: outer(a) for name, a in self.kwargs.items()}

    def show_memory_of(self, others: Iterable[Handle]) -> bool:
        """Whether what is shared shares memory with ``others``. As it is now: records of aliases are forgotten at any
        time."""
        return bool(self.shared) and not {*map(_root_of, self.shared.values())}.isdisjoint(map(_root_of, others))


def modes_of(trace: Trace) -> tuple[object, ...]:
    """What a call is recorded for, and must leave as it is."""
    return trace.grad_enabled, trace.inference, trace.autocast, get_default_dtype(), default_place()


def contents(x: Any) -> list[Any]:
    """Everything in nested containers, in order: as long as these are the same objects, nobody changed a container."""
    found, todo = [], [x]
    while todo:
        a = todo.pop()
        found += [a, *a] if type(a) in DICTS else [a]
        todo += (inside(a) or {}).values()
    return found


def inside(a: Any) -> dict[Any, Any] | None:
    """What is in a container, by name or number, or in a record; None where an argument is neither."""
    if type(a) in DICTS:
        return a  # type: ignore[no-any-return]
    if type(a) in CONTAINERS or (isinstance(a, tuple) and hasattr(a, "_fields")):
        return dict(enumerate(a))
    is_record = type(a) is SimpleNamespace or (is_dataclass(a) and not isinstance(a, type))
    if not is_record:
        return None
    return vars(a) if hasattr(a, "__dict__") else {f.name: getattr(a, f.name) for f in fields(a) if hasattr(a, f.name)}


def _root_of(a: Handle) -> int:
    """The same for all tensors that show one memory, and for all whose memory others see, too."""
    share = share_of(a)
    if share is None:
        return id(a)
    return 0 if is_exported(a) else id(share.storage)


def is_bound(a: Any) -> bool:
    """Whether an argument is a number that is bound at run time."""
    return type(a) is float or (type(a) is int and LOWEST <= a <= HIGHEST)

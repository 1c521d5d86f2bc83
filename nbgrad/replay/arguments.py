"""The arguments of one call: what is bound at run time (tensors, numbers), and the key that stands for all else."""

from __future__ import annotations

import copy
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from nbgrad.graph.spec import HOST
from nbgrad.number import Number, Plain
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.places import at_place
from nbgrad.runtime.references import owners
from nbgrad.trace import (
    Handle,
    Leaf,
    Share,
    bring_up,
    in_memory,
    is_exported,
    is_shown_once,
    make_tensor,
    requires_grad,
    set_data,
    share_of,
    sharing,
    spec_of,
    take_memory,
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
    of a tensor. ``replaced`` are the tensors that the caller gave where ``tensors`` has what they show, by place: read
    where it lies (``_lent``) while a program runs. ``problem`` says why the call cannot be run from a recording.

    Numbers inside containers belong to the key: only an argument of its own is bound at run time.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.tensors: list[Handle] = []
        given = (*args, *kwargs.values())
        self.numbers: list[Plain] = [a for a in given if is_bound(a)]
        self.objects: list[Any] = []
        self.replaced: dict[int, Handle] = {}
        self.problem = ""
        self._has_memory = False  # whether what stands in for arguments shows their memory
        self._shares: dict[int, Share] = {}  # of what stands in, by its id
        self._lent: list[Buffer] = []
        self._copies: list[tuple[Any, Any]] = []  # (copy of a container, the caller's)
        key = [type(a) if is_bound(a) else self._layout(a) for a in given]
        ids = [*map(id, self.tensors)]
        same = tuple(map(ids.index, ids)) if len({*ids}) < len(ids) else ()
        self.key = (tuple(kwargs), same, *key)

    def _tensor(self, a: Handle) -> Leaf:
        """Note a tensor; gives its state in memory."""
        if a._page is not None or a._share is not None:  # few are
            bring_up(a)  # with what an alias that is gone has written
            if not is_shown_once(a):
                a = self._stand_in(a)
        self.tensors.append(a)
        while not isinstance(leaf := a._at, Leaf):  # a view, or another thread has written it since
            bring_up(a)
        return leaf

    def _stand_in(self, a: Handle) -> Handle:
        """A tensor with what ``a``, a view or memory that others see, shows now."""
        if requires_grad(a):
            self.problem = self.problem or "an argument that requires grad shares its memory with other tensors"
            return a
        if (known := next((place for place, one in self.replaced.items() if one is a), None)) is not None:
            self.replaced[len(self.tensors)] = a
            return self.tensors[known]
        twin, spec, array = make_tensor(), spec_of(a), in_memory(a)
        twin.__dict__ = vars(a)
        if not spec.place and array.flags.c_contiguous:
            self._lent.append(buffer := Buffer.wrap(array))
        else:
            buffer = at_place(Buffer.from_numpy(array), HOST, spec.place)
        twin._buffer, twin._at = buffer, Leaf.of(spec, False, True, a._at.inference)
        self.replaced[len(self.tensors)] = a
        return twin

    def may_be_old(self) -> bool:
        """Whether another thread may have written a tensor since this was made, so that it has to be made again."""
        return bool(self.replaced) or any(a._segment is not None for a in self.tensors)

    def own_memory(self) -> None:
        """Copy what was lent: code of the user's will run, or the arguments are kept."""
        for buffer in self._lent:
            buffer.own_memory()

    def give_back(self) -> None:
        """Copy what was lent and somebody keeps, say a backward that is to come. The arguments are not used again."""
        self.tensors.clear()
        if self._lent:
            for buffer, count in zip(self._lent, owners(self._lent), strict=True):
                if count > 1:
                    buffer.own_memory()

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
        names = () if isinstance(a, (list, tuple)) else tuple(map(self._name, items))
        return Inside(kind, of, names, tuple(map(self._layout, items.values())))

    def _name(self, name: Any) -> Any:
        kind = type(name)
        if kind is str:
            return name
        if kind not in DATA_DEPENDENT:
            return self._known(name)  # what may be read of it is looked at
        return Value(kind, name if kind not in FLOATING else repr(name))

    def _known(self, a: Any) -> Known:
        self.objects.append(a)
        return Known(type(a), id(a))

    def call(self, function: Callable[..., Any]) -> Any:
        """The call as it is written."""
        return function(*self.args, **self.kwargs)

    def for_recording(self, conditions: list[str], takes_numbers: bool) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with which a function is recorded: numbers know that they come from outside, or else belong to
        the conditions."""
        tensors, names = iter(self.tensors), iter(range(len(self.numbers)))

        def outer(a: Any) -> Any:
            if is_bound(a):
                number = Number(a, f"a{next(names)}", conditions)
                return number if takes_numbers else number.plain()
            return exchanged(a, lambda x: next(tensors) if type(x) in tensor_types else x, self._copies)

        return tuple([outer(a) for a in self.args]), {name: outer(a) for name, a in self.kwargs.items()}

    def _roots(self) -> set[int]:
        """Whose memory it is that was replaced. As it is now: records of aliases are forgotten at any time."""
        return set(map(_root_of, self.replaced.values()))

    def show_memory_of(self, others: Iterable[Handle]) -> bool:
        """Whether what was replaced shares memory with ``others``."""
        return bool(self.replaced) and not self._roots().isdisjoint(map(_root_of, others))

    def watch(self) -> None:
        """Have those who watch the trace told before what stands in for an argument is written."""
        for twin in self.stand_ins():
            share = self._shares[id(twin)] = sharing(twin)
            share.watched = True

    def stand_for_memory_of(self, a: Handle) -> bool:
        """Whether a write to ``a`` would change what an argument shows, and not what stands in for it, or not both."""
        return not self._has_memory and _root_of(a) in self._roots().union(map(_root_of, self.stand_ins()))

    def take_memory(self) -> None:
        """What stood in for arguments shows their memory from now on, for whoever keeps it, or views of it."""
        for twin, a in {id(a): (self.tensors[place], a) for place, a in self.replaced.items()}.values():
            if (watched := self._shares.get(id(twin))) is not None:
                watched.watched = False
            if watched is not None and share_of(twin) is not watched:  # x.data = y
                set_data(a, twin)
            elif not self._has_memory:
                take_memory(twin, a)
        self._has_memory = True

    def stand_ins(self) -> list[Handle]:
        return [self.tensors[place] for place in self.replaced]

    def callers(self) -> dict[int, Any]:
        """By the id of a copy, of a container or a tensor: the caller's."""
        own = {id(copied): a for copied, a in self._copies}
        return own | {id(self.tensors[place]): a for place, a in self.replaced.items()}

    def with_callers(self, result: Any) -> Any:
        """``result`` with the caller's tensors in the places of those that stood in for them."""
        own = self.callers()
        return exchanged(result, lambda x: own.get(id(x), x)) if self.replaced else result

    def write_through(self) -> None:
        """Do to the caller's lists and dicts what was done to copies of them."""
        own = self.callers()
        for copied, a in self._copies:
            if not isinstance(a, tuple):
                _put(a, {name: own.get(id(item), item) for name, item in _items_of(copied)})


def exchanged(x: Any, exchange: Callable[[Any], Any], copies: list[tuple[Any, Any]] | None = None) -> Any:
    """Nested containers with some objects in them exchanged: the same object where there are none in it. Copies of
    arguments get into ``copies``, with what they are of; records in results are left what they are."""
    if (y := exchange(x)) is not x or (copies is None and is_record(x)):
        return y
    made = {name: exchanged(item, exchange, copies) for name, item in _items_of(x)}
    if all(made[name] is item for name, item in _items_of(x)):
        return x
    copied = _with_inside(x, made)
    if copies is not None:
        copies.append((copied, x))
    return copied


def contents(x: Any) -> list[Any]:
    """Everything in nested containers, in order: as long as these are the same objects, nobody changed a container."""
    found, todo = [], [x]
    while todo:
        a = todo.pop()
        found += [a, *a] if type(a) in DICTS else [a]
        todo += [item for _, item in _items_of(a)]
    return found


def inside(a: Any) -> dict[Any, Any] | None:
    """What is in a container, by name or number, or in a record; None where an argument is neither."""
    if type(a) in DICTS:
        return a  # type: ignore[no-any-return]
    if type(a) in CONTAINERS or (isinstance(a, tuple) and hasattr(a, "_fields")):
        return dict(enumerate(a))
    if not is_record(a):
        return None
    return vars(a) if hasattr(a, "__dict__") else {f.name: getattr(a, f.name) for f in fields(a) if hasattr(a, f.name)}


def _items_of(a: Any) -> list[tuple[Any, Any]]:
    return [*(inside(a) or {}).items()]


def _put(a: Any, items: dict[Any, Any]) -> None:
    """Let ``items`` be in a list, dict or record."""
    if type(a) is list:
        a[:] = items.values()
    elif type(a) in DICTS:
        a.clear()
        a.update(items)
    else:
        for name, item in items.items():
            object.__setattr__(a, name, item)


def _with_inside(a: Any, items: dict[Any, Any]) -> Any:
    """A copy of a container or record with other items."""
    if isinstance(a, tuple):
        return type(a)(*items.values()) if hasattr(a, "_fields") else tuple(items.values())
    copied = copy.copy(a)
    _put(copied, items)
    return copied


def is_record(a: Any) -> bool:
    """Whether an argument stands for its attributes, as a container for its items: a dataclass, a SimpleNamespace."""
    return type(a) is SimpleNamespace or (is_dataclass(a) and not isinstance(a, type))


def _root_of(a: Handle) -> int:
    """The same for all tensors that show one memory, and for all whose memory others see, too."""
    share = share_of(a)
    if share is None:
        return id(a)
    return 0 if is_exported(a) else id(share.storage)


def is_bound(a: Any) -> bool:
    """Whether an argument is a number that is bound at run time."""
    return type(a) is float or (type(a) is int and LOWEST <= a <= HIGHEST)

"""A walk through what a function can reach: what was found, what guards it, and what has to be looked for."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from types import CodeType
from typing import Any, Final

import numpy as np

from nbgrad.errors import shown_line
from nbgrad.nn.hooks import every
from nbgrad.nn.parameter import Parameter
from nbgrad.number import value_of
from nbgrad.optim.hooked import after_every, before_every
from nbgrad.replay import kinds, readers
from nbgrad.replay.guards import Guard, Key, key_of
from nbgrad.replay.instructions import Ran, Uses, Where
from nbgrad.replay.kinds import is_a
from nbgrad.replay.numbers import is_math, original
from nbgrad.replay.readers import ABSENT, Reader
from nbgrad.replay.recording import NotRepeatable
from nbgrad.tensor import Tensor
from nbgrad.trace import Handle

_NO_GRADIENTS: Final = frozenset(["requires_grad", "requires_grad_", "no_grad", "enable_grad", "zero_grad"])
_ALWAYS: Final = (  # whose methods are called, and which run, whatever is reached
    *(("Tensor", Tensor), ("Parameter", Parameter)),
    ("the hooks of all modules", every),
    *(("the hooks before all steps", before_every), ("the hooks after all steps", after_every)),
)


class Unknown(NotRepeatable):
    """Something that cannot be guarded: in words, and the user's line that names it."""

    def __init__(self, what: str, where: Where | None = None) -> None:
        where = where if where is not None and where[0] else None
        at = f" in {shown_line(where)}" if where is not None else ""
        super().__init__(f"{what}{at} is of no kind that can be looked at before each call")
        self.where = where or self.where


class Walk:
    """A walk from ``roots`` to all that ``ran`` may have read of what they reach; where that is None, as if all code
    ran. What an object leads on to says ``_visit``.

    ``tensors`` by id; ``guards``; ``places`` hold numbers and tensors that were seen to change, as the keys ``varying``
    say: no guards. ``math`` are places of Python's functions of numbers. ``grads``: whether code asks for gradients by
    name; ``takes_numbers``: whether all code that counts may be given numbers that know where they come from;
    ``is_blind``: nobody knows yet what runs; ``objects``: all that is reached, by id. What ``before`` had looked for is
    looked for at once.
    """

    def __init__(
        self,
        roots: Sequence[tuple[str, Any]],
        ran: Ran | None = None,
        varying: frozenset[Key] = frozenset(),
        before: Walk | None = None,
    ) -> None:
        self._varying, self.roots = varying, roots
        self._is_static, self.is_blind = ran is None, ran is not None and not ran.offsets
        self._uses: dict[CodeType, Uses] = {} if ran is None else ran.uses()
        self._names: dict[str, Where] = {}
        if before is not None and self._is_static and before._is_static:
            self._uses, self._names = {**before._uses}, before._names
        while self._walk():  # which attributes matter depends on code that is found behind attributes
            pass
        for code in () if self._is_static else self._uses:
            if code not in self._found:
                raise Unknown(f"{code.co_qualname}, which ran,", (code.co_filename, code.co_firstlineno))

    def _walk(self) -> bool:
        """Go through all; True where more was found than was looked for."""
        self._read_uses()
        names, codes = self._names, len(self._uses)
        self._asked = frozenset(names)
        self.tensors: dict[int, Handle] = {}
        self.guards: list[Guard] = []
        self.places: list[Guard] = []
        self.math: list[Guard] = []
        self.takes_numbers = not (self._by_identity or self.is_blind)
        self.objects: dict[int, Any] = {}
        self._keys: dict[Key, Guard] = {}
        self._is_made: set[int] = set()
        self._found: set[CodeType] = set()
        self._more: set[str] = set()
        try:
            for label, root in (*self.roots, *_ALWAYS):
                self._visit(label, root, None)
        except RecursionError:
            raise Unknown("objects that are nested too deeply") from None
        if not self.takes_numbers:
            self.guards += [place for place in self.places if not isinstance(place.expected, Handle)]
            self.places = [place for place in self.places if isinstance(place.expected, Handle)]
        if codes < len(self._uses) or not self._more <= names.keys():
            self._names = names | dict.fromkeys(self._more - names.keys(), ("", 0))
            return True
        return False

    def _read_uses(self) -> None:
        """What the instructions that count name, all together."""
        all_uses = self._uses.values()
        for uses in all_uses:
            if uses.problem is not None:
                raise Unknown(*uses.problem)
            for name, where in uses.names.items():
                if name in kinds.FORBIDDEN:
                    raise Unknown(f"the attribute {name}", where)
                self._names.setdefault(name, where)
            for made, where in uses.made.items():
                if any(name.startswith(made) for name in kinds.FORBIDDEN):
                    raise Unknown(f"an attribute whose name is made at run time and begins with {made!r}", where)
        loads = frozenset([name for uses in all_uses for name in uses.loads])
        self._names = self._names | ({"__dict__": ("", 0)} if "vars" in loads else {})
        self._made = frozenset([made for uses in all_uses for made in uses.made])
        self._begun = frozenset([""]) if "__dict__" in self._names else self._made
        self._by_identity = any(uses.identity for uses in all_uses)
        self._makes = bool({"type", "__class__"} & (loads | self._names.keys()))
        self._prints = any(uses.prints for uses in all_uses)
        self._probes = any(uses.probes for uses in all_uses)
        self.grads = any("grad" in name and name not in _NO_GRADIENTS for name in self._names)

    # --- guards

    def _know(self, x: Any) -> None:
        self.objects[id(x)] = x
        if len(self.objects) > kinds.MOST_OBJECTS:
            raise Unknown("more objects than can be looked at")

    def _add(self, key: Key, guard: Guard, to: list[Guard]) -> None:
        for x in guard.objects:
            if type(x) not in (str, int, bool):
                self._know(x)
        self._keys[key] = guard
        to.append(guard)

    def _guard(self, label: str, reader: Reader, *objects: Any) -> Any:
        """What is read there must stay; gives that."""
        if (guard := self._keys.get(key := key_of(reader, objects))) is None:
            guard = Guard(label, reader, objects, reader.read(*objects), reader.how)
            self._add(key, guard, self.guards)
        return guard.expected

    def _expect(self, label: str, where: Where | None, reader: Reader, *objects: Any) -> None:
        """What is read there must stay, or is bound: it is one object, from which this goes on."""
        if (key := key_of(reader, objects)) in self._keys:
            return
        x = value_of(original(reader.found(*objects)))  # another thread may record with something else in this place
        is_value = type(x) in kinds.VALUES or is_a(x, np.generic)
        guard = Guard(label, reader, objects, x, "value" if is_value and not self._by_identity else "is")
        if is_math(x) and reader.write is not None and objects[0] is not vars(math):
            self.math.append(guard)
        if key in self._varying and guard.may_vary(x):
            self._add(key, guard, self.places)
            return
        self._add(key, guard, self.guards)
        if x is not ABSENT:
            self._visit(label, x, where)

    def _entry(self, label: str, where: Where | None, d: Any, key: Any) -> None:
        """What a dict or list holds there, or that there is nothing."""
        self._expect(label, where, readers.part_of, d, key)

    def _attributes(self, label: str, x: Any, where: Where | None, also: Collection[str] = ()) -> None:
        """Which attributes an object has, if any, and what those are that code may read, and ``also`` others."""
        if readers.own_of.found(x) is not ABSENT:
            self._own(label, self._guard(f"the attributes of {label}", readers.own_of, x), where, also)

    def _own(self, label: str, own: Any, where: Where | None, also: Collection[str]) -> None:
        self._note_names(own)
        self._guard(f"the attributes of {label}", readers.keys_of, own)
        for key in [key for key in own if key in also or key in self._names or "__dict__" in self._names]:
            self._entry(f"{label}.{key}", self._names.get(key, where), own, key)

    def _note_names(self, own: Mapping[Any, Any]) -> None:
        """Names that may be made at run time."""
        if self._made:
            self._more |= {name for name in own if isinstance(name, str) and name.startswith((*self._made,))}

    def _visit(self, label: str, x: Any, where: Where | None) -> None:
        """Look at an object that was found, named by ``label`` and at the user's line ``where``."""
        raise NotImplementedError

"""What a function can reach besides its arguments: closures, globals, defaults, attributes, and what is in those.

The walk gives the tensors that are known by the place where they are found, and *guards*: expressions that must give
what they gave while recording. A number, flag or string there is part of the recording; a tensor is bound anew at each
call, as long as it is still the same tensor.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.errors import PACKAGE_DIR
from nbgrad.nn.module import Module
from nbgrad.nn.registry import changes
from nbgrad.number import value_of
from nbgrad.optim.lr_scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer
from nbgrad.stream import Generator
from nbgrad.trace.handle import Handle

_VALUES: Final = frozenset([str, bytes, bool, type(None), float, int, complex, type(Ellipsis), range, slice])
_LIBRARIES: Final = frozenset([*sys.stdlib_module_names, "nbgrad", "numpy", "scipy", "numba"]) - {"__main__"}
_MOST_ITEMS: Final = 4096  # a longer list is data
_MOST_ROUNDS: Final = 8
_OPTIONS: Final = frozenset(["param_groups", "defaults", "state", "state_dict"])  # who names these reads options
_ANY_NAME: Final = frozenset(["getattr", "vars", "__dict__", "__getattribute__", "attrgetter", "eval", "exec"])
_REGISTRIES: Final = ("_parameters", "_buffers", "_modules")


class Guard(NamedTuple):
    """``code`` must give ``expected`` again: that object, or with ``by_value`` its equal. ``label`` is for people."""

    label: str
    code: str
    expected: Any
    by_value: bool


class Variable(NamedTuple):
    """A place where a number stands that was seen to change: ``code`` reads it, and can be assigned to."""

    label: str
    code: str
    value: float | int


class Reach:
    """What ``roots`` reach. ``tensors`` by id; ``guards`` of all calls, ``attributes`` those of modules, which need be
    looked at only when an attribute of some module was set; ``arrays`` says that NumPy arrays or long lists are among
    it; ``codes`` is the user's code that can run. ``variables`` are numbers in places that ``varying`` names by label
    and code, since they were seen to change: no guards."""

    def __init__(self, roots: list[tuple[str, Any]], varying: frozenset[tuple[str, str]] = frozenset()) -> None:
        self._varying = varying
        self._names: frozenset[str] = frozenset()
        for _ in range(_MOST_ROUNDS):  # which attributes matter depends on code that is found behind attributes
            before = self._names
            self._walk(roots)
            self._names = frozenset([name for code in self.codes for name in _names_of(code)])
            if self._names == before:
                break

    def _walk(self, roots: list[tuple[str, Any]]) -> None:
        self.tensors: dict[int, Handle] = {}
        self.guards: list[Guard] = []
        self.attributes: list[Guard] = []
        self.variables: list[Variable] = []
        self.scope: dict[str, Any] = {}
        self.arrays = False
        self.codes: list[CodeType] = []
        self._known: dict[int, str] = {}
        for label, root in roots:
            self._visit(label, root)

    def _name_of(self, x: Any) -> str:
        """The name of an object in the guards' code; the scope keeps it alive."""
        name = self._known.get(id(x))
        if name is None:
            name = self._known[id(x)] = f"o{len(self._known)}"
            self.scope[name] = x
        return name

    def _expect(self, label: str, code: str, x: Any, guards: list[Guard] | None = None) -> None:
        """``code`` gives ``x``: guard that, and go on from there."""
        if isinstance(x, (ModuleType, type, FunctionType, BuiltinFunctionType)) and _is_library(x):
            return
        x = value_of(x)  # another thread records with a number in this place
        by_value = type(x) in _VALUES
        if (label, code) in self._varying and type(x) in (float, int):
            self.variables.append(Variable(label, code, x))
            return
        (self.guards if guards is None else guards).append(Guard(label, code, x, by_value))
        if not by_value:
            self._visit(label, x)

    def _visit(self, label: str, x: Any) -> None:
        if id(x) in self._known or isinstance(x, (type, BuiltinFunctionType)):
            if isinstance(x, type) and not _is_library(x):
                self._name_of(x)
            return
        name = self._name_of(x)
        if isinstance(x, Handle):
            self.tensors[id(x)] = x
        elif isinstance(x, Module):
            self._module(label, name, x)
        elif isinstance(x, Optimizer):
            self._optimizer(label, name, x)
        elif isinstance(x, Generator):
            pass  # its numbers are asked for at each call
        elif isinstance(x, LRScheduler):
            self._scheduler(label, name, x)
        elif isinstance(x, FunctionType):
            self._function(label, name, x)
        elif isinstance(x, (MethodType, functools.partial)) or _is_compiled(x):
            self._wrapper(label, x)
        elif isinstance(x, (list, tuple, dict)):
            self._container(label, name, x)
        elif isinstance(x, (np.ndarray, np.generic, set, frozenset, bytearray)):
            self.arrays = True
        elif isinstance(x, ModuleType):
            if not _is_library(x):
                self._attributes(label, f"{name}.__dict__", vars(x), self.guards)
        elif not _is_library(type(x)):
            self._instance(label, name, x)

    def _function(self, label: str, name: str, x: FunctionType) -> None:
        if _is_library(x):
            return
        self.codes.append(x.__code__)
        for free, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            try:
                inside = cell.cell_contents
            except ValueError:
                continue  # not assigned yet
            self._expect(free, f"{self._name_of(cell)}.cell_contents", inside)
        table = self._name_of(x.__globals__)
        for used in sorted(set(_names_of(x.__code__))):
            if used in x.__globals__:
                self._expect(used, f"{table}[{used!r}]", x.__globals__[used])
        for k, default in enumerate(x.__defaults__ or ()):
            self._expect(f"a default of {label}", f"{name}.__defaults__[{k}]", default)
        for key, default in (x.__kwdefaults__ or {}).items():
            self._expect(f"a default of {label}", f"{name}.__kwdefaults__[{key!r}]", default)

    def _wrapper(self, label: str, x: Any) -> None:
        """Something that calls another function with arguments of its own."""
        inner: tuple[Any, ...]
        if isinstance(x, MethodType):
            inner = (x.__func__, x.__self__)
        elif isinstance(x, functools.partial):
            inner = (x.func, *x.args, *x.keywords.values())
        else:
            inner = (x.__wrapped__,)
        for part in inner:
            if type(part) not in _VALUES:
                self._visit(label, part)

    def _container(self, label: str, name: str, x: Any) -> None:
        if type(x) is not tuple:
            self.guards.append(Guard(f"the length of {label}", f"len({name})", len(x), True))
        if len(x) > _MOST_ITEMS:
            self.arrays = True
            return
        for key, item in list(x.items()) if isinstance(x, dict) else list(enumerate(x)):
            if isinstance(x, tuple):
                self._expect(f"{label}[{key!r}]", f"{name}.__getitem__({key})", item)
            elif type(key) in (str, int, bool, float):
                self._expect(f"{label}[{key!r}]", f"{name}[{key!r}]", item)
            else:
                self._expect(f"{label}[...]", f"{name}[{self._name_of(key)}]", item)

    def _instance(self, label: str, name: str, x: Any) -> None:
        """An object of a class of the user's: the attributes that its code names, and the methods."""
        self._methods(label, type(x))
        own = getattr(x, "__dict__", None)
        if own is not None:
            self._attributes(label, f"{name}.__dict__", own, self.guards)
        for slot in [s for c in type(x).__mro__ for s in _slots(c) if s in self._names]:
            if hasattr(x, slot):
                self._expect(f"{label}.{slot}", f"{name}.{slot}", getattr(x, slot))

    def _attributes(self, label: str, code: str, own: dict[str, Any], guards: list[Guard]) -> None:
        for key in sorted(self._named(own)):
            self._expect(f"{label}.{key}", f"{code}[{key!r}]", own[key], guards)

    def _named(self, own: dict[str, Any]) -> set[str]:
        """The attributes that code may read: those it names; all where it makes names at run time."""
        return {key for key in own if isinstance(key, str) and (_ANY_NAME & self._names or key in self._names)}

    def _methods(self, label: str, kind: type) -> None:
        for base in kind.__mro__:
            if _is_library(base):
                continue
            for key, member in vars(base).items():
                function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
                if isinstance(function, FunctionType) or _is_compiled(function):
                    self._visit(f"{label}.{key}", function)  # whoever calls it, perhaps by a name made at run time
                elif key in self._names and type(member) in (float, int, bool, str):
                    self._expect(f"{label}.{key}", f"vars({self._name_of(base)})[{key!r}]", member)

    def _module(self, label: str, name: str, x: Module) -> None:
        self._methods(label, type(x))
        for registry in _REGISTRIES:
            table = x.__dict__[registry]
            code = f"{name}.__dict__[{registry!r}]"
            self.attributes.append(Guard(f"the {registry[1:]} of {label}", f"len({code})", len(table), True))
            for key, item in table.items():
                self._expect(f"{label}.{key}", f"{code}[{key!r}]", item, self.attributes)
        library, named = _is_library(type(x)), self._named(x.__dict__)
        for key, item in x.__dict__.items():
            if key not in _REGISTRIES and (library or key in named or key == "training"):
                self._expect(f"{label}.{key}", f"{name}.__dict__[{key!r}]", item, self.attributes)

    def _optimizer(self, label: str, name: str, x: Optimizer) -> None:
        expect = self.guards.append
        expect(Guard(f"{label}.param_groups", f"{name}.param_groups", x.param_groups, False))
        expect(Guard(f"{label}.param_groups", f"len({name}.param_groups)", len(x.param_groups), True))
        expect(Guard(f"{label}.state", f"{name}.state", x.state, False))
        expect(Guard(f"{label}.state", f"len({name}.state)", len(x.state), True))
        for k, group in enumerate(x.param_groups):
            where = f"{label}.param_groups[{k}]"
            inner = self._name_of(group)
            expect(Guard(f"{where}['params']", f"{inner}['params']", group["params"], False))
            expect(Guard(f"{where}['params']", f"len({inner}['params'])", len(group["params"]), True))
            expect(Guard(f"the options of {where}", f"{name}._form({inner})", x._form(group), True))
            if _OPTIONS & self._names:
                for key in group.keys() - {"params"}:
                    self._expect(f"{where}[{key!r}]", f"{inner}[{key!r}]", group[key])
            for param in group["params"]:
                self._visit(f"a parameter of {label}", param)
        for state in x.state.values():
            inner = self._name_of(state)
            for key, item in state.items():
                if isinstance(item, Handle):
                    self._expect(f"{label}.state[...][{key!r}]", f"{inner}[{key!r}]", item)

    def _scheduler(self, label: str, name: str, x: LRScheduler) -> None:
        """One that is only stepped goes on at each call; one whose rates are read must stay as it is."""
        if self._names & (vars(x).keys() | vars(LRScheduler).keys()) - {"step", "optimizer"}:
            for key, item in vars(x).items():
                self._expect(f"{label}.{key}", f"{name}.__dict__[{key!r}]", item)
        self._visit(f"{label}.optimizer", x.optimizer)

    def numbers_that_changed(self) -> set[tuple[str, str]]:
        """The places, as (label, code), whose numbers are not what they were, and can be numbers of a call."""
        found = set()
        for guard in (*self.guards, *self.attributes):
            if guard.by_value and type(guard.expected) in (float, int) and _is_assignable(guard.code):
                try:
                    now = eval(guard.code, self.scope)
                except (LookupError, AttributeError, ValueError, TypeError):
                    continue
                if type(now) is type(guard.expected) and not same(now, guard.expected):
                    found.add((guard.label, guard.code))
        return found

    def differences(self, other: Reach) -> list[str]:
        """Labels of what is not as it was in ``other``."""
        mine = {(g.label, g.code): g for g in (*self.guards, *self.attributes)}
        theirs = {(g.label, g.code): g for g in (*other.guards, *other.attributes)}
        changed = [key for key in mine.keys() | theirs.keys() if not _agree(mine.get(key), theirs.get(key))]
        return sorted({label for label, _ in changed})


def _is_assignable(code: str) -> bool:
    """Whether the place that ``code`` reads can be given another number for a while."""
    return not code.startswith(("len(", "vars(")) and ".__defaults__[" not in code and ".__getitem__(" not in code


def _agree(a: Guard | None, b: Guard | None) -> bool:
    return (
        a is not None and b is not None and (same(a.expected, b.expected) if a.by_value else a.expected is b.expected)
    )


def same(a: Any, b: Any) -> bool:
    """Whether two values, say numbers, are of one type and equal. NaN equals NaN; 0.0 is not -0.0."""
    if type(a) is not type(b):
        return False
    return repr(a) == repr(b) if type(a) in (float, complex) else bool(a == b)


class Check:
    """The guards as one compiled function: calling it says whether all hold. ``broken`` says which do not."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._scope = {**reach.scope, "same": same, "changes": changes, "known": [changes[0]]}
        attributes = self._function([*map(self._term, reach.attributes)])
        self._scope["attributes"] = attributes
        terms = [*map(self._term, reach.guards)]
        if reach.attributes:
            terms.append("(changes[0] == known[0] or (attributes() and not known.__setitem__(0, changes[0])))")
        self._holds = self._function(terms)

    def _term(self, guard: Guard) -> str:
        expected = f"e{len(self._scope)}"
        self._scope[expected] = guard.expected
        is_same = f"{guard.code} is {expected}"
        return f"({is_same} or same({guard.code}, {expected}))" if guard.by_value else is_same

    def _function(self, terms: list[str]) -> Any:
        text = "def holds():\n    return (\n        " + " and\n        ".join(terms or ["True"]) + "\n    )"
        exec(compile(text, "<nbgrad guards>", "exec"), self._scope)
        return self._scope["holds"]

    def __call__(self) -> bool:
        try:
            return bool(self._holds())
        except (LookupError, AttributeError, ValueError, TypeError):
            return False  # what was there is there no more

    def broken(self) -> Iterator[str]:
        """The labels of the guards that do not hold."""
        for guard in (*self._reach.guards, *self._reach.attributes):
            try:
                now = eval(guard.code, self._scope)
            except (LookupError, AttributeError, ValueError, TypeError):
                yield f"{guard.label} is there no more"
                continue
            if now is not guard.expected and not (guard.by_value and same(now, guard.expected)):
                yield f"{guard.label} was {_shown(guard.expected)}, is {_shown(now)}"


def _shown(x: Any) -> str:
    return repr(x) if type(x) in _VALUES or isinstance(x, tuple) else f"another {type(x).__name__}"


def _names_of(code: CodeType) -> Iterator[str]:
    """Names of globals and attributes in ``code`` and the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


def _is_library(x: Any) -> bool:
    root = str(x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", "")).partition(".")[0]
    if root == "nbgrad":
        return True
    code = getattr(x, "__code__", None)
    return root in _LIBRARIES or (code is not None and code.co_filename.startswith((PACKAGE_DIR, "<nbgrad ")))


def _is_compiled(x: Any) -> bool:
    return hasattr(type(x), "__wrapped_by_compile__")


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)

"""What a function can reach besides its arguments: closures, globals, defaults, attributes, and what is in those.

The walk gives the tensors that are known by the place where they are found, and *guards*: expressions that must give
what they gave while recording. A number, flag or string there is part of the recording; a tensor is bound anew at each
call, as long as it is still the same tensor.
"""

from __future__ import annotations

import functools
import pickle
import random
import sys
from array import array
from collections import deque
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from nbgrad.errors import PACKAGE_DIR
from nbgrad.nn.module import Module
from nbgrad.number import value_of
from nbgrad.optim.lr_scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer
from nbgrad.replay.guards import VALUES, Guard, Variable, agree, is_assignable, may_vary, same
from nbgrad.replay.mathematics import is_math, original
from nbgrad.replay.seen import shares_memory
from nbgrad.stream import Generator
from nbgrad.trace.handle import Handle

_LIBRARIES: Final = frozenset([*sys.stdlib_module_names, "nbgrad", "numpy", "scipy", "numba"]) - {"__main__"}
_MOST_ITEMS: Final = 4096  # a longer list is data
_MOST_ROUNDS: Final = 100
_MOST_BYTES: Final = 4096  # more is data
_MAKING: Final = frozenset(["__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__"])
_HOLDERS: Final = frozenset(["types", "argparse", "collections"])  # whose objects are known by their attributes alone
_OPTIONS: Final = frozenset(["param_groups", "defaults", "state", "state_dict"])  # who names these reads options
_ANY_NAME: Final = frozenset(
    ["getattr", "hasattr", "vars", "__dict__", "__getattribute__", "attrgetter", "eval", "exec"]
)
_REGISTRIES: Final = ("_parameters", "_buffers", "_modules")


class Reach:
    """What ``roots`` reach. ``tensors`` by id; ``guards`` of all calls, ``attributes`` those of modules, which need be
    looked at only when an attribute of some module was set; ``arrays`` says that NumPy arrays or long lists are among
    it; ``codes`` is the user's code that can run. ``variables`` are numbers in places that ``varying`` names by label
    and code, since they were seen to change: no guards. ``streams`` are states of random generators, which a call that
    draws from them changes; ``iterators`` go on at each call."""

    def __init__(self, roots: list[tuple[str, Any]], varying: frozenset[tuple[str, str]] = frozenset()) -> None:
        self._varying = varying
        self._names: frozenset[str] = frozenset()
        self.streams: dict[str, Any] = {"Python's random numbers": random.getstate()}
        if (numpy_random := _numpy_random()) is not None:
            self.streams["NumPy's random numbers"] = _state_of(numpy_random)
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
        self.math: list[tuple[str, Any]] = []
        self.scope: dict[str, Any] = {}
        self.arrays = False
        self.codes: list[CodeType] = []
        self.iterators: list[str] = []
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
        x = value_of(original(x))  # another thread may record with something else in this place
        if is_math(x) and is_assignable(code):
            self.math.append((code, x))
        if isinstance(x, ModuleType) and _is_library(x):
            return
        by_value = type(x) in VALUES or isinstance(x, np.generic)
        if (label, code) in self._varying and may_vary(x, x):
            self.variables.append(Variable(label, code, x))
            if isinstance(x, Handle):
                self._name_of(x)  # names of others are what they were when this place was guarded
            return
        (self.guards if guards is None else guards).append(Guard(label, code, x, by_value))
        if not by_value:
            self._visit(label, x)

    def _visit(self, label: str, x: Any) -> None:
        if isinstance(x, type):
            return self._class(label, x)
        if id(x) in self._known:
            return None
        name = self._name_of(x)
        if isinstance(x, Handle):
            self._tensor(x)
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
        elif isinstance(x, (MethodType, functools.partial, BuiltinFunctionType)) or _is_wrapper(x):
            self._wrapper(label, x)
        elif isinstance(x, (list, tuple, dict, deque)):
            self._container(label, name, x)
        elif isinstance(x, (np.ndarray, set, frozenset, bytearray, array)):
            self._data(label, name, x)
        elif isinstance(x, Iterator) and _is_library(type(x)):
            self.iterators.append(label)
        elif isinstance(x, random.Random):
            self.streams[label] = x.getstate()
        elif (numpy_random := _numpy_random()) and isinstance(x, (numpy_random.Generator, numpy_random.RandomState)):
            self.streams[label] = _state_of(x)
        elif isinstance(x, ModuleType):
            if not _is_library(x):
                self._attributes(label, f"{name}.__dict__", vars(x), self.guards)
        elif not _is_library(type(x)) or type(x).__module__ in _HOLDERS:
            self._instance(label, name, x)
        return None

    def _tensor(self, x: Handle) -> None:
        """A tensor; with a view the tensor whose memory it shows: that is what is read and written."""
        self.tensors[id(x)] = x
        base = None if x.rare is None else x.rare.base
        if base is not None:
            self.tensors[id(base)] = base

    def _function(self, label: str, name: str, x: FunctionType) -> None:
        if _is_library(x):
            return
        self.codes.append(x.__code__)
        self.guards.append(Guard(f"the code of {label}", f"{name}.__code__", x.__code__, False))
        self._attributes(label, f"{name}.__dict__", x.__dict__, self.guards)
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
        elif isinstance(x, BuiltinFunctionType):
            inner = () if isinstance(x.__self__, ModuleType) else (x.__self__,)
        else:
            inner = (x.__wrapped__,)
        for part in inner:
            if type(part) not in VALUES:
                self._visit(label, part)

    def _container(self, label: str, name: str, x: Any) -> None:
        if type(x).__module__ != "builtins":
            self._instance(label, name, x)
        if isinstance(x, dict) and all(type(key) in VALUES for key in x):
            self.guards.append(Guard(f"the keys of {label}", f"tuple({name})", tuple(x), True))
        elif not isinstance(x, tuple):
            self.guards.append(Guard(f"the length of {label}", f"len({name})", len(x), True))
        if len(x) > _MOST_ITEMS:
            self.arrays = True
            return
        for key, item in list(x.items()) if isinstance(x, dict) else list(enumerate(x)):
            if isinstance(x, tuple):  # what holds it is guarded, and its items stay
                if type(item) not in VALUES:
                    self._visit(f"{label}[{key!r}]", item)
            elif type(key) in (str, int, bool, float):
                self._expect(f"{label}[{key!r}]", f"{name}[{key!r}]", item)
            else:
                self._expect(f"{label}[...]", f"{name}[{self._name_of(key)}]", item)

    def _data(self, label: str, name: str, x: Any) -> None:
        """What holds many numbers, or the like: guarded by what is in it where that is little."""
        self.arrays = True
        if (x.nbytes if isinstance(x, np.ndarray) else len(x)) <= _MOST_BYTES:
            copied = frozenset if isinstance(x, (set, frozenset)) else bytes
            self.guards.append(Guard(f"what is in {label}", f"{copied.__name__}({name})", copied(x), True))

    def _instance(self, label: str, name: str, x: Any) -> None:
        """An object of a class of the user's: the attributes that its code names, and the methods."""
        self._class(label, type(x), made=False)
        own = getattr(x, "__dict__", None)
        if own is not None:
            self.guards.append(Guard(f"the class of {label}", f"{name}.__class__", type(x), False))
            self.guards.append(Guard(f"the attributes of {label}", f"tuple({name}.__dict__)", tuple(own), True))
            self._attributes(label, f"{name}.__dict__", own, self.guards, every=_is_open(type(x)))
        for slot in [s for c in type(x).__mro__ for s in _slots(c) if {s, *_ANY_NAME} & self._names]:
            if hasattr(x, slot):
                self._expect(f"{label}.{slot}", f"{name}.{slot}", getattr(x, slot))
            else:
                self.guards.append(Guard(f"{label}.{slot}", f"hasattr({name}, {slot!r})", False, True))

    def _attributes(
        self, label: str, code: str, own: dict[str, Any], guards: list[Guard], *, every: bool = False
    ) -> None:
        for key in sorted(own if every else self._named(own)):
            self._expect(f"{label}.{key}", f"{code}[{key!r}]", own[key], guards)

    def _named(self, own: dict[str, Any]) -> set[str]:
        """The attributes that code may read: those it names; all where it makes names at run time."""
        return {key for key in own if isinstance(key, str) and (_ANY_NAME & self._names or key in self._names)}

    def _class(self, label: str, kind: type, *, made: bool = True) -> None:
        """Classes of the user's: what code names of their attributes, and the methods that can be called. Objects may
        be ``made`` in the call where code names the class."""
        every = _is_open(kind) or bool(_ANY_NAME & self._names)  # others may call any method
        for base in kind.__mro__:
            if _is_library(base):
                continue
            is_new = id(base) not in self._known
            name = self._name_of(base)
            for key, member in vars(base).items():
                if not (every or key in self._names or _is_special(key)) or (key in _MAKING and not made):
                    continue
                place = f"{label}.{key}"
                for function in _functions_of(member):
                    self._visit(place, function)
                if not is_new:
                    continue
                if type(member) in (float, int, bool, str, type(None)):
                    if key in self._names:
                        self._expect(place, f"{name}.{key}" if key.isidentifier() else f"vars({name})[{key!r}]", member)
                    continue
                if key in self._names or key == "forward":  # which Module calls
                    self._expect(place, f"vars({name})[{key!r}]", member)

    def _module(self, label: str, name: str, x: Module) -> None:
        self._class(label, type(x), made=False)
        keys = Guard(f"the attributes of {label}", f"tuple({name}.__dict__)", tuple(x.__dict__), True)
        self.attributes.append(keys)
        for registry in _REGISTRIES:
            table = x.__dict__[registry]
            code = f"{name}.__dict__[{registry!r}]"
            self.attributes.append(Guard(f"the {registry[1:]} of {label}", f"len({code})", len(table), True))
            for key, item in table.items():
                self._expect(f"{label}.{key}", f"{code}[{key!r}]", item, self.attributes)
        library, named = _is_library(type(x)), self._named(x.__dict__)
        for key, item in x.__dict__.items():
            if key not in (*_REGISTRIES, "_unsaved_buffers") and (library or key in named or key == "training"):
                self._expect(f"{label}.{key}", f"{name}.__dict__[{key!r}]", item, self.attributes)

    def _optimizer(self, label: str, name: str, x: Optimizer) -> None:
        expect = self.guards.append
        expect(Guard(f"{label}.param_groups", f"{name}.param_groups", x.param_groups, False))
        expect(Guard(f"{label}.state", f"{name}.state", x.state, False))
        for k, group in enumerate(x.param_groups):
            where = f"{label}.param_groups[{k}]"
            inner = self._name_of(group)
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
        self._same_parts(label, name, x)

    def _same_parts(self, label: str, name: str, x: Optimizer) -> None:
        """An optimiser's groups, parameters and states are these objects, not as many others. (Unpacked and compared
        one by one: ``map`` takes longer.)"""
        lists = [f"*{self._name_of(group)}['params']" for group in x.param_groups]
        params = [p for group in x.param_groups for p in group["params"]]
        names = [self._name_of(part) for part in (*x.param_groups, *params, *x.state.values())]
        takes = ", ".join([f"a{k}" for k in range(len(names))])
        alike = " and ".join([f"a{k} is {part}" for k, part in enumerate(names)])
        code = f"(lambda {takes}: {alike})(*{name}.param_groups, {', '.join(lists)}, *{name}.state.values())"
        self.guards.append(Guard(f"what {label} holds", code, True, True))

    def _scheduler(self, label: str, name: str, x: LRScheduler) -> None:
        """One that is only stepped, and asked for its rates, goes on at each call; what else is read of it is looked at
        like any attribute."""
        if self._names & (vars(x).keys() | vars(LRScheduler).keys()) - {"step", "optimizer", "get_last_lr"}:
            for key, item in vars(x).items():
                if key != "_last_lr" or {"_last_lr", "state_dict"} & self._names:
                    self._expect(f"{label}.{key}", f"{name}.__dict__[{key!r}]", item)
        self._visit(f"{label}.optimizer", x.optimizer)

    def places_that_changed(self) -> set[tuple[str, str]]:
        """The places, as (label, code), whose numbers and tensors are not what they were, and can be bound."""
        return {
            (g.label, g.code) for g, now in self._replaced() if not (shares_memory(g.expected) or shares_memory(now))
        }

    def views_that_changed(self) -> list[str]:
        """The labels of places where another tensor stands now, and one of the two shows memory of others: each is
        bound as what it is."""
        return [g.label for g, now in self._replaced() if _shares_memory(g, now)]

    def _replaced(self) -> Iterator[tuple[Guard, Any]]:
        """Guards of numbers and tensors that could be bound, and what stands there now, where that is another."""
        for guard in (*self.guards, *self.attributes):
            if may_vary(guard.expected, guard.expected) and is_assignable(guard.code):
                try:
                    now = eval(guard.code, self.scope)
                except (LookupError, AttributeError, ValueError, TypeError):
                    continue
                if may_vary(guard.expected, now) and not (now is guard.expected or _equal(now, guard.expected)):
                    yield guard, now

    def differences(self, other: Reach) -> tuple[set[tuple[str, str]], list[str]]:
        """What is not as it was in ``other``: places that can be bound, as (label, code), and labels of the rest."""
        mine = {(g.label, g.code): g for g in (*self.guards, *self.attributes)}
        theirs = {(g.label, g.code): g for g in (*other.guards, *other.attributes)}
        places, labels = set(), set()
        for key in mine.keys() | theirs.keys():
            a, b = mine.get(key), theirs.get(key)
            if agree(a, b):
                continue
            if a is not None and b is not None and may_vary(a.expected, b.expected) and is_assignable(key[1]):
                places.add(key)
            else:
                labels.add(key[0])
        drawn = {key for key in self.streams.keys() & other.streams.keys() if self.streams[key] != other.streams[key]}
        return places, sorted(drawn | labels)

    def knows(self, thing: object, attribute: str) -> bool:
        """Whether an attribute of an object is among what is guarded or bound."""
        name = self._known.get(id(thing))
        if name is None:
            return False
        codes = {f"{name}.__dict__[{home}{attribute!r}]" for home in ("", "'_buffers'][")}
        known = [*[g.code for g in (*self.guards, *self.attributes)], *[v.code for v in self.variables]]
        return not codes.isdisjoint(known)


def _shares_memory(guard: Guard, now: Any) -> bool:
    """Whether what stood in a place, or stands there now, is a view, or memory that others see."""
    return shares_memory(guard.expected) or shares_memory(now)


def _equal(a: Any, b: Any) -> bool:
    """Whether two numbers are one; tensors never are."""
    return not isinstance(a, Handle) and same(a, b)


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


def _is_open(kind: type) -> bool:
    """Whether code that is not the user's may read any attribute, or call any method, of an object of this class."""
    return any(_is_library(base) and base is not object for base in kind.__mro__)


def _is_special(name: str) -> bool:
    """Whether Python itself calls methods of this name."""
    return name.startswith("__") and name.endswith("__")


def _functions_of(member: Any) -> list[Any]:
    """The functions behind a member of a class: itself, or those of a property, a class method and the like."""
    if isinstance(member, property):
        return [f for f in (member.fget, member.fset) if f is not None]
    if isinstance(member, (staticmethod, classmethod)):
        return [member.__func__]
    if isinstance(member, functools.cached_property):
        return [member.func]
    return [member] if isinstance(member, FunctionType) or _is_wrapper(member) else []


def _is_wrapper(x: Any) -> bool:
    """Whether ``x`` calls the function that it names as ``__wrapped__``."""
    return hasattr(type(x), "__wrapped_by_compile__") or isinstance(x, functools._lru_cache_wrapper)


def _numpy_random() -> Any:
    """NumPy's random numbers, where the program uses them: NumPy imports them when they are asked for, in 10 ms."""
    return sys.modules.get("numpy.random")


def _state_of(x: Any) -> bytes:
    """The state of one of NumPy's generators."""
    state = x.get_state(legacy=False) if hasattr(x, "get_state") else x.bit_generator.state
    return pickle.dumps(state)


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)

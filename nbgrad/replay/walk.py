"""What a function can read besides its arguments: all of it is of known kinds and guarded, or Unknown is raised.

Code gets objects from its globals, cells, defaults and constants, from attributes and items of what it has, and as
results. Every name of an attribute in code that counts is taken to be read of every object that is reached.
"""

from __future__ import annotations

import abc
import builtins
import functools
import math
import sys
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np

from nbgrad.calls.elementwise import ScalarFunction
from nbgrad.device import Device
from nbgrad.errors import shown_line
from nbgrad.generator import Generator
from nbgrad.graph.dtypes import DType
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.number import Number, value_of
from nbgrad.ops.native import Native
from nbgrad.optim.lr_scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer
from nbgrad.replay import kinds
from nbgrad.replay.guards import (
    ABSENT,
    LOOKS,
    Guard,
    Variable,
    agree,
    cache_of,
    cached,
    contents_of,
    data_of,
    entries_of,
    entry_of,
    is_assignable,
    keys_of,
    may_vary,
    members_of,
    names_in,
    own_of,
    same,
    slot_of,
    state_of,
)
from nbgrad.replay.kinds import is_special
from nbgrad.replay.mathematics import is_math, original
from nbgrad.replay.observe import Ran, is_opaque, is_standard
from nbgrad.replay.rows import Row, is_deallocated_like
from nbgrad.replay.seen import shares_memory
from nbgrad.replay.uses import Uses, Where, codes_in, uses_of
from nbgrad.tensor import Tensor
from nbgrad.tensor.surface import lasting_entries
from nbgrad.trace.handle import Handle
from nbgrad.trace.storage import memory_of

_MOST_ROUNDS: Final = 50
_MAKING: Final = frozenset(["__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__"])
_OPTIONS: Final = frozenset(["param_groups", "defaults", "state", "state_dict"])  # who names these reads options
_NO_GRADIENTS: Final = frozenset(["requires_grad", "requires_grad_", "no_grad", "enable_grad", "zero_grad"])
_STEPPED: Final = frozenset(["step", "optimizer", "get_last_lr"])  # of a scheduler: these go on at each call
_REGISTRIES: Final = ("_parameters", "_buffers", "_modules")
_OPAQUE_KINDS: Final = (Generator, DType, Device, Native)


class Unknown(Exception):
    """Something that cannot be guarded: in words, and the user's line that names it."""

    def __init__(self, what: str, where: Where | None = None) -> None:
        super().__init__(what, where)
        self.where = where if where is not None and where[0] else None

    def __str__(self) -> str:
        at = f" in {shown_line(self.where)}" if self.where is not None else ""
        return f"{self.args[0]}{at} is of no kind that can be looked at before each call"


class Reach:
    """What ``roots`` reach, as far as ``ran`` may have read it; where that is None, as if all code ran.

    ``tensors`` by id; ``guards``; ``variables`` are numbers and tensors in
    places that ``varying`` names by label and code, since they were seen to change: no guards. ``scope`` names the
    objects in guards' code, ``math`` are places of Python's functions of numbers. ``grads``: whether code asks for
    gradients by name; ``takes_numbers``: whether all code that counts may be given numbers that know where they come
    from.
    """

    def __init__(
        self,
        roots: Sequence[tuple[str, Any]],
        ran: Ran | None = None,
        varying: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self._varying, self._roots = varying, roots
        self._is_static = ran is None
        self._uses: dict[CodeType, Uses] = {} if ran is None else ran.uses()
        self._names: dict[str, Where] = {}
        self._made: tuple[str, ...] = ()
        for _ in range(_MOST_ROUNDS):  # which attributes matter depends on code that is found behind attributes
            if not self._walk():
                break
        else:
            raise Unknown("code that names ever more attributes")
        for code in self._uses:
            if code not in self._found:
                raise Unknown(f"{code.co_qualname}, which ran,", (code.co_filename, code.co_firstlineno))

    def _walk(self) -> bool:
        """Go through all; True where more was found than was looked for."""
        self._read_uses()
        names, codes = self._names, len(self._uses)
        self._asked = frozenset(names)
        self.tensors: dict[int, Handle] = {}
        self.guards: list[Guard] = []
        self.variables: list[Variable] = []
        self.math: list[tuple[str, Any]] = []
        self.takes_numbers = not self._by_identity
        self._places: dict[str, Guard] = {}
        self.scope: dict[str, Any] = LOOKS | {"lasting_entries": lasting_entries}
        self._known: dict[int, str] = {}
        self._is_made: set[int] = set()
        self._found: set[CodeType] = set()
        self._more: set[str] = set()
        try:
            for label, root in (*self._roots, *_ALWAYS):
                self._visit(label, root, None)
        except RecursionError:
            raise Unknown("objects that are nested too deeply") from None
        if not self.takes_numbers:
            numbers = [v for v in self.variables if not isinstance(v.value, Handle)]
            self.guards += [self._places[v.code] for v in numbers]
            self.variables = [v for v in self.variables if isinstance(v.value, Handle)]
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
        self._made = tuple(sorted({made for uses in all_uses for made in uses.made}))
        self._begun = ("",) if "__dict__" in self._names else self._made
        self._by_identity = any(uses.identity for uses in all_uses)
        self._makes = bool({"type", "__class__"} & (loads | self._names.keys()))
        self._prints = any(uses.prints for uses in all_uses)
        self._probes = any(uses.probes for uses in all_uses)
        self.grads = any("grad" in name and name not in _NO_GRADIENTS for name in self._names)

    # --- guards

    def _name_of(self, x: Any) -> str:
        """The name of an object in the guards' code; the scope keeps it alive."""
        name = self._known.get(id(x))
        if name is None:
            name = self._known[id(x)] = f"o{len(self._known)}"
            self.scope[name] = x
            if len(self._known) > kinds.MOST_OBJECTS:
                raise Unknown("more objects than can be looked at")
        return name

    def _guard(self, label: str, code: str, expected: Any, how: str, row: Row | None = None) -> None:
        if code not in self._places:
            self._places[code] = guard = Guard(label, code, expected, how, row)
            self.guards.append(guard)

    def _expect(self, label: str, code: str, x: Any, where: Where | None, row: Row | None = None) -> None:
        """``code`` gives ``x``: guard that, and go on from there."""
        x = value_of(original(x))  # another thread may record with something else in this place
        is_place = is_assignable(code)
        if is_math(x) and is_place and not code.startswith(f"{self._known.get(id(vars(math)))}["):
            self.math.append((code, x))
        if (label, code) in self._varying and is_place and may_vary(x, x):
            if code not in self._places:
                self._places[code] = Guard(label, code, x, "value", row)
                self.variables.append(Variable(label, code, x))
            if _is_a(x, Handle):
                self._name_of(x)  # names of others are what they were when this place was guarded
            return
        is_value = type(x) in kinds.VALUES or _is_a(x, np.generic)
        self._guard(label, code, x, "value" if is_value and not self._by_identity else "is", row)
        if not is_value:
            self._visit(label, x, where)
        elif type(x) is slice:
            for part in (x.start, x.stop, x.step):
                self._visit(label, part, where)

    def _entry(self, label: str, d: Any, key: Any, where: Where | None, *, is_bound: bool = True) -> None:
        """What a dict holds there, or that there is nothing. Where it ``is_bound`` it may be seen to change."""
        x = entry_of(d, key)
        written = repr(key) if type(key) in (str, int, bool) else self._name_of(key)
        if x is not ABSENT and is_bound and type(d) in (dict, OrderedDict):
            code = f"{self._name_of(d)}[{written}]"
        else:
            code = f"entry_of({self._name_of(d)}, {written})"
        if x is ABSENT:
            self._guard(label, code, x, "is", ("keys", d))
        else:
            self._expect(label, code, x, where, ("entry", d, key))

    def _attributes(self, label: str, name: str, x: Any, where: Where | None, also: Collection[str] = ()) -> None:
        """Which attributes an object has, if any, and what those are that code may read, and ``also`` others."""
        if (own := own_of(x)) is ABSENT:
            return
        self._guard(f"the attributes of {label}", f"own_of({name})", own, "is", ("within", x, own))
        self._note_names(own)
        self._guard(f"the attributes of {label}", f"keys_of({self._name_of(own)})", tuple(own), "items", ("keys", own))
        for key in [key for key in own if key in also or key in self._names or "__dict__" in self._names]:
            self._entry(f"{label}.{key}", own, key, self._names.get(key, where))

    # --- objects

    def _visit(self, label: str, x: Any, where: Where | None) -> None:
        kind = type(x)
        if kind is Number:
            return None  # which another thread's recording has put there, or this one, and will take away
        if _is_a(x, type):
            return self._class(label, x, where)
        if kind in kinds.VALUES or kind in kinds.HELD or _is_a(x, (np.generic, np.dtype)) or id(x) in self._known:
            return None
        name = self._name_of(x)
        for base, visit in _VISITS:
            if _is_a(x, base):
                return visit(self, label, name, x, where)
        if kind is MethodType:
            self._visit(label, x.__func__, where)
            self._visit(label, x.__self__, where)
        elif kind in (staticmethod, classmethod, property, functools.cached_property):
            for function in _functions_of(x):
                self._visit(label, function, where)
        elif _is_a(x, (*kinds.DESCRIPTORS, *_OPAQUE_KINDS)):
            pass
        elif kind is functools.partial:
            for part in ("func", "args", "keywords"):
                self._expect(label, f"{name}.{part}", getattr(x, part), where, ("within", x, getattr(x, part)))
            self._attributes(label, name, x, where)
        elif _is_a(x, ScalarFunction):
            for (_, key), holder in x.outside.items():
                if _is_a(holder, dict):
                    self._entry(key, holder, key, where)
                else:
                    self._cells({key: holder}, [key], where)
        elif hasattr(kind, "__wrapped_by_compile__"):
            self._visit(label, x.__wrapped__, where)
        elif kind in kinds.CONTAINERS:
            self._container(label, name, x, where)
        elif kind in kinds.DATA:
            self._data(label, name, x, where)
        elif kind.__module__ == "numpy" and callable(x) and getattr(x, "__name__", "") in kinds.NUMPY:
            pass  # written in Python, behind a dispatcher
        elif kind.__module__.partition(".")[0] in kinds.OPAQUE and not _is_a(x, tuple):
            raise Unknown(f"{label}, a {kind.__module__}.{kind.__qualname__},", where)
        else:
            self._instance(label, name, x, where)
        return None

    def _tensor(self, label: str, name: str, x: Handle, where: Where | None) -> None:
        """A tensor; with a view the tensor whose memory it shows: that is what is read and written."""
        self.tensors |= {id(a): a for a in (x, memory_of(x))}
        self._guard(label, f"state_of({name})", state_of(x), "is", ("slot", x, vars(Handle)["at"]))
        if not _is_ours(type(x)):
            self._instance(label, name, x, where)

    def _function(self, label: str, name: str, x: FunctionType, where: Where | None) -> None:
        code = x.__code__
        if is_opaque(code, x.__globals__):
            if x in kinds.SETTINGS:
                self._guard(f"what {x.__name__} says", f"{name}()", x(), "value")
            if str(x.__module__).startswith("numpy") and x.__name__ not in kinds.NUMPY:
                raise Unknown(f"{x.__module__}.{x.__name__}", where)
            if "__wrapped__" in x.__dict__:  # a decorator of ours, with the function that it calls
                cells = dict(zip(code.co_freevars, x.__closure__ or (), strict=True))
                self._cells(cells, [k for k, cell in cells.items() if not _is_ours(type(contents_of(cell)))], where)
            return
        self._guard(f"the code of {label}", f"{name}.__code__", code, "is", ("function", x, "__code__"))
        self._attributes(label, name, x, where)
        for attribute in kinds.FUNCTION_ATTRIBUTES:
            if attribute in self._names:
                self._expect(f"{label}.{attribute}", f"{name}.{attribute}", getattr(x, attribute, None), where)
        if self._is_static:
            for inner in codes_in(code):
                self._uses.setdefault(inner, uses_of(inner, None))
        if code not in self._uses:
            return
        self.takes_numbers = self.takes_numbers and (x.__module__ in kinds.CODE_OF_NUMBERS or not is_standard(code, {}))
        for attribute in ("__defaults__", "__kwdefaults__"):
            default = getattr(x, attribute)
            self._expect(f"a default of {label}", f"{name}.{attribute}", default, where, ("function", x, attribute))
        self._code(code, x.__globals__, dict(zip(code.co_freevars, x.__closure__ or (), strict=True)))

    def _code(self, code: CodeType, scope: dict[str, Any], cells: Mapping[str, Any]) -> None:
        """What code that counts reads of its surroundings, and the code inside it."""
        self._found.add(code)
        uses = self._uses[code]
        built_in = scope.get("__builtins__", builtins)
        built_in = built_in if isinstance(built_in, dict) else vars(built_in)
        for used, where in uses.loads.items():
            self._entry(used, scope, used, where)
            if used not in scope:
                self._entry(used, built_in, used, where, is_bound=False)
        for used, where in uses.free.items():
            self._cells(cells, [used], where)
        for used, where in uses.imports.items():
            found = sys.modules.get(used)
            if found is None:
                raise Unknown(f"the import of {used}, which is made when it runs,", where)
            self._entry(used, sys.modules, used, where, is_bound=False)
            if "." in used:  # which may give the outermost
                outer = used.partition(".")[0]
                self._visit(outer, sys.modules.get(outer), where)
        for inner in code.co_consts:
            if isinstance(inner, CodeType) and inner in self._uses and inner not in self._found:
                self._code(inner, scope, cells)

    def _cells(self, cells: Mapping[str, Any], names: Collection[str], where: Where | None) -> None:
        """Free variables."""
        for used in [name for name in names if name in cells]:
            cell = cells[used]
            if (inside := contents_of(cell)) is ABSENT:  # not assigned yet
                self._guard(used, f"contents_of({self._name_of(cell)})", ABSENT, "is", ("cell", cell))
            else:
                self._expect(used, f"{self._name_of(cell)}.cell_contents", inside, where, ("cell", cell))

    def _builtin(self, label: str, _: str, x: Any, where: Where | None) -> None:
        """A function written in C, or a method of an object."""
        of = x.__self__
        if type(x) is types.MethodWrapperType or not (of is None or isinstance(of, ModuleType)):
            if x.__name__ in kinds.FORBIDDEN:
                raise Unknown(f"the attribute {x.__name__}", where)
            return self._visit(label, of, where)
        if not kinds.is_pure(x):
            raise Unknown(f"{x.__module__}.{x.__name__}", where)
        if "__self__" in self._names:
            self._visit(label, of, where)
        if x in kinds.BY_NAME and label != x.__name__:
            raise Unknown(f"{x.__name__} by another name", where)
        if x.__name__ not in kinds.OF_NUMBERS and x.__module__ in ("builtins", "_struct", "_functools"):
            self.takes_numbers = self.takes_numbers and x.__module__ == "_functools"
        if x.__module__ == "_abc":
            self._guard(
                "the registered subclasses", f"{self._name_of(abc.get_cache_token)}()", abc.get_cache_token(), "value"
            )
        return None

    def _cached(self, label: str, name: str, x: Any, where: Where | None) -> None:
        """A function with a cache. What it does not run now it may have run before: all of it counts."""
        found, table = cached(x), cache_of(x)
        self.takes_numbers = False
        if len(table) > kinds.MOST_ITEMS:
            raise Unknown(f"{label}, which has cached {len(table)} results,", where)
        self._guard(f"what {label} has cached", f"cached({name})", found, "items", ("all", table))
        for part in found:
            if not isinstance(part, type) and type(part).__name__ != "_lru_list_elem" and part is not table:
                self._visit(f"what {label} has cached", part, where)
        inner = x.__wrapped__
        for function in _functions_of(inner):
            for code in codes_in(function.__code__):
                uses = uses_of(code, None)
                if self._uses.get(code) != uses:
                    self._uses[code] = uses
                    self._more |= uses.names.keys()
        self._visit(label, inner, where)
        self._attributes(label, name, x, where)

    def _container(self, label: str, name: str, x: Any, where: Where | None) -> None:
        length: Any = next(base.__len__ for base in kinds.LENGTHS if _is_a(x, base))
        if length(x) > kinds.MOST_ITEMS:
            raise Unknown(f"{label}, a {type(x).__name__} of {length(x)} items,", where)
        if _is_a(x, dict):
            return self._dict(label, name, x, where)
        if _is_a(x, (set, frozenset)):
            each: Any = set.__iter__ if _is_a(x, set) else frozenset.__iter__
            items = tuple(each(x))  # equal sets may have another order
            self._guard(f"what is in {label}", f"tuple({self._name_of(each)}({name}))", items, "items")
            for item in items:
                self._visit(f"an item of {label}", item, where)
        elif _is_a(x, tuple):  # what holds it is guarded, and its items stay
            for k, item in enumerate(tuple.__iter__(x)):
                self._visit(f"{label}[{k}]", item, where)
        else:
            self._list(label, name, x, where)
        return None

    def _list(self, label: str, name: str, x: Any, where: Where | None) -> None:
        """A list or deque."""
        base: Any = list if _is_a(x, list) else deque
        length = f"{self._name_of(base.__len__)}({name})"
        row = ("length", x) if base is list else None
        self._guard(f"the length of {label}", length, base.__len__(x), "value", row)
        for k, item in enumerate([*base.__iter__(x)]):
            code = f"{name}[{k}]" if type(x) is base else f"{self._name_of(base.__getitem__)}({name}, {k})"
            self._expect(f"{label}[{k}]", code, item, where, ("item", x, k) if base is list else None)

    def _dict(self, label: str, name: str, x: Any, where: Where | None) -> None:
        keys = keys_of(x)
        row = None if _is_a(x, OrderedDict) else ("keys", x)
        self._guard(f"the keys of {label}", f"keys_of({name})", keys, "items", row)
        if _is_a(x, defaultdict):
            factory = x.default_factory
            self._expect(f"the factory of {label}", f"{name}.default_factory", factory, where, ("within", x, factory))
        for key in keys:
            if type(key) is not str:
                self._visit(f"a key of {label}", key, where)
            self._entry(f"{label}[{_shown(key)}]", x, key, where)

    def _data(self, label: str, name: str, x: Any, where: Where | None) -> None:
        size = x.nbytes if _is_a(x, np.ndarray) else len(memoryview(x).cast("B"))
        if size > kinds.MOST_BYTES or (_is_a(x, np.ndarray) and x.dtype.hasobject):
            raise Unknown(f"{label}, a {type(x).__name__} of {size} bytes,", where)
        self._guard(f"what is in {label}", f"data_of({name})", data_of(x), "value")
        if _is_a(x, np.ndarray):
            self._numpy()

    def _numpy(self) -> None:
        """How NumPy takes errors, and how it prints."""
        for function in (np.geterr, np.get_printoptions) if self._prints else (np.geterr,):
            code = f"repr({self._name_of(function)}())"
            self._guard(f"what NumPy's {function.__name__} says", code, repr(function()), "value")

    def _instance(self, label: str, name: str, x: Any, where: Where | None) -> None:
        """An object of a class made by a class statement."""
        kind = type(x)
        for base in kind.__mro__:
            if base not in kinds.BASES and not _is_made_in_python(base) and not (_is_ours(base) and _is_a(x, Handle)):
                raise Unknown(f"{label}, a {kind.__module__}.{kind.__qualname__},", where)
        self._class_of(label, name, x, where)
        self._attributes(label, name, x, where)
        for base in kind.__mro__:
            for slot, member in entries_of(base).items():
                if isinstance(member, types.MemberDescriptorType) and slot in self._names and not _is_ours(base):
                    code = f"slot_of({self._name_of(member)}, {name})"
                    self._expect(f"{label}.{slot}", code, slot_of(member, x), where, ("slot", x, member))
        if _is_a(x, tuple(kinds.CONTAINERS)):
            self._container(label, name, x, where)
        elif _is_a(x, (int, float, complex, str, bytes)):
            base = next(b for b in (int, float, complex, str, bytes) if _is_a(x, b))
            plain: Any = base.__str__ if base is str else base.__repr__
            self._guard(f"the value of {label}", f"{self._name_of(plain)}({name})", plain(x), "value", ("type", x))
            self.takes_numbers = False

    def _class_of(self, label: str, name: str, x: Any, where: Where | None) -> None:
        """What an object is."""
        self._guard(f"the class of {label}", f"type({name})", type(x), "is", ("type", x))
        self._class(f"the class of {label}", type(x), where, made=self._makes)

    def _note_names(self, own: Mapping[Any, Any]) -> None:
        """Names that may be made at run time."""
        if self._made:
            self._more |= {name for name in own if isinstance(name, str) and name.startswith(self._made)}

    def _scope(self, label: str, name: str, x: ModuleType, where: Where | None) -> None:
        """A module: the names that are read in it."""
        own, root = vars(x), x.__name__.partition(".")[0]
        is_library = root in kinds.OPAQUE
        if type(x) is not ModuleType and not is_library:
            raise Unknown(f"{label}, a module with a class of its own,", where)
        if root == "numpy":
            self._numpy()
        self._note_names(own)
        table = self._name_of(own)
        if not is_library and "__getattr__" in own:
            self._entry(f"{label}.__getattr__", own, "__getattr__", where, is_bound=False)
        is_asked = self._probes or ("__getattr__" in own and not is_library)
        names = frozenset(self._names.keys() - own.keys() if is_asked else ())
        begun = self._made if is_library else self._begun
        if names or begun:
            code = f"names_in({table}, {self._name_of(names)}, {self._name_of(begun)})"
            self._guard(f"the names of {label}", code, names_in(own, names, begun), "items", ("keys", own))
        for key in [*own] if "__dict__" in self._names and not is_library else sorted(self._names.keys() & own.keys()):
            at = self._names.get(key, where)
            if root == "numpy" and not _is_numpy(key, own[key]):
                raise Unknown(f"{x.__name__}.{key}", at)
            self._entry(f"{label}.{key}", own, key, at)

    def _class(self, label: str, c: type, where: Where | None, *, made: bool = True) -> None:
        """A class: what code names of its attributes, and what Python itself calls. Objects may be ``made`` of it in
        the call where code names the class."""
        if id(c) in (self._is_made if made and not _is_ours(c) else self._known):
            return
        name = self._name_of(c)
        self._is_made |= {id(c)} if made else set()
        self.takes_numbers = self.takes_numbers and (c not in kinds.TYPES or c in kinds.TYPES_OF_NUMBERS)
        for base in [base for base in c.__mro__ if _is_ours(base)]:
            seen = ("class", c if _is_ours(c) else base)
            code = f"lasting_entries({self._name_of(base)})"
            self._guard(f"the class {base.__name__}", code, lasting_entries(base), "items", seen)
        if c in kinds.TYPES or _is_ours(c) or (c.__module__ == "numpy" and _is_numpy(c.__name__, c)):
            return
        if not _is_made_in_python(c):
            raise Unknown(f"{label}, the type {c.__module__}.{c.__qualname__},", where)
        if type(c) is not type and not _is_ours(type(c)):
            self._class(f"the class of {label}", type(c), where, made=self._makes)
        self._guard(f"the bases of {label}", f"{name}.__mro__", c.__mro__, "items", ("class", c))
        opaque = tuple([base for base in c.__mro__ if _is_ours(base)])
        asked = self._asked | _names_in(opaque)
        for attribute in kinds.FUNCTION_ATTRIBUTES[:4]:
            if attribute in self._names:
                self._guard(f"{label}.{attribute}", f"{name}.{attribute}", getattr(c, attribute, None), "value")
        for base in c.__mro__:
            if base in kinds.BASES or base in kinds.TYPES or _is_ours(base):
                continue
            if not _is_made_in_python(base):
                raise Unknown(f"{label}, made of the type {base.__module__}.{base.__qualname__},", where)
            self._note_names(entries := entries_of(base))
            of = self._name_of(base)
            others = frozenset([k for k in entries if (f"{label}.{k}", f"{of}.{k}") in self._varying])
            row = ("class", c) if not others else None
            parts = (asked, self._begun, others)
            code = f"members_of({of}, {', '.join(map(self._name_of, parts))})"
            self._guard(f"what {label} has", code, members_of(base, *parts), "items", row)
            if kinds.TO_PLAIN & {key for key, member in entries.items() if type(member) is FunctionType}:
                self.takes_numbers = False
            for key, member in [*entries.items()]:
                self._member(f"{label}.{key}", base, key, member, where, made, asked, row)

    def _member(
        self, label: str, c: type, key: str, x: Any, where: Where | None, made: bool, asked: frozenset[str], row: Any
    ) -> None:
        """An attribute of a class, if it matters."""
        named = key in self._names or "__dict__" in self._names
        where = self._names.get(key, where)
        if key in ("__dict__", "__weakref__", "__class__") or (key in _MAKING and not made):
            return
        if named and type(x) in (int, float) and key.isidentifier() and type(c) is type:
            self._expect(label, f"{self._name_of(c)}.{key}", x, where, row)
            return
        if key == "__match_args__" and named and type(x) is tuple:
            self._more |= {name for name in x if type(name) is str}
        is_asked = key in asked or (is_special(key) and (callable(x) or _is_descriptor(x)))
        functions = [] if self._is_static else [f for f in _functions_of(x) if type(f) is FunctionType]
        if named or is_asked or any(f.__code__ in self._uses for f in functions):
            self._visit(label, x, where)

    # --- what nbgrad knows by itself

    def _module(self, label: str, name: str, x: Module, where: Where | None) -> None:
        own = own_of(x)
        self._class_of(label, name, x, where)
        for key in _REGISTRIES:
            table = self._name_of(own[key])  # whatever its length
            self._entry(f"{label}.{key}", own, key, where)
            self._dict(label, table, own[key], where)
        reads_all = any(_is_ours(base) and base.__module__ not in _BARE for base in type(x).__mro__)
        others = own.keys() - {*_REGISTRIES, "_unsaved_buffers"} if reads_all else ["training"]
        self._attributes(label, name, x, where, others)

    def _optimizer(self, label: str, name: str, x: Optimizer, where: Where | None) -> None:
        own = own_of(x)
        self._class_of(label, name, x, where)
        groups, states = own["param_groups"], own["state"]
        for part in (groups, states, *groups, *[group["params"] for group in groups], *states.values()):
            self._name_of(part)  # of these only what follows matters
        self._attributes(label, name, x, where, ["param_groups", "state"])
        self._list(f"{label}.param_groups", self._name_of(groups), groups, where)
        for k, group in enumerate(groups):
            label_k, inner, params = f"{label}.param_groups[{k}]", self._name_of(group), group["params"]
            self._entry(f"{label_k}['params']", group, "params", where)
            self._list(f"{label_k}['params']", self._name_of(params), params, where)
            form = [key for key in group if key not in ("params", "lr", "initial_lr")]
            code = f"{name}._form({inner})"
            self._guard(f"the options of {label_k}", code, x._form(group), "items", ("entries", group, form))
            if _OPTIONS & self._names.keys():
                self._dict(label_k, inner, group, where)
        self._dict(f"{label}.state", self._name_of(states), states, where)
        counts = {"state", "state_dict"} & self._names.keys()
        for state in states.values():
            keys = f"keys_of({self._name_of(state)})"
            self._guard(f"{label}.state[...]", keys, tuple(state), "items", ("keys", state))
            for key, item in [*state.items()]:
                if counts or isinstance(item, Handle):  # numbers count at each call
                    self._entry(f"{label}.state[...][{key!r}]", state, key, where, is_bound=isinstance(item, Handle))

    def _scheduler(self, label: str, name: str, x: LRScheduler, where: Where | None) -> None:
        """One that is only stepped, and asked for its rates, goes on at each call; what else is read of it is looked at
        like any attribute."""
        own = own_of(x)
        self._class_of(label, name, x, where)
        if self._names.keys() & ((own.keys() | vars(LRScheduler).keys()) - _STEPPED):
            rates = {"_last_lr"} if "state_dict" not in self._names else set()
            self._attributes(label, name, x, where, own.keys() - rates)
        self._visit(f"{label}.optimizer", x.optimizer, where)

    def holds(self, x: Any) -> bool:
        """Whether an object is one of those that are reached."""
        return id(x) in self._known

    # --- comparing

    def replaced(self) -> Iterator[tuple[str, str, bool]]:
        """(label, code, is it a view) of the places where another number or tensor stands now, which can be bound: but
        where one of the two tensors shows memory of others, each is bound as what it is."""
        for guard in self.guards:
            if may_vary(guard.expected, guard.expected) and is_assignable(guard.code):
                try:
                    now = eval(guard.code, self.scope)
                except (LookupError, AttributeError, ValueError, TypeError):
                    continue
                if not may_vary(guard.expected, now) or now is guard.expected:
                    continue
                if isinstance(now, Handle) or not same(now, guard.expected):
                    yield guard.label, guard.code, shares_memory(guard.expected) or shares_memory(now)

    def differences(self, other: Reach) -> tuple[set[tuple[str, str]], list[str]]:
        """What is not as it was in ``other``: places that can be bound, as (label, code), and labels of the rest."""
        mine, theirs = ({(g.label, g.code): g for g in reach.guards} for reach in (self, other))
        places, labels = set(), set()
        for key in mine.keys() | theirs.keys():
            a, b = mine.get(key), theirs.get(key)
            if agree(a, b):
                continue
            if a is not None and b is not None and may_vary(a.expected, b.expected) and is_assignable(key[1]):
                places.add(key)
            else:
                labels.add(key[0])
        return places, sorted(labels)


_VISITS: Final = (
    (Handle, Reach._tensor),
    (Module, Reach._module),
    (Optimizer, Reach._optimizer),
    (LRScheduler, Reach._scheduler),
    (FunctionType, Reach._function),
    ((types.BuiltinFunctionType, types.MethodWrapperType), Reach._builtin),
    (functools._lru_cache_wrapper, Reach._cached),
    (ModuleType, Reach._scope),
)
_ALWAYS: Final = (("Tensor", Tensor), ("Parameter", Parameter))  # whose methods are called whatever is reached
_BARE: Final = ("nbgrad.nn.module", "nbgrad.nn.registry")  # classes without attributes of their own


def _is_ours(c: type) -> bool:
    return c.__module__.partition(".")[0] == "nbgrad"


@functools.lru_cache(maxsize=1 << 10)
def _names_in(classes: tuple[type, ...]) -> frozenset[str]:
    """The attributes of those classes of ours, which our code may ask for: somebody may have others in their place."""
    return frozenset([name for c in classes for name in vars(c)])


def _is_numpy(name: str, x: Any) -> bool:
    """Whether something in NumPy is known: types, universal functions, constants, and the functions on the list."""
    if _is_a(x, type):
        return issubclass(x, np.generic) or name in kinds.NUMPY
    if _is_a(x, (np.ufunc, ModuleType, *kinds.VALUES)):
        return getattr(x, "__name__", "") != "numpy.random"
    return name in kinds.NUMPY


def _is_made_in_python(c: type) -> bool:
    """Whether a class statement made ``c``: then nothing of its objects is hidden in C, but what its bases hide."""
    in_c = (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.WrapperDescriptorType)
    own = [m for key, m in entries_of(c).items() if key not in ("__dict__", "__weakref__")]
    is_of_c = any(isinstance(m, (*in_c, types.GetSetDescriptorType)) and m.__objclass__ is c for m in own)
    return not is_of_c and is_deallocated_like(c, Reach)


def _is_descriptor(x: Any) -> bool:
    return any("__get__" in entries_of(base) for base in type(x).__mro__)


def _is_a(x: Any, kind: Any) -> bool:
    """``isinstance`` that asks the object nothing: it may have a ``__class__`` of its own."""
    return issubclass(type(x), kind)


def _functions_of(member: Any) -> list[Any]:
    """The functions behind a member of a class: itself, or those of a property, a class method and the like."""
    if isinstance(member, property):
        return [f for f in (member.fget, member.fset, member.fdel) if f is not None]
    if isinstance(member, (staticmethod, classmethod)):
        return [member.__func__]
    if isinstance(member, functools.cached_property):
        return [member.func]
    return [member] if isinstance(member, FunctionType) else []


def _shown(key: Any) -> str:
    return f"{key!r:.20}" if type(key) in kinds.VALUES else "..."

"""What a function can read besides its arguments: all of it is of known kinds and guarded, or Unknown is raised.

Code gets objects from its globals, cells, defaults and constants, from attributes and items of what it has, and as
results. Every name of an attribute in code that counts is taken to be read of every object that is reached.
"""

from __future__ import annotations

import abc
import builtins
import functools
import sys
import types
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from nbgrad.calls.elementwise import ScalarFunction
from nbgrad.device import Device
from nbgrad.generator import Generator
from nbgrad.graph.dtypes import DType
from nbgrad.nn.hooks import Hooks
from nbgrad.nn.module import Module
from nbgrad.nn.parameter import Parameter
from nbgrad.number import Number
from nbgrad.ops.native import Native
from nbgrad.optim.lr_scheduler import LRScheduler
from nbgrad.optim.optimizer import Optimizer
from nbgrad.optim.options import IDLE
from nbgrad.replay import kinds, readers
from nbgrad.replay.captured_walk import Unknown, Walk
from nbgrad.replay.instructions import Where, codes_in, is_opaque, is_standard, uses_of
from nbgrad.replay.kinds import functions_of, is_a, is_ours, is_special
from nbgrad.replay.readers import cache_of, entries_of, is_made_in_python
from nbgrad.trace import Handle, is_view, memory_of

_MAKING: Final = frozenset(["__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__", "__del__"])
_OPTIONS: Final = frozenset(["param_groups", "defaults", "state", "state_dict"])  # who names these reads options
_STEPPED: Final = frozenset(["step", "optimizer", "get_last_lr"])  # of a scheduler: these go on at each call
_REGISTRIES: Final = ("_parameters", "_buffers", "_modules")


class GivenAttributes(NamedTuple):
    """The attributes of a tensor that is an argument."""

    own: dict[str, Any]


class CapturedState(Walk):
    """All that a function reaches, kind by kind."""

    # --- objects

    def _visit(self, label: str, x: Any, where: Where | None) -> None:
        kind = type(x)
        if is_a(x, type):
            return self._class(label, x, where)
        if kind in _CONSTANT or is_a(x, (np.generic, np.dtype)) or id(x) in self.objects:
            return None
        self._know(x)
        if visit := _VISITS.get(kind) or next(
            (_VISITS[base] for base in kind.__mro__ if base in _WITH_SUBCLASSES), None
        ):
            return visit(self, label, x, where)
        if hasattr(kind, "__wrapped_by_compile__"):
            return self._visit(label, x.__wrapped__, where)
        module = kind.__module__
        if module == "numpy" and callable(x) and getattr(x, "__name__", "") in kinds.NUMPY:
            return None  # written in Python, behind a dispatcher
        if any(base.__module__.startswith(_DISTRIBUTIONS) for base in kind.__mro__):
            return self._distribution(label, x, where)
        if module.partition(".")[0] in kinds.OPAQUE and not is_a(x, tuple):
            raise Unknown(f"{label}, a {module}.{kind.__qualname__},", where)
        return self._instance(label, x, where)

    def _nothing(self, *_: object) -> None:
        """There is nothing in it that could change."""

    def _parts(self, label: str, x: Any, where: Where | None) -> None:
        for part in kinds.PARTS[type(x)]:
            self._expect(label, where, readers.attribute_of, x, part)
        if type(x) is functools.partial:
            self._attributes(label, x, where)

    def _scalar_function(self, label: str, x: ScalarFunction, where: Where | None) -> None:
        for (_, key), holder in x.outside.items():
            if is_a(holder, dict):
                self._entry(key, where, holder, key)
            else:
                self._cells({key: holder}, [key], where)

    def _tensor(self, label: str, x: Handle, where: Where | None) -> None:
        """A tensor; with a view the tensor whose memory it shows: that is what is read and written."""
        for a in (x, memory_of(x)[0]):
            self.tensors[id(a)] = a
            self._guard(label, readers.state_of, a)
        if is_view(x):
            self._guard(f"what {label} shows", readers.shown_by, x)
        if not is_ours(type(x)):
            self._instance(label, x, where)
        self._attributes(label, x, where, _OF_TENSORS)
        if "grad" in self._names and self._guard(f"the gradient of {label}", readers.given_to_gradient, x):
            raise Unknown(f"the gradient of {label}, which has attributes,", where)

    def _given(self, label: str, x: GivenAttributes, where: Where | None) -> None:
        self._own(label, x.own, where, _OF_TENSORS)

    def _function(self, label: str, x: FunctionType, where: Where | None) -> None:
        code = x.__code__
        cells = dict(zip(code.co_freevars, x.__closure__ or (), strict=True))
        if is_opaque(code, x.__globals__):
            if x in kinds.SETTINGS:
                self._guard(f"what {x.__name__} says", readers.said_by, x)
            if str(x.__module__).startswith("numpy") and x.__name__ not in kinds.NUMPY:
                raise Unknown(f"{x.__module__}.{x.__name__}", where)
            if "__wrapped__" in x.__dict__:  # a decorator of ours, with the function that it calls
                theirs = [k for k, c in cells.items() if not is_ours(type(readers.contents_of.found(c)))]
                self._cells(cells, theirs, where)
            return
        self._guard(f"the code of {label}", readers.attribute_of, x, "__code__")
        self._attributes(label, x, where)
        for attribute in kinds.FUNCTION_ATTRIBUTES:
            if attribute in self._names:
                self._expect(f"{label}.{attribute}", where, readers.attribute_of, x, attribute)
        if self._is_static:
            for inner in codes_in(code):
                self._uses.setdefault(inner, uses_of(inner, None))
        if code not in self._uses:
            return
        self.takes_numbers = self.takes_numbers and (x.__module__ in kinds.CODE_OF_NUMBERS or not is_standard(code, {}))
        for attribute in ("__defaults__", "__kwdefaults__"):
            self._expect(f"a default of {label}", where, readers.attribute_of, x, attribute)
        self._code(code, x.__globals__, cells)

    def _code(self, code: CodeType, scope: dict[str, Any], cells: Mapping[str, Any]) -> None:
        """What code that counts reads of its surroundings, and the code inside it."""
        self._found.add(code)
        uses = self._uses[code]
        built_in = scope.get("__builtins__", builtins)
        built_in = built_in if isinstance(built_in, dict) else vars(built_in)
        for used, where in uses.loads.items():
            self._entry(used, where, scope, used)
            if used not in scope:
                self._entry(used, where, built_in, used)
        for used, where in uses.free.items():
            self._cells(cells, [used], where)
        for used, where in uses.imports.items():
            for module in dict.fromkeys((used, used.partition(".")[0])):  # it may give the outermost
                if sys.modules.get(module) is None:
                    raise Unknown(f"the import of {module}, which is made when it runs,", where)
                self._entry(module, where, sys.modules, module)
        for inner in code.co_consts:
            if isinstance(inner, CodeType) and inner in self._uses and inner not in self._found:
                self._code(inner, scope, cells)

    def _cells(self, cells: Mapping[str, Any], names: Collection[str], where: Where | None) -> None:
        """Free variables."""
        for used in [name for name in names if name in cells]:
            self._expect(used, where, readers.contents_of, cells[used])

    def _builtin(self, label: str, x: Any, where: Where | None) -> None:
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
            self._guard("the registered subclasses", readers.said_by, abc.get_cache_token)
        return None

    def _cached(self, label: str, x: Any, where: Where | None) -> None:
        """A function with a cache. What it does not run now it may have run before: all of it counts."""
        table = cache_of(x)
        self.takes_numbers = False
        if len(table) > kinds.MOST_ITEMS:
            raise Unknown(f"{label}, which has {len(table)} results,", where)
        for part in self._guard(f"what {label} remembers", readers.cached, x):
            if not isinstance(part, type) and type(part).__name__ != "_lru_list_elem" and part is not table:
                self._visit(f"what {label} remembers", part, where)
        inner = x.__wrapped__
        for function in functions_of(inner):
            for code in codes_in(function.__code__):
                uses = uses_of(code, None)
                if self._uses.get(code) != uses:
                    self._uses[code] = uses
                    self._more |= uses.names.keys()
        self._visit(label, inner, where)
        self._attributes(label, x, where)

    def _container(self, label: str, x: Any, where: Where | None) -> None:
        base: Any = next(base for base in type(x).__mro__ if base in kinds.CONTAINERS)
        if base.__len__(x) > kinds.MOST_ITEMS:
            raise Unknown(f"{label}, a {type(x).__name__} of {base.__len__(x)} items,", where)
        if not is_a(x, tuple):
            return self._items(label, x, where)
        for k, item in enumerate(tuple.__iter__(x)):  # what holds it is guarded, and its items stay
            self._visit(f"{label}[{k}]", item, where)

    def _items(self, label: str, x: Any, where: Where | None) -> None:
        """A list, deque, dict or set, whatever its length."""
        if is_a(x, (list, deque)):
            keys: Any = range(self._guard(f"the length of {label}", readers.length_of, x))
        else:
            keys = self._guard(f"the keys of {label}", readers.keys_of, x)
        if is_a(x, defaultdict):
            self._expect(f"the factory of {label}", where, readers.attribute_of, x, "default_factory")
        for key in keys:
            if type(key) is not str:
                self._visit(f"a key of {label}", key, where)
            if not is_a(x, (set, frozenset)):
                self._entry(f"{label}[{_shown(key)}]", where, x, key)

    def _data(self, label: str, x: Any, where: Where | None) -> None:
        size = x.nbytes if is_a(x, np.ndarray) else len(memoryview(x).cast("B"))
        if size > kinds.MOST_BYTES or (is_a(x, np.ndarray) and x.dtype.hasobject):
            raise Unknown(f"{label}, a {type(x).__name__} of {size} bytes,", where)
        self._guard(f"what is in {label}", readers.data_of, x)
        if is_a(x, np.ndarray):
            self._numpy()

    def _numpy(self) -> None:
        """How NumPy takes errors, and how it prints."""
        for function in (np.geterr, np.get_printoptions) if self._prints else (np.geterr,):
            self._guard(f"what NumPy's {function.__name__} says", readers.said_by, function)

    def _instance(self, label: str, x: Any, where: Where | None) -> None:
        """An object of a class made by a class statement."""
        kind = type(x)
        for base in kind.__mro__:
            if base not in kinds.BASES and not is_made_in_python(base) and not (is_ours(base) and is_a(x, Handle)):
                raise Unknown(f"{label}, a {kind.__module__}.{kind.__qualname__},", where)
        self._class_of(label, x, where)
        self._attributes(label, x, where)
        for base in kind.__mro__:
            for slot, member in entries_of(base).items():
                if isinstance(member, types.MemberDescriptorType) and slot in self._names and not is_ours(base):
                    self._expect(f"{label}.{slot}", where, readers.slot_of, member, x)
        if is_a(x, tuple(kinds.CONTAINERS)):
            self._container(label, x, where)
        elif is_a(x, (int, float, complex, str, bytes)):
            self._guard(f"the value of {label}", readers.value_of_base, x)
            self.takes_numbers = False

    def _class_of(self, label: str, x: Any, where: Where | None) -> None:
        """What an object is."""
        label = f"the class of {label}"
        self._class(label, self._guard(label, readers.class_of, x), where, made=self._makes)

    def _scope(self, label: str, x: ModuleType, where: Where | None) -> None:
        """A module: the names that are read in it."""
        own, root = vars(x), x.__name__.partition(".")[0]
        is_library = root in kinds.OPAQUE
        if type(x) is not ModuleType and not is_library:
            raise Unknown(f"{label}, a module with a class of its own,", where)
        if x.__name__ == "numpy.random":
            raise Unknown(x.__name__, where)
        if root == "numpy":
            self._numpy()
        self._note_names(own)
        self._know(own)
        if not is_library and "__getattr__" in own:
            self._entry(f"{label}.__getattr__", where, own, "__getattr__")
        is_asked = self._probes or ("__getattr__" in own and not is_library)
        names = frozenset(self._names.keys() - own.keys() if is_asked else ())
        begun = self._made if is_library else self._begun
        if names or begun:
            self._guard(f"the names of {label}", readers.names_in, own, names, begun)
        for key in [*own] if "__dict__" in self._names and not is_library else sorted(self._names.keys() & own.keys()):
            self._entry(f"{label}.{key}", self._names.get(key, where), own, key)

    def _class(self, label: str, c: type, where: Where | None, *, made: bool = True) -> None:
        """A class: what code names of its attributes, and what Python itself calls. Objects may be ``made`` of it in
        the call where code names the class."""
        if id(c) in (self._is_made if made and not is_ours(c) else self.objects):
            return
        self._know(c)
        self._is_made |= {id(c)} if made else set()
        self.takes_numbers = self.takes_numbers and (c not in kinds.TYPES or c in kinds.TYPES_OF_NUMBERS)
        ours, is_numpy = [base for base in c.__mro__ if is_ours(base)], c.__module__.partition(".")[0] == "numpy"
        for base in ours:
            self._guard(f"the class {base.__name__}", readers.lasting, base)
        is_listed = issubclass(c, np.generic) or c.__name__ in kinds.NUMPY
        if c in kinds.TYPES or is_ours(c) or (is_numpy and is_listed):
            return
        if not is_made_in_python(c) or is_numpy:
            raise Unknown(f"{label}, the type {c.__module__}.{c.__qualname__},", where)
        if type(c) is not type and not is_ours(type(c)):
            self._class(f"the class of {label}", type(c), where, made=self._makes)
        self._guard(f"the bases of {label}", readers.bases_of, c)
        asked = self._asked.union(*map(vars, ours))  # our code may ask for what is ours: others may be in its place
        for attribute in kinds.FUNCTION_ATTRIBUTES[:4]:
            if attribute in self._names:
                self._guard(f"{label}.{attribute}", readers.attribute_of, c, attribute)
        for base in c.__mro__:
            if base in kinds.BASES or base in kinds.TYPES or is_ours(base):
                continue
            if not is_made_in_python(base):
                raise Unknown(f"{label}, made of the type {base.__module__}.{base.__qualname__},", where)
            self._note_names(entries := entries_of(base))
            self._guard(f"what {label} has", readers.members_of, base, asked, self._begun)
            if kinds.TO_PLAIN & {key for key, member in entries.items() if type(member) is FunctionType}:
                self.takes_numbers = False
            for key, member in [*entries.items()]:
                self._member(f"{label}.{key}", base, key, member, where, made, asked)

    def _member(
        self, label: str, c: type, key: str, x: Any, where: Where | None, made: bool, asked: frozenset[str]
    ) -> None:
        """An attribute of a class, if it matters."""
        named = key in self._names or "__dict__" in self._names
        where = self._names.get(key, where)
        if key in ("__dict__", "__weakref__", "__class__") or (key in _MAKING and not made):
            return
        if readers.is_place_of_class(c, key, x):
            if named:
                self._expect(label, where, readers.number_of_class, c, key)
            return
        if key == "__match_args__" and named and type(x) is tuple:
            self._more |= {name for name in x if type(name) is str}
        is_asked = key in asked or (
            is_special(key) and (callable(x) or any("__get__" in entries_of(b) for b in type(x).__mro__))
        )
        ran = not self._is_static and any(f.__code__ in self._uses for f in functions_of(x))
        if named or is_asked or ran:
            self._visit(label, x, where)

    # --- what nbgrad knows by itself

    def _module(self, label: str, x: Module, where: Where | None) -> None:
        own = readers.own_of.read(x)
        self._class_of(label, x, where)
        for key in _REGISTRIES:
            self._know(own[key])  # whatever its length
            self._entry(f"{label}.{key}", where, own, key)
            self._items(label, own[key], where)
        reads_all = any(is_ours(base) and base.__module__ not in _BARE for base in type(x).__mro__)
        others = own.keys() - {*_REGISTRIES, "_unsaved_buffers"} if reads_all else ["training", "_hooks"]
        self._attributes(label, x, where, others)

    def _hooks(self, label: str, x: Hooks, where: Where | None) -> None:
        for kind, table in x.tables.items():
            self._visit(f"{label} ({kind})", table, where)

    def _optimizer(self, label: str, x: Optimizer, where: Where | None) -> None:
        own = readers.own_of.read(x)
        self._class_of(label, x, where)
        groups, states = own["param_groups"], own["state"]
        is_users = type(x)._form is Optimizer._form  # then its step is code of the user's, like any
        for part in (groups, states, *groups, *[group["params"] for group in groups], *states.values()):
            self._know(part)  # of these only what follows matters
        self._attributes(label, x, where, ["param_groups", "state", "_hooks"])
        self._items(f"{label}.param_groups", groups, where)
        for k, group in enumerate(groups):
            label_k = f"{label}.param_groups[{k}]"
            self._entry(f"{label_k}['params']", where, group, "params")
            self._items(f"{label_k}['params']", group["params"], where)
            if not is_users:
                form = [key for key in group if key not in ("params", "lr", "initial_lr", *IDLE)]
                self._guard(f"the options of {label_k}", readers.options_of, x, group, *form)
            if is_users or _OPTIONS & self._names.keys():
                self._items(label_k, group, where)
        self._items(f"{label}.state", states, where)
        counts = {"state", "state_dict"} & self._names.keys()
        for state in states.values():
            self._guard(f"{label}.state[...]", readers.keys_of, state)
            for key, item in [*state.items()]:
                if counts or is_users or isinstance(item, Handle):  # numbers count at each call
                    reader = readers.part_of if is_users or isinstance(item, Handle) else readers.part_that_counts
                    self._expect(f"{label}.state[...][{key!r}]", where, reader, state, key)

    def _scheduler(self, label: str, x: LRScheduler, where: Where | None) -> None:
        """One that is only stepped, and asked for its rates, goes on at each call; what else is read of it is looked at
        like any attribute."""
        own = readers.own_of.read(x)
        self._class_of(label, x, where)
        if self._names.keys() & ((own.keys() | vars(LRScheduler).keys()) - _STEPPED):
            rates = {"_last_lr"} if "state_dict" not in self._names else set()
            self._attributes(label, x, where, own.keys() - rates)
        self._visit(f"{label}.optimizer", x.optimizer, where)

    def _distribution(self, label: str, x: Any, where: Where | None) -> None:
        """A distribution, a transform or a set of values: our code may read all that it has but what is kept of it."""
        self._class_of(label, x, where)
        self._attributes(label, x, where, readers.own_of.read(x).keys() - _KEPT)


_Visit = Callable[[CapturedState, str, Any, Where | None], None]
_VISITS: Final[dict[type, _Visit]] = {
    **dict.fromkeys((*kinds.DESCRIPTORS, Generator, DType, Device, Native), CapturedState._nothing),
    Handle: CapturedState._tensor,
    Module: CapturedState._module,
    Hooks: CapturedState._hooks,
    Optimizer: CapturedState._optimizer,
    LRScheduler: CapturedState._scheduler,
    FunctionType: CapturedState._function,
    types.BuiltinFunctionType: CapturedState._builtin,
    types.MethodWrapperType: CapturedState._builtin,
    functools._lru_cache_wrapper: CapturedState._cached,
    ModuleType: CapturedState._scope,
    ScalarFunction: CapturedState._scalar_function,
    **dict.fromkeys(kinds.PARTS, CapturedState._parts),
    GivenAttributes: CapturedState._given,
    **dict.fromkeys(kinds.CONTAINERS, CapturedState._container),
    **dict.fromkeys(kinds.DATA, CapturedState._data),
}
_WITH_SUBCLASSES: Final = _VISITS.keys() - kinds.PARTS.keys() - kinds.CONTAINERS - kinds.DATA
_CONSTANT: Final = (kinds.VALUES - {slice}) | kinds.HELD | {Number}  # which a recording has put there for a while
_OF_TENSORS: Final = frozenset(dir(Parameter))  # our code may ask for these: a tensor may have others in their place
_DISTRIBUTIONS: Final = "nbgrad.distributions."  # a room that is not read for the sake of its classes
_KEPT: Final = frozenset(["_inverse_kept", "_cached"])  # by a transform
_BARE: Final = ("nbgrad.nn.module", "nbgrad.nn.registry")  # classes without attributes of their own


def _shown(key: Any) -> str:
    return f"{key!r:.20}" if type(key) in kinds.VALUES else "..."

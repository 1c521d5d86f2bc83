"""How values lie in memory while a function is differentiated: Numba's data models with others for floats.

Numba types a function as ever; a float64 is only *laid out* differently, everywhere the data model reaches: scalars,
array items, complex numbers, tuples, lists. Three layouts are used:

- ``TAPED``: the value and its place on the tape (0 where nothing was recorded);
- ``FORWARD``: the value and its derivative along a direction, the tangent;
- ``SECOND``: both of ``FORWARD``, and the place.

The world is closed: a type that is not in ``KNOWN`` has no layout, and is refused where it is met.

Gradients of the user's `@njit` functions are a second lowering (`numba/differentiate/`). Numba types the function as
ever; a data model of ours makes a float a value and its place on a tape (`numba/differentiate/layout.py`), in scalars,
arrays and containers alike, and each operation on floats computes by Numba's own lowering and records its partial
derivatives (`numba/differentiate/operations.py`). A transformation of LLVM text would have to find the floats again in
copies, vectors and words, and to shadow memory. A record is a call without effects while LLVM optimises; then those
that run one after the other become one entry (`numba/differentiate/groups.py`), whose code for both ways is written for
it (`numba/differentiate/entries.py`): places and slopes are kept once, and cotangents that only these operations see
stay in registers. Of a loop that writes one entry a round, these become one, a run, as far as they are alike: in LU
factors in place 8 bytes for a round instead of 32. What may touch a float is a list (`numba/differentiate/gate.py`):
the unknown is refused, at the user's line. What NumPy leaves to BLAS and LAPACK is a step of the tape
(`numba/differentiate/steps.py`): the value by Numba's own function, the cotangents by an adjoint rule
(`numba/differentiate/matrices.py`), whose tangents make it one of second order. As loops that record, a system of 100
equations took 42 times the primal's time, as a step 3.
"""

from __future__ import annotations

from collections import ChainMap
from typing import Any, Final

from numba import types

from nbgrad.kernels.numba_target import DataModelManager, default_manager, models
from nbgrad.numba.differentiate.refusal import refuse


class Raw(types.Opaque):  # type: ignore[misc]
    """The value of a float alone."""

    def __init__(self, of: Any) -> None:
        super().__init__(f"raw {of}")
        self.of = of


class Dual(types.Opaque):  # type: ignore[misc]
    """A float and its tangent."""

    def __init__(self, of: Any) -> None:
        super().__init__(f"dual {of}")
        self.of = of


def _raw_model(manager: Any, kind: Any) -> Any:
    return models.PrimitiveModel(manager, kind, default_manager[kind.of].get_value_type())


def _taped_model(manager: Any, kind: Any) -> Any:
    return models.StructModel(manager, kind, [("value", Raw(_sized(kind))), ("place", types.int64)])


def _forward_model(manager: Any, kind: Any) -> Any:
    return models.StructModel(manager, kind, [("value", Raw(_sized(kind))), ("tangent", Raw(kind))])


def _dual_model(manager: Any, kind: Any) -> Any:
    return models.StructModel(manager, kind, [("value", Raw(kind.of)), ("tangent", Raw(kind.of))])


def _second_model(manager: Any, kind: Any) -> Any:
    return models.StructModel(manager, kind, [("value", Dual(_sized(kind))), ("place", types.int64)])


def _sized(kind: Any) -> Any:
    return kind if kind.bitwidth in (32, 64) else refuse(f"{kind} has no derivatives here", "use float64 or float32")


_NUMBERS: Final = (types.Integer, types.IntegerLiteral, types.Boolean, types.BooleanLiteral, types.Float, types.Complex)
_CONTAINERS: Final = (
    types.Array,
    types.Tuple,
    types.UniTuple,
    types.NamedTuple,
    types.NamedUniTuple,
    types.StarArgTuple,
    types.StarArgUniTuple,
    types.List,
    types.ListPayload,
    types.ListType,
    types.DictType,
    types.LiteralList,
    types.Optional,
    types.Pair,
)
_ITERATORS: Final = (
    types.ArrayIterator,
    types.EnumerateType,
    types.Generator,
    types.ListIter,
    types.ListTypeIterableType,
    types.ListTypeIteratorType,
    types.DictItemsIterableType,
    types.DictIteratorType,
    types.DictKeysIterableType,
    types.DictValuesIterableType,
    types.NumpyFlatType,
    types.NumpyNdEnumerateType,
    types.NumpyNdIndexType,
    types.NumpyNdIterType,
    types.RangeIteratorType,
    types.RangeType,
    types.UniTupleIter,
    types.ZipType,
)
# Of what has no floats in it: Numba would compare and hash them, which a place has no part in.
_SETS: Final = (types.Set, types.SetEntry, types.SetPayload, types.SetIter)
_WITHOUT_NUMBERS: Final = (
    types.BoundFunction,
    types.ContextManager,
    types.DType,
    types.Dispatcher,
    types.Dummy,
    types.EllipsisType,
    types.EnumClass,
    types.EnumMember,
    types.ExceptionClass,
    types.ExceptionInstance,
    types.Function,
    types.IntEnumClass,
    types.IntEnumMember,
    types.MakeFunctionLiteral,
    types.MemInfoPointer,
    types.Module,
    types.NamedTupleClass,
    types.NoneType,
    types.NumberClass,
    types.Opaque,
    types.Omitted,
    types.Phantom,
    types.Poison,
    types.PyObject,
    types.RawPointer,
    types.RecursiveCall,
    types.SliceType,
    types.StringLiteral,
    types.TypeRef,
    types.UndefVar,
    types.UnicodeType,
    types.UnicodeIteratorType,
    types.misc.SliceLiteral,
)
# Fields of the models above. No function may have them as arguments, see gate.py.
POINTERS: Final = (types.CPointer, types.EphemeralPointer, types.EphemeralArray)
KNOWN: Final = frozenset((*_NUMBERS, *_CONTAINERS, *_ITERATORS, *_WITHOUT_NUMBERS, *_SETS, *POINTERS, Raw, Dual))


class _Layouts(DataModelManager):  # type: ignore[misc]
    """Numba's data models of the types in ``KNOWN``, of floats ours."""

    def __init__(self, float_model: Any) -> None:
        ours = {types.Float: float_model, Raw: _raw_model, Dual: _dual_model}
        super().__init__(ChainMap(ours, default_manager._handlers))  # Numba's later registrations stay visible
        self._models: dict[Any, Any] = {}

    def lookup(self, kind: Any) -> Any:
        if kind not in self._models:
            self._models[kind] = self._understood(kind)
        return self._models[kind]

    def _understood(self, kind: Any) -> Any:
        if type(kind) not in KNOWN:
            refuse(f"a value of type {kind} ({type(kind).__name__})", "use numbers, arrays, tuples and lists of them")
        if isinstance(kind, types.Array) and not isinstance(kind.dtype, _NUMBERS):
            refuse(f"an array of {kind.dtype}", "use arrays of numbers")
        if isinstance(kind, _SETS) and is_active(kind):
            refuse(f"a value of type {kind}", "use an array or a list")
        if isinstance(kind, (types.EnumClass, types.EnumMember)) and is_active(kind.dtype):
            refuse(f"a value of type {kind}, whose members are floats", "use global numbers")
        if isinstance(kind, types.DictType) and is_active(kind.key_type):
            refuse(f"a value of type {kind}, by keys with floats", "use whole numbers for keys")
        return super().lookup(kind)


TAPED: Final = _Layouts(_taped_model)
FORWARD: Final = _Layouts(_forward_model)
SECOND: Final = _Layouts(_second_model)


def is_active(kind: Any) -> bool:
    """Whether values of a type have floats in them, and so another layout. Of an unknown type it is assumed."""
    kind = types.unliteral(kind)
    if isinstance(kind, (types.Float, types.Complex)):
        return True
    if isinstance(kind, types.BaseTuple):
        return any(map(is_active, kind))
    if isinstance(kind, (types.Array, types.CPointer, types.List, types.Set)):
        return is_active(kind.dtype)
    if isinstance(kind, (types.ListPayload, types.ListIter, types.SetEntry, types.SetPayload, types.SetIter)):
        return is_active(kind.set_type if isinstance(kind, types.SetEntry) else kind.container)
    if isinstance(kind, types.Optional):
        return is_active(kind.type)
    if isinstance(kind, types.BoundFunction):
        return is_active(kind.this)
    return not isinstance(kind, (*_WITHOUT_NUMBERS, types.Integer, types.Boolean, types.RangeType)) or isinstance(
        kind, types.Omitted
    )


def is_float(kind: Any) -> bool:
    return isinstance(kind, types.Float)

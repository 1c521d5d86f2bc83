"""What Numba has to know to compile functions over records. For builds alone."""

from __future__ import annotations

import ctypes
import operator
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    overload_method,
    register_jitable,
    register_model,
    type_callable,
    typeof_impl,
)

from nbgrad.kernels import pointers
from nbgrad.kernels.njit import COMPILED
from nbgrad.kernels.numba_target import AttributeTemplate
from nbgrad.kernels.numba_text import text_of
from nbgrad.kernels.records import Atomic

_WORD: Final = ir.IntType(64)
_WORDS: Final = _WORD.as_pointer()
_BYTES: Final = ir.IntType(8).as_pointer()


class At(types.Type):
    """The address of a record."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(f"{type(self).__name__}({kind.__module__}.{kind.__qualname__})")


class FirstOf(At):
    """The address of the first of many records or words."""


class Kind(types.Dummy):
    """A class of records, or of arrays of them."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(f"Kind({kind.__module__}.{kind.__qualname__})")


register_model(Kind)(models.OpaqueModel)


@register_model(At)
@register_model(FirstOf)
class _Address(models.PrimitiveModel):
    def __init__(self, manager: Any, at: At) -> None:
        super().__init__(manager, at, _WORD)


@typeof_impl.register(type(ctypes.Structure))
@typeof_impl.register(type(ctypes.Array))
def _type_of(kind: Any, _: Any) -> Kind:
    return Kind(kind)


# Numbers beside words, of which Numba has pointers itself.
_NUMBERS: Final = {ctypes.c_int32: types.int32, ctypes.c_float: types.float32, ctypes.c_double: types.float64}


def _type_in_memory(kind: Any) -> types.Type:
    if kind is ctypes.c_int64:
        return types.int64
    if issubclass(kind, ctypes._Pointer) and kind._type_ in _NUMBERS:
        return types.CPointer(_NUMBERS[kind._type_])
    return FirstOf(kind._type_) if hasattr(kind, "_type_") else At(kind)


def _read(context: Any, b: Any, kind: Any, words: Any, k: Any) -> Any:
    """What is ``k`` words on: a word, the address that stands there, or where it is."""
    place, held = b.gep(words, [k]), _type_in_memory(kind)
    if isinstance(held, types.CPointer):
        return b.inttoptr(b.load(place), context.get_value_type(held))
    is_word = kind is ctypes.c_int64 or issubclass(kind, ctypes._Pointer)
    return b.load(place) if is_word else b.ptrtoint(place, _WORD)


def _field(record: Any, name: str) -> tuple[Any, Any]:
    """What a field holds, and where it is, in words."""
    held = {field: kind for base in record.__mro__ for field, kind in vars(base).get("_fields_", ())}
    return held[name], ir.Constant(_WORD, getattr(record, name).offset // 8)


@infer_getattr
class _Fields(AttributeTemplate):
    key = At

    def generic_resolve(self, at: At, name: str) -> types.Type | None:
        is_field = hasattr(getattr(at.kind, name, None), "offset")
        return _type_in_memory(_field(at.kind, name)[0]) if is_field else None


@lower_getattr_generic(At)
def _get(context: Any, b: Any, at: At, address: Any, name: str) -> Any:
    kind, k = _field(at.kind, name)
    return _read(context, b, kind, b.inttoptr(address, _WORDS), k)


@lower_setattr_generic(At)
def _set(_: Any, b: Any, signature: Any, values: Any, name: str) -> None:
    _, k = _field(signature.args[0].kind, name)
    b.store(values[1], b.gep(b.inttoptr(values[0], _WORDS), [k]))


@intrinsic
def _item(_: Any, first: Any, k: Any) -> Any:
    words = ctypes.sizeof(first.kind) // 8

    def emit(context: Any, b: Any, signature: Any, values: Any) -> Any:
        at = b.mul(values[1], ir.Constant(_WORD, words))
        return _read(context, b, first.kind, b.inttoptr(values[0], _WORDS), at)

    return _type_in_memory(first.kind)(first, types.int64), emit


@intrinsic
def _set_item(_: Any, first: Any, k: Any, value: Any) -> Any:
    def emit(context: Any, b: Any, signature: Any, values: Any) -> Any:
        b.store(values[2], b.gep(b.inttoptr(values[0], _WORDS), [values[1]]))
        return context.get_dummy_value()

    return types.none(first, types.int64, types.int64), emit


# Numba wants the same parameters, without annotations, of what types a call and of what it stands for.
overload(operator.getitem)(lambda first, k: (lambda first, k: _item(first, k)) if isinstance(first, FirstOf) else None)
overload(operator.setitem)(
    lambda first, k, value: (lambda first, k, value: _set_item(first, k, value)) if isinstance(first, FirstOf) else None
)


@intrinsic
def _from(_: Any, kind: Any, address: Any) -> Any:
    return _type_in_memory(kind.kind)(kind, types.int64), lambda _, b, signature, values: values[1]


overload_method(Kind, "from_address")(lambda kind, address: lambda kind, address: _from(kind, address))


def defined(function: Any, result: Callable[..., Any], *kinds: Any) -> Callable[..., Any]:
    """Decorates what writes the LLVM of calls with arguments of ``kinds``; ``result`` gives the type of a result."""
    type_callable(function)(lambda _: result)
    return lower_builtin(function, *kinds)  # type: ignore[no-any-return]


@defined(ctypes.addressof, lambda at: types.int64, At)
def _addressof(_: Any, b: Any, signature: Any, values: Any) -> Any:
    return values[0]


@defined(pointers.item_bytes, lambda first: types.int64, types.Any)
def _item_bytes(context: Any, b: Any, signature: Any, values: Any) -> Any:
    [first] = signature.args
    nbytes = ctypes.sizeof(first.kind) if isinstance(first, FirstOf) else first.dtype.bitwidth // 8
    return ir.Constant(_WORD, nbytes)


@defined(pointers.beyond, lambda first, k: first, types.CPointer, types.int64)
def _beyond_numbers(_: Any, b: Any, signature: Any, values: Any) -> Any:
    return b.gep(values[0], [values[1]])


@lower_builtin(pointers.beyond, FirstOf, types.int64)
def _beyond(_: Any, b: Any, signature: Any, values: Any) -> Any:
    return b.add(values[0], b.mul(values[1], ir.Constant(_WORD, ctypes.sizeof(signature.args[0].kind))))


@defined(pointers.shifted, lambda first, nbytes: first, types.CPointer, types.int64)
def _shifted(_: Any, b: Any, signature: Any, values: Any) -> Any:
    return b.bitcast(b.gep(b.bitcast(values[0], _BYTES), [values[1]]), values[0].type)


@defined(pointers.as_int32, lambda first: types.CPointer(types.int32), types.CPointer)
def _as_int32(context: Any, b: Any, signature: Any, values: Any) -> Any:
    return b.bitcast(values[0], context.get_value_type(signature.return_type))


@defined(pointers.number, lambda first, value: first.dtype, types.CPointer, types.float64)
def _number(context: Any, b: Any, signature: Any, values: Any) -> Any:
    return context.cast(b, values[1], types.float64, signature.return_type)


@defined(pointers.quotient, lambda a, b: types.int64, types.Integer, types.Integer)
def _quotient(_: Any, b: Any, signature: Any, values: Any) -> Any:
    return b.udiv(*values)


@defined(pointers.room, lambda kind: _type_in_memory(ctypes.POINTER(kind.kind._type_)), Kind)
def _room(context: Any, b: Any, signature: Any, values: Any) -> Any:
    with b.goto_entry_block():
        place = b.alloca(_WORD, ctypes.sizeof(signature.args[0].kind) // 8)
    kind = context.get_value_type(signature.return_type)
    return b.ptrtoint(place, kind) if kind == _WORD else b.bitcast(place, kind)


@intrinsic
def _call(_: Any, routine: Any, arguments: Any) -> Any:
    def emit(context: Any, b: Any, signature: Any, values: Any) -> Any:
        given = [b.extract_value(values[1], k) for k in range(len(arguments))]
        given = [b.inttoptr(x, _BYTES) if x.type == _WORD else b.bitcast(x, _BYTES) for x in given]
        kind = ir.FunctionType(ir.VoidType(), [_BYTES] * len(given))
        b.call(b.inttoptr(values[0], kind.as_pointer()), given)
        return context.get_dummy_value()

    return types.none(types.int64, arguments), emit


overload(pointers.call)(lambda routine, *arguments: lambda routine, *arguments: _call(routine, arguments))


@defined(pointers.gave, lambda routine: types.int64, types.int64)
def _gave(_: Any, b: Any, signature: Any, values: Any) -> Any:
    kind = ir.FunctionType(ir.IntType(32), [])
    return b.sext(b.call(b.inttoptr(values[0], kind.as_pointer()), []), _WORD)


@intrinsic
def _called(_: Any, routine: Any, arguments: Any) -> Any:
    def emit(context: Any, b: Any, signature: Any, values: Any) -> Any:
        given = [
            context.cast(b, b.extract_value(values[1], k), kind, types.float64) for k, kind in enumerate(arguments)
        ]
        kind = ir.FunctionType(ir.DoubleType(), [*[ir.DoubleType()] * len(given), ir.IntType(32)])
        return b.call(b.inttoptr(values[0], kind.as_pointer()), [*given, ir.Constant(ir.IntType(32), 0)])

    return types.float64(types.int64, arguments), emit


overload(pointers.called)(lambda routine, *arguments: lambda routine, *arguments: _called(routine, arguments))


@defined(pointers.called_for_four, lambda routine, x, found: types.none, types.int64, types.Float, types.CPointer)
def _called_for_four(context: Any, b: Any, signature: Any, values: Any) -> Any:
    [_, kind, _], [routine, x, found] = signature.args, values
    places = [b.gep(found, [_WORD(k)]) for k in range(4)]
    function = ir.FunctionType(ir.VoidType(), [ir.DoubleType(), *[found.type] * 4])
    b.call(b.inttoptr(routine, function.as_pointer()), [context.cast(b, x, kind, types.float64), *places])
    return context.get_dummy_value()


@intrinsic
def _load(_: Any, at: Any) -> Any:
    return types.int64(at), lambda _, b, signature, values: b.load_atomic(b.inttoptr(values[0], _WORDS), "seq_cst", 8)


overload_method(At, "load")(lambda at: (lambda at: _load(at)) if issubclass(at.kind, Atomic) else None)


def _exchange(name: str, operation: str) -> None:
    @intrinsic
    def exchange(_: Any, at: Any, value: Any) -> Any:
        def emit(_: Any, b: Any, signature: Any, values: Any) -> Any:
            return b.atomic_rmw(operation, b.inttoptr(values[0], _WORDS), values[1], "seq_cst")

        return types.int64(at, types.int64), emit

    overload_method(At, name)(
        lambda at, value: (lambda at, value: exchange(at, value)) if issubclass(at.kind, Atomic) else None
    )


for _name, _operation in (("store", "xchg"), ("add", "add"), ("lower", "min"), ("swap", "xchg")):
    _exchange(_name, _operation)


def compiled_text(functions: Mapping[str, tuple[Callable[..., Any], Any]], *, inlined: bool = False) -> str:
    """The LLVM text of C functions: for each name what it does, and its Numba signature. They may call what is marked
    ``@njit`` in modules that were imported before, which is ``inlined`` or not."""
    while COMPILED:
        register_jitable(error_model="numpy")(COMPILED.pop())
    return text_of(functions, inlined=inlined)


def write_text(path: str, folder: str, text: str) -> None:
    """Write a text that comes with the package where it lies, or into ``folder`` if one is given."""
    with open(os.path.join(folder, os.path.basename(path)) if folder else path, "w", encoding="utf-8") as file:
        file.write(text)

"""The targets of the second lowering: Numba's CPU target with other values for floats.

``Taped`` records, ``Forward`` carries tangents, ``Second`` records what ``Forward`` computes. Each knows its *inner*
target, in which the bare values and partial derivatives of its operations are computed.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import numpy as np
from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_linking import linked_codegen
from nbgrad.kernels.numba_target import CPUContext, callconv, registry, typing
from nbgrad.numba.differentiate import gate
from nbgrad.numba.differentiate.arrays import ZeroedMemory
from nbgrad.numba.differentiate.convention import TapeConvention
from nbgrad.numba.differentiate.layout import FORWARD, SECOND, TAPED, is_active, is_float
from nbgrad.numba.differentiate.memory import WORD
from nbgrad.numba.differentiate.recording import as_double, is_nowhere, recorded
from nbgrad.numba.differentiate.refusal import refuse


class Boxing(CPUContext):  # type: ignore[misc]
    """For Python objects of numbers: Numba sets no environment of code that is linked to its caller's."""

    def get_env_manager(self, builder: Any, return_pyobject: bool = False) -> None:
        return None


class ActiveContext(CPUContext):  # type: ignore[misc]
    """What the three have in common. A float is a struct whose first field is what the inner target has for it."""

    layouts: ClassVar[Any]
    has_tangents: ClassVar[bool] = False  # whether a bare float is one of ``Forward``'s
    inner_kind: ClassVar[Any] = CPUContext
    item_fields: ClassVar[list[tuple[str, str]]]  # of an array's item, behind the value; "" as the value

    @classmethod
    def refreshed(cls) -> Any:
        """The target outside of any function, with what Numba has registered until now."""
        registry.cpu_target.typing_context.refresh()
        registry.cpu_target.target_context.refresh()
        return context_of(cls)

    # ---- the world that is left to Numba

    @property
    def enable_boundscheck(self) -> bool:
        """Always: what lies beyond an array has no place, and the sweep writes at places."""
        return True

    @property
    def nrt(self) -> Any:
        return ZeroedMemory(self, self.enable_nrt)

    def subtarget(self, **options: Any) -> Any:
        made = super().subtarget(**options)
        made.__dict__.pop("nrt", None)
        return made

    def inner(self) -> Any:
        """The inner target, in the midst of the same function."""
        return self._as(self.inner_kind)

    def inner_base(self) -> Any:
        """The inner target outside of any function."""
        return context_of(self.inner_kind)

    def plain(self) -> Any:
        return self._as(CPUContext)

    def boxing(self) -> Any:
        return self._as(Boxing)

    def plain_base(self) -> Any:
        return context_of(CPUContext)

    def _as(self, kind: Any) -> Any:
        made, base = copy.copy(self), context_of(kind)
        made.__class__, made.data_model_manager = kind, base.data_model_manager
        made.cached_internal_func = base.cached_internal_func
        made.__dict__.pop("nrt", None)
        return made

    # ---- numbers

    def nowhere(self, kind: Any) -> Any:
        raise NotImplementedError

    def with_place(self, builder: Any, kind: Any, bare: Any, operands: Sequence[tuple[Any, Any]]) -> Any:
        """The float ``bare`` as the result of operands: what they have beside the value, and the partial
        derivatives."""
        raise NotImplementedError

    def with_places(self, builder: Any, kind: Any, bare: Any, operands: Sequence[Any]) -> Any:
        """The complex number ``bare``, of whose parts each has operands."""
        real = kind.underlying_float
        parts = self.inner_parts(builder, kind, bare)
        made = self.make_complex(builder, kind)
        made.real = self.with_place(builder, real, parts[0], operands[0])
        made.imag = self.with_place(builder, real, parts[1], operands[1])
        return made._getvalue()

    def inner_parts(self, builder: Any, kind: Any, bare: Any) -> list[Any]:
        """Real and imaginary part of a bare complex number; of a real one, that and 0."""
        if not isinstance(kind, types.Complex):
            return [bare, self.inner().get_constant(kind, 0.0)]
        return [builder.extract_value(bare, k) for k in range(2)]

    def inner_negative(self, builder: Any, kind: Any, part: Any) -> Any:
        real = kind.underlying_float if isinstance(kind, types.Complex) else kind
        return self.inner().get_function(operator.neg, typing.signature(real, real))(builder, [part])

    def bare_lifted(self, builder: Any, kind: Any, bare: Any, beside: Any) -> Any:
        made = ir.Constant(self.get_value_type(kind), ir.Undefined)
        return builder.insert_value(builder.insert_value(made, bare, 0), beside, 1)

    def lift(self, builder: Any, kind: Any, bare: Any) -> Any:
        """A bare number as one that depends on nothing."""
        if is_float(kind):
            return self.bare_lifted(builder, kind, bare, self.nowhere(kind))
        if isinstance(kind, types.Complex):
            return self.with_places(builder, kind, bare, [[], []])
        return bare

    def strip(self, builder: Any, kind: Any, x: Any) -> Any:
        """The bare number."""
        if not isinstance(x, ir.Value):
            return x
        if is_float(kind):
            return builder.extract_value(x, 0)
        if isinstance(kind, types.Complex):
            made = ir.Constant(self.inner().get_value_type(kind), ir.Undefined)
            for k in range(2):
                made = builder.insert_value(made, builder.extract_value(builder.extract_value(x, k), 0), k)
            return made
        return x

    def value(self, builder: Any, kind: Any, x: Any) -> Any:
        """The number as plain code has it."""
        bare, inner = self.strip(builder, kind, x), self.inner()
        return inner.value(builder, kind, bare) if isinstance(inner, ActiveContext) else bare

    def place(self, builder: Any, kind: Any, x: Any) -> Any:
        """What a float has beside its value; ``nowhere`` of any other number, and of a constant."""
        if not is_float(kind) or isinstance(x, ir.Constant) or not isinstance(x, ir.Value):
            return WORD(0)
        return builder.extract_value(x, 1)

    def places(self, builder: Any, kind: Any, x: Any) -> list[Any]:
        """The same of a complex number's parts."""
        if isinstance(kind, types.Complex) and isinstance(x, ir.Value) and not isinstance(x, ir.Constant):
            return [builder.extract_value(builder.extract_value(x, k), 1) for k in range(2)]
        return [self.place(builder, kind, x)]

    # ---- hooks of Numba's lowering

    def get_constant(self, ty: Any, val: Any) -> Any:
        if is_float(ty):
            return ir.Constant.literal_struct([self.inner().get_constant(ty, val), self.nowhere(ty)])
        return super().get_constant(ty, val)

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        if is_float(ty):
            return ir.Constant.literal_struct([self.inner().get_constant_generic(builder, ty, val), self.nowhere(ty)])
        if isinstance(ty, types.Complex):
            real = ty.underlying_float
            parts = [self.get_constant_generic(builder, real, part) for part in (complex(val).real, complex(val).imag)]
            return ir.Constant.literal_struct(parts)
        if is_active(ty) and not isinstance(ty, (types.Array, types.BaseTuple, types.Omitted, types.BoundFunction)):
            refuse(f"a global of type {ty}", "use numbers, arrays and tuples of them")
        return super().get_constant_generic(builder, ty, val)

    def make_constant_array(self, builder: Any, typ: Any, ary: Any) -> Any:
        if is_float(typ.dtype) or isinstance(typ.dtype, types.Complex):
            if typ.layout not in "CF" or ary.nbytes > _FROZEN_BYTES:
                refuse("a global array of more than 1 MB, or of strides, which is no constant", "make it an argument")
            ary = self._laid_out(ary, typ.layout)
        return super().make_constant_array(builder, typ, ary)

    def _laid_out(self, ary: Any, order: Any) -> Any:
        parts = [("real", ary.real), ("imag", ary.imag)] if ary.dtype.kind == "c" else [("real", ary)]
        like = parts[0][1].dtype
        item = np.dtype([("value", like), *[(name, kind or like) for name, kind in self.item_fields]], align=True)
        made = np.zeros(ary.shape, np.dtype([(name, item) for name, _ in parts]), order=order)
        for name, part in parts:
            made[name]["value"] = part
        _kept.append(made)
        return made

    def cast(self, builder: Any, val: Any, fromty: Any, toty: Any) -> Any:
        if fromty == toty or fromty is types._undef_var or not isinstance(fromty, (types.Number, types.Boolean)):
            return super().cast(builder, val, fromty, toty)
        if isinstance(fromty, types.Complex) or isinstance(toty, types.Complex):
            return self._cast_complex(builder, val, fromty, toty)
        if is_float(toty):
            bare = self.inner().cast(builder, self.strip(builder, fromty, val), fromty, toty)
            if not is_float(fromty):
                return self.lift(builder, toty, bare)
            return self._cast_float(builder, val, bare, fromty, toty)
        if is_float(fromty) and isinstance(toty, (types.Integer, types.Boolean)):
            return self.inner().cast(builder, self.strip(builder, fromty, val), fromty, toty)
        return super().cast(builder, val, fromty, toty)

    def _cast_float(self, builder: Any, val: Any, bare: Any, fromty: Any, toty: Any) -> Any:
        beside = self.place(builder, fromty, val)
        return self.bare_lifted(builder, toty, bare, self.nowhere(toty) if is_nowhere(beside) else beside)

    def _cast_complex(self, builder: Any, val: Any, fromty: Any, toty: Any) -> Any:
        if not isinstance(toty, types.Complex):
            return super().cast(builder, val, fromty, toty)
        made, real = self.make_complex(builder, toty), toty.underlying_float
        if isinstance(fromty, types.Complex):
            given = self.make_complex(builder, fromty, value=val)
            made.real = self.cast(builder, given.real, fromty.underlying_float, real)
            made.imag = self.cast(builder, given.imag, fromty.underlying_float, real)
        else:
            made.real = self.cast(builder, val, fromty, real)
            made.imag = self.get_constant_generic(builder, real, 0.0)
        return made._getvalue()

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        usual = functools.partial(super().get_function, fn, sig.as_function(), _firstcall)
        return gate.function(self, fn, sig.as_function(), usual)

    def get_ufunc_info(self, ufunc_key: Any) -> Any:
        return gate.UfuncTable(ufunc_key, super().get_ufunc_info(ufunc_key))

    def get_getattr(self, typ: Any, attr: str) -> Any:
        return gate.attribute(typ, attr, super().get_getattr(typ, attr))

    def get_setattr(self, attr: str, sig: Any) -> Any:
        return refuse(f"setting the attribute {attr}", "make a new value")

    def call_function_pointer(self, *args: Any, **options: Any) -> Any:
        return refuse("a call through a function's address", "call the function itself")

    def declare_external_function(self, module: Any, fndesc: Any) -> Any:
        return refuse(f"a call of the external function {fndesc.mangled_name}", "write it as an @njit function")

    def call_unresolved(self, builder: Any, name: str, sig: Any, args: Any) -> Any:
        return refuse("functions that call each other", "write a loop, or one function that calls itself")


class Taped(ActiveContext):
    layouts = TAPED
    item_fields: ClassVar[list[tuple[str, str]]] = [("place", "i8")]

    @property
    def call_conv(self) -> Any:
        return TapeConvention(self)

    def nowhere(self, kind: Any) -> Any:
        return WORD(0)

    def with_place(self, builder: Any, kind: Any, bare: Any, operands: Sequence[tuple[Any, Any]]) -> Any:
        place = recorded(self, builder, [(place, partial, None) for place, partial in operands])
        return self.bare_lifted(builder, kind, bare, place)


class Forward(ActiveContext):
    layouts = FORWARD
    item_fields: ClassVar[list[tuple[str, str]]] = [("tangent", "")]

    @property
    def call_conv(self) -> Any:
        return callconv.CPUCallConv(self)

    def nowhere(self, kind: Any) -> Any:
        return self.plain().get_constant(kind, 0.0)

    def with_place(self, builder: Any, kind: Any, bare: Any, operands: Sequence[tuple[Any, Any]]) -> Any:
        total = None
        for tangent, partial in operands:
            if is_nowhere(tangent):
                continue
            along = _like(builder, tangent, bare)
            none = along.type(0.0)  # passes nothing on, not even a slope that is NaN
            term = builder.fmul(along, _like(builder, partial, bare))
            term = builder.select(builder.fcmp_ordered("==", along, none), none, term)
            total = term if total is None else builder.fadd(total, term)
        return self.bare_lifted(builder, kind, bare, self.nowhere(kind) if total is None else total)

    def _cast_float(self, builder: Any, val: Any, bare: Any, fromty: Any, toty: Any) -> Any:
        tangent = self.place(builder, fromty, val)
        beside = self.nowhere(toty) if is_nowhere(tangent) else _like(builder, tangent, bare)
        return self.bare_lifted(builder, toty, bare, beside)


class Second(ActiveContext):
    layouts = SECOND
    inner_kind = Forward
    has_tangents = True
    item_fields: ClassVar[list[tuple[str, str]]] = [("tangent", ""), ("place", "i8")]

    @property
    def call_conv(self) -> Any:
        return TapeConvention(self)

    def nowhere(self, kind: Any) -> Any:
        return WORD(0)

    def with_place(self, builder: Any, kind: Any, bare: Any, operands: Sequence[tuple[Any, Any]]) -> Any:
        parts = [(place, builder.extract_value(d, 0), builder.extract_value(d, 1)) for place, d in operands]
        return self.bare_lifted(builder, kind, bare, recorded(self, builder, parts))


def _like(builder: Any, x: Any, other: Any) -> Any:
    """``x`` in the precision of ``other``."""
    if x.type == other.type:
        return x
    return as_double(builder, x) if isinstance(other.type, ir.DoubleType) else builder.fptrunc(x, other.type)


_FROZEN_BYTES: Final = 10**6  # Numba reads larger arrays when the code runs, as they are then
_kept: Final[list[Any]] = []  # Numba takes a large constant by its address
_contexts: Final[dict[Any, Any]] = {}


def context_of(kind: Any) -> Any:
    """The target of a kind, outside of any function."""
    base = registry.cpu_target.target_context
    if kind in _contexts:
        return _contexts[kind]
    made = _contexts[kind] = copy.copy(base)
    made.__class__, made.cached_internal_func, made._internal_codegen = kind, {}, linked_codegen()
    if issubclass(kind, ActiveContext):
        made.data_model_manager = kind.layouts
    made.__dict__.pop("nrt", None)
    return made

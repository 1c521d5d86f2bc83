"""What may touch floats: a list. All else is refused, at the user's line, so that nothing unknown loses a derivative.

A function is taken, in this order, because it is

1. an ``@njit`` function, or one of Numba's own that is written in Python: compiled again, so that what it does is
looked at;
2. an operation on numbers with a rule, or one that gives no derivative (rules.py);
3. one whose types have no floats in them: Numba's own lowering is right;
4. one of Numba's that moves values about, whatever they are: those listed here, which were read one by one.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from numba import types

from nbgrad.kernels.numba_target import DUFunc, cgutils, typing
from nbgrad.numba.differentiate import compilation, draws, matrices, operations, steps
from nbgrad.numba.differentiate.convention import values_for_python
from nbgrad.numba.differentiate.layout import POINTERS, is_active, is_float
from nbgrad.numba.differentiate.operations import has_floats, is_complex, is_number
from nbgrad.numba.differentiate.refusal import Refused, refuse
from nbgrad.numba.differentiate.rules import HOLOMORPHIC, PASSIVE, RULES

# Of numbers and containers of them, by Python's or NumPy's name.
_MOVES: Final = frozenset(
    {operator.getitem, operator.setitem, operator.delitem, operator.contains, operator.is_, operator.is_not, slice}
    | {len, iter, next, enumerate, zip, tuple, list, dict, reversed, range, sorted, type}
    | {np.ndenumerate, np.nditer, np.ndindex, numba.pndindex, np.ravel, np.nonzero}
    | {np.sum, np.argsort}  # of Numba before 0.66, which compiles loops for them
)
# By the name that Numba gives it.
_NAMED_MOVES: Final = frozenset(
    {"__array__", "__array_wrap__", "getiter", "iternext", "pair_first", "pair_second", "exhaust_iter", "not in"}
    | {"getitem", "static_getitem", "typed_getitem", "setitem", "static_setitem", "delitem", "build_list"}
    | {f"array.{name}" for name in ("copy", "flatten", "item", "ravel", "reshape", "transpose", "astype", "sort")}
    | {f"list.{name}" for name in ("append", "clear", "extend", "insert", "pop", "reverse", "copy")}
    | {"array.nonzero", "build_tuple", "array.sum", "array.argsort"}
)
# Of numbers, choosing or converting one.
_CHOICES: Final = frozenset((builtins.min, builtins.max, builtins.float, builtins.complex, "number.item"))
# Of a number several results, each of which has a derivative of its own.
_SPLIT: Final = {divmod: lambda x, y: (x // y, x % y)}
# Operators on tuples and lists, which compare or join what is in them.
_ON_SEQUENCES: Final = frozenset(
    {operator.add, operator.iadd, operator.mul, operator.imul, operator.eq, operator.ne, bool}
    | {operator.lt, operator.le, operator.gt, operator.ge}
)
# Numba's intrinsics, by module and name; "impl" is that of np.atleast_1d, 2d and 3d, and of list.pop.
_INTRINSICS: Final[dict[str, frozenset[str]]] = {
    "numba.np.arrayobj": frozenset(
        {"numpy_empty_nd", "numpy_empty_like_nd", "_numpy_broadcast_to", "np_array", "impl"}
        | {"np_concatenate", "np_stack_common", "np_column_stack", "np_expand_dims", "_np_hstack", "_np_vstack"}
        | {"_np_dstack", "get_readonly_array", "_array_copy_intrinsic", "_as_layout_array_intrinsic"}
    ),
    "numba.np.arraymath": frozenset({"_numpy_sum", "_numpy_sum_axis", "_numpy_cumsum", "_numpy_cumsum_axis"}),
    "numba.np.unsafe.ndarray": frozenset({"to_fixed_tuple", "empty_inferred"}),
    "numba.cpython.unsafe.tuple": frozenset({"tuple_setitem"}),
    "numba.cpython.builtins": frozenset({"min_vararg", "max_vararg"}),
    "numba.typed.listobject": frozenset(
        {"_make_list", "_list_append", "_list_length", "_list_setitem", "_list_delitem", "_list_delete_slice"}
        | {"fix_index", "impl", "_list_allocated", "_list_is_mutable", "_list_set_is_mutable"}
    ),
    "numba.typed.dictobject": frozenset(
        {"_make_dict", "_dict_insert", "_dict_lookup", "_dict_length", "_dict_items", "_dict_keys", "_dict_values"}
        | {"_dict_delitem", "_dict_popitem"}
    ),
    "numba.typed.typedobjectutils": frozenset({"_cast", "_nonoptional"}),
}
_ZERO_FILL: Final = {"numba.np.arrayobj": frozenset({"_zero_fill_array_method"})}  # of memory that is zeros anyway
_PASSIVE_INTRINSICS: Final = {"numba.np.arraymath": frozenset({"_np_round_float"})}  # np.round
_ATTRIBUTES: Final[dict[Any, frozenset[str]]] = {
    types.Array: frozenset(
        ("shape", "ndim", "size", "T", "real", "imag", "flat", "dtype", "flags", "itemsize", "nbytes")
    ),
    types.Complex: frozenset(("real", "imag")),
    types.Float: frozenset(("real", "imag")),
}


def function(context: Any, fn: Any, sig: Any, usual: Callable[[], Any]) -> Any:
    """How ``fn`` is lowered: a function of builder and arguments. ``usual`` gives Numba's own way."""
    if isinstance(fn, types.Dispatcher):
        return compilation.twin_of(context, fn.dispatcher, sig)
    key = fn.get_impl_key(sig) if isinstance(fn, types.Callable) else fn
    name = getattr(fn, "typing_key", key)
    name = name if _is_hashable(name) else key
    kinds = (*sig.args, sig.return_type)
    if name is print:
        return lambda builder, args, loc=None: context.boxing().get_function(fn, sig)(
            builder, values_for_python(context, builder, "print of", sig.args, args)
        )
    if _is_listed(name, _ZERO_FILL) and any(map(is_active, kinds)):
        return lambda builder, args, loc=None: context.get_dummy_value()
    if name is math.frexp:
        return operations.mantissa(context, sig, lambda: context.inner().get_function(fn, sig))
    instead = _SPLIT.get(name) if has_floats(sig.args) else None
    instead = instead or draws.replacement(name, sig)
    if instead is not None:
        return compilation.twin(context, instead, sig, {})
    rule = matrices.rule_of(name, sig)
    if rule is not None:
        return steps.lowered(context, rule, sig)
    if all(map(is_number, kinds)) and has_floats(kinds):
        found = _of_numbers(context, name, sig, usual, lambda: context.inner().get_function(fn, sig))
        if found is not None:
            return found
    written = _written_in_python(fn, key)
    if written is not None:
        try:
            return compilation.twin(context, written.py_func, sig, written.targetoptions)
        except Refused as error:
            if error.place is None:  # the last to say so is what the user's line calls
                is_numpys = str(getattr(name, "__module__", "")).startswith("numpy")
                error.caller = f"{name.__module__}.{_called(name)}" if is_numpys else _called(name)
            raise
    if isinstance(name, DUFunc):
        if all(map(is_number, kinds)):
            return compilation.twin(context, name._dispatcher.py_func, sig, {"error_model": "numpy"})
        refuse(f"the numba.vectorize'd function {name.__name__} of arrays", "call it in a loop, with numbers")
    if isinstance(name, tuple):
        return usual()  # a method that is written in Python: this asks for the function behind it
    if not any(map(is_active, kinds)) or (_moves(name, sig) and not any(map(_is_pointer, kinds))):
        return _checked(context, sig, usual())
    return refuse(f"{_called(name)}{_shown(sig)}", "write it with loops, or with functions that have a rule")


def _checked(context: Any, sig: Any, usual: Any) -> Any:
    """How values are moved; with ``array.flat`` and an index Numba does not look whether there is such an item."""
    if not (len(sig.args) > 1 and isinstance(sig.args[0], types.NumpyFlatType)):
        return usual

    def written(builder: Any, args: Any, loc: Any = None) -> Any:
        items = context.get_function(len, typing.signature(types.intp, sig.args[0]))(builder, args[:1])
        cgutils.do_boundscheck(context, builder, context.cast(builder, args[1], sig.args[1], types.intp), items)
        return usual(builder, args)

    return written


def _is_hashable(name: Any) -> bool:
    try:
        hash(name)
    except TypeError:
        return False
    return True


def _of_numbers(context: Any, name: Any, sig: Any, usual: Any, bare: Callable[[], Any]) -> Any:
    """How an operation on numbers is lowered; None where it is none of the known."""
    if isinstance(name, np.ufunc):
        return None  # goes by ``UfuncTable``
    if name in _CHOICES or name is types.NumberClass or isinstance(name, types.NumberClass):
        return usual()
    result, has_operands = sig.return_type, has_floats(sig.args)
    rule, apply = _rule(name, sig)
    is_passive = (name in PASSIVE and not is_complex(result)) or _is_listed(name, _PASSIVE_INTRINSICS)
    if rule is None and has_operands and not is_passive:
        return None
    if rule is None and not has_operands and _is_foreign(name):
        return None
    found: list[Any] = []

    def value(builder: Any, args: Any) -> Any:
        found[:] = found or [bare()]
        return found[0](builder, args)

    def written(builder: Any, args: Any, loc: Any = None) -> Any:
        computed = functools.partial(value, builder)
        if rule is None or not has_operands:
            return operations.passive(context, builder, sig, args, computed)
        return apply(context, builder, sig, args, computed, rule)

    return written


def _rule(name: Any, sig: Any) -> tuple[Any, Any]:
    """The partial derivatives, and what applies them."""
    kinds = (*sig.args, sig.return_type)
    if any(map(is_complex, kinds)):
        special = _SPECIAL_OF_COMPLEX.get(name)
        if special is not None and len(sig.args) == 1:
            return (), lambda *given: special(*given[:-1])
        rule = HOLOMORPHIC.get(name) if is_complex(sig.return_type) else None
        return (rule if rule and len(rule) == len(sig.args) else None), operations.apply_holomorphic
    rule = RULES.get(name) if is_float(sig.return_type) else None
    return (rule if rule and len(rule) == len(sig.args) else None), operations.apply_rule


_SPECIAL_OF_COMPLEX: Final[dict[Any, Any]] = {
    abs: operations.absolute_of_complex,
    np.absolute: operations.absolute_of_complex,
    np.conjugate: operations.conjugate,
    "complex.conjugate": operations.conjugate,
}


def _is_foreign(name: Any) -> bool:
    """Whether it is an intrinsic of somebody's."""
    defined = getattr(name, "_defn", None)
    return defined is not None and not defined.__module__.startswith("numba.")


def _written_in_python(fn: Any, key: Any) -> Any:
    """The dispatcher of the Python function that ``@overload`` has for this key; refused where it is not found."""
    templates = getattr(fn, "templates", None) or ([fn.template] if hasattr(fn, "template") else [])
    is_overload = False
    for template in templates:
        known = getattr(template, "_impl_cache", None)
        for found in known.values() if isinstance(known, dict) else ():
            dispatcher = found[0] if isinstance(found, tuple) else None
            overloads = getattr(dispatcher, "overloads", {})
            if any(made.entry_point is key for made in overloads.values()):
                return dispatcher
        is_overload = is_overload or any(
            key is entry for entry in getattr(template, "_compiled_overloads", {}).values()
        )
    if is_overload:
        refuse(f"{fn}", "write it as an @njit function")
    return None


def _moves(name: Any, sig: Any) -> bool:
    """Whether it is one of Numba's that moves values about."""
    if isinstance(name, np.ufunc):
        return True
    if name == "array.view":
        return _is_same_view(sig)
    if isinstance(name, str):
        return name in _NAMED_MOVES
    if isinstance(name, type) and issubclass(name, (types.Array, types.BaseTuple, types.NamedTupleClass)):
        return True
    if name is types.TypeRef or isinstance(name, types.TypeRef):
        return True  # typed.List()
    if name in _MOVES or (name in _CHOICES and all(map(is_number, sig.args))):
        return True
    if name in RULES or name in PASSIVE:
        on = [types.unliteral(kind) for kind in sig.args]
        if any(isinstance(kind, types.Array) for kind in on):
            return True  # the ufunc of the operator
        return name in _ON_SEQUENCES and all(isinstance(k, (types.BaseTuple, types.List, types.Integer)) for k in on)
    return _is_listed(name, _INTRINSICS)


def _is_listed(name: Any, intrinsics: dict[str, frozenset[str]]) -> bool:
    defined = getattr(name, "_defn", None)
    return defined is not None and defined.__name__ in intrinsics.get(defined.__module__, ())


def _is_pointer(kind: Any) -> bool:
    return isinstance(kind, POINTERS) and is_active(kind)


def _is_same_view(sig: Any) -> bool:
    given, made = sig.args[0], sig.return_type
    return isinstance(made, types.Array) and isinstance(given, types.Array) and given.dtype == made.dtype


def _called(name: Any) -> str:
    return str(getattr(name, "__name__", None) or getattr(getattr(name, "_defn", None), "__name__", None) or name)


def _shown(sig: Any) -> str:
    return f"({', '.join([str(kind) for kind in sig.args])})"


def attribute(typ: Any, attr: str, usual: Any) -> Any:
    """How an attribute is read. Sizes in bytes are those of the plain array."""
    if not is_active(typ) or isinstance(typ, types.BaseNamedTuple):
        return usual
    known = next((names for kind, names in _ATTRIBUTES.items() if isinstance(typ, kind)), frozenset())
    if attr not in known:
        refuse(f"the attribute {attr} of {typ}", "use shapes, indices and functions that have a rule")
    if attr not in ("itemsize", "nbytes"):
        return usual
    size = types.intp, typ.dtype.bitwidth // 8

    def bytes_of(context: Any, builder: Any, typ: Any, val: Any, attr: str) -> Any:
        item = context.get_constant(*size)
        if attr == "itemsize":
            return item
        return builder.mul(context.make_array(typ)(context, builder, val).nitems, item)

    return bytes_of


class UfuncTable(dict[str, Any]):
    """Numba's loops of a ufunc, those of floats by their rules."""

    def __init__(self, ufunc: Any, known: dict[str, Any]) -> None:
        super().__init__(known)
        self._ufunc = ufunc

    def get(self, loop: str, default: Any = None) -> Any:
        return self[loop] if loop in self else default  # noqa: SIM401  (``get`` asks this class)

    def __getitem__(self, loop: str) -> Any:
        known = super().__getitem__(loop)
        if not set(loop) & set("fdFD"):
            return known
        return lambda context, builder, sig, args: self._element(context, builder, sig, args, loop)

    def _element(self, context: Any, builder: Any, sig: Any, args: Any, loop: str) -> Any:
        def value(stripped: Any) -> Any:
            inner = context.inner()
            return inner.get_ufunc_info(self._ufunc).get(loop)(inner, builder, sig, stripped)

        name = self._ufunc
        result = sig.return_type
        rule, apply = _rule(name, sig)
        if rule is not None and has_floats(sig.args):
            return apply(context, builder, sig, args, value, rule)
        if has_floats(sig.args) and name not in PASSIVE:
            refuse(f"numpy.{name.__name__} of {', '.join(map(str, sig.args))}", "use functions that have a rule")
        if isinstance(result, types.BaseTuple):
            refuse(f"numpy.{name.__name__}, which has several results", "use functions that have a rule")
        return operations.passive(context, builder, sig, args, value)

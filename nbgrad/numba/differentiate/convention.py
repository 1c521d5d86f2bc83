"""How functions that record are called: as Numba's own, with one argument more, the tape."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_target import callconv
from nbgrad.numba.differentiate.memory import WORD
from nbgrad.numba.differentiate.refusal import refuse

TAPE: Final = WORD.as_pointer()
_NAME: Final = "tape"
# A record of an operation would count 55, and the whole function 225 at most, so that few were inlined.
_INLINED: Final = '"function-inline-threshold"="1500"'


class TapeConvention(callconv.CPUCallConv):  # type: ignore[misc]
    """The tape is the last argument, so that functions are re-entrant and share nothing among threads."""

    def get_function_type(self, restype: Any, argtypes: Any) -> Any:
        known = super().get_function_type(restype, argtypes)
        return ir.FunctionType(known.return_type, [*known.args, TAPE])

    def get_arguments(self, func: Any) -> Any:
        return func.args[2:-1]

    def decorate_function(self, fn: Any, args: Any, fe_argtypes: Any, noalias: bool = False) -> None:
        super().decorate_function(fn, args, fe_argtypes, noalias)
        fn.args[-1].name = _NAME
        fn.args[-1].add_attribute("noalias")
        set.add(fn.attributes, _INLINED)  # llvmlite does not know it

    def call_function(
        self, builder: Any, callee: Any, resty: Any, argtys: Any, args: Any, attrs: Any = None, tape: Any = None
    ) -> Any:
        given = _WithTape(builder, callee, tape_of(builder) if tape is None else tape)
        return super().call_function(given, callee, resty, argtys, args, attrs)

    def set_static_user_exc(
        self, builder: Any, exc: Any, exc_args: Any = None, loc: Any = None, func_name: Any = None
    ) -> None:
        if loc is None:  # as of an index out of range: the statement that is being lowered
            loc, func_name = getattr(builder, "statement", (None, None))
        super().set_static_user_exc(builder, exc, exc_args, loc, func_name)

    def set_dynamic_user_exc(
        self, builder: Any, exc: Any, exc_args: Any, nb_types: Any, loc: Any = None, func_name: Any = None
    ) -> None:
        given = values_for_python(self.context, builder, "an exception with", nb_types, exc_args)
        plain = callconv.CPUCallConv(self.context.boxing())
        plain.set_dynamic_user_exc(builder, exc, tuple(given), nb_types, loc=loc, func_name=func_name)


def values_for_python(context: Any, builder: Any, what: str, kinds: Any, args: Any) -> list[Any]:
    """What an exception or ``print`` is given: numbers without their places, and texts."""
    for kind in kinds:
        if kind is not None and not isinstance(kind, (types.Number, types.Boolean, types.Literal, types.UnicodeType)):
            refuse(f"{what} {kind}", "give numbers and texts, one by one")
    return [context.value(builder, kind, x) for kind, x in zip(kinds, args, strict=True)]


class _WithTape:
    """A builder that hands the tape to ``callee``, in the one call of it that the base class writes."""

    def __init__(self, builder: Any, callee: Any, tape: Any) -> None:
        self._builder, self._callee, self._tape = builder, callee, tape

    def __getattr__(self, name: str) -> Any:
        return getattr(self._builder, name)

    def call(self, function: Any, args: Any, **options: Any) -> Any:
        more = [self._tape] if function is self._callee else []
        return self._builder.call(function, [*args, *more], **options)


def tape_of(builder: Any) -> Any:
    """The tape of the function that is being written."""
    args = builder.function.args
    if not args or not args[-1].name.startswith(_NAME) or args[-1].type != TAPE:
        refuse("what runs in Python, or in a helper function of Numba's", "use arrays, tuples and lists in @njit code")
    return args[-1]

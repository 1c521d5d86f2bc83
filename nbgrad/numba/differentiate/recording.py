"""An operation's record: a call without effects, of which ``groups.py`` makes entries on the tape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_linking import link
from nbgrad.numba.differentiate.convention import tape_of
from nbgrad.numba.differentiate.memory import DOUBLE, WORD
from nbgrad.numba.differentiate.symbols import trust

RECORD: Final = "nbgrad_record"  # i64 (tape, a, da, b, db): the place of an operation on two operands
RECORD_TWICE: Final = "nbgrad_record_twice"  # i64 (tape, a, da, ta, b, db, tb), with tangents of the derivatives
_NOWHERE: Final = WORD(0)

# An operand: its place, the partial derivative by it, and that one's tangent, or None where there are no tangents.
Operand = tuple[Any, Any, Any]


def recorded(context: Any, builder: Any, operands: Sequence[Operand]) -> Any:
    """The place of a result with these operands, any number of them."""
    given = [operand for operand in operands if not is_nowhere(operand[0])]
    if not given:
        return _NOWHERE
    has_tangents = given[0][2] is not None
    zero = DOUBLE(0.0) if has_tangents else None
    if len(given) == 1 and _is_one(given[0][1]) and not has_tangents:
        return given[0][0]  # x + 2.0, say, has the derivatives of x
    if len(given) == 1:
        given.append((_NOWHERE, DOUBLE(0.0), zero))
    sofar = given[0]
    for operand in given[1:]:
        sofar = (_record(builder, sofar, operand), DOUBLE(1.0), zero)
    return sofar[0]


def is_nowhere(place: Any) -> bool:
    return isinstance(place, ir.Constant) and place.constant in (0, None)


def _is_one(partial: Any) -> bool:
    return isinstance(partial, ir.Constant) and partial.constant == 1.0


def _record(builder: Any, a: Operand, b: Operand) -> Any:
    """The place of an operation on two operands: 0 where both places are 0, which nothing is written for."""
    given = [tape_of(builder), *[as_double(builder, x) for operand in (a, b) for x in operand if x is not None]]
    name = RECORD if len(given) == 5 else RECORD_TWICE
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(WORD, [x.type for x in given]), name)
        for attribute in ("readnone", "nounwind", "willreturn"):  # LLVM may merge, move and drop it
            set.add(function.attributes, attribute)  # llvmlite does not know all of them
    return builder.call(function, given)


def as_double(builder: Any, x: Any) -> Any:
    return builder.fpext(x, DOUBLE) if isinstance(x.type, ir.FloatType) else x


def call_plain(context: Any, builder: Any, helper: Any, words: Sequence[Any]) -> Any:
    """What an ``@njit`` function of words gives, which cannot raise."""
    kinds = (types.int64,) * len(words)
    made = helper.made(*kinds)
    trust(made.library)
    link(context, made)
    plain = context.plain()
    function = plain.declare_function(builder.module, made.fndesc)
    result, kinds = made.signature.return_type, made.signature.args
    return plain.call_conv.call_function(builder, function, result, kinds, list(words))[1]

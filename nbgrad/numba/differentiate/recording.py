"""An operation's entry on the tape, as the instructions that write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_lowering import link
from nbgrad.numba.differentiate.convention import TAPE, tape_of
from nbgrad.numba.differentiate.memory import DOUBLE, WORD
from nbgrad.numba.differentiate.symbols import trust
from nbgrad.numba.differentiate.tape import BASE, END, ENTRY_BYTES, NEXT, grow

_NOWHERE: Final = WORD(0)
_RECORD, _RECORD_TWICE, _GROW = "nbgrad_record", "nbgrad_record_twice", "nbgrad_grow"

# An operand: its place, the partial derivative by it, and that one's tangent, or None where there are no tangents.
Operand = tuple[Any, Any, Any]


def recorded(context: Any, builder: Any, operands: Sequence[Operand]) -> Any:
    """The place of a result with these operands, any number of them."""
    given = [operand for operand in operands if not is_nowhere(operand[0])]
    if not given:
        return _NOWHERE
    if len(given) == 1 and _is_one(given[0][1]) and given[0][2] is None:
        return given[0][0]  # x + 2.0, say, has the derivatives of x
    has_tangents = given[0][2] is not None
    one, zero = DOUBLE(1.0), DOUBLE(0.0)
    nobody: Operand = (_NOWHERE, zero, zero if has_tangents else None)
    found = [
        _entry(context, builder, given[k], given[k + 1] if k + 1 < len(given) else nobody)
        for k in range(0, len(given), 2)
    ]
    while len(found) > 1:  # the sum of two
        a, b, *rest = found
        summed = _entry(context, builder, (a, one, nobody[2]), (b, one, nobody[2]))
        found = [*rest, summed]
    return found[0]


def is_nowhere(place: Any) -> bool:
    return isinstance(place, ir.Constant) and place.constant in (0, None)


def _is_one(partial: Any) -> bool:
    return isinstance(partial, ir.Constant) and partial.constant == 1.0


def _entry(context: Any, builder: Any, a: Operand, b: Operand) -> Any:
    """The place of an operation on two operands: 0 where both places are 0, which nothing is written for."""
    flat = [as_double(builder, x) for operand in (a, b) for x in operand if x is not None]
    function = _record_function(context, builder.module) if len(flat) == 4 else _twice_function(context, builder.module)
    return builder.call(function, [tape_of(builder), *flat])


def as_double(builder: Any, x: Any) -> Any:
    return builder.fpext(x, DOUBLE) if isinstance(x.type, ir.FloatType) else x


def _record_function(context: Any, module: Any) -> Any:
    """``i64 record(tape, a, da, b, db)``."""
    if _RECORD in module.globals:
        return module.globals[_RECORD]
    function = _inlined(module, _RECORD, [WORD, DOUBLE] * 2)
    tape, a, da, b, db = function.args
    blocks = [function.append_basic_block(name) for name in ("start", "check", "grow", "write", "end")]
    start, check, growing, write, end = blocks
    builder = ir.IRBuilder(start)

    def head(k: int) -> Any:
        return builder.gep(tape, [WORD(k)])

    builder.cbranch(builder.icmp_unsigned("==", builder.or_(a, b), _NOWHERE), end, check)
    builder.position_at_end(check)
    is_full = builder.icmp_unsigned("==", builder.load(head(NEXT)), builder.load(head(END)))
    builder.cbranch(is_full, growing, write)
    builder.position_at_end(growing)
    builder.call(_grow_function(context, module), [tape])
    builder.branch(write)
    builder.position_at_end(write)
    place = builder.load(head(NEXT))
    entry = builder.add(builder.load(head(BASE)), builder.mul(place, WORD(ENTRY_BYTES)))
    entry = builder.inttoptr(entry, WORD.as_pointer())
    builder.store(builder.or_(a, builder.shl(b, WORD(32))), entry)
    partials = builder.bitcast(entry, DOUBLE.as_pointer())
    builder.store(da, builder.gep(partials, [WORD(1)]))
    builder.store(db, builder.gep(partials, [WORD(2)]))
    builder.store(builder.add(place, WORD(1)), head(NEXT))
    builder.branch(end)
    builder.position_at_end(end)
    result = builder.phi(WORD)
    result.add_incoming(_NOWHERE, start)
    result.add_incoming(place, write)
    builder.ret(result)
    return function


def _grow_function(context: Any, module: Any) -> Any:
    """``grow``, so that what calls it knows how seldom that is."""
    if _GROW in module.globals:
        return module.globals[_GROW]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [TAPE]), _GROW)
    function.linkage = "linkonce_odr"
    for attribute in ("cold", "noinline"):
        function.attributes.add(attribute)
    builder = ir.IRBuilder(function.append_basic_block("start"))
    call_plain(context, builder, grow, [builder.ptrtoint(function.args[0], WORD)])
    builder.ret_void()
    return function


def _twice_function(context: Any, module: Any) -> Any:
    """``i64 record_twice(tape, a, da, ta, b, db, tb)``: an entry, and one with the tangents of its partial
    derivatives."""
    if _RECORD_TWICE in module.globals:
        return module.globals[_RECORD_TWICE]
    record = _record_function(context, module)
    function = _inlined(module, _RECORD_TWICE, [WORD, DOUBLE, DOUBLE] * 2)
    tape, a, da, ta, b, db, tb = function.args
    builder = ir.IRBuilder(function.append_basic_block("start"))
    place = builder.call(record, [tape, a, da, b, db])
    builder.call(record, [tape, a, ta, b, tb])
    builder.ret(place)
    return function


def _inlined(module: Any, name: str, given: Sequence[Any]) -> Any:
    function = ir.Function(module, ir.FunctionType(WORD, [TAPE, *given]), name)
    function.linkage = "linkonce_odr"
    function.attributes.add("alwaysinline")
    function.args[0].add_attribute("noalias")
    return function


def call_plain(context: Any, builder: Any, helper: Any, words: Sequence[Any]) -> None:
    """A call of an ``@njit`` function of words that cannot raise."""
    kinds = (types.int64,) * len(words)
    helper.compile(kinds)
    made = helper.overloads[kinds]
    trust(made.library)
    link(context, made)
    plain = context.plain()
    function = plain.declare_function(builder.module, made.fndesc)
    plain.call_conv.call_function(builder, function, made.signature.return_type, made.signature.args, list(words))

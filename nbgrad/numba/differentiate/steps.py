"""Operations on whole arrays that are one *step* of the tape each: the value by Numba's own function, the cotangents by
an adjoint rule (``matrices.py``), instead of an entry for each multiplication.

A step is a block of memory: a head of words, the jets of both operands and of the result, the places of the operands'
items. Its entry on the tape is the address of the block, and gives places to the items of the result.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_linking import link
from nbgrad.kernels.numba_target import as_dtype, cgutils, empty_array, typing
from nbgrad.numba.differentiate import tape_functions
from nbgrad.numba.differentiate.arguments import Leaf
from nbgrad.numba.differentiate.compilation import call_bare
from nbgrad.numba.differentiate.convention import tape_of
from nbgrad.numba.differentiate.helpers import helper
from nbgrad.numba.differentiate.matrices import Rule, put
from nbgrad.numba.differentiate.memory import DOUBLE, JETS_AT, WORD, number, set_number, word
from nbgrad.numba.differentiate.recording import as_double
from nbgrad.numba.differentiate.refusal import TEXT
from nbgrad.numba.differentiate.symbols import trust
from nbgrad.numba.differentiate.tape import ORDER, PLACE, SHAPES
from nbgrad.numba.differentiate.tape_calls import call, floats, jet_at, placed

_OUT_OF_MEMORY: Final = (
    "differentiate: the tape has no room for a matrix; give a larger tape_bytes, or differentiate shorter segments "
    "(nbgrad.numba.checkpointed)"
)


# ---- forward and back


@functools.cache
def forward_of(rule: Rule, kinds: tuple[Any, ...], result: Any, order: int) -> Any:
    """``(tape, step) -> first place``: the result of the operands that the step has, with its tangent."""
    jet = jet_of(dtype_of(kinds[0]))
    lines = ["def forward(tape, step):", "    a, b, y = jet(step, 0), jet(step, 1), jet(step, 2)"]
    scope: dict[str, Any] = {"jet": jet, "placed": placed, "function": rule.function, "tangent": rule.tangent}
    scope |= {"put": put, "asfortranarray": np.asfortranarray}
    given = []
    for name, kind in zip("ab", kinds, strict=False):
        scope[f"{name}_dtype"] = as_dtype(kind.dtype)
        taken = f"{name}[0].astype({name}_dtype)" if kind.dtype not in _DOUBLES else f"{name}[0]"
        taken = f"{taken}.reshape({name}.shape[1])" if kind.ndim == 1 else taken
        given.append(f"asfortranarray({taken})" if kind.layout == "F" and kind.ndim == 2 else taken)
    lines.append(f"    found = function({', '.join(given)})")
    if isinstance(result, types.BaseTuple):
        lines += [f"    y[0, {k}, 0] = found[{k}]" for k in range(len(result))]
    elif isinstance(result, types.Array):
        lines.append(f"    put(y, 0, found{'.reshape(len(found), 1)' if result.ndim == 1 else ''})")
    else:
        lines.append("    y[0, 0, 0] = found")
    lines += ["    tangent(a, b, y)"] if order > 1 else []
    lines.append("    return placed(tape, step)")
    exec(compile("\n".join(lines), TEXT, "exec"), scope)
    return scope["forward"]


_DOUBLES: Final = (types.float64, types.complex128)


def dtype_of(kind: Any) -> Any:
    return np.complex128 if isinstance(kind.dtype, types.Complex) else np.float64


@functools.cache
def jet_of(dtype: Any) -> Any:
    """How a jet is read, of matrices of float64 or complex128."""
    jets_at = JETS_AT[dtype]

    @helper
    def jet(step: int, k: int) -> Any:
        rows = SHAPES + 2 * k
        return jets_at(jet_at(step, k), word(step, ORDER), word(step, rows), word(step, rows + 1))

    return jet


@functools.cache
def adjoint_of(rule: Rule, dtype: Any) -> Any:
    """``(step, g, h) -> failed``: adds to the cotangents at address ``g``, and to their tangents at ``h``."""
    jet, back = jet_of(dtype), rule.adjoint

    @helper
    def adjoint(step: int, g_at: int, h_at: int) -> Any:
        a, b, y = jet(step, 0), jet(step, 1), jet(step, 2)
        g = np.empty(y.shape, dtype)
        is_needed, is_finite = take(step, g, g_at, h_at)
        if is_needed and is_finite:
            by_a, by_b = back(a, b, y, g)
            add(step, 3, by_a, 1.0, g_at, h_at)
            add(step, 4, by_b, 1.0, g_at, h_at)
        elif is_needed:  # LAPACK takes no such numbers
            add(step, 3, a, np.nan, g_at, h_at)
            add(step, 4, b, np.nan, g_at, h_at)
        return 0

    return adjoint


# An array that owns its memory is an argument of the function that asks for its address: so it lives as long.
@helper
def take(step: int, g: Any, g_at: int, h_at: int) -> Any:
    """Read the result's cotangents; whether one is other than 0, and whether all are finite."""
    order, n, is_needed, is_finite = word(step, ORDER), floats(step, 2), False, True
    for j in range(order):
        for k in range(n):
            x = number(h_at if j else g_at, word(step, PLACE) + k)
            set_number(g.ctypes.data, j * n + k, x)
            is_needed |= x != 0.0
            is_finite &= abs(x) < np.inf
    return is_needed, is_finite


@helper
def add(step: int, k: int, found: Any, factor: float, g_at: int, h_at: int) -> None:
    """Add what was ``found`` to the cotangents of an operand."""
    at, n, given = jet_at(step, k), floats(step, k - 3), found.ctypes.data
    for j in range(word(step, ORDER)):
        g = h_at if j else g_at
        for i in range(n):
            place = word(at, i)
            if place != 0:
                set_number(g, place, number(g, place) + factor * number(given, j * n + i))


# ---- as code


def lowered(context: Any, rule: Rule, sig: Any) -> Any:
    """How a call of the function with this signature is lowered."""
    kinds = tuple([kind for kind in sig.args if isinstance(kind, types.Array)])
    leaf = Leaf("", kinds[0])
    order = 2 if context.has_tangents else 1

    def written(builder: Any, args: Any, loc: Any = None) -> Any:
        arrays = [context.make_array(kind)(context, builder, x) for kind, x in zip(kinds, args, strict=False)]
        sizes = [n for x in arrays for n in [*cgutils.unpack_tuple(builder, x.shape), WORD(1)][:2]]
        sizes += [WORD(0)] * (4 - len(sizes)) + [WORD(1), WORD(2)]
        shape = [sizes[k] for k in rule.shape]
        tape = builder.ptrtoint(tape_of(builder), WORD)
        adjoint = builder.ptrtoint(_declared(context, builder, adjoint_of(rule, dtype_of(kinds[0]))), WORD)
        given = [tape, adjoint, WORD(order), WORD(leaf.parts), *sizes[:4], *shape]
        step = call(context, builder, tape_functions.open_step, given)
        with cgutils.if_unlikely(builder, builder.icmp_signed("==", step, WORD(0))):
            context.call_conv.return_user_exc(builder, MemoryError, (_OUT_OF_MEMORY,))
        for k, (kind, x) in enumerate(zip(kinds, arrays, strict=True)):
            jet, places = (call(context, builder, tape_functions.jet_at, [step, WORD(at)]) for at in (k, k + 3))
            _read(context, builder, kind, x, order, jet, places)
        plain, words = context.plain(), (types.int64,) * 2
        forward = forward_of(rule, kinds, sig.return_type, order)
        signature = typing.signature(types.int64, *words)
        first = call_bare(plain, context.plain_base(), builder, forward, signature, [tape, step], "python")
        y = call(context, builder, tape_functions.jet_at, [step, WORD(2)])
        found = _result(context, builder, sig.return_type, order, y, first, shape)
        call(context, builder, tape_functions.last_step, [tape])  # forgets a step that nothing depends on
        return found

    return written


def _declared(context: Any, builder: Any, adjoint: Any) -> Any:
    """An adjoint, linked to what is being compiled."""
    made = adjoint.made(*[types.int64] * 3)
    trust(made.library)
    link(context, made)
    return context.plain().declare_function(builder.module, made.fndesc)


def _read(context: Any, builder: Any, kind: Any, x: Any, order: int, jet: Any, places: Any) -> None:
    """Write an operand's values and tangents to ``jet``, by rows, and the places of its items to ``places``."""
    leaf = Leaf("", kind)
    count = builder.mul(x.nitems, WORD(leaf.parts))
    for k, item in _items(context, builder, kind, x, leaf):
        found = context.unpack_value(builder, kind.dtype, item)
        for part in range(leaf.parts):
            one = found if leaf.parts == 1 else builder.extract_value(found, part)
            bare, at = builder.extract_value(one, 0), builder.add(k, WORD(part))
            for j, value in enumerate([builder.extract_value(bare, j) for j in range(2)] if order == 2 else [bare]):
                cell = builder.add(at, builder.mul(count, WORD(j)))
                builder.store(as_double(builder, value), _cell(builder, jet, DOUBLE, cell))
            builder.store(builder.extract_value(one, 1), _cell(builder, places, WORD, at))


def _result(context: Any, builder: Any, kind: Any, order: int, y: Any, first: Any, shape: Sequence[Any]) -> Any:
    """The result as the function gives it, of its jet at address ``y``."""
    if isinstance(kind, types.BaseTuple):
        count = WORD(len(kind))
        found = [_number(context, builder, one, order, y, first, WORD(k), count) for k, one in enumerate(kind)]
        return context.make_tuple(builder, kind, found)
    if not isinstance(kind, types.Array):
        return _number(context, builder, kind, order, y, first, WORD(0), WORD(Leaf("", kind).parts))
    leaf = Leaf("", kind)
    out = empty_array(context, builder, kind, shape[: kind.ndim])
    count = builder.mul(out.nitems, WORD(leaf.parts))
    for k, item in _items(context, builder, kind, out, leaf):
        context.pack_value(builder, kind.dtype, _number(context, builder, kind.dtype, order, y, first, k, count), item)
    return out._getvalue()


def _number(context: Any, builder: Any, kind: Any, order: int, y: Any, first: Any, k: Any, count: Any) -> Any:
    """The number that begins with the k-th float of a result with ``count`` of them."""
    leaf, inner, parts = Leaf("", kind), context.inner(), []
    for part in range(leaf.parts):
        at = builder.add(k, WORD(part))
        jet = [
            builder.load(_cell(builder, y, DOUBLE, builder.add(at, builder.mul(count, WORD(j))))) for j in range(order)
        ]
        if leaf.real == types.float32:
            jet = [builder.fptrunc(x, ir.FloatType()) for x in jet]
        bare = jet[0] if order == 1 else inner.bare_lifted(builder, leaf.real, *jet)
        place = builder.add(first, at)
        place = builder.select(builder.icmp_unsigned("==", first, WORD(0)), WORD(0), place)
        parts.append(context.bare_lifted(builder, leaf.real, bare, place))
    if leaf.parts == 1:
        return parts[0]
    made = context.make_complex(builder, kind)
    made.real, made.imag = parts
    return made._getvalue()


def _items(context: Any, builder: Any, kind: Any, x: Any, leaf: Leaf) -> Any:
    """For the body of a loop over items by rows: how many floats there were before, and where the item is."""
    counter = cgutils.alloca_once_value(builder, WORD(0))
    with cgutils.loop_nest(builder, cgutils.unpack_tuple(builder, x.shape), WORD) as indices:
        k = builder.load(counter)
        yield k, cgutils.get_item_pointer(context, builder, kind, x, indices)
        builder.store(builder.add(k, WORD(leaf.parts)), counter)


def _cell(builder: Any, address: Any, kind: Any, k: Any) -> Any:
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [k])

"""An operation on numbers: its value by Numba's own lowering of the bare values, its derivative by a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_target import typing
from nbgrad.numba.differentiate.compilation import call_bare
from nbgrad.numba.differentiate.layout import is_float
from nbgrad.numba.differentiate.recording import is_nowhere
from nbgrad.numba.differentiate.rules import CONSTANT, GIVEN, Partial, complex_slope_of_power, slope_of_power

Value = Callable[[Sequence[Any]], Any]  # bare operands to a bare result


def apply_rule(context: Any, builder: Any, sig: Any, args: Sequence[Any], value: Value, partials: Any) -> Any:
    """The result of an operation on floats, recorded."""
    bare = [context.strip(builder, kind, x) for kind, x in zip(sig.args, args, strict=True)]
    y = value(bare)
    operands = []
    for k, (kind, x) in enumerate(zip(sig.args, args, strict=True)):
        place = context.place(builder, kind, x)
        if not is_nowhere(place):
            operands.append((place, _partial(context, builder, sig, bare, y, partials[k])))
    return context.with_place(builder, sig.return_type, y, operands)


def apply_holomorphic(context: Any, builder: Any, sig: Any, args: Sequence[Any], value: Value, partials: Any) -> Any:
    """The same of complex numbers: a derivative a + ib takes (dx, dy) to (a dx - b dy, b dx + a dy)."""
    bare = [context.strip(builder, kind, x) for kind, x in zip(sig.args, args, strict=True)]
    y = value(bare)
    real, imag = [], []
    for k, (kind, x) in enumerate(zip(sig.args, args, strict=True)):
        places = context.places(builder, kind, x)
        if all(map(is_nowhere, places)):
            continue
        d = context.inner_parts(builder, sig.return_type, _partial(context, builder, sig, bare, y, partials[k]))
        minus = context.inner_negative(builder, sig.return_type, d[1])
        real.append((places[0], d[0]))
        imag.append((places[0], d[1]))
        if len(places) == 2:
            real.append((places[1], minus))
            imag.append((places[1], d[0]))
    return context.with_places(builder, sig.return_type, y, [real, imag])


def passive(context: Any, builder: Any, sig: Any, args: Sequence[Any], value: Value) -> Any:
    """The result of an operation that gives no derivative."""
    y = value([context.strip(builder, kind, x) for kind, x in zip(sig.args, args, strict=True)])
    return context.lift(builder, sig.return_type, y)


def _partial(context: Any, builder: Any, sig: Any, bare: Sequence[Any], y: Any, partial: Partial) -> Any:
    """A partial derivative of bare operands, compiled as the code of the bare world. It never raises."""
    inner, kinds, result = context.inner(), [types.unliteral(kind) for kind in sig.args], sig.return_type
    if isinstance(kinds[-1], types.Integer) and (partial is slope_of_power or partial is complex_slope_of_power):
        # x ** n of a whole number is computed as a product, also for x < 0.
        bare = [bare[0], inner.cast(builder, bare[1], kinds[1], types.int64)]
        kinds = [kinds[0], types.int64]
    if partial in CONSTANT:
        return inner.get_constant_generic(builder, result, CONSTANT[partial])
    at = GIVEN.get(partial, -1)
    if at >= 0 and [*kinds, result][at] == result and isinstance([*bare, y][at], ir.Value):
        return [*bare, y][at]
    signature = typing.signature(result, *kinds, result)
    bare = [x if isinstance(x, ir.Value) else inner.get_constant(kind, x) for x, kind in zip(bare, kinds, strict=True)]
    return call_bare(inner, context.inner_base(), builder, partial, signature, [*bare, y])


def absolute_of_complex(context: Any, builder: Any, sig: Any, args: Sequence[Any], value: Value) -> Any:
    """``|x + iy|``, whose derivative at 0 is 0."""
    [kind] = sig.args
    x, y = context.inner_parts(builder, kind, context.strip(builder, kind, args[0]))
    r = value([context.strip(builder, kind, args[0])])
    real = kind.underlying_float
    signature = typing.signature(real, real, real)
    inner, base = context.inner(), context.inner_base()
    slopes = [call_bare(inner, base, builder, _slope_of_absolute, signature, [part, r]) for part in (x, y)]
    places = context.places(builder, kind, args[0])
    return context.with_place(builder, sig.return_type, r, list(zip(places, slopes, strict=True)))


def _slope_of_absolute(part: Any, r: Any) -> Any:
    return part / r if r != 0.0 else 0.0


def conjugate(context: Any, builder: Any, sig: Any, args: Sequence[Any], value: Value) -> Any:
    [kind] = sig.args
    real = kind.underlying_float
    y = value([context.strip(builder, kind, args[0])])
    one = context.inner().get_constant(real, 1.0)
    minus = context.inner().get_constant(real, -1.0)
    a, b = context.places(builder, kind, args[0])
    return context.with_places(builder, sig.return_type, y, [[(a, one)], [(b, minus)]])


def mantissa(context: Any, sig: Any, bare: Callable[[], Any]) -> Any:
    """How ``math.frexp`` is lowered: x is m 2^e, and e has no derivative."""

    def written(builder: Any, args: Any, loc: Any = None) -> Any:
        [kind], [x] = sig.args, args
        value = context.strip(builder, kind, x)
        m, e = (builder.extract_value(bare()(builder, [value]), k) for k in range(2))
        signature = typing.signature(kind, kind, kind)
        slope = call_bare(context.inner(), context.inner_base(), builder, _slope_of_mantissa, signature, [value, m])
        found = context.with_place(builder, kind, m, [(context.place(builder, kind, x), slope)])
        return context.make_tuple(builder, sig.return_type, [found, e])

    return written


def _slope_of_mantissa(x: Any, m: Any) -> Any:
    return m / x if m != x else 1.0


def is_complex(kind: Any) -> bool:
    return isinstance(types.unliteral(kind), types.Complex)


def is_number(kind: Any) -> bool:
    return isinstance(types.unliteral(kind), (types.Number, types.Boolean)) and not isinstance(kind, types.Optional)


def has_floats(kinds: Sequence[Any]) -> bool:
    return any(is_float(kind) or is_complex(kind) for kind in kinds)

"""From plain ``@njit`` code into the differentiated function and back: what goes in is laid out, what comes out is
read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbgrad.kernels.numba_linking import exception_status, link
from nbgrad.kernels.numba_target import cgutils, populate_array
from nbgrad.numba.differentiate.arguments import Leaf, is_number_or_array
from nbgrad.numba.differentiate.compilation import sweep_name
from nbgrad.numba.differentiate.convention import TAPE
from nbgrad.numba.differentiate.layout import is_active
from nbgrad.numba.differentiate.memory import WORD


def pieces(path: str, kind: Any, names: Iterator[str], tangents: Iterator[str] | None) -> list[str]:
    """The expressions that ``calling`` takes for an argument: of an array its address and shape, of a number its value
    and first place (and its tangent between them), of anything else that itself."""
    if isinstance(kind, types.BaseTuple) and is_active(kind):
        return [piece for k, inner in enumerate(kind) for piece in pieces(f"{path}[{k}]", inner, names, tangents)]
    if not is_number_or_array(kind):
        return [path]
    if isinstance(kind, types.Array):
        return [next(names), f"{path}.shape"]
    along = [] if tangents is None else [next(tangents)]
    return [path, *along, next(names)]


def calling(made: Any, target: Any) -> Any:
    """An intrinsic ``call(tape, pieces)`` of the compiled function. It gives the parts of the result: of a number its
    value and place, of an array one array of values and one of places, of a complex one such two for either part; then
    0, or the code of the exception that it raised, and where that is described: all parts are zeros then."""
    argument_kinds, result_kind = made.fndesc.argtypes, made.signature.return_type

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, tape: Any, given: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            active = target.refreshed().subtarget(
                enable_nrt=True, fndesc=context.fndesc, environment=context.environment, error_model=context.error_model
            )
            link(context, made)
            rest = iter([builder.extract_value(args[1], k) for k in range(len(given))])
            values = [_laid_out(active, builder, kind, rest) for kind in argument_kinds]
            function = active.declare_function(builder.module, made.fndesc)
            address = builder.inttoptr(args[0], TAPE)
            status, result = active.call_conv.call_function(
                builder, function, made.fndesc.restype, argument_kinds, values, tape=address
            )
            parts = list(_parts(context, active, builder, result_kind, result))
            code = builder.select(status.is_error, builder.sext(status.code, WORD), WORD(0))
            parts += [code, builder.ptrtoint(status.excinfoptr, WORD)]
            return context.make_tuple(builder, signature.return_type, parts)

        return types.Tuple((*part_kinds(result_kind), types.int64, types.int64))(types.int64, given), written

    return call


def sweeping(made: Any) -> Any:
    """An intrinsic that gives the address of the compiled function's own code for a chunk's sweep."""

    @intrinsic  # type: ignore[untyped-decorator]
    def back(typing: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            link(context, made)
            kind = ir.FunctionType(WORD, [])
            return builder.ptrtoint(cgutils.get_or_insert_function(builder.module, kind, sweep_name(made)), WORD)

        return types.int64(), written

    return back


def failing(known: dict[int, tuple[type[Exception], str]]) -> Any:
    """An intrinsic ``fail(status, code, described)`` that raises what the function did, or what a status means, if it
    is ``known``."""

    @intrinsic  # type: ignore[untyped-decorator]
    def fail(typing: Any, status: Any, code: Any, described: Any) -> Any:
        def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            convention = context.call_conv
            with builder.if_then(builder.icmp_unsigned("!=", args[1], WORD(0)), likely=False):
                convention.return_status_propagate(builder, exception_status(convention, builder, *args[1:]))
            for code, (kind, message) in known.items():
                with builder.if_then(builder.icmp_signed("==", args[0], WORD(code)), likely=False):
                    convention.return_user_exc(builder, kind, (message,))
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), written

    return fail


def part_kinds(kind: Any) -> Iterator[Any]:
    """The types of the parts of a result."""
    if isinstance(kind, types.BaseTuple):
        for inner in kind:
            yield from part_kinds(inner)
    elif not is_number_or_array(kind):
        yield kind
    else:
        leaf = Leaf("", kind)
        for _ in range(leaf.parts):
            yield from (
                (types.Array(item, kind.ndim, "A") for item in (leaf.real, types.int64))
                if leaf.is_array
                else (leaf.real, types.int64)
            )


def _laid_out(active: Any, builder: Any, kind: Any, rest: Iterator[Any]) -> Any:
    """An argument of the function, from its pieces."""
    if isinstance(kind, types.BaseTuple) and is_active(kind):
        return active.make_tuple(builder, kind, [_laid_out(active, builder, inner, rest) for inner in kind])
    if not is_number_or_array(kind):
        return next(rest)
    leaf = Leaf("", kind)
    if leaf.is_array:
        return _array_at(active, builder, kind, next(rest), cgutils.unpack_tuple(builder, next(rest)))
    value = next(rest)
    if active.has_tangents:
        value = _dual(active, builder, leaf, value, next(rest))
    place = next(rest)
    if leaf.parts == 1:
        return active.bare_lifted(builder, kind, value, place)
    made = active.make_complex(builder, kind)
    made.real, made.imag = (
        active.bare_lifted(builder, leaf.real, builder.extract_value(value, k), builder.add(place, WORD(k)))
        for k in range(2)
    )
    return made._getvalue()


def _dual(active: Any, builder: Any, leaf: Leaf, value: Any, tangent: Any) -> Any:
    """A bare number of the target ``Forward``."""
    inner = active.inner()
    if leaf.parts == 1:
        return inner.bare_lifted(builder, leaf.kind, value, tangent)
    made = ir.Constant(inner.get_value_type(leaf.kind), ir.Undefined)
    for k in range(2):
        part = [builder.extract_value(x, k) for x in (value, tangent)]
        made = builder.insert_value(made, inner.bare_lifted(builder, leaf.real, *part), k)
    return made


def _array_at(active: Any, builder: Any, kind: Any, address: Any, shape: Sequence[Any]) -> Any:
    """A contiguous array of laid out items that somebody else holds."""
    out = active.make_array(kind)(active, builder)
    item = WORD(active.get_abi_sizeof(active.get_data_type(kind.dtype)))
    strides, step = [], item
    for n in shape if kind.layout == "F" else reversed(shape):
        strides.append(step)
        step = builder.mul(step, n)
    strides = strides if kind.layout == "F" else strides[::-1]
    populate_array(out, builder.inttoptr(address, out.data.type), list(shape), strides, item, None)
    return out._getvalue()


def _parts(context: Any, active: Any, builder: Any, kind: Any, x: Any) -> Iterator[Any]:
    if isinstance(kind, types.BaseTuple):
        for k, inner in enumerate(kind):
            yield from _parts(context, active, builder, inner, builder.extract_value(x, k))
        return
    if not is_number_or_array(kind):
        yield x
        return
    leaf = Leaf("", kind)
    for part in range(leaf.parts):
        if leaf.is_array:
            yield from _views(context, active, builder, leaf, x, part)
        else:
            number = x if leaf.parts == 1 else builder.extract_value(x, part)
            value = builder.extract_value(number, 0)
            yield builder.extract_value(value, 0) if active.has_tangents else value
            yield builder.extract_value(number, 1)


def _views(context: Any, active: Any, builder: Any, leaf: Leaf, x: Any, part: int) -> Iterator[Any]:
    """Two plain arrays in the memory of an active one: of the values, and of the places, of a part of its items."""
    given = active.make_array(leaf.kind)(active, builder, x)
    number = active.get_data_type(leaf.real)
    size = active.get_abi_sizeof(number)
    base = builder.add(builder.ptrtoint(given.data, WORD), WORD(part * size))
    is_first = part == 0
    for item, offset in ((leaf.real, 0), (types.int64, size - 8)):
        kind = types.Array(item, leaf.kind.ndim, "A")
        out = context.make_array(kind)(context, builder)
        data = builder.inttoptr(builder.add(base, WORD(offset)), context.get_data_type(item).as_pointer())
        shape, strides = (cgutils.unpack_tuple(builder, n) for n in (given.shape, given.strides))
        populate_array(
            out, data, shape, strides, WORD(context.get_abi_sizeof(context.get_data_type(item))), given.meminfo
        )
        if not (is_first and offset == 0):  # the first has the reference that the function gave
            context.nrt.incref(builder, kind, out._getvalue())
        yield out._getvalue()

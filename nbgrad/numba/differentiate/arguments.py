"""Arguments and results of differentiated functions: which parts have derivatives, and how they are laid out and
read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from nbgrad.kernels.numba_target import cgutils, populate_array
from nbgrad.numba.differentiate.helpers import helper
from nbgrad.numba.differentiate.layout import is_active
from nbgrad.numba.differentiate.memory import WORD, number, set_number, set_word, word
from nbgrad.numba.differentiate.tape import (
    COTANGENTS_AT,
    FIRST_PLACE,
    HIGH,
    IS_WRITTEN,
    ITEM_WORDS,
    LAID_AT,
    LOW,
    NEXT,
    OTHER_SHAPE,
    STATUS,
)
from nbgrad.numba.differentiate.tape_calls import begin_array, note_of


class Leaf(NamedTuple):
    """A number or an array in an argument, by the expression that leads there."""

    path: str
    kind: Any  # Numba's type

    @property
    def is_array(self) -> bool:
        return isinstance(self.kind, types.Array)

    @property
    def number(self) -> Any:
        return self.kind.dtype if self.is_array else self.kind

    @property
    def parts(self) -> int:
        """Floats in an item."""
        return 2 if isinstance(self.number, types.Complex) else 1

    @property
    def real(self) -> Any:
        """The type of these."""
        return self.number.underlying_float if self.parts == 2 else self.number


def leaves(path: str, kind: Any) -> Iterator[Leaf]:
    """The parts of an argument that have derivatives, in order."""
    if isinstance(kind, types.BaseTuple):
        for k, inner in enumerate(kind):
            yield from leaves(f"{path}[{k}]", inner)
    elif is_number_or_array(kind):
        yield Leaf(path, kind)


def written_arrays(path: str, kind: Any) -> Iterator[str]:
    """The arrays without derivatives in an argument that a function may write to, as far as they are in no tuple of
    such alone."""
    if isinstance(kind, types.BaseTuple) and is_active(kind):
        for k, inner in enumerate(kind):
            yield from written_arrays(f"{path}[{k}]", inner)
    elif isinstance(kind, types.Array) and kind.mutable and not is_active(kind):
        yield path


def is_number_or_array(kind: Any) -> bool:
    number = kind.dtype if isinstance(kind, types.Array) else kind
    return isinstance(number, (types.Float, types.Complex)) and number in (
        types.float32,
        types.float64,
        types.complex64,
        types.complex128,
    )


# ---- for drivers


@intrinsic  # type: ignore[untyped-decorator]
def flat(typing: Any, x: Any) -> Any:
    """The floats of an array that is contiguous, as an array of one dim."""
    leaf = Leaf("", x)
    array = types.Array(leaf.real, 1, "C")

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = context.make_array(x)(context, builder, args[0])
        item = context.get_value_type(leaf.real)
        size = WORD(context.get_abi_sizeof(item))
        out = context.make_array(array)(context, builder)
        count = builder.mul(given.nitems, WORD(leaf.parts))
        populate_array(out, builder.bitcast(given.data, item.as_pointer()), [count], [size], size, given.meminfo)
        context.nrt.incref(builder, array, out._getvalue())
        return out._getvalue()

    return array(x), written


@intrinsic  # type: ignore[untyped-decorator]
def _note_extent(typing: Any, note: Any, x: Any) -> Any:
    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = context.make_array(x)(context, builder, args[1])
        low = high = builder.ptrtoint(given.data, WORD)
        for n, stride in zip(
            cgutils.unpack_tuple(builder, given.shape), cgutils.unpack_tuple(builder, given.strides), strict=True
        ):
            step = builder.mul(builder.sub(n, WORD(1)), stride)
            is_back = builder.icmp_signed("<", step, WORD(0))
            low = builder.add(low, builder.select(is_back, step, WORD(0)))
            high = builder.add(high, builder.select(is_back, WORD(0), step))
        high = builder.add(high, given.itemsize)
        is_empty = builder.icmp_signed("==", given.nitems, WORD(0))
        cells = builder.inttoptr(args[0], WORD.as_pointer())
        for j, known in ((LOW, low), (HIGH, builder.select(is_empty, low, high)), (IS_WRITTEN, WORD(1))):
            builder.store(known, builder.gep(cells, [WORD(j)]))
        return context.get_dummy_value()

    return types.void(types.int64, x), written


@helper
def note_extent(tape: int, k: int, x: Any) -> None:
    """Note where an array lies, as if it were written to."""
    _note_extent(note_of(tape, k), x)


def contiguous(x: Any) -> Any:
    """An array, or what is in it as one that is row-major."""
    raise NotImplementedError


@overload(contiguous, strict=False)  # type: ignore[untyped-decorator]
def _contiguous(x: Any) -> Any:
    return (lambda x: np.ascontiguousarray(x)) if x.layout == "A" else lambda x: x


@helper
def lay_out(tape: int, k: int, x: Any) -> Any:
    """Lay out an array's floats as (value, place); the address. It is the k-th of those that are noted."""
    note_extent(tape, k, x)
    floats = flat(contiguous(x))
    first = begin_array(tape, k, len(floats), 2, 2)
    address = word(note_of(tape, k), LAID_AT)
    for i in range(len(floats)):
        set_value(address, 2 * i, floats[i])
        set_word(address, 2 * i + 1, first + i)
    return address


@helper
def lay_out_twice(tape: int, k: int, x: Any, along: Any) -> Any:
    """The same as (value, tangent, place)."""
    note_extent(tape, k, x)
    floats = flat(contiguous(x))
    first = begin_array(tape, k, len(floats), 2 if floats.itemsize == 4 else 3, 3)
    address = word(note_of(tape, k), LAID_AT)
    for i in range(len(floats)):
        set_duals(address, i, floats[i], along[i], first + i)
    return address


@intrinsic  # type: ignore[untyped-decorator]
def set_value(typing: Any, address: Any, k: Any, x: Any) -> Any:
    """Write a float where the k-th word begins."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cell = builder.gep(builder.inttoptr(args[0], WORD.as_pointer()), [args[1]])
        builder.store(args[2], builder.bitcast(cell, args[2].type.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, x), written


@intrinsic  # type: ignore[untyped-decorator]
def set_duals(typing: Any, address: Any, k: Any, x: Any, along: Any, place: Any) -> Any:
    """Write the k-th struct {{value, tangent}, place}."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        item = dual_item(context, x)
        cell = builder.gep(builder.inttoptr(args[0], item.as_pointer()), [args[1]])
        zero = ir.IntType(32)(0)
        for path, value in (((0, 0), args[2]), ((0, 1), args[3]), ((1,), args[4])):
            builder.store(value, builder.gep(cell, [zero, *[ir.IntType(32)(n) for n in path]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, x, x, types.int64), written


def dual_item(context: Any, kind: Any) -> Any:
    number = context.get_value_type(kind)
    return ir.LiteralStructType([ir.LiteralStructType([number, number]), WORD])


@helper
def gradient(tape: int, copy: int, k: int, x: Any) -> Any:
    """The cotangents of x, the k-th of those that are noted, as an array like it; copy 1: their tangents."""
    out, at = np.empty_like(x), copy * word(tape, NEXT) + word(note_of(tape, k), FIRST_PLACE)
    floats, g = flat(out), word(tape, COTANGENTS_AT)
    for i in range(len(floats)):
        floats[i] = number(g, at + i)
    return out


@intrinsic  # type: ignore[untyped-decorator]
def value_at(typing: Any, address: Any, k: Any, like: Any) -> Any:
    """The float where the k-th word begins."""

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        cell = builder.gep(builder.inttoptr(args[0], WORD.as_pointer()), [args[1]])
        return builder.load(builder.bitcast(cell, args[2].type.as_pointer()))

    return like(types.int64, types.int64, like), written


@helper
def note_written(tape: int, k: int, x: Any) -> None:
    """Note whether an argument's laid out items were written to: whether they have other places, or are other numbers
    than those of ``x``, which is the k-th."""
    note, found, floats = note_of(tape, k), False, flat(contiguous(x))
    address, words, first = word(note, LAID_AT), word(note, ITEM_WORDS), word(note, FIRST_PLACE)
    for i in range(len(floats)):
        value, before = value_at(address, words * i, floats[i]), floats[i]
        found |= word(address, words * (i + 1) - 1) != first + i
        found |= value != before and (value == value or before == before)
    set_word(note, IS_WRITTEN, found)


@helper
def note_different(tape: int, k: int, a: Any, b: Any) -> None:
    """Note whether the k-th array, of whole numbers, differs from its copy. (Numba 0.62 has no ``array_equal`` for
    bools without dims.)"""
    found = False
    for x, y in zip(a.flat, b.flat):  # noqa: B905  (as Numba knows it)
        found |= x != y
    set_word(note_of(tape, k), IS_WRITTEN, found)


@helper
def add_cotangents(tape: int, places: Any, v: Any) -> None:
    """Add the cotangents ``v`` of results that have these places."""
    if word(tape, STATUS) != 0:
        return
    if places.shape != v.shape:
        set_word(tape, STATUS, OTHER_SHAPE)
        return
    g = word(tape, COTANGENTS_AT)
    for index in np.ndindex(places.shape):
        place = places[index]
        if place != 0:
            set_number(g, place, number(g, place) + v[index])


@helper
def joined(real: Any, imag: Any) -> Any:
    """A complex array of its parts."""
    return real + imag * np.complex64(1j)

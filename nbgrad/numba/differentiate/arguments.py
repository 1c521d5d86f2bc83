"""Arguments and results of differentiated functions: which parts have derivatives, and how they are laid out and
read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from nbgrad.kernels.numba_target import cgutils, empty_array
from nbgrad.numba.differentiate import tape_arrays
from nbgrad.numba.differentiate.helpers import helper
from nbgrad.numba.differentiate.layout import is_active
from nbgrad.numba.differentiate.tape_calls import call, described


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
def gradient(typing: Any, tape: Any, copy: Any, k: Any, x: Any) -> Any:
    """The cotangents of x, the k-th of those that are noted, as an array like it; copy 1: their tangents."""
    kind = types.Array(x.dtype, x.ndim, "F" if x.layout == "F" else "C")

    def written(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = context.make_array(x)(context, builder, args[3])
        out = empty_array(context, builder, kind, cgutils.unpack_tuple(builder, given.shape))._getvalue()
        words = described(context, builder, (*signature.args[:3], kind), (*args[:3], out))
        call(context, builder, tape_arrays.gradient, words)
        return out

    return kind(types.int64, types.int64, types.int64, x), written


@helper
def joined(real: Any, imag: Any) -> Any:
    """A complex array of its parts."""
    return real + imag * np.complex64(1j)

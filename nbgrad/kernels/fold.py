"""What a reduction does with two values: identity, combination, and the tree in which the lanes meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nbgrad.graph.dtypes import bool_, by_name, int64
from nbgrad.kernels.values import Vec
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.ops.reduce import identity
from nbgrad.tape.kernel import KernelText, Reduction

Accumulator = tuple[Vec, ...]  # one vector; for argmax and argmin two: value and index

LAST_INDEX: Final = (1 << 63) - 1  # an index that loses every tie


class Fold:
    """One reduction of a kernel over vectors."""

    def __init__(self, b: VectorBuilder, text: KernelText, reduction: Reduction) -> None:
        self.b = b
        self.op = reduction.op
        self.args = reduction.args
        values = text.dtypes
        self.dtypes = tuple([by_name(values[a]) for a in reduction.args])
        self.result = len(self.dtypes) - 1  # the part that the finish sees: the value, or the index
        self.outs = [(part, out) for part, out in enumerate(reduction.outs) if out >= 0]
        if self.op not in ("argmax", "argmin"):
            assert len(self.dtypes) == 1, f"{self.op} folds one value"
        assert self.op not in ("sum", "prod") or self.dtypes[0] is not bool_, f"{self.op} needs numbers"

    def identity(self) -> Accumulator:
        """The value that changes nothing."""
        dtype = self.dtypes[0]
        first = self.b.const(identity(self.op.replace("arg", "a"), dtype), dtype)
        return (first,) if len(self.dtypes) == 1 else (first, self.b.const(LAST_INDEX, int64))

    def combine(self, a: Accumulator, x: Accumulator) -> Accumulator:
        """``a`` and then ``x``."""
        if len(a) == 1:
            return (_COMBINE[self.op](self.b, a[0], x[0]),)
        wins = self._wins(a, x)
        return self.b.select(wins, x[0], a[0]), self.b.select(wins, x[1], a[1])

    def _wins(self, a: Accumulator, x: Accumulator) -> Vec:
        """Whether x stands before a: NaN before numbers, the extreme before others, then the smaller index."""
        b = self.b
        better = (b.gt if self.op == "argmax" else b.lt)(x[0], a[0])
        tie = b.eq(x[0], a[0])
        if self.dtypes[0].is_floating_point:
            a_nan, x_nan = b.ne(a[0], a[0]), b.ne(x[0], x[0])
            tie = b.bit_or(tie, b.bit_and(a_nan, x_nan))
            better = b.bit_or(better, b.bit_and(x_nan, b.bit_not(a_nan)))
        return b.bit_or(better, b.bit_and(tie, b.lt(x[1], a[1])))

    def only(self, mask: Any, x: Accumulator) -> Accumulator:
        """``x`` with the identity in the lanes that aren't live."""
        if mask is None:
            return x
        live = Vec(mask, bool_)
        return tuple([self.b.select(live, v, e) for v, e in zip(x, self.identity(), strict=True)])

    def meet(self, parts: list[Accumulator]) -> Accumulator:
        """All lanes of ``parts`` folded into lane 0: lane i with lane i + half, the halves halving."""
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [self.combine(parts[i], parts[i + half]) for i in range(half)]
        whole = parts[0]
        half = self.b.lanes // 2
        while half:
            whole = self.combine(whole, tuple([self.b.upper(v, half) for v in whole]))
            half //= 2
        return whole


_COMBINE: Final[dict[str, Callable[[VectorBuilder, Vec, Vec], Vec]]] = {
    "sum": lambda b, a, x: b.add(a, x),
    "prod": lambda b, a, x: b.mul(a, x),
    "amax": lambda b, a, x: b.maximum(a, x),
    "amin": lambda b, a, x: b.minimum(a, x),
}

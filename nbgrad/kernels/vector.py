"""The CPU's Builder: every operation on one vector of lanes, as LLVM IR.

No fast-math flag is ever set and nothing is contracted, so each lane has the bits of IEEE arithmetic whatever the
width. Operations that LLVM leaves undefined (division by 0, shifts and casts out of range) get a defined answer here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from nbgrad.graph.dtypes import DType, bool_
from nbgrad.kernels import casts, integers, ir, picking, rounding
from nbgrad.kernels.flow import Variable
from nbgrad.kernels.lanes import Lanes
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import SCALARS, Vec, intrinsic, literal, suffix

SAME_WIDTH: Final = {"float32": "int32", "float64": "int64", "int32": "float32", "int64": "float64"}


Operation = Callable[..., Vec]  # of a builder and its operands


def _rounded(how: str) -> Operation:
    return lambda b, x: rounding.round_to(b, how, x)


def _comparison(how: str) -> Operation:
    def compared(b: VectorBuilder, x: Vec, y: Vec) -> Vec:
        if x.dtype.kind == "f":
            compare = b.ir.fcmp_unordered if how == "!=" else b.ir.fcmp_ordered
        else:
            compare = b.ir.icmp_signed if x.dtype.is_signed else b.ir.icmp_unsigned
        return Vec(compare(how, x.value, y.value), bool_)

    return compared


def _shift(name: str) -> Operation:
    def shifted(b: VectorBuilder, x: Vec, n: int | Vec) -> Vec:
        # Only the low bits of the amount count: LLVM leaves longer shifts undefined.
        last = 8 * x.dtype.itemsize - 1
        by = b.const(n & last, x.dtype) if isinstance(n, int) else b.bit_and(n, b.const(last, x.dtype))
        return Vec(getattr(b.ir, name)(x.value, by.value), x.dtype)

    return shifted


def _arithmetic(of_floats: str, of_integers: str) -> Operation:
    return lambda b, x, y: Vec(
        getattr(b.ir, of_floats if x.dtype.kind == "f" else of_integers)(x.value, y.value), x.dtype
    )


class VectorBuilder(Lanes):
    """Implements ``nbgrad.graph.builder.Builder`` over <lanes x T>.

    ``live`` is the mask of lanes that exist (None: all of them); ``fail_if`` and ``take`` heed it. ``on_failure(code)``
    emits the way out of the kernel.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        lanes: int,
        target: Target,
        functions: SharedFunctions,
        on_failure: Callable[[int], None] | None = None,
    ) -> None:
        self.ir = builder
        self.lanes = lanes
        self.target = target
        self.functions = functions
        self.on_failure = on_failure
        self.live: Any = None
        self.loops: dict[Any, tuple[Any, list[Vec]]] = {}  # those emitted where we are, by what they are given

    # Values
    def dtype_of(self, x: Vec) -> DType:
        return x.dtype

    def const(self, value: float | int | bool, dtype: DType) -> Vec:
        return Vec(self.constant(literal(value, dtype), SCALARS[dtype.name]), dtype)

    def type_of(self, dtype: DType) -> Any:
        """The LLVM vector type of a value of ``dtype``."""
        return self.vector(SCALARS[dtype.name])

    def call(self, name: str, *args: Vec, result: DType | None = None) -> Vec:
        """LLVM's intrinsic ``name`` on vectors of one type."""
        kind = args[0].value.type
        function = intrinsic(self.ir.module, f"llvm.{name}.{suffix(kind)}", kind, [kind] * len(args))
        return Vec(self.ir.call(function, [a.value for a in args]), result or args[0].dtype)

    # Arithmetic
    add, sub, mul = map(_arithmetic, ("fadd", "fsub", "fmul"), ("add", "sub", "mul"))

    def div(self, a: Vec, b: Vec) -> Vec:
        return Vec(self.ir.fdiv(a.value, b.value), a.dtype)

    quotient, remainder = integers.quotient, integers.remainder

    def neg(self, x: Vec) -> Vec:
        if x.dtype.kind == "f":
            return Vec(self.ir.fneg(x.value), x.dtype)
        return self.sub(self.const(0, x.dtype), x)

    def abs(self, x: Vec) -> Vec:
        if x.dtype.kind == "f":
            return self.call("fabs", x)
        return self.select(self.lt(x, self.const(0, x.dtype)), self.neg(x), x) if x.dtype.is_signed else x

    def fma(self, a: Vec, b: Vec, c: Vec) -> Vec:
        return self.call("fma", a, b, c)

    def sqrt(self, x: Vec) -> Vec:
        return self.call("sqrt", x)

    def minimum(self, a: Vec, b: Vec) -> Vec:
        if a.dtype.kind == "f":
            return self.call("minimum", a, b)  # IEEE 754-2019: NaN passes on, -0 < +0
        return self.bit_and(a, b) if a.dtype.kind == "b" else self.select(self.lt(a, b), a, b)

    def maximum(self, a: Vec, b: Vec) -> Vec:
        if a.dtype.kind == "f":
            return self.call("maximum", a, b)
        return self.bit_or(a, b) if a.dtype.kind == "b" else self.select(self.gt(a, b), a, b)

    floor, ceil, trunc, round = map(_rounded, ("floor", "ceil", "trunc", "roundeven"))

    def copysign(self, x: Vec, sign: Vec) -> Vec:
        return self.call("copysign", x, sign)

    # Comparison and choice
    lt, le, gt, ge, eq, ne = map(_comparison, ("<", "<=", ">", ">=", "==", "!="))

    def select(self, mask: Vec, a: Vec, b: Vec) -> Vec:
        return Vec(self.ir.select(mask.value, a.value, b.value), a.dtype)

    # Bits
    bit_and, bit_or, bit_xor = map(_arithmetic, ("and_", "or_", "xor"), ("and_", "or_", "xor"))

    def bit_not(self, x: Vec) -> Vec:
        return self.bit_xor(x, self.const(-1, x.dtype))

    shl, lshr, ashr = map(_shift, ("shl", "lshr", "ashr"))

    # Casts
    cast = casts.cast

    def bitcast(self, x: Vec, dtype: DType) -> Vec:
        assert SAME_WIDTH[x.dtype.name] == dtype.name or dtype is x.dtype
        return Vec(self.ir.bitcast(x.value, self.type_of(dtype)), dtype)

    pick = picking.pick

    def rare(self, mask: Vec, y: Vec, name: str, *args: Vec) -> Vec:
        """y, with the rare function ``name`` of args in the lanes of ``mask``; with none set, a test and a branch."""
        before = self.ir.block
        with self.ir.if_then(self.any(mask), is_rare=True):
            chosen = self.select(mask, self.functions.call(self, name, *args), y)
            inside = self.ir.block
        return Vec(self.ir.phi([(y.value, before), (chosen.value, inside)]), y.dtype)

    def function(self, name: str, *args: Vec) -> Vec:
        return self.functions.call(self, name, *args)

    def fmod(self, a: Vec, b: Vec) -> Vec:
        return self.function("fmod", a, b)

    def repeat(
        self,
        body: str,
        going: Vec,
        state: Sequence[Vec],
        fixed: Sequence[Vec],
        step: Callable[[Sequence[Vec]], tuple[Vec, list[Vec]]],
    ) -> list[Vec]:
        given = (going, *state, *fixed)
        key = (body, *[id(x) for x in given])
        if key not in self.loops:
            self.loops[key] = given, self._repeated(going, state, step)
        return self.loops[key][1]

    def _repeated(
        self, going: Vec, state: Sequence[Vec], step: Callable[[Sequence[Vec]], tuple[Vec, list[Vec]]]
    ) -> list[Vec]:
        outside = self.live
        head, inside, done = [self.ir.append_basic_block(name) for name in ("repeat", "again", "repeated")]
        begin = going if outside is None else self.bit_and(going, Vec(outside, bool_))
        lanes = Variable(self.ir, begin.value.type, begin.value)
        places = [Variable(self.ir, x.value.type, x.value) for x in state]
        self.ir.branch(head)
        self.ir.position_at_end(head)
        mask = Vec(lanes.get(), bool_)
        self.ir.cbranch(self.any(mask), inside, done)
        self.ir.position_at_end(inside)
        self.live = mask.value
        before = [Vec(place.get(), x.dtype) for place, x in zip(places, state, strict=True)]
        goes_on, following = step(before)
        for place, old, new in zip(places, before, following, strict=True):
            place.set(self.select(mask, new, old).value)
        lanes.set(self.bit_and(mask, goes_on).value)
        self.ir.branch(head)
        self.ir.position_at_end(done)
        self.live = outside
        return [Vec(place.get(), x.dtype) for place, x in zip(places, state, strict=True)]

    # Failure
    def fail_where(self, condition: Any, code: int) -> None:
        """Fail on one bit, of all lanes together."""
        assert self.on_failure is not None, "this function cannot fail"
        with self.ir.if_then(condition, is_rare=True):
            self.on_failure(code)

    def fail_if(self, mask: Vec, code: int) -> None:
        assert self.on_failure is not None, "this function cannot fail"
        if self.live is not None:
            mask = self.bit_and(mask, Vec(self.live, bool_))
        with self.ir.if_then(self.any(mask), is_rare=True):
            self.on_failure(code)

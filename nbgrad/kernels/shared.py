"""Functions that many kernels need: the first uses are inlined, the others call one copy in the module.

Inlining 100 exp takes 169 ms to compile, calling one copy 21 ms; up to a few uses inlining costs little and runs
faster. What was computed before in the same block of code is there, and not computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from nbgrad.kernels import ir
from nbgrad.kernels.elementary import ELEMENTARY, PARTS, RARE
from nbgrad.kernels.rounding import fmod
from nbgrad.kernels.values import Vec, shared_function

if TYPE_CHECKING:
    from nbgrad.kernels.vector import VectorBuilder

INLINE_LIMIT: Final = 8  # uses in one kernel

# fmod has a loop of its own, which would take stack in the loop of the kernel; the others are hardly ever entered.
OUT_OF_LINE: Final = frozenset(("fmod", *RARE))
IN_PLACE: Final = frozenset(("erf",))  # little but calls of functions that other statements call, too


class SharedFunctions:
    """The elementary functions of one kernel."""

    def __init__(self, module: ir.Module, most_inlined: int = INLINE_LIMIT) -> None:
        self.module = module
        self.most_inlined = most_inlined
        self._inlined = 0
        self._depth = 0
        self._computed: dict[tuple[Any, ...], Vec] = {}

    def call(self, b: VectorBuilder, name: str, *args: Vec) -> Vec:
        """``name`` of vectors of one dtype. A function used by another one's body is part of that body."""
        if name in IN_PLACE:
            return _body(name)(b, *args)
        words = name, args[0].dtype, *[a.value.text for a in args]  # a zero is written alike in all dtypes
        found = self._computed.get((b.ir.block, *words))
        if found is None:
            found = self._emit(b, name, args)
            self._computed[b.ir.block, *words] = found  # which may be another block than before
        return found

    def _emit(self, b: VectorBuilder, name: str, args: tuple[Vec, ...]) -> Vec:
        if name not in OUT_OF_LINE and (self._depth or self._inlined < self.most_inlined):
            return self._inline(b, name, args)
        function = self._copy(b, name, args)
        return Vec(b.ir.call(function, [a.value for a in args]), args[0].dtype)

    def _inline(self, b: VectorBuilder, name: str, args: tuple[Vec, ...]) -> Vec:
        self._inlined += self._depth == 0
        self._depth += 1
        try:
            return _body(name)(b, *args)
        finally:
            self._depth -= 1

    def _copy(self, b: VectorBuilder, name: str, args: tuple[Vec, ...]) -> Any:
        """The module's copy of ``name`` for this dtype and width."""
        dtype, kind = args[0].dtype, args[0].value.type

        def write(function: ir.Function) -> None:
            inner = type(b)(ir.IRBuilder(function), b.lanes, b.target, self)
            self._depth += 1
            try:
                result = _body(name)(inner, *[Vec(a, dtype) for a in function.args])
            finally:
                self._depth -= 1
            inner.ir.ret(result.value)

        meets = ["convergent"] * b.target.is_thread  # its threads may meet in it
        function_type = ir.FunctionType(kind, [kind] * len(args))
        return shared_function(self.module, f"nbe_{name}_{dtype.name}x{b.lanes}", function_type, write, *meets)


def _body(name: str) -> Callable[..., Vec]:
    if name == "fmod":
        return fmod
    return next(table[name] for table in (ELEMENTARY, PARTS, RARE) if name in table)

"""Lanes as the 32 threads of a warp: a value is one scalar in each thread, what lanes do together is an exchange.

Control flow stays the same for all threads of a warp: what one lane decides alone it decides by masks. So a warp never
falls apart, and a kernel that fails leaves with all its threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from nbgrad.graph.dtypes import DType
from nbgrad.kernels import ir
from nbgrad.kernels.values import DEVICE_POINTER, I1, I32, I64, POINTER, Vec, intrinsic
from nbgrad.kernels.vector import VectorBuilder
from nbgrad.tape.kernel import LANES

ALL_LANES: Final = I32(-1)
LAST_LANE: Final = I32(LANES - 1)  # also how a shuffle says that all 32 threads exchange


class ThreadBuilder(VectorBuilder):
    """Implements ``Builder`` for one thread of a warp, as LLVM IR for PTX.

    Addresses are of the device's memory, but ``in_scratch`` of any: a scratch lies there or is shared by a block.
    """

    _pointer: Any = DEVICE_POINTER
    _is_unwritten = False

    # Types and constants
    def vector(self, scalar: Any) -> Any:
        return scalar

    def constant(self, text: str, scalar: Any) -> Any:
        return ir.FormattedConstant(scalar, text)

    def numbers(self, scalar: Any) -> Any:
        number = self.register("laneid")
        return number if scalar is I32 else self.ir.zext(number, scalar)

    def register(self, name: str) -> Any:
        """A special register of the thread."""
        return self.ir.call(intrinsic(self.ir.module, f"llvm.nvvm.read.ptx.sreg.{name}", I32, []), [])

    # Between lanes
    def splat(self, scalar: Any, dtype: DType) -> Vec:
        return Vec(scalar, dtype)

    def first_everywhere(self, x: Vec) -> Vec:
        return self._exchanged("idx", x, I32(0))

    def uniform(self, x: Vec) -> Any:
        return x.value

    def upper(self, x: Vec, half: int) -> Vec:
        return self._exchanged("down", x, I32(half))

    def from_lane(self, x: Vec, lane: Any) -> Any:
        return self._exchanged("idx", x, lane).value

    def once(self) -> AbstractContextManager[Any]:
        is_first = self.ir.icmp_unsigned("==", self.numbers(I32), I32(0))
        inside: AbstractContextManager[Any] = self.ir.if_then(is_first)
        return inside

    def any(self, mask: Vec) -> Any:
        return self._vote("any.sync", I1, mask)

    def ballot(self, mask: Vec) -> Any:
        return self._vote("ballot.sync", I32, mask)

    def _vote(self, how: str, result: Any, mask: Vec) -> Any:
        function = intrinsic(self.ir.module, f"llvm.nvvm.vote.{how}", result, [I32, I1])
        return self.ir.call(function, [ALL_LANES, mask.value])

    def settle(self) -> None:
        self.ir.call(intrinsic(self.ir.module, "llvm.nvvm.bar.warp.sync", ir.VOID, [I32]), [ALL_LANES])

    def _exchanged(self, how: str, x: Vec, lane: Any) -> Vec:
        kind = x.value.type
        words = [self._exchange_word(how, word, lane) for word in self._words(x)]
        whole = words[0]
        if len(words) == 2:
            low, high = (self.ir.zext(word, I64) for word in words)
            whole = self.ir.or_(low, self.ir.shl(high, I64(32)))
        if x.dtype.kind == "f":
            return Vec(self.ir.bitcast(whole, kind), x.dtype)
        return Vec(whole if kind.width >= 32 else self.ir.trunc(whole, kind), x.dtype)

    def _words(self, x: Vec) -> list[Any]:
        """``x`` as i32, the low word first."""
        whole = x.value
        if x.dtype.kind == "f":
            whole = self.ir.bitcast(whole, I64 if x.dtype.itemsize == 8 else I32)
        if whole.type.width < 32:
            return [self.ir.zext(whole, I32)]
        if whole.type.width == 32:
            return [whole]
        return [self.ir.trunc(whole, I32), self.ir.trunc(self.ir.lshr(whole, I64(32)), I32)]

    def _exchange_word(self, how: str, word: Any, lane: Any) -> Any:
        function = intrinsic(self.ir.module, f"llvm.nvvm.shfl.sync.{how}.i32", I32, [I32] * 4)
        return self.ir.call(function, [ALL_LANES, word, lane, LAST_LANE])

    # Memory
    @contextmanager
    def in_scratch(self) -> Iterator[None]:
        outside, self._pointer = self._pointer, POINTER
        yield
        self._pointer = outside

    @contextmanager
    def unwritten(self) -> Iterator[None]:
        self._is_unwritten = True
        yield
        self._is_unwritten = False

    def pointer(self, address: Any) -> Any:
        return self.ir.inttoptr(address, self._pointer)

    def load_first(self, address: Any, kind: Any, itemsize: int) -> Any:
        return self.ir.load(self.pointer(address), align=itemsize, typ=kind, invariant=self._is_unwritten)

    def load_row(self, address: Any, kind: Any, itemsize: int) -> Any:
        return self.load_each(self._along(address, itemsize), kind, itemsize)

    def load_each(self, addresses: Any, kind: Any, itemsize: int) -> Any:
        return self.load_first(addresses, kind, itemsize)

    def store_first(self, value: Any, address: Any, itemsize: int) -> None:
        with self.once():
            self.store_each(value, address, itemsize)

    def store_row(self, value: Any, address: Any, itemsize: int) -> None:
        self.store_each(value, self._along(address, itemsize), itemsize)

    def store_each(self, value: Any, addresses: Any, itemsize: int) -> None:
        self.ir.store(value, self.pointer(addresses), align=itemsize)

    def store_some(self, value: Any, addresses: Any, itemsize: int, mask: Any) -> None:
        with self.ir.if_then(mask):
            self.store_each(value, addresses, itemsize)

    def add_some(self, value: Vec, addresses: Any, mask: Any) -> None:
        with self.ir.if_then(mask):
            how = "fadd" if value.dtype.is_floating_point else "add"
            self.ir.atomic_rmw(how, self.pointer(addresses), value.value, "monotonic")

    def _along(self, address: Any, itemsize: int) -> Any:
        return self.ir.add(address, self.ir.mul(self.numbers(I64), I64(itemsize)))

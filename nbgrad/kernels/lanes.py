"""Lanes side by side in a vector: all that the emitters know of how the elements of one step lie beside each other.

``nbgrad/kernels/thread.py`` answers the same questions where each lane is a thread of a GPU.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from nbgrad.graph.dtypes import DType, bool_, int64
from nbgrad.kernels import ir
from nbgrad.kernels.flow import until_zero
from nbgrad.kernels.shared import SharedFunctions
from nbgrad.kernels.target import Target
from nbgrad.kernels.values import (
    I1,
    I32,
    I64,
    POINTER,
    Vec,
    intrinsic,
    lane_numbers,
    shuffle_mask,
    splat_constant,
    suffix,
    vector_type,
)


class Lanes:
    """A value is a vector <lanes x T>; what lanes do together is a shuffle."""

    ir: ir.IRBuilder
    lanes: int
    target: Target
    functions: SharedFunctions

    # Types and constants
    def vector(self, scalar: Any) -> Any:
        """The LLVM type of one ``scalar`` a lane."""
        return vector_type(scalar, self.lanes)

    def constant(self, text: str, scalar: Any) -> Any:
        """The literal ``text`` in all lanes."""
        return splat_constant(text, scalar, self.lanes)

    def numbers(self, scalar: Any) -> Any:
        """The number of each lane: 0, 1, 2, ..."""
        return lane_numbers(scalar, self.lanes)

    # Between lanes
    def splat(self, scalar: Any, dtype: DType) -> Vec:
        """``scalar`` (an LLVM value) in all lanes."""
        empty = ir.undefined(self.vector(scalar.type))
        first = self.ir.insert_element(empty, scalar, I32(0))
        return Vec(self.ir.shuffle_vector(first, empty, shuffle_mask((0,) * self.lanes)), dtype)

    def first_everywhere(self, x: Vec) -> Vec:
        """Lane 0 of ``x`` in all lanes."""
        return Vec(self.ir.shuffle_vector(x.value, x.value, shuffle_mask((0,) * self.lanes)), x.dtype)

    def uniform(self, x: Vec) -> Any:
        """The scalar that all lanes of ``x`` hold."""
        return self.ir.extract_element(x.value, I32(0))

    def upper(self, x: Vec, half: int) -> Vec:
        """Lane i + ``half`` of ``x`` in each lane i below ``half``; in the others anything."""
        order = shuffle_mask(tuple([(i + half) % self.lanes for i in range(self.lanes)]))
        return Vec(self.ir.shuffle_vector(x.value, x.value, order), x.dtype)

    def any(self, mask: Vec) -> Any:
        """Whether any lane of ``mask`` is set, as an i1."""
        bits = ir.IntType(self.lanes)
        return self.ir.icmp_unsigned("!=", self.ir.bitcast(mask.value, bits), bits(0))

    def ballot(self, mask: Vec) -> Any:
        """An integer with one bit for each lane: those of ``mask`` are set."""
        return self.ir.bitcast(mask.value, ir.IntType(self.lanes))

    def from_lane(self, x: Vec, lane: Any) -> Any:
        """The scalar that lane number ``lane`` (an i32) has of ``x``."""
        return self.ir.extract_element(x.value, lane)

    def once(self) -> AbstractContextManager[Any]:
        """What is written inside is done once, not by every lane."""
        return nullcontext()

    def in_scratch(self) -> AbstractContextManager[Any]:
        """What is loaded and stored inside lies in a kernel's scratch, and not in the memory of its operands."""
        return nullcontext()

    def unwritten(self) -> AbstractContextManager[Any]:
        """What is loaded inside is written by nobody as long as the kernel runs."""
        return nullcontext()

    def settle(self) -> None:
        """Let every lane see what the others have written to memory."""

    # Indices of lanes
    def times(self, indices: Any, factor: Any) -> Any:
        """Each lane's index times ``factor``, a scalar."""
        return self.ir.mul(indices, self.splat(factor, int64).value)

    def quotients(self, indices: Any, divisor: Any) -> Any:
        """Each lane's index over ``divisor``, a scalar; neither is negative."""
        return self.ir.udiv(indices, self.splat(divisor, int64).value)

    # Memory
    def load_first(self, address: Any, kind: Any, itemsize: int) -> Any:
        """The one element at ``address``, as a scalar."""
        return self.ir.load(self.pointer(address), align=itemsize, typ=kind)

    def store_first(self, value: Any, address: Any, itemsize: int) -> None:
        """Write lane 0 alone."""
        scalar = self.ir.extract_element(value, I32(0))
        self.ir.store(scalar, self.pointer(address), align=itemsize)

    def load_row(self, address: Any, kind: Any, itemsize: int) -> Any:
        """Elements one after the other, all of them there."""
        return self.ir.load(self.pointer(address), align=itemsize, typ=self.vector(kind))

    def store_row(self, value: Any, address: Any, itemsize: int) -> None:
        """Write all lanes one after the other."""
        self.ir.store(value, self.pointer(address), align=itemsize)

    def load_each(self, addresses: Any, kind: Any, itemsize: int) -> Any:
        """The element at each lane's address, all of them readable."""
        vector, pointers = self.vector(kind), self.ir.inttoptr(addresses, self.vector(POINTER))
        everywhere = self.constant("true", I1)
        name = f"llvm.masked.gather.{suffix(vector)}.v{self.lanes}p0"
        function = intrinsic(self.ir.module, name, vector, [pointers.type, I32, everywhere.type, vector])
        return self.ir.call(function, [pointers, I32(itemsize), everywhere, vector(None)])

    def store_each(self, value: Any, addresses: Any, itemsize: int) -> None:
        """Write each lane to its address."""
        pointers, everywhere = self.ir.inttoptr(addresses, self.vector(POINTER)), self.constant("true", I1)
        name = f"llvm.masked.scatter.{suffix(value.type)}.v{self.lanes}p0"
        function = intrinsic(self.ir.module, name, ir.VOID, [value.type, pointers.type, I32, everywhere.type])
        self.ir.call(function, [value, pointers, I32(itemsize), everywhere])

    def store_some(self, value: Any, addresses: Any, itemsize: int, mask: Any) -> None:
        """Write the lanes of ``mask``; the others write to a word on the stack that nobody reads."""
        with self.ir.goto_entry_block():
            unread = self.ir.ptrtoint(self.ir.alloca(I64), I64)
        addresses = self.ir.select(mask, addresses, self.splat(unread, int64).value)
        self.store_each(value, addresses, itemsize)

    def add_some(self, value: Vec, addresses: Any, mask: Any) -> None:
        """Add the lanes of ``mask`` to what stands at their addresses, whoever else adds there."""
        kind, size = value.value.type.element, value.dtype.itemsize
        with until_zero(self.ir, self.ballot(Vec(mask, bool_))) as lane:
            at = self.ir.extract_element(addresses, lane)
            before = self.load_first(at, kind, size)
            add = self.ir.fadd if value.dtype.is_floating_point else self.ir.add
            self.ir.store(add(before, self.from_lane(value, lane)), self.pointer(at), align=size)

    def pointer(self, address: Any) -> Any:
        return self.ir.inttoptr(address, POINTER)

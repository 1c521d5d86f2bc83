"""Memory of arrays whose floats are laid out: zeros, since ``np.empty`` must have no arbitrary places.

What large arrays had is kept for the next ones, here and in later calls: the system makes each page of new memory when
it is first touched, which takes longer than to compute what is written there.
"""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types

from nbgrad.kernels.numba_target import NRTContext, cgutils, meminfo_struct
from nbgrad.numba.differentiate.helpers import helper
from nbgrad.numba.differentiate.memory import N_BLOCKS, N_SLOTS, WORD, allocated, exchange, release, set_word, word
from nbgrad.numba.differentiate.recording import call_plain

_LARGE: Final = 1 << 17  # bytes
_MOST: Final = 1 << 24  # bytes of a block that is kept
_LINE: Final = 64  # in front of an array's memory: words that say what there is altogether, and from where
_BYTES: Final = ir.IntType(8).as_pointer()
_GIVE_BACK: Final = "nbgrad_give_back"


@helper
def taken(size: int) -> Any:
    """The address of at least ``size`` bytes; 0: no memory."""
    for slot in range(N_SLOTS, N_SLOTS + N_BLOCKS):
        data = exchange(slot, 0)
        if data != 0:
            if size <= word(data, -1) <= 2 * size:
                return data
            give_back(data)
    start = allocated(size + 2 * _LINE)
    if start == 0:
        return start
    data = (start // _LINE + 2) * _LINE
    set_word(data, -1, size)
    set_word(data, -2, start)
    return data


@helper
def give_back(data: int) -> None:
    """Keep what ``taken`` gave; where there is no room, free what was there the longest."""
    if word(data, -1) <= _MOST:
        for slot in range(N_SLOTS, N_SLOTS + N_BLOCKS):
            data = exchange(slot, data)
            if data == 0:
                return
    release(word(data, -2))


class ZeroedMemory(NRTContext):  # type: ignore[misc]
    """How Numba's code asks for it."""

    def get_meminfos(self, builder: Any, kind: Any, value: Any) -> Any:
        """A number has none, which Numba would find by taking our struct of one apart, at each use of a variable."""
        return [] if isinstance(kind, types.Number) else super().get_meminfos(builder, kind, value)

    def meminfo_alloc_aligned(self, builder: Any, size: Any, align: Any) -> Any:
        info = super().meminfo_alloc_aligned(builder, size, align)
        cgutils.memset(builder, self.meminfo_data(builder, info), size, 0)
        return info

    def meminfo_alloc_aligned_unchecked(self, builder: Any, size: Any, align: Any) -> Any:
        is_large = builder.icmp_unsigned(">=", size, WORD(_LARGE))
        found = cgutils.alloca_once(builder, _BYTES)
        with builder.if_else(is_large) as (large, small):
            with large:
                data = call_plain(self._context, builder, taken, [size])
                builder.store(_BYTES(None), found)
                with builder.if_then(builder.icmp_unsigned("!=", data, WORD(0))):
                    info = self.meminfo_alloc_dtor_unchecked(builder, WORD(8), self._give_back(builder.module))
                    builder.store(info, found)
                    with builder.if_then(cgutils.is_not_null(builder, info)):
                        where = builder.bitcast(info, meminfo_struct.as_pointer())
                        builder.store(builder.inttoptr(data, _BYTES), cgutils.gep_inbounds(builder, where, 0, 3))
                        builder.store(size, cgutils.gep_inbounds(builder, where, 0, 4))
            with small:
                builder.store(super().meminfo_alloc_aligned_unchecked(builder, size, align), found)
        return builder.load(found)

    def _give_back(self, module: Any) -> Any:
        """``give_back`` as what NRT calls when nobody has the array any more."""
        known = module.globals.get(_GIVE_BACK)
        if known is not None:
            return known
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [_BYTES, WORD, _BYTES]), _GIVE_BACK)
        function.linkage = "linkonce_odr"
        builder = ir.IRBuilder(function.append_basic_block("start"))
        call_plain(self._context, builder, give_back, [builder.ptrtoint(function.args[0], WORD)])
        builder.ret_void()
        return function

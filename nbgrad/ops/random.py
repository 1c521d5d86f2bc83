"""Counter-based random bits: every element knows its own number, whatever computes it, in whatever order."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgrad.graph.op import Params
from nbgrad.graph.spec import Spec
from nbgrad.ops.family import exact, map_shape, same_dtype

# Philox 4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
LOW = 0xFFFFFFFF


def _infer(specs: tuple[Spec, ...], params: Params) -> Spec:
    return Spec.of(map_shape("philox", specs), same_dtype("philox", specs))


def _emit(b: Any, index: Any, seed: Any, stream: Any, word: int) -> Any:
    """64 bits of the block at counter (index, stream) under key ``seed``: its words 0, 1 or its words 2, 3."""
    i64 = b.dtype_of(index)
    low = b.const(LOW, i64)
    c = [b.bit_and(index, low), b.lshr(index, 32), b.bit_and(stream, low), b.lshr(stream, 32)]
    k = [b.bit_and(seed, low), b.lshr(seed, 32)]
    for _ in range(ROUNDS):
        p0 = b.mul(c[0], b.const(MULTIPLIERS[0], i64))
        p1 = b.mul(c[2], b.const(MULTIPLIERS[1], i64))
        c = [
            b.bit_xor(b.bit_xor(b.lshr(p1, 32), c[1]), k[0]),
            b.bit_and(p1, low),
            b.bit_xor(b.bit_xor(b.lshr(p0, 32), c[3]), k[1]),
            b.bit_and(p0, low),
        ]
        k = [b.bit_and(b.add(x, b.const(w, i64)), low) for x, w in zip(k, WEYL, strict=True)]
    return b.bit_or(c[2 * word], b.shl(c[2 * word + 1], 32))


def _reference(index: Any, seed: Any, stream: Any, word: int) -> Any:
    index, seed, stream = np.broadcast_arrays(*[np.asarray(x).astype(np.uint64) for x in (index, seed, stream)])
    low, half = np.uint64(LOW), np.uint64(32)
    c = [index & low, index >> half, stream & low, stream >> half]
    k = [seed & low, seed >> half]
    for _ in range(ROUNDS):
        p0, p1 = c[0] * np.uint64(MULTIPLIERS[0]), c[2] * np.uint64(MULTIPLIERS[1])
        c = [(p1 >> half) ^ c[1] ^ k[0], p1 & low, (p0 >> half) ^ c[3] ^ k[1], p0 & low]
        k = [(x + np.uint64(w)) & low for x, w in zip(k, WEYL, strict=True)]
    return (c[2 * word] | (c[2 * word + 1] << half)).astype(np.int64)


philox = exact("philox", infer=_infer, emit=_emit, reference=_reference, cost=60)  # params: (word,)
lshr = exact(
    "lshr",  # params: (bits,)
    emit=lambda b, x, bits: b.lshr(x, bits),
    reference=lambda x, bits: (x.view(np.uint64) >> np.uint64(bits)).view(np.int64),
)

"""How results reach the tensors that a program writes: their new buffers, and what becomes of the old ones."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.alias import was_written
from nbgrad.trace.handle import Handle
from nbgrad.trace.record import make_tensor
from nbgrad.trace.trie import Leaf

_SPARE_BYTES = 1 << 16  # taking a block from the pool costs as much as writing a few kilobytes


def _of_an_item(buffers: list[Any]) -> int:
    return max([getrefcount(b) for b in buffers])


def _of_an_attribute(x: Any) -> int:
    y = x.value
    return getrefcount(y)


IN_USE = 4  # references to the buffer of a tensor that a program reads: tensor, list of inputs, variable, argument


class _Example:
    value: Any = None


# What ``getrefcount`` says of an object that a list alone, or an attribute alone, holds (_spare, gradient_to_be).
ALONE = _of_an_item([[]])
_Example.value = []
ALONE_IN_ATTRIBUTE = _of_an_attribute(_Example)


def gradient_to_be(x: Handle) -> Handle:
    """The tensor that will be the gradient of ``x``: the one it had, if nobody else holds that."""
    y = x._grad
    if y is None or getrefcount(y) != ALONE_IN_ATTRIBUTE or y.rare is not None or y.chapter is not None:
        y = x._grad = make_tensor()
    return y  # type: ignore[no-any-return]


def put(y: Handle, new: Buffer, leaf: Leaf, history: Any, spare: list[Buffer | None], place: int) -> None:
    """Let ``y`` have ``new``, and ``spare`` what it had."""
    old = getattr(y, "buffer", None)
    spare[place] = old if old is not new and new.nbytes <= _SPARE_BYTES else None
    y.buffer = new
    y.at = leaf
    y.history = history
    if y.rare is not None:
        was_written(y)

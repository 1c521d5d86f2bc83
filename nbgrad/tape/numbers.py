"""Python numbers as bytes of a dtype, each in an 8-byte word: constants and run-time scalars."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Sequence
from typing import Final

from nbgrad.graph.dtypes import DType, by_name
from nbgrad.graph.interpret import number
from nbgrad.graph.node import const

WORD: Final = 8
CODES: Final = {
    "bool": "?",
    "uint8": "B",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float32": "f",
    "float64": "d",
}


def packer(dtypes: Sequence[DType]) -> struct.Struct:
    """Packs one number of each dtype, a word for each."""
    codes = [
        f"{len([*run])}{CODES[d.name]}" if d.itemsize == WORD else _word_code(d) * len([*run])
        for d, run in itertools.groupby(dtypes)
    ]  # a run of whole words takes half the time that word by word does
    return struct.Struct("=" + "".join(codes))


def packer_once(codes: Iterable[int]) -> struct.Struct:
    """The same for dtypes by their place in ``CODES``, made in a quarter of the time, for one use."""
    return struct.Struct("=" + "".join([_WORD_CODES[code] for code in codes]))


def _word_code(dtype: DType) -> str:
    return f"{CODES[dtype.name]}{WORD - dtype.itemsize}x"


_WORD_CODES: Final = [_word_code(by_name(name)) for name in CODES]


def word_of(value: float | int, dtype: DType) -> bytes:
    """The word of one number: rounded, wrapped, or infinite where it doesn't fit ``dtype``."""
    if dtype.kind != "b" and (dtype.kind == "f" or isinstance(value, int)) and not dtype.is_half:
        try:
            return struct.pack(CODES[dtype.name], value).ljust(WORD, b"\0")
        except (OverflowError, struct.error):
            pass  # NumPy below knows how to wrap, and what is infinite
    return number(value, const(value, dtype)).tobytes().ljust(WORD, b"\0")


def word_packer(count: int) -> struct.Struct:
    """What packs so many addresses or counts: as sizes, which takes a fifth of the time that int64 does."""
    return struct.Struct(f"{count}n")


def pack_into(pack: struct.Struct, dtypes: Iterable[DType], memory: memoryview, values: Sequence[float | int]) -> None:
    """Write ``values`` as words into ``memory``."""
    try:
        pack.pack_into(memory, 0, *values)
    except (OverflowError, struct.error):
        words = [word_of(v, d) for v, d in zip(values, dtypes, strict=True)]
        memory[: WORD * len(words)] = b"".join(words)

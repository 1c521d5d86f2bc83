"""Numbers as words."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import ALL, DType, bool_, by_name, float32, float64, int32, int64, uint8
from nbgrad.graph.half import readable
from nbgrad.tape.numbers import CODES, WORD, pack_into, packer, packer_once, word_of


@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.name)
def test_a_word_starts_with_the_number(dtype: DType) -> None:
    word = word_of(1, dtype)
    assert len(word) == WORD
    assert readable(np.frombuffer(word, dtype.numpy), dtype)[0] == 1


def test_floats_round_to_nearest_and_overflow_to_infinity() -> None:
    assert np.frombuffer(word_of(0.1, float32), np.float32)[0] == np.float32(0.1)
    assert np.frombuffer(word_of(-1e300, float32), np.float32)[0] == -np.inf


def test_integers_wrap() -> None:
    assert np.frombuffer(word_of(2**32 + 7, int32), np.int32)[0] == 7
    assert np.frombuffer(word_of(-1, uint8), np.uint8)[0] == 255


def test_a_float_in_an_integer_is_cut_off() -> None:
    assert np.frombuffer(word_of(-2.7, int64), np.int64)[0] == -2


def test_any_number_but_zero_is_true() -> None:
    assert [word_of(v, bool_)[0] for v in (0, 2, 0.5, -0.0)] == [0, 1, 1, 0]


def test_packing_falls_back_where_one_number_does_not_fit() -> None:
    dtypes = [float32, int64, float64]
    memory = memoryview(bytearray(3 * WORD))
    for values in ([0.5, 3, 1e300], [1e300, 3, 0.25]):
        pack_into(packer(dtypes), dtypes, memory, values)
        assert bytes(memory) == b"".join([word_of(v, d) for v, d in zip(values, dtypes, strict=True)])


def test_runs_of_one_dtype_are_packed_like_single_numbers() -> None:
    dtypes = [by_name(name) for name in CODES for _ in range(3)] + [float64, int64, int64]
    values = [k % 2 for k in range(len(dtypes))]
    memory = memoryview(bytearray(WORD * len(dtypes)))
    pack_into(packer(dtypes), dtypes, memory, values)
    assert bytes(memory) == b"".join(word_of(v, d) for v, d in zip(values, dtypes, strict=True))


def test_what_packs_once_packs_the_same() -> None:
    dtypes = [by_name(name) for name in (*CODES, *reversed(CODES), "float64", "float64")]
    values = [k % 2 for k in range(len(dtypes))]
    memory, again = (memoryview(bytearray(WORD * len(dtypes))) for _ in range(2))
    packer(dtypes).pack_into(memory, 0, *values)
    packer_once([[*CODES].index(d.name) for d in dtypes]).pack_into(again, 0, *values)
    assert memory == again and any(memory)

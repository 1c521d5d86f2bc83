"""Casts between all dtypes."""

from __future__ import annotations

import numpy as np
import pytest

from nbgrad.graph.dtypes import ALL, by_name
from nbgrad.kernels.target import Target
from tests.kernels.harness import TARGETS, same_bits, sample
from tests.kernels.probe import probe

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.cpu)
NAMES = [d.name for d in ALL if not d.is_half]  # those: test_half_casts.py


@targets
@pytest.mark.parametrize("source", NAMES)
def test_a_cast_that_c_defines_is_numpys(target: Target, source: str) -> None:
    rng = np.random.default_rng(1)
    x = sample(rng, (200,), source)
    for to in NAMES:
        if source.startswith("float") and not to.startswith("float") and to != "bool":
            x = np.clip(np.nan_to_num(x, posinf=100, neginf=-100), 0 if to == "uint8" else -100, 100)
        code, got = probe(lambda b, v, to=to: b.cast(v, by_name(to)), [x], to, target)
        with np.errstate(all="ignore"):
            want = x.astype(to)
        assert code == 0
        assert same_bits(got, want), to


@targets
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_that_no_integer_holds_give_its_smallest_value(target: Target, source: str) -> None:
    for to, bits in (("int32", 32), ("int64", 64)):
        edge = 2.0 ** (bits - 1)
        inside = np.array([-edge, np.nextafter(np.array(edge, source), 0).item()], source)
        outside = np.array([edge, 1.5 * edge, -1.5 * edge, 1e30, -1e30, np.inf, -np.inf, np.nan], source)
        _, got = probe(lambda b, v, to=to: b.cast(v, by_name(to)), [np.concatenate([inside, outside])], to, target)
        assert (got[:2] == inside.astype(to)).all()
        assert (got[2:] == np.iinfo(to).min).all()


@targets
def test_floats_that_truncate_into_int32_are_inside(target: Target) -> None:
    x = np.array([-2147483648.9, 2147483647.9, -2147483649.0, 2147483648.0])
    _, got = probe(lambda b, v: b.cast(v, by_name("int32")), [x], "int32", target)
    assert got.tolist() == [-2147483648, 2147483647, -2147483648, -2147483648]


@targets
def test_narrow_integers_get_the_low_bits_of_the_int32(target: Target) -> None:
    x = np.array([300.7, -1.5, 65537.0, -70000.0, 1e12, np.nan])
    for to in ("uint8", "int8", "int16"):
        _, got = probe(lambda b, v, to=to: b.cast(v, by_name(to)), [x], to, target)
        whole = np.array([300, -1, 65537, -70000, -(1 << 31), -(1 << 31)], "int64")
        assert (got == whole.astype(to)).all()

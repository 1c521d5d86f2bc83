from __future__ import annotations

import numpy as np
import pytest

import nbgrad as nb


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_floating_dtypes_have_numpys_limits(name: str) -> None:
    got, want = nb.finfo(getattr(nb, name)), np.finfo(name)
    for key in ("eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(got, key) == float(getattr(want, key))
    assert got.resolution == 10.0**-want.precision  # NumPy has that in the dtype itself, PyTorch in float64
    assert (got.bits, got.dtype) == (want.bits, name)
    assert f"eps={got.eps:g}" in repr(got)


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_integer_dtypes_have_numpys_limits(name: str) -> None:
    got, want = nb.iinfo(getattr(nb, name)), np.iinfo(name)
    assert (got.bits, got.min, got.max, got.dtype) == (want.bits, want.min, want.max, name)


def test_finfo_is_of_the_default_dtype_unless_said() -> None:
    assert nb.finfo().dtype == "float32"


def test_each_has_its_own_dtypes() -> None:
    for wrong in (nb.int32, nb.bool, "float32"):
        with pytest.raises(TypeError, match="dtype"):
            nb.finfo(wrong)
    for wrong in (nb.float32, nb.bool, 3):
        with pytest.raises(TypeError, match="dtype"):
            nb.iinfo(wrong)


@pytest.mark.parametrize(("name", "part"), [("complex64", "float32"), ("complex128", "float64")])
def test_limits_of_complex_numbers_are_those_of_their_parts(name: str, part: str) -> None:
    assert repr(nb.finfo(getattr(nb, name))) == repr(nb.finfo(getattr(nb, part)))

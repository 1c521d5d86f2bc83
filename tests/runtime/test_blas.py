import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.errors import ArgumentError
from nbgrad.runtime import blas
from nbgrad.runtime.blas import gemm_address

BUNDLED = any(Path(blas._libraries()).glob("libscipy_openblas-*.so")) and hasattr(os, "memfd_create")
needs_bundled = pytest.mark.skipif(not BUNDLED, reason="SciPy brings no OpenBLAS of its own here: its BLAS is shared")


def product(address: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b for row-major matrices, as b^T a^T in Fortran's order."""
    gemm = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(address)
    (m, k), n = a.shape, b.shape[1]
    c = np.empty((m, n), a.dtype)
    one, zero = np.ones(1, a.dtype), np.zeros(1, a.dtype)
    sizes = [ctypes.byref(ctypes.c_int(size)) for size in (n, m, k)]
    data = [x.ctypes.data for x in (one, b, a, zero, c)]
    gemm(b"N", b"N", *sizes, data[0], data[1], sizes[0], data[2], sizes[2], data[3], data[4], sizes[0])
    return c


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_routine_multiplies(dtype: str) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((37, 50)).astype(dtype), rng.standard_normal((50, 23)).astype(dtype)
    # Sums of 50 products in another order than NumPy's: a few units in the last place of their size.
    assert np.allclose(product(gemm_address(dtype), a, b), a @ b, rtol=0, atol=50 * np.finfo(dtype).eps * 10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_where_there_is_no_private_copy_scipys_routine_serves_and_the_log_says_so(
    dtype: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(blas, "_addresses", {})
    monkeypatch.setattr(blas, "_libraries", lambda: "/nowhere")
    with override(log="code", log_dir=None):
        address = gemm_address(dtype)
    assert "no private copy" in capsys.readouterr().err
    a = np.arange(6, dtype=dtype).reshape(2, 3)
    assert (product(address, a, a.T.copy()) == a @ a.T).all()


def test_other_dtypes_have_no_routine() -> None:
    with pytest.raises(ArgumentError, match="float32 or float64"):
        gemm_address("int32")


SCRIPT = """
import ctypes, glob, os, sys
if sys.argv[1] == "after":
    import scipy.linalg
from nbgrad.runtime import blas
blas.gemm_address("float32")
import scipy.linalg
[path] = glob.glob(os.path.join(blas._libraries(), "libscipy_openblas-*.so"))
mapped = open("/proc/self/maps").read()
theirs, [ours] = ctypes.CDLL(path), blas._loaded
print(ours.scipy_openblas_get_num_threads(), theirs.scipy_openblas_get_num_threads(), path in mapped)
theirs.scipy_openblas_set_num_threads(2)
print(ours.scipy_openblas_get_num_threads(), theirs.scipy_openblas_get_num_threads())
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


@needs_bundled
@pytest.mark.parametrize("order", ["before", "after"])
def test_scipys_own_thread_count_stays_whichever_is_loaded_first(order: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, order],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    first, second, variable = done.stdout.splitlines()
    assert first == f"1 {min(3, os.cpu_count() or 1)} True"
    assert second == "1 2"
    assert variable == "3"


@needs_bundled
def test_loading_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with blas._one_thread():
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    assert "OPENBLAS_NUM_THREADS" not in os.environ

"""What cuBLAS is told, against a stand-in of its module that multiplies what it is told to."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import itertools
import sys
from typing import Any

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.log import fallbacks
from nbgrad.runtime.cuda import cublas
from nbgrad.runtime.cuda.bindings import NvidiaDriver
from nbgrad.runtime.cuda.cublas import MOST_WORKSPACE, REAL, SUMS, SUMS_TF32, Cublas, open_library
from nbgrad.runtime.cuda.driver import DriverError
from nbgrad.runtime.cuda.library import Matrices, Product
from tests.runtime.cuda.fake_api import FakeApi
from tests.runtime.cuda.fake_nvmath import ENUMS, FUNCTIONS, WORKSPACE, FakeCublas

Array = np.ndarray[Any, np.dtype[Any]]
BATCH, M, N, K = 3, 4, 5, 6


def matrices(x: Array) -> Matrices:
    step, row, _ = [s // x.itemsize for s in x.strides]
    return Matrices(x.shape[1], x.shape[2], row, step if x.shape[0] > 1 else 0, 8)


def product_of(a: Array, b: Array, c: Array, flips: tuple[bool, bool], tf32: bool = False) -> Product:
    k = a.shape[1] if flips[0] else a.shape[2]
    return Product(a.dtype.name, tf32, a.shape[0], k, flips, matrices(a), matrices(b), matrices(c))


def addresses(*arrays: Array) -> tuple[int, ...]:
    return tuple([x.__array_interface__["data"][0] for x in arrays])


def operands(dtype: str, batch: int, flips: tuple[bool, bool], room: int) -> tuple[Array, Array, Array]:
    """Factors and a result with ``room`` beside each row."""
    rng = np.random.default_rng(2)
    shapes = [(K, M) if flips[0] else (M, K), (N, K) if flips[1] else (K, N), (M, N)]
    a, b, c = [
        rng.standard_normal((batch, rows, columns + room)).astype(dtype)[..., :columns] for rows, columns in shapes
    ]
    return a, b, c


@pytest.mark.parametrize("room", [0, 2])
@pytest.mark.parametrize("batch", [1, BATCH])
@pytest.mark.parametrize("flips", list(itertools.product((False, True), repeat=2)))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_are_told_as_columns(dtype: str, flips: tuple[bool, bool], batch: int, room: int) -> None:
    a, b, c = operands(dtype, batch, flips, room)
    library = Cublas(FakeCublas())
    ready = library.prepare(product_of(a, b, c, flips))
    assert ready.workspace_bytes == WORKSPACE
    library.multiply(ready, addresses(a, b, c), 0x1000, 7)
    left, right = [np.swapaxes(x, 1, 2) if flip else x for x, flip in zip((a, b), flips, strict=True)]
    np.testing.assert_allclose(c, left @ right, rtol=1e-5)


def test_factors_that_are_repeated_have_no_step() -> None:
    a, b, c = operands("float32", BATCH, (False, False), 0)
    b = np.broadcast_to(b[:1], b.shape)
    library = Cublas(FakeCublas())
    library.multiply(library.prepare(product_of(a, b, c, (False, False))), addresses(a, b, c), 0, 0)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_the_algorithm_is_that_for_whole_matrices_of_the_shape() -> None:
    """Rows further apart must not change a bit, nor sums in an order that is not fixed."""
    api = FakeCublas()
    library = Cublas(api)
    for room in (0, 2):
        a, b, c = operands("float32", BATCH, (False, True), room)
        library.prepare(product_of(a, b, c, (False, True)))
    first, second = api.asked
    assert first == second
    what, left, right, out, same, wishes = first
    assert [x["ld"] for x in (left, right, out, same)] == [K, K, N, N]
    assert [x[6] for x in (left, right, out)] == [N * K, M * K, M * N]
    assert what[3] == 1 and what[4] == 0, "cuBLAS' first factor is ours turned round, the second one"
    schemes = ENUMS["ReductionScheme"]
    assert wishes == {1: MOST_WORKSPACE, 3: schemes["NONE"] | schemes["COMPUTE_TYPE"], 5: 8, 6: 8, 7: 8, 8: 8}


def test_the_stream_and_the_workspace_are_said_in_the_call() -> None:
    api = FakeCublas()
    library = Cublas(api)
    a, b, c = operands("float32", 1, (False, False), 0)
    library.multiply(library.prepare(product_of(a, b, c, (False, False))), addresses(a, b, c), 0x1000, 7)
    (call,) = [call for call in api.calls if call[0] == "matmul"]
    said = dict(zip(FUNCTIONS["matmul"], call[1:], strict=True))
    assert (said["workspace"], said["workspace_size_in_bytes"], said["stream"]) == (0x1000, WORKSPACE, 7)
    assert (said["a"], said["b"], said["d"]) == (*addresses(b, a, c),)


@pytest.mark.parametrize(
    ("dtype", "tf32", "sums"), [("float32", False, 68), ("float32", True, 77), ("float64", False, 70)]
)
def test_only_tf32_adds_up_anything_but_the_dtype(dtype: str, tf32: bool, sums: int) -> None:
    api = FakeCublas()
    a, b, c = operands(dtype, 1, (False, False), 0)
    Cublas(api).prepare(product_of(a, b, c, (False, False), tf32))
    assert ("matmul_desc_create", sums, REAL[dtype]) in api.calls


def test_a_product_is_asked_for_once_and_given_back() -> None:
    api = FakeCublas()
    library = Cublas(api)
    a, b, c = operands("float32", 1, (False, False), 0)
    wanted = product_of(a, b, c, (False, False))
    ready = library.prepare(wanted)
    assert library.prepare(wanted) is ready and len(api.asked) == 1
    assert len(api.alive) > 1
    del ready
    gc.collect()
    assert len(api.alive) == 1, "the handle"


def test_what_fails_is_an_error_of_the_device() -> None:
    api = FakeCublas()
    library = Cublas(api)
    a, b, c = operands("float32", 1, (False, False), 0)
    wanted = product_of(a, b, c, (False, False))
    api.has_algorithm = False
    with pytest.raises(DriverError, match="CUBLAS_STATUS_NOT_SUPPORTED"):
        library.prepare(wanted)
    api.has_algorithm = True
    api.failing.add("matmul_algo_get_heuristic")
    with pytest.raises(DriverError, match=r"(?s)cublasLtMatmulAlgoGetHeuristic.*EXECUTION_FAILED"):
        library.prepare(wanted)
    api.failing = {"matmul"}
    with pytest.raises(DriverError, match=r"(?s)cublasLtMatmul.*EXECUTION_FAILED"):
        library.multiply(library.prepare(wanted), addresses(a, b, c), 0, 0)
    gc.collect()
    assert len(api.alive) == 1, "nothing is left of what failed"


def test_the_driver_has_it_where_the_package_is(monkeypatch: pytest.MonkeyPatch) -> None:
    api = FakeCublas()
    monkeypatch.setitem(sys.modules, cublas._PACKAGE, api)  # type: ignore[arg-type]
    assert isinstance(NvidiaDriver(FakeApi()).library(), Cublas)


def test_where_it_is_missing_that_is_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with override(log="code"):
        monkeypatch.setitem(sys.modules, cublas._PACKAGE, None)  # type: ignore[arg-type]
        assert open_library() is None
        assert (
            "own kernels: the package nvmath-python is not installed (pip install 'nbgrad[cuda]')"
            in capfd.readouterr().err
        )
        api = FakeCublas()
        api.failing.add("create")
        monkeypatch.setitem(sys.modules, cublas._PACKAGE, api)  # type: ignore[arg-type]
        assert open_library() is None
        assert "own kernels: cuBLAS does not start: CUBLAS_STATUS_EXECUTION_FAILED" in capfd.readouterr().err
    assert any("cuBLAS does not start" in text for text in fallbacks())


def test_the_real_module_has_the_functions_with_these_arguments() -> None:
    if importlib.util.find_spec("nvmath") is None:
        pytest.skip("nvmath is not installed: the stand-in's table is compared where it is")
    real = importlib.import_module(cublas._PACKAGE)
    for name, names in FUNCTIONS.items():
        first = (getattr(real, name).__doc__ or "").splitlines()[0]
        inside = first[first.index("(") + 1 : first.index(")")]
        assert tuple([a.split()[-1] for a in inside.split(",") if a.strip()]) == names, first
    for kind, members in ENUMS.items():
        assert {name: int(getattr(getattr(real, kind), name)) for name in members} == members
    for attribute, size in {"BATCH_COUNT": 4, "STRIDED_BATCH_OFFSET": 8}.items():
        dtype = real.get_matrix_layout_attribute_dtype(int(getattr(real.MatrixLayoutAttribute, attribute)))
        assert np.dtype(dtype).itemsize == size
    for attribute, number in ENUMS["MatmulPreferenceAttribute"].items():
        dtype = real.get_matmul_preference_attribute_dtype(number)
        assert np.dtype(dtype).itemsize == (8 if attribute == "MAX_WORKSPACE_BYTES" else 4)
    assert np.dtype(real.get_matmul_desc_attribute_dtype(ENUMS["MatmulDescAttribute"]["TRANSA"])).itemsize == 4
    assert issubclass(real.cuBLASLtError, Exception)
    fields = real.matmul_heuristic_result_dtype.fields
    assert fields["algo"][1] == 0 and fields["workspace_size"][1] == 64
    found = real.MatmulHeuristicResult(1)
    assert isinstance(found.ptr, int) and isinstance(found.workspace_size, int)
    numbers = importlib.import_module("nvmath.bindings.cublas")
    assert SUMS == {"float32": numbers.ComputeType.COMPUTE_32F, "float64": numbers.ComputeType.COMPUTE_64F}
    assert numbers.ComputeType.COMPUTE_32F_FAST_TF32 == SUMS_TF32
    assert (numbers.Operation.N, numbers.Operation.T) == (0, 1)

"""Matrix products by cuBLAS, through ``nvmath.bindings.cublasLt``. The one module that touches nvmath, imported when a
product is there for it.

cuBLAS counts by columns: what lies row by row is to it the transpose, so it computes c^T = b^T @ a^T.
"""

from __future__ import annotations

import ctypes
import weakref
from functools import partial
from typing import Any, Final

from nbgrad.log import fall_back
from nbgrad.runtime.cuda.driver import DriverError
from nbgrad.runtime.cuda.library import Library, Matrices, Prepared, Product
from nbgrad.runtime.cuda.owned import Owned
from nbgrad.system.imports import import_module

_PACKAGE: Final = "nvmath.bindings.cublasLt"
MOST_WORKSPACE: Final = 32 << 20  # bytes: what NVIDIA advises for sm_90, and PyTorch takes
# Numbers of library_types.h and cublas_api.h, which the package has no names for: dtypes, what products are summed in.
REAL: Final = {"float32": 0, "float64": 1}
SUMS: Final = {"float32": 68, "float64": 70}
SUMS_TF32: Final = 77
_C_TYPE: Final = {"float32": ctypes.c_float, "float64": ctypes.c_double}


def open_library() -> Library | None:
    """cuBLAS on the device that this thread has activated; None, which is said, where it is missing."""
    try:
        api = import_module(_PACKAGE)
    except ImportError as error:
        _say_why(f"the package nvmath-python is not installed (pip install 'nbgrad[cuda]'): {error}")
        return None
    try:
        return Cublas(api)
    except Exception as error:  # what it raises where there is no library differs from version to version
        _say_why(f"cuBLAS does not start: {error}")
        return None


def _say_why(why: str) -> None:
    fall_back("code", f"matrix products run on our own kernels: {why}")


class Cublas:
    """``api`` is the module with cuBLAS' functions, which raise what fails."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self._handle: int = api.create()
        self._known: weakref.WeakValueDictionary[Product, _Ready] = weakref.WeakValueDictionary()

    def prepare(self, product: Product) -> Prepared:
        ready = self._known.get(product)
        if ready is None:
            try:
                ready = _Ready(self._api, self._handle, product)
            except self._api.cuBLASLtError as error:
                raise _failed("cublasLtMatmulAlgoGetHeuristic", error) from None
            self._known[product] = ready
        return ready

    def multiply(self, prepared: Any, addresses: tuple[int, ...], workspace: int, stream: int) -> None:
        try:
            prepared.call(self._handle, *addresses, workspace, stream)
        except self._api.cuBLASLtError as error:
            raise _failed("cublasLtMatmul", error) from None


def _failed(call: str, error: Exception) -> DriverError:
    return DriverError(call, "CUBLAS_STATUS", str(error))


class _Ready:
    """One product: descriptors of the matrices, and the algorithm for them. Gives them back when it is gone."""

    def __init__(self, api: Any, handle: int, product: Product) -> None:
        self._api = api
        self._held: list[Owned] = []
        kind = _C_TYPE[product.dtype]
        self._factor, self._nothing = kind(1.0), kind(0.0)
        sums = SUMS_TF32 if product.tf32 else SUMS[product.dtype]
        self._what = self._hold(api.matmul_desc_destroy, api.matmul_desc_create(sums, REAL[product.dtype]))
        flips = api.MatmulDescAttribute
        for name, flip in zip((flips.TRANSB, flips.TRANSA), product.flips, strict=True):
            self._set(api.matmul_desc_set_attribute, self._what, name, ctypes.c_int32(flip))
        self._a, self._b, self._c = [self._layout(product, x) for x in (product.a, product.b, product.c)]
        self._found = self._algorithm(handle, product)  # begins with the algorithm
        self.workspace_bytes = int(self._found.workspace_size)

    def _hold(self, give_back: Any, what: int) -> int:
        self._held.append(Owned(what, partial(give_back, what)))
        return what

    def _set(self, setter: Any, what: int, name: int, value: Any) -> None:
        setter(what, int(name), ctypes.addressof(value), ctypes.sizeof(value))

    def _layout(self, product: Product, x: Matrices) -> int:
        """A descriptor of ``x``, transposed: its rows are cuBLAS' columns."""
        api = self._api
        layout: int = api.matrix_layout_create(REAL[product.dtype], x.columns, x.rows, x.row)
        self._hold(api.matrix_layout_destroy, layout)
        if product.batch > 1:
            names, setter = api.MatrixLayoutAttribute, api.matrix_layout_set_attribute
            self._set(setter, layout, names.BATCH_COUNT, ctypes.c_int32(product.batch))
            self._set(setter, layout, names.STRIDED_BATCH_OFFSET, ctypes.c_int64(x.step))
        return layout

    def _algorithm(self, handle: int, product: Product) -> Any:
        """What cuBLAS advises for whole matrices of this kind: sums in runs are added in a fixed order, in float."""
        api, names = self._api, self._api.MatmulPreferenceAttribute
        wishes = self._hold(api.matmul_preference_destroy, api.matmul_preference_create())
        schemes = int(api.ReductionScheme.NONE) | int(api.ReductionScheme.COMPUTE_TYPE)
        settings = {
            names.MAX_WORKSPACE_BYTES: ctypes.c_uint64(MOST_WORKSPACE),
            names.REDUCTION_SCHEME_MASK: ctypes.c_uint32(schemes),
            names.MIN_ALIGNMENT_A_BYTES: ctypes.c_uint32(product.b.alignment),
            names.MIN_ALIGNMENT_B_BYTES: ctypes.c_uint32(product.a.alignment),
            names.MIN_ALIGNMENT_C_BYTES: ctypes.c_uint32(product.c.alignment),
            names.MIN_ALIGNMENT_D_BYTES: ctypes.c_uint32(product.c.alignment),
        }
        for name, value in settings.items():
            self._set(api.matmul_preference_set_attribute, wishes, name, value)
        a, b, c = [self._layout(product, x.whole) for x in (product.a, product.b, product.c)]
        found, count = api.MatmulHeuristicResult(1), ctypes.c_int32(0)
        places = (found.ptr, ctypes.addressof(count))
        api.matmul_algo_get_heuristic(handle, self._what, b, a, c, c, wishes, 1, *places)
        if not count.value:
            raise DriverError("cublasLtMatmulAlgoGetHeuristic", "CUBLAS_STATUS_NOT_SUPPORTED", str(product))
        return found

    def call(self, handle: int, a: int, b: int, c: int, workspace: int, stream: int) -> None:
        """Enqueue c = 1 a @ b + 0 c."""
        factors = ctypes.addressof(self._factor), ctypes.addressof(self._nothing)
        self._api.matmul(
            *(handle, self._what, factors[0], b, self._b, a, self._a, factors[1], c, self._c, c, self._c),
            *(self._found.ptr, workspace, self.workspace_bytes, stream),
        )

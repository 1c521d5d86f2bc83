"""What stands for ``nvmath.bindings.cublasLt`` in tests: it writes down every call, and multiplies matrices in the
host's memory as cuBLAS would, which counts them by columns."""

from __future__ import annotations

import ctypes
import enum
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

# By function: its arguments, as the package names them.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "create": (),
    "matmul_desc_create": ("compute_type", "scale_type"),
    "matmul_desc_set_attribute": ("matmul_desc", "attr", "buf", "size_in_bytes"),
    "matmul_desc_destroy": ("matmul_desc",),
    "matrix_layout_create": ("type", "rows", "cols", "ld"),
    "matrix_layout_set_attribute": ("mat_layout", "attr", "buf", "size_in_bytes"),
    "matrix_layout_destroy": ("mat_layout",),
    "matmul_preference_create": (),
    "matmul_preference_set_attribute": ("pref", "attr", "buf", "size_in_bytes"),
    "matmul_preference_destroy": ("pref",),
    "matmul_algo_get_heuristic": (
        *("light_handle", "operation_desc", "adesc", "bdesc", "cdesc", "ddesc", "preference"),
        *("requested_algo_count", "heuristic_results_array", "return_algo_count"),
    ),
    "matmul": (
        *("light_handle", "compute_desc", "alpha", "a", "adesc", "b", "bdesc", "beta", "c", "cdesc", "d", "ddesc"),
        *("algo", "workspace", "workspace_size_in_bytes", "stream"),
    ),
}

ENUMS: dict[str, dict[str, int]] = {
    "MatmulDescAttribute": {"TRANSA": 3, "TRANSB": 4},
    "MatrixLayoutAttribute": {"BATCH_COUNT": 5, "STRIDED_BATCH_OFFSET": 6},
    "MatmulPreferenceAttribute": {
        "MAX_WORKSPACE_BYTES": 1,
        "REDUCTION_SCHEME_MASK": 3,
        "MIN_ALIGNMENT_A_BYTES": 5,
        "MIN_ALIGNMENT_B_BYTES": 6,
        "MIN_ALIGNMENT_C_BYTES": 7,
        "MIN_ALIGNMENT_D_BYTES": 8,
    },
    "ReductionScheme": {"NONE": 0, "INPLACE": 1, "COMPUTE_TYPE": 2, "OUTPUT_TYPE": 4},
}
SIZES = {("matmul_preference", 1): 8, ("matrix_layout", 6): 8}  # bytes of attributes; of all others 4
WORKSPACE = 256  # bytes that each algorithm asks for
DTYPES = {0: np.dtype("f4"), 1: np.dtype("f8")}


class cuBLASLtError(Exception):
    """As the package raises it."""


class MatmulHeuristicResult:
    """As the package has it: memory that begins with the algorithm."""

    def __init__(self, size: int = 1) -> None:
        self._memory = (ctypes.c_uint64 * 12)()
        self.ptr = ctypes.addressof(self._memory)

    @property
    def workspace_size(self) -> int:
        return int(self._memory[8])


class FakeCublas:
    """``calls`` has every call as (name, arguments); ``fail`` makes one raise, ``has_algorithm`` says what is found."""

    cuBLASLtError = cuBLASLtError
    MatmulHeuristicResult = MatmulHeuristicResult

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.failing: set[str] = set()
        self.has_algorithm = True
        self.alive: dict[int, dict[Any, Any]] = {}  # what was created and not destroyed, by handle
        self.asked: list[list[dict[Any, Any]]] = []  # what each algorithm was asked for
        self._handles = itertools.count(0x100)
        for name, members in ENUMS.items():
            setattr(self, name, enum.IntEnum(name, members))  # type: ignore[misc]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in FUNCTIONS:
            raise AttributeError(name)

        def function(*arguments: Any) -> Any:
            assert len(arguments) == len(FUNCTIONS[name]), f"{name} takes {FUNCTIONS[name]}"
            assert all(type(argument) is int for argument in arguments), f"{name} takes numbers: {arguments}"
            self.calls.append((name, *arguments))
            if name in self.failing:
                raise cuBLASLtError(f"CUBLAS_STATUS_EXECUTION_FAILED ({name})")
            return self._answer(name, arguments)

        return function

    def _answer(self, name: str, arguments: tuple[int, ...]) -> Any:
        kind, _, verb = name.rpartition("_")
        if verb == "create":
            handle = next(self._handles)
            self.alive[handle] = dict(zip(FUNCTIONS[name], arguments, strict=True))
            return handle
        if verb == "destroy":
            del self.alive[arguments[0]]
        elif name.endswith("set_attribute"):
            handle, attribute, buffer, size = arguments
            assert size == SIZES.get((kind.removesuffix("_set"), attribute), 4)
            read = ctypes.c_int64 if size == 8 else ctypes.c_int32
            self.alive[handle][attribute] = read.from_address(buffer).value
        elif name == "matmul":
            self._multiply(arguments)
        else:
            self._advise(arguments)
        return None

    def _advise(self, arguments: tuple[int, ...]) -> None:
        self.asked.append([dict(self.alive[handle]) for handle in arguments[1:7]])
        results, count = arguments[8:]
        ctypes.c_int32.from_address(count).value = int(self.has_algorithm)
        (ctypes.c_uint64 * 9).from_address(results)[:] = [7] * 8 + [WORKSPACE]

    def _multiply(self, arguments: tuple[int, ...]) -> None:
        _, what, alpha, a, of_a, b, of_b, beta, c, of_c, d, of_d, algorithm, _, nbytes, _ = arguments
        assert (c, of_c) == (d, of_d) and nbytes == WORKSPACE
        assert ctypes.c_uint64.from_address(algorithm).value == 7, "the algorithm that was advised"
        dtype = DTYPES[self.alive[what]["scale_type"]]
        number = ctypes.c_float if dtype.itemsize == 4 else ctypes.c_double
        left, right, out = self._matrices(a, of_a), self._matrices(b, of_b), self._matrices(d, of_d)
        if self.alive[what].get(3):
            left = np.swapaxes(left, 1, 2)
        if self.alive[what].get(4):
            right = np.swapaxes(right, 1, 2)
        assert number.from_address(beta).value == 0.0
        out[...] = number.from_address(alpha).value * (left @ right)

    def _matrices(self, address: int, layout: int) -> Any:
        """(batch, rows, columns) with the elements of a column next to each other."""
        said = self.alive[layout]
        size = DTYPES[said["type"]].itemsize
        assert said["ld"] >= said["rows"]
        batch, step = said.get(5, 1), said.get(6, 0)
        extent = (batch - 1) * step + (said["cols"] - 1) * said["ld"] + said["rows"]
        memory = (ctypes.c_char * (extent * size)).from_address(address)
        strides = (step * size, size, said["ld"] * size)
        shape = (batch, said["rows"], said["cols"])
        return np.ndarray(shape, DTYPES[said["type"]], memory, 0, strides)  # type: ignore[arg-type]

"""The errors of drivers."""

from __future__ import annotations

import ast
import copy
import pickle
from pathlib import Path

import pytest

import nbgrad as nb
from nbgrad.runtime.cuda.driver import DriverError, OutOfDeviceMemory
from tests.runtime.cuda.devices import simulated

NVIDIAS = ("cuda", "nvmath", "pynvml")


@pytest.mark.parametrize("kind", [DriverError, OutOfDeviceMemory])
def test_an_error_is_copied_with_all_that_it_says(kind: type[DriverError]) -> None:
    error = kind("cuLaunchKernel", "CUDA_ERROR_UNKNOWN", "about it")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is kind and str(other) == str(error)
        assert (other.call, other.code, other.said) == (error.call, error.code, error.said)


def test_a_device_that_fails_for_good_says_so_for_every_value() -> None:
    with simulated() as driver:
        x = nb.ones(3, device="cuda")
        assert x.sum().item() == 3.0
        y, z = (x * 5).exp(), x.cumsum(0)
        driver.fail("launch", "CUDA_ERROR_LAUNCH_FAILED", times=1000)
        for value in (y, z, y):
            with pytest.raises(RuntimeError, match="CUDA error: CUDA_ERROR_LAUNCH_FAILED from launch"):
                value.tolist()


def test_one_file_touches_each_of_nvidias_packages() -> None:
    names = {"cuda.bindings.driver": "bindings.py", "nvmath.bindings.cublasLt": "cublas.py"}
    found: dict[str, list[str]] = {name: [] for name in names}
    for path in Path(nb.__file__).parent.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if any(name in text for name in NVIDIAS) else ():
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not any(name.split(".")[0] in NVIDIAS for name in imported), path
            if isinstance(node, ast.Constant) and node.value in names:
                found[str(node.value)].append(path.name)
    assert found == {name: [file] for name, file in names.items()}

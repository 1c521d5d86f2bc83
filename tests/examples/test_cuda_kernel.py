"""The example of a user's own CUDA kernel, on nbgrad's and Numba's simulators."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.on_devices import is_real, real_cuda

FOLDER = Path(__file__).resolve().parents[2] / "examples"
PATH = os.pathsep.join([str(FOLDER.parent), str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
ENV = {**os.environ, "PYTHONPATH": PATH, "NBGRAD_CUDA": "simulated", "NUMBA_ENABLE_CUDASIM": "1"}

CHECK = """
import numpy as np, nbgrad as nb
from cuda_kernel import RATE, HeatStep
start = np.random.default_rng(0).normal(size=9)
x = nb.tensor(start, device="cuda", requires_grad=True)
y = HeatStep.apply(x)
want = start.copy()
want[1:-1] += RATE * (start[:-2] - 2 * start[1:-1] + start[2:])
np.testing.assert_allclose(y.detach().cpu().numpy(), want, rtol=1e-12)
assert y.device == x.device and nb.autograd.gradcheck(HeatStep.apply, (x,))
print("agrees")
"""


def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], env={**ENV, **env}, capture_output=True, text=True, timeout=240, check=False
    )


def test_the_operator_and_its_derivative_are_right() -> None:
    done = run("-c", CHECK)
    assert done.stdout == "agrees\n", done.stderr


def test_the_example_finds_what_it_looks_for() -> None:
    done = run(str(FOLDER / "cuda_kernel.py"))
    found = re.search(r"squared error ([\d.]+) -> ([\d.]+)", done.stdout)
    assert found, done.stderr
    assert float(found[2]) < 0.2 * float(found[1])


def test_on_a_gpu_the_operator_and_the_example_run_there() -> None:
    real = {"NBGRAD_CUDA": "auto", "NUMBA_ENABLE_CUDASIM": "0"}
    with real_cuda():
        done = run("-c", CHECK, **real)
    assert done.stdout == "agrees\n", done.stderr
    done = run(str(FOLDER / "cuda_kernel.py"), **real)
    found = re.search(r"squared error ([\d.]+) -> ([\d.]+)", done.stdout)
    assert found, done.stderr
    assert float(found[2]) < 0.2 * float(found[1])


def test_without_a_gpu_it_says_what_to_do() -> None:
    if is_real():
        pytest.skip("there is a GPU")
    done = run(str(FOLDER / "cuda_kernel.py"), NBGRAD_CUDA="auto", NUMBA_ENABLE_CUDASIM="0")
    assert done.returncode == 1
    assert "there is no GPU" in done.stderr

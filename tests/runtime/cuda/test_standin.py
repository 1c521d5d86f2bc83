"""NVIDIA's own ``cuda.bindings`` and nvJitLink, on a library that stands for the driver's: types, counts, handles.

What ``fake_api`` cannot show: that the package takes each argument as ``bindings.py`` gives it, and gives what that
takes it for.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "standin"
COMPILERS = "cc", "gcc", "clang"
# Without importing them: that would load libraries.
NAMES = [
    f.name
    for f in ast.parse((HERE / "trials.py").read_text(encoding="utf-8")).body
    if isinstance(f, ast.FunctionDef) and any(isinstance(d, ast.Name) and d.id == "trial" for d in f.decorator_list)
]


def has_bindings() -> bool:
    try:
        return importlib.util.find_spec("cuda.bindings.driver") is not None
    except ModuleNotFoundError:  # nor what it is in
        return False


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What went wrong in each trial."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        pytest.skip("there is no C compiler for the library that stands for the driver's")
    if not has_bindings():
        pytest.skip("cuda.bindings is not installed")
    folder = tmp_path_factory.mktemp("standin")
    library = folder / "libcuda.so.1"
    flags = "-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", f"-Wl,-soname,{library.name}"
    subprocess.run([compiler, *flags, "-o", str(library), str(HERE / "libcuda.c")], check=True)
    command = [sys.executable, "-m", "tests.runtime.cuda.standin.trials", str(library)]
    environment = {**os.environ, "NBGRAD_CUDA": "auto", "NBGRAD_CACHE_DIR": str(folder / "cache")}
    root = Path(__file__).parents[3]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=root, env=environment)
    assert ran.returncode == 0, ran.stderr
    answers: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("name", NAMES)
def test_the_real_bindings_take_what_they_are_given(found: dict[str, str], name: str) -> None:
    assert not found[name], found[name]

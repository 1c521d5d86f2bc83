import ctypes
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import llvmlite.binding as llvm
import pytest

from nbgrad.config import override
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.runtime import runner_code
from nbgrad.runtime.translate import translated
from nbgrad.runtime.word_code import FUNCTIONS, object_code
from tests.runtime.forks import holds_in_child

EXPECTED_OF_THE_SYSTEM = {
    *("clock_gettime", "sem_wait", "sem_post", "sched_yield", "sched_getcpu", "sched_setaffinity"),
}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    with override(cache_dir=str(tmp_path / "nbgrad"), log="cache", log_dir=None):
        yield tmp_path / "nbgrad"


def test_the_code_needs_nothing_but_the_system() -> None:
    functions = {name: function for part in FUNCTIONS.values() for name, function in part.items()}
    module = llvm.parse_assembly(translated(functions))
    declared = {f.name for f in module.functions if f.is_declaration}
    assert {name for name in declared if not name.startswith("llvm.")} == EXPECTED_OF_THE_SYSTEM
    assert {f.name for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external} == {
        *functions
    }


def test_an_empty_frame_runs() -> None:
    engine = Engine()
    engine.load(object_code(host(), "runner"), with_calls=True)
    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(engine.address("nbgrad_run"))
    frame = (ctypes.c_int64 * 32)()
    assert run(ctypes.addressof(frame)) == 0


def test_the_code_is_compiled_once_and_then_comes_from_disk(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = runner_code._object_code("runner")
    assert "compiled in" in capsys.readouterr().err
    assert runner_code._object_code("runner") == first
    assert capsys.readouterr().err == ""


def test_with_its_code_on_disk_a_run_does_not_import_what_makes_it(folder: pathlib.Path) -> None:
    for what in ("runner", "sheet"):
        runner_code._object_code(what)
    script = f"""
import sys
from nbgrad.config import settings
settings.cache_dir = {str(folder)!r}
import numpy as np
from nbgrad.runtime.runner import Program
Program(np.empty((0, 6)), np.zeros(1), np.empty((0, 3)), np.zeros((1, 3)), 0)
Program(np.empty((0, 6)), np.empty(0), np.empty((0, 3)), np.empty((0, 3)), 0).run([], 0)
slow = ("numba", "numpy.ma", "nbgrad.runtime.translate", "nbgrad.runtime.runner_kernels")
print([name for name in slow if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_forked_child_can_load_the_code_though_another_thread_was_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_code._loaded, "runner", None)
    with runner_code._loaded.lock:
        assert holds_in_child(lambda: runner_code.runner_code().address > 0)

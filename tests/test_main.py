import importlib.metadata
import os
import pathlib
import platform
import subprocess
import sys

import pytest

from nbgrad.__main__ import main
from nbgrad.config import override
from nbgrad.kernels.target import host
from nbgrad.report import report
from nbgrad.runtime import cache
from tests.fresh import fresh


def test_the_cache_is_shown_and_cleared(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "nbgrad"
    with override(cache_dir=str(folder)):
        assert main(["cache"]) == 0
        cache.publish("key", bytes(2_000_000))
        cache.publish("other", b"")
        assert main(["cache", "show"]) == 0
        assert main(["cache", "clear"]) == 0
        assert main(["cache"]) == 0
    empty, shown, cleared, again = capsys.readouterr().out.splitlines()
    assert empty == again == f"{folder}: 0 entries, 0.0 MB"
    assert shown == f"{folder}: 2 entries, 2.0 MB"
    assert cleared == f"{folder}: 2 entries removed"


def test_a_folder_that_is_refused_is_an_error_not_a_traceback(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o777)
    with override(cache_dir=str(tmp_path)):
        assert main(["cache"]) == 1
    assert "can be written by others" in capsys.readouterr().err


def test_a_place_where_nothing_can_be_kept_is_said(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with override(cache_dir=str(tmp_path / "file" / "cache")):
        assert "is no folder" in cache.obstacle()
    with override(cache_dir=str(tmp_path / "new" / "cache")):
        assert main(["cache"]) == 0
    assert "no kernels can be kept" not in capsys.readouterr().out


def told(tmp_path: pathlib.Path, **switches: str) -> dict[str, str]:
    """What ``python -m nbgrad`` says under each heading."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NBGRAD_")}
    env |= {"NBGRAD_CACHE_DIR": str(tmp_path / "nbgrad"), "PYTHONPATH": os.pathsep.join(sys.path), **switches}
    done = subprocess.run([sys.executable, "-m", "nbgrad"], capture_output=True, text=True, env=env, check=True)
    assert done.stderr == ""
    found = {}
    for part in done.stdout.rstrip("\n").split("\n\n"):
        title, text = part.split("\n", 1)
        found[title] = text
    return found


def test_without_a_command_it_says_what_is_here_and_what_works(tmp_path: pathlib.Path) -> None:
    parts = told(tmp_path)
    first = ["Versions", "Processor", "Switches", "Kernels on disk", "Worker process"]
    assert [*parts] == [*first, "GPUs", "BLAS and LAPACK", "Falls back"]
    for name in ("numba", "llvmlite", "numpy", "scipy"):
        assert f"  {name} {importlib.metadata.version(name)}" in parts["Versions"]
    assert f"Python {platform.python_version()} " in parts["Versions"]
    assert host().cpu in parts["Processor"]
    assert f"{tmp_path / 'nbgrad'}: 0 entries, 0.0 of 1074 MB" in parts["Kernels on disk"]
    assert "NBGRAD_CACHE_DIR=" in parts["Switches"]
    assert f"@njit, numba {importlib.metadata.version('numba')}" in parts["Worker process"]
    assert "lapack" in parts["BLAS and LAPACK"] or "openblas" in parts["BLAS and LAPACK"]
    assert parts["Falls back"] == "  nothing"


def test_it_says_what_falls_back_and_why(tmp_path: pathlib.Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('a broken installation')")
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "cache")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    parts = told(tmp_path, PYTHONPATH=path, NBGRAD_CACHE_DIR=folder, NBGRAD_CUDA="simulated")
    assert "made a kernel" in parts["Worker process"] and ": llvmlite " in parts["Worker process"]
    assert "a broken installation" in parts["Falls back"]
    assert "no kernels can be kept there" in parts["Kernels on disk"] and "is no folder" in parts["Kernels on disk"]
    assert parts["GPUs"].startswith("  cuda:0: ")
    assert told(tmp_path, NBGRAD_CUDA="off")["GPUs"] == "  none: CUDA is switched off (NBGRAD_CUDA=off)"


def test_a_worker_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    parts = report().split("\n\n")
    assert "Worker process\n  there is none" in parts
    assert "no worker process" in parts[-1]


def test_an_unknown_command_names_the_known_ones() -> None:
    done = fresh("-m", "nbgrad", "cahce", NBGRAD_LOG="")
    assert done.returncode == 2
    assert "cache" in done.stderr

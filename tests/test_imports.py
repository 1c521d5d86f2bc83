"""Data flows one way: a room imports itself and rooms above it in this list, nothing below."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import nbgrad

PACKAGE = Path(__file__).resolve().parents[1] / "nbgrad"

ROOMS = (
    ("errors", "absent", "system"),
    ("config",),
    ("log",),
    ("number",),
    ("graph",),
    ("ops",),
    ("calls",),
    ("transform",),
    ("passes",),
    ("tape",),
    ("kernels",),
    ("runtime",),
    ("pipeline",),
    ("multi_device",),
    ("trace",),
    ("device", "generator"),
    ("autograd",),
    ("tensor",),
    ("functions",),
    ("random",),
    ("amp",),
    ("cuda",),
    ("backends",),
    ("linalg", "special", "signal", "fft"),
    ("array_api",),
    ("distributions",),
    ("nn",),
    ("optim",),
    ("func",),
    ("utils",),
    ("torch_files",),
    ("serialization",),
    ("explain",),
    ("drawing",),
    ("profiler",),
    ("testing",),
    ("compiler",),
    ("numba",),
    ("replay",),
    ("report",),
    ("__init__", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}

# Machine code is the business of two rooms, so that an upgrade of either library touches nothing else; one more
# gives it to Numba's users.
ONLY_IN = {"numba": {"kernels", "runtime", "numba"}, "llvmlite": {"kernels", "runtime", "numba"}}

FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imported_modules(path: Path) -> list[tuple[str, int]]:
    """(dotted name, line) of every import that runs; those for type checkers alone do not."""
    return list(_imports(ast.parse(path.read_text(encoding="utf-8")), path))


def _imports(tree: ast.Module, path: Path) -> Iterator[tuple[str, int]]:
    nodes = list(ast.walk(tree))
    for_types = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in nodes:
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def test_what_is_imported_later_keeps_to_its_rooms() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("later", "import_module"):
                name = str(getattr(node.args[0], "value", ""))
                allowed = ONLY_IN.get(name.split(".")[0])
                assert allowed is None or room_of(path) in allowed, f"{path}:{node.lineno} imports {name}"


def rooms_used(path: Path) -> Iterator[tuple[str, int]]:
    for name, line in imported_modules(path):
        parts = name.split(".")
        if parts[0] == "nbgrad":
            yield (parts[1] if parts[1:] and parts[1] in LEVEL else "__init__"), line


def test_every_room_has_its_place_in_the_list_and_no_other_has() -> None:
    rooms = {room_of(path) for path in FILES}
    unknown, gone = rooms - set(LEVEL), set(LEVEL) - rooms
    assert not unknown, f"{sorted(unknown)}: say in ROOMS what comes before them, see nbgrad/README.md"
    assert not gone, f"{sorted(gone)}: ROOMS lists rooms that do not exist"


def test_imports_point_one_way() -> None:
    for path in FILES:
        own = LEVEL[room_of(path)]
        later = [f"line {line}: {room}" for room, line in rooms_used(path) if LEVEL[room] > own]
        assert not later, f"{path} imports {later}: data flows one way, see nbgrad/README.md"


# Rooms whose ``__init__`` is all that others use of them; of two of these nobody but other rooms uses it.
FACES = {"array_api", "func", "numba", "replay", "trace", "utils"}


def names_used_of(room: str) -> Iterator[tuple[str, Path, int]]:
    """What files of other rooms import from a room: the part of the name behind the room's."""
    for path in FILES:
        if room_of(path) != room:
            for name, line in imported_modules(path):
                if name.startswith(f"nbgrad.{room}."):
                    yield name.removeprefix(f"nbgrad.{room}."), path, line


@pytest.mark.parametrize("room", sorted(FACES))
def test_others_use_a_room_by_its_face(room: str) -> None:
    files = {path.stem for path in (PACKAGE / room).iterdir()}
    inside = [f"{path}:{line}: {name}" for name, path, line in names_used_of(room) if name.split(".")[0] in files]
    assert not inside, f"{inside} is inside: nbgrad/{room}/__init__.py says what others may use"


@pytest.mark.parametrize("room", ["replay", "trace"])
def test_a_face_says_nothing_that_nobody_uses(room: str) -> None:
    face = PACKAGE / room / "__init__.py"
    tree = ast.parse(face.read_text(encoding="utf-8"))
    says = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    files = {path.stem for path in (PACKAGE / room).iterdir()}
    later = {name for name, home in nbgrad._LATER_ROOMS.items() if home == f"nbgrad.{room}"}
    idle = says - own - files - later - {name for name, _, _ in names_used_of(room)}
    assert not idle, f"{face} has {sorted(idle)}, which no other room uses"


def test_compilers_are_imported_where_machine_code_is_made() -> None:
    for path in FILES:
        for name, line in imported_modules(path):
            allowed = ONLY_IN.get(name.split(".")[0])
            assert allowed is None or room_of(path) in allowed, f"{path}:{line} imports {name}"


def test_a_first_result_and_a_compiled_call_do_without_numba(tmp_path: Path) -> None:
    script = """
import sys
import nbgrad as nb
x = nb.ones(3, requires_grad=True)
(x * x).sum().backward()
step = nb.compile(lambda y: (y * 2).sin().sum())
for _ in range(5):
    step(x.detach()).item()
print(x.grad.tolist(), [name for name in sys.modules if name.split(".")[0] == "numba"])
"""
    for mode in ("background", "eager"):
        env = {**os.environ, "NBGRAD_CACHE_DIR": str(tmp_path / mode), "NBGRAD_COMPILE": mode}
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
        assert told.stdout == "[2.0, 2.0, 2.0] []\n", told.stderr


# What an import takes from elsewhere, besides what NumPy and llvmlite take; the time goes with the number of modules.
FROM_ELSEWHERE = frozenset(
    [
        "array",
        "atexit",
        "bisect",
        "copy",
        "ctypes",
        "dataclasses",
        "fcntl",
        "gc",
        "hashlib",
        "heapq",
        "inspect",
        "json",
        "locale",
        "llvmlite",
        "mmap",
        "select",
        "selectors",
        "signal",
        "subprocess",
        "sysconfig",
        "threading",
    ]
)
MOST_OF_OURS = 360  # of modules: 0.2 ms each


def test_an_import_takes_little() -> None:
    script = """
import sys, numpy, llvmlite.binding
before = set(sys.modules)
import nbgrad
print(*set(sys.modules) - before)
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    modules = {name for name in told.stdout.split() if not name.startswith("_")}
    elsewhere = {name for name in modules if name.split(".")[0] != "nbgrad"}
    unknown = {name for name in elsewhere if name.split(".")[0] not in FROM_ELSEWHERE}
    assert not unknown, f"imported though most programs do without it: see later() of system/imports.py ({told.stderr})"
    assert len(modules - elsewhere) <= MOST_OF_OURS, "what most programs do without is for the _LATER tables"


def test_a_python_without_the_gil_is_refused_before_anything_else_is_imported() -> None:
    script = """
import sys, sysconfig
real = sysconfig.get_config_var
sysconfig.get_config_var = lambda name: 1 if name == "Py_GIL_DISABLED" else real(name)
try:
    import nbgrad
except ImportError as error:
    print("free-threaded" in str(error), "usual build" in str(error), "numpy" in sys.modules, "llvmlite" in sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert told.stdout == "True True False False\n", told.stderr

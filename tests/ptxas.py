"""NVIDIA's assembler, where it is to be had: on the path, or from the wheel ``nvidia-cuda-nvcc``."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Usage(NamedTuple):
    """What an entry needs: registers of a thread, bytes spilled to memory, bytes of stack."""

    symbol: str
    registers: int
    spilled: int
    stack: int


@cache
def ptxas() -> str | None:
    """Where the assembler is; None without one."""
    found = shutil.which("ptxas")
    spec = importlib.util.find_spec("nvidia")
    if found is None and spec is not None:
        for folder in spec.submodule_search_locations or ():
            found = next((str(path) for path in sorted(Path(folder).glob("*/bin/ptxas"))), found)
    return found


def assemble(text: str, arch: str, folder: Path) -> list[Usage]:
    """Assemble a PTX module with ``ptxas``, which must be there; AssertionError has what it says against it."""
    program = ptxas()
    assert program is not None
    source = folder / f"{arch}.ptx"
    source.write_text(text)
    command = [program, f"-arch={arch}", "-v", str(source), "-o", str(source.with_suffix(".cubin"))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    return _usages(ran.stderr)


ENTRY = re.compile(r"Compiling entry function '(\w+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores")
REGISTERS = re.compile(r"Used (\d+) registers")


def _usages(report: str) -> list[Usage]:
    found = []
    symbol, stack, spilled = "", 0, 0
    for line in report.splitlines():
        if entry := ENTRY.search(line):
            symbol = entry[1]
        elif frame := STACK.search(line):
            stack, spilled = int(frame[1]), int(frame[2])
        elif used := REGISTERS.search(line):
            found.append(Usage(symbol, int(used[1]), spilled, stack))
    return found

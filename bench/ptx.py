"""What the kernels of GPUs cost there, without one: registers, spills and stack, as NVIDIA's assembler reports them.

``python -m bench.ptx`` (``--arch sm_90``, ``--every 8``, ``--most 20``, ``--folder DIR`` to keep the PTX) takes the
kernels of the operators' samples, for each of the architectures that are tested. It needs ``ptxas``: on the path, or
from the wheel ``nvidia-cuda-nvcc``.

``python -m bench.ptx --numba`` puts beside them what they cost as ``@cuda.jit`` kernels, made by numba-cuda.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from nbgrad.kernels.nvvm import jit_ptx
from nbgrad.kernels.ptx import ptx_texts
from nbgrad.kernels.target import CUDA_ARCHES
from nbgrad.tape.kernel import KernelText
from tests.kernels.corpus import gpu_texts
from tests.kernels.test_nvvm import ARCHES, one_of_each
from tests.kernels.test_warps import whole
from tests.ptxas import Usage, assemble, ptxas

REGISTERS: Final = 65536  # of a multiprocessor
MOST_WARPS: Final = 64  # that it holds
GRANTED: Final = 256  # registers are given to a warp in such lots
BATCH: Final = 100  # kernels of a module


class Line(NamedTuple):
    """One kernel: what it is, what it uses, how many of its warps a multiprocessor has registers for."""

    what: str
    usage: Usage
    warps: int


def warps_of(registers: int) -> int:
    """How many warps with so many registers a thread a multiprocessor holds."""
    of_warp = -(-registers * 32 // GRANTED) * GRANTED
    return min(MOST_WARPS, REGISTERS // of_warp)


def name_of(text: KernelText) -> str:
    """A kernel by its form, its operators and the type of its first operand."""
    ops = [stmt.op for _, stage in text.stages for stmt in stage.stmts]
    ops += [reduction.op for _, stage in text.stages for reduction in stage.reductions]
    return " ".join([text.form, *dict.fromkeys(ops), text.operands[0].dtype])


def measured(texts: Sequence[KernelText], arches: Sequence[str], folder: Path) -> dict[str, list[Line]]:
    """All of ``texts`` for each of ``arches``, those with the most registers first."""
    names = {text.symbol: name_of(text) for text in texts}
    lines: dict[str, list[Line]] = {arch: [] for arch in arches}
    for start in range(0, len(texts), BATCH):
        for arch, made in ptx_texts(texts[start : start + BATCH], arches).items():
            usages = assemble(made, arch, folder)
            lines[arch] += [Line(names[u.symbol], u, warps_of(u.registers)) for u in usages if u.symbol in names]
    for found in lines.values():
        found.sort(key=lambda line: (-line.usage.spilled, -line.usage.registers, line.what))
    return lines


def show(lines: Sequence[Line], most: int) -> str:
    """A table of the first lines, and a summary of all."""
    rows = ["registers  warps  spilled  stack  kernel"]
    rows += [f"{u.registers:9}  {warps:5}  {u.spilled:7}  {u.stack:5}  {what}" for what, u, warps in lines[:most]]
    registers = sorted([line.usage.registers for line in lines])
    spilling = sum([line.usage.spilled > 0 for line in lines])
    return "\n".join(
        [*rows, f"{len(lines)} kernels, median {registers[len(registers) // 2]} registers, {spilling} spill"]
    )


class Pair(NamedTuple):
    """One kernel as LLVM and as NVVM make it."""

    what: str
    own: Usage
    jit: Usage


def compared(texts: Sequence[KernelText], arch: str, folder: Path) -> list[Pair]:
    """All of ``texts``, those first whose numbers of registers differ most."""
    pairs = []
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        own = {usage.symbol: usage for usage in assemble(ptx_texts(batch, [arch])[arch], arch, folder)}
        for text in batch:
            [jit] = [usage for usage in assemble(jit_ptx(text, arch), arch, folder) if usage.symbol == text.symbol]
            pairs.append(Pair(name_of(text), own[text.symbol], jit))
    return sorted(pairs, key=lambda pair: (pair.jit.registers - pair.own.registers, pair.what))


def show_compared(pairs: Sequence[Pair], most: int) -> str:
    """A table of those that need the fewest registers beside LLVM's, and the most, and a summary of all."""
    rows = ["llvm  numba  spilled by llvm  by numba  kernel"]
    shown = pairs if len(pairs) <= 2 * most else [*pairs[:most], *pairs[-most:]]
    rows += [f"{p.own.registers:4} {p.jit.registers:6} {p.own.spilled:16} {p.jit.spilled:9}  {p.what}" for p in shown]
    by_llvm, by_numba = [pair.own for pair in pairs], [pair.jit for pair in pairs]
    rows += [f"{len(pairs)} kernels, {_summary(by_llvm)} by LLVM, {_summary(by_numba)} by numba-cuda"]
    changes = [b.registers - a.registers for a, b in zip(by_llvm, by_numba, strict=True)]
    rows += [
        f"numba-cuda takes fewer registers for {sum(x < 0 for x in changes)}, more for {sum(x > 0 for x in changes)}"
    ]
    return "\n".join(rows)


def _summary(usages: Sequence[Usage]) -> str:
    registers = [usage.registers for usage in usages]
    warps = sum([warps_of(each) for each in registers]) / len(registers)
    spilling = sum([usage.spilled > 0 for usage in usages])
    spread = f"median {median(registers):.0f}, most {max(registers)}"
    return f"{sum(registers)} registers ({spread}; {warps:.1f} warps; {spilling} spill)"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.ptx", description=__doc__)
    parser.add_argument("--arch", choices=sorted({*CUDA_ARCHES, *ARCHES}), help="the only one to look at")
    parser.add_argument("--numba", action="store_true", help="compare with what numba-cuda makes")
    parser.add_argument("--every", type=int, default=1, help="take one in so many kernels")
    parser.add_argument("--most", type=int, default=20, help="lines to print")
    parser.add_argument("--folder", type=Path, help="where the PTX and the machine code are kept")
    options = parser.parse_args(arguments)
    if ptxas() is None:
        print("no ptxas: install nvidia-cuda-nvcc or put it on the path", file=sys.stderr)
        return 1
    if options.numba:
        others = list(dict.fromkeys([whole(text) for text in gpu_texts()]))
        texts = list(dict.fromkeys([*one_of_each(), *others[:: options.every]]))
        for arch in [options.arch] if options.arch else ARCHES:
            with tempfile.TemporaryDirectory() as folder:
                print(f"{arch}\n{show_compared(compared(texts, arch, options.folder or Path(folder)), options.most)}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        arches = [options.arch] if options.arch else CUDA_ARCHES
        found = measured(gpu_texts()[:: options.every], arches, options.folder or Path(folder))
    for arch, lines in found.items():
        print(f"{arch}\n{show(lines, options.most)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

import importlib.util
from pathlib import Path

import pytest

from bench.ptx import Line, Pair, compared, measured, name_of, show, show_compared, warps_of
from nbgrad.tape.kernel import KernelText, Operand, Stmt
from tests.ptxas import Usage, ptxas

DOUBLED = KernelText(
    "map",
    1,
    0,
    (Operand("float32", 1, "in"), Operand("float32", 1, "out")),
    (Stmt("add", (0, 0), (), "float32"),),
    ((2, 1),),
)


def test_registers_say_how_many_warps_there_can_be() -> None:
    assert [warps_of(n) for n in (16, 32, 33, 64, 128, 255)] == [64, 64, 51, 32, 16, 8]


def test_a_kernel_is_named_by_what_it_computes() -> None:
    assert name_of(DOUBLED) == "map add float32"


def test_the_table_begins_with_what_needs_most() -> None:
    lines = [Line("a", Usage("x", 40, 0, 0), 48), Line("b", Usage("y", 20, 0, 0), 64)]
    table = show(lines, 1).splitlines()
    assert table[1].split() == ["40", "48", "0", "0", "a"]
    assert table[2] == "2 kernels, median 40 registers, 0 spill"


@pytest.mark.skipif(ptxas() is None, reason="no ptxas: install nvidia-cuda-nvcc or put it on the path")
def test_a_kernel_is_measured(tmp_path: Path) -> None:
    [line] = measured([DOUBLED], ["sm_80"], tmp_path)["sm_80"]
    assert line.what == "map add float32" and line.usage.spilled == 0 and line.warps > 16


def test_a_comparison_shows_both_ends_and_counts() -> None:
    pairs = [
        Pair("a", Usage("x", 40, 0, 0), Usage("x", 32, 0, 0)),
        Pair("b", Usage("y", 20, 0, 0), Usage("y", 24, 8, 0)),
    ]
    _, first, last, total, changes = show_compared(pairs, 1).splitlines()
    assert first.split() == ["40", "32", "0", "0", "a"] and last.split() == ["20", "24", "0", "8", "b"]
    assert "60 registers (median 30, most 40; 57.5 warps; 0 spill) by LLVM, 56 registers" in total
    assert changes == "numba-cuda takes fewer registers for 1, more for 1"


@pytest.mark.skipif(ptxas() is None, reason="no ptxas: install nvidia-cuda-nvcc or put it on the path")
@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
def test_a_kernel_is_compared(tmp_path: Path) -> None:
    [pair] = compared([DOUBLED], "sm_90", tmp_path)
    assert pair.what == "map add float32" and pair.own.symbol == pair.jit.symbol == DOUBLED.symbol

from pathlib import Path

import pytest

from bench.ptx import Line, measured, name_of, show, warps_of
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

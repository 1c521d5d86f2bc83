"""Long rows that a block of warps has, against the CPU's kernels: on vectors of 32 lanes, and as PTX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.blocks import ENOUGH_WARPS, LONG_ROW, ROW_RUN
from nbgrad.graph.dtypes import DType, float32, float64
from nbgrad.graph.node import Node, apply
from nbgrad.kernels.launch import WARPS, Launch, grid_of, handed_over, launch_of, scratch_bytes
from nbgrad.kernels.ptx import ptx_text, rows_at_once
from nbgrad.kernels.target import host, host_warps
from nbgrad.tape.kernel import LANES, LONG, KernelText, Operand, Reduction, Stage
from nbgrad.tape.tape import Instruction
from nbgrad.transform.vjp import vjp
from tests.kernels.corpus import sample_graph, tapes
from tests.kernels.harness import same_bits, sample
from tests.kernels.test_warps import addresses, for_warps, outputs, same_on_ptx, texts_of
from tests.passes.build import value
from tests.ptxas import assemble, ptxas
from tests.samples import OpSample

CASES: dict[str, tuple[str, tuple[int, ...], str, tuple[Any, ...]]] = {
    "sums": ("sum", (3, 1100), "float32", ((1,),)),
    "products": ("prod", (2, LONG_ROW), "float64", ((1,),)),
    "places of the largest": ("argmax", (2, 2, 1600), "float64", ((2,),)),
    "smallest numbers": ("amin", (3, 1025), "int16", ((1,),)),
    "largest truths": ("amax", (2, 1200), "bool", ((1,),)),
    "a scratch": ("softmax", (2, 2100), "float32", ((1,),)),
    "a finish": ("standardize", (2, 1030), "float64", ((1,), 1e-5)),
    "one row": ("sum", (8192,), "float32", ((0,),)),
}


def graph(name: str) -> Any:
    """Each run changes the result of its row: NaN in most rows of what ``sample`` makes would hide the others."""
    op, shape, dtype, params = CASES[name]
    rng = np.random.default_rng(sum(shape))
    if dtype == "bool":
        x = np.zeros(shape, bool)
        x[0, -1] = True
    elif dtype.startswith("int"):
        x = sample(rng, shape, dtype)
    else:
        x = rng.normal(1.0, 0.01, shape).astype(dtype)
    return sample_graph(op, [OpSample((x,), params)])


def there_and_back(dtype: DType) -> list[Node]:
    """Rows standardized, and the derivative: several stages with many operands."""
    x, g = (value(2, 2100, at=k, dtype=dtype) for k in range(2))
    y = apply("standardize", x * x, params=((1,), 1e-5))
    (back,) = vjp([y], [g], [x])
    assert back is not None
    return [y, back]


def test_nan_in_any_run_is_found() -> None:
    for run in range(3):
        x = np.ones((3, 3 * ROW_RUN), np.float32)
        x[1, run * ROW_RUN + 7] = np.nan
        for op in ("sum", "amax", "argmax"):
            same_on_ptx(*sample_graph(op, [OpSample((x,), ((1,),))]), at_once=True)


@pytest.mark.parametrize("name", CASES)
def test_long_rows_give_the_bits_of_the_cpu(name: str) -> None:
    roots, inputs = graph(name)
    tape, of_gpu = tapes(roots)[1], tapes(roots, gpu=True)[1]
    assert all(LONG in text.traits for text in texts_of(of_gpu))
    wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
    found = outputs(for_warps(of_gpu), roots, inputs, addresses(texts_of(of_gpu), host_warps()))
    assert same_bits(found[0], wanted[0])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("at_once", [False, True])
def test_warps_of_a_block_give_the_bits_of_the_cpu_as_ptx(name: str, at_once: bool) -> None:
    """A block has one row, or goes from row to row."""
    same_on_ptx(*graph(name), at_once=at_once)


@pytest.mark.skipif(ptxas() is None, reason="no ptxas: install nvidia-cuda-nvcc or put it on the path")
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_a_multiprocessor_has_registers_for_some_blocks(arch: str, tmp_path: Path) -> None:
    graphs = [graph(name)[0] for name in CASES] + [there_and_back(dtype) for dtype in (float32, float64)]
    found = [text for roots in graphs for text in texts_of(tapes(roots, gpu=True)[1]) if LONG in text.traits]
    texts = {text.symbol: text for text in found}
    assert {rows_at_once(text) for text in found} == {2, 3, 4}
    usages = assemble(ptx_text([*texts.values()], arch), arch, tmp_path)
    assert {u.symbol for u in usages} == set(texts)
    of_block = {u.symbol: u.registers * LANES * WARPS for u in usages}
    assert not [u for u in usages if u.spilled or of_block[u.symbol] * rows_at_once(texts[u.symbol]) > 1 << 16]


SUMS = KernelText("row", 1, 1, (Operand("float32", 1, "in"), Operand("float32", 0, "out")), (), (),
                  (Reduction("sum", (0,), (1,)),), traits=(LONG,))  # fmt: skip


def launched(text: KernelText, rows: int, columns: int, kept: int = 0, shared_bytes: int = 48 << 10) -> Launch:
    words = [rows, columns, 1, columns, 1, 1, 0, columns * 4, 4, kept, 0, 4]
    found = launch_of(Instruction(text, 0, rows, 1, 1, 0, ()), words, shared_bytes)
    assert found is not None and found.is_block and scratch_bytes(text, words) == found.scratch_bytes
    return found


@pytest.mark.parametrize(("columns", "warps"), [(LONG_ROW, 2), (LONG_ROW + 1, 3), (4096, 8), (8192, 8)])
def test_a_block_has_a_warp_for_each_run_up_to_eight(columns: int, warps: int) -> None:
    found = launched(SUMS, 100, columns)
    assert (found.blocks, found.threads, found.chunk) == (100, warps * LANES, 1)
    assert found.shared_bytes == 2 * -(-columns // ROW_RUN) * handed_over(SUMS) and handed_over(SUMS) == 4 * LANES


def test_a_block_keeps_its_row_in_as_much_shared_memory_as_the_device_grants() -> None:
    text = KernelText(*(SUMS.form, 1, 1, (SUMS.operands[0], Operand("float32", 1, "scratch"))), (), ((0, 1),),
                      (Reduction("sum", (0,), (-1,)),), traits=(LONG,))  # fmt: skip
    found = launched(text, 3000, 8192, kept=32 << 10)
    assert (found.shared_bytes, found.workspace_bytes) == (0, found.blocks * found.scratch_bytes)
    granted = launched(text, 3000, 8192, kept=32 << 10, shared_bytes=99 << 10)
    assert (granted.blocks, granted.shared_bytes, granted.workspace_bytes) == (3000, granted.scratch_bytes, 0)
    assert grid_of([granted, launched(SUMS, 5000, 4096)]) == (5000, 8 * LANES, granted.shared_bytes)


@pytest.mark.parametrize(
    ("shape", "dims", "is_long"),
    [
        ((3, LONG_ROW), (1,), True),
        ((3, LONG_ROW - 1), (1,), False),
        ((ENOUGH_WARPS, LONG_ROW), (1,), False),  # one warp a row is work enough
        ((3, 4, 8193), (2,), False),  # two blocks of the order
        ((2000, 3), (0,), False),
    ],
)
def test_which_rows_a_block_has(shape: tuple[int, ...], dims: tuple[int, ...], is_long: bool) -> None:
    roots, _ = sample_graph("sum", [OpSample((np.broadcast_to(np.float32(0), shape),), (dims,))])
    assert (LONG in texts_of(tapes(roots, gpu=True)[1])[0].traits) is is_long


def loads(text: KernelText) -> list[list[int]]:
    """The operands that lie in memory and are loaded for elements, stage by stage."""

    def used(stage: Stage) -> set[int]:
        values = [a for stmt in stage.stmts for a in stmt.args] + [a for r in stage.reductions for a in r.args]
        return {*values, *[value for value, _ in stage.stores]}

    in_memory = [k for k, o in enumerate(text.operands) if o.role in ("in", "out") and o.stride]
    return [[k for k in in_memory if k in used(stage)] for _, stage in text.stages]


@pytest.mark.parametrize("name", ["a scratch", "a finish"])
def test_a_block_reads_each_element_once(name: str) -> None:
    roots, _ = graph(name)
    [text], [of_gpu] = (texts_of(tapes(roots, gpu=gpu)[1]) for gpu in (False, True))
    assert sum([0 in stage for stage in loads(text)]) > 1
    assert [k for stage in loads(of_gpu) for k in stage] == [0]

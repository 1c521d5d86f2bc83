"""Kernels for GPUs against those of the CPU, bit by bit: on vectors of 32 lanes, and as PTX on a machine in NumPy."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.node import Node
from nbgrad.graph.op import OPS, Kind
from nbgrad.kernels.compile import compile_kernels, emitted
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.launch import warp_items
from nbgrad.kernels.target import Target, cuda, host, host_warps
from nbgrad.kernels.traits import with_traits
from nbgrad.runtime.executable import Executable
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, KernelText, Operand, Reduction, Stmt
from nbgrad.tape.tape import Tape
from tests.compiled import buffer_of
from tests.kernels.corpus import gpu_texts, sample_graph, tapes, valid_samples
from tests.kernels.harness import call, row_extra, same_bits, sample
from tests.kernels.ptx.launch import kernel_of
from tests.samples import Array, OpSample

SAMPLES = dict(valid_samples())
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
FAILED = 77


def outputs(tape: Tape, roots: Sequence[Node], inputs: Sequence[Array], at: list[int]) -> list[Array]:
    buffers = Executable(tape, at).run([buffer_of(x) for x in inputs], [])
    return [b.array(r.spec.shape, r.spec.dtype.numpy).copy() for b, r in zip(buffers, roots, strict=True)]


@cache
def _loaded(target: Target) -> tuple[Engine, set[KernelText]]:
    return Engine(), set()


def addresses(texts: list[KernelText], target: Target) -> list[int]:
    """Where each of ``texts`` starts. What several samples need is compiled once for all of them."""
    engine, known = _loaded(target)
    wanted = [whole(text) if target.is_warp else text for text in texts]
    new = [text for text in dict.fromkeys(wanted) if text not in known]
    if new:
        engine.load(compile_kernels(new, target))
        known.update(new)
    return [engine.address(text.symbol) for text in wanted]


def whole(text: KernelText) -> KernelText:
    """What is no draft and has the same code for warps: only products have others."""
    return text if text.form == "gemm" else dataclasses.replace(text, is_draft=False)


def test_a_draft_has_the_code_of_what_comes_after_it() -> None:
    drafts = [text for text in gpu_texts() if whole(text) != text][::5]
    assert {text.form for text in drafts} == {"map", "row", "column"}
    for text in drafts:
        for target in (host_warps(), cuda("sm_80")):
            code = emitted([whole(text)], target).replace(whole(text).symbol, text.symbol)
            assert emitted([text], target) == code


def for_warps(tape: Tape) -> Tape:
    """The tape with as many items as its launches have."""
    items = [warp_items(i.text, i.items, tape.words[i.at :]) for i in tape.instructions]
    pairs = zip(tape.instructions, items, strict=True)
    return dataclasses.replace(tape, instructions=[i._replace(items=n, flags=0) for i, n in pairs])


def without_traits(tape: Tape) -> Tape:
    return dataclasses.replace(tape, instructions=[i._replace(text=with_traits(i.text, ())) for i in tape.instructions])


def texts_of(tape: Tape) -> list[KernelText]:
    return [i.text for i in tape.instructions]


@pytest.mark.parametrize("name", SAMPLES)
def test_vectors_of_32_lanes_give_the_bits_of_the_cpus_kernels(name: str) -> None:
    roots, inputs = sample_graph(name, SAMPLES[name])
    for tape, of_gpu in zip(tapes(roots), tapes(roots, gpu=True), strict=True):
        if not tape.instructions:
            continue
        wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
        found = outputs(for_warps(of_gpu), roots, inputs, addresses(texts_of(of_gpu), host_warps()))
        assert all(same_bits(a, b) for a, b in zip(found, wanted, strict=True))


RUNS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]] = {
    "two runs": ("sum", (300, 70), (0,)),
    "two blocks of runs": ("prod", (2000, 40), (0,)),
    "places in two blocks": ("argmax", (2000, 40), (0,)),
    "more runs than a run has elements": ("sum", (66_000, 130), (0,)),
    "blocks of one row": ("sum", (3_000_000,), (0,)),
    "two reduced dims": ("amax", (5, 40, 3, 8), (1, 3)),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_that_warps_share_give_the_bits_of_the_cpus_columns(name: str) -> None:
    op, shape, dims = RUNS[name]
    roots, inputs = sample_graph(op, [OpSample((normal(*shape),), (dims,))])
    tape, of_gpu = tapes(roots)[1], tapes(roots, gpu=True)[1]
    assert len(of_gpu.instructions) == len(tape.instructions) + (op != "amax")
    wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
    found = outputs(for_warps(of_gpu), roots, inputs, addresses(texts_of(of_gpu), host_warps()))
    assert same_bits(found[0], wanted[0])


class _Callbacks:
    """PTX kernels that the runner can call; what they raise is kept."""

    def __init__(self, texts: list[KernelText], target: Target) -> None:
        self.raised: list[BaseException] = []
        self.kept = {text: CALLBACK(self._guarded(kernel_of(text, target))) for text in dict.fromkeys(texts)}
        self.addresses = [ctypes.cast(self.kept[text], ctypes.c_void_p).value or 0 for text in texts]

    def _guarded(self, kernel: Callable[[int, int, int], int]) -> Callable[[int, int, int], int]:
        def run(desc: int, begin: int, end: int) -> int:
            try:
                return kernel(desc, begin, end)
            except BaseException as error:
                self.raised.append(error)
                return FAILED

        return run


def same_on_ptx(
    roots: Sequence[Node],
    inputs: Sequence[Array],
    *,
    traits: bool = True,
    at_once: bool = False,
    target: Target | None = None,
) -> None:
    """``traits``: with GPU kernels that take something for granted, or as they are without. ``at_once``: all items of
    an instruction are those of one warp, or block, which goes from one to the next. ``target``: sm_80."""
    tape, of_gpu = tapes(roots)[1], tapes(roots, gpu=True)[1]
    if not traits:
        of_gpu = without_traits(of_gpu)
    wanted = outputs(tape, roots, inputs, addresses(texts_of(tape), host()))
    callbacks = _Callbacks(texts_of(of_gpu), target or cuda("sm_80"))
    try:
        run = for_warps(of_gpu)
        if at_once:
            run = dataclasses.replace(run, instructions=[i._replace(chunk=i.items) for i in run.instructions])
        found = outputs(run, roots, inputs, callbacks.addresses)
    finally:
        if callbacks.raised:
            raise callbacks.raised[0]
    assert all(same_bits(a, b) for a, b in zip(found, wanted, strict=True))


# Composites are made of these, and all operators are compared at 32 lanes above: here each way to write PTX is.
ON_PTX = [
    *[name for name in SAMPLES if OPS[name].kind in (Kind.REDUCE, Kind.LIBRARY)],
    *("bit_not", "cast", "div", "erf", "exp", "fmod", "floor_divide", "maximum", "minimum", "philox", "pow", "round"),
    *("shift_left", "sin", "softmax", "sqrt", "take", "tanh", "trunc_divide", "where"),
]


MOST = 500  # elements of a sample on PTX; long ones are for the CPU's ways, and seconds for a machine in NumPy


@pytest.mark.parametrize("name", dict.fromkeys(ON_PTX))
def test_ptx_gives_the_bits_of_the_cpus_kernels(name: str) -> None:
    small = [s for s in SAMPLES[name] if sum(x.size for x in s.inputs) <= MOST]
    roots, inputs = sample_graph(name, small)
    if len(small) < len(SAMPLES[name]):
        of_all = tapes(sample_graph(name, SAMPLES[name])[0], gpu=True)[1]
        assert {*texts_of(tapes(roots, gpu=True)[1])} == {*texts_of(of_all)}, "a kernel that only long samples have"
    same_on_ptx(roots, inputs)


def normal(*shape: int, dtype: str = "float32") -> Array:
    return sample(np.random.default_rng(sum(shape)), shape, dtype)


def ints(*shape: int, stop: int = 30) -> Array:
    return np.random.default_rng(sum(shape)).integers(0, stop, shape)


LONGER: dict[str, tuple[str, tuple[Array, ...], tuple[Any, ...]]] = {
    "rows": ("sum", (normal(3, 133),), ((1,),)),
    "rows of float64": ("sum", (normal(3, 65, dtype="float64"),), ((1,),)),
    "several blocks": ("sum", (normal(8192 + 33),), ((0,),)),
    "places of the largest": ("argmax", (normal(2, 70),), ((1,),)),
    "columns": ("sum", (normal(300, 70),), ((0,),)),
    "a scratch": ("softmax", (normal(3, 100),), ((1,),)),
    "a product": ("matmul", (normal(18, 33), normal(33, 70)), ()),
    "products in runs": ("matmul", (normal(2, 1, 261), normal(2, 261, 3)), ()),
    "a product of float64": ("matmul", (normal(9, 5, dtype="float64"), normal(5, 66, dtype="float64")), ()),
    "sorting": ("order", (ints(2, 75),), ()),
    "the first few": ("order", (ints(2, 75),), (3,)),
    "more than a warp's": ("order", (ints(2, 75),), (40,)),
    "running sums": ("cumsum", (normal(2, 70),), (1, False)),
    "running sums from the end": ("cumsum", (normal(2, 70),), (1, True)),
    "running sums of columns": ("cumsum", (normal(2, 5, 40),), (1, False)),
    "running maxima": ("cummax", (np.arange(140).reshape(2, 70) * 37 % 50,), (1, False)),
    "a recurrence": ("recurrence", (normal(2, 69), normal(2, 70)), (1, True)),
    "a recurrence of columns": ("recurrence", (normal(2, 4, 40), normal(2, 5, 40)), (1, False)),
    "a scatter": ("scatter_add", (normal(30), ints(70), normal(70)), ()),
    "products of what is scattered": ("scatter_product", (normal(30), ints(70), normal(70)), ()),
    "a recurrence of each place": ("scatter_recurrence", (normal(30), ints(70), normal(70), normal(70)), ()),
}


@pytest.mark.parametrize("name", LONGER)
def test_ptx_gives_the_bits_of_the_cpu_over_more_than_a_warp(name: str) -> None:
    op, inputs, params = LONGER[name]
    roots, own = sample_graph(op, [OpSample(inputs, params)])
    same_on_ptx(roots, own)
    if any(text.traits for text in texts_of(tapes(roots, gpu=True)[1])):
        same_on_ptx(roots, own, traits=False)


def test_an_index_outside_its_table_stops_a_warp() -> None:
    operands = (Operand("float32", 0, "table"), Operand("int64", 1, "in"), Operand("float32", 1, "out"))
    text = KernelText("map", 1, 0, operands, (Stmt("take", (0, 1), (), "float32"),), ((3, 2),))
    table, index, out = np.arange(5, dtype="float32"), np.arange(40) % 5, np.zeros(40, "float32")
    assert call(text, [table, index, out], [40], target=cuda("sm_80")) == 0
    assert (out == table[index]).all()
    index[37] = 5
    assert call(text, [table, index, out], [40], target=cuda("sm_80")) == INDEX_OUT_OF_RANGE


def test_rows_of_one_stride_and_another() -> None:
    operands = (Operand("float32", 2, "in"), Operand("float32", 0, "out"))
    text = KernelText("row", 1, 1, operands, (), (), (Reduction("sum", (0,), (1,)),))
    x = normal(45, 4).T
    results = []
    for target in (host(), host_warps(), cuda("sm_80")):
        out = np.zeros(4, "float32")
        assert call(text, [x, out], x.shape, row_extra(1, 45), items=4, target=target, splits=[1]) == 0
        results.append(out)
    assert all(same_bits(results[0], out) for out in results[1:])

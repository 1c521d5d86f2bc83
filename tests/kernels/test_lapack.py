"""What kernels that call LAPACK owe beside values, which tests/ops/test_compiled_operators.py compares."""

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.graph.dtypes import float32, float64
from nbgrad.graph.node import apply
from nbgrad.kernels import ir
from nbgrad.kernels.emit import emit_kernel
from nbgrad.kernels.target import host_warps
from nbgrad.tape.lapack import address, work_elements
from nbgrad.tape.lapack_words import LAYOUTS
from tests.compiled import bits
from tests.kernels.corpus import tapes
from tests.samples import floats, input_nodes

MANY = np.random.default_rng(5).normal(size=(150, 24, 24)) + 9 * np.eye(24)  # more matrices than items


def test_no_two_words_have_one_name() -> None:
    for layout in LAYOUTS.values():
        names = [*layout.inputs, "out", *layout.named]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("f", [nb.linalg.inv, nb.linalg.det, nb.linalg.eigvalsh, lambda a: nb.linalg.qr(a).R])
def test_a_matrix_has_the_same_bits_alone_and_among_others_by_any_number_of_threads(f: object) -> None:
    before = nb.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            nb.set_num_threads(threads)
            found.append(f(nb.tensor(MANY)).numpy())  # type: ignore[operator]
        alone = f(nb.tensor(MANY[77])).numpy()  # type: ignore[operator]
    finally:
        nb.set_num_threads(before)
    assert bits(found[0]) == bits(found[1])
    assert bits(found[0][77]) == bits(alone)


def test_a_batch_is_cut_into_items_with_a_scratch_each() -> None:
    nodes = input_nodes([MANY])
    tape = tapes([apply("inv", *nodes)])[1]
    [instruction] = tape.instructions
    together, matrices, scratch_bytes = tape.words[instruction.at : instruction.at + 3]
    assert matrices == 150 and (instruction.items - 1) * together < 150 <= instruction.items * together
    assert 1 < instruction.items <= 64
    assert tape.arena_bytes >= instruction.items * scratch_bytes > 0


def test_routines_are_found_by_dtype_and_asked_for_their_memory() -> None:
    assert address("getrf", float32) != address("getrf", float64) != 0
    assert address("trsm", float64) == address("trsm", float64)
    n = 100
    assert work_elements("getri", float64, n, None, n, None, None, -1, 0) >= n


def test_there_is_no_version_for_gpus() -> None:
    text = tapes([apply("inv", *input_nodes([floats(2, 2)]))])[1].instructions[0].text
    with pytest.raises(NotImplementedError, match="inv"):
        emit_kernel(ir.Module("m"), text, host_warps())

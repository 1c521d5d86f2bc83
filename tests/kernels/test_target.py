"""What the emitter asks about a machine."""

from __future__ import annotations

import pytest

from nbgrad.errors import ArgumentError
from nbgrad.kernels.target import CUDA_ARCHES, cuda, host, named
from nbgrad.tape.kernel import LANES


def test_lanes_fill_the_vectors_of_the_level() -> None:
    assert [named("skylake-avx512").lanes(size) for size in (4, 8)] == [16, 8]
    assert [named("haswell").lanes(size) for size in (4, 8)] == [8, 4]
    assert [named("x86-64").lanes(size) for size in (4, 8)] == [4, 2]
    assert host().lanes(1) <= LANES


def test_masked_moves_are_used_only_where_they_are_instructions() -> None:
    assert named("skylake-avx512").has_masked_moves(1)
    assert named("haswell").has_masked_moves(4)
    assert not named("haswell").has_masked_moves(2)
    assert not named("x86-64").has_masked_moves(4)


def test_masked_stores_are_quick_where_masks_are_registers() -> None:
    assert named("skylake-avx512").stores_masked_at_once
    assert not named("haswell").stores_masked_at_once
    assert not named("x86-64").stores_masked_at_once


def test_an_unknown_cpu_is_refused_with_the_choices() -> None:
    with pytest.raises(ArgumentError, match="haswell"):
        named("z80")


def test_the_key_tells_targets_apart() -> None:
    keys = {t.key for t in (host(), named("haswell"), named("x86-64"))}
    assert len(keys) == 3


def test_code_for_a_gpu_is_what_llvm_knows_and_its_driver_takes(capfd: pytest.CaptureFixture[str]) -> None:
    assert [cuda(arch).cpu for arch in CUDA_ARCHES] == [*CUDA_ARCHES]
    assert capfd.readouterr().err == ""
    unborn = cuda("sm_990", 13)
    assert (unborn.cpu, unborn.device, unborn.driver) == (CUDA_ARCHES[-1], "sm_990", 13)
    assert len({unborn.key, cuda("sm_990", 12).key, cuda(CUDA_ARCHES[-1], 13).key}) == 3

"""What elementary functions cost: counted in machine code made by hand, and by NVIDIA's tools where they are."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import pytest

from bench.elementary import BRANCH, INSTRUCTION, NOP, Cost, cost_of, measured, nvidias, own
from nbgrad.runtime.cuda.linker import MARK

FMA = 0x223


def nvidia_folders() -> list[str]:
    """Where NVIDIA's wheels are installed."""
    spec = importlib.util.find_spec("nvidia")
    return [*((spec.submodule_search_locations if spec is not None else None) or ())]


def machine_code(sections: dict[str, tuple[list[int], int]]) -> bytes:
    """An ELF file with these sections of instructions, and the registers each says it needs."""
    names = b"\0".join([b"", *[name.encode() for name in sections], b""])
    body, headers = bytearray(64) + names, [(0, 3, 0, 0, 64, len(names), 0, 0, 1, 0)]
    for name, (opcodes, registers) in sections.items():
        place = names.index(name.encode())
        headers.append((place, 1, 6, 0, len(body), INSTRUCTION * len(opcodes), 0, registers << 24 | 5, 1, 0))
        body += b"".join([struct.pack("<QQ", 0xAB000 | opcode, 7) for opcode in opcodes])
    body[:4] = MARK
    struct.pack_into("<Q", body, 40, len(body))
    struct.pack_into("<HHH", body, 58, 64, len(headers), 0)
    return bytes(body) + b"".join([struct.pack("<IIQQQQIIQQ", *header) for header in headers])


def test_instructions_branches_and_registers_are_read_from_machine_code() -> None:
    code = machine_code(
        {
            ".text.f": ([FMA, BRANCH, FMA, NOP, NOP], 22),
            ".text.__division": ([FMA] * 9, 30),
            ".nv.info": ([FMA], 0),
        }
    )
    assert cost_of(code) == Cost(3, 1, 9, 22)


def test_a_function_is_all_that_differs_from_the_kernel_without_one() -> None:
    with_exp, without = [own(name, "float32", "sm_80").decode() for name in ("exp", "")]
    assert ".entry f(" in with_exp and "fma.rn.f32" in with_exp
    assert with_exp.count(".global") == without.count(".global") and "fma" not in without


@pytest.mark.parametrize("make", [own, nvidias])
def test_a_function_costs_instructions(make: object) -> None:
    assert callable(make)
    if any(importlib.util.find_spec(name) is None for name in ("cuda", "nvidia", "numba_cuda")):
        pytest.skip("needs the extra cuda")
    if make is nvidias and not [found for folder in nvidia_folders() for found in Path(folder).glob("*/lib/libnvrtc*")]:
        pytest.skip("NVIDIA's compilers are missing: numba-cuda[cu13] brings them")
    [cost] = measured(make, ["exp"], "float32", "sm_80")
    assert 5 < cost.instructions < 60 and cost.branches == 0 and cost.registers >= 8

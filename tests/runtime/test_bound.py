"""A frame in which some addresses stand for good runs as one that is filled in by each run."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from nbgrad.graph.node import apply
from nbgrad.runtime.bound import FIRST
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner_code import runner_code
from tests.passes.build import start, value
from tests.passes.runs import fused

SLOTS = 5  # two inputs, one result, the arena, the numbers


@pytest.mark.parametrize("n_open", range(SLOTS))
def test_any_of_the_addresses_may_be_left_open(n_open: int) -> None:
    plan = fused([apply("slice", value(8), start(), params=(0, 3, 1)) * value(3, at=1)])
    executable: Any = plan.executable
    assert executable.tape.slots == SLOTS
    for others in combinations(range(SLOTS - 1), n_open):
        buffers = [Buffer.alloc(n) for n in (32, 12, 12, max(executable.tape.arena_bytes, 8), 8)]
        numbers = memoryview(buffers[4].array((8,), np.uint8))  # type: ignore[arg-type]
        addresses = [0 if slot in others else b.address for slot, b in enumerate(buffers)]
        bound = executable.binding(others).bound(addresses, buffers[4].address)
        for k in (0, 5, 2):  # again and again: no address, and no start, is added to what was there
            for slot in others:  # which may lie elsewhere each time
                buffers[slot] = Buffer.alloc(buffers[slot].nbytes)
            for place, slot in enumerate(others):
                bound.memory[FIRST + place] = buffers[slot].address
            buffers[0].array((8,), np.float32)[:] = np.arange(8)
            buffers[1].array((3,), np.float32)[:] = [1, 10, 100]
            executable.write_numbers(numbers, [k])
            assert runner_code().run(bound.address) == 0
            assert buffers[2].array((3,), np.float32).tolist() == [k, 10 * (k + 1), 100 * (k + 2)]

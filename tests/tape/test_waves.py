"""Which instructions may run side by side, and that it does not matter in which order they do."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from nbgrad.config import override
from nbgrad.graph.node import Node, apply
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.group import NO_DONATIONS, one_by_one
from nbgrad.passes.run import grouped, optimise
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.store import store
from nbgrad.tape import waves
from nbgrad.tape.block import ARENA, Block, Ref, output_slot
from nbgrad.tape.build import Mention, Step, TapeBuilder
from nbgrad.tape.kernel import KernelText
from nbgrad.tape.lower import lower
from nbgrad.tape.memory import plan_memory
from nbgrad.tape.show import show_memory
from nbgrad.tape.tape import Instruction, Tape
from nbgrad.tape.waves import dependences, form_waves
from nbgrad.tape.work import WAVE
from tests.passes.build import permuted, value
from tests.passes.graphs import Case, cases
from tests.passes.runs import same_bits

EXAMPLES = int(os.environ.get("NBGRAD_FUZZ", "300"))

Array = np.ndarray[Any, np.dtype[Any]]


def at(block: Block, offset: int = 0, is_part: bool = False) -> Ref:
    return Ref(block, offset, (), (4,), is_part)


def block(nbytes: int = 64, born: int = 0) -> Block:
    return Block(nbytes, ARENA, born)


def use(reads: list[Block], writes: list[Ref]) -> Step:
    """A step that reads blocks and writes places."""
    mentions = [*[Mention(0, at(b), False) for b in reads], *[Mention(0, ref, True) for ref in writes]]
    return Step(KernelText("map", 1, 0, ()), 1, 1, 10**9, 0, (), [], mentions, [])


def test_what_reads_a_value_waits_for_what_writes_it() -> None:
    a = block()
    assert dependences([use([], [at(a)]), use([a], []), use([a], [])]) == [set(), {0}, {0}]


def test_what_overwrites_a_value_waits_for_what_reads_it() -> None:
    a = block()
    assert dependences([use([], [at(a)]), use([a], []), use([], [at(a)])]) == [set(), {0}, {0, 1}]


def test_two_writers_of_one_place_keep_their_order() -> None:
    a = block()
    assert dependences([use([], [at(a)]), use([], [at(a, 32)]), use([a], [])]) == [set(), {0}, {1}]


def test_an_update_in_place_waits_for_all_before_and_all_after_wait_for_it() -> None:
    a, b = block(), block()
    uses = [use([], [at(a)]), use([a], [at(b)]), use([a], [at(a)]), use([a], [])]
    assert dependences(uses) == [set(), {0}, {0, 1}, {2}]


def test_parts_of_a_concatenation_do_not_wait_for_each_other_but_their_reader_does() -> None:
    a = block()
    uses = [use([], [at(a, 0, True)]), use([], [at(a, 32, True)]), use([a], []), use([], [at(a)])]
    assert dependences(uses) == [set(), set(), {0, 1}, {0, 1, 2}]


def test_one_part_written_twice_keeps_its_order() -> None:
    a = block()
    assert dependences([use([], [at(a, 32, True)]), use([], [at(a, 32, True)])]) == [set(), {0}]


def test_a_kernel_that_reads_what_it_writes_does_not_wait_for_itself() -> None:
    a = block()
    assert dependences([use([a], [at(a)])]) == [set()]


def test_a_result_in_the_memory_of_an_input_waits_for_its_readers_and_for_what_may_fail() -> None:
    parameter, state, result = Block(64, 0, 0), Block(64, 1, 0), Block(64, output_slot(0), 0)
    uses = [use([parameter], []), use([state], []), use([Block(64, 0, 0)], []), use([parameter], [at(result)])]
    assert dependences(uses) == [set(), set(), set(), set()]
    assert dependences(uses, {result.slot: 0}) == [set(), set(), set(), {0, 2}]
    assert dependences(uses, {result.slot: 1}, failing=[0]) == [set(), set(), set(), {0, 1}]


def built(*steps: tuple[list[Block], list[Block]], cost: int = 10**9) -> TapeBuilder:
    """A tape of instructions that read and write blocks."""
    t = TapeBuilder(padded=False)
    for reads, writes in steps:
        for b in (*reads, *writes):
            if b.slot == ARENA and b not in t.temporaries:
                b.born = len(t.steps)
                t.temporaries.append(b)
        t.steps.append(use(reads, [at(b) for b in writes])._replace(cost=cost))
    return t


def lengths(t: TapeBuilder) -> list[int]:
    """Of the waves, in their order."""
    found, length = [], 0
    for step in t.steps:
        length += 1
        if not step.flags & WAVE:
            found.append(length)
            length = 0
    return found


def offers(t: TapeBuilder) -> list[tuple[Block, Block]]:
    return [offer for step in t.steps for offer in step.offers]


def test_independent_instructions_come_forward_beside_one_that_cannot_be_shared() -> None:
    source, a, b, c, d = Block(64, 0, 0), block(), block(), block(), block()
    t = built(([source], [a]), ([a], [b]), ([a], [c]), ([b], [d]))
    before = list(t.steps)
    form_waves(t, 2)
    assert lengths(t) == [1, 2, 1]
    assert [step.mentions for step in t.steps] == [step.mentions for step in before]
    assert [(x.born, x.last) for x in (a, b, c, d)] == [(0, 1), (1, 3), (1, 1), (3, 3)]


def test_one_thread_and_little_work_form_no_waves() -> None:
    for threads, cost in ((1, 10**9), (2, 10**6)):
        t = built(([], [block()]), ([], [block()]), cost=cost)
        form_waves(t, threads)
        assert lengths(t) == [1, 1]


def test_results_that_come_early_take_little_memory() -> None:
    large = 1 << 24
    source, a, b, c, d, e = Block(64, 0, 0), *[block(large) for _ in range(5)]
    t = built(([source], [a]), ([a], [b]), ([source], [c]), ([b, c], [d]), ([d], [e]))
    form_waves(t, 2)
    assert lengths(t) == [1, 1, 1, 1, 1]
    assert plan_memory(t.temporaries, offers(t)) == 3 * large


def test_a_wave_does_not_read_what_one_of_it_writes_over() -> None:
    source, a, b, c = Block(64, 0, 0), block(), block(), block()
    t = built(([source], [a]), ([a], [c]), ([a], [b]), ([b, c], []))
    t.steps[2].offers.append((b, a))
    form_waves(t, 2)
    assert lengths(t) == [1, 1, 1, 1]  # reading ``a`` beside the second would cost it the place
    plan_memory(t.temporaries, offers(t))
    assert b.offset == a.offset != c.offset


def test_an_offer_lapses_where_the_wave_has_another_reader() -> None:
    a, b, c = block(), block(born=1), block(born=1)
    t = built(([], [a]), ([a], [b]), ([a], [c]))
    t.steps[2].offers.append((c, a))
    waves.reorder(t, [[0], [1, 2]])
    assert offers(t) == []
    plan_memory(t.temporaries, offers(t))
    assert len({a.offset, b.offset, c.offset}) == 3


@pytest.fixture
def eager_waves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Waves however little there is to do."""
    for name, limit in (("SHARE_PS", 0), ("WAKE_PS", 0), ("SPARE_BYTES", 1 << 40), ("EVEN", 100)):
        monkeypatch.setattr(waves, name, limit)
    with override(num_threads=4):
        yield


def lowered(roots: list[Node], threads: int, fuse: bool = True, donations: Mapping[int, int] = NO_DONATIONS) -> Tape:
    graph = canonicalize(roots)
    if fuse:
        graph = optimise(graph)
    with override(num_threads=threads):
        return lower(graph, grouped(graph, donations) if fuse else one_by_one(graph), padded=False, donations=donations)


def in_waves(tape: Tape) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for i in tape.instructions:
        found[-1].append(i.text.form)
        if not i.flags & WAVE:
            found.append([])
    return found[:-1]


def test_the_two_derivatives_of_a_product_are_one_wave(eager_waves: None) -> None:
    x, w, g = value(8, 8), value(8, 8, at=1), apply("tanh", value(8, 8, at=2))
    dx, dw = apply("matmul", g, permuted(w, 1, 0)), apply("matmul", permuted(x, 1, 0), g)
    roots = [apply("exp", dx), dw]
    assert in_waves(lowered(roots, 2)) == [["map"], ["gemm", "gemm"], ["map"]]
    assert in_waves(lowered(roots, 1)) == [["map"], ["gemm"], ["gemm"], ["map"]]


def test_parts_of_a_concatenation_are_one_wave(eager_waves: None) -> None:
    x, y = apply("exp", value(4, 100)), apply("tanh", value(5, 100, at=1))
    whole = apply("cat", x, y, params=(0,))
    tape = lowered([apply("matmul", whole, value(100, 3, at=2))], 2, fuse=False)
    assert in_waves(tape) == [["map", "map"], ["gemm"]]


def with_reversed_waves(tape: Tape) -> Tape:
    """Each wave's instructions the other way round, one by one."""
    order: list[Instruction] = []
    wave: list[Instruction] = []
    for i in tape.instructions:
        wave.insert(0, i._replace(flags=i.flags & ~WAVE))
        if not i.flags & WAVE:
            order += wave
            wave = []
    return dataclasses.replace(tape, instructions=order)


def worth_sharing(tape: Tape) -> Tape:
    """The runner is told that each item takes long: all that can be shared is."""
    return dataclasses.replace(tape, instructions=[i._replace(cost=10**9) for i in tape.instructions])


def ties_of(case: Case) -> dict[int, int]:
    """Results that may take the memory of an input like them."""
    donations: dict[int, int] = {}
    for place, root in enumerate(case.roots):
        for position, a in enumerate(case.inputs):
            if (a.shape, a.dtype) == (root.spec.shape, root.spec.dtype.numpy) and position not in donations.values():
                donations[place] = position
                break
    return donations


def run(tape: Tape, case: Case) -> list[Array]:
    """The results; where the tape donations them to inputs, in their memory."""
    executable = Executable(tape, store.addresses([i.text for i in tape.instructions]))
    buffers = [Buffer.from_numpy(np.array(a, order="C")) for a in case.inputs]
    donated = dict(tape.donations)
    spare = [buffers[donated[place]] if place in donated else None for place in range(len(case.roots))]
    outs = executable.run(buffers, case.scalars, spare)
    return [b.array(r.spec.shape, r.spec.dtype.numpy) for b, r in zip(outs, case.roots, strict=True)]


@hypothesis_settings(max_examples=max(10, EXAMPLES // 6), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cases())
def test_random_graphs_have_the_same_bits_in_any_order_of_their_waves(eager_waves: None, case: Case) -> None:
    for fuse in (True, False):
        expected = run(lowered(case.roots, 1, fuse), case)
        for donations in (NO_DONATIONS, ties_of(case)):
            tape = lowered(case.roots, 4, fuse, donations)
            assert same_bits(run(tape, case), expected)
            assert same_bits(run(with_reversed_waves(tape), case), expected)


@hypothesis_settings(max_examples=max(10, EXAMPLES // 6), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cases())
def test_random_graphs_have_the_same_bits_for_any_number_of_threads(eager_waves: None, case: Case) -> None:
    expected = run(lowered(case.roots, 1), case)
    tape = worth_sharing(lowered(case.roots, 4, donations=ties_of(case)))
    for threads in (2, 4, 7):
        with override(num_threads=threads):
            assert same_bits(run(tape, case), expected)


def test_the_memory_that_is_shown_counts_instructions(eager_waves: None) -> None:
    x, w = value(300, 300), value(300, 300, at=1)
    roots = [apply("matmul", apply("tanh", x), w), apply("matmul", x, apply("exp", w))]
    tape = lowered(roots, 2, fuse=False)
    assert in_waves(tape) == [["map", "map"], ["gemm", "gemm"]]
    assert sorted(life[1:] for life in tape.lives) == [(0, 2), (0, 2)]
    assert show_memory(tape).splitlines()[0] == "the most memory at instruction 0"

"""The compiled half of the baseline tier, driven by rules made by hand: what it lays out, asks for, and links."""

from __future__ import annotations

import pathlib
import signal
from array import array
from collections.abc import Iterator

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.graph import dtypes
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.runtime import runner_code
from nbgrad.runtime.baseline import kernels
from nbgrad.runtime.baseline.layout import ALIAS, EVENT, LEAF
from nbgrad.runtime.baseline.program import FIRST_ROOM, KEPT_BYTES, Program, RuleTable, where, zeros
from nbgrad.runtime.buffers import Array, Buffer
from nbgrad.runtime.runner_code import _Loaded
from nbgrad.runtime.store import store
from nbgrad.runtime.template import Template

SPEC = Spec.of((3,), dtypes.float32)
FORM = 7  # any number: only the rules and their keys speak of forms


class Negation:
    """A table with one rule, y = -x, and its derivative."""

    def __init__(self) -> None:
        x = input_node(0, SPEC)
        self.table = RuleTable()
        self.templates = [Template([apply("neg", x)], 1)]
        self.number = self.table.reserve()
        self.table.add(self.number, self.rule(self.templates[0], 1))
        self.asked: list[list[int]] = []

    def rule(self, template: Template, operands: int) -> Array:
        return np.array([self.table.write(template), operands, 0, 0, 0, FORM, 0, -1, 0], np.int64)

    def backward(self, key: list[int]) -> Array:
        """Inputs: x, y, the cotangent, what was there before."""
        self.asked.append(list(key))
        g, before = input_node(2, SPEC), input_node(3, SPEC)
        back: Node = apply("neg", g)
        self.templates.append(Template([back if key[3] < 0 else apply("add", before, back)], 4))
        cell = np.array([len(key), *key, *self.rule(self.templates[-1], 0)], np.int64)
        self.table.keep(cell)
        return cell


def _run(program: Program, inputs: dict[int, Buffer], wanted: int) -> Array:
    words, bases = program.bases()
    for slot, buffer in inputs.items():
        words[bases + slot] = buffer.address
    out = Buffer.alloc(12)
    words[bases + wanted] = out.address
    program.run([])
    return out.array((3,), np.float32)


@pytest.fixture
def no_code(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Loaded]:
    """No code is loaded yet, nor on disk."""
    monkeypatch.setattr(runner_code, "_loaded", _Loaded())
    with override(cache_dir=str(tmp_path / "nbgrad")):
        yield runner_code._loaded


@pytest.fixture
def x() -> Buffer:
    return Buffer.from_numpy(np.array([1, 2, 3], np.float32))


def test_entries_are_laid_out_and_linked(x: Buffer) -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, EVENT, rules.number, 1, 0, rules.number, 1, 2, rules.number, 1, 3)
    program.lay_out()
    assert program.n_templates == 3
    assert _run(program, {0: x}, *program.slots([4])).tolist() == [-1, -2, -3]


def test_regions_grow_with_the_script(x: Buffer) -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM)
    n = 6 * FIRST_ROOM + 1
    for k in range(n):
        program.bytecode += (rules.number, 1, k)
    reached = program.pull_back([(n, n, -1)], None, False, rules.backward)
    assert reached == [0]
    assert program.n_templates == 2 * n
    assert _run(program, {0: x}, *program.slots([n])).tolist() == [-1, -2, -3]


def test_the_kernels_of_calls_and_derivatives_are_made_together(x: Buffer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    addresses = store.addresses
    monkeypatch.setattr(store, "addresses", lambda texts: asked.append(len(texts)) or addresses(texts))
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, rules.number, 1, 0, rules.number, 1, 0)
    program.lay_out()
    program.pull_back([(k, k, -1) for k in (1, 2)], None, True, rules.backward)
    assert asked == []  # whoever turns out to need a plan has waited for none
    for _ in range(2):
        assert _run(program, {0: x}, *program.slots([2])).tolist() == [-1, -2, -3]
    together, *each = asked
    assert together == sum(each)
    assert len(each) == len(rules.templates) == 3


def test_a_missing_rule_is_asked_for_once(x: Buffer) -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, rules.number, 1, 0, rules.number, 1, 0, rules.number, 1, 0)
    for _ in range(2):
        assert program.pull_back([(k, k, -1) for k in (1, 2, 3)], None, True, rules.backward) == [0]
    assert [key[1:] for key in rules.asked] == [[FORM, 0, -1], [FORM, 0, FORM]]
    value = program.cotangent(0)
    assert value is not None
    assert _run(program, {0: x}, value[1]).tolist() == [3, 6, 9]  # each cotangent is -x


def test_a_table_that_starts_again_finds_its_rules(x: Buffer) -> None:
    rules = Negation()
    before = len(rules.table.cells)
    for k in range(before // 2 + 1):
        rules.table.enter(k, rules.table.cells, rules.rule(rules.templates[0], 1))
    assert len(rules.table.cells) == 2 * before
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, rules.number, 1, 0)
    assert program.pull_back([(1, 1, -1)], None, True, rules.backward) == [0]


def test_rules_beyond_the_first_table_are_found(x: Buffer) -> None:
    rules = Negation()
    last = -1
    while last < 300:
        last = rules.table.reserve()
        rules.table.add(last, rules.rule(rules.templates[0], 1))
    program = Program(rules.table)
    program.bytecode += (LEAF, 0, FORM, last, 0, 0)
    program.lay_out()
    assert _run(program, {0: x}, *program.slots([1])).tolist() == [-1, -2, -3]


def test_only_what_leads_to_the_chosen_is_differentiated() -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, LEAF, 1, FORM, rules.number, 1, 0, rules.number, 1, 1)
    assert program.pull_back([(2, 2, -1), (3, 3, -1)], [1], False, rules.backward) == [1]
    assert program.cotangent(0) is None
    assert [program.was_visited(ix) for ix in range(4)] == [False, True, False, True]


def test_a_history_with_two_cotangents_takes_a_graph() -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, rules.number, 1, 0, ALIAS, 1, 1, 1, rules.number, 1, 1, rules.number, 1, 2)
    assert program.pull_back([(3, 3, -1), (4, 4, -1)], None, False, rules.backward) is None


def test_a_program_used_again_is_empty(x: Buffer) -> None:
    rules = Negation()
    program = Program(rules.table)
    for _ in range(3):
        program.bytecode += (LEAF, 1, FORM, rules.number, 1, 0)
        program.lay_out()
        assert (program.n_templates, program.n_slots, program.size_bytes) == (1, 2, 64)
        assert _run(program, {0: x}, *program.slots([1])).tolist() == [-1, -2, -3]
        program = program.reuse()


def test_regions_lie_behind_one_another() -> None:
    program = Program(RuleTable())
    assert program._address == where(program._words)
    places = sorted(program._place.values())
    assert len(set(places)) == len(places) and places[-1] < len(program._words)


def test_a_program_keeps_little_memory_for_its_next_run(x: Buffer) -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += (LEAF, 1, FORM, *[rules.number, 1, 0] * 3)
    program.lay_out()
    _run(program, {0: x}, 1)
    kept = program._memory
    assert kept is not None
    assert _run(program, {0: x}, 2).tolist() == [-1, -2, -3]
    assert program._memory is kept


def test_a_program_gives_much_memory_back(x: Buffer) -> None:
    rules = Negation()
    program = Program(rules.table)
    n = KEPT_BYTES // 64
    program.bytecode += (LEAF, 1, FORM, *[rules.number, 1, 0] * n)
    program.lay_out()
    assert _run(program, {0: x}, n).tolist() == [-1, -2, -3]
    assert program._memory is None
    assert _run(program, {0: x}, 1).tolist() == [-1, -2, -3]


class _Replaced(RuleTable):
    """Another thread replaces the cells after somebody looked at them."""

    __slots__ = ("later",)

    @property
    def cells(self) -> array[int]:
        found, self.later = self.later[0], self.later[1:] or self.later
        return found

    @cells.setter
    def cells(self, cells: array[int]) -> None:
        self.later = [cells]


@pytest.mark.parametrize("looks", range(6))
def test_a_rule_is_entered_where_it_was_found_missing(looks: int) -> None:
    rules = Negation()
    few, many = zeros(2), zeros(1 << 12)
    table = _Replaced()
    table.rules, table.later = rules.table.rules, [few] * looks + [many]
    program = Program(table)
    program.bytecode += (LEAF, 1, FORM, rules.number, 1, 0)
    assert program.pull_back([(1, 1, -1)], None, False, rules.backward) == [0]
    assert len(rules.asked) <= 2


def _negated_twice(rules: Negation, x: Buffer) -> list[float]:
    program = Program(rules.table)
    program.bytecode += [LEAF, 1, FORM, rules.number, 1, 0, rules.number, 1, 1]
    program.lay_out()
    return _run(program, {0: x}, program.slots([2])[0]).tolist()


def test_python_does_it_as_long_as_there_is_no_code(x: Buffer, no_code: _Loaded) -> None:
    assert _negated_twice(Negation(), x) == [1, 2, 3]
    assert no_code.code["baseline"] is None
    assert no_code.by_python_s["baseline"] > 0
    no_code.by_python_s["baseline"] = 1.0
    assert _negated_twice(Negation(), x) == [1, 2, 3]
    assert no_code.code["baseline"] is not None


def test_python_hears_ctrl_c_when_a_step_is_done(x: Buffer, no_code: _Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Negation()
    program = Program(rules.table)
    program.bytecode += [LEAF, 1, FORM, rules.number, 1, 0]
    pasted = kernels.paste

    def interrupted(*words: int) -> int:
        signal.raise_signal(signal.SIGINT)
        return pasted(*words)

    with monkeypatch.context() as patch:
        patch.setattr(kernels, "paste", interrupted)
        with pytest.raises(KeyboardInterrupt):
            program.lay_out()
    assert program.n_templates == 1
    program.lay_out()
    assert program.n_templates == 1
    assert _run(program, {0: x}, program.slots([1])[0]).tolist() == [-1, -2, -3]
    assert no_code.code["baseline"] is None

import os
import signal
import threading

import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.runtime import runner, runner_kernels
from nbgrad.runtime.layout import PAUSED
from nbgrad.runtime.runner import InstructionFailed, Program
from nbgrad.runtime.runner_code import runner_code
from tests.runtime.toys import NO_ROWS, add, adding, addresses, failing, slow, slowly
from tests.threads import in_threads


def test_a_tape_runs_its_instructions_in_order() -> None:
    x, y, z = np.arange(5), np.zeros(5, np.int64), np.zeros(5, np.int64)
    tape = np.array([[add(), 0, 5, 0, 1, 0], [add(), 2, 5, 2, 1, 0], [add(), 2, 5, 3, 1, 0]])
    relocs = np.array([[0, 0, 0], [1, 1, 0], [2, 1, 0], [3, 2, 0]])
    program = Program(tape, np.zeros(4, np.int64), relocs, NO_ROWS, 3)
    program.run(addresses([x, y, z]), 0)
    assert y.tolist() == [0, 1, 2, 3, 4]
    assert z.tolist() == [0, 2, 4, 6, 8]
    assert len(program) == 3


def test_each_run_binds_its_own_memory() -> None:
    program = adding(4)
    ones, first, second = np.ones(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    program.run(addresses([ones, first]), 0)
    program.run(addresses([ones, second]), 0)
    program.run(addresses([first, second]), 0)
    assert first.tolist() == [1] * 4
    assert second.tolist() == [2] * 4


def test_an_empty_tape_and_a_row_without_items_do_nothing() -> None:
    Program(np.empty((0, 6)), np.empty(0), NO_ROWS, NO_ROWS, 0).run([], 0)
    adding(0).run([0, 0], 0)


def test_relocs_add_a_constant_and_terms_a_scalar_each_run_anew() -> None:
    table, out, scalars = np.arange(100), np.zeros(2, np.int64), np.array([0, 3], np.int64)
    relocs = np.array([[0, 0, 10 * 8], [1, 1, 0]])
    terms = np.array([[0, 1, 16], [0, 0, 8]])
    program = Program(np.array([[add(), 0, 2, 0, 1, 0]]), np.zeros(2, np.int64), relocs, terms, 2, scalars.nbytes)
    for start in (5, 0, 7):  # a term that piled up from run to run would show
        scalars[0], out[:] = start, 0
        program.run(addresses([table, out]), scalars.ctypes.data)
        assert out.tolist() == [16 + start, 17 + start]


def test_terms_on_words_of_the_template_do_not_pile_up() -> None:
    table, out, scalars = np.arange(100), np.zeros(1, np.int64), np.array([4], np.int64)
    desc = np.array([table.ctypes.data, 0])
    program = Program(np.array([[add(), 0, 1, 0, 1, 0]]), desc, np.array([[1, 0, 0]]), np.array([[0, 0, 8]]), 1, 8)
    for run in range(1, 4):
        program.run(addresses([out]), scalars.ctypes.data)
        assert out[0] == 4 * run


def test_a_failing_instruction_says_which_and_why_and_the_program_goes_on_working() -> None:
    program = failing(100, at=57)
    for _ in range(2):
        with pytest.raises(InstructionFailed) as caught:
            program.run([], 0)
        assert (caught.value.pc, caught.value.code) == (1, 7)
    failing(100, at=100).run([], 0)


def test_a_tape_cut_into_slices_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_S", 0.0)  # pause at each look at the clock
    program = slowly(3000, 20)
    out, calls = np.zeros(3000, np.int64), np.zeros(1, np.int64)
    slices = 0
    whole = runner_code().run

    def counted(frame: int) -> int:
        nonlocal slices
        slices += 1
        return whole(frame)

    program._run = counted
    program.run(addresses([out, calls]), 0)
    assert slices > 5
    assert (out == 20).all()


def test_costless_kernels_come_back_for_ctrl_c_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_S", 0.0)
    tape = np.tile(np.array([[add(), 0, 1, 0, 0, 0]]), (200_000, 1))
    x, out = np.ones(1, np.int64), np.zeros(1, np.int64)
    program = Program(tape, np.zeros(2, np.int64), np.array([[0, 0, 0], [1, 1, 0]]), NO_ROWS, 2)
    answers = []
    whole = runner_code().run
    program._run = lambda frame: answers.append(whole(frame)) or answers[-1]  # type: ignore[func-returns-value]
    program.run(addresses([x, out]), 0)
    assert answers.count(PAUSED) >= 2
    assert out[0] == 200_000


def test_compiled_it_does_what_its_source_does_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_S", 0.0)
    seen = []
    for in_python in (False, True):
        table, out, scalars = np.arange(4000), np.zeros(3000, np.int64), np.array([3, 5], np.int64)
        calls = np.zeros(1, np.int64)
        tape = np.array([[add(), 0, 2000, 300, 5, 0], [slow(), 2, 3000, 200, 2_000_000, 0], [add(), 4, 7, 0, 1, 0]])
        relocs = np.array([[0, 0, 0], [1, 1, 8], [2, 1, 0], [3, 2, 0], [4, 0, 16]])
        terms = np.array([[0, 1, 8], [4, 0, 8]])
        program = Program(tape, np.array([0, 0, 0, 0, 0, out.ctypes.data]), relocs, terms, 3, 16)
        if in_python:
            whole = runner_kernels.run
        else:
            whole = runner_code().run
        answers: list[int] = []
        program._run = lambda frame, a=answers, w=whole: a.append(w(frame)) or a[-1]
        program.run(addresses([table, out, calls]), scalars.ctypes.data)
        seen.append((out.tolist(), answers[-1]))
        assert PAUSED in answers
    assert seen[0] == seen[1]
    failed = []
    for in_python in (False, True):
        program = failing(100, at=57)
        if in_python:
            program._run = runner_kernels.run
        else:
            program._run = runner_code().run
        with pytest.raises(InstructionFailed) as caught:
            program.run([], 0)
        failed.append((caught.value.pc, caught.value.code))
    assert failed[0] == failed[1]


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_is_heard_in_the_middle_of_a_tape_and_leaves_the_program_usable() -> None:
    program = slowly(2000, 100_000)  # more than 20 seconds
    out, calls = np.zeros(2000, np.int64), np.zeros(1, np.int64)
    timer = interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        program.run(addresses([out, calls]), 0)
    timer.join()
    assert 0 < calls[0] < 1_000_000  # it had begun, and it stopped before the end: 10 calls a time
    short = slowly(2000, 3)
    out[:] = 0
    short.run(addresses([out, calls]), 0)
    assert (out == 3).all()


def test_from_commit_on_a_run_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SLICE_S", 0.0)
    out, calls = np.zeros(2000, np.int64), np.zeros(1, np.int64)
    done = []
    for commit in (0, 10):
        program = slowly(2000, 10, commit=commit)
        whole = runner_code().run
        answers: list[int] = []
        program._run = lambda frame, a=answers, w=whole: a.append(w(frame)) or a[-1]
        program.run(addresses([out, calls]), 0)
        done.append(answers.count(PAUSED))
    assert done[0] == 0
    assert done[1] > 0


def test_many_threads_run_one_program_at_once() -> None:
    program = adding(50, times=40)
    wrong = []

    def use(mark: int) -> None:
        x = np.full(50, mark)
        for _ in range(200):
            out = np.zeros(50, np.int64)
            program.run(addresses([x, out]), 0)
            if (out != 40 * mark).any():
                wrong.append(mark)

    in_threads(use, range(1, 7))
    assert not wrong


def test_the_gil_is_free_while_a_tape_runs() -> None:
    program = slowly(2000, 500, flags=0)  # some 0.2 s on one thread
    out, calls = np.zeros(2000, np.int64), np.zeros(1, np.int64)
    thread = threading.Thread(target=program.run, args=(addresses([out, calls]), 0))
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
    thread.join()
    assert turns > 1000  # holding the GIL would leave a turn or two


@pytest.mark.parametrize(
    ("tape", "relocs", "terms", "fault"),
    [
        ([[0, 0, 1, 0, 1, 0]], [], [], "no kernel"),
        ([[1, 9, 1, 0, 1, 0]], [], [], "descriptor outside"),
        ([[1, 0, -1, 0, 1, 0]], [], [], "negative number of items"),
        ([[1, 0, 1, 0, 1, 2]], [], [], "no next instruction"),
        ([[1, 0, 1, 0, 1, 0]], [[2, 0, 0]], [], "reloc outside"),
        ([[1, 0, 1, 0, 1, 0]], [[0, 1, 0]], [], "unknown slot"),
        ([[1, 0, 1, 0, 1, 0]], [], [[-1, 0, 0]], "term outside"),
        ([[1, 0, 1, 0, 1, 0]], [], [[0, 1, 0]], "unknown scalar"),
    ],
)
def test_a_checked_program_refuses_tables_that_reach_outside(
    tape: list[list[int]], relocs: list[list[int]], terms: list[list[int]], fault: str
) -> None:
    with override(check=True), pytest.raises(ValueError, match=fault):
        Program(np.array(tape), np.zeros(2, np.int64), np.array(relocs), np.array(terms), 1, 8)

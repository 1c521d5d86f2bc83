"""The disassembler: a tape as text."""

from __future__ import annotations

from bisect import bisect_right

from nbgrad.passes.schedule import peak_of
from nbgrad.tape.tape import Instruction, Tape
from nbgrad.tape.work import WAVE


def show_tape(tape: Tape) -> str:
    """One line an instruction: kernel, operators, work, and the memory its descriptor points to; then totals.

    A + says that threads may run it beside the next one.
    """
    order = sorted(range(len(tape.instructions)), key=lambda pc: tape.instructions[pc].at)
    starts = [tape.instructions[pc].at for pc in order]
    memory: dict[int, list[str]] = {}
    for word, slot, offset in sorted(tape.relocs):
        pc = order[bisect_right(starts, word) - 1]
        memory.setdefault(pc, []).append(_place(tape, slot, offset))
    lines = [
        f"{pc:>4}{'+' if i.flags & WAVE else ':'} {show_kernel(i):<40} {_work(i):<24} {' '.join(memory.get(pc, []))}"
        for pc, i in enumerate(tape.instructions)
    ]
    total = f"{len(tape.instructions)} instructions, arena {tape.arena_bytes} bytes, {len(tape.words)} descriptor words"
    return "\n".join([*lines, total, *tape.notes])


def show_memory(tape: Tape) -> str:
    """The temporaries that are there when they take the most memory, the largest first: written by, used last by."""
    _, peak = peak_of(tape.lives, len(tape.instructions))
    there = sorted([life for life in tape.lives if life.born <= peak <= life.last], key=lambda life: -life.nbytes)
    lines = [
        f"{life.nbytes:>12} bytes  {life.born:>4}: {show_kernel(tape.instructions[life.born]):<40} to "
        f"{life.last:>4}: {show_kernel(tape.instructions[life.last])}"
        for life in there
    ]
    total = f"arena {tape.arena_bytes} bytes, results {sum(tape.out_bytes)} bytes"
    return "\n".join([f"the most memory at instruction {peak}" if there else "no large temporaries", *lines, total])


def show_kernel(i: Instruction) -> str:
    """A kernel in a few words: its form and operators."""
    ops = []
    for _, stage in i.text.stages:
        ops += [s.op for s in stage.stmts] + [r.op for r in stage.reductions] + [s.op for s in stage.finish]
    shown = " ".join(ops[:6]) + (f" ... ({len(ops)})" if len(ops) > 6 else "")
    return f"{i.text.form} {shown or '(copy)' if i.text.form == 'map' else shown}".rstrip()


def _work(i: Instruction) -> str:
    return f"{i.items} items" + (" shared" if i.splits else "")


def _place(tape: Tape, slot: int, offset: int) -> str:
    inputs, outputs = len(tape.input_positions), len(tape.out_bytes)
    if slot < inputs:
        name = f"in{tape.input_positions[slot]}"
    elif slot < inputs + outputs:
        name = f"out{slot - inputs}"
    else:
        name = "arena" if slot == inputs + outputs else "scalars"
    return f"{name}+{offset}" if offset or name == "arena" else name

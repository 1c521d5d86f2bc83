"""Whether a tape's instructions keep the rules of kernels: run when a tape is made under NBGRAD_CHECK=1."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from nbgrad.graph.node import Node
from nbgrad.passes.group import PLACED
from nbgrad.tape.block import ARENA, Block, output_slot
from nbgrad.tape.build import Step
from nbgrad.tape.kernel import LOOPS, KernelText
from nbgrad.tape.tape import Tape

PLACELESS = ("index", "scratch")  # roles whose address word is a number


class InvalidTape(AssertionError):
    """A tape broke a rule: a mistake in a pass or in the lowering, never the user's."""


def verify_tape(tape: Tape) -> None:
    """Raise InvalidTape where a kernel would read what is not in memory, or an operand otherwise than its role says."""
    placed = {word for word, _, _ in tape.relocs} | set(tape.const_words)
    for pc, instruction in enumerate(tape.instructions):
        if instruction.text.form in LOOPS:
            problem = _problem(instruction.text) or _without_memory(instruction.text, instruction.at, placed)
            if problem:
                names = " ".join(dict.fromkeys([node.op.name for node in instruction.nodes]))
                raise InvalidTape(f"instruction {pc}, {instruction.text.form} {names}: {problem}")


def verify_steps(steps: Sequence[Step], roots: Sequence[Node]) -> None:
    """Raise InvalidTape where an instruction reads temporary memory that none before it has written, or none writes
    one of the results."""
    slots = {ref.block.slot for step in steps for ref in step.writes if ref.block is not None}
    missing = [i for i, root in enumerate(roots) if root.spec.size and output_slot(i) not in slots]
    if missing:
        raise InvalidTape(f"results {missing} are never written")
    written: set[Block | None] = set()
    for i, step in enumerate(steps):
        written.update([ref.block for ref in step.writes])
        for block in step.reads:
            if block.slot == ARENA and block not in written:
                names = " ".join(dict.fromkeys([node.op.name for node in step.nodes]))
                raise InvalidTape(f"instruction {i}, {step.text.form} {names}: reads memory that nobody has written")


def _without_memory(text: KernelText, at: int, placed: Collection[int]) -> str:
    for k, (operand, word) in enumerate(zip(text.operands, text.addresses, strict=True)):
        if operand.role not in PLACELESS and at + word not in placed:
            return f"operand {k}, {operand.role}, has no memory"
    return ""


def _problem(text: KernelText) -> str:
    """What is wrong with how the statements of ``text`` use its operands."""
    for _, stage in text.stages:
        for part, stmts in (("statement", stage.stmts), ("finish", stage.finish)):
            for stmt in stmts:
                for place, a in enumerate(stmt.args):
                    role = text.operands[a].role if a < len(text.operands) else ""
                    if role and role not in _roles(stmt.op, place, part):
                        return f"the {part} {stmt.op} reads operand {a}, which is {role}"
    return ""


def _roles(op: str, place: int, part: str) -> tuple[str, ...]:
    """The roles of operands that such an argument may be."""
    if part == "finish":
        return ("late",)
    if place == 0 and op in PLACED:
        return ("table",) if op == "take" else ("guarded",)
    return ("in", "out", "index", "scratch", "held", "late")

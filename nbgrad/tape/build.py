"""Writes a tape: memory of values, descriptor words, and what has to be filled in when it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nbgrad.graph.dtypes import DType, int64
from nbgrad.graph.geometry import Geometry, resolve
from nbgrad.graph.node import Node
from nbgrad.graph.spec import Shape
from nbgrad.tape.block import ARENA, CONSTS, SCALARS, Block, Ref
from nbgrad.tape.kernel import STRIDE_ONE, KernelText, Operand, intern
from nbgrad.tape.loop import row_major
from nbgrad.tape.numbers import WORD, word_of
from nbgrad.tape.work import SPLIT


class Mention(NamedTuple):
    """The address of ``ref`` goes into a word of an instruction, which reads there or ``writes``."""

    word: int
    ref: Ref
    writes: bool


class Step(NamedTuple):
    """An instruction before it is known where memory lies. ``words`` hold zeros where memory is mentioned.

    ``offers`` are (output, input): it may write the one where it reads the other, the same elements at the same places.
    """

    text: KernelText
    items: int
    chunk: int
    cost: int
    flags: int
    nodes: tuple[Node, ...]
    words: list[int]
    mentions: list[Mention]
    offers: list[tuple[Block, Block]]

    def used(self, writes: bool) -> Iterator[Ref]:
        """Memory that others use, too, which it writes, or reads."""
        for _, ref, is_written in self.mentions:
            if is_written == writes and ref.block is not None and ref.block.slot not in (CONSTS, SCALARS):
                yield ref

    @property
    def reads(self) -> list[Block]:
        return [ref.block for ref in self.used(False) if ref.block is not None]

    @property
    def writes(self) -> list[Ref]:
        return list(self.used(True))


class Argument(NamedTuple):
    """What a library kernel reads or writes: consecutive elements from ``ref`` on. ``words`` follow its address."""

    ref: Ref
    dtype: DType
    words: Sequence[int] = ()
    writes: bool = False


class Piece(NamedTuple):
    """A value's place in a ``cat``, or in the copy of a view, from ``offset`` bytes on.

    Without ``strides`` (in bytes) it is a slice of ``whole``.
    """

    whole: Node
    offset: int
    strides: Shape | None = None


class TapeBuilder:
    """A tape under construction: ``steps``, and the ``words``, ``mentions`` and ``offers`` of the next one. Blocks get
    their places when all steps are known."""

    def __init__(self, padded: bool, gpu: bool = False) -> None:
        self.padded = padded  # ranks rounded up, so that few kernels serve all shapes
        self.gpu = gpu  # work is cut for thousands of warps
        self.steps: list[Step] = []
        self.words: list[int] = []
        self.mentions: list[Mention] = []
        self.offers: list[tuple[Block, Block]] = []
        self.consts = bytearray()
        self.scalars: dict[tuple[int, DType], int] = {}
        self.input_positions: list[int] = []
        self._input_places: dict[int, int] = {}
        self.temporaries: list[Block] = []
        self.donations: dict[int, int] = {}  # slots of results, each with the input whose memory it may take
        self.notes: list[str] = []
        self.geometries: dict[Node, Geometry] = {}
        self.memory: dict[Node, Block] = {}  # where the value of a base lies
        self.copies: dict[Node, Block] = {}  # row-major copies of values that lie otherwise
        self.outputs: dict[Node, int] = {}  # values that are made in the memory of a result, and its slot
        self.pieces: dict[Node, Piece] = {}  # values that are made where a larger one wants them
        self.spread: dict[Node, Block] = {}  # copies of matrices with room between the rows
        self.right_factors: Counter[Node] = Counter()  # how many products have it
        self.last_reader: dict[Node, Node | None] = {}  # the node that reads a base last; None: a result does
        self._const_offsets: dict[tuple[DType, bytes], int] = {}
        self._const_block = Block(0, CONSTS, 0)
        self._scalar_block = Block(0, SCALARS, 0)

    def geometry(self, node: Node) -> Geometry:
        return self.geometries.get(node) or resolve(node, self.geometries)

    def temporary(self, nbytes: int, slot: int) -> Block:
        """New memory, first written by the next instruction."""
        block = Block(nbytes, slot, len(self.steps))
        if slot == ARENA:
            self.temporaries.append(block)
        return block

    def may_take(self, target: Block | None) -> bool:
        """Whether ``target`` may ever be made in the memory of another block."""
        return target is not None and (target.slot == ARENA or target.slot in self.donations)

    def may_share(self, source: Block, target: Block) -> bool:
        """Whether ``target`` may ever be made in the memory of ``source``: two temporaries, or a result and its tie."""
        if target.slot == ARENA:
            return source.slot == ARENA
        position = self.donations.get(target.slot)
        return position is not None and source.slot >= 0 and self.input_positions[source.slot] == position

    def value_block(self, node: Node) -> Block:
        """New memory for the value of ``node``, which the next instruction computes."""
        spec = node.spec
        block = self.memory[node] = self.temporary(spec.size * spec.dtype.itemsize, self.outputs.get(node, ARENA))
        return block

    def place(self, node: Node) -> Ref:
        """New memory for the value of ``node``, which the next instruction computes, or its place in a larger one."""
        piece = self.pieces.get(node)
        if piece is None:
            return Ref(self.value_block(node), 0, (), row_major(node.spec))
        block = self.memory.get(piece.whole) or self.value_block(piece.whole)
        strides = row_major(piece.whole.spec) if piece.strides is None else piece.strides
        return Ref(block, piece.offset, (), strides, is_part=True)

    def source(self, base: Node) -> tuple[Block | None, int]:
        """(block, byte offset) of a base that isn't computed; no block for an index ramp."""
        name = base.op.name
        if name == "input":
            return self._input(base), 0
        if name == "const":
            return self._const_block, self._const_offset(base)
        if name == "scalar":
            return self._scalar_block, WORD * self.scalar_word(base.params[0], base.spec.dtype)
        assert name == "iota", f"{base} is read before it is computed"
        return None, 0

    def _input(self, base: Node) -> Block:
        block = self.memory.get(base)
        if block is None:
            position = base.params[0]
            place = self._input_places.setdefault(position, len(self.input_positions))
            if place == len(self.input_positions):
                self.input_positions.append(position)
            block = self.memory[base] = Block(base.spec.size_bytes, place, 0)
        return block

    def _const_offset(self, base: Node) -> int:
        value, dtype = base.params
        word = word_of(value, dtype)
        offset = self._const_offsets.get((dtype, word))
        if offset is None:
            offset = self._const_offsets[dtype, word] = len(self.consts)
            self.consts += word
        return offset

    def scalar_word(self, position: int, dtype: DType) -> int:
        """The word of the scalar block that holds run-time number ``position`` in ``dtype``."""
        return self.scalars.setdefault((position, dtype), len(self.scalars))

    def push_ref(self, ref: Ref, strides: Sequence[int], writes: bool = False) -> None:
        """Append an operand to the descriptor: its address, then ``strides``."""
        self.mentions.append(Mention(len(self.words), ref, writes))
        self.words += (0, *strides)

    def push_table(self, table: bytes) -> None:
        """Append the address of constant numbers to the descriptor; 0 where there are none."""
        if not table:
            self.words.append(0)
            return
        key = int64, table
        if key not in self._const_offsets:
            self.consts += bytes(-len(self.consts) % WORD)
            self._const_offsets[key] = len(self.consts)
            self.consts += table
        self.push_ref(Ref(self._const_block, self._const_offsets[key], (), ()), ())

    def push(self, text: KernelText, items: int, chunk: int, cost: int, flags: int, nodes: tuple[Node, ...]) -> None:
        """Append an instruction with the words that were pushed."""
        self.steps.append(Step(text, items, chunk, cost, flags, nodes, self.words, self.mentions, self.offers))
        self.words, self.mentions, self.offers = [], [], []

    def call(self, text: KernelText, items: int, cost: int, node: Node, chunk: int = 1) -> None:
        """Append the instruction of a library operator."""
        self.push(intern(text), items, chunk, cost, SPLIT if items > 1 else 0, (node,))

    def library(
        self, form: str, node: Node, head: Sequence[int], given: Sequence[Argument], items: int, cost: int, chunk: int
    ) -> None:
        """Append words and instruction of a kernel that is told ``head``, then of each argument where it is."""
        self.words += head
        for ref, _, words, writes in given:
            self.push_ref(ref, words, writes)
        operands = [Operand(x.dtype.name, STRIDE_ONE, "out" if x.writes else "in") for x in given]
        self.call(KernelText(form, 0, 0, tuple(operands)), items, cost, node, chunk)

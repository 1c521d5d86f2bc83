"""How a kernel is launched on a GPU: arithmetic on its descriptor, without a GPU.

One warp is the unit of work: it takes ``chunk`` items at a time, and shares nothing with other warps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from nbgrad.graph.dtypes import by_name
from nbgrad.tape.kernel import LANES, LOOPS, SCANS, SCATTERS, UNORDERED, KernelText
from nbgrad.tape.product_words import PRODUCT_WORDS, first_matrix
from nbgrad.tape.tape import Instruction

WARPS: Final = 8  # of a block
MOST_BLOCKS: Final = 8192  # then each warp takes several chunks: the largest GPUs hold a quarter of these at a time
LEAST_ELEMENTS: Final = 128  # that a warp goes over at a time: 4 in each thread
MANY_WARPS: Final = 16384  # from here on a warp's chunk grows, which spares reading the descriptor
MOST_ELEMENTS: Final = 1024
SHARED_BYTES: Final = 48 << 10  # of a block, that every GPU grants without being asked
PLENTY_WARPS: Final = 2048  # with memory of their own in place of shared memory: more would leave the cache
ALIGNMENT: Final = 16
WARP_ROWS: Final = 8  # of the tile of a matrix product that a warp makes: a lane has a column
SCATTER_PLACES: Final = 256  # of what is written to, one item: a warp writes to its own places alone
SCATTER_ELEMENTS: Final = 1024  # the same where rows are added
MOST_SCATTERING: Final = 4096  # warps, as each looks at all indices
COLUMN_CHUNKS: Final = 2  # the extra word with the number of items along the inner dim
SCATTER_LENGTH: Final = 2  # the word with the number of places
MOST_WORDS: Final = 4096  # of a descriptor that are looked at


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch: ``blocks`` of ``threads``, ``shared_bytes`` for each block.

    ``scratch_bytes`` belong to each warp: of the block's shared memory, or where that is 0 of ``workspace_bytes`` in
    the device's memory.
    """

    items: int
    chunk: int
    blocks: int
    threads: int
    shared_bytes: int = 0
    scratch_bytes: int = 0
    workspace_bytes: int = 0
    dims: tuple[int, ...] = ()  # of a kernel of the user's own: blocks, then threads, along x, y and z

    def arguments(self, desc: int, status: int, workspace: int = 0) -> tuple[int, ...]:
        """What the entry is called with, each of 64 bits: addresses on the device and numbers, see kernels/ptx.py."""
        return desc, self.items, self.chunk, status, workspace if self.workspace_bytes else 0, self.scratch_bytes


def launch_of(instruction: Instruction, words: Sequence[int]) -> Launch | None:
    """How ``instruction`` of a tape with the descriptor ``words`` is launched; None where it has nothing to do."""
    text, here = instruction.text, words[instruction.at : instruction.at + MOST_WORDS]
    items = warp_items(text, instruction.items, here)
    if items <= 0:
        return None
    return _launch(items, _chunk(text, items, here), scratch_bytes(text, here))


def warp_items(text: KernelText, items: int, words: Sequence[int]) -> int:
    """How many items the version for warps has of a kernel with ``items`` items and the descriptor ``words``."""
    if items > 0 and text.form == "gemm":
        m, n = words[:2]
        batch = words[len(PRODUCT_WORDS) : first_matrix(text.rank)]
        return prod(batch) * -(-m // WARP_ROWS) * -(-n // LANES)
    if text.form == "column":
        chunks = words[text.dims + COLUMN_CHUNKS]
        return items // max(chunks, 1) * -(-words[text.rank - 1] // LANES)
    if is_flat_map(text):
        return items * words[text.rank - 1]
    if items > 0 and UNORDERED in text.traits:
        return -(-words[0] // LANES) if text.form == "scatter_add" else prod(words[: text.rank - 1])
    if items > 0 and text.form in SCATTERS:
        return max(1, -(-words[SCATTER_LENGTH] // SCATTER_PLACES))
    if items > 0 and text.form.startswith("scatter_rows"):
        length = text.addresses[text.stores[0][1]] + 1
        return max(1, -(-words[length] // SCATTER_ELEMENTS))
    return items


def _chunk(text: KernelText, items: int, words: Sequence[int]) -> int:
    """The items that a warp takes at a time."""
    if text.form in SCANS:
        return -(-LANES // max(words[1], 1))
    if text.form.startswith("scatter"):
        return -(-items // MOST_SCATTERING)
    if text.form == "row":
        elements = prod(words[text.rank : text.dims])
        return max(1, min(items // MANY_WARPS, MOST_ELEMENTS // max(elements, 1)))
    if text.form != "map":
        return 1
    width = 1 if text.rank < 2 or is_flat_map(text) else words[text.rank - 1]
    elements = items * width // MANY_WARPS // LEAST_ELEMENTS * LEAST_ELEMENTS
    return max(1, min(max(elements, LEAST_ELEMENTS), MOST_ELEMENTS) // max(width, 1))


def is_flat_map(text: KernelText) -> bool:
    """Whether a map's items are elements for warps, where they are rows for the CPU."""
    return text.form == "map" and text.rank > 1 and not text.has_places


def _launch(items: int, chunk: int, scratch: int) -> Launch:
    warps = -(-items // chunk)
    if not scratch:
        in_block = min(WARPS, warps)
        return Launch(items, chunk, min(-(-warps // in_block), MOST_BLOCKS), in_block * LANES)
    if scratch <= SHARED_BYTES:
        in_block = min(WARPS, warps, SHARED_BYTES // scratch)
        blocks = min(-(-warps // in_block), MOST_BLOCKS)
        return Launch(items, chunk, blocks, in_block * LANES, in_block * scratch, scratch)
    blocks = min(warps, PLENTY_WARPS)
    return Launch(items, chunk, blocks, LANES, 0, scratch, blocks * scratch)


def has_scratch(text: KernelText) -> bool:
    """Whether a warp needs memory of its own."""
    return any(o.role == "scratch" for o in text.operands)


def scratch_bytes(text: KernelText, words: Sequence[int]) -> int:
    """What one warp keeps of a row, by the descriptor ``words`` of its kernel."""
    if text.form not in LOOPS:
        return 0
    elements = prod(words[text.rank : text.dims])
    ends = [
        words[address] + elements * by_name(operand.dtype).itemsize
        for address, operand in zip(text.addresses, text.operands, strict=True)
        if operand.role == "scratch"
    ]
    return -(-max(ends, default=0) // ALIGNMENT) * ALIGNMENT

"""Run a chapter at first sight: lay its values out, link the stamps, hand the results over like any plan does."""

from __future__ import annotations

from nbgrad.errors import NbgradError
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner import InstructionFailed
from nbgrad.trace.builder import ALL_FREED
from nbgrad.trace.flush_plan import Commit, FlushPlan, Struct
from nbgrad.trace.handle import Handle, Trace
from nbgrad.trace.sight import MEMORY_LIMIT, NO_SIGHT, Sight, Unsupported, first_sight_allowed
from nbgrad.trace.trie import Leaf, TrieNode


def run_at_first_sight(trace: Trace, node: TrieNode, bits: bytes) -> tuple[FlushPlan, list[Buffer]] | None:
    """What to commit and the results; None where the structure needs its graph (or failed: the graph explains why)."""
    if trace.sight is NO_SIGHT or not first_sight_allowed():
        return None
    try:
        sight = trace.sight or Sight()
        sight.sync(node)
        return _run(trace, sight, node, bits)
    except (Unsupported, InstructionFailed, NbgradError):
        return None
    finally:
        trace.sight = NO_SIGHT  # its code is linked for this end of the chapter


def _run(trace: Trace, sight: Sight, node: TrieNode, bits: bytes) -> tuple[FlushPlan, list[Buffer]]:
    chapter = trace.chapter
    plan = FlushPlan()
    wanted: dict[int, int] = {}  # slot -> place among the results
    for ix, y in enumerate(trace.live):
        value = sight.values[ix]
        if not bits[ix] or value is None or not isinstance(y, Handle) or y.chapter is not chapter or y.at.ix != ix:
            continue
        entry = sight.entries[ix]
        if not entry.is_leaf:
            if ix not in sight.visited:
                raise Unsupported("a history that will be differentiated later")
            plan.histories.append(ix)
        slot = sight.stored(value)
        place = wanted.setdefault(slot, len(wanted))
        assert entry.spec is not None
        plan.commits.append(Commit(ix, place, Leaf.of(entry.spec, entry.requires_grad, entry.is_leaf, entry.inference)))
    if plan.histories:
        plan.struct = Struct(node, len(chapter.inputs), frozenset(), (), frozenset(), ALL_FREED)
    buffers: dict[int, Buffer] = dict(zip(sight.input_slots, chapter.inputs, strict=True))
    sizes = [spec.block_bytes for spec in sight.sheet.specs]
    if sum(sizes) > MEMORY_LIMIT:
        raise Unsupported("so much memory is worth planning")
    for slot in wanted:
        if slot not in buffers:
            buffers[slot] = Buffer.alloc(sight.sheet.specs[slot].size_bytes)
    arena = Buffer.alloc(sum(sizes))
    bases, offset = [], arena.address
    for slot, size in enumerate(sizes):
        held = buffers.get(slot)
        if held is None:
            bases.append(offset)
            offset += size
        else:
            bases.append(held.address)
    sight.sheet.run(bases, chapter.scalars)
    return plan, [buffers[slot] for slot in wanted]

"""Run a chapter at first sight: lay its values out, link the stamps, hand the results over like any plan does."""

from __future__ import annotations

from typing import Any

from nbgrad.errors import NbgradError
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner import InstructionFailed
from nbgrad.runtime.sheet import zeros
from nbgrad.trace.builder import ALL_FREED
from nbgrad.trace.flush_plan import Commit, FlushPlan, Struct, new_histories
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
    chapter, live, sheet = trace.chapter, trace.live, sight.sheet
    plan = FlushPlan()
    held: list[tuple[int, TrieNode]] = []  # (line of the value, its entry)
    for ix in [ix for ix, bit in enumerate(bits[: len(live)]) if bit]:  # behind them stand those of views
        y: Any = live[ix]
        if sight.forms[ix] >= 0 and isinstance(y, Handle) and y.chapter is chapter and y.at.ix == ix:
            held.append((sight.row_major(ix), sight.entries[ix]))
    sheet.lay_out()
    if sheet.size_bytes > MEMORY_LIMIT:
        raise Unsupported("so much memory is worth planning")
    bases = zeros(sheet.n_slots)
    found: dict[int, Buffer] = {}
    for ix, buffer in zip(sight.inputs, chapter.inputs, strict=True):
        slot = sheet.slot(ix)
        found[slot] = buffer
        bases[slot] = buffer.address
    places: dict[int, int] = {}  # slot -> place among the results
    for line, entry in held:
        slot, spec = sheet.slot(line), entry.spec
        assert spec is not None
        if not entry.is_leaf:
            if not sheet.was_visited(entry.ix):
                raise Unsupported("a history that will be differentiated later")
            plan.histories.append(entry.ix)
        if slot not in found:
            buffer = found[slot] = Buffer.alloc(spec.size_bytes)
            bases[slot] = buffer.address
        place = places.setdefault(slot, len(places))
        leaf = Leaf.of(spec, entry.requires_grad, entry.is_leaf, entry.inference)
        plan.commits.append(Commit(entry.ix, place, leaf))
    views = [ix for ix, view in new_histories(chapter) if view is not None]  # their derivatives read no values
    if plan.histories or views:
        freed = ALL_FREED if plan.histories else frozenset[int]()
        plan.struct = Struct(node, len(chapter.inputs), frozenset(), (), frozenset(), freed)
    sheet.run(bases, chapter.scalars)
    sight.release()
    return plan, [found[slot] for slot in places]

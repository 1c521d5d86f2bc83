"""Run a chapter at first sight: lay its values out, link the stamps, hand the results over like any plan does."""

from __future__ import annotations

from itertools import compress

from nbgrad.errors import NbgradError
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.runner import InstructionFailed
from nbgrad.runtime.sheet import zeros
from nbgrad.trace.builder import ALL_FREED
from nbgrad.trace.flush_plan import Commit, FlushPlan, Struct, new_histories
from nbgrad.trace.handle import Handle, Trace
from nbgrad.trace.sight import NO_SIGHT, Sight, Unsupported, first_sight_allowed
from nbgrad.trace.trie import Leaf, TrieNode

NONE_FREED: frozenset[int] = frozenset()


def digest_of(trace: Trace, bits: bytes) -> int | None:
    """By what a structure that is not in the trie is known again; None where it needs its graph."""
    sight: Sight | None = trace.sight
    return None if sight is None or sight is NO_SIGHT else sight.digest(bits)


def run_at_first_sight(trace: Trace, node: TrieNode, bits: bytes) -> tuple[FlushPlan, list[Buffer]] | None:
    """What to commit and the results; None where the structure needs its graph (or failed: the graph explains why)."""
    if trace.sight is NO_SIGHT or not first_sight_allowed():
        return None
    try:
        sight: Sight = trace.sight or Sight()
        sight.sync(node)
        return _run(trace, sight, node, bits)
    except (Unsupported, InstructionFailed, NbgradError):
        return None
    finally:
        trace.sight = NO_SIGHT  # its code is linked for this end of the chapter


def _run(trace: Trace, sight: Sight, node: TrieNode, bits: bytes) -> tuple[FlushPlan, list[Buffer]]:
    chapter, live, sheet = trace.chapter, trace.live, sight.sheet
    plan = FlushPlan()
    held: list[TrieNode] = []
    for y in compress(live, bits):  # behind those of entries stand the bits of views
        if isinstance(y, Handle) and y.chapter is chapter and live[(entry := y.at).ix] is y and entry.form >= 0:
            held.append(entry)  # type: ignore[arg-type]
    sight.require_little_memory()
    lines = [sight.row_major(entry) for entry in held]
    sheet.lay_out()
    sight.require_little(sheet.size_bytes)
    bases = zeros(sheet.n_slots)
    found: dict[int, Buffer] = dict(zip(sheet.slots(sight.inputs), chapter.inputs, strict=True))
    for slot, buffer in found.items():
        bases[slot] = buffer.address
    places: dict[int, int] = {}  # slot -> place among the results
    for slot, entry in zip(sheet.slots(lines), held, strict=True):
        spec, is_leaf, ix = entry.spec, entry.is_leaf, entry.ix
        assert spec is not None
        if not is_leaf:
            if not sheet.was_visited(ix):
                raise Unsupported("a history that will be differentiated later")
            plan.histories.append(ix)
        if slot not in found:
            buffer = found[slot] = Buffer.alloc(spec.size_bytes)
            bases[slot] = buffer.address
        leaf = Leaf.of(spec, entry.requires_grad, is_leaf, entry.inference)
        plan.commits.append(Commit(ix, places.setdefault(slot, len(places)), leaf))
    views = [ix for ix, view in new_histories(chapter) if view is not None]  # their derivatives read no values
    if plan.histories or views:
        freed = ALL_FREED if plan.histories else NONE_FREED
        plan.struct = Struct(node, len(chapter.inputs), NONE_FREED, (), NONE_FREED, freed)
    sheet.run(bases, chapter.scalars)
    sight.release()
    if not node.is_linked:
        for event in sight.routines:
            event.meta = None  # it leads to the end of this path, which would keep itself alive
    return plan, [found[slot] for slot in places]

"""Run a trace segment by the baseline tier: lay its values out, link the templates, hand the results over like any plan
does."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from nbgrad.errors import NbgradError
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace.baseline_builder import NO_BASELINE, BaselineBuilder, Unsupported, baseline_allowed
from nbgrad.trace.builder import ALL_FREED
from nbgrad.trace.flush_plan import FlushPlan, Struct, held_entries, view_place
from nbgrad.trace.thread import Trace
from nbgrad.trace.trie import TrieNode


def baseline_at(trace: Trace, node: TrieNode) -> BaselineBuilder | None:
    """The baseline program up to ``node``; None where the structure needs its graph."""
    if trace.baseline is NO_BASELINE or not baseline_allowed():
        return None
    baseline: BaselineBuilder = trace.baseline or BaselineBuilder()
    try:
        baseline.sync(node)
    except (Unsupported, NbgradError):
        return None
    return baseline


def run_held(
    trace: Trace,
    baseline: BaselineBuilder,
    node: TrieNode,
    bits: bytes,
    wanted: Sequence[tuple[int, int]],
    more: Sequence[tuple[int, Buffer]],
) -> tuple[FlushPlan, list[Buffer], list[Buffer]]:
    """What to commit, its results, and the values ``wanted`` besides, after a run of the segment up to ``node``. Each
    of these is (its slot or ~its line, size in bytes). ``more`` are inputs that the segment has not, by their lines."""
    segment, program = trace.segment, baseline.program
    entries = [entry for _, entry in held_entries(trace, bits) if entry.form >= 0]
    held = [entry for entry in entries if not entry.is_alias]
    views = [entry for entry in entries if entry.is_alias]
    baseline.require_little_memory()
    inputs = [*baseline.inputs, *[line for line, _ in more]]
    lines = [*inputs, *[baseline.row_major(entry.form, entry.ix) for entry in held]]
    program.lay_out()
    baseline.require_little(program.size_bytes)
    words, bases = program.bases()
    slots = program.slots(lines)
    found = dict(zip(slots, [*segment.inputs, *[buffer for _, buffer in more]], strict=False))  # these are the first
    for slot, buffer in found.items():
        words[bases + slot] = buffer.address
    plan = FlushPlan()
    buffers: list[Buffer] = []
    for slot, entry in zip(slots[len(inputs) :], held, strict=True):
        leaf, ix = entry.in_memory, entry.ix
        if not leaf.is_leaf:
            if not program.was_visited(ix):
                raise Unsupported("a history that will be differentiated later")
            plan.histories.append(ix)
        plan.commits.append((ix, len(buffers), leaf))
        buffers.append(found.get(slot) or _memory(found, words, bases, slot, leaf.spec.size_bytes))
    given: list[Buffer] = []
    for slot, size_bytes in wanted:
        place = slot if slot >= 0 else program.slots((~slot,))[0]
        given.append(found.get(place) or _memory(found, words, bases, place, size_bytes))
    plan.commits += [(entry.ix, view_place(entry), entry.in_memory) for entry in views]
    if plan.histories or not all(entry.is_leaf for entry in views):  # derivatives of views read no values
        freed = ALL_FREED if plan.histories else frozenset()
        plan.struct = Struct(node, len(segment.inputs), frozenset(), (), frozenset(), freed)
    program.run(segment.scalars)
    baseline.release()
    return plan, buffers, given


def _memory(found: dict[int, Buffer], words: array[int], bases: int, slot: int, size_bytes: int) -> Buffer:
    """A new buffer for a slot."""
    buffer = found[slot] = Buffer.alloc(size_bytes)
    words[bases + slot] = buffer.address
    return buffer

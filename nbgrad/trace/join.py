"""A backward that need not run at once: a small training loop runs several of its steps as one program.

To record a step of a tiny model takes less time than to run it: to bind its memory, hand its results over and begin
anew costs more than its arithmetic. So a chapter goes on behind a backward where nobody could tell: where the same
chapter ran before, in microseconds and in little memory, has no instruction that may fail, and was followed by as many
others as now, twice, before the program looked at a value. At a look everything runs, as ever. Minibatches sliced from
a large tensor wait as well as small tensors do: it is one for all of them, and where a slice starts was checked when it
was written.

Such a chapter is a structure of its own, and where the program looks too early, it is another one: they are only
recorded when what they cost to plan has been earned (``Join.credit_s``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.config import settings
from nbgrad.pipeline import Plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.tape.ties import may_fail
from nbgrad.trace.flush import flush
from nbgrad.trace.flush_plan import FlushPlan, watched
from nbgrad.trace.grow import builder_of
from nbgrad.trace.handle import Chapter, Trace, threads
from nbgrad.trace.pace import MOST_ENTRIES, SAVED_S, Join, Pace
from nbgrad.trace.rules import FAILING
from nbgrad.trace.trie import TrieNode

LIGHT_PS: Final = 30_000_000  # of estimated work: where a step takes longer, what is saved is not felt
LIGHT_BYTES: Final = 1 << 18  # that a step reads, writes and uses: several steps hold on to several times as much
# A larger input is read in part, as the work says: a table of all data. The steps that wait may not bring more of them.

ENTRY_S: Final = 60e-6  # what an entry takes to plan where the same steps come again and again

NEVER: Final = Join(MOST_ENTRIES)


def run_or_wait(trace: Trace) -> None:
    """Run what was recorded, up to a backward that is complete, or let it wait for more."""
    node, pace = trace.node, trace.pace
    parts, join = pace.parts, pace.join if pace.parts else node.join
    if join is not None and join is not NEVER and _may_wait(trace, node, pace, join):
        pace.parts, pace.join = parts + 1, join
        pace.goes_on(join)
        return
    inputs = trace.chapter.inputs
    plan = flush(trace, isolate=False)
    if parts and join is not None:
        join.planned.add(parts + 1)
        join.earn(parts * SAVED_S)
    elif join is None and plan is not None:
        join = node.join = _join_for(node, plan, inputs)
    elif join is not None:
        join.earn(SAVED_S)
    if join is not None and join is not NEVER:
        pace.goes_on(join)


def _may_wait(trace: Trace, node: TrieNode, pace: Pace, join: Join) -> bool:
    if pace.parts + 1 >= join.length or join.credit_s < 0 or threads.several or trace.watcher is not None:
        return False
    if not _is_plain(trace.chapter) or _large_bytes(trace.chapter.inputs) > join.large_bytes:
        return False
    if pace.parts:
        if node.join is not join:  # it is new
            node.join = join if _is_safe(trace, node) else NEVER
        return node.join is join
    if pace.start is not None or settings.log or watched() or not settings.runs("join"):
        return False
    return join.length in join.planned or join.credit_s >= join.length * (node.ix + 1) * ENTRY_S


def _is_plain(chapter: Chapter) -> bool:
    """Whether all gradients are tensors of their own: memory that others see is written at once."""
    for x in chapter.leaves.values():
        g = x._grad
        if g is not None and g.share is not None:
            return False
    return True


def _is_safe(trace: Trace, node: TrieNode) -> bool:
    """Whether nothing that was recorded up to ``node`` may fail when it runs."""
    return not any(x.op.name in FAILING for x in builder_of(trace, node).nodes)


def _large_bytes(inputs: Sequence[Buffer]) -> int:
    """Memory of the inputs that are no batches and no parameters."""
    return sum([b.nbytes for b in inputs if b.nbytes > LIGHT_BYTES])


def _join_for(node: TrieNode, plan: FlushPlan, inputs: Sequence[Buffer]) -> Join | None:
    """What is to be known of chapters that end at ``node``; None where that has no fused program yet."""
    tape = plan.plan.tape if isinstance(plan.plan, Plan) else None
    if tape is None or tape.padded or settings.interpret:
        return None
    work_ps = sum([i.items * i.cost for i in tape.instructions])
    large_bytes = _large_bytes(inputs)
    n_bytes = sum([b.nbytes for b in inputs]) - large_bytes + sum(tape.out_bytes) + tape.arena_bytes
    is_light = work_ps <= LIGHT_PS and n_bytes <= LIGHT_BYTES and 2 * (node.ix + 1) <= MOST_ENTRIES
    is_safe = not any(may_fail(i.text) for i in tape.instructions)
    return Join(node.ix + 1, large_bytes) if is_light and is_safe else NEVER

"""A backward that need not run at once: a small training loop runs several of its steps as one program.

To record a step of a tiny model takes less time than to bind its program and to hand its results over. So a segment
goes on behind a backward that has run many times, is light and has nothing that can fail. A look at a value runs
everything, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nbgrad.config import settings
from nbgrad.pipeline import Plan
from nbgrad.runtime.buffers import Buffer
from nbgrad.trace import FlushPlan, Patience, Segment, Trace, flush, threads, watchers

AFTER: Final = 100  # runs of a backward: only then does its segment go on
MOST_ENTRIES: Final = 256  # of a segment that goes on
LIGHT_PS: Final = 30_000_000  # of estimated work: where a step takes longer, what is saved is not felt
LIGHT_BYTES: Final = 1 << 18  # that a step reads, writes and uses, but for tables that it reads a part of
MOST_BYTES: Final = 1 << 21  # of what further steps bring


def run_or_wait(trace: Trace, patience: Patience | None) -> None:
    """Run what was recorded up to a backward, or let it wait for more. ``patience`` is that of a backward that was
    taken over as a whole, or of the first in a segment that went on; None: it runs now."""
    segment = trace.segment
    first = segment.patience or patience
    if patience is not None and first is not None and _may_wait(trace, segment, first):
        segment.patience = first
        return
    lines, inputs = segment.lines, segment.inputs
    plan = flush(trace, isolate=False)
    if patience is not None and segment.patience is None:
        patience.runs += 1
        if patience.runs >= AFTER and patience.n_bytes < 0:
            _learn(patience, plan, inputs, bool(lines))


def _may_wait(trace: Trace, segment: Segment, patience: Patience) -> bool:
    if patience.n_bytes < 0 or patience.tries <= 0 or segment.lines:
        return False
    if trace.node.ix >= MOST_ENTRIES or _bytes_of(segment.inputs) > patience.n_bytes + MOST_BYTES:
        return False
    if len(threads.living) > 1 or trace.strays or trace.duals is not None or trace.vmaps or settings.log or watchers:
        return False
    # Memory that others see is written at once.
    return all(x._grad is None or x._grad._share is None for x in segment.leaves.values())


def _learn(patience: Patience, plan: FlushPlan | None, inputs: Sequence[Buffer], fails: bool) -> None:
    tape = plan.plan.tape if plan is not None and isinstance(plan.plan, Plan) else None
    if tape is None or settings.interpret:
        return  # not yet
    n_bytes = sum([b.nbytes for b in inputs if b.nbytes <= LIGHT_BYTES]) + sum(tape.out_bytes) + tape.arena_bytes
    work_ps = sum([i.items * i.cost for i in tape.instructions])
    if fails or work_ps > LIGHT_PS or n_bytes > LIGHT_BYTES:
        patience.tries = 0
    patience.n_bytes = _bytes_of(inputs)


def _bytes_of(inputs: Sequence[Buffer]) -> int:
    return sum([b.nbytes for b in inputs])

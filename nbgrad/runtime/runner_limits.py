"""The runner's figures: when it looks at the clock, when to share work out. PS: picoseconds of estimated cost."""

from __future__ import annotations

from typing import Final

CALL_PS: Final = 10_000  # what a call costs besides its items: a tape of costless kernels must look at the clock too
CLOCK_PS: Final = 500_000_000  # look at the clock after so much estimated work: the estimates may be off by tens
PART_PS: Final = 1_000_000  # least work taken from the counter at a time
MOST_PART_PS: Final = 100_000_000  # most: what the last thread does while the others wait
WINDOW_PS: Final = 5_000_000_000  # most work shared out before the clock is looked at
PARTS_PER_THREAD: Final = 4  # so that a thread that starts late still leaves little undone
LINE_ITEMS: Final = 64  # parts of small items begin at multiples of this: no two threads write to one cache line
SPINS: Final = 100  # turns (about 5 us) to wait before the core is offered to others, or the clock looked at
AWAKE_NS: Final = 300_000  # a worker looks out for the next job so long while a tape runs
LINGER_NS: Final = 50_000  # and so long when none does
LATE_NS: Final = 300_000  # a worker that is waited for so long had to leave its core to others
ALONE_TIMES: Final = 8  # so many times as long no other wait may begin, or a run works alone: it loses a ninth at most
CORES_NS: Final = 10_000_000  # so often at most workers are sent to other cores: a call of the system for each of them
TAKEN_NS: Final = 100_000  # where a look at the clock is so late, others needed the core: the worker goes to sleep

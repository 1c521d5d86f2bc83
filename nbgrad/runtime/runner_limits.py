"""The runner's figures: when it looks at the clock, when to share work out. PS: picoseconds of estimated cost."""

from __future__ import annotations

from typing import Final

CALL_PS: Final = 10_000  # what a call costs besides its items: a tape of costless kernels must look at the clock too
CLOCK_PS: Final = 500_000_000  # look at the clock after so much estimated work: the estimates may be off by tens
SPLIT_PS: Final = 8_000_000  # measured: two threads win from 3 us with a worker awake, from 15 us with one asleep
PART_PS: Final = 2_000_000  # least work taken from the counter at a time
WINDOW_PS: Final = 10_000_000_000  # most work shared out before the clock is looked at
PARTS_PER_THREAD: Final = 4  # so that a thread that starts late still leaves little undone
LINE_ITEMS: Final = 64  # parts of small items begin at multiples of this: no two threads write to one cache line
SPINS: Final = 2000  # turns to wait for a worker to finish before offering the core to it
AWAKE_SPINS: Final = 30_000  # turns (about 50 us) a worker looks out for the next job: waking it takes 10 us

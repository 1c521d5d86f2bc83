"""Where the runner's words stand: tape rows, tables, frames and the thread pool's control block, all of int64 words.

A tape row is one instruction:

    KERNEL   address of ``int32 kernel(int64* desc, int64 begin, int64 end)``
    OFFSET   where its descriptor starts, in words
    ITEMS    it works on the items [0, ITEMS)
    CHUNK    items a single call may take, so that Ctrl-C is seen in time; 0: all of them
    COST     an estimate, in picoseconds per item
    FLAGS    SPLIT: several threads may run parts of it; WAVE: they may run it beside the next row

Three tables say how descriptors come to be from what a run is given, each row (word, where from, constant):

    relocs   desc[word] = base[slot] + constant            addresses of operands
    resets   desc[word] = constant                         the words of terms that no reloc writes
    terms    desc[word] += scalar[slot] * constant         run-time integers, say the offset of a slice
"""

from __future__ import annotations

from typing import Final

WORD: Final = 8  # bytes

# A tape row.
KERNEL, OFFSET, ITEMS, CHUNK, COST, FLAGS, ROW_WORDS = range(7)
SPLIT: Final = 1
WAVE: Final = 2
MOST_ROWS: Final = 64  # of a wave

# A row of any of the three tables.
TARGET, SOURCE, CONSTANT, TABLE_WORDS = range(4)

# A frame: one run of one tape. PC and POS say where to go on, CODE is what a failed kernel returned. From instruction
# COMMIT on a run no longer pauses: there it writes to memory that outlives it. The addresses at BASES end the frame.
PC, POS, CODE, TAPE, ROWS, DESC, RELOCS, N_RELOCS, RESETS, N_RESETS, TERMS, N_TERMS = range(12)
# SHARED is what several threads may do of the whole tape, in estimated picoseconds.
COMMIT, SLICE_NS, CLOCK, SHARED, SECONDS, NANOSECONDS, POOL, SCALARS, BASES = range(12, 21)

# What a run answers.
DONE, PAUSED, FAILED = range(3)

# The pool's control block. Words that different threads write stand in different cache lines.
LOCK: Final = 0  # 1 while a run has the pool
GATE: Final = 8  # CLOSED + the number of workers inside
JOB_PARTS, JOB_FAILED, JOB_NUMBER, JOB_SHARES = range(16, 20)
WORKERS, SEMAPHORE, QUIT, RUNNING, CLOCK_ID = range(24, 29)  # RUNNING counts the runs that may have jobs
POSTED, AWAKE = range(32, 34)  # semaphore posts that no worker has consumed yet; workers that look out for a job
CPU_WORDS: Final = 16  # a set of cores, a bit for each
ALLOWED: Final = 40  # the cores that the process could use when that was looked at
MASK: Final = ALLOWED + CPU_WORDS  # those that the workers may use; none before they were told
ALONE_UNTIL: Final = MASK + CPU_WORDS  # runs share nothing before the clock shows this
PAID_UNTIL: Final = ALONE_UNTIL + 1  # up to when time has made up for a wait for workers
LOOKED: Final = PAID_UNTIL + 1  # when it was looked at which cores are whose
PROCESS: Final = LOOKED + 1  # the system's number of the process
# The parts of a job fall into shares, one for each thread to begin with; for each, the first part nobody has taken.
NEXT: Final = 80
NEXT_WORDS: Final = 8  # a cache line
MOST_SHARES: Final = 8

# A job is rows of a tape, each on a line: the kernel's items [BEGIN, END) in parts of STEP, numbered [FIRST, LAST).
JOB: Final = NEXT + MOST_SHARES * NEXT_WORDS
LINE_KERNEL, LINE_DESC, LINE_BEGIN, LINE_END, LINE_STEP, LINE_FIRST, LINE_LAST = range(7)
LINE_WORDS: Final = 8
CONTROL_WORDS: Final = JOB + MOST_ROWS * LINE_WORDS
# Then come the words of the thread that has the pool, then those of each worker.
CLOSED: Final = 1 << 32
NONE: Final = 1 << 62  # as JOB_FAILED; else part * CODES + the code of its kernel
CODES: Final = 256

# A thread's words: the address of the control block, the clock as it read it last, the system's number of a worker.
BOSS, SECOND, NANOSECOND, THREAD = range(4)
THREAD_WORDS: Final = 8  # a cache line

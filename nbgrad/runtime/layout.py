"""What the runner's memory holds: tapes, their tables, frames and the thread pool's control block."""

from ctypes import Structure, sizeof
from typing import Annotated, Final

from nbgrad.kernels.records import LINE_WORDS, MANY, WORD, Atomic, LineAtomic, Pointer, cache_line, record, word_of

SPLIT: Final = 1
WAVE: Final = 2
MOST_ROWS: Final = 64  # of a wave


@record
class Row(Structure):
    """An instruction of a tape."""

    kernel: int  # address of ``int32 kernel(int64* desc, int64 begin, int64 end)``
    offset: int  # where its descriptor starts, in words
    items: int  # it works on the items [0, items)
    chunk: int  # items a single call may take, so that Ctrl-C is seen in time; 0: all of them
    cost: int  # an estimate, in picoseconds per item
    flags: int  # SPLIT: several threads may run parts of it; WAVE: they may run it beside the next row


@record
class Move(Structure):
    """A row of the three tables that say how descriptors come to be from what a run is given:

    relocs   desc[target] = bases[source] + constant            addresses of operands
    resets   desc[target] = constant                            the words of terms that no reloc writes
    terms    desc[target] += scalars[source] * constant         run-time integers, say the offset of a slice
    """

    target: int
    source: int
    constant: int


# The columns of rows and moves as tables.
KERNEL, OFFSET, ITEMS, CHUNK, COST, FLAGS, ROW_WORDS = range(7)
TARGET, SOURCE, CONSTANT, TABLE_WORDS = range(4)


@record
class Time(Structure):
    """What a clock shows."""

    seconds: int
    nanoseconds: int


@record
class Frame(Structure):
    """One run of one tape. The descriptors come behind it."""

    pc: int  # where to go on: the instruction,
    pos: int  # its first item
    code: int  # what a failed kernel returned
    tape: Pointer[Row]
    n_rows: int
    desc: int
    relocs: Pointer[Move]
    n_relocs: int
    resets: Pointer[Move]
    n_resets: int
    terms: Pointer[Move]
    n_terms: int
    commit: int  # from this instruction on a run no longer pauses: there it writes to memory that outlives it
    slice_ns: int
    clock: int
    shared: int  # what several threads may do of the whole tape, in estimated picoseconds
    now: Time
    pool: int
    scalars: Pointer[int]
    bases: Annotated[Pointer[int], MANY]  # addresses, by slot


# Where that is in a frame, in words.
PC, POS, CODE, N_ROWS, N_RELOCS, SHARED, POOL, SCALARS, BASES = [
    word_of(Frame, name) for name in ("pc", "pos", "code", "n_rows", "n_relocs", "shared", "pool", "scalars", "bases")
]

# What a run answers.
DONE, PAUSED, FAILED = range(3)

CPU_WORDS: Final = 16  # a set of cores, a bit for each
MOST_SHARES: Final = 8
CLOSED: Final = 1 << 32
NONE: Final = 1 << 62  # as ``Job.failed``; else part * CODES + the code of its kernel
CODES: Final = 256


@cache_line
class Job(Structure):
    """Rows of a tape that threads work on together, each a ``Line``, in parts. These fall into shares, one for each
    thread to begin with."""

    parts: int
    failed: Atomic
    number: Atomic
    shares: int


@cache_line
class Crew(Structure):
    """The workers of a pool."""

    workers: int
    semaphore: int
    quit: Atomic
    running: Atomic  # the runs that may have jobs
    clock: int


@cache_line
class Awake(Structure):
    posted: Atomic  # semaphore posts that no worker has consumed yet
    workers: Atomic  # that look out for a job


@cache_line
class Cores(Structure):
    """Which cores are whose."""

    allowed: Annotated[Pointer[int], CPU_WORDS]  # those that the process could use when that was looked at
    mask: Annotated[Pointer[int], CPU_WORDS]  # those that the workers may use; none before they were told
    looked: int  # when it was looked at which cores are whose
    process: int  # the system's number of the process
    alone_until: int  # runs share nothing before the clock shows this
    paid_until: int  # up to when time has made up for a wait for workers


@cache_line
class Line(Structure):
    """A row of a job: the kernel's items [begin, end) in parts of ``step``, numbered [first, last)."""

    kernel: int
    desc: int
    begin: int
    end: int
    step: int
    first: int
    last: int


@cache_line
class Thread(Structure):
    """What is a thread's own."""

    pool: int  # the address of the control block
    now: Time  # the clock as it read it last
    number: int  # the system's number of a worker


@record
class Pool(Structure):
    """The pool's control block. Words that different threads write stand in different cache lines."""

    lock: LineAtomic  # 1 while a run has the pool
    gate: LineAtomic  # CLOSED + the number of workers inside
    job: Job
    crew: Crew
    awake: Awake
    cores: Cores
    shares: Annotated[Pointer[LineAtomic], MOST_SHARES]  # the first part of each that nobody has taken
    lines: Annotated[Pointer[Line], MOST_ROWS]
    threads: Annotated[Pointer[Thread], MANY]  # that which has the pool, then each worker


CONTROL_WORDS: Final = word_of(Pool, "threads")
THREAD_WORDS: Final = sizeof(Thread) // WORD
assert THREAD_WORDS % LINE_WORDS == 0

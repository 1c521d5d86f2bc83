"""The pool's half of the runner: sharing out instructions, and the life of a worker. See ``layout``."""

from __future__ import annotations

from ctypes import addressof
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD
from nbgrad.runtime.intrinsics import (
    call_kernel,
    clock_gettime,
    pause,
    sched_getaffinity,
    sched_getcpu,
    sched_setaffinity,
    sched_yield,
    sem_post,
    sem_wait,
)
from nbgrad.runtime.layout import CLOSED, CODES, CPU_WORDS, MOST_SHARES, NONE, THREAD_WORDS, Pool, Thread, Time
from nbgrad.tape.work import WAKE_PS

# When to share work out, and how long to wait. PS: picoseconds of estimated cost.
PART_PS: Final = 1_000_000  # least work taken from the counter at a time
MOST_PART_PS: Final = 100_000_000  # most: what the last thread does while the others wait
PARTS_PER_THREAD: Final = 4  # so that a thread that starts late still leaves little undone
LINE_ITEMS: Final = 64  # parts of small items begin at multiples of this: no two threads write to one cache line
SPINS: Final = 100  # turns (about 5 us) to wait before the core is offered to others, or the clock looked at
AWAKE_NS: Final = 300_000  # a worker looks out for the next job so long while a tape runs
LINGER_NS: Final = 50_000  # and so long when none does
LATE_NS: Final = 300_000  # a worker that is waited for so long had to leave its core to others
ALONE_TIMES: Final = 8  # so many times as long no other wait may begin, or a run works alone: it loses a ninth at most
CORES_NS: Final = 10_000_000  # so often at most workers are sent to other cores: a call of the system for each of them
TAKEN_NS: Final = 100_000  # where a look at the clock is so late, others needed the core: the worker goes to sleep


@njit(nogil=True)
def add_line(pool: Pool, at: int, kernel: int, desc: int, begin: int, end: int, step: int) -> int:
    """Write line ``at`` of the next job: a kernel's items [begin, end), ``step`` at a time. Gives the parts so far."""
    first = 0
    if at > 0:
        first = pool.lines[at - 1].last
    last = first
    if end > begin:
        last += (end - begin - 1) // step + 1
    line = pool.lines[at]
    line.kernel = kernel
    line.desc = desc
    line.begin = begin
    line.end = end
    line.step = step
    line.first = first
    line.last = last
    return last


@njit(nogil=True)
def share_begin(pool: Pool, at: int) -> int:
    """The first part of share ``at``, or of the one after the last."""
    return pool.job.parts * at // pool.job.shares


@njit(nogil=True)
def open_shares(pool: Pool, parts: int) -> None:
    """Divide the next job's parts into shares."""
    shares = min(min(pool.crew.workers + 1, parts), MOST_SHARES)
    pool.job.parts = parts
    pool.job.shares = shares
    for at in range(shares):
        pool.shares[at].store(share_begin(pool, at))


@njit(nogil=True)
def take_parts(pool: Pool, thread: int) -> None:
    """Work on the open job until nothing is left of it: thread 0, 1, ... first on its own share, then on the others'.

    A thread that has the same share of every instruction finds there what it wrote itself, in its own cache.
    """
    shares = pool.job.shares
    at = thread - thread // shares * shares
    for _ in range(shares):
        take_share(pool, at)
        at += 1
        if at == shares:
            at = 0


@njit(nogil=True)
def take_share(pool: Pool, at: int) -> None:
    """Work on a share, part by part, until all of it is taken."""
    end = share_begin(pool, at + 1)
    k = 0
    part = pool.shares[at].add(1)
    while part < end:
        while part >= pool.lines[k].last:
            k += 1
        if part < pool.job.failed.load() // CODES:  # those before a part that fails are done all the same
            line = pool.lines[k]
            first = line.begin + (part - line.first) * line.step
            code = call_kernel(line.kernel, line.desc, first, min(first + line.step, line.end))
            if code != 0:  # the first that fails is known in the end
                pool.job.failed.lower(part * CODES + code)
        part = pool.shares[at].add(1)


@njit(nogil=True)
def line_of(pool: Pool, part: int) -> int:
    """The line to which a part belongs."""
    at = 0
    while part >= pool.lines[at].last:
        at += 1
    return at


@njit(nogil=True)
def keep_off(pool: Pool, cpu: int) -> None:
    """Have the workers leave the core on which this thread runs, for others that the process may use by now; where
    there are none, they stay on its own.

    Linux wakes a thread where it ran last, even where that is the core of the thread that wakes it; and between two
    instructions workers sleep too often for the scheduler to part them.
    """
    allowed = pool.cores.allowed
    mask = pool.cores.mask
    if sched_getaffinity(pool.cores.process, CPU_WORDS * WORD, addressof(allowed)) < 0:
        return
    own = 1 << (cpu & 63)
    others = 0
    for k in range(CPU_WORDS):
        word = allowed[k]
        if k == cpu // 64:
            word &= -1 ^ own
        others |= word
    changed = 0
    for k in range(CPU_WORDS):
        word = allowed[k]
        if others != 0 and k == cpu // 64:
            word &= -1 ^ own
        changed |= word ^ mask[k]
        mask[k] = word
    if changed != 0:
        for k in range(pool.crew.workers):
            sched_setaffinity(pool.threads[k + 1].number, CPU_WORDS * WORD, addressof(mask))


@njit(nogil=True)
def share(pool: Pool, parts: int, worth: int) -> int:
    """Run the job whose lines have so many parts together with the pool's workers; gives ``Job.failed``.

    The caller holds the lock. ``worth``: the work, in estimated picoseconds, for which workers may be woken.
    """
    pool.job.failed.store(NONE)
    open_shares(pool, parts)
    pool.job.number.add(1)
    pool.gate.add(-CLOSED)
    begin = pool_ns(pool)
    if begin - pool.cores.looked > CORES_NS:
        pool.cores.looked = begin
        cpu = sched_getcpu()
        if cpu >= 0 and cpu < CPU_WORDS * 64:
            keep_off(pool, cpu)
    # Posts that sleeping workers have not answered yet still count; without this they would pile up on a busy machine.
    helpers = min(pool.crew.workers, parts - 1)
    wake = min(helpers, worth // WAKE_PS) - pool.awake.posted.load() - pool.awake.workers.load()
    for _ in range(wake):
        pool.awake.posted.add(1)
        sem_post(pool.crew.semaphore)
    take_parts(pool, 0)
    pool.gate.add(CLOSED)
    wait_for_workers(pool, begin)
    return pool.job.failed.load()


@njit(nogil=True)
def wait_for_workers(pool: Pool, job_begin: int) -> None:
    """Wait until those that came in have gone. Where it takes long, others use their cores: do without for a while.

    As long as this thread has worked on its job, the workers may take: they were in the middle of a part, each as long
    as a large matrix product is cut, or on a core that is slower, and sharing has lost nothing. The while is shorter by
    the time that has passed since the last one: where others come now and then, as they do on most machines, waits are
    few, and to share goes on at once.
    """
    spins = 0
    while pool.gate.load() != CLOSED and spins < SPINS:
        pause()
        spins += 1
    if pool.gate.load() == CLOSED:
        return
    begin = pool_ns(pool)
    while pool.gate.load() != CLOSED:
        sched_yield()
    end = pool_ns(pool)
    if end - begin > max(LATE_NS, begin - job_begin):
        paid = end + max((end - begin) * ALONE_TIMES - (begin - pool.cores.paid_until), 0)
        pool.cores.paid_until = paid
        pool.cores.alone_until = paid


@njit(nogil=True)
def acquired(pool: Pool) -> bool:
    """Take the lock, unless another run has it or this is no time to share."""
    if pool.lock.swap(1) != 0:
        return False
    until = pool.cores.alone_until
    if until != 0:
        if pool_ns(pool) < until:
            pool.lock.store(0)
            return False
        pool.cores.alone_until = 0
    return True


@njit(nogil=True)
def is_attended(pool: Pool) -> bool:
    """Whether some worker looks out for jobs, or was called a moment ago."""
    return pool.awake.workers.load() + pool.awake.posted.load() > 0


@njit(nogil=True)
def has_job(pool: Pool, last: int) -> bool:
    """Whether the pool has an open job other than number ``last``."""
    return pool.gate.load() < CLOSED and pool.job.number.load() != last


@njit(nogil=True)
def now_ns(clock: int, now: Time) -> int:
    clock_gettime(clock, addressof(now))
    return now.seconds * 1_000_000_000 + now.nanoseconds


@njit(nogil=True)
def pool_ns(pool: Pool) -> int:
    """The time, for the thread that has the pool."""
    return now_ns(pool.crew.clock, pool.threads[0].now)


@njit(nogil=True)
def sees_job(pool: Pool, last: int, own: Thread) -> bool:
    """Look out for a job other than number ``last``; gives up after a while, or where others need the core."""
    clock = pool.crew.clock
    pool.awake.workers.add(1)
    begin = now_ns(clock, own.now)
    before = begin
    is_patient = True
    while is_patient and not has_job(pool, last):
        spins = 0
        while spins < SPINS and not has_job(pool, last):
            pause()
            spins += 1
        now = now_ns(clock, own.now)
        limit = LINGER_NS
        if pool.crew.running.load() > 0:
            limit = AWAKE_NS
        is_patient = now - begin < limit and now - before < TAKEN_NS
        before = now
    pool.awake.workers.add(-1)
    return has_job(pool, last)


@njit(nogil=True)
def work(address: int) -> int:
    """A worker's life: look out for a job, or sleep until one comes, and help with it; until it is told to quit."""
    own = Thread.from_address(address)
    pool = Pool.from_address(own.pool)
    thread = (address - addressof(pool.threads)) // (THREAD_WORDS * WORD)
    last = 0
    while True:
        if not sees_job(pool, last, own):
            if sem_wait(pool.crew.semaphore) != 0:
                continue  # a signal interrupted the wait
            pool.awake.posted.add(-1)
        if pool.crew.quit.load() != 0:
            return 0
        if pool.gate.add(1) < CLOSED:
            last = pool.job.number.load()
            take_parts(pool, thread)
        pool.gate.add(-1)


@njit(nogil=True)
def part_size(items: int, chunk: int, cost: int, threads: int) -> int:
    """How many items a thread takes at a time: even shares, worth taking, and soon done."""
    share_of = (items - 1) // (threads * PARTS_PER_THREAD) + 1
    size = max(share_of, PART_PS // cost + 1)
    if size > 4 * LINE_ITEMS:
        size = (size + LINE_ITEMS - 1) // LINE_ITEMS * LINE_ITEMS
    return min(min(size, MOST_PART_PS // cost + 1), chunk)

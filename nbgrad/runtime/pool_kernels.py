"""The pool's half of the runner: sharing out instructions, and the life of a worker.

See ``layout`` for the words of the control block.
"""

from __future__ import annotations

from nbgrad.runtime.intrinsics import (
    atomic_load,
    atomic_store,
    call_kernel,
    clock_gettime,
    fetch_add,
    fetch_min,
    greater,
    lesser,
    load,
    pause,
    sched_getaffinity,
    sched_getcpu,
    sched_setaffinity,
    sched_yield,
    sem_post,
    sem_wait,
    store,
    swap,
)
from nbgrad.runtime.layout import (
    ALLOWED,
    ALONE_UNTIL,
    AWAKE,
    BOSS,
    CLOCK_ID,
    CLOSED,
    CODES,
    CONTROL_WORDS,
    CPU_WORDS,
    GATE,
    JOB,
    JOB_FAILED,
    JOB_NUMBER,
    JOB_PARTS,
    JOB_SHARES,
    LINE_BEGIN,
    LINE_DESC,
    LINE_END,
    LINE_FIRST,
    LINE_KERNEL,
    LINE_LAST,
    LINE_STEP,
    LINE_WORDS,
    LOCK,
    LOOKED,
    MASK,
    MOST_SHARES,
    NANOSECOND,
    NEXT,
    NEXT_WORDS,
    NONE,
    PAID_UNTIL,
    POSTED,
    PROCESS,
    QUIT,
    RUNNING,
    SECOND,
    SEMAPHORE,
    THREAD,
    THREAD_WORDS,
    WORD,
    WORKERS,
)
from nbgrad.runtime.runner_limits import (
    ALONE_TIMES,
    AWAKE_NS,
    CORES_NS,
    LATE_NS,
    LINE_ITEMS,
    LINGER_NS,
    MOST_PART_PS,
    PART_PS,
    PARTS_PER_THREAD,
    SPINS,
    TAKEN_NS,
)
from nbgrad.tape.work import WAKE_PS


def add_line(pool: int, at: int, kernel: int, desc: int, begin: int, end: int, step: int) -> int:
    """Write line ``at`` of the next job: a kernel's items [begin, end), ``step`` at a time. Gives the parts so far."""
    line = pool + (JOB + at * LINE_WORDS) * WORD
    first = 0
    if at > 0:
        first = load(line, LINE_LAST - LINE_WORDS)
    last = first
    if end > begin:
        last += (end - begin - 1) // step + 1
    store(line, LINE_KERNEL, kernel)
    store(line, LINE_DESC, desc)
    store(line, LINE_BEGIN, begin)
    store(line, LINE_END, end)
    store(line, LINE_STEP, step)
    store(line, LINE_FIRST, first)
    store(line, LINE_LAST, last)
    return last


def share_begin(pool: int, at: int) -> int:
    """The first part of share ``at``, or of the one after the last."""
    begin: int = load(pool, JOB_PARTS) * at // load(pool, JOB_SHARES)
    return begin


def open_shares(pool: int, parts: int) -> None:
    """Divide the next job's parts into shares."""
    shares = lesser(lesser(load(pool, WORKERS) + 1, parts), MOST_SHARES)
    store(pool, JOB_PARTS, parts)
    store(pool, JOB_SHARES, shares)
    for at in range(shares):
        atomic_store(pool, NEXT + at * NEXT_WORDS, share_begin(pool, at))


def take_parts(pool: int, thread: int) -> None:
    """Work on the open job until nothing is left of it: thread 0, 1, ... first on its own share, then on the others'.

    A thread that has the same share of every instruction finds there what it wrote itself, in its own cache.
    """
    shares = load(pool, JOB_SHARES)
    at = thread - thread // shares * shares
    for _ in range(shares):
        take_share(pool, at)
        at += 1
        if at == shares:
            at = 0


def take_share(pool: int, at: int) -> None:
    """Work on a share, part by part, until all of it is taken."""
    end = share_begin(pool, at + 1)
    line = pool + JOB * WORD
    part = fetch_add(pool, NEXT + at * NEXT_WORDS, 1)
    while part < end:
        while part >= load(line, LINE_LAST):
            line += LINE_WORDS * WORD
        if part < atomic_load(pool, JOB_FAILED) // CODES:  # those before a part that fails are done all the same
            step = load(line, LINE_STEP)
            first = load(line, LINE_BEGIN) + (part - load(line, LINE_FIRST)) * step
            last = lesser(first + step, load(line, LINE_END))
            code = call_kernel(load(line, LINE_KERNEL), load(line, LINE_DESC), first, last)
            if code != 0:  # the first that fails is known in the end
                fetch_min(pool, JOB_FAILED, part * CODES + code)
        part = fetch_add(pool, NEXT + at * NEXT_WORDS, 1)


def line_of(pool: int, part: int) -> int:
    """The line to which a part belongs."""
    at = 0
    while part >= load(pool, JOB + at * LINE_WORDS + LINE_LAST):
        at += 1
    return at


def keep_off(pool: int, cpu: int) -> None:
    """Have the workers leave the core on which this thread runs, for others that the process may use by now; where
    there are none, they stay on its own.

    Linux wakes a thread where it ran last, even where that is the core of the thread that wakes it; and between two
    instructions workers sleep too often for the scheduler to part them.
    """
    if sched_getaffinity(load(pool, PROCESS), CPU_WORDS * WORD, pool + ALLOWED * WORD) < 0:
        return
    own = 1 << (cpu & 63)
    others = 0
    for k in range(CPU_WORDS):
        word = load(pool, ALLOWED + k)
        if k == cpu // 64:
            word &= -1 ^ own
        others |= word
    changed = 0
    for k in range(CPU_WORDS):
        word = load(pool, ALLOWED + k)
        if others != 0 and k == cpu // 64:
            word &= -1 ^ own
        changed |= word ^ load(pool, MASK + k)
        store(pool, MASK + k, word)
    if changed != 0:
        for k in range(load(pool, WORKERS)):
            thread = load(pool, CONTROL_WORDS + (k + 1) * THREAD_WORDS + THREAD)
            sched_setaffinity(thread, CPU_WORDS * WORD, pool + MASK * WORD)


def share(pool: int, parts: int, worth: int) -> int:
    """Run the job whose lines have so many parts together with the pool's workers; gives JOB_FAILED.

    The caller holds LOCK. ``worth``: the work, in estimated picoseconds, for which workers may be woken.
    """
    atomic_store(pool, JOB_FAILED, NONE)
    open_shares(pool, parts)
    fetch_add(pool, JOB_NUMBER, 1)
    fetch_add(pool, GATE, -CLOSED)
    begin = now_ns(pool + CONTROL_WORDS * WORD)
    if begin - load(pool, LOOKED) > CORES_NS:
        store(pool, LOOKED, begin)
        cpu = sched_getcpu()
        if cpu >= 0 and cpu < CPU_WORDS * 64:
            keep_off(pool, cpu)
    # Posts that sleeping workers have not answered yet still count; without this they would pile up on a busy machine.
    helpers = lesser(load(pool, WORKERS), parts - 1)
    wake = lesser(helpers, worth // WAKE_PS) - atomic_load(pool, POSTED) - atomic_load(pool, AWAKE)
    for _ in range(wake):
        fetch_add(pool, POSTED, 1)
        sem_post(load(pool, SEMAPHORE))
    take_parts(pool, 0)
    fetch_add(pool, GATE, CLOSED)
    wait_for_workers(pool, begin)
    failed: int = atomic_load(pool, JOB_FAILED)
    return failed


def wait_for_workers(pool: int, job_begin: int) -> None:
    """Wait until those that came in have gone. Where it takes long, others use their cores: do without for a while.

    As long as this thread has worked on its job, the workers may take: they were in the middle of a part, each as long
    as a large matrix product is cut, or on a core that is slower, and sharing has lost nothing. The while is shorter by
    the time that has passed since the last one: where others come now and then, as they do on most machines, waits are
    few, and to share goes on at once.
    """
    spins = 0
    while atomic_load(pool, GATE) != CLOSED and spins < SPINS:
        pause()
        spins += 1
    if atomic_load(pool, GATE) == CLOSED:
        return
    own = pool + CONTROL_WORDS * WORD
    begin = now_ns(own)
    while atomic_load(pool, GATE) != CLOSED:
        sched_yield()
    end = now_ns(own)
    if end - begin > greater(LATE_NS, begin - job_begin):
        paid = end + greater((end - begin) * ALONE_TIMES - (begin - load(pool, PAID_UNTIL)), 0)
        store(pool, PAID_UNTIL, paid)
        store(pool, ALONE_UNTIL, paid)


def acquired(pool: int) -> int:
    """Take LOCK, unless another run has it or this is no time to share."""
    if swap(pool, LOCK, 1) != 0:
        return 0
    until = load(pool, ALONE_UNTIL)
    if until != 0:
        if now_ns(pool + CONTROL_WORDS * WORD) < until:
            atomic_store(pool, LOCK, 0)
            return 0
        store(pool, ALONE_UNTIL, 0)
    return 1


def is_attended(pool: int) -> int:
    """Whether some worker looks out for jobs, or was called a moment ago."""
    some: int = atomic_load(pool, AWAKE) + atomic_load(pool, POSTED) > 0
    return some


def has_job(pool: int, last: int) -> int:
    """Whether the pool has an open job other than number ``last``."""
    found: int = atomic_load(pool, GATE) < CLOSED and atomic_load(pool, JOB_NUMBER) != last
    return found


def now_ns(own: int) -> int:
    clock_gettime(load(load(own, BOSS), CLOCK_ID), own + SECOND * WORD)
    now: int = load(own, SECOND) * 1_000_000_000 + load(own, NANOSECOND)
    return now


def sees_job(pool: int, last: int, own: int) -> int:
    """Look out for a job other than number ``last``; gives up after a while, or where others need the core."""
    fetch_add(pool, AWAKE, 1)
    begin = now_ns(own)
    before = begin
    is_patient = 1
    while is_patient and not has_job(pool, last):
        spins = 0
        while spins < SPINS and not has_job(pool, last):
            pause()
            spins += 1
        now = now_ns(own)
        limit = LINGER_NS
        if atomic_load(pool, RUNNING) > 0:
            limit = AWAKE_NS
        is_patient = now - begin < limit and now - before < TAKEN_NS
        before = now
    fetch_add(pool, AWAKE, -1)
    return has_job(pool, last)


def work(own: int) -> int:
    """A worker's life: look out for a job, or sleep until one comes, and help with it; until QUIT."""
    pool = load(own, BOSS)
    thread = (own - pool) // WORD - CONTROL_WORDS
    last = 0
    while True:
        if not sees_job(pool, last, own):
            if sem_wait(load(pool, SEMAPHORE)) != 0:
                continue  # a signal interrupted the wait
            fetch_add(pool, POSTED, -1)
        if atomic_load(pool, QUIT) != 0:
            return 0
        if fetch_add(pool, GATE, 1) < CLOSED:
            last = atomic_load(pool, JOB_NUMBER)
            take_parts(pool, thread // THREAD_WORDS)
        fetch_add(pool, GATE, -1)


def part_size(items: int, chunk: int, cost: int, threads: int) -> int:
    """How many items a thread takes at a time: even shares, worth taking, and soon done."""
    share_of = (items - 1) // (threads * PARTS_PER_THREAD) + 1
    size = greater(share_of, PART_PS // cost + 1)
    if size > 4 * LINE_ITEMS:
        size = (size + LINE_ITEMS - 1) // LINE_ITEMS * LINE_ITEMS
    part: int = lesser(lesser(size, MOST_PART_PS // cost + 1), chunk)
    return part

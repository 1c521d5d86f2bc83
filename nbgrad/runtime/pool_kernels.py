"""The pool's half of the runner: sharing out the items of one instruction, and the life of a worker.

See ``layout`` for the words of the control block.
"""

from __future__ import annotations

from nbgrad.runtime.intrinsics import (
    atomic_load,
    atomic_store,
    call_kernel,
    fetch_add,
    greater,
    lesser,
    load,
    sched_yield,
    sem_post,
    sem_wait,
    store,
)
from nbgrad.runtime.layout import (
    AWAKE,
    CLOSED,
    GATE,
    JOB_CODE,
    JOB_DESC,
    JOB_END,
    JOB_KERNEL,
    JOB_NUMBER,
    JOB_STEP,
    NEXT,
    POSTED,
    QUIT,
    SEMAPHORE,
    WORKERS,
)
from nbgrad.runtime.runner_limits import (
    AWAKE_SPINS,
    LINE_ITEMS,
    PART_PS,
    PARTS_PER_THREAD,
    SPINS,
)


def take_parts(pool: int) -> None:
    """Work on the open job, part by part, until nothing is left of it."""
    kernel = load(pool, JOB_KERNEL)
    desc = load(pool, JOB_DESC)
    last = load(pool, JOB_END)
    step = load(pool, JOB_STEP)
    while True:
        begin = fetch_add(pool, NEXT, step)
        if begin >= last:
            return
        code = call_kernel(kernel, desc, begin, lesser(begin + step, last))
        if code != 0:
            atomic_store(pool, JOB_CODE, code)
            atomic_store(pool, NEXT, last)


def share(pool: int, kernel: int, desc: int, begin: int, end: int, step: int) -> int:
    """Run a kernel on [begin, end) together with the pool's workers; gives its code. The caller holds LOCK."""
    store(pool, JOB_KERNEL, kernel)
    store(pool, JOB_DESC, desc)
    store(pool, JOB_END, end)
    store(pool, JOB_STEP, step)
    atomic_store(pool, JOB_CODE, 0)
    atomic_store(pool, NEXT, begin)
    fetch_add(pool, JOB_NUMBER, 1)
    fetch_add(pool, GATE, -CLOSED)
    # Posts that sleeping workers have not answered yet still count; without this they would pile up on a busy machine.
    helpers = lesser(load(pool, WORKERS), (end - begin - 1) // step)
    wake = helpers - atomic_load(pool, POSTED) - atomic_load(pool, AWAKE)
    for _ in range(wake):
        fetch_add(pool, POSTED, 1)
        sem_post(load(pool, SEMAPHORE))
    take_parts(pool)
    fetch_add(pool, GATE, CLOSED)
    spins = 0
    while atomic_load(pool, GATE) != CLOSED:  # only workers that came in are waited for, never one that sleeps
        spins += 1
        if spins > SPINS:
            sched_yield()
    code: int = atomic_load(pool, JOB_CODE)
    return code


def sees_job(pool: int, last: int) -> bool:
    """Look out for a job other than number ``last``; gives up after a while."""
    fetch_add(pool, AWAKE, 1)
    spins = 0
    while spins < AWAKE_SPINS and (atomic_load(pool, GATE) >= CLOSED or atomic_load(pool, JOB_NUMBER) == last):
        spins += 1
    fetch_add(pool, AWAKE, -1)
    return spins < AWAKE_SPINS


def work(pool: int) -> int:
    """A worker's life: look out for a job, or sleep until one comes, and help with it; until QUIT."""
    last = 0
    while True:
        if not sees_job(pool, last):
            if sem_wait(load(pool, SEMAPHORE)) != 0:
                continue  # a signal interrupted the wait
            fetch_add(pool, POSTED, -1)
        if atomic_load(pool, QUIT) != 0:
            return 0
        if fetch_add(pool, GATE, 1) < CLOSED:
            last = atomic_load(pool, JOB_NUMBER)
            take_parts(pool)
        fetch_add(pool, GATE, -1)


def part_size(items: int, chunk: int, cost: int, threads: int) -> int:
    """How many items a thread takes at a time: even shares, worth taking, and no more than a chunk."""
    share_of = (items - 1) // (threads * PARTS_PER_THREAD) + 1
    size = greater(share_of, PART_PS // cost + 1)
    if size > 4 * LINE_ITEMS:
        size = (size + LINE_ITEMS - 1) // LINE_ITEMS * LINE_ITEMS
    part: int = lesser(size, chunk)
    return part

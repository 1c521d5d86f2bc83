"""The runner: it walks a tape and calls kernels by address. Word functions (see ``translate``) over ``layout``."""

from __future__ import annotations

from nbgrad.runtime.intrinsics import (
    atomic_store,
    call_kernel,
    clock_gettime,
    fetch_add,
    greater,
    lesser,
    load,
    store,
)
from nbgrad.runtime.layout import (
    BASES,
    CHUNK,
    CLOCK,
    CODE,
    COMMIT,
    CONSTANT,
    COST,
    DESC,
    DONE,
    FAILED,
    FLAGS,
    ITEMS,
    KERNEL,
    LOCK,
    N_RELOCS,
    N_RESETS,
    N_TERMS,
    NANOSECONDS,
    OFFSET,
    PAUSED,
    PC,
    POOL,
    POS,
    RELOCS,
    RESETS,
    ROW_WORDS,
    ROWS,
    RUNNING,
    SCALARS,
    SECONDS,
    SHARED,
    SLICE_NS,
    SOURCE,
    SPLIT,
    TABLE_WORDS,
    TAPE,
    TARGET,
    TERMS,
    WORD,
    WORKERS,
)
from nbgrad.runtime.pool_kernels import acquired, is_attended, part_size, share
from nbgrad.runtime.runner_limits import (
    CALL_PS,
    CLOCK_PS,
    SPLIT_PS,
    WAKE_PS,
    WINDOW_PS,
)


def bind(frame: int) -> None:
    """Fill in the descriptors of a run. Doing it twice does no harm."""
    desc = load(frame, DESC)
    table = load(frame, RELOCS)
    for _ in range(load(frame, N_RELOCS)):
        base = load(frame, BASES + load(table, SOURCE))
        store(desc, load(table, TARGET), base + load(table, CONSTANT))
        table += TABLE_WORDS * WORD
    table = load(frame, RESETS)
    for _ in range(load(frame, N_RESETS)):
        store(desc, load(table, TARGET), load(table, CONSTANT))
        table += TABLE_WORDS * WORD
    table = load(frame, TERMS)
    scalars = load(frame, SCALARS)
    for _ in range(load(frame, N_TERMS)):
        word = load(table, TARGET)
        store(desc, word, load(desc, word) + load(scalars, load(table, SOURCE)) * load(table, CONSTANT))
        table += TABLE_WORDS * WORD


def run(frame: int) -> int:
    """Run a frame's tape from where it stands; DONE, PAUSED (call again) or FAILED (CODE says why, PC where)."""
    pool = load(frame, POOL)
    if pool == 0:
        return walk(frame, 0)
    fetch_add(pool, RUNNING, 1)
    status = walk(frame, pool)
    fetch_add(pool, RUNNING, -1)
    return status


def walk(frame: int, pool: int) -> int:
    """``run``, with the workers of ``pool`` unless that is 0."""
    pc = load(frame, PC)
    pos = load(frame, POS)
    if pc == 0 and pos == 0:
        bind(frame)
    rows = load(frame, ROWS)
    row = load(frame, TAPE) + pc * ROW_WORDS * WORD
    desc_base = load(frame, DESC)
    worth = load(frame, SHARED)  # whoever is woken for the first job finds more to do
    commit = load(frame, COMMIT)
    deadline = 0
    fuel = CLOCK_PS
    while pc < rows:
        kernel = load(row, KERNEL)
        desc = desc_base + load(row, OFFSET) * WORD
        items = load(row, ITEMS)
        chunk = load(row, CHUNK)
        cost = load(row, COST)
        splits = pool != 0 and load(row, FLAGS) & SPLIT != 0
        if chunk <= 0:
            chunk = items
        while pos < items:
            work_ps = (items - pos) * cost
            is_shared = splits and work_ps >= SPLIT_PS and (is_attended(pool) or greater(worth, work_ps) >= WAKE_PS)
            if is_shared and acquired(pool):
                threads = load(pool, WORKERS) + 1
                end = lesser(items, pos + greater(WINDOW_PS // cost, chunk) * threads)
                step = part_size(end - pos, chunk, cost, threads)
                code = share(pool, kernel, desc, pos, end, step, greater(worth, work_ps))
                atomic_store(pool, LOCK, 0)
                worth = 0
                fuel -= (end - pos) * cost // threads
            else:
                end = lesser(items, pos + chunk)
                code = call_kernel(kernel, desc, pos, end)
                fuel -= (end - pos) * cost + CALL_PS
            if code != 0:
                store(frame, PC, pc)
                store(frame, POS, pos)
                store(frame, CODE, code)
                return FAILED
            pos = end
            if fuel <= 0:
                fuel = CLOCK_PS
                clock_gettime(load(frame, CLOCK), frame + SECONDS * WORD)
                now = load(frame, SECONDS) * 1_000_000_000 + load(frame, NANOSECONDS)
                if deadline == 0:
                    deadline = now + load(frame, SLICE_NS)
                elif now >= deadline and pc < commit:
                    store(frame, PC, pc)
                    store(frame, POS, pos)
                    return PAUSED
        pos = 0
        pc += 1
        row += ROW_WORDS * WORD
    store(frame, PC, 0)
    store(frame, POS, 0)
    return DONE

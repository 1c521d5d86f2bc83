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
    CODES,
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
    MOST_ROWS,
    N_RELOCS,
    N_RESETS,
    N_TERMS,
    NANOSECONDS,
    NONE,
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
    WAVE,
    WORD,
    WORKERS,
)
from nbgrad.runtime.pool_kernels import acquired, add_line, is_attended, line_of, part_size, share
from nbgrad.runtime.runner_limits import (
    CALL_PS,
    CLOCK_PS,
    WINDOW_PS,
)
from nbgrad.tape.work import SHARE_PS, WAKE_PS


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


def chunk_of(row: int) -> int:
    """The items of a row that a call takes at most."""
    chunk: int = load(row, CHUNK)
    if chunk <= 0:
        chunk = load(row, ITEMS)
    return chunk


def add_row(pool: int, at: int, row: int, desc_base: int, begin: int, end: int, threads: int) -> int:
    """Make items of a row line ``at`` of the next job; gives the parts so far."""
    step = end
    if load(row, FLAGS) & SPLIT != 0:
        step = part_size(end - begin, chunk_of(row), greater(load(row, COST), 1), threads)
    return add_line(pool, at, load(row, KERNEL), desc_base + load(row, OFFSET) * WORD, begin, end, step)


def wave_at(row: int) -> tuple[int, ...]:
    """How many rows the wave that begins here has, and how much work, in estimated picoseconds."""
    count = 1
    work_ps = load(row, ITEMS) * load(row, COST)
    while load(row, FLAGS) & WAVE != 0 and count < MOST_ROWS:
        row += ROW_WORDS * WORD
        work_ps += load(row, ITEMS) * load(row, COST)
        count += 1
    return count, work_ps


def add_wave(pool: int, row: int, count: int, desc_base: int, threads: int) -> int:
    """Make so many rows the next job; gives its parts."""
    parts = 0
    for at in range(count):
        parts = add_row(pool, at, row, desc_base, 0, load(row, ITEMS), threads)
        row += ROW_WORDS * WORD
    return parts


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
        items = load(row, ITEMS)
        cost = load(row, COST)
        flags = load(row, FLAGS)
        chunk = chunk_of(row)
        while pos < items:
            count = 1
            work_ps = (items - pos) * cost
            is_shared = pool != 0 and flags & (SPLIT | WAVE) != 0
            if is_shared and flags & WAVE != 0 and pos == 0:
                count, work_ps = wave_at(row)
            elif flags & SPLIT == 0:
                is_shared = 0
            if is_shared:
                is_shared = work_ps >= SHARE_PS and (is_attended(pool) or greater(worth, work_ps) >= WAKE_PS)
            if is_shared and acquired(pool):
                threads = load(pool, WORKERS) + 1
                end = items
                if count > 1:
                    parts = add_wave(pool, row, count, desc_base, threads)
                else:
                    end = lesser(items, pos + greater(WINDOW_PS // cost, chunk) * threads)
                    parts = add_row(pool, 0, row, desc_base, pos, end, threads)
                failed = share(pool, parts, greater(worth, work_ps))
                at = 0
                code = 0
                if failed != NONE:
                    at = line_of(pool, failed // CODES)
                    code = failed & (CODES - 1)
                atomic_store(pool, LOCK, 0)
                worth = 0
                fuel -= work_ps // threads
            else:
                at = 0
                count = 1
                end = lesser(items, pos + chunk)
                code = call_kernel(load(row, KERNEL), desc_base + load(row, OFFSET) * WORD, pos, end)
                fuel -= (end - pos) * cost + CALL_PS
            if code != 0:
                store(frame, PC, pc + at)
                store(frame, POS, pos)
                store(frame, CODE, code)
                return FAILED
            pos = end
            if count > 1:  # on to the last row of the wave, and its end
                pc += count - 1
                row += (count - 1) * ROW_WORDS * WORD
                items = load(row, ITEMS)
                pos = items
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

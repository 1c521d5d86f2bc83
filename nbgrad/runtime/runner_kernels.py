"""The runner: it walks a tape and calls kernels by address. See ``layout``."""

from __future__ import annotations

from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import WORD, Words
from nbgrad.runtime.intrinsics import call_kernel
from nbgrad.runtime.layout import CODES, DONE, FAILED, MOST_ROWS, NONE, PAUSED, SPLIT, WAVE, Frame, Pool, Row
from nbgrad.runtime.pool_kernels import acquired, add_line, is_attended, line_of, now_ns, part_size, share
from nbgrad.tape.work import SHARE_PS, WAKE_PS

# PS: picoseconds of estimated cost.
CALL_PS: Final = 10_000  # what a call costs besides its items: a tape of costless kernels must look at the clock too
CLOCK_PS: Final = 500_000_000  # look at the clock after so much estimated work: the estimates may be off by tens
WINDOW_PS: Final = 5_000_000_000  # most work shared out before the clock is looked at


@njit(nogil=True)
def bind(frame: Frame) -> None:
    """Fill in the descriptors of a run. Doing it twice does no harm."""
    desc = Words.from_address(frame.desc)
    bases = frame.bases
    table = frame.relocs
    for k in range(frame.n_relocs):
        move = table[k]
        desc[move.target] = bases[move.source] + move.constant
    table = frame.resets
    for k in range(frame.n_resets):
        move = table[k]
        desc[move.target] = move.constant
    table = frame.terms
    scalars = frame.scalars
    for k in range(frame.n_terms):
        move = table[k]
        desc[move.target] += scalars[move.source] * move.constant


@njit(nogil=True)
def run(address: int) -> int:
    """Run a tape from where it stands; DONE, PAUSED (call again) or FAILED (``code`` and ``pc`` say why and where)."""
    frame = Frame.from_address(address)
    if frame.pool == 0:
        return walk(frame, 0)
    running = Pool.from_address(frame.pool).crew.running
    running.add(1)
    status = walk(frame, frame.pool)
    running.add(-1)
    return status


@njit(nogil=True)
def chunk_of(row: Row) -> int:
    """The items of a row that a call takes at most."""
    return row.chunk if row.chunk > 0 else row.items


@njit(nogil=True)
def add_row(pool: Pool, at: int, row: Row, desc: int, begin: int, end: int, threads: int) -> int:
    """Make items of a row line ``at`` of the next job; gives the parts so far."""
    step = end
    if row.flags & SPLIT != 0:
        step = part_size(end - begin, chunk_of(row), max(row.cost, 1), threads)
    return add_line(pool, at, row.kernel, desc + row.offset * WORD, begin, end, step)


@njit(nogil=True)
def wave_at(frame: Frame, pc: int) -> tuple[int, int]:
    """How many rows the wave that begins here has, and how much work, in estimated picoseconds."""
    tape = frame.tape
    count = 1
    work_ps = tape[pc].items * tape[pc].cost
    while tape[pc].flags & WAVE != 0 and count < MOST_ROWS:
        pc += 1
        work_ps += tape[pc].items * tape[pc].cost
        count += 1
    return count, work_ps


@njit(nogil=True)
def add_wave(pool: Pool, frame: Frame, pc: int, count: int, threads: int) -> int:
    """Make so many rows the next job; gives its parts."""
    parts = 0
    for at in range(count):
        row = frame.tape[pc + at]
        parts = add_row(pool, at, row, frame.desc, 0, row.items, threads)
    return parts


@njit(nogil=True)
def walk(frame: Frame, pool_address: int) -> int:
    """``run``, with the workers of a pool unless that is 0."""
    pool = Pool.from_address(pool_address)
    pc = frame.pc
    pos = frame.pos
    if pc == 0 and pos == 0:
        bind(frame)
    n_rows = frame.n_rows
    tape = frame.tape
    desc = frame.desc
    worth = frame.shared  # whoever is woken for the first job finds more to do
    commit = frame.commit
    deadline = 0
    fuel = CLOCK_PS
    while pc < n_rows:
        row = tape[pc]
        items = row.items
        cost = row.cost
        flags = row.flags
        chunk = chunk_of(row)
        while pos < items:
            count = 1
            work_ps = (items - pos) * cost
            is_shared = pool_address != 0 and flags & (SPLIT | WAVE) != 0
            if is_shared and flags & WAVE != 0 and pos == 0:
                count, work_ps = wave_at(frame, pc)
            elif flags & SPLIT == 0:
                is_shared = False
            if is_shared:
                is_shared = work_ps >= SHARE_PS and (is_attended(pool) or max(worth, work_ps) >= WAKE_PS)
            at = 0
            if is_shared and acquired(pool):
                threads = pool.crew.workers + 1
                end = items
                if count > 1:
                    parts = add_wave(pool, frame, pc, count, threads)
                else:
                    end = min(items, pos + max(WINDOW_PS // cost, chunk) * threads)
                    parts = add_row(pool, 0, row, desc, pos, end, threads)
                failed = share(pool, parts, max(worth, work_ps))
                code = 0
                if failed != NONE:
                    at = line_of(pool, failed // CODES)
                    code = failed & (CODES - 1)
                pool.lock.store(0)
                worth = 0
                fuel -= work_ps // threads
            else:
                count = 1
                end = min(items, pos + chunk)
                code = call_kernel(row.kernel, desc + row.offset * WORD, pos, end)
                fuel -= (end - pos) * cost + CALL_PS
            if code != 0:
                frame.pc = pc + at
                frame.pos = pos
                frame.code = code
                return FAILED
            pos = end
            if count > 1:  # on to the last row of the wave, and its end
                pc += count - 1
                row = tape[pc]
                items = row.items
                pos = items
            if fuel <= 0:
                fuel = CLOCK_PS
                now = now_ns(frame.clock, frame.now)
                if deadline == 0:
                    deadline = now + frame.slice_ns
                elif now >= deadline and pc < commit:
                    frame.pc = pc
                    frame.pos = pos
                    return PAUSED
        pos = 0
        pc += 1
    frame.pc = 0
    frame.pos = 0
    return DONE

"""The runner and the pool's workers: the ``@njit(nogil=True)`` code that walks tapes and calls kernels by address.

``object_code()`` compiles it; ``nbgrad.runtime.runner`` loads it, from disk where it can, and never needs Numba then.
See ``layout`` for the meaning of the words.
"""

from __future__ import annotations

from typing import Any, Final

import llvmlite.binding as llvm
from numba import njit, types

from nbgrad.kernels.target import Target
from nbgrad.runtime.intrinsics import (
    atomic_load,
    atomic_store,
    call_kernel,
    clock_gettime,
    fetch_add,
    greater,
    lesser,
    load,
    sched_yield,
    sem_post,
    sem_wait,
    store,
    swap,
)
from nbgrad.runtime.layout import (
    AWAKE,
    BASES,
    CHUNK,
    CLOCK,
    CLOSED,
    CODE,
    COMMIT,
    CONSTANT,
    COST,
    DESC,
    DONE,
    FAILED,
    FLAGS,
    GATE,
    ITEMS,
    JOB_CODE,
    JOB_DESC,
    JOB_END,
    JOB_KERNEL,
    JOB_NUMBER,
    JOB_STEP,
    KERNEL,
    LOCK,
    N_RELOCS,
    N_RESETS,
    N_TERMS,
    NANOSECONDS,
    NEXT,
    OFFSET,
    PAUSED,
    PC,
    POOL,
    POS,
    POSTED,
    QUIT,
    RELOCS,
    RESETS,
    ROW_WORDS,
    ROWS,
    SCALARS,
    SECONDS,
    SEMAPHORE,
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
from nbgrad.runtime.runner_limits import (
    AWAKE_SPINS,
    CALL_PS,
    CLOCK_PS,
    LINE_ITEMS,
    PART_PS,
    PARTS_PER_THREAD,
    SPINS,
    SPLIT_PS,
    WINDOW_PS,
)

options: Final = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
def sees_job(pool: int, last: int) -> bool:
    """Look out for a job other than number ``last``; gives up after a while."""
    fetch_add(pool, AWAKE, 1)
    spins = 0
    while spins < AWAKE_SPINS and (atomic_load(pool, GATE) >= CLOSED or atomic_load(pool, JOB_NUMBER) == last):
        spins += 1
    fetch_add(pool, AWAKE, -1)
    return spins < AWAKE_SPINS


@njit(**options)  # type: ignore[untyped-decorator]
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


@njit(**options)  # type: ignore[untyped-decorator]
def part_size(items: int, chunk: int, cost: int, threads: int) -> int:
    """How many items a thread takes at a time: even shares, worth taking, and no more than a chunk."""
    share_of = (items - 1) // (threads * PARTS_PER_THREAD) + 1
    size = greater(share_of, PART_PS // cost + 1)
    if size > 4 * LINE_ITEMS:
        size = (size + LINE_ITEMS - 1) // LINE_ITEMS * LINE_ITEMS
    part: int = lesser(size, chunk)
    return part


@njit(**options)  # type: ignore[untyped-decorator]
def run(frame: int) -> int:
    """Run a frame's tape from where it stands; DONE, PAUSED (call again) or FAILED (CODE says why, PC where)."""
    pc = load(frame, PC)
    pos = load(frame, POS)
    if pc == 0 and pos == 0:
        bind(frame)
    rows = load(frame, ROWS)
    row = load(frame, TAPE) + pc * ROW_WORDS * WORD
    desc_base = load(frame, DESC)
    pool = load(frame, POOL)
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
            if splits and (items - pos) * cost >= SPLIT_PS and swap(pool, LOCK, 1) == 0:
                threads = load(pool, WORKERS) + 1
                end = lesser(items, pos + greater(WINDOW_PS // cost, chunk) * threads)
                code = share(pool, kernel, desc, pos, end, part_size(end - pos, chunk, cost, threads))
                atomic_store(pool, LOCK, 0)
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


_ENTRY = """
declare i32 @"{native}"(ptr, ptr, i64)
define i64 @{name}(i64 %block) {{
  %result = alloca i64
  %status = call i32 @"{native}"(ptr %result, ptr null, i64 %block)
  %value = load i64, ptr %result
  ret i64 %value
}}
"""


def _module(function: Any, name: str) -> Any:
    """The LLVM module of an ``@njit`` function with an entry ``int64 name(int64)`` that C can call.

    Numba's own C wrapper would need Numba's run-time library to be there when the code is loaded. The functions above
    raise nothing, so their status is always 0.
    """
    signature = (types.int64,)
    function.compile(signature)
    module = llvm.parse_assembly(function.inspect_llvm(signature))
    # The functions it calls are there too, but only it is visible outside.
    [native] = [f.name for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external]
    module.link_in(llvm.parse_assembly(_ENTRY.format(native=native, name=name)))
    return module


def object_code(target: Target) -> bytes:
    """Object code that defines ``nbgrad_run(frame)`` and ``nbgrad_work(pool)``."""
    module = _module(run, "nbgrad_run")
    module.link_in(_module(work, "nbgrad_work"))
    module.verify()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small"
    )
    return bytes(machine.emit_object(module))

"""The runner: the ``@njit(nogil=True)`` code that walks a tape and calls kernels by address.

``object_code()`` compiles it; ``nbgrad.runtime.runner_code`` loads it, from disk where it can, and never needs Numba
then. See ``layout`` for the meaning of the words.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import njit, types

from nbgrad.kernels.target import Target
from nbgrad.runtime.intrinsics import (
    atomic_store,
    call_kernel,
    clock_gettime,
    greater,
    lesser,
    load,
    store,
    swap,
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
    SCALARS,
    SECONDS,
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
from nbgrad.runtime.pool_kernels import options, part_size, share, work
from nbgrad.runtime.runner_limits import (
    CALL_PS,
    CLOCK_PS,
    SPLIT_PS,
    WINDOW_PS,
)
from nbgrad.runtime.sheet_kernels import lay_out, link, prepare, pull_back


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


def _entry(native: str, name: str) -> str:
    """LLVM text of ``int64 name(int64)``, which calls the ``@njit`` function ``native`` as Numba's code does."""
    i32, i64 = ir.IntType(32), ir.IntType(64)
    module = ir.Module()
    result_of = ir.FunctionType(i32, [i64.as_pointer(), i64.as_pointer(), i64])
    callee = ir.Function(module, result_of, native)
    entry = ir.Function(module, ir.FunctionType(i64, [i64]), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    result = builder.alloca(i64)
    no_exception = ir.Constant(i64.as_pointer(), None)
    builder.call(callee, [result, no_exception, entry.args[0]])  # its status is always 0: nothing here raises
    builder.ret(builder.load(result))
    return str(module)


def _module(function: Any, name: str) -> Any:
    """The LLVM module of an ``@njit`` function with an entry ``int64 name(int64)`` that C can call.

    Numba's own C wrapper would need Numba's run-time library to be there when the code is loaded.
    """
    signature = (types.int64,)
    function.compile(signature)
    module = llvm.parse_assembly(function.inspect_llvm(signature))
    # The functions it calls are there too, but only it is visible outside.
    [native] = [f.name for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external]
    module.link_in(llvm.parse_assembly(_entry(native, name)))
    return module


def object_code(target: Target) -> bytes:
    """Object code that defines ``nbgrad_run(frame)``, ``nbgrad_work(pool)``, and ``nbgrad_lay_out``,
    ``nbgrad_prepare``, ``nbgrad_pull_back`` and ``nbgrad_link``, which take a sheet."""
    module = _module(run, "nbgrad_run")
    for function, name in (
        (work, "nbgrad_work"),
        (lay_out, "nbgrad_lay_out"),
        (prepare, "nbgrad_prepare"),
        (pull_back, "nbgrad_pull_back"),
        (link, "nbgrad_link"),
    ):
        module.link_in(_module(function, name))
    module.verify()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small"
    )
    return bytes(machine.emit_object(module))

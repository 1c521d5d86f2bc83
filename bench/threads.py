"""What sharing work costs on this machine, and from what size on it pays: ``python -m bench.threads [--threads N]``.

The figures behind ``SHARE_PS`` and ``WAKE_PS`` (nbgrad/tape/work.py) and those of nbgrad/runtime/pool_kernels.py.
Times are the least of many short rounds, one thread and several in turn: what other programs do hardly shows.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

import nbgrad
from nbgrad.config import override
from nbgrad.graph.dtypes import float32
from nbgrad.graph.node import Node, apply
from nbgrad.graph.spec import Spec
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.ops.source import input_node
from nbgrad.passes.canonicalize import canonicalize
from nbgrad.passes.run import grouped, optimise
from nbgrad.runtime.buffers import Buffer
from nbgrad.runtime.executable import Executable
from nbgrad.runtime.layout import SPLIT
from nbgrad.runtime.runner import Program
from nbgrad.runtime.store import store
from nbgrad.runtime.word_code import native_code
from nbgrad.tape.lower import lower
from nbgrad.tape.work import WAKE_PS

ROUNDS, TIMES = 40, 30
GAPS_US: Final = (0, 20, 100, 200, 1000)
WORK_US: Final = (8, 32, 128)
ITEM_TURNS: Final = 40


def spin(desc: int, begin: int, end: int) -> int:
    """Arithmetic that takes as long for each item, and no memory. Its result is never the code of a failure."""
    v = end
    for _ in range((end - begin) * ITEM_TURNS):
        v ^= v << 13
        v ^= v >> 7
        v ^= v << 17
    return (v == 0) & (end > begin) & (begin < 0)


class Row(NamedTuple):
    """Seconds of a job by one thread and by several."""

    what: str
    size: str
    alone_s: float
    shared_s: float


def compared(run: Callable[[], Any], threads: int, rounds: int) -> tuple[float, float]:
    """The least seconds of ``run`` on one thread and on ``threads``, in turn."""
    least = [float("inf")] * 2
    for _ in range(rounds):
        for k, count in enumerate((1, threads)):
            with override(num_threads=count):
                run()
                begin = time.perf_counter()
                run()
                least[k] = min(least[k], time.perf_counter() - begin)
    return least[0], least[1]


def jobs(threads: int, rounds: int = ROUNDS) -> Iterator[Row]:
    """Jobs of some length, each after so long a time in which one thread works alone."""
    from nbgrad.runtime.numba_words import compiled_text  # takes a second

    engine = Engine()
    engine.load(native_code(host(), compiled_text({"bench_spin": (spin, "int32(int64, int64, int64)")})))
    kernel = engine.address("bench_spin")

    def program(work: int, gap: int) -> Program:
        rows = [[kernel, 0, work, 0, WAKE_PS // work + 1, SPLIT]] + [[kernel, 0, gap, 0, 1, 0]] * (gap > 0)
        return Program(np.array(rows * TIMES), np.zeros(1), np.empty((0, 3)), np.empty((0, 3)), 0)

    item_s = compared(lambda: program(1000, 0).run([], 0), 1, rounds)[0] / (1000 * TIMES)
    for gap_us in GAPS_US:
        for work_us in WORK_US:
            made = program(max(1, round(1e-6 * work_us / item_s)), round(1e-6 * gap_us / item_s))
            alone, shared = compared(lambda made=made: made.run([], 0), threads, rounds)
            yield Row(f"{work_us} us", f"after {gap_us} us", alone / TIMES, shared / TIMES)


def kernels(threads: int, rounds: int = ROUNDS) -> Iterator[Row]:
    """One kernel of each form at growing sizes, shared out whatever its size."""
    for n in (256, 1024, 4096, 16384, 65536):
        yield _row("map exp", [n], lambda x: apply("exp", x), threads, rounds)
        yield _row("map add", [n], lambda x: apply("add", x, x), threads, rounds)
        yield _row("row sum", [max(2, n // 64), 64], lambda x: apply("sum", x, params=((1,),)), threads, rounds)
        yield _row("column sum", [64, n // 64 * 16], lambda x: apply("sum", x, params=((0,),)), threads, rounds)
    for n in (32, 64, 128, 256):
        yield _row("product", [n, n], lambda x: apply("matmul", x, x), threads, rounds)


def _row(what: str, shape: Sequence[int], make: Callable[[Node], Node], threads: int, rounds: int) -> Row:
    graph = optimise(canonicalize([make(input_node(0, Spec.of(tuple(shape), float32)))]))
    tape = lower(graph, grouped(graph), padded=False)
    shared = [i._replace(flags=SPLIT, cost=WAKE_PS // i.items + 1) for i in tape.instructions]
    tape = dataclasses.replace(tape, instructions=shared * TIMES)
    executable = Executable(tape, store.addresses([i.text for i in tape.instructions]))
    inputs = [Buffer.from_numpy(np.full(shape, 0.5, np.float32))]
    alone, several = compared(lambda: executable.run(inputs, ()), threads, rounds)
    return Row(what, " x ".join(map(str, shape)), alone / TIMES, several / TIMES)


def shown(row: Row, threads: int) -> str:
    """One line: both times, and what sharing costs beside the work."""
    cost_us = 1e6 * (row.shared_s - (row.alone_s - _gap_s(row)) / threads - _gap_s(row))
    times = f"{1e6 * row.alone_s:9.1f} us {1e6 * row.shared_s:9.1f} us"
    return f"{row.what:>12} {row.size:>16} {times} {row.alone_s / row.shared_s:6.2f} x {cost_us:8.1f} us"


def _gap_s(row: Row) -> float:
    return 1e-6 * int(row.size.split()[1]) if row.size.startswith("after") else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.threads", description=__doc__)
    parser.add_argument("--threads", type=int, default=max(2, nbgrad.get_num_threads()))
    threads = parser.parse_args().threads
    print(f"{'':>12} {'':>16} {'one thread':>12} {f'{threads} threads':>12} {'':>8} {'for sharing':>11}")
    for rows in (jobs(threads), kernels(threads)):
        for row in rows:
            print(shown(row, threads), flush=True)


if __name__ == "__main__":
    main()

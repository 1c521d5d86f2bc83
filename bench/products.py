"""Matrix products of the cases' shapes: ``python -m bench.products [NAME]``, GFLOP/s of nbgrad, PyTorch and NumPy.

One thread, CPU time, the best of many short rounds in which all of them take turns. Every call finds its factors where
the last one left them, in cache if they fit there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from bench.libraries import NBGRAD, TORCH, why_absent

# NumPy's library reads its variable when it is imported: where they are not set yet, all begins again.
THREAD_VARIABLES: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NBGRAD_NUM_THREADS")
ROUNDS: Final = 15
ROUND_S: Final = 0.004  # of each contestant


class Shape(NamedTuple):
    """One product of (batch, m, k) and (batch, k, n). A factor marked "t" is the transpose of a row-major matrix."""

    case: str
    what: str
    batch: int
    m: int
    k: int
    n: int
    left: str = ""
    right: str = ""

    @property
    def flops(self) -> int:
        return 2 * self.batch * self.m * self.k * self.n


def shapes() -> Iterator[Shape]:
    """What the cases multiply: forward, and the gradients of both factors."""
    for case, batch, k, n in (
        ("GPT qkv", 768, 128, 384),
        ("GPT out", 768, 128, 128),
        ("GPT up", 768, 128, 512),
        ("GPT down", 768, 512, 128),
        ("GPT head", 768, 128, 65),
        ("MLP 512 first", 512, 64, 512),
        ("MLP 512 inner", 512, 512, 512),
        ("MLP 512 last", 512, 512, 10),
        ("MLP 32 inner", 32, 128, 128),
        ("LSTM input", 32, 64, 512),
        ("LSTM hidden", 32, 128, 512),
        ("LSTM input, all steps", 3200, 64, 512),
        ("LSTM hidden, all steps", 3200, 128, 512),
    ):
        is_linear = not case.startswith("LSTM")  # its weight lies the other way round
        yield Shape(case, "forward", 1, batch, k, n, right="t" if is_linear else "")
        yield Shape(case, "grad of x", 1, batch, n, k, right="" if is_linear else "t")
        yield Shape(case, "grad of w", 1, *((n, batch, k) if is_linear else (k, batch, n)), left="t")
    yield Shape("attention", "scores", 48, 64, 32, 64, right="t")
    yield Shape("attention", "values", 48, 64, 64, 32)
    yield Shape("attention", "grad of v", 48, 64, 64, 32, left="t")
    for size in (64, 128, 256, 1024):
        yield Shape("square", str(size), 1, size, size, size)


def factors(shape: Shape) -> tuple[Any, Any]:
    """The matrices, which lie as the shape says."""
    rng = np.random.default_rng(0)
    pair = []
    for rows, columns, lies in ((shape.m, shape.k, shape.left), (shape.k, shape.n, shape.right)):
        size = (shape.batch, columns, rows) if lies == "t" else (shape.batch, rows, columns)
        x = rng.standard_normal(size).astype(np.float32)
        pair.append(x.swapaxes(1, 2) if lies == "t" else x)
    return pair[0], pair[1]


def _nbgrad(shape: Shape, a: Any, b: Any) -> Callable[[], Any]:
    """The kernel alone, as a tape calls it."""
    import ctypes

    from nbgrad.graph.dtypes import float32
    from nbgrad.graph.node import apply
    from nbgrad.graph.spec import Spec
    from nbgrad.kernels.records import WORD
    from nbgrad.ops.library import transposed
    from nbgrad.ops.source import input_node
    from nbgrad.passes.fuse import fuse
    from nbgrad.runtime.buffers import Buffer
    from nbgrad.runtime.executable import rows_of, words_of
    from nbgrad.runtime.layout import BASES
    from nbgrad.runtime.runner import Program
    from nbgrad.runtime.store import store
    from nbgrad.tape.lower import lower

    nodes, buffers = [], []
    for at, (x, lies) in enumerate(((a, shape.left), (b, shape.right))):
        base = x.swapaxes(1, 2) if lies == "t" else x
        node = input_node(at, Spec.of(base.shape, float32))
        nodes.append(transposed(node) if lies == "t" else node)
        buffers.append(Buffer.from_numpy(base))
    roots = [apply("matmul", *nodes)]
    tape = lower(roots, fuse(roots), padded=False)
    program = Program(
        rows_of(tape, store.addresses([i.text for i in tape.instructions])),
        words_of(tape, 0),
        np.array(tape.relocs, np.int64),
        np.array(tape.terms, np.int64).reshape(-1, 3),
        tape.slots,
    )
    out = Buffer.alloc(tape.out_bytes[0])
    program.run([*(buffers[p].address for p in tape.input_positions), out.address, 0, 0], 0)
    (instruction,) = tape.instructions
    kernel = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(int(program.tape[0, 0]))
    desc = program._frames[-1].address + (BASES + program.n_slots) * WORD
    got = out.array((shape.batch, shape.m, shape.n), np.float32)
    np.testing.assert_allclose(got, a @ b, rtol=0, atol=1e-3 * shape.k**0.5)

    def work(keep: Any = (program, buffers, out)) -> int:
        return kernel(desc, 0, instruction.items)

    return work


def _torch(shape: Shape, a: Any, b: Any) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(1)
    left, right = torch.from_numpy(a), torch.from_numpy(b)
    out = torch.empty(shape.batch, shape.m, shape.n)
    if shape.batch > 1:
        return lambda: torch.bmm(left, right, out=out)
    return lambda: torch.mm(left[0], right[0], out=out[0])


def _numpy(shape: Shape, a: Any, b: Any) -> Callable[[], Any]:
    out = np.empty((shape.batch, shape.m, shape.n), np.float32)
    return lambda: np.matmul(a, b, out=out)


CONTESTANTS: Final = {NBGRAD: _nbgrad, TORCH: _torch, "NumPy": _numpy}


def rates(shape: Shape) -> dict[str, float]:
    """GFLOP/s of those who are installed."""
    a, b = factors(shape)
    present = {name: make(shape, a, b) for name, make in CONTESTANTS.items() if not why_absent(name, False)}
    return {name: shape.flops / seconds / 1e9 for name, seconds in best_seconds(present).items()}


def best_seconds(works: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
    """CPU seconds of a call, the least of many rounds in which all take turns."""
    best = dict.fromkeys(works, float("inf"))
    often = {name: _calls(work) for name, work in works.items()}
    for _ in range(ROUNDS):
        for name, work in works.items():
            best[name] = min(best[name], _seconds(work, often[name]))
    return best


def _calls(work: Callable[[], Any]) -> int:
    """How many calls fill a round; the first few may record and compile."""
    for _ in range(4):
        work()
    return max(1, round(ROUND_S / max(_seconds(work, 1), 1e-7)))


def _seconds(work: Callable[[], Any], calls: int) -> float:
    begin = time.process_time()
    for _ in range(calls):
        work()
    return (time.process_time() - begin) / calls


def on_one_thread(module: str) -> None:
    """Begin ``python -m module`` again with variables that leave all libraries one thread, unless they do."""
    if any(os.environ.get(variable) != "1" for variable in THREAD_VARIABLES):
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.products", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="only shapes whose case has this in its name")
    args = parser.parse_args()
    on_one_thread("bench.products")
    print(f"| product | batch x m x k x n | {' | '.join(CONTESTANTS)} | of the best |")
    print("| --- | --- | --- | --- | --- | --- |")
    for shape in shapes():
        if args.name in f"{shape.case}, {shape.what}":
            print(line(shape, rates(shape)), flush=True)


def line(shape: Shape, found: dict[str, float]) -> str:
    """A row of the table."""
    size = " x ".join(map(str, (shape.batch, shape.m, shape.k, shape.n)))
    cells = [f"{found[name]:.0f}" if name in found else "" for name in CONTESTANTS]
    peers = [rate for name, rate in found.items() if name != NBGRAD]
    share = f"{found[NBGRAD] / max(peers):.2f}" if peers else ""
    return f"| {shape.case}, {shape.what} | {size} | {' | '.join(cells)} | {share} |"


if __name__ == "__main__":
    main()

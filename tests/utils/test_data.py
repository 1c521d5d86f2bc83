"""utils.data: what data sets, samplers and batches are, and that workers give the same and end."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.utils import data
from nbgrad.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)

Point = namedtuple("Point", "x y")


def plain(x: Any) -> Any:
    """Tensors as lists and their dtypes, so that they can be compared."""
    if isinstance(x, nb.Tensor):
        return x.tolist(), x.dtype
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        made = [plain(value) for value in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    return x


class Numbers(IterableDataset[int]):
    """0 to n - 1, a share of them in each worker."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        return iter(range(self.n) if info is None else range(info.id, self.n, info.num_workers))

    def __len__(self) -> int:
        return self.n


class Special(Dataset[Any]):
    """Items that do what their number says."""

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> Any:
        if index == 90:
            raise KeyError("no item\nninety")
        if index == 91:
            os._exit(3)
        if index == 92:
            time.sleep(60)
        if index == 93:
            info = get_worker_info()
            return None if info is None else (info.id, info.seed, os.getpid(), nb.rand(1).item(), np.random.rand())
        return {"x": nb.full((3,), float(index)), "name": str(index), "at": np.full((2, 2), index)}


def as_it_is(batch: Any) -> Any:
    return batch


def blocks() -> set[str]:
    """Shared memory of loaders."""
    return {name for name in os.listdir("/dev/shm") if name.startswith("nb-")} if os.path.isdir("/dev/shm") else set()


x, y = nb.arange(20).reshape(10, 2), nb.arange(10)

ITEMS = {
    "TensorDataset": (lambda: TensorDataset(x, y)[3], ([6, 7], 3)),
    "StackDataset": (lambda: StackDataset("ab", [1, 2])[1], ("b", 2)),
    "StackDataset by name": (lambda: StackDataset(a="ab", b=[1, 2]).__getitems__([1]), [{"a": "b", "b": 2}]),
    "ConcatDataset": (lambda: [*ConcatDataset(["ab", [], "c"])], ["a", "b", "c"]),
    "ConcatDataset from its end": (lambda: ConcatDataset(["ab", "c"])[-2], "b"),
    "addition": (lambda: (TensorDataset(y) + TensorDataset(y))[13], (3,)),
    "ChainDataset": (lambda: [*(Numbers(2) + Numbers(1))], [0, 1, 0]),
    "ChainDataset's length": (lambda: len(ChainDataset([Numbers(2), Numbers(1)])), 3),
    "Subset": (lambda: Subset("abc", [2, 0]).__getitems__([1, 0]), ["a", "c"]),
    "SequentialSampler": (lambda: [*SequentialSampler("abc")], [0, 1, 2]),
    "RandomSampler": (lambda: sorted(RandomSampler("abc", num_samples=6)), [0, 0, 1, 1, 2, 2]),
    "RandomSampler, some": (lambda: len({*RandomSampler(range(9), num_samples=4)}), 4),
    "RandomSampler with replacement": (lambda: {*RandomSampler("a", True, 40)}, {0}),
    "SubsetRandomSampler": (lambda: sorted(SubsetRandomSampler([7, 3])), [3, 7]),
    "WeightedRandomSampler": (lambda: [*WeightedRandomSampler([0, 3.0, 0], 2)], [1, 1]),
    "WeightedRandomSampler without": (lambda: sorted(WeightedRandomSampler([1, 3.0, 0], 2, False)), [0, 1]),
    "BatchSampler": (lambda: [*BatchSampler(range(5), 2, False)], [[0, 1], [2, 3], [4]]),
    "BatchSampler, drop_last": (lambda: [*BatchSampler(range(5), 2, True)], [[0, 1], [2, 3]]),
    "lengths": (lambda: [len(BatchSampler(range(5), 2, last)) for last in (False, True)], [3, 2]),
    "random_split": (lambda: [len(part) for part in random_split(range(5), [2, 3])], [2, 3]),
    "random_split by shares": (lambda: [len(part) for part in random_split(range(10), [0.3, 0.3, 0.4])], [3, 3, 4]),
    "random_split, rounded": (lambda: [len(part) for part in random_split(range(5), [0.5, 0.5])], [3, 2]),
    "random_split has all": (lambda: sorted(chain.from_iterable(random_split(range(5), [2, 3]))), [0, 1, 2, 3, 4]),
    "get_worker_info": (get_worker_info, None),
}


@pytest.mark.parametrize("name", ITEMS)
def test_data_sets_and_samplers_give(name: str) -> None:
    get, expected = ITEMS[name]
    found: Any = get()
    if name in ("TensorDataset", "addition"):
        found = tuple([t.tolist() for t in found])
    assert found == expected and type(found) is type(expected)


I64, F32, F64 = nb.int64, nb.float32, nb.float64
COLLATED = [
    ([nb.ones(1), nb.zeros(1)], ([[1.0], [0.0]], F32)),
    ([np.ones(1), np.zeros(1)], ([[1.0], [0.0]], F64)),
    ([np.float32(1), np.float32(2)], ([1.0, 2.0], F32)),
    ([0.5, 1.5], ([0.5, 1.5], F64)),
    ([1, 2], ([1, 2], I64)),
    ([True, False], ([True, False], nb.bool)),
    (["a", "b"], ["a", "b"]),
    ([b"a"], [b"a"]),
    ([{"a": 1, "b": "c"}, {"a": 2, "b": "d"}], {"a": ([1, 2], I64), "b": ["c", "d"]}),
    ([(1, "a"), (2, "b")], [([1, 2], I64), ("a", "b")]),
    ([[1, 2.0], [3, 4.0]], [([1, 3], I64), ([2.0, 4.0], F64)]),
    ([Point(1, 2), Point(3, 4)], Point(([1, 3], I64), ([2, 4], I64))),
]


@pytest.mark.parametrize(("batch", "expected"), COLLATED, ids=lambda value: str(value)[:20])
def test_items_are_collated(batch: Any, expected: Any) -> None:
    found = plain(default_collate(batch))
    assert found == expected and type(found) is type(expected)


def test_collating_keeps_derivatives() -> None:
    w = nb.ones(2, requires_grad=True)
    default_collate([w, w * 2]).sum().backward()
    assert w.grad is not None and w.grad.tolist() == [3.0, 3.0]
    (batch,) = next(iter(DataLoader(TensorDataset(w), 2)))
    assert batch.requires_grad


def test_arrays_are_converted() -> None:
    found = default_convert({"a": np.arange(2), "b": Point("c", np.float64(2)), "d": (1, [np.ones(1)])})
    assert plain(found) == {"a": ([0, 1], I64), "b": Point("c", (2.0, F64)), "d": [1, [([1.0], F64)]]}


MISTAKES = {
    "TensorDataset(x, y[:3])": AssertionError,
    "StackDataset()": ValueError,
    "StackDataset('a', b='b')": ValueError,
    "StackDataset('a', 'bc')": ValueError,
    "ConcatDataset([])": AssertionError,
    "ConcatDataset([Numbers(2)])": AssertionError,
    "ConcatDataset(['ab'])[2]": IndexError,
    "ConcatDataset(['ab'])[-3]": ValueError,
    "list(ChainDataset(['ab']))": AssertionError,
    "Dataset()[0]": NotImplementedError,
    "iter(Sampler())": NotImplementedError,
    "random_split(range(4), [1, 2])": ValueError,
    "random_split(range(4), [1.5, -0.5])": ValueError,
    "RandomSampler('abc', 1)": TypeError,
    "RandomSampler('')": ValueError,
    "RandomSampler('abc', num_samples=0)": ValueError,
    "WeightedRandomSampler([1.0], 0)": ValueError,
    "WeightedRandomSampler([[1.0]], 1)": ValueError,
    "WeightedRandomSampler([1.0], 1, 2)": ValueError,
    "BatchSampler('abc', 0, False)": ValueError,
    "BatchSampler('abc', 1, 0)": ValueError,
    "default_collate([])": IndexError,
    "default_collate([object()])": TypeError,
    "default_collate([np.array('a')])": TypeError,
    "default_collate([(1, 2), (1,)])": RuntimeError,
    "default_collate([nb.ones(2), nb.ones(3)])": RuntimeError,
    "DataLoader('a', num_workers=-1)": ValueError,
    "DataLoader('a', timeout=-1)": ValueError,
    "iter(DataLoader('a', timeout=1))": AssertionError,
    "DataLoader('a', prefetch_factor=2)": ValueError,
    "DataLoader('a', num_workers=1, prefetch_factor=-1)": ValueError,
    "iter(DataLoader('a', num_workers=1, prefetch_factor=0))": AssertionError,
    "DataLoader('a', persistent_workers=True)": ValueError,
    "DataLoader('a', shuffle=True, sampler=[0])": ValueError,
    "DataLoader('a', 2, batch_sampler=[[0]])": ValueError,
    "DataLoader('a', None, drop_last=True)": ValueError,
    "DataLoader('a', 0)": ValueError,
    "DataLoader('a', multiprocessing_context='spawn')": ValueError,
    "DataLoader('a', num_workers=1, multiprocessing_context='no')": ValueError,
    "DataLoader('a', num_workers=1, multiprocessing_context=3)": TypeError,
    "DataLoader(Numbers(2), shuffle=True)": ValueError,
    "DataLoader(Numbers(2), sampler=[0])": ValueError,
    "DataLoader(Numbers(2), batch_sampler=[[0]])": ValueError,
    "setattr(DataLoader('a'), 'batch_size', 3)": ValueError,
    "list(DataLoader(TensorDataset(y), sampler=[10]))": IndexError,
    "data.DistributedSampler(range(3))": ValueError,
    "data.DistributedSampler(range(3), 2, 2)": ValueError,
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_have_the_classes_of_pytorch(line: str) -> None:
    names = {**vars(data), "data": data, "nb": nb, "np": np, "x": x, "y": y, "Numbers": Numbers}
    with pytest.raises(MISTAKES[line]):
        eval(line, names)


def test_a_loader_gives_batches_of_rows() -> None:
    loader = DataLoader(TensorDataset(x, y), 4)
    batches = [*loader]
    assert [(a.tolist(), b.tolist()) for a, b in batches] == [
        (x[i : i + 4].tolist(), y[i : i + 4].tolist()) for i in (0, 4, 8)
    ]
    assert len(loader) == 3 and len(DataLoader(y, 4, drop_last=True)) == 2 and type(batches[0]) is list
    batches[0][0].zero_()
    assert x[0].tolist() == [0, 1]  # a batch is memory of its own
    assert [b.tolist() for (b,) in DataLoader(Subset(TensorDataset(y), [5, 2]), 2)] == [[5, 2]]
    assert [b.tolist() for (b,) in DataLoader(TensorDataset(y), batch_sampler=[[-1, 0]])] == [[9, 0]]
    assert [b.tolist() for b in DataLoader(y, None, sampler=[3])] == [3]
    assert [*DataLoader([1, 2], 2, collate_fn=sum)] == [3]


def test_a_data_set_with_items_of_its_own_is_asked() -> None:
    class Twice(TensorDataset):
        def __getitem__(self, index: Any) -> tuple[nb.Tensor, ...]:
            return tuple([t * 2 for t in super().__getitem__(index)])

    assert [b.tolist() for (b,) in DataLoader(Twice(y), 2, sampler=[1, 2])] == [[2, 4]]


class Pairs(Dataset[Any]):
    """Views, and what is computed of them, as most scripts write it."""

    def __init__(self) -> None:
        self.x, self.y = nb.arange(24.0).reshape(6, 2, 2).clone(), nb.tensor([2, 0, 1, 1, 2, 0])
        self.centers = nb.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float32"))

    def __len__(self) -> int:
        return 6

    def __getitem__(self, k: int) -> dict[str, nb.Tensor]:
        x = self.x[k]
        return {"x": x, "first": x[0], "noisy": x[1] + self.centers[self.y[k]], "y": self.y[k]}


def test_items_that_are_views_are_stacked() -> None:
    pairs = Pairs()
    for _ in range(2):
        for start, batch in zip((0, 4), DataLoader(pairs, 4), strict=True):
            rows = range(start, min(start + 4, 6))
            assert batch["x"].tolist() == pairs.x[start : start + 4].tolist()
            assert batch["first"].tolist() == pairs.x[start : start + 4, 0].tolist()
            assert batch["noisy"].tolist() == [(pairs.x[k, 1] + pairs.centers[int(pairs.y[k])]).tolist() for k in rows]
            assert batch["y"].tolist() == pairs.y[start : start + 4].tolist()
            batch["x"].zero_()
        pairs.x[1, 0] += 100


def test_writes_to_the_tensors_are_seen() -> None:
    z = nb.zeros(2)
    loader = DataLoader(TensorDataset(z), 2)
    z.add_(1)
    assert [b.tolist() for (b,) in loader] == [[1.0, 1.0]]


def test_writes_between_batches_are_seen() -> None:
    whole = nb.zeros(6)
    z, other = whole[:4], nb.zeros(4)
    found = []
    for a, b in DataLoader(TensorDataset(z, other), 2):
        found.append((a.tolist(), b.tolist()))
        whole.add_(1)
        other += 2
        other.mul_(3)
    assert found == [([0.0, 0.0], [0.0, 0.0]), ([1.0, 1.0], [6.0, 6.0])]


def test_shares_of_processes_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    for count, replicas, drop_last in itertools.product((1, 2, 7, 12), (1, 3, 4), (False, True)):
        samplers = [
            library.utils.data.DistributedSampler(range(count), replicas, rank, False, drop_last=drop_last)
            for library in (nb, torch)
            for rank in range(replicas)
        ]
        shares = [(len(sampler), [*sampler]) for sampler in samplers]
        assert shares[:replicas] == shares[replicas:]
    shuffled = [nb.utils.data.DistributedSampler(range(9), 3, rank, seed=4) for rank in range(3)]
    first = [[*sampler] for sampler in shuffled]
    assert sorted(itertools.chain(*first)) == [*range(9)] and first == [[*sampler] for sampler in shuffled]
    for sampler in shuffled:
        sampler.set_epoch(1)
    assert first != [[*sampler] for sampler in shuffled]


def test_a_stream_of_items_is_batched() -> None:
    assert [b.tolist() for b in DataLoader(Numbers(5), 2)] == [[0, 1], [2, 3], [4]]
    assert [b.tolist() for b in DataLoader(Numbers(5), 2, drop_last=True)] == [[0, 1], [2, 3]]
    assert [*DataLoader(Numbers(2), None)] == [0, 1] and len(DataLoader(Numbers(5), 2)) == 3


def test_an_error_leaves_the_next_batches() -> None:
    batches = iter(DataLoader(Special(), 1, sampler=[90, 1]))
    with pytest.raises(KeyError):
        next(batches)
    assert next(batches)["name"] == ["1"]


def test_the_order_is_that_of_the_seed() -> None:
    def order(generator: nb.Generator | None = None) -> list[int]:
        return [b.item() for (b,) in DataLoader(TensorDataset(y), shuffle=True, generator=generator)]

    nb.manual_seed(3)
    first, second = order(), order()
    nb.manual_seed(3)
    assert order() == first != second == order() and sorted(first) == y.tolist()
    assert order(nb.Generator().manual_seed(-1)) == order(nb.Generator().manual_seed(-1))


def test_a_model_is_trained_on_batches() -> None:
    nb.manual_seed(0)
    inputs = nb.randn(64, 3)
    model = nb.nn.Linear(3, 1)
    optimizer = nb.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        for a, b in DataLoader(TensorDataset(inputs, inputs.sum(1, keepdim=True)), 16, shuffle=True):
            loss = nb.nn.functional.mse_loss(model(a), b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert loss.item() < 1e-3


def test_workers_give_what_the_main_process_gives() -> None:
    """Spawned, kept for several epochs: order, errors, seeds, the rest of an epoch that was left, and their end."""
    before = blocks()
    order = [*range(7), 90, 8]
    loader = DataLoader(Special(), 2, sampler=order, num_workers=2, persistent_workers=True)
    expected = [plain(batch) for batch in DataLoader(Special(), 2, sampler=order[:6])]
    for _ in range(2):
        batches = iter(loader)
        assert [plain(next(batches)) for _ in range(3)] == expected
        with pytest.raises(
            KeyError, match=r"Caught KeyError in DataLoader worker process 1\.\nOriginal Traceback"
        ) as e:
            next(batches)
        assert "__getitem__" in str(e.value)
        assert next(batches)["name"] == ["8"]
        assert [*batches] == []
    assert plain(next(iter(loader))) == expected[0]  # and leave it
    assert len(multiprocessing.active_children()) == 2
    del batches, loader, e  # the error holds frames of the iterator
    gc.collect()
    assert not multiprocessing.active_children() and blocks() == before


def test_how_many_workers_there_are_changes_no_other_random_number() -> None:
    orders = []
    for workers in (0, 1):
        nb.manual_seed(11)
        loader = DataLoader(range(6), 6, shuffle=True, num_workers=workers, collate_fn=list)
        orders.append((list(loader), nb.rand(1).item()))
    assert orders[0] == orders[1]


def test_workers_have_their_own_random_numbers_which_are_those_of_the_seed() -> None:
    def seen(seed: int) -> list[Any]:
        loader = DataLoader(
            Special(),
            1,
            sampler=[93, 93],
            num_workers=2,
            multiprocessing_context="fork",
            generator=nb.Generator().manual_seed(seed),
            collate_fn=as_it_is,
        )
        return [item for (item,) in loader]

    (a, a_seed, a_pid, *a_drawn), (b, b_seed, b_pid, *b_drawn) = first = seen(5)
    assert (a, b) == (0, 1) and b_seed == a_seed + 1 and os.getpid() not in (a_pid, b_pid) and a_drawn != b_drawn
    assert [item[3:] for item in seen(5)] == [item[3:] for item in first]
    assert not multiprocessing.active_children()


def test_a_fork_server_starts_workers() -> None:
    loader = DataLoader(Numbers(3), 2, num_workers=1, multiprocessing_context="forkserver")
    assert [b.tolist() for b in loader] == [[0, 1], [2]]


def test_streams_are_shared_by_workers() -> None:
    loader = DataLoader(Numbers(7), 2, num_workers=2, multiprocessing_context="fork", in_order=True)
    assert [b.tolist() for b in loader] == [[0, 2], [1, 3], [4, 6], [5]]
    loader = DataLoader(Numbers(7), 2, num_workers=2, multiprocessing_context="fork", in_order=False)
    assert sorted(chain.from_iterable([b.tolist() for b in loader])) == [*range(7)]


def test_a_worker_that_dies_or_sleeps_is_an_error() -> None:
    before = blocks()
    loader = DataLoader(Special(), 1, sampler=[1, 91, 2], num_workers=1, multiprocessing_context="fork")
    batches = iter(loader)
    assert next(batches)["name"] == ["1"]
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly: exit code 3"):
        next(batches)
    assert [*batches] == []
    loader = DataLoader(Special(), 1, sampler=[92], num_workers=1, multiprocessing_context="fork", timeout=0.2)
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.2 seconds"):
        next(iter(loader))
    assert not multiprocessing.active_children() and blocks() == before


INTERRUPTED = """
import time
from nbgrad.utils.data import DataLoader
class Slow:
    def __len__(self): return 1000
    def __getitem__(self, i): time.sleep(0.05); return i
if __name__ == "__main__":
    for batch in DataLoader(Slow(), num_workers=2, multiprocessing_context="fork"):
        print("batch", flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_end_of_the_main_process_is_that_of_its_workers(how: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "batch\n"
        (os.killpg if how is signal.SIGINT else os.kill)(process.pid, how)
        _, errors = process.communicate(timeout=60)  # workers hold its pipes until they end
        if how is signal.SIGINT:
            assert "KeyboardInterrupt" in errors and "leaked" not in errors


def test_programs_that_do_not_load_data_do_not_read_it() -> None:
    code = "import sys, nbgrad, nbgrad.utils; print('nbgrad.utils.data' in sys.modules, nbgrad.utils.data.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False nbgrad.utils.data\n"


def test_what_cannot_be_given_to_a_worker_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match=r"has to be pickled: .*multiprocessing_context=\"fork\""):
        next(iter(DataLoader(Numbers(3), 2, num_workers=1, collate_fn=lambda batch: batch)))
    assert not multiprocessing.active_children()


def test_a_script_that_begins_its_work_when_it_is_imported_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from nbgrad.utils.data import DataLoader, TensorDataset\nimport nbgrad as nb\n"
        "next(iter(DataLoader(TensorDataset(nb.ones(4)), num_workers=1)))\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 1
    assert "exited unexpectedly: exit code 1. A script that workers import" in run.stderr

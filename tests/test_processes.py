"""Programs of several processes: pools, pipes, one cold kernel cache for all. Every process has the same numbers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """
import multiprocessing, sys
import nbgrad as nb

def train(seed, steps=8):
    nb.manual_seed(seed)
    x, y = nb.randn(64, 10), nb.randn(64, 1)
    model = nb.nn.Sequential(nb.nn.Linear(10, 16), nb.nn.Tanh(), nb.nn.Linear(16, 1))
    optimizer = nb.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(steps):
        loss = nb.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item().hex(), model
"""

POOL = (
    TRAIN
    + """
if __name__ == "__main__":
    method, first = sys.argv[1:]
    if first == "used":  # the parent computed before there were children
        train(0)
    with multiprocessing.get_context(method).Pool(3) as pool:
        results = [pool.apply_async(train, (seed,)) for seed in range(3)]
        here = [train(seed) for seed in range(3)]  # and goes on meanwhile
        there = [result.get(200) for result in results]
    for (a, model), (b, other) in zip(here, there, strict=True):
        assert a == b, (a, b)
        for p, q in zip(model.parameters(), other.parameters(), strict=True):
            assert p.tolist() == q.tolist() and q.requires_grad
    x = nb.ones(2, 10)
    loss = (model(x) - other(x)).pow(2).sum()
    loss.backward()  # what came through a pipe is trained on
    assert loss.item() == 0.0 and all(p.grad is not None for p in other.parameters())
    print("same")
"""
)

SENT = (
    TRAIN
    + """
def work(tensors, results):
    for x in iter(tensors.get, None):
        y = (x * 2).requires_grad_()
        (y * y).sum().backward()
        results.put((y.detach(), y.grad))

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    tensors, results = context.Queue(), context.Queue()
    child = context.Process(target=work, args=(tensors, results))
    child.start()
    base = nb.arange(6.0).reshape(2, 3)
    for x in (base, base.t(), base[:, 1], base[0, 0], nb.zeros(0, 2), base.double(), base + 1):
        tensors.put(x)
        y, grad = results.get(timeout=200)
        assert y.tolist() == (x * 2).tolist() and grad.tolist() == (x * 4).tolist(), (x, y, grad)
        assert (y.dtype, y.shape, y.requires_grad) == (x.dtype, x.shape, False)
    tensors.put(None)
    child.join()
    assert child.exitcode == 0
    print("same")
"""
)

methods = pytest.mark.parametrize("method", ["fork", "spawn"])


def environment(cache: Path, **switches: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NBGRAD_")}
    return {**kept, "NBGRAD_CACHE_DIR": str(cache), "PYTHONPATH": os.pathsep.join(sys.path), **switches}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that keeps its kernels from test to test."""
    return tmp_path_factory.mktemp("processes") / "nbgrad"


def run(folder: Path, cache: Path, program: str, *arguments: str) -> str:
    script = folder / "program.py"
    script.write_text(program)
    command = [sys.executable, "-W", "ignore::DeprecationWarning", str(script), *arguments]
    env = environment(cache)
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300).stdout


@pytest.mark.parametrize(("method", "parent"), [("fork", "used"), ("fork", "fresh"), ("spawn", "used")])
def test_a_pool_trains_while_its_parent_trains(method: str, parent: str, cache: Path, tmp_path: Path) -> None:
    assert run(tmp_path, cache, POOL, method, parent) == "same\n"


@methods
def test_tensors_go_through_queues(method: str, cache: Path, tmp_path: Path) -> None:
    assert run(tmp_path, cache, SENT, method) == "same\n"


@pytest.mark.parametrize("mode", ["background", "eager"])
def test_processes_that_share_a_cold_cache_fill_it_together(mode: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(TRAIN + "print(train(3, 12)[0])\n")
    env = environment(tmp_path / "cache", NBGRAD_COMPILE=mode, NBGRAD_LOG="cache")
    command = [sys.executable, str(script)]
    racing = [subprocess.Popen(command, env=env, stdout=-1, stderr=-1, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=300) for process in racing]
    assert [process.returncode for process in racing] == [0, 0]
    assert outputs[0][0] == outputs[1][0]
    assert all("damaged" not in err and "kernels are not kept" not in err for _, err in outputs)
    again = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300)
    assert again.stdout == outputs[0][0]
    if mode == "eager":  # in the background the worker may be at it still when the program ends
        assert again.stderr == ""
    shown = subprocess.run(
        [sys.executable, "-m", "nbgrad", "cache"], env=env, capture_output=True, text=True, check=True
    ).stdout
    assert shown.startswith(f"{tmp_path / 'cache'}: ")
    assert int(shown.split()[1]) > 10

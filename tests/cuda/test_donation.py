"""Parameters of a device that a step writes keep their memory, where nobody else has it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.cuda.devices import gpu
from nbgrad.runtime.cuda.executable import _Lane
from nbgrad.runtime.runner import Program
from nbgrad.trace import planning
from nbgrad.trace.store import forget_plans
from tests.trace.meanwhile import wait_until_alone


@pytest.fixture(autouse=True)
def however_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plans of these tests renew three numbers, too; none that was made otherwise is used, before or after."""
    monkeypatch.setattr(planning, "WORTH_BYTES", 0)
    wait_until_alone()
    forget_plans()
    with override(cuda="simulated", compile="eager"):
        yield
    forget_plans()


def address(x: Any) -> int:
    return int(x._buffer.address)


def counting(w: Any, steps: int, between: Any = lambda: None) -> list[int]:
    """Where ``w`` was after each of some additions of 1."""
    places = []
    for _ in range(steps):
        w.add_(1.0)
        between()
        w.tolist()
        places.append(address(w))
    return places


def test_a_parameter_stays_where_it_is() -> None:
    w = nb.tensor([1.0, 2.0], device="cuda")
    assert len(set(counting(w, 8)[3:])) == 1 and w.tolist() == [9.0, 10.0]


def test_an_optimisers_step_needs_no_second_copy_of_what_it_writes() -> None:
    w = nb.randn(200, 200, device="cuda", requires_grad=True)
    optimizer = nb.optim.Adam([w])
    for _ in range(6):
        optimizer.zero_grad()
        w.square().sum().backward()
        nb.cuda.synchronize()
        optimizer.step()
    optimizer.zero_grad()
    w.square().sum().backward()
    nb.cuda.synchronize()
    nb.cuda.reset_peak_memory_stats()
    before = nb.cuda.memory_allocated()
    optimizer.step()
    nb.cuda.synchronize()
    assert nb.cuda.max_memory_allocated() < before + w.nbytes


def test_a_value_that_somebody_has_is_kept() -> None:
    w = nb.tensor([1.0, 2.0], device="cuda")
    for k in range(6):
        kept = w.clone()
        kept.tolist()
        other = nb.tensor([0.0], device="cuda")
        other._buffer, other._at = w._buffer, w._at  # two tensors that do not know of each other
        w.add_(1.0)
        assert w.tolist() == [k + 2.0, k + 3.0]
        assert other.tolist() == kept.tolist() == [k + 1.0, k + 2.0]


def test_memory_that_another_stream_reads_is_not_written() -> None:
    w, s = nb.tensor([1.0, 2.0], device="cuda"), nb.cuda.Stream()
    counting(w, 4)
    for k in range(4):
        with s:
            seen = w * 10
        w.add_(1.0)
        assert w.tolist() == [6.0 + k, 7.0 + k] and seen.tolist() == [50.0 + 10 * k, 60.0 + 10 * k]


def test_memory_that_others_see_is_written_where_it_is() -> None:
    w = nb.tensor([1.0, 2.0], device="cuda")
    place = w.__cuda_array_interface__["data"][0]
    for k in range(5):
        other = w * 1.0
        w.add_(1.0)
        assert w.tolist() == [2.0 + k, 3.0 + k] and other.tolist() == [1.0 + k, 2.0 + k]
    assert w.__cuda_array_interface__["data"][0] == place


def test_an_index_out_of_range_leaves_parameters_as_they_were() -> None:
    w, table = nb.tensor([1.0, 2.0], device="cuda"), nb.tensor([1.0, 2.0], device="cuda")
    places = []
    for k in range(7):
        index = nb.tensor([0, 0, 1 if k < 6 else 7], device="cuda")
        w.add_(1.0)
        picked = table[index] * 2
        if k < 6:
            assert picked.tolist() == [2.0, 2.0, 4.0]
            places.append(address(w))
        else:
            with pytest.raises(IndexError, match="index 7"):
                picked.tolist()
    assert w.tolist() == [8.0, 9.0] and len(set(places[4:])) == 1


def test_a_failure_is_known_before_what_comes_after_it_is_done() -> None:
    """The launches behind the last one that can fail are not waited for."""
    table, index = nb.arange(5.0, device="cuda"), nb.tensor([0, 4], device="cuda")
    for _ in range(4):
        y = table[index].cumsum(0).sin() * 2
        assert not nb.cuda.current_stream().query(), "it was enqueued, and is not done"
    np.testing.assert_allclose(y.tolist(), 2 * np.sin([0.0, 4.0]), rtol=1e-6)


def test_ctrl_c_in_the_middle_of_a_run_is_heard_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    w = nb.tensor([1.0, 2.0], device="cuda")
    counting(w, 5)
    started = _Lane.start

    def start(*arguments: Any) -> None:
        started(*arguments)
        signal.raise_signal(signal.SIGINT)

    for k in range(3):
        w.add_(1.0)
        with monkeypatch.context() as patch:
            patch.setattr(_Lane, "start", start)
            with pytest.raises(KeyboardInterrupt):
                w.tolist()
        assert w.tolist() == [7.0 + k, 8.0 + k]


def test_ctrl_c_in_a_part_of_the_cpu_loses_no_other_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that was over is one of several."""
    native = Program.run

    def struck(program: Any, bases: Any, scalars: int, renewed: Any = None) -> None:
        native(program, bases, scalars, renewed)
        signal.raise_signal(signal.SIGINT)

    w, v = nb.tensor([1.0, 2.0], device="cuda"), nb.tensor([5.0, 6.0])
    for k in range(8):
        w.add_(1.0)
        v.add_(1.0)
        if k > 4:
            with monkeypatch.context() as patch:
                patch.setattr(Program, "run", struck)
                with pytest.raises(KeyboardInterrupt):
                    w.tolist()
        assert w.tolist() == [2.0 + k, 3.0 + k] and v.tolist() == [6.0 + k, 7.0 + k]


def test_a_parameter_that_another_device_reads_too() -> None:
    w = nb.tensor([1.0, 2.0], device="cuda")
    for k in range(6):
        copy = w.cpu() if k % 2 else w.to("cuda:1")
        w.add_(1.0)
        assert (copy + 0).tolist() == [1.0 + k, 2.0 + k] and w.tolist() == [2.0 + k, 3.0 + k]


def test_compiled_steps_write_parameters_in_place() -> None:
    w = nb.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    optimizer = nb.optim.SGD([w], lr=0.25)

    @nb.compile(fullgraph=True)
    def step() -> nb.Tensor:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        optimizer.step()
        return loss

    places, values = [], []
    for _ in range(10):
        step()
        values.append(w.tolist())
        places.append(address(w))
    assert values == [[0.5**k, 2 * 0.5**k] for k in range(1, 11)]
    assert len(set(places[6:])) == 1


def losses_of(batches: list[Any], device: str) -> tuple[list[float], list[int], list[dict[str, int]]]:
    """Training with products that a library makes on a GPU: the losses, where the weights were, what was called."""
    nb.manual_seed(0)
    layer = nb.nn.Linear(256, 256).to(device)
    optimizer = nb.optim.Adam(layer.parameters(), lr=1e-3)
    losses, places, called = [], [], []
    for batch in batches:
        before = counted()
        x = nb.tensor(batch, device=device)
        optimizer.zero_grad()
        loss = (layer(x).tanh() ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        places.append(address(layer.weight) if device == "cuda" else 0)
        called.append(dict(counted() - before))
    return losses, places, called


def counted() -> Any:
    driver: Any = gpu(0).driver
    return driver.calls.copy()


def test_a_step_with_a_librarys_products_keeps_its_parameters_in_place() -> None:
    rng = np.random.default_rng(0)
    batches = [rng.standard_normal((512, 256), "f") for _ in range(15)]
    losses, places, called = losses_of(batches, "cuda")
    np.testing.assert_allclose(losses, losses_of(batches, "cpu")[0], rtol=1e-4)
    assert len(set(places[10:])) == 1
    assert all(calls["multiply"] for calls in called[10:])


def test_a_step_with_an_embedding_finds_an_index_out_of_bounds_whatever_came_before() -> None:
    nb.manual_seed(0)
    table, layer = nb.nn.Embedding(50, 16).to("cuda"), nb.nn.Linear(16, 50).to("cuda")
    optimizer = nb.optim.SGD([*table.parameters(), *layer.parameters()], lr=0.1)

    def step(words: Any) -> float:
        optimizer.zero_grad()
        loss = nb.nn.functional.cross_entropy(layer(table(words)), words)
        loss.backward()
        optimizer.step()
        return float(loss.item())

    rng = np.random.default_rng(0)
    words, other = [nb.tensor(rng.integers(0, 50, 32), device="cuda") for _ in range(2)]
    losses = [step(words) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    step(other)
    other[3] = 50
    with pytest.raises(IndexError, match="50 is out of bounds"):
        step(other)


def test_indices_that_are_renewed_in_place_are_checked_again() -> None:
    table, index = nb.arange(10.0, device="cuda"), nb.tensor([0, 3], device="cuda")
    for k in range(7):
        picked = table[index]
        index.add_(1)
        assert picked.tolist() == [k, k + 3.0]
    with pytest.raises(IndexError, match="index 10"):
        table[index].tolist()

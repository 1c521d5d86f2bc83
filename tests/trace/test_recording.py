"""A structure seen before is looked up, not built; sizes, numbers and slice starts never wait for a compiler."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.config import override
from nbgrad.runtime.store import KernelStore
from nbgrad.trace import flushing, store
from nbgrad.trace.builder import Builder
from nbgrad.trace.rollback import Bookmark
from nbgrad.trace.thread import local
from nbgrad.trace.trie import NOBODY, TrieNode


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[TrieNode]]:
    """The entries that were made, or built into a graph, as they come."""
    entries: list[TrieNode] = []
    make, step = TrieNode.__init__, Builder.step

    def made(self: TrieNode, *args: Any) -> None:
        entries.append(self)
        make(self, *args)

    def stepped(self: Builder, entry: TrieNode) -> None:
        entries.append(entry)
        step(self, entry)

    monkeypatch.setattr(TrieNode, "__init__", made)
    monkeypatch.setattr(Builder, "step", stepped)
    return entries


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for every plan that was made."""
    plans: list[int] = []
    plan = flushing.plan_flush

    def counted(*args: Any) -> Any:
        plans.append(1)
        return plan(*args)

    monkeypatch.setattr(flushing, "plan_flush", counted)
    return plans


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for every kernel that was compiled here."""
    kernels: list[int] = []
    make = KernelStore._make

    def counted(self: KernelStore, texts: Any) -> None:
        kernels.extend([1] * len(texts))
        make(self, texts)

    monkeypatch.setattr(KernelStore, "_make", counted)
    return kernels


def train(steps: int, rows: int = 6, rate: float = 0.1, look: bool = False) -> nb.Tensor:
    w = nb.ones(4, 3, requires_grad=True)
    data = nb.ones(60, 4)
    for i in range(steps):
        x = data[i % 5 : i % 5 + rows]
        loss = ((x.matmul(w) - 0.5).tanh() * rate).pow(2).mean()
        loss.backward()
        if look:
            loss.item()
        with nb.no_grad():
            w -= rate * w.grad
        w.grad = None
    return w


def warm_up(**how: Any) -> None:
    """Train until the structures are known: the first segment of each training still has the end of the one before."""
    for _ in range(3):
        train(4, **how)


def test_a_training_step_seen_before_builds_and_plans_nothing(built: list[TrieNode], planned: list[int]) -> None:
    warm_up()
    built.clear()
    planned.clear()
    train(20)
    assert not built
    assert not planned


def test_a_flatten_that_gives_its_operand_is_found_again(built: list[TrieNode]) -> None:
    x = nb.ones(3, 2)
    for _ in range(5):
        built.clear()
        y = (x * 2).sin()
        assert y.flatten(1) is y
        (y + 1).numpy()
    assert not built


def test_other_numbers_and_slice_starts_are_the_same_structure(built: list[TrieNode], planned: list[int]) -> None:
    warm_up(rate=0.1)
    built.clear()
    planned.clear()
    train(6, rate=0.0625)
    assert not built
    assert not planned


def test_new_sizes_are_planned_without_the_compiler(built: list[TrieNode], compiled: list[int]) -> None:
    train(4, rows=6)
    train(4, rows=7)
    compiled.clear()
    built.clear()
    for rows in (8, 9, 13, 21):
        train(3, rows=rows)
    assert built
    assert not compiled


def test_new_python_scalars_never_compile(compiled: list[int]) -> None:
    x = nb.tensor([1.0, 2.0])
    got = []
    with override(compile="eager"):  # whatever is missing would be compiled here
        for i in range(22):
            if i == 2:  # the first time it came with what was pending before
                compiled.clear()
            got.append((x * (i * 0.5) + i).tolist())
    assert got == [[i * 1.5, i * 2.0] for i in range(22)]
    assert not compiled


def test_an_int_and_a_float_are_two_structures_with_the_right_dtypes() -> None:
    x = nb.tensor([1, 2])
    for _ in range(3):
        assert (x * 2).dtype is nb.int64
        assert (x * 2.0).dtype is nb.float32
        assert (x * True).dtype is nb.int64


def test_looking_or_not_are_two_variants_that_do_not_make_each_other_anew(planned: list[int]) -> None:
    for _ in range(3):
        train(4, look=True)
        train(4, look=False)
    planned.clear()
    train(4, look=True)
    train(4, look=False)
    assert not planned


def test_what_is_held_chooses_the_plan_and_changes_no_value() -> None:
    x = nb.tensor([0.5, -0.25])

    def run(hold: int) -> list[list[float]]:
        a = x.sin()
        b = a * x
        c = (b + a).exp()
        held = [v for i, v in enumerate((a, b)) if hold & 1 << i]
        del a, b
        return [c.tolist(), *[h.tolist() for h in held]]

    a, b = x.sin().tolist(), (x.sin() * x).tolist()
    for _ in range(2):
        results = [run(hold) for hold in range(4)]
        assert len({str(r[0]) for r in results}) == 1
        assert results[1][1:] == [a]
        assert results[2][1:] == [b]
        assert results[3][1:] == [a, b]


def test_structures_that_begin_alike_share_their_beginning(built: list[TrieNode]) -> None:
    x = nb.tensor([1.0, 2.0])
    for _ in range(2):
        ((x + 1) * 2).tolist()
    built.clear()
    y = (x + 1) * 2
    assert not built
    y - 3
    assert len({id(e) for e in built if e.record[0] == "call"}) <= 3


def test_a_mistake_is_not_remembered_as_a_structure() -> None:
    x, y = nb.ones(3), nb.ones(4)
    local_messages = []
    for _ in range(3):
        with pytest.raises(RuntimeError, match="broadcast") as caught:
            x * y
        local_messages.append(str(caught.value))
    assert len(set(local_messages)) == 1
    assert "x * y" in local_messages[0]


def test_dropped_tensors_leave_no_entries_behind() -> None:
    x = nb.tensor([1.0])
    for _ in range(50):
        x + 1
    (x + 2).tolist()
    assert local.trace.node.ix <= 0


def test_a_tensor_entered_twice_is_one_input() -> None:
    x = nb.tensor([1.0, 2.0])
    y = x * x + x
    assert len(local.trace.segment.inputs) == 1
    assert y.tolist() == [2.0, 6.0]


def test_numbers_too_large_for_64_bits_are_refused() -> None:
    x = nb.tensor([1, 2])
    with pytest.raises(RuntimeError, match="64 bits"):
        nb.clamp(x, 2**63)
    assert (x + 1).tolist() == [2, 3]


# --- where most programs go again


def test_each_of_two_ways_from_one_place_is_its_own() -> None:
    x, y = nb.tensor([5.0, 7.0]), nb.tensor([2.0, 3.0])
    ways = [
        lambda: x - y,
        lambda: y - x,
        lambda: x - 2.0,
        lambda: 2.0 - x,
        lambda: x - 2,
        lambda: 2 - x,
        lambda: x - x,
        lambda: x + y,
        lambda: x.exp(),
        lambda: x.log(),
        lambda: nb.sub(x, y),
        lambda: nb.sub(x, y, alpha=3),
    ]
    wanted = [[3.0, 4.0], [-3.0, -4.0], [3.0, 5.0], [-3.0, -5.0], [3.0, 5.0], [-3.0, -5.0], [0.0, 0.0], [7.0, 10.0]]
    for _ in range(4):
        for way, values in zip(ways, wanted, strict=False):
            for _ in range(2):
                x * y  # all begin with x and y known
                assert way().tolist() == values
        for way in ways[8:]:
            first = way()
            assert first.tolist() == way().tolist()
    assert nb.sub(x, y, alpha=3).tolist() == [-1.0, -2.0]


def test_a_forgotten_entry_is_not_where_a_program_goes_again() -> None:
    x = nb.ones(37)  # no other test's structure
    x.tolist()
    for _ in range(4):
        node = (x * 2)._at
        assert isinstance(node, TrieNode)
        (x * 2).tolist()
    parent = node.parent
    assert parent is not None
    assert parent.cached is node
    end = node
    while end:
        (end,) = end.values()
    end.plans = None
    store._forget(end)
    assert parent.cached is NOBODY


def test_different_operations_from_one_place_are_told_apart_each_time() -> None:
    x, y = nb.tensor([[1.0, 2.0], [3.0, 4.0]]), nb.tensor([[3.0, 5.0], [7.0, 9.0]])

    def summed(dim: int) -> list[float]:
        return (x * y).sum(dim).tolist()

    def in_place(other: Any) -> list[list[float]]:
        z = x * y
        z -= other
        return z.tolist()

    ways = [
        (lambda: summed(0), [24.0, 46.0]),
        (lambda: summed(1), [13.0, 57.0]),
        (lambda: (x * y - 2.0).tolist(), [[1.0, 8.0], [19.0, 34.0]]),
        (lambda: (2.0 - x * y).tolist(), [[-1.0, -8.0], [-19.0, -34.0]]),
        (lambda: (2 - x * y).tolist(), [[-1.0, -8.0], [-19.0, -34.0]]),
        (lambda: (x * y - x).tolist(), [[2.0, 8.0], [18.0, 32.0]]),
        (lambda: (x * y).__rsub__(x).tolist(), [[-2.0, -8.0], [-18.0, -32.0]]),
        (lambda: in_place(2.0), [[1.0, 8.0], [19.0, 34.0]]),
        (lambda: in_place(x), [[2.0, 8.0], [18.0, 32.0]]),
        (lambda: (x * y).zero_().tolist(), [[0.0, 0.0], [0.0, 0.0]]),
        (lambda: (x * y).mm(x).tolist(), [[33.0, 46.0], [129.0, 186.0]]),
        (lambda: x.mm(x * y).tolist(), [[45.0, 82.0], [93.0, 174.0]]),
        (lambda: (x * y).pow(2).tolist(), [[9.0, 100.0], [441.0, 1296.0]]),
        (lambda: (x * y).pow(3).tolist(), [[27.0, 1000.0], [9261.0, 46656.0]]),
    ]
    for _ in range(4):
        for way, wanted in ways:
            for _ in range(2):
                assert way() == wanted


def test_a_tensor_comes_in_anew_where_its_entry_was_taken_back() -> None:
    x, other = nb.ones(41), nb.tensor(2.0)  # no other test's structure
    for _ in range(4):
        base = other * 1
        assert (x * 3).sum().item() == 123.0
    base = other * 1
    mark = Bookmark(local.trace)
    taken_back = (x * 3)._at
    assert isinstance(taken_back, TrieNode)
    assert taken_back.is_linked
    mark.restore()
    assert (other * base + x).sum().item() == 5 * 41.0  # another entry stands where that of x did


def test_a_function_of_tensors_has_the_names_that_were_declared() -> None:
    assert [*inspect.signature(nb.mm).parameters] == ["input", "mat2", "out"]
    assert [*inspect.signature(nb.tanh).parameters] == ["input", "out"]
    x = nb.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert nb.mm(mat2=x, input=x).tolist() == x.mm(mat2=x).tolist() == (x @ x).tolist()
    with pytest.raises(TypeError, match="mat2"):
        nb.mm(x, 2.0)


def test_after_a_mistake_the_graph_is_gone_on_with(built: list[TrieNode]) -> None:
    x = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    total = x * 2.0

    def rounds(count: int) -> int:
        nonlocal total
        built.clear()
        for _ in range(count):
            total = total + x * 0.5
            with pytest.raises(RuntimeError, match="broadcast"):
                nb.lerp(total, nb.ones(4), 7.0)
            total = total - x * 0.25
        return len(built)

    rounds(2)
    assert rounds(10) >= rounds(10)
    total.sum().backward()
    assert total.tolist() == [7.5, 15.0, 22.5]
    assert x.grad is not None and x.grad.tolist() == [7.5] * 3


def test_what_is_recorded_after_another_default_dtype_is_another_structure() -> None:
    def thirds(x: nb.Tensor) -> nb.Tensor:
        return x / 3

    x, p, compiled = nb.tensor([1, 2]), nb.ones(2, requires_grad=True), nb.compile(thirds)
    for _ in range(3):
        assert thirds(x).dtype is compiled(x).dtype is nb.float32
    y = (p * 2).sum()
    nb.set_default_dtype(nb.float64)
    try:
        assert thirds(x).dtype is compiled(x).dtype is nb.float64
        y.backward()
        assert p.grad.dtype is nb.float32 and p.grad.tolist() == [2.0, 2.0]
        z = p * 2
    finally:
        nb.set_default_dtype(nb.float32)
    assert thirds(x).dtype is compiled(x).dtype is nb.float32
    (z / 3).sum().backward()
    assert p.grad.tolist() == pytest.approx([2 + 2 / 3] * 2)

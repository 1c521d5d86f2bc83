"""Many small tensors in memory that are made one at once: values, flags and errors are those of what is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.tensor import joined

COUNT = joined.MANY + 2


def settled(x: nb.Tensor) -> nb.Tensor:
    x.tolist()
    return x


def rows_of(x: nb.Tensor) -> list[nb.Tensor]:
    return [settled(x)[i] for i in range(COUNT)]


WHOLE = nb.arange(COUNT * 6).reshape(COUNT, 2, 3)
LISTS: dict[str, Callable[[], list[nb.Tensor]]] = {
    "values": lambda: [settled(nb.full((2, 3), float(i))) for i in range(COUNT)],
    "views with a dim more": lambda: [settled(nb.full((3,), float(i)).unsqueeze(0)) for i in range(COUNT)],
    "rows": lambda: rows_of(WHOLE * 1.5),
    "transposed rows": lambda: [row.t() for row in rows_of(WHOLE * 1.5)],
    "one of all": lambda: [settled(nb.ones(2, 2))] * COUNT,
    "of NumPy's memory": lambda: [nb.from_numpy(np.full((2, 2), i, np.float32)) for i in range(COUNT)],
    "bfloat16": lambda: [settled(nb.full((2,), i / 3, dtype=nb.bfloat16)) for i in range(COUNT)],
    "bool": lambda: [settled(nb.tensor([i % 2 == 0])) for i in range(COUNT)],
    "complex": lambda: [settled(nb.tensor([i + 1j])) for i in range(COUNT)],
    "numbers": lambda: [settled(nb.tensor(float(i))) for i in range(COUNT)],
    "pending": lambda: [nb.ones(2) * i for i in range(COUNT)],
    "of two shapes": lambda: [settled(nb.ones(1 + i % 2)) for i in range(COUNT)],
    "of two dtypes": lambda: [settled(nb.ones(2, dtype=(nb.int64, nb.float32)[i % 2])) for i in range(COUNT)],
    "empty": lambda: [settled(nb.ones(0, 2))] * COUNT,
    "leaves": lambda: [settled(nb.ones(2, requires_grad=i == 3)) for i in range(COUNT)],
}


def result(join: Callable[..., nb.Tensor], tensors: list[nb.Tensor], dim: int) -> Any:
    try:
        x = join(tensors, dim)
    except (RuntimeError, IndexError, ValueError) as error:
        return type(error), str(error).partition("\n")[0]
    return x.shape, x.dtype, x.requires_grad, x.is_leaf, x.stride(), x.detach().tolist()


@pytest.mark.cpu
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("join", [nb.cat, nb.stack])
@pytest.mark.parametrize("dim", [0, -1])
@pytest.mark.parametrize("graded", [True, False])
def test_what_is_made_at_once_is_what_is_recorded(
    monkeypatch: pytest.MonkeyPatch, name: str, join: Callable[..., nb.Tensor], dim: int, graded: bool
) -> None:
    with nb.set_grad_enabled(graded):
        found = result(join, LISTS[name](), dim)
        monkeypatch.setattr(joined, "_may_be", lambda *_: False)
        assert found == result(join, LISTS[name](), dim)


@pytest.mark.cpu
def test_lists_that_are_others_each_time_are_one_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    store = [settled(nb.full((1, 4), float(i))) for i in range(40)]
    made: list[bool] = []
    may_be = joined._may_be
    monkeypatch.setattr(joined, "_may_be", lambda *given: (made.append(may_be(*given)), made[-1])[1])
    rng = np.random.default_rng(0)
    for _ in range(5):
        drawn = rng.choice(40, COUNT)
        batch = nb.cat([store[i] for i in drawn])
        assert batch._page is None
        assert batch[:, 0].tolist() == drawn.tolist()
    assert made == [True] * 5


@pytest.mark.cpu
def test_writes_before_count_and_writes_after_do_not() -> None:
    array = np.zeros(2, np.float32)
    tensors = [nb.from_numpy(array), *[settled(nb.ones(2)) for _ in range(COUNT)]]
    array[:] = 5.0
    tensors[1].mul_(3.0)  # pending, so that this one is recorded
    first = nb.stack(tensors)
    settled(tensors[1])
    second = nb.stack(tensors)
    array[:] = 7.0
    with nb.no_grad():
        tensors[1].zero_()
    for made in (first, second):
        assert made[:3].tolist() == [[5.0, 5.0], [3.0, 3.0], [1.0, 1.0]]


@pytest.mark.cpu
def test_gradients_go_through_what_is_recorded() -> None:
    leaves = [settled(nb.full((2,), float(i), requires_grad=True)) for i in range(COUNT)]
    (nb.stack(leaves) * nb.arange(2)).sum().backward()
    assert all(x.grad is not None and x.grad.tolist() == [0.0, 1.0] for x in leaves)
    compiled = nb.compile(lambda *xs: nb.cat(xs) * 2)
    parts = [settled(nb.full((1,), float(i))) for i in range(COUNT)]
    for _ in range(6):
        parts = [parts[-1], *parts[:-1]]
        assert compiled(*parts).tolist() == [2 * x.item() for x in parts]

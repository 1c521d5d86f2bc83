"""Tensors in pieces, as NumPy cuts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats

A = floats(4, 6, 4)
WAYS = [1, 2, (1,), (1, 3), (3, 1), (-2, 9), (), (-9, 2)]


def same(got: Any, want: Any) -> None:
    assert isinstance(got, tuple)
    assert [x.tolist() for x in got] == [x.tolist() for x in want]
    assert [x.shape for x in got] == [x.shape for x in want]


@pytest.mark.parametrize("way", [*WAYS, 3, 5, 8])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_the_pieces_are_numpys(way: Any, dim: int) -> None:
    x = nb.tensor(A)
    want = np.array_split(A, way, dim)
    same(nb.tensor_split(x, way, dim), want)
    same(x.tensor_split(nb.tensor(way, dtype=nb.int64), axis=dim), want)
    same(nb.tensor_split(x, **{"sections" if isinstance(way, int) else "indices": way}, dim=dim), want)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["hsplit", "vsplit", "dsplit"])
def test_along_rows_columns_and_layers(name: str, way: Any) -> None:
    want = getattr(np, name)(A, way)
    same(getattr(nb, name)(nb.tensor(A), way), want)
    same(getattr(nb.tensor(A), name)(way), want)
    if name == "hsplit":
        same(nb.hsplit(nb.tensor(A[0, 0]), way), np.hsplit(A[0, 0], way))


def test_pieces_by_their_lengths() -> None:
    x = nb.tensor(A)
    want = np.split(A, (1, 3), 1)
    for function in (nb.split_with_sizes, nb.unsafe_split_with_sizes, nb.split_with_sizes_copy):
        same(function(x, [1, 2, 3], 1), want)
        same(function(x, split_sizes=(1, 2, 3), dim=1), want)
    same(x.unsafe_split(4, 1), np.split(A, (4,), 1))
    same(nb.unsafe_chunk(x, chunks=3, dim=1), np.split(A, 3, 1))
    with pytest.raises(TypeError, match="split_sizes"):
        x.split_with_sizes(2)
    with pytest.raises(TypeError, match="split_size"):
        x.unsafe_split([2, 2])


def test_pieces_are_views_with_derivatives() -> None:
    x = nb.zeros(2, 4)
    left, right = x.hsplit(2)
    left.fill_(1.0)
    assert left._base is x and right._base is x
    assert x.tolist() == [[1.0, 1.0, 0.0, 0.0]] * 2
    y = nb.tensor(A, requires_grad=True)
    assert nb.autograd.gradcheck(lambda a: [k * p for k, p in enumerate(a.tensor_split((1, 4), 1))], (y,))
    batched = nb.vmap(lambda a: nb.tensor_split(a, 3))(nb.tensor(A))
    same(batched, np.array_split(A, 3, 1))


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (RuntimeError, lambda: nb.tensor_split(nb.ones(3), 0)),
        (RuntimeError, lambda: nb.tensor_split(nb.tensor(1.0), 1)),
        (RuntimeError, lambda: nb.tensor_split(nb.ones(3), nb.tensor([[1]]))),
        (RuntimeError, lambda: nb.tensor_split(nb.ones(3), nb.tensor(1.0))),
        (IndexError, lambda: nb.tensor_split(nb.ones(3), 2, 1)),
        (TypeError, lambda: nb.tensor_split(nb.ones(3), 2.0)),
        (TypeError, lambda: nb.tensor_split(nb.ones(3))),
        (TypeError, lambda: nb.tensor_split(nb.ones(3), 2, sections=2)),
        (TypeError, lambda: nb.tensor_split([1.0], 1)),
        (RuntimeError, lambda: nb.hsplit(nb.ones(2, 3), 2)),
        (RuntimeError, lambda: nb.hsplit(nb.tensor(1.0), 1)),
        (RuntimeError, lambda: nb.hsplit(nb.ones(3), 0)),
        (RuntimeError, lambda: nb.hsplit(nb.ones(3), -1)),
        (RuntimeError, lambda: nb.vsplit(nb.ones(3), 1)),
        (RuntimeError, lambda: nb.dsplit(nb.ones(3, 3), 1)),
    ],
)
def test_a_mistake_raises_what_pytorch_raises(error: type[Exception], wrong: Any) -> None:
    with pytest.raises(error, match=r"split|sections") as caught:
        wrong()
    assert isinstance(caught.value, nb.errors.NbgradError)


@pytest.mark.parametrize("cut", [nb.tensor_split, nb.hsplit, nb.vsplit])
def test_pieces_are_written_where_gradients_are_recorded(cut: Any) -> None:
    x = nb.ones(4, 4, requires_grad=True)
    y = x * 1
    cut(y, 2)[0].mul_(3)
    y.sum().backward()
    assert y.sum().item() == 32.0 and x.grad is not None and x.grad.sum().item() == 32.0


@pytest.mark.parametrize("cut", [lambda x: x.unsafe_split(1), lambda x: x.unsafe_chunk(2)])
def test_pieces_of_unsafe_functions_may_be_written(cut: Any) -> None:
    x = nb.ones(2, 2, requires_grad=True)
    y = x * 2
    first, second = cut(y)
    first.mul_(second)
    assert y.tolist() == [[4.0, 4.0], [2.0, 2.0]]
    first.sum().backward()
    assert x.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]  # type: ignore[union-attr]

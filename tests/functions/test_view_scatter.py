"""Copies of a tensor with other values where a view of it looks; copies of views; places as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import floats

A = floats(3, 4)
# (function, shape of what is written, arguments, the same as an index or a view in NumPy)
CASES: list[tuple[str, tuple[int, ...], tuple[Any, ...], Any]] = [
    ("select_scatter", (4,), (0, 1), lambda x: x[1]),
    ("select_scatter", (3,), (-1, -2), lambda x: x[:, -2]),
    ("slice_scatter", (3, 4), (), lambda x: x),
    ("slice_scatter", (3, 2), (1, 0, 4, 2), lambda x: x[:, ::2]),
    ("slice_scatter", (2, 4), (0, -2, 9), lambda x: x[-2:9]),
    ("slice_scatter", (0, 4), (0, 2, 1), lambda x: x[2:1]),
    ("diagonal_scatter", (3,), (1,), lambda x: np.einsum("ii->i", x[:, 1:])),
    ("diagonal_scatter", (2,), (-1, 0, 1), lambda x: np.einsum("ii->i", x[1:, :2])),
    ("as_strided_scatter", (2, 3), ((2, 3), (1, 4), 1), lambda x: np.moveaxis(x[:, 1:3], 0, 1)),
]


@pytest.mark.parametrize(("name", "shape", "given", "view"), CASES)
def test_what_is_written_is_in_a_copy(name: str, shape: tuple[int, ...], given: Any, view: Any) -> None:
    x, src = nb.tensor(A, requires_grad=True), nb.tensor(floats(*shape, seed=1), requires_grad=True)
    want = A.copy()
    view(want)[...] = src.detach().numpy()
    for got in (getattr(nb, name)(x, src, *given), getattr(x, name)(src, *given)):
        assert got.tolist() == want.tolist() and got._base is None
    assert x.tolist() == A.tolist()
    if src.numel():
        assert nb.autograd.gradcheck(lambda a, b: getattr(nb, name)(a * a, b * b, *given), (x, src))
    many = nb.stack([x.detach()] * 2), nb.stack([src.detach(), -src.detach()])
    batched = nb.vmap(lambda a, b: getattr(nb, name)(a, b, *given))(*many)
    assert batched[0].tolist() == want.tolist()
    assert batched[1].tolist() == getattr(nb, name)(x, -src, *given).tolist()


def test_strides_are_those_of_the_input() -> None:
    turned = nb.tensor(A).t()
    got = nb.as_strided_scatter(turned, nb.zeros(2), (2,), (1,), 1)
    want = A.copy()
    want[0, 1:3] = 0
    assert got.tolist() == want.T.tolist() and got._base is None
    part = nb.tensor(A)[1:]
    assert part.as_strided_scatter(nb.zeros(1), (1,), (1,))[0, 0] == 0
    assert part.as_strided_scatter(nb.zeros(1), (1,), (1,), 5)[0, 1] == 0


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (RuntimeError, lambda x: nb.select_scatter(x, nb.ones(3), 0, 1)),
        (IndexError, lambda x: nb.select_scatter(x, nb.ones(4), 0, 3)),
        (IndexError, lambda x: nb.select_scatter(x, nb.ones(4), 2, 0)),
        (TypeError, lambda x: nb.select_scatter(x, 1.0, 0, 0)),
        (RuntimeError, lambda x: nb.slice_scatter(x, nb.ones(1, 4))),
        (RuntimeError, lambda x: nb.slice_scatter(x, nb.ones(3, 4), step=0)),
        (IndexError, lambda x: nb.slice_scatter(x[0, 0], nb.ones(()))),
        (RuntimeError, lambda x: nb.diagonal_scatter(x, nb.ones(4))),
        (RuntimeError, lambda x: nb.diagonal_scatter(x, nb.ones(3), dim1=0, dim2=0)),
        (RuntimeError, lambda x: nb.as_strided_scatter(x, nb.ones(3), (2,), (1,))),
        (RuntimeError, lambda x: nb.as_strided_scatter(x, nb.ones(2), (2,), (12,))),
        (RuntimeError, lambda x: nb.as_strided_scatter(x[:, :2], nb.ones(2), (2,), (1,))),
    ],
)
def test_a_mistake_raises_what_pytorch_raises(error: type[Exception], wrong: Any) -> None:
    with pytest.raises(error) as caught:
        wrong(nb.tensor(A))
    assert isinstance(caught.value, nb.errors.NbgradError)


COPIES = {
    "as_strided": ((2, 2), (1, 2)),
    "diagonal": (1,),
    "expand": ((2, 3, 4),),
    "narrow": (1, 1, 2),
    "permute": ((1, 0),),
    "select": (1, -1),
    "split": (2,),
    "split_with_sizes": ([1, 2],),
    "squeeze": (),
    "t": (),
    "transpose": (0, 1),
    "unbind": (1,),
    "unfold": (1, 2, 1),
    "unsqueeze": (0,),
    "view": ((4, 3),),
}


@pytest.mark.parametrize(("view", "given"), COPIES.items())
def test_a_view_as_a_copy(view: str, given: Any) -> None:
    x = nb.tensor(A, requires_grad=True)
    shown, copy = getattr(x, view)(*given), getattr(nb, f"{view}_copy")(x, *given)
    pairs = zip(shown, copy, strict=True) if isinstance(shown, tuple) else [(shown, copy)]
    for a, b in pairs:
        assert a._is_view() and not b._is_view()
        assert a.tolist() == b.tolist() and b.requires_grad


def test_other_copies() -> None:
    x = nb.tensor(A)
    assert nb.slice_copy(x, 1, 0, None, 2).tolist() == A[:, ::2].tolist()
    assert not nb.slice_copy(x)._is_view()
    assert x.narrow_copy(0, 1, 2).tolist() == A[1:].tolist()
    with pytest.raises(IndexError):
        nb.select_copy(x, 0, 3)


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 2), (12,), 12])
def test_places_along_each_dim(shape: Any) -> None:
    flat = np.arange(12).reshape(4, 3)
    for dtype in (nb.int64, nb.int32):
        got = nb.unravel_index(nb.tensor(flat, dtype=dtype), shape)
        assert [x.tolist() for x in got] == [x.tolist() for x in np.unravel_index(flat, shape)]
        assert all(x.dtype is nb.int64 for x in got)


def test_places_outside_go_round_the_first_dim() -> None:
    assert [x.tolist() for x in nb.unravel_index(nb.tensor([-1, 13]), (3, 4))] == [[2, 0], [3, 1]]
    assert nb.unravel_index(nb.tensor([0]), ()) == ()
    with pytest.raises(TypeError, match="integer"):
        nb.unravel_index(nb.tensor([1.0]), (2,))
    with pytest.raises(ValueError, match="negative"):
        nb.unravel_index(nb.tensor([1]), (-2,))


def test_a_fixed_number_of_places() -> None:
    x = nb.tensor([[0, 3], [4, 0]])
    assert nb.nonzero_static(x, size=3).tolist() == [[0, 1], [1, 0], [-1, -1]]
    assert x.nonzero_static(size=1).tolist() == [[0, 1]]
    assert nb.nonzero_static(x, size=3, fill_value=7)[2].tolist() == [7, 7]
    assert nb.nonzero_static(x, size=0).shape == (0, 2)
    assert nb.nonzero_static(nb.tensor(3), size=2).shape == (2, 0)
    with pytest.raises(RuntimeError, match="size"):
        nb.nonzero_static(x, size=-1)


def test_put_into_a_view() -> None:
    x = nb.zeros(2, 3)
    assert x.t().put_(nb.tensor([0, 1, -1, 1]), nb.tensor([1.0, 2.0, 3.0, 4.0])).tolist() == [[1, 4], [0, 0], [0, 3]]
    assert x.tolist() == [[1.0, 0.0, 0.0], [4.0, 0.0, 3.0]]

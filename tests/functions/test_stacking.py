"""Tensors joined as columns, layers and blocks; dims that they get for that; shapes made equal; mirrors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same, same_mistake
from tests.samples import floats

NUMBER, VECTOR, MATRIX, CUBE = np.float64(2.0), floats(3), floats(3, 4), floats(3, 2, 4)


def tensors(arrays: Any) -> Any:
    return [nb.tensor(x) for x in arrays]


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_missing_dims_are_numpys(name: str) -> None:
    function, numpys = getattr(nb, name), getattr(np, name)
    for array in (NUMBER, VECTOR, MATRIX, CUBE):
        x = nb.tensor(array)
        got = function(x)
        assert got.tolist() == numpys(array).tolist()
        assert got is x if got.dim() == x.dim() else got._base is x
    several = tensors((NUMBER, VECTOR))
    for got in (function(*several), function(several), function(tuple(several))):
        assert isinstance(got, tuple) and [y.dim() for y in got] == [numpys(VECTOR).ndim] * 2
    assert function() == function([]) == ()
    assert isinstance(function([several[0]]), tuple)
    with pytest.raises(TypeError, match=name):
        function(3)
    with pytest.raises(TypeError, match=f"{name}.*element 1"):
        function(several[0], 3)


@pytest.mark.parametrize("name", ["dstack", "column_stack"])
@pytest.mark.parametrize("parts", [(NUMBER, NUMBER), (VECTOR, VECTOR), (MATRIX, MATRIX), (CUBE, CUBE, CUBE)])
def test_joined_tensors_are_numpys(name: str, parts: Any) -> None:
    numpys = getattr(np, name) if parts[0].ndim or name == "dstack" else lambda p: np.hstack(p)[None]
    np.testing.assert_array_equal(getattr(nb, name)(tensors(parts)).numpy(), numpys(parts))


def test_columns_of_vectors_and_matrices_in_their_common_dtype() -> None:
    got = nb.column_stack([nb.tensor([1, 2]), nb.tensor([[3.5], [4.0]])])
    assert got.tolist() == [[1.0, 3.5], [2.0, 4.0]]
    for name in ("dstack", "column_stack"):
        with pytest.raises(RuntimeError, match=f"{name} expects a non-empty"):
            getattr(nb, name)([])
        with pytest.raises(TypeError, match=f"{name}.*tuple of Tensors"):
            getattr(nb, name)(nb.ones(2, 2))
        with pytest.raises(RuntimeError, match="cat"):
            getattr(nb, name)([nb.ones(2, 3), nb.ones(3, 3)])


def test_blocks_along_the_diagonal() -> None:
    got = nb.block_diag(*tensors((MATRIX, VECTOR, NUMBER)))
    want = np.zeros((5, 8))
    want[:3, :4], want[3, 4:7], want[4, 7] = MATRIX, VECTOR, NUMBER
    assert got.tolist() == want.tolist()
    assert nb.block_diag().shape == (1, 0)
    assert nb.block_diag(nb.ones(0), nb.ones(2, 0), nb.ones(2)).tolist() == [[0, 0]] * 3 + [[1, 1]]
    assert nb.block_diag(nb.tensor(1.0, dtype=nb.float64), nb.ones(2)).dtype is nb.float32
    with pytest.raises(RuntimeError, match=r"block_diag.*Input 1 has 3"):
        nb.block_diag(nb.ones(2), nb.ones(1, 1, 1))
    with pytest.raises(TypeError, match="block_diag"):
        nb.block_diag([nb.ones(2)])  # type: ignore[list-item]


def test_tensors_broadcast_against_each_other_as_views() -> None:
    row, column = nb.ones(3), nb.zeros(2, 1)
    got = nb.broadcast_tensors(row, column, nb.tensor(1.0))
    assert [x.shape for x in got] == [(2, 3)] * 3
    assert got[0]._base is row and got[1]._base is column
    assert nb.broadcast_tensors(row)[0] is row
    assert nb.broadcast_tensors() == ()
    with pytest.raises(RuntimeError, match="broadcast"):
        nb.broadcast_tensors(row, nb.ones(2))
    with pytest.raises(TypeError, match="element 0"):
        nb.broadcast_tensors([row])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shapes", "want"),
    [
        ((), ()),
        (((2, 1), (3,)), (2, 3)),
        ((2, [3, 1]), (3, 2)),
        (((0,), (1,)), (0,)),
        ((nb.Size((4, 1)), (4, 5)), (4, 5)),
    ],
)
def test_the_shape_after_broadcasting(shapes: Any, want: Any) -> None:
    got = nb.broadcast_shapes(*shapes)
    assert got == want and isinstance(got, nb.Size)


@pytest.mark.parametrize(
    ("error", "shapes"),
    [(RuntimeError, ((2,), (3,))), (ValueError, ((-1,),)), (TypeError, ((2.0,),)), (TypeError, ("a",))],
)
def test_shapes_that_do_not_go_together_are_refused(error: type[Exception], shapes: Any) -> None:
    with pytest.raises(error, match="broadcast"):
        nb.broadcast_shapes(*shapes)


def test_mirrored_matrices() -> None:
    x = nb.tensor(CUBE)
    for name in ("flipud", "fliplr"):
        want = getattr(np, name)(CUBE)
        assert getattr(nb, name)(x).tolist() == getattr(x, name)().tolist() == want.tolist()
        assert getattr(x, name)()._base is None
    with pytest.raises(RuntimeError, match=r"flipud.*1-d"):
        nb.flipud(nb.tensor(1.0))
    with pytest.raises(RuntimeError, match=r"fliplr.*2-d"):
        nb.ones(3).fliplr()


def test_the_adjoint_is_a_view_of_the_transposed_matrix() -> None:
    x = nb.tensor(CUBE)
    for got in (nb.adjoint(x), x.adjoint(), x.mH):
        assert got.tolist() == CUBE.swapaxes(1, 2).tolist() and got._base is x
    assert x[0].H.tolist() == CUBE[0].T.tolist()
    number = nb.tensor(1.0)
    assert number.H is number.mT is number.mH is number
    for wrong in (lambda: nb.ones(3).H, lambda: x.H, lambda: nb.ones(3).mH, lambda: nb.adjoint(nb.ones(3))):
        with pytest.raises(RuntimeError, match="only supported on"):
            wrong()


def test_swapped_dims_by_their_names() -> None:
    x = nb.tensor(CUBE)
    want = CUBE.swapaxes(0, 2).tolist()
    assert nb.swapaxes(x, axis0=0, axis1=2).tolist() == nb.swapdims(x, dim0=0, dim1=2).tolist() == want
    assert nb.moveaxis(x, source=0, destination=1).tolist() == np.moveaxis(CUBE, 0, 1).tolist()
    assert x.swapaxes(2, 0)._base is x
    assert x.clone().swapaxes_(axis0=0, axis1=2).tolist() == want
    with pytest.raises(TypeError):
        nb.swapaxes(x, dim0=0, dim1=2)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: nb.dstack([a, b * b]),
        lambda a, b: nb.column_stack([a, b * b, a[0]]),
        lambda a, b: nb.block_diag(a, b * b, a[0]),
        lambda a, b: nb.atleast_3d(a, b * b),
        lambda a, b: nb.broadcast_tensors(a, b[0]),
        lambda a, b: (a.flipud() * b, a.fliplr() * b, a.adjoint() * b.mH),
    ],
)
def test_derivatives(function: Any) -> None:
    given = [nb.tensor(floats(3, 3, seed=k), requires_grad=True) for k in (0, 1)]
    assert nb.autograd.gradcheck(function, given)
    assert nb.autograd.gradgradcheck(function, given)


@pytest.mark.parametrize("k", [0, 1, 2, 3, -1, 5])
@pytest.mark.parametrize("dims", [None, (0, 2), (-1, 1)])
def test_rot90_is_pytorchs(k: int, dims: Any) -> None:
    same(lambda lib, a: lib.rot90(a, k, *(() if dims is None else (dims,))), floats(2, 3, 4))
    x = nb.ones(2, 3, 4)
    turned = [lib.rot90(lib.ones(2, 3, 4), k, dims or (0, 1)) for lib in (nb, pytest.importorskip("torch"))]
    assert turned[0].stride() == turned[1].stride() and turned[0].data_ptr() != x.data_ptr()


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_rot90_is_a_copy_row_by_row_whose_dims_are_swapped(k: int) -> None:
    for x in (nb.ones(2, 3).t(), nb.ones(4, 6)[::2, ::2]):
        turned = nb.rot90(x, k)
        assert (turned.mT if k % 2 else turned).is_contiguous()


def test_rot90_wants_two_dims() -> None:
    for wrong in (lambda lib: lib.rot90(lib.ones(2, 3), 1, (0, 0)), lambda lib: lib.rot90(lib.ones(2, 3), 1, (0,))):
        same_mistake(wrong)
    same_mistake(lambda lib: lib.rot90(lib.ones(2)))

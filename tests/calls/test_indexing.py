"""Index tensors that a call itself refuses: into a dim of size 0, where sizes tell that none is in range; dtypes."""

from collections.abc import Callable

import pytest

import nbgrad as nb

TENS = nb.full((2, 3), 10)
EMPTY: dict[str, Callable[[], nb.Tensor]] = {
    "gather": lambda: nb.gather(nb.zeros(0, 3), 0, TENS),
    "take_along_dim": lambda: nb.take_along_dim(nb.zeros(0, 3), TENS, 0),
    "scatter": lambda: nb.zeros(0, 3).scatter_(0, TENS, nb.ones(2, 3)),
    "scatter by a number": lambda: nb.zeros(0, 3).scatter(0, TENS, 1.0),
    "scatter that adds": lambda: nb.zeros(0, 3).scatter(0, TENS, nb.ones(2, 3), reduce="add"),
    "scatter_add": lambda: nb.zeros(0, 3).scatter_add_(0, TENS, nb.ones(2, 3)),
    "index_add": lambda: nb.zeros(0, 3).index_add_(0, TENS[:, 0], nb.ones(2, 3)),  # PyTorch says nothing: no loop turns
    "index_select": lambda: nb.zeros(0, 3).index_select(0, TENS[0]),
    "index_select of no columns": lambda: nb.zeros(0, 0).index_select(0, TENS[0]),
    "embedding": lambda: nb.nn.functional.embedding(TENS, nb.zeros(0, 3)),
    "embedding in no columns": lambda: nb.nn.functional.embedding(TENS, nb.zeros(0, 0)),
    "index": lambda: nb.zeros(0, 3)[TENS],
}


@pytest.mark.parametrize("name", EMPTY)
def test_no_index_is_in_range_of_a_dim_of_size_0(name: str) -> None:
    with pytest.raises(IndexError, match=r"(?s)index is out of bounds for .* size 0.*test_indexing.py"):
        EMPTY[name]()


def test_no_index_at_all_is_in_range_of_every_dim() -> None:
    none = nb.zeros(0, 3, dtype=nb.int64)
    assert nb.gather(nb.zeros(0, 3), 0, none).shape == (0, 3)
    assert nb.zeros(0, 3).scatter_add_(0, none, nb.ones(0, 3)).shape == (0, 3)
    assert nb.zeros(0, 3).index_add_(0, none[:, 0], nb.ones(0, 3)).shape == (0, 3)
    assert nb.zeros(0, 3).index_select(0, none[:, 0]).shape == (0, 3)
    assert nb.nn.functional.embedding(none, nb.zeros(0, 2)).shape == (0, 3, 2)


@pytest.mark.parametrize("dtype", [nb.int32, nb.bool, nb.float32])
def test_take_along_dim_takes_int64_alone(dtype: nb.dtype) -> None:
    assert nb.take_along_dim(nb.ones(2, 3), nb.ones(2, 1, dtype=nb.int64), 1).shape == (2, 1)
    with pytest.raises(RuntimeError, match="int64"):
        nb.take_along_dim(nb.ones(2, 3), nb.ones(2, 1, dtype=dtype), 1)


@pytest.mark.parametrize("dtype", [nb.float32, nb.int32, nb.complex64])
def test_scatter_multiplies(dtype: nb.dtype) -> None:
    x, places = nb.tensor([[1, 2, 3], [4, 5, 6]], dtype=dtype), nb.tensor([[0, 0, 1], [0, 1, 1]])
    assert x.scatter(0, places, 10, reduce="multiply").tolist() == [[100, 20, 3], [4, 50, 600]]
    sources = nb.tensor([[2, 5, 10], [3, 10, 10]], dtype=dtype)
    want = [[6, 10, 3], [4, 50, 600]]
    assert x.scatter(0, places, sources, reduce="multiply").tolist() == want
    assert x.scatter_(0, places, sources, reduce="multiply") is x and x.tolist() == want


@pytest.mark.parametrize("name", ["scatter_reduce", "index_reduce"])
@pytest.mark.parametrize("reduce", ["amax", "amin"])
def test_an_element_that_takes_no_part_in_an_extreme_has_no_share_of_its_derivative(name: str, reduce: str) -> None:
    """PyTorch's counts it where it is equal by chance: then values get half of the derivative, or less."""
    x, values = nb.tensor([2.0, 1.0], requires_grad=True), nb.tensor([2.0], requires_grad=True)
    result = getattr(x, name)(0, nb.tensor([0]), values, reduce, include_self=False)
    of_x, of_values = nb.autograd.grad(result.sum(), (x, values))
    assert (of_x.tolist(), of_values.tolist()) == ([0.0, 1.0], [1.0])

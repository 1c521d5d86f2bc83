"""Functions that look at values to know the shape of their result, beside NumPy's, and PyTorch's where it is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

X = np.array([[0.0, 2.0, 0.0, -1.0], [3.0, 0.0, 0.0, 2.0]], "float32")
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("nonzero", (X,), {}),
    ("nonzero", (np.array(3),), {}),
    ("nonzero", (np.zeros((2, 0)),), {}),
    ("nonzero", (X > 0,), {"as_tuple": True}),
    ("nonzero", (np.array(3),), {"as_tuple": True}),
    ("argwhere", (np.arange(5) % 2,), {}),
    ("where", (X > 0,), {}),
    ("where", (X,), {}),
    ("where", (X > 0, X, 1.0), {}),
    ("where", (), {"condition": X > 0, "input": X, "other": -X}),
    ("masked_select", (X, X > 0), {}),
    ("masked_select", (X, np.array([[True], [False]])), {}),
    ("masked_select", (np.array(2.0), np.array(True)), {}),
    ("unique", (X,), {"return_inverse": True, "return_counts": True}),
    ("unique", (np.array([[1, 2], [1, 2], [0, 5]]),), {"dim": 0, "return_inverse": True, "return_counts": True}),
    ("unique", (X,), {"dim": -1}),
    ("unique", (np.zeros(0),), {}),
    ("repeat_interleave", (X, 2), {}),
    ("repeat_interleave", (X, 3, 1), {}),
    ("repeat_interleave", (X, np.array([2, 0])), {"dim": 0}),
    ("repeat_interleave", (X, np.array([2]), 1), {"output_size": 8}),
    ("repeat_interleave", (X, np.arange(8)), {}),
    ("repeat_interleave", (np.array([2, 0, 1]),), {}),
]
MISTAKES: list[tuple[str, tuple[Any, ...], type[Exception]]] = [
    ("masked_select", (X, X), RuntimeError),
    ("where", (X > 0, X), TypeError),
    ("masked_select", (X, np.array([True, False])), RuntimeError),
    ("repeat_interleave", (X, -1), RuntimeError),
    ("repeat_interleave", (X, np.array([1, -1]), 0), RuntimeError),
    ("repeat_interleave", (X, np.array([1, 2, 3]), 0), RuntimeError),
    ("repeat_interleave", (X, np.array([1.0, 2.0]), 0), RuntimeError),
    ("unique", (X, True, False, False, 2), IndexError),
]


def called(library: Any, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    def made(x: Any) -> Any:
        return library.tensor(x) if isinstance(x, np.ndarray) else x

    return getattr(library, name)(*map(made, args), **{key: made(x) for key, x in options.items()})


def arrays(found: Any) -> list[np.ndarray[Any, Any]]:
    return [x.numpy() for x in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize(("name", "args", "options"), CALLS)
def test_results_are_pytorchs(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    got, want = (arrays(called(library, name, args, options)) for library in (nb, torch))
    assert [(x.dtype, x.shape, x.tolist()) for x in got] == [(x.dtype, x.shape, x.tolist()) for x in want]


@pytest.mark.parametrize(("name", "args", "error"), MISTAKES)
def test_mistakes_raise_what_pytorch_raises(name: str, args: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error, match="line"):
        called(nb, name, args, {})


def test_places_and_values_are_numpys() -> None:
    assert nb.nonzero(nb.tensor(X)).tolist() == np.argwhere(X).tolist()
    assert nb.tensor(X).unique().tolist() == np.unique(X).tolist()
    assert nb.unique(nb.tensor([1.0, float("nan"), float("nan")]), return_counts=True)[1].tolist() == [1, 1, 1]
    assert nb.tensor(X).repeat_interleave(nb.tensor([1, 2]), 0).tolist() == np.repeat(X, [1, 2], 0).tolist()
    assert nb.masked_select(nb.tensor(X), nb.tensor(X > 0)).tolist() == X[X > 0].tolist()


def test_gradients_go_back_to_the_elements_that_were_taken() -> None:
    x = nb.tensor([[3.0, 1.0], [3.0, 2.0]], dtype=nb.float64, requires_grad=True)
    weights = nb.tensor([1.0, 10.0, 100.0], dtype=nb.float64)
    (x.unique() * weights).sum().backward()
    assert x.grad.tolist() == [[100.0, 1.0], [0.0, 10.0]]
    times = nb.tensor([2, 1])
    assert nb.autograd.gradcheck(lambda a: nb.masked_select(a, a > 1.5) ** 2, (x,))
    assert nb.autograd.gradcheck(lambda a: a.repeat_interleave(times, 1) ** 2, (x,))
    assert nb.autograd.gradgradcheck(lambda a: a.repeat_interleave(2) ** 3, (x,))


def test_what_is_recorded_is_run_before_it_is_looked_at() -> None:
    x = nb.tensor([1.0, -1.0, 2.0])
    x.add_(1)
    assert (x * 2).nonzero().tolist() == [[0], [2]]


def test_numbers_are_counted_or_their_weights_added() -> None:
    x = nb.tensor([1, 3, 1, 0])
    assert nb.bincount(x).tolist() == [1, 2, 0, 1]
    assert x.bincount(minlength=6).tolist() == [1, 2, 0, 1, 0, 0]
    weighed = nb.bincount(x, nb.tensor([0.5, 1.0, 2.0, 4.0]))
    assert (weighed.tolist(), weighed.dtype) == ([4.0, 2.5, 0.0, 1.0], nb.float32)
    assert nb.bincount(x.to(nb.uint8), nb.ones(4, dtype=nb.int64)).dtype is nb.float64
    assert nb.bincount(nb.zeros(0, dtype=nb.int64), minlength=2).tolist() == [0, 0]
    assert nb.bincount(nb.zeros(0, dtype=nb.int64), nb.zeros(0)).tolist() == []


def test_bincounts_sums_have_derivatives_by_their_weights() -> None:
    weights = nb.tensor([0.5, 1.0, 2.0, 4.0], requires_grad=True)
    sums = nb.bincount(nb.tensor([1, 0, 1, 3]), weights)
    (sums * nb.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    assert weights.grad is not None
    assert weights.grad.tolist() == [10.0, 1.0, 10.0, 1000.0]


@pytest.mark.parametrize(
    ("x", "options"),
    [
        ([[1]], {}),
        ([-1], {}),
        ([0.5], {}),
        ([True], {}),
        ([1], {"minlength": -1}),
        ([1], {"weights": nb.ones(2)}),
    ],
)
def test_what_cannot_be_counted(x: Any, options: dict[str, Any]) -> None:
    with pytest.raises(RuntimeError):
        nb.bincount(nb.tensor(x), **options)


@pytest.mark.parametrize("dtype", [nb.float16, nb.bfloat16, nb.float32, nb.float64, nb.int64])
def test_sums_of_weights_are_float64_but_of_float32(dtype: nb.dtype) -> None:
    total = nb.bincount(nb.tensor([1, 1]), nb.tensor([1, 2], dtype=dtype))
    assert total.tolist() == [0.0, 3.0] and total.dtype is (dtype if dtype is nb.float32 else nb.float64)

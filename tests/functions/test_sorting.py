"""Sorting and what is made of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same_mistake
from tests.samples import EDGES, NAN


def rows(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    """Values with many equal ones."""
    return np.random.default_rng(seed).integers(-9, 9, shape).astype(dtype)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("shape", [(1,), (48,), (49,), (3, 200), (2, 3, 60)])
def test_values_and_places_along_every_dim(shape: tuple[int, ...], dtype: str, descending: bool) -> None:
    x = rows(*shape).astype(dtype)
    for dim in range(len(shape)):
        values, indices = nb.sort(nb.from_numpy(x), dim, descending)
        turned = (
            np.flip(x, dim) if descending else x
        )  # the last of equal ones first: their order stays when turned back
        want = np.argsort(turned, axis=dim, kind="stable")
        if descending:
            want = np.flip(x.shape[dim] - 1 - want, dim)
        assert indices.dtype is nb.int64
        assert indices.tolist() == want.tolist()
        assert values.tolist() == np.take_along_axis(x, want, dim).tolist()


def test_nan_is_the_largest_and_both_zeros_are_equal() -> None:
    x = nb.tensor([0.0, NAN, -0.0, float("inf"), 0.0, NAN, -1.0])
    assert nb.sort(x).indices.tolist() == [6, 0, 2, 4, 3, 1, 5]
    assert nb.sort(x, descending=True).indices.tolist() == [1, 5, 3, 0, 2, 4, 6]
    values = nb.sort(nb.tensor(EDGES)).values.tolist()
    numbers = [v for v in values if v == v]
    assert numbers == sorted(numbers)
    assert all(v != v for v in values[len(numbers) :])


def test_gradients_go_where_the_values_came_from() -> None:
    x = nb.tensor([[3.0, 1.0, 2.0], [0.5, 7.0, -1.0]], dtype=nb.float64, requires_grad=True)
    (nb.sort(x, 1).values * nb.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [[100.0, 1.0, 10.0], [10.0, 100.0, 1.0]]
    assert nb.autograd.gradcheck(lambda a: nb.topk(a, 2, 0).values ** 2, (x,))
    assert nb.autograd.gradcheck(lambda a: a.median(1).values, (x,))


def test_topk_takes_the_first_of_equal_ones() -> None:
    x = nb.tensor([[1.0, 4.0, 4.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    assert [t.tolist() for t in nb.topk(x, 2)] == [[[4.0, 4.0], [0.0, 0.0]], [[1, 2], [0, 1]]]
    assert x.topk(1, 0, largest=False).values.tolist() == [[0.0, 0.0, 0.0, 0.0]]
    assert nb.topk(x, 0).values.shape == (2, 0)
    assert nb.topk(nb.tensor(3.0), 1).values.tolist() == 3.0


@pytest.mark.parametrize("value", [True, 1j])
def test_kthvalue_takes_real_numbers_as_pytorchs_does(value: Any) -> None:
    same_mistake(lambda m: m.kthvalue(m.tensor([value, value]), 1))
    same_mistake(lambda m: m.tensor([[value]]).kthvalue(1))
    same_mistake(lambda m: m.kthvalue(m.tensor([value, value]), 3))


def test_kthvalue_counts_from_one() -> None:
    x = nb.from_numpy(rows(4, 30, dtype="float64"))
    for k in (1, 15, 30):
        value, index = nb.kthvalue(x, k, 1)
        assert value.tolist() == np.sort(x.numpy(), 1)[:, k - 1].tolist()
        assert x.gather(1, index.unsqueeze(1)).squeeze(1).tolist() == value.tolist()
    assert nb.kthvalue(x, 2, 0, keepdim=True).values.shape == (1, 30)


def test_the_median_is_the_lower_one_and_nan_where_there_is_one() -> None:
    x = nb.tensor([[4.0, 1.0, 3.0, 2.0], [NAN, 1.0, 3.0, 2.0]])
    values, indices = x.median(1)
    assert values[0].item() == 2.0
    assert np.isnan(values[1].item())
    assert indices.tolist() == [3, 0]
    assert np.isnan(x.median().item())
    assert np.isnan(nb.median(nb.zeros(0)).item())
    assert nb.median(nb.tensor([5, 1, 9])).item() == 5
    assert nb.median(x, 0, keepdim=True).values.shape == (1, 4)
    assert nb.median(nb.tensor(2.0), 0).values.item() == 2.0


def test_msort_sorts_columns() -> None:
    x = rows(20, 3)
    assert nb.msort(nb.from_numpy(x)).tolist() == np.sort(x, 0).tolist()


def test_mistakes_name_the_function() -> None:
    x = nb.ones(3)
    for run, error, says in (
        (lambda: nb.sort(x, 1), IndexError, "sort.*Dimension out of range"),
        (lambda: nb.topk(x, 4), RuntimeError, r"topk\(\): selected index k out of range"),
        (lambda: nb.kthvalue(x, 0), RuntimeError, r"kthvalue\(\): selected number k out of range"),
        (lambda: nb.kthvalue(nb.ones(2, 0), 1), IndexError, r"kthvalue\(\): Expected reduction dim 1"),
        (lambda: nb.median(nb.ones(2, 0), 1), IndexError, "dim 1 to have non-zero size"),
    ):
        with pytest.raises(error, match=says):
            run()


def test_sorting_what_a_view_shows_in_a_compiled_step() -> None:
    w = nb.tensor(rows(60, 4, dtype="float64"), requires_grad=True)

    def step(x: Any) -> Any:
        top = nb.topk((w * x).T[1:], 3).values
        return top.sum(0)

    compiled = nb.compile(step, fullgraph=True)
    x = nb.tensor(rows(60, 1, seed=1, dtype="float64"))
    want = step(x).tolist()
    assert [compiled(x).tolist() for _ in range(4)] == [want] * 4


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_are_numpys_and_pytorchs(interpolation: str) -> None:
    x = np.random.default_rng(0).normal(size=(3, 8)).astype("float32")
    shares = np.array([0.0, 0.25, 0.5, 0.9, 1.0], "float32")
    got = nb.quantile(nb.tensor(x), nb.tensor(shares), 1, interpolation=interpolation)
    np.testing.assert_allclose(got.numpy(), np.quantile(x, shares, axis=1, method=interpolation), rtol=2e-6, atol=1e-6)
    torch = pytest.importorskip("torch")
    for dim, keep in ((None, False), (None, True), (0, True), (-1, False)):
        for q in (0.3, shares):
            ours, theirs = [
                lib.quantile(lib.tensor(x), lib.tensor(q) if q is shares else q, dim, keep, interpolation=interpolation)
                for lib in (nb, torch)
            ]
            assert tuple(ours.shape) == tuple(theirs.shape)
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_of_what_is_no_nan_are_numpys(interpolation: Any) -> None:
    x = np.random.default_rng(5).standard_normal((4, 7))
    x[0, :3] = x[1, 4] = x[3, 1:] = NAN
    shares = np.array([0.0, 0.3, 0.77, 1.0])
    got = nb.nanquantile(nb.tensor(x), nb.tensor(shares), 1, interpolation=interpolation)
    want = np.nanquantile(x, shares, axis=1, method=interpolation)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)
    whole = nb.tensor(x).nanquantile(0.3, interpolation=interpolation)
    np.testing.assert_allclose(whole.numpy(), np.nanquantile(x, 0.3, method=interpolation), rtol=1e-12)
    assert nb.nanquantile(nb.tensor([NAN, NAN]), 0.5, interpolation=interpolation).isnan()
    y = nb.tensor(x, requires_grad=True)
    y.nanquantile(0.3, interpolation=interpolation).backward()
    assert y.grad.sum().item() == pytest.approx(1.0)
    with pytest.raises(RuntimeError, match=r"nanquantile\(\) q must be in the range \[0, 1\] but got 2.0"):
        nb.nanquantile(y, 2.0)


def test_a_quantile_beside_nan_is_nan_and_has_a_derivative() -> None:
    x = nb.tensor([[1.0, NAN, 2.0], [5.0, 3.0, 4.0]])
    assert str(x.quantile(0.5, 1).tolist()) == "[nan, 4.0]"
    y = nb.tensor([[3.0, 1.0, 2.0, 7.0]], dtype=nb.float64, requires_grad=True)
    y.quantile(0.5).backward()
    assert y.grad.tolist() == [[0.5, 0.0, 0.5, 0.0]]
    assert nb.autograd.gradcheck(lambda a: a.quantile(0.3, 1) ** 2, (y,))
    assert nb.quantile(nb.tensor(3.0), 0.5).tolist() == 3.0


def test_what_has_no_quantile_is_refused() -> None:
    x = nb.ones(3)
    mistakes: list[tuple[Any, Any, dict[str, Any]]] = [
        (nb.tensor([1, 2]), 0.5, {}),
        (x, 1.5, {}),
        (x, nb.tensor([0.5, 2.0]), {}),
        (x, nb.tensor([0.5], dtype=nb.float64), {}),
        (x, nb.ones(1, 1), {}),
        (nb.ones(0), 0.5, {}),
        (x, 0.5, {"interpolation": "cubic"}),
    ]
    for given, q, options in mistakes:
        with pytest.raises(RuntimeError, match="quantile"):
            nb.quantile(given, q, **options)
    with pytest.raises(IndexError):
        nb.quantile(x, 0.5, 1)


def test_a_quantile_by_a_number_looks_at_nothing() -> None:
    @nb.compile(fullgraph=True)
    def middle(x: nb.Tensor, share: float) -> nb.Tensor:
        return x.quantile(share, 0)

    for k, share in enumerate((0.5, 0.5, 0.25, 0.75)):
        x = nb.tensor([4.0, 1.0, 3.0, 2.0, 5.0]) + k
        assert middle(x, share).item() == 1 + 4 * share + k


def test_the_median_of_what_is_not_nan() -> None:
    x = nb.tensor([[4.0, NAN, 3.0, 2.0], [NAN, NAN, NAN, NAN], [5.0, 1.0, NAN, NAN]], dtype=nb.float64)
    values, indices = nb.nanmedian(x, 1)
    np.testing.assert_array_equal(values.numpy(), [3.0, NAN, 1.0])
    assert (indices[0].item(), indices[2].item()) == (2, 1)
    assert x.nanmedian(axis=0, keepdims=True).values.shape == (1, 4)
    assert nb.nanmedian(x).item() == np.nanpercentile(x.numpy(), 50, method="lower")
    assert np.isnan(nb.nanmedian(nb.zeros(0)).item())
    assert nb.nanmedian(nb.tensor([5, 1, 9])).item() == 5
    assert nb.nanmedian(nb.tensor([[5, 1, 9]]), 1, True).values.tolist() == [[5]]
    assert nb.nanmedian(nb.tensor(2.0), 0).values.item() == 2.0
    with pytest.raises(TypeError, match="'keepdim' needs a 'dim'"):
        x.nanmedian(keepdim=True)
    w = nb.tensor(x[:1].numpy(), requires_grad=True)
    nb.nanmedian(w, 1).values.sum().backward()
    assert w.grad.tolist() == [[0.0, 0.0, 1.0, 0.0]]

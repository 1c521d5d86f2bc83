"""``axis`` and ``keepdims`` for ``dim`` and ``keepdim``."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import nbgrad as nb
from nbgrad.errors import NbgradError

WITHOUT = {"split", "unique"}  # Python functions of PyTorch's, which know no other name


def public(name: str) -> inspect.Signature | None:
    value = getattr(nb, name)
    return inspect.signature(value) if inspect.isfunction(value) else None


ALONG = sorted(name for name in nb.__all__ if (s := public(name)) and "dim" in s.parameters)


@pytest.mark.parametrize("name", ALONG)
def test_a_function_with_a_dim_takes_it_as_axis(name: str) -> None:
    taken = {*inspect.signature(getattr(nb, name)).parameters}
    assert ("axis" in taken) is (name not in WITHOUT)
    assert ("keepdims" in taken) is ("keepdim" in taken)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return a.dtype is b.dtype and nb.equal(a, b)


X = [[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]]


@pytest.mark.parametrize("name", ["sum", "amax", "argmin", "var", "logsumexp", "max", "median", "all"])
def test_a_reduction_gives_the_same_by_both_names(name: str) -> None:
    x = nb.tensor(X)
    for reduce in (getattr(nb, name), getattr(nb.Tensor, name)):
        assert same(reduce(x, axis=1), reduce(x, dim=1))
        assert same(reduce(x, axis=0, keepdims=True), reduce(x, dim=0, keepdim=True))
        assert same(reduce(x, 1, keepdims=True), reduce(x, 1, keepdim=True))


@pytest.mark.parametrize("name", ["softmax", "cumsum", "argsort", "sort", "squeeze", "unsqueeze", "unbind", "diff"])
def test_what_keeps_dims_gives_the_same_by_both_names(name: str) -> None:
    x = nb.tensor(X)
    for function in (getattr(nb, name), getattr(nb.Tensor, name)):
        assert same(function(x, axis=0), function(x, dim=0))


def test_further_arguments_stay_what_they_are() -> None:
    x = nb.tensor(X)
    assert same(nb.topk(x, 1, axis=0, largest=False), nb.topk(x, 1, 0, False))
    assert same(nb.quantile(x, 0.5, axis=0, interpolation="lower"), nb.quantile(x, 0.5, 0, interpolation="lower"))
    assert same(nb.repeat_interleave(x, 2, axis=1), nb.repeat_interleave(x, 2, 1))
    assert same(nb.sum(x, axis=(0, 1), dtype=nb.float64), nb.sum(x, dtype=nb.float64))
    assert same(nb.cat([x, x], axis=1), nb.cat([x, x], 1))
    assert same(nb.stack([x, x], axis=-1), nb.stack([x, x], -1))
    assert x.clone().cumsum_(axis=1).tolist() == x.cumsum(1).tolist()


def test_arguments_that_are_needed_may_come_after_the_axis_by_name() -> None:
    x, places = nb.tensor(X), nb.tensor([[1, 0]])
    assert same(nb.gather(x, axis=1, index=places), nb.gather(x, 1, places))
    assert same(x.scatter(axis=0, index=places, value=9.0), x.scatter(0, places, value=9.0))
    assert same(x.scatter_add(axis=0, index=places, src=x), x.scatter_add(0, places, x))
    assert same(x.index_select(axis=1, index=places[0]), x.index_select(1, places[0]))
    assert same(x.index_add(axis=0, index=places[0], source=x), x.index_add(0, places[0], x))
    assert same(nb.unflatten(x, axis=1, sizes=(3, 1)), nb.unflatten(x, 1, (3, 1)))
    assert same(x.narrow(axis=1, start=1, length=2), x.narrow(1, 1, 2))
    assert same(x.select(axis=1, index=2), x.select(1, 2))


@pytest.mark.parametrize("name", ["gather", "index_select", "narrow", "select", "unflatten"])
def test_what_is_needed_after_the_axis_is_missed_by_name(name: str) -> None:
    words = rf"{name}\(\) missing 1 required positional argument: "
    for function in (getattr(nb, name), getattr(nb.Tensor, name)):
        with pytest.raises(TypeError, match=words + "'(index|start|sizes)'"):
            function(nb.tensor(X), axis=1)
        with pytest.raises(TypeError, match=words + "'dim'"):
            function(nb.tensor(X))


def test_a_derivative_passes() -> None:
    x = nb.tensor(X, requires_grad=True)
    (x.softmax(axis=0) * x).sum(axis=1, keepdims=True).max().backward()
    y = nb.tensor(X, requires_grad=True)
    (y.softmax(0) * y).sum(1, True).max().backward()
    assert same(x.grad, y.grad)


@pytest.mark.parametrize("name", ["sum", "max", "cumsum"])
def test_a_dim_given_by_both_names_is_an_error(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\) got both 'dim' and 'axis'") as caught:
        getattr(nb, name)(nb.tensor(X), dim=0, axis=1)
    assert isinstance(caught.value, NbgradError)


@pytest.mark.parametrize("name", ["cat", "stack"])
def test_a_default_that_is_written_out_counts_as_given(name: str) -> None:
    x = nb.tensor(X)
    with pytest.raises(TypeError, match=rf"{name}\(\) got both 'dim' and 'axis'"):
        getattr(nb, name)([x, x], 0, axis=1)
    for reduce in (nb.sum, nb.max):
        with pytest.raises(TypeError, match="got both 'keepdim' and 'keepdims'"):
            reduce(x, 0, False, keepdims=True)
    with pytest.raises(TypeError, match="got both 'dim' and 'axis'"):
        x.unbind(0, axis=1)


def test_none_is_no_axis_where_a_dim_is_one_number() -> None:
    """NumPy flattens there; PyTorch refuses it, too."""
    x = nb.tensor(X)
    for call in (x.sort, x.argsort, x.unbind, x.diff, lambda axis: nb.cat([x, x], axis=axis)):
        with pytest.raises(TypeError, match="None"):
            call(axis=None)
    assert same(x.sum(axis=None), x.sum())
    assert same(x.argmax(axis=None), x.argmax())


@pytest.mark.parametrize("name", ["norm", "matrix_norm", "vector_norm"])
def test_norms_give_the_same_by_both_names(name: str) -> None:
    norm = getattr(nb.linalg, name)
    x = nb.tensor(X)
    assert same(norm(x, axis=(0, 1), keepdims=True), norm(x, dim=(0, 1), keepdim=True))


def test_keepdim_given_by_both_names_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"sum\(\) got both 'keepdim' and 'keepdims'"):
        nb.tensor(X).sum(0, True, keepdims=False)


def test_a_dim_given_by_neither_name_is_missing() -> None:
    with pytest.raises(TypeError, match=r"cumsum\(\) missing 1 required positional argument: 'dim'"):
        nb.tensor(X).cumsum()


def test_an_axis_is_checked_as_a_dim_is() -> None:
    for wrong, error in ((1.5, TypeError), ("rows", TypeError), (2, IndexError)):
        for name in ("sum", "softmax", "max", "sort"):
            with pytest.raises(error):
                getattr(nb, name)(nb.tensor(X), axis=wrong)


def test_no_axis_is_a_truth_value() -> None:
    for name in ("var", "std", "sum", "softmax", "max"):
        with pytest.raises(TypeError, match=r"argument 'axis' must be .*, not bool"):
            getattr(nb, name)(nb.tensor(X), axis=True)


def test_other_words_are_refused_still() -> None:
    for name in ("sum", "max"):
        with pytest.raises(TypeError, match="unexpected keyword argument 'axes'"):
            getattr(nb, name)(nb.tensor(X), axes=0)

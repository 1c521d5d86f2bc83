"""What PyTorch refuses, or gives another class of, where it is easily overlooked."""

from __future__ import annotations

from typing import Any

import pytest

import nbgrad as nb


@pytest.mark.parametrize("index", [[0, 1], nb.tensor([0, 1]), nb.tensor([True, True, False]), (slice(None), [0, 1])])
def test_index_tensors_do_not_cut_what_they_write(index: Any) -> None:
    x = nb.zeros(2, 3, dtype=nb.int64) if isinstance(index, tuple) else nb.zeros(3, dtype=nb.int64)
    with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match"):
        x[index] = nb.tensor([2.5, 1.5])
    x[index] = 2
    assert x.sum().item() == (8 if isinstance(index, tuple) else 4)


def test_views_and_whole_masks_convert_what_is_written() -> None:
    x = nb.zeros(3, dtype=nb.int64)
    x[0:2] = nb.tensor(2.5)
    x[nb.tensor(2)] = nb.tensor(1.5)
    assert x.tolist() == [2, 2, 1]
    x[x > 1] = nb.tensor(7.5)
    assert x.tolist() == [7, 7, 1]


def test_a_size_stays_one_when_it_grows() -> None:
    size = nb.zeros(2, 3).shape
    for grown in (size + (4,), (4,) + size, size * 2, 2 * size):  # noqa: RUF005 (what is tested)
        assert type(grown) is nb.Size
    assert size + (4,) == (2, 3, 4)  # noqa: RUF005
    assert (4,) + size == (4, 2, 3)  # noqa: RUF005
    assert size * 2 == (2, 3, 2, 3)
    with pytest.raises(TypeError):
        _ = size + [4]  # noqa: RUF005


@pytest.mark.parametrize(
    "use", [lambda x: x.unflatten(0, (1,)), lambda x: nb.linalg.cross(x, x)], ids=["unflatten", "cross"]
)
def test_a_number_has_no_dim_to_name(use: Any) -> None:
    with pytest.raises(RuntimeError, match="but tensor has no dimensions"):
        use(nb.tensor(1.0))


def test_argsort_has_no_out() -> None:
    with pytest.raises(TypeError, match="out"):
        nb.argsort(nb.ones(2), out=nb.empty(2, dtype=nb.int64))


@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_tolerances_are_not_negative(name: str) -> None:
    with pytest.raises(RuntimeError, match=f"{name} must be greater than or equal to zero, but got -1"):
        nb.allclose(nb.ones(1), nb.ones(1), **{name: -1})

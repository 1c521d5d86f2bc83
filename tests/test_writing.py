"""Writing at places that index tensors name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.samples import f32, floats

ROWS, COLUMNS = nb.tensor([0, 0, -1]), nb.tensor([1, 1, 2])


def numpys(x: Any, indices: Any, values: Any, *, adds: bool) -> Any:
    out = x.copy()
    places = tuple([i.numpy() for i in indices])
    if adds:
        np.add.at(out, places, values)
    else:
        out[places] = values
    return out


@pytest.mark.parametrize("adds", [False, True])
@pytest.mark.parametrize(
    "indices", [(ROWS, COLUMNS), (COLUMNS % 2,), [nb.tensor(f32(2, 3) > 0)], (ROWS[:, None], COLUMNS)]
)
def test_values_are_written_where_numpy_writes_them(indices: Any, adds: bool) -> None:
    x = f32(2, 3)
    values = np.float32(2.5)
    want = numpys(x, indices, values, adds=adds)
    t = nb.tensor(x)
    assert nb.index_put(t, indices, nb.tensor(values), adds).tolist() == want.tolist()
    assert t.tolist() == x.tolist()
    assert t.index_put_(indices, nb.tensor(values), accumulate=adds) is t
    assert t.tolist() == want.tolist()


def test_a_value_for_each_place() -> None:
    t = nb.zeros(2, 3).index_put((ROWS, COLUMNS), nb.tensor([1.0, 2.0, 3.0]), accumulate=True)
    assert t.tolist() == [[0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    t = nb.zeros(2, 3).index_put((ROWS, COLUMNS), nb.tensor([1.0, 2.0, 3.0]))
    assert t.tolist() == [[0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
    assert nb.tensor(1.0).index_put((nb.tensor(True),), nb.tensor(4.0)).item() == 4.0


def test_both_have_their_derivatives() -> None:
    x, values = nb.tensor(floats(2, 3), requires_grad=True), nb.tensor(floats(3, seed=1), requires_grad=True)
    places = (nb.tensor([0, 1, -1]), nb.tensor([1, 0, 2]))
    for adds in (False, True):
        assert nb.autograd.gradcheck(lambda a, b: nb.index_put(a**2, places, b**2, adds), (x, values))  # noqa: B023
    y = (x * 1.0).index_put_(places, values)
    (y * y).sum().backward()
    assert values.grad.tolist() == (2 * values).tolist()


def test_mistakes_are_refused() -> None:
    x = nb.zeros(2, 3)
    for indices, values, error in (
        (ROWS, nb.tensor(1.0), TypeError),
        ((None, ROWS), nb.tensor(1.0), TypeError),
        ((ROWS,), 1.0, TypeError),
        ((), nb.tensor(1.0), IndexError),
        ((ROWS,), nb.tensor(1), RuntimeError),
        ((ROWS, ROWS, ROWS), nb.tensor(1.0), IndexError),
        ((ROWS,), nb.zeros(2), RuntimeError),
        ((nb.tensor([5]),), nb.tensor(1.0), IndexError),
    ):
        for put in (nb.index_put, nb.Tensor.index_put_):
            with pytest.raises(error):
                put(x, indices, values).tolist()
    with pytest.raises(RuntimeError, match="leaf"):
        nb.zeros(2, 3, requires_grad=True).index_put_((ROWS, COLUMNS), nb.tensor(1.0))

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
        assert nb.autograd.gradcheck(lambda a, b: nb.index_put(a**2, places, b**2, adds), (x, values))  # noqa: B023  called before the loop goes on
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


VIEWS = {"rows": lambda x: x.expand(2, 4), "element": lambda x: x[:1].expand(4), "windows": lambda x: x.unfold(0, 2, 1)}
WRITES = {
    "fill_": lambda b: b.fill_(2.0),
    "zero_": lambda b: b.zero_(),
    "mask": lambda b: b.__setitem__(b > 0.5, 9.0),
    "masked_fill_": lambda b: b.masked_fill_(b > 0.5, 9.0),
    "0-d mask": lambda b: b.__setitem__(nb.tensor(True), 9.0),
    "list": lambda b: b.__setitem__([0, 0], 9.0),
    "0-d index": lambda b: b.__setitem__(nb.tensor(0), 9.0),
    "index_fill_": lambda b: b.index_fill_(0, nb.tensor([0]), 9.0),
    "index_put_": lambda b: b.index_put_((nb.tensor([0]),), nb.tensor(9.0)),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("view", VIEWS)
def test_writes_one_by_one_reach_memory_that_is_shown_twice(view: str, write: str) -> None:
    x = nb.tensor([1.5, -0.5, 2.0, 3.0])
    places = np.arange(4)
    windows = places[[[0, 1], [1, 2], [2, 3]]]
    shown = {"rows": np.stack([places, places]), "element": places[[0, 0, 0, 0]], "windows": windows}[view]
    want, number = np.array(x.tolist()), {"fill_": 2.0, "zero_": 0.0}.get(write, 9.0)
    if write in ("fill_", "zero_", "0-d mask"):
        want[shown] = number
    else:
        want[shown[want[shown] > 0.5] if "mask" in write else shown[0]] = number
    b = VIEWS[view](x)
    WRITES[write](b)
    assert x.tolist() == want.tolist()
    assert b.tolist() == want[shown].tolist()


@pytest.mark.parametrize("write", [lambda b: b.mul_(2.0), lambda b: b.copy_(nb.tensor(3.0)), lambda b: b.cumsum_(0)])
def test_other_writes_to_expanded_memory_are_refused(write: Any) -> None:
    b = nb.tensor([1.5, -0.5]).expand(2, 2)
    with pytest.raises(RuntimeError, match="more than one element"):
        write(b)
    assert nb.zeros(1).expand(0, 1).mul_(2.0).shape == (0, 1)  # nothing is written


def test_the_derivative_of_a_write_by_a_mask_goes_to_what_was_written_last() -> None:
    x, value = nb.tensor([1.0, 2.0, 3.0], requires_grad=True), nb.tensor(5.0, requires_grad=True)
    y = x * 1.0
    y.unfold(0, 2, 1)[nb.tensor([1])] = value
    (y * nb.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert y.tolist() == [1.0, 5.0, 5.0]
    assert x.grad.tolist() == [1.0, 0.0, 0.0]
    assert value.grad.item() == 110.0


def test_the_function_writes_in_place() -> None:
    x = nb.zeros(3)
    assert nb.index_put_(x, (nb.tensor([2, 0]),), nb.tensor([1.0, 2.0])) is x
    assert nb.index_put_(x, (nb.tensor([2, 2]),), nb.tensor([1.0, 2.0]), accumulate=True).tolist() == [2.0, 0.0, 4.0]
    with pytest.raises(TypeError):
        nb.index_put_([0.0], (nb.tensor([0]),), nb.tensor([1.0]))  # type: ignore[arg-type]

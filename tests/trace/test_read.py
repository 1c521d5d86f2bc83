"""Numbers and arrays of tensors, whatever they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.trace import segment, stacked_values, values
from nbgrad.trace.trie import entry_at

NUMBERS = [("bool", True), ("uint8", 200), ("int8", -7), ("int16", -300), ("int32", 1 << 30), ("int64", -(1 << 60))]


@pytest.mark.parametrize(("dtype", "number"), [*NUMBERS, ("float32", 0.1), ("float64", 0.1), ("float64", float("inf"))])
def test_an_item_is_the_number_that_numpy_gives(dtype: str, number: Any) -> None:
    expected = np.array(number, dtype).item()
    for x in (nb.tensor(number, dtype=getattr(nb, dtype)), nb.tensor([[number]], dtype=getattr(nb, dtype))):
        assert x.item() == expected
        assert type(x.item()) is type(expected)


def test_an_item_of_a_view_is_what_it_shows_now() -> None:
    x = nb.arange(4.0)
    last = x[3]
    x.add_(1)
    assert last.item() == 4.0
    x[3:].fill_(9.0)
    assert last.item() == 9.0


ROWS = {
    "rows": lambda x: [x[k] for k in (3, 0, 2, 0)],
    "rows from the end": lambda x: [x[-k] for k in (1, 4, 2)],
    "rows of rows": lambda x: [x[k][j] for k, j in ((3, 1), (0, 0), (2, 1))],
    "elements": lambda x: [x[k, j, i] for k, j, i in ((3, 1, 4), (0, 0, 0), (2, 1, 2))],
    "slices": lambda x: [x[k : k + 2] for k in (2, 0, 1)],
    "parts that begin within rows": lambda x: [x[0, 0, k : k + 2] for k in (2, 1, 3)],
    "columns": lambda x: [x[:, :, k] for k in (4, 0)],
    "transposed rows": lambda x: [x.mT[k] for k in (1, 0)],
    "views of several tensors": lambda x: [x[1], (x + 1)[1], x[2] * 2],
    "views of several forms": lambda x: [x[0, 1], x[0:1, 1][0], x[1][0]],
    "what is there and what is not": lambda x: [x[1], x[1].clone(), x.clone()[0]],
    "rows in steps": lambda x: [x[::2][1], x[1::2][0]],
}


@pytest.mark.parametrize("form", ROWS)
@pytest.mark.parametrize("kind", ["settled", "recorded", "shared", "written", "of NumPy's", "bfloat16"])
def test_many_values_are_those_of_each(form: str, kind: str) -> None:
    x = nb.arange(40.0).reshape(4, 2, 5).clone()
    x.sum().item()
    x = {"recorded": x * 2, "of NumPy's": nb.from_numpy(x.numpy().copy()), "bfloat16": x.bfloat16()}.get(kind, x)
    rows = ROWS[form](x)
    if kind == "shared":
        assert rows[0].numpy().shape == rows[1].shape
    if kind == "written":
        x.mul_(3)
        rows[1].add_(1)
    whole = x.float().numpy().copy()
    rows = rows if kind == "written" else ROWS[form](x)
    found = stacked_values(rows)
    np.testing.assert_array_equal(found, np.stack([values(row) for row in rows]))
    if kind != "written":
        np.testing.assert_array_equal(found, np.stack([row.float().numpy() for row in ROWS[form](nb.tensor(whole))]))
    x.mul_(0)
    assert whole.any() or not found.any()
    found[:] = 1  # memory of its own
    assert not x.any()


@pytest.mark.parametrize("form", ["elements", "rows of rows"])
def test_items_of_fresh_views_are_those_of_numpy(form: str) -> None:
    x = nb.arange(40.0).reshape(4, 2, 5).clone()
    x.sum().item()
    wanted = x.numpy().copy()
    x = x.clone()
    for k, j, i in np.ndindex(4, 2, 5):
        element = x[k, j, i] if form == "elements" else x[k][j][i]
        assert element.item() == wanted[k, j, i]
        element.add_(1)
        assert element.item() == x[k, j, i].item() == wanted[k, j, i] + 1
    assert [v.item() for v in x.flatten()] == (wanted + 1).ravel().tolist()


def test_looking_at_elements_one_by_one_takes_no_longer_with_each() -> None:
    x = nb.arange(1500.0)
    x.sum().item()

    def walked(monkeypatch: pytest.MonkeyPatch) -> int:
        steps = []
        monkeypatch.setattr(segment, "entry_at", lambda end, ix: steps.append(end.ix - ix) or entry_at(end, ix))
        assert sum([x[k].item() for k in range(1500)]) == 1500 * 1499 / 2
        return max(steps, default=0)

    with pytest.MonkeyPatch.context() as patch:
        assert walked(patch) <= segment.NEAR


def test_an_item_of_exported_memory_is_what_others_wrote() -> None:
    x = nb.tensor([1.0])
    array = x.numpy()
    array[0] = 5
    assert x.item() == 5.0
    y = nb.from_numpy(array)
    array[0] = 6
    assert y.item() == x.item() == 6.0


def test_an_item_of_a_detached_tensor_that_was_written_is_the_new_value() -> None:
    x = nb.tensor([1.0], requires_grad=True)
    twin = x.detach()
    twin.add_(1)
    assert x.item() == twin.item() == 2.0

"""Numbers and arrays of tensors, whatever they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

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

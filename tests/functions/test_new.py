from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb

MAKERS: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "zeros": (lambda x, **options: x.new_zeros(2, 1, **options), [[0], [0]]),
    "ones": (lambda x, **options: x.new_ones((2, 1), **options), [[1], [1]]),
    "empty": (lambda x, **options: x.new_empty(size=(2, 1), **options), [[0], [0]]),
    "full": (lambda x, **options: x.new_full((2, 1), 3, **options), [[3], [3]]),
    "tensor": (lambda x, **options: x.new_tensor([[3.0], [4.0]], **options), [[3], [4]]),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_new_tensor_has_the_dtype_and_the_device_of_another(name: str) -> None:
    make, want = MAKERS[name]
    x = nb.zeros(5, dtype=nb.int32)
    got = make(x)
    assert (got.tolist(), got.dtype, got.device, got.requires_grad) == (want, nb.int32, x.device, False)
    other = make(x, dtype=nb.float64, requires_grad=True)
    assert (other.tolist(), other.dtype, other.requires_grad, other.is_leaf) == (want, nb.float64, True, True)
    with pytest.raises(TypeError):
        make(x, dtype="no dtype")


def test_new_takes_sizes_or_data() -> None:
    x = nb.zeros(5, dtype=nb.int32)
    for sizes, shape in (((), (0,)), ((3,), (3,)), ((0, 3), (0, 3)), ((nb.Size([2, 3]),), (2, 3))):
        made = x.new(*sizes)
        assert (made.shape, made.dtype, made.device) == (shape, nb.int32, x.device)
    for data in ([1, 2], (1, 2), [1.5, 2.0], nb.tensor([1, 2]).numpy()):
        assert x.new(data).tolist() == [1, 2] and x.new(data).dtype is nb.int32
    for wrong in (("a",), (2.0,), ([1], 2), (2, "b")):
        with pytest.raises(TypeError):
            x.new(*wrong)
    with pytest.raises(RuntimeError):
        x.new(-1)

"""Views made before and after ``x.data = y``: each shows the memory of its time. The values are PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

Case = Callable[[Any], Any]


def _made(kind: str, shape: tuple[int, ...] = (2, 3)) -> Any:
    """0, 1, 2, ... in this shape, in memory of our own or of NumPy's, where it may lie transposed."""
    array = np.arange(6.0, dtype=np.float32).reshape(shape)
    if kind == "own":
        return nb.tensor(array.tolist())
    return nb.from_numpy(array if kind == "imported" else np.asfortranarray(array))


def _older_view(x: Any) -> Any:
    y = x[1]
    x.data = x.detach().T
    return y, x


def _views_between(x: Any) -> Any:
    a = x[1]
    x.data = x.detach().T
    b = x[1]
    x.data = x.detach()[1:]
    c = x[1]
    x.data = nb.zeros(2)
    return a, b, c, x


def _writes_reach_both(x: Any) -> Any:
    y = x[1]
    x.data = x.detach().T
    with nb.no_grad():
        y += 10
        x[0] *= 2
    return y, x


def _a_view_that_became_a_leaf(x: Any) -> Any:
    y = x.detach()[1].requires_grad_()
    z = y.unsqueeze(0)
    y.requires_grad_(False)
    y.data = y.detach()[1:]
    return z, y


def _an_unrecorded_view_of_a_view(x: Any) -> Any:
    x.data = x.detach()[1:]
    with nb.no_grad():
        y = x.squeeze()
    y.requires_grad_()
    return y, x


def _a_diagonal_written(x: Any) -> Any:
    x.data = x.detach()[:, 1:]
    with nb.no_grad():
        y = x.diagonal()
        y += 1
    return y, x


CASES: list[tuple[Case, list[Any]]] = [
    (_older_view, [[3, 4, 5], [[0, 3], [1, 4], [2, 5]]]),
    (_views_between, [[3, 4, 5], [1, 4], [2, 5], [0, 0]]),
    (_writes_reach_both, [[26, 14, 15], [[0, 26], [1, 14], [2, 15]]]),
    (_a_view_that_became_a_leaf, [[[3, 4, 5]], [4, 5]]),
    (_an_unrecorded_view_of_a_view, [[3, 4, 5], [[3, 4, 5]]]),
    (_a_diagonal_written, [[2, 6], [[2, 2], [4, 6]]]),
]


@pytest.mark.parametrize("wanted", [False, True], ids=["plain", "requires_grad"])
@pytest.mark.parametrize("kind", ["own", "imported", "transposed"])
@pytest.mark.parametrize(("case", "expected"), CASES, ids=[case.__name__.strip("_") for case, _ in CASES])
def test_each_view_shows_the_memory_that_it_was_made_of(
    case: Case, expected: list[Any], kind: str, wanted: bool
) -> None:
    x = _made(kind).requires_grad_(wanted)
    assert [t.tolist() for t in case(x)] == expected


def _written(x: Any) -> Any:
    y = x.diagonal()
    x.data = y.detach()
    y += 1
    return y, x


def _expanded(x: Any) -> Any:
    y = x.expand(2, 2, 3)
    x.data = nb.zeros(5)
    return y.reshape(-1), x


def _reshaped_in_place(x: Any) -> Any:
    y = x.T
    z = y.unsqueeze(0)
    x.data = z.detach()
    y.unsqueeze_(0)
    return y.flatten(), x


def _squeezed_in_place(x: Any) -> Any:
    y = x.unsqueeze(1)
    y.transpose_(0, -1)
    x.data = y.detach()
    y.squeeze_()
    return y.flatten(), x[1]


IN_PLACE: list[tuple[Case, list[Any]]] = [
    (_written, [[1, 5], [1, 5]]),
    (_expanded, [[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0]]),
    (_reshaped_in_place, [[0, 3, 1, 4, 2, 5], [[[0, 3], [1, 4], [2, 5]]]]),
    (_squeezed_in_place, [[0, 3, 1, 4, 2, 5], [[1, 4]]]),
]


@pytest.mark.parametrize("kind", ["own", "imported", "transposed"])
@pytest.mark.parametrize(("case", "expected"), IN_PLACE, ids=[case.__name__.strip("_") for case, _ in IN_PLACE])
def test_an_older_view_is_written_and_reshaped_in_the_old_memory(case: Case, expected: list[Any], kind: str) -> None:
    assert [t.tolist() for t in case(_made(kind))] == expected


def test_the_shape_of_a_tensor_changes_in_place_in_memory_that_lies_transposed() -> None:
    x = _made("transposed")
    x.data = x.detach().squeeze()
    x.transpose_(0, 1)
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("kind", ["own", "imported", "transposed"])
def test_older_views_of_a_leaf_that_is_a_view_have_its_gradient(kind: str) -> None:
    x = _made(kind).requires_grad_()
    x.data = x.detach().T
    y = x[1:]
    x.data = x.detach().clone() * 10
    (y * y).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[0, 0], [2, 8], [4, 10]]


def test_what_is_written_through_a_leaf_in_transposed_memory_stays_inside_it() -> None:
    base = _made("transposed")
    view = base[1:].requires_grad_()
    with nb.no_grad():
        view += 1
    assert base.tolist() == [[0, 1, 2], [4, 5, 6]]


@pytest.mark.parametrize("given", [lambda x: x.data, lambda x: x.detach(), lambda x: x.data.to("cpu")])
def test_its_own_memory_leaves_a_tensor_and_its_views_as_they_are(given: Callable[[Any], Any]) -> None:
    x = nb.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    view, computed = x.view(2, 2).T[0], x * 3.0
    part = computed[1:]
    x.data, computed.data = given(x), given(computed)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        view[1] = 0.5
    with nb.no_grad():
        x.mul_(2.0)
    computed.data.mul_(2.0)
    assert view.tolist() == [2.0, 6.0]
    assert part.tolist() == [12.0, 18.0, 24.0]
    (view.sum() + part.sum()).backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 3.0, 4.0, 3.0]

"""Which view calls share memory, and which give values of their own."""

from __future__ import annotations

import pytest

import nbgrad as nb


def test_a_transposed_matrix_is_a_view_by_every_name() -> None:
    for view in (
        lambda x: x.t(),
        lambda x: x.T,
        lambda x: x.mT,
        lambda x: x.transpose(0, 1),
        lambda x: x.permute(1, 0),
    ):
        x = nb.ones(2, 3)
        view(x).mul_(2)
        assert x.tolist() == [[2.0] * 3] * 2


def test_a_leaf_is_protected_through_its_transpose() -> None:
    x = nb.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="view of a leaf"):
        x.t().mul_(2)


def test_reshape_copies_where_strides_cannot_say_it_and_view_refuses() -> None:
    x = nb.zeros(3, 4)
    flat = x.T.reshape(12)
    flat.fill_(1)
    assert x.sum().item() == 0 and flat.sum().item() == 12
    with pytest.raises(RuntimeError, match="reshape"):
        x.T.view(12)
    x.view(12)[5] = 7
    assert x[1, 1].item() == 7


def test_what_copy_wrote_is_a_value_of_its_own_for_derivatives() -> None:
    x = nb.ones(1, requires_grad=True)
    y, w = x * 2, x * 5
    w.copy_(y)
    assert nb.autograd.grad((w * 3 + y * 5).sum(), w)[0].tolist() == [3.0]

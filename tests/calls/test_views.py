"""Which view calls share memory, and which give values of their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
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


WINDOWS = {
    "diagonal": (lambda lib, x: x.diagonal(), True),
    "diagonal of a transpose": (lambda lib, x: x.T.diagonal(1), True),
    "diagonal of a part": (lambda lib, x: x[1:].T[:2].diagonal(), True),
    "diagonal of three dims": (lambda lib, x: x.reshape(3, 2, 2).transpose(0, 2).diagonal(0, 0, 2), True),
    "unfold": (lambda lib, x: x.unfold(1, 2, 1), True),
    "row of unfold": (lambda lib, x: x.unfold(0, 2, 1)[1], True),
    "row of expand": (lambda lib, x: x.expand(5, 3, 4)[2], True),
    "ellipsis": (lambda lib, x: x[...], True),
    "no index": (lambda lib, x: x[()], True),
    "ellipsis of a transpose": (lambda lib, x: x.T[...], True),
    "tensor index": (lambda lib, x: x[lib.tensor(1)], True),
    "two tensor indices": (lambda lib, x: x[lib.tensor(1), lib.tensor(-1)], True),
    "tensor index and slice": (lambda lib, x: x[lib.tensor(1), 1:], True),
    "mask": (lambda lib, x: x[lib.tensor(True)], False),
    "list": (lambda lib, x: x[[0]], False),
    "vector": (lambda lib, x: x[lib.tensor([0])], False),
    "tensor index and vector": (lambda lib, x: x[lib.tensor(1), lib.tensor([0, 1])], False),
    "transpose, reshaped": (lambda lib, x: x.T.reshape(12), False),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_results_are_views_where_pytorchs_are(name: str) -> None:
    look, is_view = WINDOWS[name]
    for _ in range(3):
        x = nb.arange(12.0).reshape(3, 4)
        y = look(nb, x)
        assert y is not x
        before = y.tolist()
        x.add_(100)
        after = (nb.tensor(before) + 100).tolist() if is_view else before
        assert y.tolist() == after
        x.sub_(100)
        y.fill_(-1)
        assert bool((x == -1).any()) == is_view
        written = nb.arange(12.0).reshape(3, 4)
        written.masked_fill_(x == -1, -1)
        assert x.tolist() == written.tolist()


@pytest.mark.parametrize("name", WINDOWS)
def test_views_give_the_derivatives_of_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch", reason="compares with torch itself")
    found = []
    for lib in (torch, nb):
        x = lib.arange(12.0).reshape(3, 4).requires_grad_()
        base = x * 2
        y = WINDOWS[name][0](lib, base)
        y.fill_(3)
        (base * base + base).sum().backward()
        z = WINDOWS[name][0](lib, x * 3)
        (z * z).sum().backward()
        found.append((base.detach().numpy().tolist(), x.grad.numpy().tolist()))
    assert found[0] == found[1]


def test_a_mask_without_dims_writes() -> None:
    for start, expected in ((-1.0, -2.0), (3.0, 3.0)):
        a = nb.tensor(start)
        a[a < 0] *= 2
        assert a.item() == expected
        a[a > 0] = nb.tensor([7.0])
        assert a.item() == (7.0 if start > 0 else expected)


def test_an_index_out_of_range_is_told_at_once() -> None:
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        nb.zeros(3)[nb.tensor(3)]


ALONE = {
    "a sum": lambda x: nb.einsum("ij->i", x),
    "a transpose": lambda x: nb.einsum("ij->ji", x),
    "a diagonal": lambda x: nb.einsum("ii->i", x[:2, :2]),
    "einsum of it as it is": lambda x: nb.einsum("ij", x),
    "cat": lambda x: nb.cat([x]),
    "stack": lambda x: nb.stack([x], 1),
    "vstack": lambda x: nb.vstack([x]),
}


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("make", [nb.from_numpy, nb.from_dlpack, nb.asarray, nb.tensor])
@pytest.mark.parametrize("inference", [False, True])
def test_calls_on_a_sequence_of_one_tensor_whose_memory_others_see(
    name: str, make: Callable[..., nb.Tensor], inference: bool
) -> None:
    array = np.arange(6.0).reshape(2, 3)
    with nb.inference_mode(inference):
        x = make(array)
        y, wanted = ALONE[name](x), ALONE[name](nb.tensor(array.tolist())).tolist()
        array[:] = 9
        x.zero_()
        assert y.tolist() == wanted

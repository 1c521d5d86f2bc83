"""The examples on who requires grad and when: creation, detach, and the grad modes."""

from __future__ import annotations

import pytest

import nbgrad as nb


def test_factory_functions_make_tensors_that_require_grad() -> None:
    a = nb.ones(2, 2, requires_grad=True)
    b = nb.randn(2, 2, requires_grad=True)
    assert a.requires_grad
    assert b.requires_grad
    assert not nb.randn(2, 2).requires_grad


def test_requires_grad_can_be_set_on_an_existing_tensor() -> None:
    x = nb.randn(2, 2)
    assert x.requires_grad_(True) is x
    assert x.requires_grad
    x.requires_grad = False
    assert not x.requires_grad


def test_factory_functions_take_dtype_and_requires_grad() -> None:
    x = nb.randn(2, 2, dtype=nb.float32, requires_grad=True)
    assert x.dtype is nb.float32
    assert x.requires_grad


def test_only_floating_tensors_can_require_grad() -> None:
    with pytest.raises(RuntimeError, match="floating"):
        nb.ones(2, dtype=nb.int64, requires_grad=True)


def test_detach_cuts_a_tensor_from_the_graph() -> None:
    x = nb.randn(2, 2, requires_grad=True)
    y = x + 2
    detached = y.detach()
    assert y.requires_grad
    assert not detached.requires_grad
    assert detached.grad_fn is None
    assert (detached == y).all().item()


def test_no_grad_records_no_history() -> None:
    x = nb.randn(2, 2, requires_grad=True)
    with nb.no_grad():
        y = x * 2
        assert not y.requires_grad
    z = x * 3
    assert z.requires_grad


def test_no_grad_lets_a_leaf_be_updated_in_place() -> None:
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        x -= 1.0
    x = nb.tensor([1.0, 2.0], requires_grad=True)
    with nb.no_grad():
        x -= 0.5
    assert x.detach().numpy().tolist() == [0.5, 1.5]
    assert x.requires_grad


def test_grad_mode_can_be_read_and_set() -> None:
    x = nb.randn(2, 2, requires_grad=True)
    assert nb.is_grad_enabled()
    nb.set_grad_enabled(False)
    try:
        assert not nb.is_grad_enabled()
        assert not (x * 2).requires_grad
    finally:
        nb.set_grad_enabled(True)
    assert nb.is_grad_enabled()
    assert (x * 2).requires_grad


def test_set_grad_enabled_is_a_block_too() -> None:
    x = nb.randn(2, requires_grad=True)
    with nb.set_grad_enabled(False):
        assert not (x * 2).requires_grad
        with nb.enable_grad():
            assert (x * 2).requires_grad
    assert nb.is_grad_enabled()


def test_no_grad_decorates_a_function() -> None:
    @nb.no_grad()
    def double(x: nb.Tensor) -> nb.Tensor:
        return x * 2

    assert not double(nb.randn(2, requires_grad=True)).requires_grad
    assert nb.is_grad_enabled()


def test_inference_mode_makes_tensors_without_history() -> None:
    x = nb.randn(2, 2, requires_grad=True)
    with nb.inference_mode():
        y = x * 2
        assert not y.requires_grad
    with pytest.raises(RuntimeError):
        y.sum().backward()


class Flat(nb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, grad):
        return grad.view(2, 2)


def made_in(mode):
    def row(x):
        with mode():
            return x[0]

    return row


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (made_in(nb.no_grad), ["created in no_grad mode", "with grad mode enabled"]),
        (made_in(nb.inference_mode), ["created in inference mode", "in normal mode"]),
        (lambda x: x.unbind(0)[1], ["is a view", "a function that returns multiple views"]),
        (lambda x: x.chunk(2)[0], ["is a view", "a function that returns multiple views"]),
        (Flat.apply, ["is a view", "custom Function", "override the custom backward"]),
    ],
)
def test_a_protected_view_says_why_it_is_one(make, words) -> None:
    x = nb.ones(2, 2, requires_grad=True) * 1
    with pytest.raises(RuntimeError, match="is being modified inplace") as written:
        make(x).add_(1)
    view = make(x)
    x.add_(1)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace") as used:
        view * 2
    assert all(word in str(error.value) for word in words for error in (written, used))

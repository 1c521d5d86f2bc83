"""Copies of tensors by Python's own modules. NBGRAD_ORACLE=torch runs it against PyTorch."""

import copy
import pickle

import pytest

import nbgrad as nb


def test_tensors_that_are_copied_together_share_memory_as_before():
    x = nb.arange(6.0)
    whole, flat, column, apart = copy.deepcopy([x, x.view(-1), x.reshape(2, 3)[:, 1], x.clone()])
    column += 10
    whole[0] = 9
    assert flat.tolist() == [9.0, 11.0, 2.0, 3.0, 14.0, 5.0]
    assert x.tolist() == apart.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert column.stride() == (3,)
    held = {"tail": x[4:], "x": x}
    twin = copy.deepcopy(held)
    twin["x"][4] = -1.0
    assert twin["tail"].tolist() == [-1.0, 5.0] and held["tail"].tolist() == [4.0, 5.0]


def test_a_detached_tensor_shares_memory_in_the_copy_too():
    x = nb.ones(2, requires_grad=True)
    leaf, detached, data = copy.deepcopy((x, x.detach(), x.data))
    detached[0] = 5.0
    assert leaf.tolist() == data.tolist() == [5.0, 1.0] and x.tolist() == [1.0, 1.0]
    assert leaf.requires_grad and leaf.is_leaf and not detached.requires_grad
    (leaf * leaf).sum().backward()
    assert leaf.grad.tolist() == [10.0, 2.0] and x.grad is None


def test_a_copy_of_a_view_alone_has_its_strides():
    x = nb.arange(6.0).reshape(2, 3)
    twin = copy.deepcopy(x.t())
    assert twin.stride() == (1, 3) and twin.tolist() == x.t().tolist()
    leaf = x.t()[1:].requires_grad_()
    again = copy.deepcopy(leaf)
    assert again.requires_grad and again.is_leaf
    (again * leaf.detach()).sum().backward()
    assert again.grad.tolist() == leaf.tolist() and leaf.grad is None


def test_a_deep_copy_has_the_gradient_too():
    x = nb.ones(2, requires_grad=True)
    (x * 3).sum().backward()
    twin = copy.deepcopy(x)
    twin.grad.zero_()
    assert x.grad.tolist() == [3.0, 3.0] and twin.grad.tolist() == [0.0, 0.0]


def test_a_shallow_copy_shares_memory():
    x = nb.arange(3.0).requires_grad_()
    twin = copy.copy(x)
    assert twin is not x and twin.requires_grad and twin.is_leaf
    with nb.no_grad():
        twin[0] = 5.0
    assert x.tolist() == [5.0, 1.0, 2.0]
    parameter = nb.nn.Parameter(nb.ones(2), requires_grad=False)
    assert isinstance(copy.copy(parameter), nb.nn.Parameter) and not copy.copy(parameter).requires_grad


def test_a_pickled_tensor_requires_grad_where_it_did():
    x = nb.ones(2, requires_grad=True)
    for y in (x, x * 2):
        back = pickle.loads(pickle.dumps(y))
        assert back.requires_grad and back.is_leaf and back.tolist() == y.tolist()
    assert not pickle.loads(pickle.dumps(x.detach())).requires_grad


def test_a_computed_tensor_has_no_deep_copy():
    with pytest.raises(RuntimeError, match="deepcopy protocol"):
        copy.deepcopy(nb.ones(2, requires_grad=True) * 2)


def test_type_has_pytorchs_old_names() -> None:
    x = nb.ones(2)
    assert x.type() == "nbgrad.FloatTensor" and (x > 0).type() == "nbgrad.BoolTensor"
    for name, dtype in (("LongTensor", nb.int64), ("ByteTensor", nb.uint8), ("DoubleTensor", nb.float64)):
        assert x.type(getattr(nb, name)).dtype is dtype
        assert x.type(f"nbgrad.{name}").dtype is x.type(f"torch.{name}").dtype is x.type(dtype).dtype is dtype
    for wrong in ("float64", "numpy.LongTensor", "nbgrad.Tensor"):
        with pytest.raises(ValueError, match=wrong):
            x.type(wrong)

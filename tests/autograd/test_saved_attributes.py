"""What nodes show of what they have saved, by PyTorch's names. NBGRAD_ORACLE=torch runs it against PyTorch."""

import pytest

import nbgrad as nb

F = nb.nn.functional


def leaf(*shape):
    return nb.arange(1.0, 1.0 + nb.ones(shape).numel()).reshape(shape).clone().requires_grad_()


@pytest.mark.parametrize(
    ("make", "saved"),
    [
        (lambda x: x**3, {"exponent": 3}),
        (lambda x: nb.add(x, x, alpha=3), {"alpha": 3}),
        (lambda x: x + x, {"alpha": 1}),
        (lambda x: x.sum(1), {"dim": (1,), "keepdim": False, "self_sym_sizes": (2, 3)}),
        (lambda x: x.mean(), {"self_sym_sizes": (2, 3), "self_sym_numel": 6}),
        (lambda x: x.softmax(1), {"dim": 1}),
        (lambda x: x.transpose(0, 1), {"dim0": 0, "dim1": 1}),
        (lambda x: x[0], {"dim": 0, "index": 0, "self_sym_sizes": (2, 3)}),
        (lambda x: x[:, 1:], {"dim": 1, "start": 1, "step": 1}),
        (lambda x: nb.cat([x, x], 1), {"dim": 1}),
        (lambda x: nb.div(x, 2, rounding_mode="trunc"), {"rounding_mode": "trunc"}),
        (lambda x: nb.logit(x, 0.25), {"eps": 0.25}),
        (lambda x: nb.logit(x), {"eps": None}),
        (lambda x: F.threshold(x, 1, 2), {"threshold": 1}),
        (lambda x: F.threshold(x, 1.5, 2.5), {"threshold": 1.5}),
        (lambda x: F.nll_loss(x, nb.tensor([0, 1])), {"weight": None, "reduction": 1}),
        (lambda x: F.conv1d(x[None], nb.ones(1, 2, 2)), {"stride": (1,), "groups": 1, "transposed": False}),
        (lambda x: F.hardtanh(x, -0.5, 0.5), {"min_val": -0.5, "max_val": 0.5}),
        (lambda x: x.roll(1, 0), {"shifts": (1,), "dims": (0,)}),
        (lambda x: x * 2, {"self": None}),
        (lambda x: F.softplus(x), {"beta": 1, "threshold": 20}),
        (lambda x: x.var(1), {"dim": (1,), "correction": 1}),
        (lambda x: x.std(1, correction=0), {"dim": (1,), "correction": 0}),
        (lambda x: x.nansum(1), {"dim": (1,)}),
        (lambda x: x.swapaxes(0, 1), {"dim0": 0, "dim1": 1}),
        (lambda x: nb.concat([x, x], 1), {"dim": 1}),
        (lambda x: F.pad(x[None], (1, 2), mode="reflect"), {"padding": (1, 2)}),
    ],
)
def test_numbers_and_sizes_are_there_whatever_was_freed(make, saved):
    y = make(leaf(2, 3))
    node = y.grad_fn
    for is_freed in (False, True):
        if is_freed:
            y.sum().backward()
        for name, value in saved.items():
            found = getattr(node, f"_saved_{name}")
            assert found == value and isinstance(found, type(value))
            assert f"_saved_{name}" in dir(node)


def test_tensors_of_a_list_are_a_tuple():
    x, places = leaf(2, 2), nb.tensor([0, 1])
    y = x[:, places]
    first, second = y.grad_fn._saved_indices
    raw = y.grad_fn._raw_saved_indices
    assert first is None and second.tolist() == [0, 1] and len(raw) == 2
    y.sum().backward()


@pytest.mark.parametrize("looks", [False, True])
def test_one_saved_tensor_goes_through_hooks(looks):
    x = leaf(2)
    y = x.clone() if not looks else x * 1
    z = y * y
    if looks:
        assert z.tolist() == [1.0, 4.0]
    packed = []
    raw = z.grad_fn._raw_saved_self
    raw.register_hooks(lambda t: packed.append(t.requires_grad) or t * 10, lambda t: t)
    assert packed == [False] and z.grad_fn._saved_self.tolist() == [10.0, 20.0]
    assert z.grad_fn._saved_self.grad_fn is y.grad_fn
    with pytest.raises(RuntimeError, match="have already been set"):
        raw.register_hooks(lambda t: t, lambda t: t)
    z.sum().backward()
    assert x.grad.tolist() == [11.0, 22.0]
    with pytest.raises(RuntimeError, match="after it has been freed"):
        raw.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = z.grad_fn._saved_self


def test_hooks_that_do_not_fit_are_refused():
    y = leaf(2) * 1
    raw = (y * y).grad_fn._raw_saved_self
    with pytest.raises(TypeError, match="incompatible function arguments"):
        raw.register_hooks(1, 1)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        (y * y).grad_fn._raw_saved_self.register_hooks(lambda t, other: t, lambda t: t)
    with pytest.raises(RuntimeError, match="modifying its input in place"):
        (y * y).grad_fn._raw_saved_self.register_hooks(lambda t: t.mul_(2), lambda t: t)
    with pytest.raises(RuntimeError, match="None is forbidden"):
        (y * 2).grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="from Python is forbidden"):
        type(raw)()
    z = y * y
    z.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: 1)
    with pytest.raises(TypeError, match="expected to be a Tensor"):
        z.sum().backward()


class Square(nb.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


def test_what_a_custom_function_saves_too():
    x = leaf(2)
    y = Square.apply(x)
    first, second = y.grad_fn._raw_saved_tensors
    with pytest.raises(RuntimeError, match="None is forbidden"):
        second.register_hooks(lambda t: t, lambda t: t)
    first.register_hooks(lambda t: t * 2, lambda t: t * 3)
    with pytest.raises(RuntimeError, match="have already been set"):
        first.register_hooks(lambda t: t, lambda t: t)
    assert y.grad_fn.saved_tensors[0].tolist() == [6.0, 12.0]
    y.sum().backward()
    assert x.grad.tolist() == [12.0, 24.0]
    with pytest.raises(RuntimeError, match="freed"):
        _ = y.grad_fn._raw_saved_tensors


def test_numbers_of_operations_grow():
    x = leaf(2)
    y = x * 2
    before = y.grad_fn._sequence_nr()
    z = y * 3
    assert z.tolist() == [6.0, 12.0]
    w = z * 4
    found = [node.grad_fn._sequence_nr() for node in (y, z, w)]
    assert found == sorted(set(found)) and found[0] == before
    assert y.grad_fn.next_functions[0][0]._sequence_nr() > found[2]

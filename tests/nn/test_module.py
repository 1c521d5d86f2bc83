from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn


class Net(nn.Module):
    """Two layers and a shared activation."""

    def __init__(self) -> None:
        super().__init__()
        self.act = nn.ReLU()
        self.body = nn.Sequential(nn.Linear(3, 4), self.act)
        self.head = nn.Linear(4, 2, bias=False)

    def forward(self, x: nb.Tensor) -> nb.Tensor:
        return self.head(self.body(x))


def test_a_call_runs_forward() -> None:
    class Scaled(nn.Module):
        def forward(self, x: nb.Tensor, by: float = 1.0) -> nb.Tensor:
            return x * by

    assert Scaled()(nb.ones(2), by=3.0).tolist() == [3.0, 3.0]


def test_a_module_without_forward_says_so() -> None:
    with pytest.raises(NotImplementedError, match='missing the required "forward"'):
        nn.Module()(1)


def test_the_tree_of_modules_is_walked_in_order_and_each_once() -> None:
    net = Net()
    assert [name for name, _ in net.named_modules()] == ["", "act", "body", "body.0", "head"]
    assert [name for name, _ in net.named_modules(remove_duplicate=False)][4] == "body.1"
    assert [name for name, _ in net.named_children()] == ["act", "body", "head"]
    assert len(list(net.modules())) == 5
    assert len(list(net.children())) == 3


def test_parameters_have_dotted_names() -> None:
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["body.0.weight", "body.0.bias", "head.weight"]
    assert next(name for name, _ in net.named_parameters(prefix="net")) == "net.body.0.weight"
    assert list(net.parameters(recurse=False)) == []


def test_a_shared_parameter_is_given_once_unless_asked() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias", "1.bias"]
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4


def test_training_mode_reaches_every_module() -> None:
    net = Net()
    assert all(m.training for m in net.modules())
    assert net.eval() is net
    assert not any(m.training for m in net.modules())
    net.train()
    assert all(m.training for m in net.modules())
    with pytest.raises(ValueError, match="boolean"):
        net.train("yes")


def test_requires_grad_freezes_and_thaws() -> None:
    net = Net()
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    assert net.requires_grad_() is net
    assert all(p.requires_grad for p in net.parameters())


def test_zero_grad_forgets_or_zeroes() -> None:
    net = Net()
    net(nb.ones(1, 3)).sum().backward()
    held = net.head.weight.grad
    net.zero_grad(set_to_none=False)
    assert net.head.weight.grad is held
    assert (held == 0).all().item()
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_zero_grad_cuts_a_gradient_from_its_graph() -> None:
    layer = nn.Linear(1, 1)
    (layer(nb.ones(1, 1)) ** 2).sum().backward(create_graph=True)
    assert layer.weight.grad.requires_grad
    layer.zero_grad(set_to_none=False)
    assert not layer.weight.grad.requires_grad
    assert layer.weight.grad.item() == 0.0


def test_apply_visits_children_first() -> None:
    seen = []
    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    net.apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "ReLU", "Sequential"]


def test_conversion_changes_data_and_keeps_the_parameters() -> None:
    net = Net()
    net.register_buffer("count", nb.zeros(2, dtype=nb.int64))
    net.register_buffer("mean", nb.zeros(2))
    net(nb.ones(1, 3)).sum().backward()
    before = {name: id(p) for name, p in net.named_parameters()}
    assert net.double() is net
    assert {name: id(p) for name, p in net.named_parameters()} == before
    assert all(p.dtype is nb.float64 and p.grad.dtype is nb.float64 for p in net.parameters())
    assert net.mean.dtype is nb.float64
    assert net.count.dtype is nb.int64
    assert net(nb.ones(1, 3, dtype=nb.float64)).dtype is nb.float64
    net.float()
    assert all(p.dtype is nb.float32 for p in net.parameters())


def test_to_takes_a_dtype_a_tensor_or_the_cpu() -> None:
    net = Net().to(nb.float64)
    assert net.head.weight.dtype is nb.float64
    assert net.to(nb.ones(1)).head.weight.dtype is nb.float32
    assert net.to("cpu", dtype=nb.float64).head.weight.dtype is nb.float64
    with pytest.raises(TypeError, match="floating point"):
        net.to(nb.int64)


def test_a_converted_optimiser_goes_on() -> None:
    net = nn.Linear(2, 1)
    optimizer = nb.optim.SGD(net.parameters(), lr=1.0)
    net.double()
    net(nb.ones(1, 2, dtype=nb.float64)).sum().backward()
    before = net.bias.item()
    optimizer.step()
    assert net.bias.item() == before - 1.0


def test_printing_shows_the_tree() -> None:
    class Empty(nn.Module):
        pass

    assert repr(Empty()) == "Empty()"
    assert repr(nn.Linear(2, 1)) == "Linear(in_features=2, out_features=1, bias=True)"
    assert repr(Net()) == (
        "Net(\n"
        "  (act): ReLU()\n"
        "  (body): Sequential(\n"
        "    (0): Linear(in_features=3, out_features=4, bias=True)\n"
        "    (1): ReLU()\n"
        "  )\n"
        "  (head): Linear(in_features=4, out_features=2, bias=False)\n"
        ")"
    )


def test_members_are_found_by_their_dotted_names() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.BatchNorm1d(3)))
    assert model.get_submodule("") is model
    assert model.get_submodule("1.0") is model[1][0]
    assert model.get_parameter("0.weight") is model[0].weight
    assert model.get_buffer("1.0.running_mean") is model[1][0].running_mean
    assert model.cpu() is model
    for missing in (lambda: model.get_submodule("2"), lambda: model.get_parameter("0.scale")):
        with pytest.raises(AttributeError, match="has no attribute"):
            missing()
    with pytest.raises(AttributeError, match="is not a buffer"):
        model.get_buffer("0.weight")

from __future__ import annotations

from collections import OrderedDict

import pytest

import nbgrad as nb

nn = nb.nn


def kinds(modules: object) -> list[str]:
    return [type(m).__name__ for m in modules]


def test_sequential_calls_one_after_the_other() -> None:
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    x = nb.tensor([-1.0, 1.0])
    assert net(x).tolist() == nb.tanh(nb.relu(x)).tolist()


def test_sequential_of_nothing_gives_its_input() -> None:
    x = nb.ones(2)
    assert nn.Sequential()(x) is x


def test_sequential_takes_names() -> None:
    net = nn.Sequential(OrderedDict([("first", nn.ReLU()), ("last", nn.Tanh())]))
    assert isinstance(net.last, nn.Tanh)
    assert [name for name, _ in net.named_children()] == ["first", "last"]


def test_containers_are_indexed_like_lists() -> None:
    for net in (nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid()), nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])):
        assert len(net) == 3
        assert isinstance(net[-1], nn.Sigmoid)
        assert kinds(net[1:]) == ["Tanh", "Sigmoid"]
        assert type(net[1:]) is type(net)
        net[0] = nn.Identity()
        assert kinds(net) == ["Identity", "Tanh", "Sigmoid"]
        with pytest.raises(IndexError):
            _ = net[3]


def test_deleting_closes_the_gap() -> None:
    net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    del net[0]
    assert kinds(net) == ["Tanh", "Sigmoid"]
    assert [name for name, _ in net.named_children()] == ["0", "1"]
    modules = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    del modules[:2]
    assert kinds(modules) == ["Sigmoid"]
    assert isinstance(modules.pop(0), nn.Sigmoid)
    assert len(modules) == 0


def test_appending_extending_inserting() -> None:
    modules = nn.ModuleList([nn.ReLU()])
    modules.append(nn.Tanh()).extend([nn.Sigmoid()])
    modules.insert(0, nn.Identity())
    modules += [nn.GELU()]
    assert kinds(modules) == ["Identity", "ReLU", "Tanh", "Sigmoid", "GELU"]
    net = nn.Sequential(nn.ReLU()).append(nn.Tanh())
    net.insert(1, nn.Sigmoid())
    assert kinds(net) == ["ReLU", "Sigmoid", "Tanh"]


def test_a_container_takes_modules_only() -> None:
    with pytest.raises(TypeError, match="not a Module subclass"):
        nn.Sequential(lambda x: x)


def test_a_slice_shares_the_parameters() -> None:
    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    assert net[:1][0].weight is net[0].weight


def test_parameters_of_a_list_are_found() -> None:
    modules = nn.ModuleList(nn.Linear(1, 1) for _ in range(2))
    assert [name for name, _ in modules.named_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_a_list_writes_equal_neighbours_once() -> None:
    modules = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    assert repr(modules) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    assert repr(nn.ModuleList()) == "ModuleList()"

from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn


def test_a_module_dict_holds_modules_by_name() -> None:
    a, b = nn.Linear(2, 2), nn.ReLU()
    modules = nn.ModuleDict({"first": a})
    modules["second"] = b
    assert modules["first"] is a
    assert list(modules) == ["first", "second"]
    assert "second" in modules
    assert list(modules.items()) == [("first", a), ("second", b)]
    assert [n for n, _ in modules.named_parameters()] == ["first.weight", "first.bias"]
    assert modules.pop("first") is a
    modules.update([("third", a)])
    del modules["second"]
    assert list(modules.keys()) == ["third"]
    assert list(modules.values()) == [a]
    modules.clear()
    assert len(modules) == 0


def test_a_parameter_list_holds_parameters_in_order() -> None:
    values = nn.ParameterList([nn.Parameter(nb.ones(2)), nb.zeros(3)])
    assert [n for n, _ in values.named_parameters()] == ["0", "1"]
    assert isinstance(values[1], nn.Parameter)
    values.append(nn.Parameter(nb.ones(1)))
    values += [nb.ones(4)]
    assert [len(p) for p in values] == [2, 3, 1, 4]
    assert [len(p) for p in values[1:3]] == [3, 1]
    assert len(values[-1]) == 4
    values[0] = nn.Parameter(nb.ones(7))
    assert len(values[0]) == 7
    with pytest.raises(IndexError, match="out of range"):
        values[4]


def test_a_parameter_dict_holds_parameters_by_name() -> None:
    values = nn.ParameterDict({"a": nn.Parameter(nb.ones(2))})
    values["b"] = nb.zeros(3)
    assert isinstance(values["b"], nn.Parameter)
    assert list(values.keys()) == ["a", "b"]
    assert [n for n, _ in values.named_parameters()] == ["a", "b"]
    assert "a" in values
    del values["a"]
    assert len(values) == 1
    assert [n for n, _ in values.items()] == ["b"]
    assert [len(p) for p in values.values()] == [3]


def test_they_are_saved_with_the_module_that_holds_them() -> None:
    class Holder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleDict({"x": nn.Linear(1, 1, bias=False)})
            self.scales = nn.ParameterList([nb.ones(1)])

    names = list(Holder().state_dict())
    assert names == ["parts.x.weight", "scales.0"]
    Holder().load_state_dict(Holder().state_dict())

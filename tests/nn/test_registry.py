from __future__ import annotations

import pytest

import nbgrad as nb

nn = nb.nn


def test_assigned_parameters_modules_and_buffers_are_found_by_name() -> None:
    module = nn.Module()
    module.scale = nn.Parameter(nb.ones(2))
    module.inner = nn.Linear(2, 1)
    module.register_buffer("mean", nb.zeros(2))
    assert [name for name, _ in module.named_parameters()] == ["scale", "inner.weight", "inner.bias"]
    assert [name for name, _ in module.named_buffers()] == ["mean"]
    assert [name for name, _ in module.named_modules()] == ["", "inner"]
    assert {"scale", "inner", "mean"} <= set(dir(module))


def test_a_plain_tensor_is_a_plain_attribute() -> None:
    module = nn.Module()
    module.constant = nb.ones(2)
    assert list(module.parameters()) == []
    assert list(module.buffers()) == []
    assert module.constant.shape == (2,)


def test_the_last_assignment_wins() -> None:
    module = nn.Module()
    module.register_buffer("part", nb.ones(1))
    module.part = nn.Linear(1, 1)
    assert list(module.buffers()) == []
    module.part = nn.Parameter(nb.ones(1))
    assert list(module.children()) == []
    assert [name for name, _ in module.named_parameters()] == ["part"]


def test_a_parameters_name_takes_no_module() -> None:
    module = nn.Module()
    module.part = nn.Parameter(nb.ones(1))
    with pytest.raises(TypeError, match="as parameter 'part'"):
        module.part = nn.ReLU()


def test_replacing_a_parameter_keeps_its_place() -> None:
    module = nn.Module()
    module.first, module.second = nn.Parameter(nb.ones(1)), nn.Parameter(nb.ones(1))
    module.first = nn.Parameter(nb.zeros(1))
    assert [name for name, _ in module.named_parameters()] == ["first", "second"]


def test_a_parameter_can_be_set_to_none_but_not_to_a_tensor() -> None:
    module = nn.Linear(2, 1)
    with pytest.raises(TypeError, match="as parameter 'bias'"):
        module.bias = nb.ones(1)
    module.bias = None
    assert [name for name, _ in module.named_parameters()] == ["weight"]
    assert module(nb.ones(1, 2)).shape == (1, 1)


def test_a_module_can_be_set_to_none_but_not_to_a_number() -> None:
    module = nn.Sequential(nn.ReLU())
    with pytest.raises(TypeError, match="as child module '0'"):
        setattr(module, "0", 3)
    setattr(module, "0", None)
    assert list(module.children()) == []


def test_a_buffer_takes_tensors_only() -> None:
    module = nn.Module()
    module.register_buffer("mean", nb.zeros(2))
    module.mean = nb.ones(2)
    assert next(module.buffers()).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="as buffer 'mean'"):
        module.mean = 3.0


def test_members_can_be_deleted() -> None:
    module = nn.Linear(2, 1)
    del module.bias
    assert not hasattr(module, "bias")
    with pytest.raises(AttributeError):
        del module.bias


def test_an_unknown_attribute_names_the_class() -> None:
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wieght'"):
        _ = nn.Linear(1, 1).wieght


def test_a_forgotten_super_init_is_said_so() -> None:
    class Forgetful(nn.Module):
        def __init__(self) -> None:
            self.weight = nn.Parameter(nb.ones(1))

    with pytest.raises(AttributeError, match=r"before Module.__init__\(\) call"):
        Forgetful()


@pytest.mark.parametrize("name", ["", "a.b", "forward"])
def test_names_that_could_not_be_found_again_are_refused(name: str) -> None:
    module = nn.Module()
    for register, value in (
        (module.register_parameter, nn.Parameter(nb.ones(1))),
        (module.register_buffer, nb.ones(1)),
        (module.add_module, nn.ReLU()),
    ):
        with pytest.raises(KeyError):
            register(name, value)


def test_what_is_registered_must_be_of_its_kind() -> None:
    module = nn.Module()
    with pytest.raises(TypeError):
        module.register_parameter("weight", nb.ones(1))
    with pytest.raises(TypeError):
        module.register_buffer("mean", 3.0)
    with pytest.raises(TypeError):
        module.add_module("inner", nb.ones(1))
    with pytest.raises(TypeError):
        module.register_parameter(3, None)


def test_a_computed_tensor_is_not_a_parameter() -> None:
    module = nn.Module()
    computed = nn.Parameter(nb.ones(1)) * 2
    assert not isinstance(computed, nn.Parameter)
    module.computed = computed
    assert list(module.parameters()) == []

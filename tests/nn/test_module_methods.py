"""Methods of modules that scripts call now and then, beside PyTorch's."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import same_mistake

pytestmark = pytest.mark.cpu
nn = nb.nn


def net() -> Any:
    return nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 2)))


def test_a_submodule_is_put_in_place() -> None:
    model = net()
    model.set_submodule("1.0", nn.Tanh())
    model.set_submodule("1.2", nn.Tanh())
    assert [type(m).__name__ for m in model[1]] == ["Tanh", "Linear", "Tanh"]


def test_dtypes_and_empty_places() -> None:
    model = net().type(nb.float64)
    assert {p.dtype for p in model.parameters()} == {nb.float64}
    assert {p.dtype for p in model.type("nbgrad.FloatTensor").parameters()} == {nb.float32}
    first = model[0].weight
    assert model.to_empty(device="cpu") is model and model[0].weight is first and first.shape == (2, 3)


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight, self.count = nn.Parameter(nb.ones(2)), 0

    def get_extra_state(self) -> Any:
        return {"count": self.count}

    def set_extra_state(self, state: Any) -> None:
        self.count = state["count"]

    def forward(self, x: nb.Tensor) -> nb.Tensor:
        return x * self.weight


def test_extra_state_goes_along() -> None:
    model, other = nn.Sequential(Counting()), nn.Sequential(Counting())
    model[0].count = 7
    assert list(model.state_dict()) == ["0.weight", "0._extra_state"]
    assert other.load_state_dict(model.state_dict()).missing_keys == [] and other[0].count == 7
    with pytest.raises(RuntimeError, match="_extra_state"):
        other.load_state_dict({"0.weight": nb.ones(2)})


def test_a_state_may_be_assigned_and_collected() -> None:
    model, state = net(), {k: v.clone().double() for k, v in net().state_dict().items()}
    model[0].bias.requires_grad_(False)
    model.load_state_dict(state, assign=True)
    assert {p.dtype for p in model.parameters()} == {nb.float64} and isinstance(model[0].weight, nn.Parameter)
    assert not model[0].bias.requires_grad and model[0].weight.requires_grad
    with nb.no_grad():
        model[0].weight.fill_(3.0)
    assert (state["0.weight"] == 3.0).all()
    into: dict[str, Any] = {"other": 1}
    assert model.state_dict(destination=into, prefix="net.") is into and list(into)[:2] == ["other", "net.0.weight"]


def test_a_module_compiles_in_place_and_its_copies_do_not() -> None:
    model, x = net(), nb.randn(4, 3)
    want = model(x)
    model.compile()
    for _ in range(4):
        np.testing.assert_allclose(model(x).detach().numpy(), want.detach().numpy(), rtol=1e-6)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert "forward" not in vars(copied)
        np.testing.assert_allclose(copied(x).detach().numpy(), want.detach().numpy(), rtol=1e-6)


def test_buffers_by_assignment() -> None:
    module = nn.Module()
    module.mean, module.scratch = nn.Buffer(nb.zeros(2)), nn.Buffer(nb.ones(1), persistent=False)
    assert [name for name, _ in module.named_buffers()] == ["mean", "scratch"] and list(module.state_dict()) == ["mean"]
    assert isinstance(module.mean, nn.Buffer) and not isinstance(nb.zeros(1), nn.Buffer)
    module.mean = nb.ones(2)
    assert module.state_dict()["mean"].tolist() == [1, 1]


def test_containers_are_added_and_multiplied() -> None:
    one, two = nn.Linear(1, 1), nn.ReLU()
    assert [*(nn.Sequential(one) + nn.Sequential(two))] == [one, two] and [*(nn.Sequential(one, two) * 2)] == [
        one,
        two,
    ] * 2
    both = nn.Sequential(one)
    both *= 2
    both += nn.Sequential(two)
    assert [*both] == [one, one, two] and both.pop(-1) is two and len(2 * both) == 4
    assert [*(nn.ModuleList([one]) + nn.ModuleList([two]))] == [one, two]


def test_dicts_of_parameters_are_dicts() -> None:
    d = nn.ParameterDict({"a": nb.ones(1), "b": nb.zeros(1)})
    assert d.get("c") is None and d.get("a") is d["a"] and [*reversed(d)] == ["b", "a"]
    c = d.copy()
    assert (
        c is not d and c["a"] is d["a"] and d.setdefault("c", nb.ones(2)) is d["c"] and isinstance(d["c"], nn.Parameter)
    )
    assert d.pop("c").shape == (2,) and d.popitem()[0] == "b" and [*d.keys()] == ["a"]
    d |= {"z": nb.ones(1)}
    assert [*(c | d)] == ["a", "b", "z"] and [*d.fromkeys(["k"], nb.ones(1))] == ["k"]
    d.clear()
    assert len(d) == 0


def test_starting_values_by_older_names_and_generators() -> None:
    for name in (
        "uniform",
        "normal",
        "kaiming_uniform",
        "xavier_normal",
        "orthogonal",
        "eye",
        "dirac",
        "sparse",
        "constant",
    ):
        x = nb.empty(4, 4, 3) if name == "dirac" else nb.empty(4, 4)
        with pytest.warns(FutureWarning, match=f"nn.init.{name}_"):
            assert getattr(nn.init, name)(x, *{"constant": (2.0,), "sparse": (0.5,)}.get(name, ())) is x
    drawn = [nn.init.normal_(nb.empty(3), generator=nb.Generator().manual_seed(3)).tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    thin = nn.init.sparse_(nb.empty(10, 400), 0.25)
    assert ((thin == 0).sum(0) == 3).all() and abs(thin[thin != 0].std().item() - 0.01) < 0.001


class Silent(nn.Module):
    pass


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t.nn.Sequential(t.nn.ReLU()).set_submodule("", t.nn.ReLU()),
        lambda t: t.nn.Sequential(t.nn.ReLU()).set_submodule("0", 3),
        lambda t: t.nn.init.sparse_(t.empty(3), 0.1),
        lambda t: t.nn.Sequential(t.nn.ReLU()) * 0,
        lambda t: t.nn.Sequential(t.nn.ReLU()) * 1.5,
        lambda t: t.nn.Module().get_extra_state(),
    ],
)
def test_mistakes_are_pytorchs(wrong: Any) -> None:
    same_mistake(lambda t: wrong(t))


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute"):
        net().set_submodule("5.1", nn.ReLU())
    with pytest.raises(AttributeError, match="does not exist"):
        net().set_submodule("1.7", nn.ReLU(), strict=True)

"""PyTorch's flags, hooks and names of parameters, for all optimisers alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

pytestmark = pytest.mark.cpu
torch = pytest.importorskip("torch")

NAMES = [name for name in torch.optim.__all__ if isinstance(getattr(torch.optim, name), type)]
NAMES = [name for name in NAMES if name not in ("Optimizer", "SparseAdam")]


@pytest.mark.parametrize("name", NAMES)
def test_defaults_are_pytorchs(name: str) -> None:
    ours, theirs = [getattr(lib.optim, name)([lib.zeros(2, 2)]) for lib in (nb, torch)]
    assert ours.defaults == theirs.defaults


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {"foreach": True, "fused": True}),
    ("SGD", {"differentiable": True, "fused": True}),
    ("Adafactor", {"lr": -1.0}),
    ("Adafactor", {"beta2_decay": 1.0}),
    ("Adafactor", {"eps": (-1, 0.1)}),
    ("Adafactor", {"eps": (None, -0.1)}),
    ("Adafactor", {"d": 0.5}),
    ("Muon", {"momentum": -1.0}),
    ("Muon", {"weight_decay": -1.0}),
    ("Muon", {"adjust_lr_fn": "x"}),
]


@pytest.mark.parametrize(("name", "options"), REFUSED)
def test_what_is_refused_is_pytorchs(name: str, options: dict[str, Any]) -> None:
    with pytest.raises((ValueError, RuntimeError)) as theirs:
        getattr(torch.optim, name)([torch.zeros(2, 2)], **options)
    with pytest.raises(theirs.type, match=str(theirs.value).split("`")[0][:20]):
        getattr(nb.optim, name)([nb.zeros(2, 2)], **options)


def test_absent_and_unfit_is_said() -> None:
    with pytest.raises(ValueError, match="2D"):
        nb.optim.Muon([nb.zeros(2)])
    with pytest.raises(AttributeError, match="no sparse tensors"):
        nb.optim.SparseAdam  # noqa: B018
    for flags in ({"lr": nb.ones(2)}, {"lr": nb.ones(()), "foreach": True}, {"betas": (0.9, nb.ones(2))}):
        with pytest.raises(ValueError, match=r"must be 1-element|lr as a Tensor"):
            nb.optim.Adam([nb.zeros(2)], **flags)


def test_names_stay_with_their_group() -> None:
    a, b = nb.zeros(1), nb.zeros(1)
    optimizer = nb.optim.SGD([("a", a)], lr=0.1)
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["a"]
    with pytest.raises(ValueError, match="cannot add param group without names"):
        optimizer.add_param_group({"params": [b]})
    optimizer.add_param_group({"params": [("b", b)]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        nb.optim.SGD([("a", a), b])
    other = nb.optim.SGD([{"params": [a]}, {"params": [b]}])
    other.load_state_dict(optimizer.state_dict())
    assert [group["param_names"] for group in other.param_groups] == [["a"], ["b"]]


def test_a_group_has_to_give_what_is_required() -> None:
    from nbgrad.optim.optimizer import required

    with pytest.raises(ValueError, match="required optimization parameter lr"):
        nb.optim.Optimizer([nb.zeros(1)], {"lr": required})
    assert nb.optim.Optimizer([{"params": [nb.zeros(1)], "lr": 2}], {"lr": required}).param_groups[0]["lr"] == 2


@pytest.mark.parametrize("own", [False, True])
def test_hooks_are_called_as_pytorchs(own: bool) -> None:
    def told(library: Any) -> list[Any]:
        said: list[Any] = []
        kind = library.optim.SGD
        if own:

            class Mine(library.optim.Optimizer):
                def __init__(self, params: Any) -> None:
                    super().__init__(params, {"lr": 0.1})

                def step(self, closure: Any = None) -> Any:
                    return None if closure is None else closure()

            kind = Mine
        optimizer = kind([library.zeros(1)])
        optimizer.register_step_pre_hook(lambda o, args, kwargs: said.append((len(args), [*kwargs])))
        handle = optimizer.register_step_pre_hook(lambda o, args, kwargs: (args, {"closure": lambda: 7}))
        optimizer.register_step_post_hook(lambda o, args, kwargs: said.append((len(args), [*kwargs])))
        optimizer.register_state_dict_pre_hook(lambda o: said.append("pre"))
        optimizer.register_state_dict_post_hook(lambda o, state: said.append(sorted(state)))
        optimizer.register_load_state_dict_pre_hook(lambda o, state: said.append("load"))
        optimizer.register_load_state_dict_post_hook(lambda o: said.append("loaded"))
        optimizer.register_load_state_dict_pre_hook(lambda o, state: said.append("first"), prepend=True)
        said.append(optimizer.step())
        handle.remove()
        said.append(optimizer.step(closure=lambda: 3))
        optimizer.load_state_dict(optimizer.state_dict())
        optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
        with pytest.raises(RuntimeError, match="must return None or a tuple"):
            optimizer.step()
        return said

    assert told(nb) == told(torch)


def test_hooks_of_all_optimisers() -> None:
    from nbgrad.optim import optimizer as module

    said: list[str] = []
    with (
        module.register_optimizer_step_pre_hook(lambda o, *_: said.append("before")),
        module.register_optimizer_step_post_hook(lambda o, *_: said.append("after")),
    ):
        nb.optim.SGD([nb.zeros(1)]).step()
    nb.optim.SGD([nb.zeros(1)]).step()
    assert said == ["before", "after"]


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "NAdam"])
def test_derivatives_go_through_a_differentiable_step(name: str) -> None:
    def slope(library: Any) -> float:
        x = library.tensor([0.5, 2.0], dtype=library.float64, requires_grad=True)
        p = x * 3
        p.grad = (x * x).clone()
        optimizer = getattr(library.optim, name)([p], lr=0.1, differentiable=True)
        optimizer.step()
        (p * p).sum().backward()
        return [*x.grad.tolist()]

    np.testing.assert_allclose(slope(nb), slope(torch), rtol=1e-6)


@pytest.mark.parametrize("steps", [2, 7])  # RAdam's steps are rectified from the sixth on
@pytest.mark.parametrize("name", ["Adam", "AdamW", "RAdam", "NAdam", "Adamax"])
def test_derivatives_go_to_betas_that_are_tensors(name: str, steps: int) -> None:
    def minimised(beta: Any) -> Any:
        p = nb.tensor([0.5, 2.0], dtype=nb.float64, requires_grad=True).clone()
        optimizer = getattr(nb.optim, name)([p], lr=0.1, betas=(0.9, beta), differentiable=True)
        for i in range(steps):
            p.grad = (i + 1) * p.sin()
            optimizer.step()
        return (p * p).sum()

    assert nb.autograd.gradcheck(minimised, nb.tensor(0.9, dtype=nb.float64, requires_grad=True))


def test_numbers_that_pytorch_saved_as_tensors_can_be_loaded() -> None:
    saved = {"step": nb.tensor(3.0), "mu_product": nb.tensor(0.5), "exp_avg": nb.ones(2), "exp_avg_sq": nb.ones(2)}
    optimizer = nb.optim.NAdam([nb.zeros(2, requires_grad=True)])
    optimizer.load_state_dict({"state": {0: saved}, "param_groups": optimizer.state_dict()["param_groups"]})
    state = optimizer.state_dict()["state"][0]
    assert (state["step"], state["mu_product"]) == (3, 0.5)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *[(name, {}) for name in ("Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam")],
        *[("Rprop", {}), ("ASGD", {}), ("Adafactor", {}), ("SGD", {"momentum": 0.9})],
    ],
)
def test_a_saved_state_has_pytorchs_tensors(name: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the other side")
    found = []
    for m in (torch, nb):
        p = m.nn.Parameter(m.ones(2))
        optimizer = getattr(m.optim, name)([p], lr=0.5, **options)
        for _ in range(2):
            optimizer.zero_grad()
            (p * p).sum().backward()
            optimizer.step()
        state = optimizer.state_dict()["state"][0]
        assert all(isinstance(x, m.Tensor) for x in state.values())
        found.append({key: x.tolist() for key, x in state.items()})
        if "step" in state:
            assert state["step"].dtype is m.float32
    assert found[0].keys() == found[1].keys()
    for key, expected in found[0].items():
        np.testing.assert_allclose(found[1][key], expected, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize(("name", "options"), [("NAdam", {}), ("ASGD", {"lambd": 0.3, "t0": 5.0})])
def test_numbers_of_a_state_are_rounded_as_pytorch_rounds_them(name: str, options: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    found = []
    for m in (torch, nb):
        p = m.nn.Parameter(m.ones(2, dtype=m.float64))
        optimizer = getattr(m.optim, name)([p], lr=0.1, foreach=False, **options)
        for i in range(20):
            p.grad = m.sin(p.detach() * 3 + i)
            optimizer.step()
        state = optimizer.state_dict()["state"][0]
        numbers = {key: x for key, x in state.items() if not x.dim()}
        assert {x.dtype for x in numbers.values()} == {m.float32}
        found.append((p.tolist(), {key: x.item() for key, x in numbers.items()}))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-14)
    assert found[1][1] == found[0][1]


def test_training_goes_on_from_saved_numbers_bit_by_bit() -> None:
    def trained(optimizer: Any, p: Any, steps: int) -> list[float]:
        for _ in range(steps):
            optimizer.zero_grad()
            (p * p * p).sum().backward()
            optimizer.step()
        return p.tolist()

    for kind in (nb.optim.NAdam, nb.optim.ASGD):
        p, q = nb.ones(2).requires_grad_(), nb.ones(2).requires_grad_()
        first, second = kind([p], lr=0.03), kind([q], lr=0.03)
        trained(first, p, 5)
        with nb.no_grad():
            q.copy_(p)
        second.load_state_dict(first.state_dict())
        assert trained(first, p, 5) == trained(second, q, 5)

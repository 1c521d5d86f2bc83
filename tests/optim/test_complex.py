"""Optimisers of complex parameters beside PyTorch's: what they find and what they keep, also when their state is loaded
in the midst or the step is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.test_later_optimisers import numbers_of_float64

pytestmark = pytest.mark.cpu
torch = pytest.importorskip("torch")

TABLE: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"maximize": True, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.9, "weight_decay": 0.1, "foreach": True}),
    ("SGD", {"momentum": 0.9, "nesterov": True}),
    ("SGD", {"momentum": 0.9, "dampening": 0.3, "maximize": True}),
    ("Adam", {"weight_decay": 0.1, "amsgrad": True, "maximize": True}),
    ("AdamW", {"weight_decay": 0.1, "foreach": True}),
    ("Adamax", {"weight_decay": 0.1}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"weight_decay": 0.1, "maximize": True}),
    ("Adadelta", {"weight_decay": 0.1, "foreach": True}),
    ("Adagrad", {"weight_decay": 0.1, "lr_decay": 0.1}),
    ("Adagrad", {"initial_accumulator_value": 0.3}),
    ("ASGD", {"weight_decay": 0.1, "t0": 2, "lambd": 0.1}),
    ("RMSprop", {"weight_decay": 0.1, "centered": True, "momentum": 0.5}),
    ("LBFGS", {"max_iter": 2}),
    ("LBFGS", {"max_iter": 2, "line_search_fn": "strong_wolfe", "history_size": 1}),
    ("Rprop", {}),
    ("Rprop", {"step_sizes": (0.05, 0.15), "foreach": True, "maximize": True}),
]


def trained(package: Any, name: str, options: dict[str, Any], dtype: str, road: str = "") -> list[Any]:
    """Losses of five steps, the parameter in the end, and what the optimiser keeps with its names."""
    weight = package.tensor([1 + 1j, 2 - 1j], dtype=getattr(package, dtype), requires_grad=True)
    factor = package.tensor([1j, 2], dtype=getattr(package, dtype))
    optimizer = getattr(package.optim, name)([weight], lr=0.1, **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (weight * factor - 1).abs().pow(2).sum()
        loss.backward()
        return loss

    def stepped() -> Any:
        if name == "LBFGS":
            return optimizer.step(closure)
        loss = closure()
        optimizer.step()
        return loss

    step, losses = nb.compile(stepped) if road == "compiled" else stepped, []
    for i in range(5):
        if road == "loaded" and i == 3:
            saved = optimizer.state_dict()
            optimizer = getattr(package.optim, name)([weight], lr=0.1, **options)
            optimizer.load_state_dict(saved)
        losses.append(step().item())
    kept = sorted(optimizer.state_dict()["state"].get(0, {}).items())
    return [*losses, weight, *[x for entry in kept if entry[0] != "al" for x in entry]]  # "al" is scratch memory there


def assert_same(got: Any, want: Any, rtol: float, words: str) -> None:
    if isinstance(want, list):
        assert len(got) == len(want), words
        for a, b in zip(got, want, strict=True):
            assert_same(a, b, rtol, words)
    elif isinstance(want, str) or want is None:
        assert got == want, words
    else:
        a, b = [np.asarray(x.detach().numpy() if hasattr(x, "detach") else x) for x in (got, want)]
        assert a.shape == b.shape and (a.ndim == 0 or a.dtype == b.dtype), words  # numbers are tensors in PyTorch
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol, err_msg=words)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("name", "options"), TABLE)
def test_complex_trainings_are_pytorchs(name: str, options: dict[str, Any], dtype: str) -> None:
    rtol = 1e-9 if dtype == "complex128" else 1e-4
    with numbers_of_float64(nb, torch):
        want = trained(torch, name, options, dtype)
        for road in ("", "loaded", "compiled"):
            assert_same(trained(nb, name, options, dtype, road), want, rtol, f"{name} {options} {dtype} {road}")


@pytest.mark.parametrize("name", ["Adafactor", "Muon"])
@pytest.mark.parametrize("package", [nb, torch], ids=["nbgrad", "torch"])
def test_those_of_real_parameters_alone_refuse_complex_ones(package: Any, name: str) -> None:
    weight = package.tensor([[1 + 1j, 2 - 1j]], requires_grad=True)
    options = {"eps": (1e-6, 1e-3)} if name == "Adafactor" else {}
    optimizer = getattr(package.optim, name)([weight], **options)
    optimizer.step()  # without a gradient there is nothing to refuse
    weight.abs().sum().backward()
    with pytest.raises(RuntimeError, match=f"^{name} does not support complex parameters"):
        optimizer.step()
    assert not optimizer.state_dict()["state"]


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_takes_real_and_complex_parameters_together(search: str | None) -> None:
    def found(package: Any) -> list[Any]:
        first = package.tensor([[1.0, -2.0]], dtype=package.float64, requires_grad=True)
        second = package.tensor([[1 + 1j], [2 - 1j]], dtype=package.complex128, requires_grad=True)
        idle = package.ones(1, dtype=package.complex128, requires_grad=True)
        losses: list[float] = []

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (first * second - 1j).abs().pow(2).sum() + (second - 1).abs().pow(2).sum()
            loss.backward()
            return loss

        def made() -> Any:
            return package.optim.LBFGS([second, first, idle], lr=0.1, max_iter=3, line_search_fn=search)

        optimizer = made()
        losses += [optimizer.step(closure).item() for _ in range(3)]
        saved, optimizer = optimizer.state_dict(), made()
        optimizer.load_state_dict(saved)
        losses += [optimizer.step(closure).item() for _ in range(3)]
        state = optimizer.state_dict()["state"][0]
        return [*losses, first, second, idle, state["d"], *state["old_stps"], state["func_evals"]]

    assert_same(found(nb), found(torch), 1e-8, str(search))

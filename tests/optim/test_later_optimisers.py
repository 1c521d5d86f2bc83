"""The optimisers that load when they are asked for, all of one table, beside PyTorch's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

START = ([1.5, -0.5, 0.25], [[2.0]])
GRADS = [[0.4, -2.0, 0.0], [-0.3, -1.0, 0.5], [0.9, 0.7, 0.0], [0.1, -0.2, -1.5], [0.0, 0.4, 0.3], [0.6, 0.6, 0.6]]
RATES = [0.1, 0.1, 0.3, 0.2, 0.05, 0.1]  # of the second group, as a scheduler sets them

# (name, options, the first parameter after six steps as PyTorch 2.13 has it)
TABLE: list[tuple[str, dict[str, Any], list[float]]] = [
    ("Adadelta", {}, [1.4907151, -0.498264561, 0.247575344, 1.99808046]),
    (
        "Adadelta",
        {"lr": 0.5, "rho": 0.5, "eps": 0.001, "weight_decay": 0.1, "maximize": True},
        [1.53934863, -0.490070238, 0.261293773, 2.02023821],
    ),
    ("Adamax", {}, [1.49531573, -0.49489493, 0.248935289, 1.66828268]),
    (
        "Adamax",
        {"lr": 0.1, "betas": (0.5, 0.9), "eps": 0.001, "weight_decay": 0.1, "maximize": True},
        [1.64843102, -0.636475114, 0.196114248, 2.21201243],
    ),
    ("NAdam", {}, [1.49488013, -0.497929029, 0.2487385, 1.53045139]),
    (
        "NAdam",
        {"lr": 0.1, "betas": (0.5, 0.9), "momentum_decay": 0.1, "weight_decay": 0.1, "maximize": True},
        [1.67929434, -0.542156602, 0.19965159, 2.35102235],
    ),
    (
        "NAdam",
        {"weight_decay": 0.2, "decoupled_weight_decay": True},
        [1.49128886, -0.496735672, 0.248140929, 1.24159966],
    ),
    ("RAdam", {}, [1.49871143, -0.495011098, 0.250056725, 1.7833969]),
    (
        "RAdam",
        {"lr": 0.1, "betas": (0.5, 0.9), "weight_decay": 0.1, "maximize": True},
        [1.56097651, -0.810437841, 0.197923427, 2.10086224],
    ),
    (
        "RAdam",
        {"betas": (0.9, 0.99), "weight_decay": 0.2, "decoupled_weight_decay": True},
        [1.49687951, -0.494408898, 0.249757311, 1.47690255],
    ),
    ("ASGD", {}, [1.48299107, -0.484997086, 0.250998495, 1.83984047]),
    (
        "ASGD",
        {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2, "weight_decay": 0.1, "maximize": True},
        [1.49138104, -0.573161227, 0.213068645, 1.83475129],
    ),
    ("Rprop", {}, [1.473, -0.475, 0.245, 1.73]),
    ("Rprop", {"lr": 0.1, "etas": (0.25, 2.0), "step_sizes": (0.05, 0.3), "maximize": True}, [1.85, -0.8, 0.3, 2.35]),
]
NAMES = sorted({name for name, _, _ in TABLE})
REFUSED = [
    *[(name, {"lr": -1.0}, "Invalid learning rate: -1.0") for name in NAMES],
    *[(name, {"weight_decay": -1.0}, "Invalid weight_decay value: -1.0") for name in NAMES if name != "Rprop"],
    *[(name, {"eps": -1.0}, "Invalid epsilon value: -1.0") for name in ("Adadelta", "Adamax", "NAdam", "RAdam")],
    *[(name, {"betas": (0.9, 1.0)}, "index 1: 1.0") for name in ("Adamax", "NAdam", "RAdam")],
    ("Adadelta", {"rho": 1.5}, "Invalid rho value: 1.5"),
    ("NAdam", {"momentum_decay": -1.0}, "Invalid momentum_decay value: -1.0"),
    ("Rprop", {"etas": (0.5, 0.9)}, "Invalid eta values: 0.5, 0.9"),
]


def trained(lib: Any, name: str, options: dict[str, Any]) -> tuple[Any, list[list[float]]]:
    """The optimiser, and both parameters after each of six steps."""
    p, q = [lib.tensor(value, dtype=lib.float64, requires_grad=True) for value in START]
    optimizer = getattr(lib.optim, name)([{"params": [p]}, {"params": [q], "lr": 0.1}], **options)
    return optimizer, stepped(lib, optimizer)


def stepped(lib: Any, optimizer: Any) -> list[list[float]]:
    (p,), (q,) = (group["params"] for group in optimizer.param_groups)
    found = []
    for grad, rate in zip(GRADS, RATES, strict=True):
        p.grad, q.grad = lib.tensor(grad, dtype=lib.float64), lib.tensor([grad[:1]], dtype=lib.float64)
        optimizer.param_groups[1]["lr"] = rate
        optimizer.step()
        found.append([*p.tolist(), q.item()])
    return found


@contextmanager
def numbers_of_float64(*libs: Any) -> Iterator[None]:
    """Numbers of a state are kept in the default dtype."""
    for lib in libs:
        lib.set_default_dtype(lib.float64)
    try:
        yield
    finally:
        for lib in libs:
            lib.set_default_dtype(lib.float32)


@pytest.mark.parametrize(("name", "options", "expected"), TABLE)
def test_six_steps_end_where_pytorchs_do(name: str, options: dict[str, Any], expected: list[float]) -> None:
    with numbers_of_float64(nb):
        np.testing.assert_allclose(trained(nb, name, options)[1][-1], expected, rtol=1e-8)


@pytest.mark.parametrize(("name", "options", "expected"), TABLE)
def test_every_step_and_the_state_are_pytorchs(name: str, options: dict[str, Any], expected: list[float]) -> None:
    torch = pytest.importorskip("torch")
    with numbers_of_float64(nb, torch):
        ours, got = trained(nb, name, options)
        theirs, want = trained(torch, name, options)
        states, expected_states = ours.state_dict()["state"], theirs.state_dict()["state"]
    np.testing.assert_allclose(got, want, rtol=1e-12)
    for number, state in states.items():
        assert set(state) == set(expected_states[number])
        for key, value in state.items():
            np.testing.assert_allclose(np.asarray(value), expected_states[number][key].numpy(), rtol=1e-12, atol=1e-15)
    assert set(ours.defaults) == set(theirs.defaults)
    assert getattr(torch.optim, name)([torch.zeros(1)]).defaults.items() >= type(ours)([nb.zeros(1)]).defaults.items()


@pytest.mark.parametrize(("name", "options", "expected"), TABLE)
def test_training_goes_on_from_a_saved_state(name: str, options: dict[str, Any], expected: list[float]) -> None:
    first, _ = trained(nb, name, options)
    second = type(first)([{"params": [g["params"][0].detach().clone()]} for g in first.param_groups])
    second.load_state_dict(first.state_dict())
    assert stepped(nb, second) == stepped(nb, first)


@pytest.mark.parametrize(("name", "options", "expected"), TABLE)
def test_compiled_steps_are_the_same(name: str, options: dict[str, Any], expected: list[float]) -> None:
    def make() -> tuple[nb.Tensor, Any, Any]:
        w = nb.tensor([1.0, -2.0, 3.0], requires_grad=True)
        optimizer = getattr(nb.optim, name)([w], **options)

        def step() -> None:
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()

        return w, optimizer, step

    (w, optimizer, plain), (compiled_w, compiled, step) = make(), make()
    step = nb.compile(step, fullgraph=True)
    for i in range(12):
        for each in (optimizer, compiled):
            each.param_groups[0]["lr"] = 0.1 / (i + 1)
        plain()
        step()
    assert w.tolist() == compiled_w.tolist()
    for key, value in optimizer.state[w].items():
        ours = compiled.state[compiled_w][key]
        assert ours.tolist() == value.tolist() if isinstance(value, nb.Tensor) else ours == value


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_options_out_of_range_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(nb.optim, name)([nb.zeros(1, requires_grad=True)], **options)


def test_they_are_not_loaded_before() -> None:
    code = "import sys, nbgrad; assert not {m for m in sys.modules if m.startswith('nbgrad.optim')} & set(sys.argv[1:])"
    later = [f"nbgrad.optim.{name}" for name in ("lbfgs", "line_search", "kept_numbers", *map(str.lower, NAMES))]
    subprocess.run([sys.executable, "-c", code, *later], check=True)

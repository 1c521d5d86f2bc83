"""Every optimiser beside PyTorch's: 15 steps of a small network with options, a schedule and groups that are drawn, its
state saved and loaded in the midst; and the same bits when the step is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.optim.test_later_optimisers import numbers_of_float64

pytestmark = pytest.mark.cpu
torch = pytest.importorskip("torch")

DECAY: dict[str, list[Any]] = {"weight_decay": [0, 0.1], "maximize": [False, True]}
ADAM = {"lr": [1e-3, 0.05], "betas": [(0.9, 0.999), (0.5, 0.8)], "eps": [1e-8, 1e-3], **DECAY}
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "SGD": {"lr": [0.1], "momentum": [0, 0.9], "dampening": [0, 0.3], "nesterov": [False, True], **DECAY},
    "Adam": {**ADAM, "amsgrad": [False, True], "decoupled_weight_decay": [False, True]},
    "AdamW": {**ADAM, "amsgrad": [False, True]},
    "Adamax": ADAM,
    "NAdam": {**ADAM, "momentum_decay": [4e-3, 0.1], "decoupled_weight_decay": [False, True]},
    "RAdam": {**ADAM, "decoupled_weight_decay": [False, True]},
    "Adadelta": {"lr": [1.0, 0.5], "rho": [0.9, 0.5], "eps": [1e-6, 1e-3], **DECAY},
    "Adagrad": {"lr": [0.1], "lr_decay": [0, 0.1], "initial_accumulator_value": [0, 0.3], **DECAY},
    "RMSprop": {"lr": [0.01], "alpha": [0.99, 0.5], "momentum": [0, 0.5], "centered": [False, True], **DECAY},
    "Rprop": {"lr": [0.01], "etas": [(0.5, 1.2), (0.3, 2.0)], "step_sizes": [(1e-6, 50), (0.005, 0.1)]},
    "ASGD": {"lr": [0.1], "lambd": [1e-4, 0.1], "alpha": [0.75, 0.5], "t0": [1e6, 3], **DECAY},
    "Adafactor": {"beta2_decay": [-0.8, -0.5], "eps": [(None, 1e-3), (1e-4, 0.1)], "d": [1.0, 2.0], **DECAY},
    "Muon": {"lr": [0.02], "weight_decay": [0.1, 0.0], "nesterov": [True, False], "momentum": [0.95, 0.5],
             "adjust_lr_fn": [None, "match_rms_adamw"], "ns_steps": [5, 3]},
}  # fmt: skip
SCHEDULES = {
    "StepLR": lambda s, o: s.StepLR(o, 4, 0.5),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, 6),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.LinearLR(o, 0.5, total_iters=3), s.ExponentialLR(o, 0.9)], [3]),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, 0.05, 3, cycle_momentum=False),
    "ReduceLROnPlateau": lambda s, o: s.ReduceLROnPlateau(o, patience=0, threshold=0.5),
}
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
START = {"0.weight": (4, 3), "0.bias": (4,), "2.weight": (2, 4), "2.bias": (2,)}
START = {name: RNG.normal(size=shape) for name, shape in START.items()}


class Training:
    """A network with its optimiser and schedule."""

    def __init__(self, package: Any, name: str, options: dict[str, Any], schedule: str, dtype: str) -> None:
        nn, self.package = package.nn, package
        made = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        self.model, self.dtype = made.to(getattr(package, dtype)), getattr(package, dtype)
        self.x, self.y = [package.tensor(a.tolist(), dtype=self.dtype) for a in (X, Y)]
        params = [p for p in self.model.parameters() if p.dim() == 2 or name != "Muon"]
        groups = [{"params": params[:1]}, {"params": params[1:], "lr": 0.03}]
        self.optimizer = getattr(package.optim, name)(groups, **options)
        self.schedule = SCHEDULES[schedule](package.optim.lr_scheduler, self.optimizer)

    def step(self) -> Any:
        self.optimizer.zero_grad()
        loss = ((self.model(self.x) - self.y) ** 2).mean()
        loss.backward()
        self.optimizer.step()
        return loss

    def run(self, steps: int, step: Any) -> None:
        for _ in range(steps):
            loss = step()
            measured = isinstance(self.schedule, self.package.optim.lr_scheduler.ReduceLROnPlateau)
            self.schedule.step(loss.item()) if measured else self.schedule.step()

    def saved(self) -> list[Any]:
        return [x.state_dict() for x in (self.model, self.optimizer, self.schedule)]

    def load(self, saved: list[Any]) -> None:
        for x, state in zip((self.model, self.optimizer, self.schedule), saved, strict=True):
            x.load_state_dict(state)


def trained(package: Any, compiled: bool, *form: Any) -> tuple[list[np.ndarray], Any]:
    """All tensors of the model and the state in the end, and the training."""
    first, second = Training(package, *form), Training(package, *form)
    start = {name: package.tensor(value.tolist(), dtype=first.dtype) for name, value in START.items()}
    first.model.load_state_dict(start)
    first.run(7, nb.compile(first.step) if compiled else first.step)
    second.load(first.saved())
    second.run(8, nb.compile(second.step) if compiled else second.step)
    params, state = second.model.state_dict(), second.optimizer.state_dict()["state"]
    tensors = [*params.values(), *[x for i in sorted(state) for _, x in sorted(state[i].items())]]
    return [np.asarray(x.detach().numpy() if hasattr(x, "detach") else x) for x in tensors], second


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", OPTIONS)
def test_trainings_are_pytorchs(name: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng([seed, *name.encode()])
    options = {option: values[rng.integers(len(values))] for option, values in OPTIONS[name].items()}
    if options.get("nesterov") and name == "SGD":
        options |= {"momentum": 0.9, "dampening": 0}
    form = (name, options, [*SCHEDULES][rng.integers(len(SCHEDULES))])
    monkeypatch.setattr(torch.Tensor, "bfloat16", lambda x: x.clone())  # Muon's iteration in the parameter's own dtype
    for dtype, rtol in (("float64", 1e-9), ("float32", 2e-4)):
        with numbers_of_float64(*[nb, torch][: 2 * (dtype == "float64")]):
            want, theirs = trained(torch, False, *form, dtype)
            got, ours = trained(nb, False, *form, dtype)
            same, _ = trained(nb, True, *form, dtype)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * 1e-2, err_msg=str(form))
        for mine, other in zip(ours.optimizer.param_groups, theirs.optimizer.param_groups, strict=True):
            assert mine.keys() == other.keys()
        held = [training.optimizer.state_dict()["state"] for training in (ours, theirs)]
        assert {i: {*x} for i, x in held[0].items()} == {i: {*x} for i, x in held[1].items()}
        assert ours.schedule.get_last_lr() == pytest.approx(theirs.schedule.get_last_lr(), rel=1e-6)
        for a, b in zip(same, got, strict=True):
            assert a.tobytes() == b.tobytes(), form


def test_an_optimizer_is_printed_as_pytorchs() -> None:
    def shown(package: Any) -> str:
        groups = [{"params": [package.zeros(2)]}, {"params": [package.zeros(1)], "lr": 0.5}]
        return repr(package.optim.Adam(groups, amsgrad=True))

    assert shown(nb) == shown(torch)

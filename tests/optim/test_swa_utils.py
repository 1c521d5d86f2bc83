"""Averaged weights and their learning rate, beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nbgrad as nb

pytestmark = pytest.mark.cpu
torch = pytest.importorskip("torch")

BATCHES = np.random.default_rng(0).normal(size=(4, 6, 3))


def model(library: Any) -> Any:
    made = library.nn.Sequential(library.nn.Linear(3, 2), library.nn.BatchNorm1d(2)).to(library.float64)
    weight, bias = [library.tensor(x.tolist(), dtype=library.float64) for x in (BATCHES[0, :2], BATCHES[1, 0, :2])]
    made.load_state_dict({**made.state_dict(), "0.weight": weight, "0.bias": bias})
    return made


def averaged(library: Any, kind: str, use_buffers: bool) -> dict[str, Any]:
    s, trained = library.optim.swa_utils, model(library)
    functions = {
        "mean": {},
        "ema": {"avg_fn": s.get_ema_avg_fn(0.9)},
        "multi": {"multi_avg_fn": s.get_ema_multi_avg_fn(0.7)},
        "swa": {"multi_avg_fn": s.get_swa_multi_avg_fn()},
        "own": {"avg_fn": lambda average, new, count: average + new * count},
    }
    mean = s.AveragedModel(trained, use_buffers=use_buffers, **functions[kind])
    optimizer = library.optim.SGD(trained.parameters(), lr=0.1)
    for batch in BATCHES:
        optimizer.zero_grad()
        trained(library.tensor(batch.tolist(), dtype=library.float64)).square().sum().backward()
        optimizer.step()
        mean.update_parameters(trained)
    if not use_buffers:
        batches = [(library.tensor(batch.tolist(), dtype=library.float64), 0) for batch in BATCHES]
        s.update_bn(batches, mean)
    return mean.state_dict()


@pytest.mark.parametrize("use_buffers", [False, True])
@pytest.mark.parametrize("kind", ["mean", "ema", "multi", "swa", "own"])
def test_averages_are_pytorchs(kind: str, use_buffers: bool) -> None:
    if kind == "swa" and use_buffers:
        pytest.skip("PyTorch's has no mean of whole numbers there")
    ours, theirs = averaged(nb, kind, use_buffers), averaged(torch, kind, use_buffers)
    assert [*ours] == [*theirs]
    rtol = 1e-6 if kind == "swa" else 1e-9  # PyTorch's 1 / count is of float32 there
    for name, value in ours.items():
        np.testing.assert_allclose(value.numpy(), theirs[name].numpy(), rtol=rtol, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("strategy", ["cos", "linear"])
@pytest.mark.parametrize("epochs", [0, 1, 4])
def test_rates_are_pytorchs(strategy: str, epochs: int) -> None:
    def rates(library: Any) -> list[float]:
        optimizer = library.optim.SGD([library.zeros(1)], lr=1.0)
        first = library.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        schedule = library.optim.swa_utils.SWALR(optimizer, 0.05, epochs, strategy)
        found = []
        for epoch in range(10):
            found.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            (first if epoch < 3 else schedule).step()
        return found

    np.testing.assert_allclose(rates(nb), rates(torch), rtol=1e-9)


def test_arguments_that_do_not_fit_are_refused() -> None:
    s, linear = nb.optim.swa_utils, nb.nn.Linear(1, 1)
    with pytest.raises(AssertionError, match="Only one"):
        s.AveragedModel(linear, avg_fn=s.get_swa_avg_fn(), multi_avg_fn=s.get_swa_multi_avg_fn())
    with pytest.raises(ValueError, match="Invalid decay"):
        s.get_ema_avg_fn(1.5)
    optimizer = nb.optim.SGD(linear.parameters())
    for options in ({"swa_lr": [0.1, 0.2]}, {"anneal_strategy": "x"}, {"anneal_epochs": -1}):
        with pytest.raises(ValueError, match=r"swa_lr|anneal"):
            s.SWALR(optimizer, **{"swa_lr": 0.1, **options})

"""``amp.GradScaler`` beside PyTorch: scales that grow and fall, steps left out, a training in mixed precision."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

torch = pytest.importorskip("torch", reason="PyTorch is the other side")
INF = float("inf")


def history(lib: Any) -> list[Any]:
    """Scale, tracker and weight after each of some steps, of which two overflow."""
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    optimiser = lib.optim.SGD([w], lr=0.1)
    scaler = lib.amp.GradScaler("cpu", init_scale=16.0, growth_interval=2)
    found = []
    for k, factor in enumerate([1.0, 1.0, INF, 1.0, float("nan"), 1.0, 1.0]):
        optimiser.zero_grad()
        scaler.scale((w * w * factor).sum()).backward()
        if k % 2:
            scaler.unscale_(optimiser)
        result = scaler.step(optimiser)
        scaler.update()
        found.append(
            (scaler.get_scale(), scaler.state_dict()["_growth_tracker"], result, np.round(w.tolist(), 6).tolist())
        )
    scaler.update(3.0)
    other = lib.amp.GradScaler("cpu")
    other.load_state_dict(copy.deepcopy(scaler.state_dict()))
    return [*found, other.state_dict(), other.get_scale()]


def test_the_scale_and_the_weights_go_pytorchs_way() -> None:
    assert history(nb) == history(torch)


def mistakes(lib: Any) -> list[str]:
    """The classes of errors of misuse."""
    w = lib.ones(2, requires_grad=True)
    half = lib.ones(2, dtype=lib.float16, requires_grad=True)
    optimiser, of_half = [lib.optim.SGD([p], lr=0.1) for p in (w, half)]
    scaler = lib.amp.GradScaler("cpu")

    def made() -> None:
        scaler.scale(w.sum()).backward()
        scaler.unscale_(optimiser)

    def with_half() -> None:
        scaler.scale(half.sum()).backward()
        scaler.unscale_(of_half)

    programs = [
        made,
        lambda: scaler.unscale_(optimiser),
        lambda: scaler.step(optimiser, closure=lambda: None),
        lambda: scaler.step(optimiser),
        lambda: scaler.step(optimiser),
        lambda: scaler.unscale_(optimiser),
        with_half,
        lambda: scaler.load_state_dict({}),
        lambda: scaler.scale(3),
    ]
    found = []
    for program in programs:
        try:
            program()
            found.append("")
        except Exception as error:
            found.append(next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins"))
    return found


def test_misuse_is_pytorchs_error() -> None:
    got, want = mistakes(nb), mistakes(torch)
    assert got == want


def test_without_scaling_everything_is_as_it_was() -> None:
    w = nb.ones(2, requires_grad=True)
    optimiser, scaler = nb.optim.SGD([w], lr=0.5), nb.amp.GradScaler("cpu", enabled=False)
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimiser)
    scaler.step(optimiser)
    scaler.update()
    assert (w.tolist(), scaler.state_dict(), scaler.get_scale()) == ([0.5, 0.5], {}, 1.0)
    if not nb.cuda.is_available():
        with pytest.warns(UserWarning, match="CUDA is not available"):
            assert not nb.cuda.amp.GradScaler().is_enabled()


def training(lib: Any, dtype: str) -> list[float]:
    """The losses of a network on points of two spirals, with autocast and a scaler."""
    rng = np.random.default_rng(1)
    angle = np.linspace(0.3, 3, 60)
    points = np.concatenate([np.stack([s * angle * np.cos(angle), s * angle * np.sin(angle)], 1) for s in (1, -1)])
    x = lib.tensor(points.astype(np.float32))
    t = lib.tensor(np.repeat([0, 1], 60))
    net = lib.nn.Sequential(
        lib.nn.Linear(2, 16), lib.nn.GELU(), lib.nn.Linear(16, 16), lib.nn.GELU(), lib.nn.Linear(16, 2)
    )
    with lib.no_grad():
        for p in net.parameters():
            p.copy_(lib.tensor((rng.normal(size=tuple(p.shape)) * 0.4).astype(np.float32)))
    optimiser = lib.optim.AdamW(net.parameters(), lr=0.02)
    scaler = lib.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=10)
    losses = []
    for _ in range(30):
        optimiser.zero_grad()
        with lib.autocast("cpu", getattr(lib, dtype)):
            loss = lib.nn.functional.cross_entropy(net(x), t)
        scaler.scale(loss).backward()
        scaler.unscale_(optimiser)
        lib.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimiser)
        scaler.update()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_training_in_mixed_precision_goes_pytorchs_way(dtype: str) -> None:
    got, want = training(nb, dtype), training(torch, dtype)
    np.testing.assert_allclose(got, want, rtol=0.05)
    assert got[-1] < 0.5 * got[0]

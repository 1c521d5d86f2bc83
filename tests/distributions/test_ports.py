"""Two scripts of PyTorch's beside their port: variational inference, and the loss of a variational autoencoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.distributions.cases import numbers

torch = pytest.importorskip("torch", reason="PyTorch is the other side")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 5)).astype(np.float32)
Y = (RNG.random(100) < 1 / (1 + np.exp(-X @ RNG.normal(size=5)))).astype(np.float32)
IMAGES = (RNG.random((32, 20)) < RNG.random(20)).astype(np.float32)
WEIGHTS = [RNG.normal(size=s).astype(np.float32) * 0.3 for s in ((20, 6), (3, 20))]
Loss = Callable[..., Any]


def regression(lib: Any) -> tuple[Loss, list[Any]]:
    """The negative ELBO of a logistic regression with normal weights."""
    d = lib.distributions
    x, y = lib.tensor(X), lib.tensor(Y)
    mean, raw = [lib.zeros(5, requires_grad=True) for _ in range(2)]
    prior = d.Normal(lib.zeros(5), lib.ones(5))

    def loss(*, drawn: bool) -> Any:
        q = d.Normal(mean, lib.nn.functional.softplus(raw))
        z = q.rsample((8,)) if drawn else q.mean.expand(8, 5)
        return d.kl_divergence(q, prior).sum() - d.Bernoulli(logits=z @ x.T).log_prob(y).sum(-1).mean()

    return loss, [mean, raw]


def autoencoder(lib: Any) -> tuple[Loss, list[Any]]:
    """The negative ELBO of images of bits: a matrix there, a matrix back."""
    d = lib.distributions
    x = lib.tensor(IMAGES)
    encoder, decoder = [lib.tensor(w, requires_grad=True) for w in WEIGHTS]

    def loss(*, drawn: bool) -> Any:
        mean, log_scale = (x @ encoder).chunk(2, -1)
        q = d.Independent(d.Normal(mean, log_scale.exp()), 1)
        prior = d.Independent(d.Normal(lib.zeros_like(mean), lib.ones_like(mean)), 1)
        z = q.rsample() if drawn else q.mean
        p = d.Independent(d.Bernoulli(logits=z @ decoder), 1)
        return (d.kl_divergence(q, prior) - p.log_prob(x)).mean()

    return loss, [encoder, decoder]


PORTS = (regression, autoencoder)


@pytest.mark.parametrize("port", PORTS)
def test_without_noise_loss_and_gradients_are_pytorchs(port: Any) -> None:
    found = []
    for lib in (nb, torch):
        loss, parameters = port(lib)
        value = loss(drawn=False)
        value.backward()
        found.append([numbers(x) for x in (value, *[p.grad for p in parameters])])
    for got, want in zip(*found, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * float(np.abs(want).max()))


@pytest.mark.parametrize("port", PORTS)
def test_training_comes_to_the_same_bound_compiled_or_not(port: Any) -> None:
    ends = []
    for lib, compiled in ((nb, False), (nb, True), (torch, False)):
        lib.manual_seed(0)
        loss, parameters = port(lib)
        optimizer = lib.optim.Adam(parameters, lr=0.03)

        def step(loss: Any = loss, optimizer: Any = optimizer) -> Any:
            value = loss(drawn=True)
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
            return value.detach()

        run = nb.compile(step, fullgraph=True) if compiled else step
        ends.append([run().item() for _ in range(300)])
    assert ends[0] == ends[1]
    plain, _, theirs = [np.mean(losses[-60:]) for losses in ends]
    assert plain == pytest.approx(theirs, rel=0.02)
    assert np.mean(ends[0][:10]) > plain + 1

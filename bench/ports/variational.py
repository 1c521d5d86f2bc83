"""Bayesian logistic regression by variational inference, ten steps of Adam a call. The draws are the library's own, so
what is compared are the means that they lead to."""

import numpy as np
import torch
from torch.distributions import Bernoulli, Normal, kl_divergence

rng = np.random.default_rng(0)
true_weights = np.array([1.0, -2.0, 1.5, 0.8, -1.2])
points = rng.normal(size=(400, 5))
outcomes = rng.uniform(size=400) < 1 / (1 + np.exp(-points @ true_weights))
x = torch.tensor(points, dtype=torch.float32)
y = torch.tensor(outcomes, dtype=torch.float32)

torch.manual_seed(0)
mean = torch.zeros(5, requires_grad=True)
log_scale = torch.full((5,), -2.0, requires_grad=True)
optimizer = torch.optim.Adam([mean, log_scale], lr=0.05)
prior = Normal(torch.zeros(5), torch.ones(5))


def step():
    for _ in range(10):
        posterior = Normal(mean, log_scale.exp())
        weights = posterior.rsample((16,))
        log_likelihood = Bernoulli(logits=weights @ x.T).log_prob(y).sum(1).mean()
        loss = kl_divergence(posterior, prior).sum() - log_likelihood
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return mean.detach().numpy().copy()

"""The hyperparameters of a Gaussian process by its marginal likelihood, five steps of Adam a call."""

import math

import numpy as np
import torch

rng = np.random.default_rng(0)
inputs = np.sort(rng.uniform(0, 10, 100))
x = torch.from_numpy(inputs)
y = torch.from_numpy(np.sin(inputs) + 0.3 * np.cos(3 * inputs) + rng.normal(0, 0.2, 100))

log_length = torch.zeros((), dtype=torch.float64, requires_grad=True)
log_scale = torch.zeros((), dtype=torch.float64, requires_grad=True)
log_noise = torch.tensor(-1.0, dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.Adam([log_length, log_scale, log_noise], lr=0.05)


def kernel(a, b):
    distance = (a[:, None] - b[None, :]) / log_length.exp()
    return log_scale.exp() ** 2 * torch.exp(-0.5 * distance**2)


def negative_log_likelihood():
    covariance = kernel(x, x) + log_noise.exp() ** 2 * torch.eye(len(x), dtype=torch.float64)
    factor = torch.linalg.cholesky(covariance)
    weights = torch.cholesky_solve(y[:, None], factor)[:, 0]
    log_det = 2 * factor.diagonal().log().sum()
    return 0.5 * (y @ weights + log_det + len(x) * math.log(2 * math.pi))


def step():
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = negative_log_likelihood()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array([*losses, log_length.item(), log_noise.item()])

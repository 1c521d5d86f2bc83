"""Logistic regression by SciPy's BFGS, whose gradients autograd gives, a whole fit a call."""

import numpy as np
import scipy.optimize
import torch
import torch.nn.functional as F

rng = np.random.default_rng(0)
points = rng.normal(size=(500, 20))
outcomes = rng.uniform(size=500) < 1 / (1 + np.exp(-points @ rng.normal(size=20)))
x, y = torch.from_numpy(points), torch.from_numpy(outcomes.astype(float))


def loss_and_gradient(weights):
    w = torch.tensor(weights, requires_grad=True)
    loss = F.binary_cross_entropy_with_logits(x @ w, y) + 1e-3 * (w**2).sum()
    loss.backward()
    return loss.item(), w.grad.numpy()


def step():
    found = scipy.optimize.minimize(loss_and_gradient, np.zeros(20), jac=True, method="BFGS")
    return found.fun, found.x

"""Hamiltonian Monte Carlo of a hierarchical model by a plain leapfrog loop, five transitions a call."""

import math

import numpy as np
import torch

rng = np.random.default_rng(0)
LEAPS, SIZE = 10, 0.05
groups = torch.from_numpy(rng.integers(0, 8, 120))
observed = torch.from_numpy(rng.normal(size=8)[groups.numpy()] + rng.normal(0, 0.5, 120))


def log_density(q):
    mean, log_spread, effects = q[0], q[1], q[2:]
    prior = -0.5 * mean**2 - 0.5 * log_spread**2
    of_effects = (-0.5 * ((effects - mean) / log_spread.exp()) ** 2 - log_spread).sum()
    of_data = (-0.5 * ((observed - effects[groups]) / 0.5) ** 2).sum()
    return prior + of_effects + of_data


def gradient(q):
    q = q.detach().requires_grad_()
    return torch.autograd.grad(log_density(q), q)[0]


def leapfrog(q, p):
    p = p + 0.5 * SIZE * gradient(q)
    for i in range(LEAPS):
        q = q + SIZE * p
        p = p + (SIZE if i < LEAPS - 1 else 0.5 * SIZE) * gradient(q)
    return q, p


def energy(q, p):
    return (0.5 * (p**2).sum() - log_density(q)).item()


position = torch.zeros(10, dtype=torch.float64)


def step():
    global position
    for _ in range(5):
        momentum = torch.from_numpy(rng.normal(size=10))
        q, p = leapfrog(position, momentum)
        if math.log(rng.uniform()) < energy(position, momentum) - energy(q, p):
            position = q
    return position.numpy().copy()

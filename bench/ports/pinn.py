"""Burgers' equation by a network whose derivatives are those of the equation, two steps of Adam a call."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)


def column(values):
    return torch.tensor(values, dtype=torch.float32).reshape(-1, 1)


x = column(rng.uniform(-1, 1, 256)).requires_grad_()
t = column(rng.uniform(0, 1, 256)).requires_grad_()
x_begin = column(np.linspace(-1, 1, 64))
t_begin, u_begin = torch.zeros_like(x_begin), -torch.sin(torch.pi * x_begin)

net = nn.Sequential(
    nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1)
)
with torch.no_grad():
    for p in net.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.4, p.shape)))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def residual():
    u = net(torch.cat([x, t], 1))
    u_x, u_t = derivative(u, x), derivative(u, t)
    u_xx = derivative(u_x, x)
    return u_t + u * u_x - 0.01 / torch.pi * u_xx


def step():
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        start = net(torch.cat([x_begin, t_begin], 1)) - u_begin
        loss = (residual() ** 2).mean() + (start**2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)

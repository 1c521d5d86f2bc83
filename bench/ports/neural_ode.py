"""A neural ODE fitted to a spiral through a Runge-Kutta loop, a step of Adam a call."""

from itertools import pairwise

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
STEPS, DT = 20, 0.05
begin = rng.uniform(-1, 1, (16, 2))
points = [begin]
for _ in range(STEPS):
    points.append(points[-1] + DT * points[-1] ** 3 @ np.array([[-0.1, 2.0], [-2.0, -0.1]]))
truth = torch.tensor(np.stack(points), dtype=torch.float32)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))

    def forward(self, t, y):
        return self.net(y**3)


def rk4(f, y, times):
    ys = [y]
    for t, t_next in pairwise(times):
        h = t_next - t
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        ys.append(y)
    return torch.stack(ys)


field = Field()
with torch.no_grad():
    for p in field.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.1, p.shape)))
optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
times = torch.linspace(0.0, STEPS * DT, STEPS + 1)


def step():
    optimizer.zero_grad()
    loss = (rk4(field, truth[0], times) - truth).abs().mean()
    loss.backward()
    optimizer.step()
    return loss.item()

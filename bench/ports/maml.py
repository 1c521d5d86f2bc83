"""Model-agnostic meta-learning of sine waves, a batch of four tasks a call: the outer loss is differentiated through an
inner step of gradient descent."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

rng = np.random.default_rng(0)
TASKS, SHOTS = 4, 10
inputs = rng.uniform(-5, 5, (TASKS, 2, SHOTS, 1))
heights, phases = rng.uniform(0.1, 5, (TASKS, 1, 1, 1)), rng.uniform(0, np.pi, (TASKS, 1, 1, 1))
x = torch.tensor(inputs, dtype=torch.float32)
y = torch.tensor(heights * np.sin(inputs + phases), dtype=torch.float32)

model = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.2, p.shape)))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def adapted(params, x, y, rate=0.01):
    loss = F.mse_loss(functional_call(model, params, (x,)), y)
    grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    return {name: p - rate * g for (name, p), g in zip(params.items(), grads, strict=True)}


def step():
    params = dict(model.named_parameters())
    outer = 0.0
    for (x_support, x_query), (y_support, y_query) in zip(x, y, strict=True):
        fast = adapted(params, x_support, y_support)
        outer = outer + F.mse_loss(functional_call(model, fast, (x_query,)), y_query)
    optimizer.zero_grad()
    outer.backward()
    optimizer.step()
    return outer.item()

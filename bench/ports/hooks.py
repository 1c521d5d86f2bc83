"""A network watched and held by hooks: activations, gradients of layers and of weights, clipping; four steps a call."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

rng = np.random.default_rng(0)
x = torch.tensor(rng.normal(size=(128, 16)), dtype=torch.float32)
y = torch.tensor(np.sin(x.numpy().sum(1, keepdims=True)), dtype=torch.float32)

model = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.3, p.shape)))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
activations, gradients = {}, {}


def watch_activation(name):
    def hook(module, inputs, output):
        activations[name] = output.detach().abs().mean()

    return hook


def watch_gradient(name):
    def hook(module, grad_input, grad_output):
        gradients[name] = grad_output[0].norm()

    return hook


for name, layer in model.named_children():
    layer.register_forward_hook(watch_activation(name))
    layer.register_full_backward_hook(watch_gradient(name))
for p in model.parameters():
    p.register_hook(lambda g: g.clamp(-0.1, 0.1))


def step():
    seen = []
    for xs, ys in zip(x.split(32), y.split(32), strict=True):
        optimizer.zero_grad()
        loss = F.mse_loss(model(xs), ys)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        seen.append([v.item() for v in (loss, norm, *activations.values(), *gradients.values())])
    return np.array(seen)

"""A network trained in mixed precision, with the scaler that float16 would need; two steps a call."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

rng = np.random.default_rng(0)
dtype = torch.bfloat16
labels = rng.integers(0, 10, 256)
points = rng.normal(size=(10, 128))[labels] + rng.normal(size=(256, 128))
x, y = torch.tensor(points, dtype=torch.float32), torch.from_numpy(labels)

model = nn.Sequential(
    nn.Linear(128, 256), nn.LayerNorm(256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 10)
)
with torch.no_grad():
    for name, p in model.named_parameters():
        if not name.startswith("1."):  # LayerNorm begins with ones and zeros
            p.copy_(torch.from_numpy(rng.normal(0.0, 0.08, p.shape)))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", enabled=dtype == torch.float16)


def step():
    losses = []
    for xs, ys in zip(x.split(128), y.split(128), strict=True):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=dtype):
            loss = F.cross_entropy(model(xs), ys)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return np.array(losses)

"""A classifier trained on mini-batches of a DataLoader, an epoch a call."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(0)
centers = rng.normal(size=(5, 20))
labels = rng.integers(0, 5, 1000)
points = centers[labels] + rng.normal(size=(1000, 20))
data = TensorDataset(torch.tensor(points, dtype=torch.float32), torch.from_numpy(labels))
loader = DataLoader(data, batch_size=50, sampler=rng.permutation(len(data)).tolist())

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.1, p.shape)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)


def step():
    total, right = 0.0, 0
    for x, y in loader:
        scores = model(x)
        loss = F.cross_entropy(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        right += (scores.argmax(1) == y).sum().item()
    return total / len(loader), right / len(data)

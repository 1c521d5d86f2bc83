"""A GAN that draws points of a ring, four rounds of discriminator and generator a call."""

import numpy as np
import torch
from torch import nn

BATCH, ROUNDS = 64, 4

rng = np.random.default_rng(0)
angles = rng.uniform(0, 2 * np.pi, (ROUNDS, BATCH))
ring = np.stack([np.cos(angles), np.sin(angles)], -1) + rng.normal(0, 0.05, (ROUNDS, BATCH, 2))
real = torch.tensor(ring, dtype=torch.float32)
noise = torch.tensor(rng.normal(size=(ROUNDS, 2, BATCH, 8)), dtype=torch.float32)

generator = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
discriminator = nn.Sequential(
    nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1)
)
with torch.no_grad():
    for p in [*generator.parameters(), *discriminator.parameters()]:
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.1, p.shape)))
criterion = nn.BCEWithLogitsLoss()
g_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
ones, zeros = torch.ones(BATCH, 1), torch.zeros(BATCH, 1)


def step():
    losses = []
    for points, (z1, z2) in zip(real, noise, strict=True):
        d_optimizer.zero_grad()
        fake = generator(z1)
        d_loss = criterion(discriminator(points), ones) + criterion(discriminator(fake.detach()), zeros)
        d_loss.backward()
        d_optimizer.step()

        g_optimizer.zero_grad()
        g_loss = criterion(discriminator(generator(z2)), ones)
        g_loss.backward()
        g_optimizer.step()
        losses.append((d_loss.item(), g_loss.item()))
    return np.array(losses)

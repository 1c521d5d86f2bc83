"""A variational autoencoder of binary images, four batches a call."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

PIXELS, HIDDEN, LATENT = 784, 128, 8

rng = np.random.default_rng(0)
parts = rng.normal(size=(LATENT, PIXELS))
images = torch.tensor(rng.normal(size=(256, LATENT)) @ parts > 0, dtype=torch.float32)
noise = torch.tensor(rng.normal(size=(256, LATENT)), dtype=torch.float32)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(PIXELS, HIDDEN), nn.ReLU())
        self.mean = nn.Linear(HIDDEN, LATENT)
        self.log_var = nn.Linear(HIDDEN, LATENT)
        self.decoder = nn.Sequential(nn.Linear(LATENT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, PIXELS))

    def forward(self, x, eps):
        h = self.encoder(x)
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + eps * torch.exp(0.5 * log_var)
        return self.decoder(z), mean, log_var


model = VAE()
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.05, p.shape)))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def step():
    losses = []
    for x, eps in zip(images.split(64), noise.split(64), strict=True):
        optimizer.zero_grad()
        logits, mean, log_var = model(x, eps)
        reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
        loss = (reconstruction + divergence) / len(x)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)

"""Whole trainings give the same bits in every tier: one kernel for each operator, fused, or one after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import nbgrad as nb
from nbgrad.config import override

nn = nb.nn
RNG = np.random.default_rng(0)
IMAGES, CLASSES = RNG.standard_normal((8, 1, 14, 14)).astype("float32"), RNG.integers(0, 5, 8)
WORDS = RNG.integers(0, 7, (3, 6))


class Attending(nn.Module):
    """Embedding, causal attention, normalisation and a recurrent layer."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.Embedding(7, 8, padding_idx=0)
        self.norm = nn.LayerNorm(8)
        self.cell = nn.LSTM(8, 4, batch_first=True)
        self.head = nn.Linear(4, 7)

    def forward(self, x: nb.Tensor) -> nb.Tensor:
        h = self.norm(self.rows(x))
        h = h + nn.functional.scaled_dot_product_attention(h, h, h, is_causal=True).roll(1, -1)
        return self.head(self.cell(h)[0]).transpose(1, 2)


def convolutional() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, stride=2),
        nn.GELU(),
        nn.AvgPool2d(3, 1, 1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.RMSNorm(54),
        nn.Linear(54, 5),
    )


def trained(make: Callable[[], nn.Module], x: np.ndarray, y: np.ndarray, mode: str) -> list[bytes]:
    """Losses and parameters of four steps, as bytes."""
    with override(compile=mode):
        nb.manual_seed(0)
        model, inputs, targets = make(), nb.tensor(x), nb.tensor(y)
        optimizer = nb.optim.AdamW(model.parameters(), lr=0.01)
        schedule = nb.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4)
        values = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            loss.backward()
            optimizer.step()
            schedule.step()
            values.append(loss.detach())
        return [v.detach().numpy().tobytes() for v in (*values, *model.parameters())]


def test_a_convolutional_network_trains_to_the_same_bits_in_every_tier() -> None:
    unfused = trained(convolutional, IMAGES, CLASSES, "never")
    assert trained(convolutional, IMAGES, CLASSES, "eager") == unfused
    assert trained(convolutional, IMAGES, CLASSES, "background") == unfused


def test_attention_and_recurrence_train_to_the_same_bits_in_every_tier() -> None:
    unfused = trained(Attending, WORDS, np.roll(WORDS, -1, 1), "never")
    assert trained(Attending, WORDS, np.roll(WORDS, -1, 1), "eager") == unfused
    assert trained(Attending, WORDS, np.roll(WORDS, -1, 1), "background") == unfused

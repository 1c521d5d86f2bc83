"""A language model of characters by an LSTM, its state carried from window to window; four windows a call."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

TEXT = "the quick brown fox jumps over the lazy dog and the dog sleeps on while the fox runs home. " * 60
BATCH, WINDOW, HIDDEN = 16, 32, 64

rng = np.random.default_rng(0)
letters = sorted(set(TEXT))
codes = torch.tensor([letters.index(c) for c in TEXT])
columns = codes[: len(codes) // BATCH * BATCH].reshape(BATCH, -1)


class CharLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(letters), 16)
        self.lstm = nn.LSTM(16, HIDDEN, batch_first=True)
        self.head = nn.Linear(HIDDEN, len(letters))

    def forward(self, x, state):
        y, state = self.lstm(self.embedding(x), state)
        return self.head(y), state


model = CharLSTM()
with torch.no_grad():
    for p in model.parameters():
        p.copy_(torch.from_numpy(rng.normal(0.0, 0.2, p.shape)))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)


def step():
    state = torch.zeros(1, BATCH, HIDDEN), torch.zeros(1, BATCH, HIDDEN)
    total = 0.0
    for begin in range(0, 4 * WINDOW, WINDOW):
        x = columns[:, begin : begin + WINDOW]
        y = columns[:, begin + 1 : begin + WINDOW + 1]
        logits, state = model(x, tuple(s.detach() for s in state))
        loss = F.cross_entropy(logits.reshape(-1, len(letters)), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total / 4

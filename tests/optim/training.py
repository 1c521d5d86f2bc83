"""Two trainings, with nbgrad and written out in NumPy.

python -m tests.optim.training      prints every loss and parameter of all of them, to the last bit
"""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgrad as nb

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(96, 6)), RNG.integers(0, 3, 96)
W1, B1, W2, B2 = RNG.normal(size=(8, 6)), RNG.normal(size=8), RNG.normal(size=(3, 8)), RNG.normal(size=3)
BATCH, STEPS = 32, 40
START = {"0.weight": W1, "0.bias": B1, "2.weight": W2, "2.bias": B2}

Trajectory = tuple[list[float], list[np.ndarray]]


def trained(kind: str, dtype: str, max_norm: float | None = None) -> Trajectory:
    """Losses of all steps, and the parameters in the end."""
    model = nb.nn.Sequential(nb.nn.Linear(6, 8), nb.nn.Tanh(), nb.nn.Linear(8, 3)).to(getattr(nb, dtype))
    model.load_state_dict({name: nb.tensor(value) for name, value in START.items()})
    x, y = nb.tensor(X.astype(dtype)), nb.tensor(Y)
    if kind == "adam":
        optimizer: Any = nb.optim.Adam(model.parameters(), lr=0.05, weight_decay=0.01)
    else:
        optimizer = nb.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    losses = []
    for step in range(STEPS):
        rows = slice(step * BATCH % len(X), step * BATCH % len(X) + BATCH)
        loss = nb.nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        if max_norm is not None:
            nb.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach().numpy().copy() for p in model.parameters()]


def by_hand(kind: str, max_norm: float | None = None) -> Trajectory:
    """The same in NumPy, every derivative written out."""
    params = [value.copy() for value in START.values()]
    first, second = ([np.zeros_like(p) for p in params] for _ in range(2))
    losses = []
    for step in range(STEPS):
        rows = slice(step * BATCH % len(X), step * BATCH % len(X) + BATCH)
        loss, grads = _loss_and_gradients(params, X[rows], Y[rows])
        losses.append(loss)
        if max_norm is not None:
            norm = np.sqrt(sum((g * g).sum() for g in grads))
            grads = [g * min(1.0, max_norm / (norm + 1e-6)) for g in grads]
        for i, g in enumerate(grads):
            if kind == "adam":
                g = g + 0.01 * params[i]
                first[i] = 0.9 * first[i] + 0.1 * g
                second[i] = 0.999 * second[i] + 0.001 * g * g
                mean, square = first[i] / (1 - 0.9 ** (step + 1)), second[i] / (1 - 0.999 ** (step + 1))
                params[i] = params[i] - 0.05 * mean / (np.sqrt(square) + 1e-8)
            else:
                first[i] = 0.9 * first[i] + g
                params[i] = params[i] - 0.1 * (g + 0.9 * first[i])
    return losses, params


def _loss_and_gradients(params: list[np.ndarray], x: np.ndarray, y: np.ndarray) -> tuple[float, list[np.ndarray]]:
    w1, b1, w2, b2 = params
    hidden = np.tanh(x @ w1.T + b1)
    scores = hidden @ w2.T + b2
    shifted = scores - scores.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    to_scores = (np.exp(log_p) - np.eye(3)[y]) / len(x)
    to_hidden = to_scores @ w2 * (1 - hidden**2)
    grads = [to_hidden.T @ x, to_hidden.sum(axis=0), to_scores.T @ hidden, to_scores.sum(axis=0)]
    return float(-log_p[np.arange(len(x)), y].mean()), grads


if __name__ == "__main__":
    for kind in ("adam", "sgd"):
        losses, params = trained(kind, "float32", max_norm=0.5)
        print(kind, [loss.hex() for loss in losses], [p.tobytes().hex() for p in params])

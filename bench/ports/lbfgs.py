"""A damped oscillation fitted to measurements by L-BFGS with strong Wolfe conditions, a whole fit a call."""

import numpy as np
import torch

rng = np.random.default_rng(0)
times = np.linspace(0, 5, 200)
measured = 2.0 * np.exp(-0.4 * times) * np.cos(3.0 * times + 0.5) + rng.normal(0, 0.05, 200)
t, y = torch.from_numpy(times), torch.from_numpy(measured)


def model(amplitude, decay, frequency, phase):
    return amplitude * torch.exp(-decay * t) * torch.cos(frequency * t + phase)


def step():
    parameters = torch.tensor([1.0, 0.1, 2.8, 0.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([parameters], max_iter=30, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = ((model(*parameters) - y) ** 2).mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    return closure().item(), parameters.detach().numpy()

"""Your own numba.cuda kernel as a differentiable operator: it works on nbgrad's memory, nothing is copied.

The operator is a heat step on a rod with fixed ends, ``y[i] = x[i] + c (x[i-1] - 2 x[i] + x[i+1])``. Its derivative is
a kernel of the same kind. We look for the temperatures at the start that lead to those seen after some steps.

    python examples/cuda_kernel.py      on a GPU (pip install "nbgrad[cuda]")

Without a GPU, on nbgrad's and Numba's simulators, which take seconds for a few points:

    NBGRAD_CUDA=simulated NUMBA_ENABLE_CUDASIM=1 python examples/cuda_kernel.py
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
from numba import cuda
from numba.core import config

import nbgrad as nb

SIMULATED = bool(config.ENABLE_CUDASIM)
POINTS, STEPS, ROUNDS, THREADS = (12, 3, 12, 16) if SIMULATED else (4096, 50, 200, 128)
RATE = 0.2


@cuda.jit
def heat(x: Any, y: Any, c: float) -> None:
    """One step: the ends stay as they are."""
    i = cuda.grid(1)
    if i < x.size:
        if i > 0 and i < x.size - 1:
            y[i] = x[i] + c * (x[i - 1] - 2 * x[i] + x[i + 1])
        else:
            y[i] = x[i]


@cuda.jit
def heat_backward(g: Any, out: Any, c: float) -> None:
    """out[j] = sum of g[i] dy[i] / dx[j]: what element j gave to itself, and to its neighbours that are no ends."""
    j = cuda.grid(1)
    n = g.size
    if j < n:
        total = g[j]
        if j > 0 and j < n - 1:
            total -= 2 * c * g[j]
        if j - 1 > 0:
            total += c * g[j - 1]
        if j + 1 < n - 1:
            total += c * g[j + 1]
        out[j] = total


class HeatStep(nb.autograd.Function):
    """The operator: both directions are one kernel."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return launched(heat, x)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return launched(heat_backward, g)


def launched(kernel: Any, x: Any) -> Any:
    """A new tensor that ``kernel`` fills, on the stream that nbgrad works on."""
    y = nb.empty_like(x)
    source, target = device_array(x.detach()), device_array(y)
    if SIMULATED:  # two simulators know nothing of each other's streams
        nb.cuda.synchronize()
    stream = 0 if SIMULATED else cuda.external_stream(nb.cuda.current_stream().cuda_stream)
    kernel[-(-x.numel() // THREADS), THREADS, stream](source, target, RATE)
    return y


def device_array(x: Any) -> Any:
    """A tensor's memory as numba.cuda sees it. A simulated GPU has the host's, and Numba's simulator takes arrays."""
    if not SIMULATED:
        return cuda.as_cuda_array(x)
    about = x.__cuda_array_interface__
    memory: Any = (ctypes.c_byte * (x.numel() * x.element_size())).from_address(about["data"][0])
    memory.tensor = x  # keeps it alive
    return np.frombuffer(memory, about["typestr"]).reshape(about["shape"])


def recover(points: int, steps: int, rounds: int) -> list[float]:
    """The loss in each round of Adam."""

    def after(x: Any) -> Any:
        for _ in range(steps):
            x = HeatStep.apply(x)
        return x

    place = nb.linspace(0.0, 1.0, points, device="cuda")
    seen = after(nb.exp(-80.0 * (place - 0.4) ** 2))
    guess = nb.zeros(points, device="cuda", requires_grad=True)
    optimizer = nb.optim.Adam([guess], lr=0.05)
    losses = []
    for _ in range(rounds):
        optimizer.zero_grad()
        loss = ((after(guess) - seen) ** 2).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main() -> int:
    if not nb.cuda.is_available():
        print("there is no GPU; see the first lines of this file for how to do without", file=sys.stderr)
        return 1
    losses = recover(POINTS, STEPS, ROUNDS)
    print(f"{nb.cuda.get_device_name()}: squared error {losses[0]:.4f} -> {losses[-1]:.4f} in {len(losses)} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())

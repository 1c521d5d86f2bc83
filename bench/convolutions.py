"""Convolutions beside PyTorch's, which oneDNN computes: ``python -m bench.convolutions [NAME]``, GFLOP/s of both.

One thread, CPU time, the best of many rounds in which both take turns: the forward pass alone, then with the gradients
of input and weight. nbgrad runs compiled functions, so that Python takes no part in the figures of either.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from bench.libraries import NBGRAD, TORCH, library, why_absent
from bench.products import best_seconds


class Layer(NamedTuple):
    """(batch, channels, size, size) by filters of (kernel, kernel)."""

    name: str
    batch: int
    channels: int
    size: int
    filters: int
    kernel: int
    stride: int = 1
    padding: int = 0

    @property
    def flops(self) -> int:
        out = (self.size + 2 * self.padding - self.kernel) // self.stride + 1
        return 2 * self.batch * self.filters * out * out * self.channels * self.kernel * self.kernel


LAYERS: Final = (
    Layer("LeNet 1", 64, 1, 28, 6, 5, padding=2),
    Layer("LeNet 2", 64, 6, 14, 16, 5),
    Layer("3 x 3, 32 channels", 8, 32, 32, 32, 3, padding=1),
    Layer("3 x 3, 64 channels", 4, 64, 56, 64, 3, padding=1),
    Layer("3 x 3, 128 channels", 4, 128, 28, 128, 3, padding=1),
    Layer("3 x 3, 256 channels", 4, 256, 14, 256, 3, padding=1),
    Layer("3 x 3, stride 2", 4, 64, 56, 128, 3, 2, 1),
    Layer("1 x 1, 64 to 256", 4, 64, 56, 256, 1),
    Layer("1 x 1, 256 to 64", 4, 256, 28, 64, 1),
)


def works(contestant: str, layer: Layer) -> dict[str, Callable[[], Any]]:
    """The forward pass, and all three products."""
    lib, rng = library(contestant), np.random.default_rng(0)
    if contestant == TORCH:
        lib.set_num_threads(1)
    shapes = (layer.batch, layer.channels, layer.size, layer.size), (layer.filters, layer.channels, *[layer.kernel] * 2)
    x, w = (lib.tensor(rng.standard_normal(s).astype(np.float32), requires_grad=True) for s in shapes)
    conv = lib.nn.functional.conv2d

    def forward() -> Any:
        with lib.no_grad():
            return conv(x, w, None, layer.stride, layer.padding)

    def step() -> Any:
        y = conv(x, w, None, layer.stride, layer.padding)
        return y, *lib.autograd.grad(y, (x, w), g)

    g = lib.ones_like(forward())
    functions = {"forward": forward, "with gradients": step}
    return {name: lib.compile(f, fullgraph=True) if contestant == NBGRAD else f for name, f in functions.items()}


def line(layer: Layer) -> str:
    """A row of the table: GFLOP/s of both, and nbgrad's time as a share of PyTorch's."""
    contestants = [name for name in (NBGRAD, TORCH) if not why_absent(name, False)]
    made = {name: works(name, layer) for name in contestants}
    cells = [layer.name, f"{layer.batch} x {layer.channels} x {layer.size}^2 to {layer.filters}"]
    for what, products in (("forward", 1), ("with gradients", 3)):
        seconds = best_seconds({name: made[name][what] for name in contestants})
        cells.append(", ".join([f"{products * layer.flops / s / 1e9:.0f}" for s in seconds.values()]))
        cells.append(f"{seconds[NBGRAD] / seconds[TORCH]:.2f}" if TORCH in seconds else "")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.convolutions", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="only layers with this in their name")
    args = parser.parse_args()
    for variable in ("OMP_NUM_THREADS", "NBGRAD_NUM_THREADS"):
        os.environ[variable] = "1"
    print("| convolution | of | forward: nbgrad, PyTorch | time | with gradients | time |")
    print("| --- | --- | --- | --- | --- | --- |")
    for layer in LAYERS:
        if args.name in layer.name:
            print(line(layer), flush=True)


if __name__ == "__main__":
    main()

"""Convolutions of nbgrad, PyTorch, oneDNN and of columns over BLAS: ``python -m bench.convolutions [NAME]``, GFLOP/s.

One thread, CPU time, the best of many rounds in which all take turns: the forward pass alone, then with the gradients
of input and weight. nbgrad runs compiled functions, so that Python takes no part in the figures. oneDNN (``onednn.py``)
computes in layouts of its own: "there and back" has the way from rows and to them in its time, as has PyTorch, which
calls oneDNN, too. "im2col" copies the columns that a NumPy product multiplies; it has no gradients here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from bench import onednn
from bench.libraries import NBGRAD, TORCH, library, why_absent
from bench.products import best_seconds, on_one_thread

ONEDNN: Final = "oneDNN"
THERE_AND_BACK: Final = "there and back"
IM2COL: Final = "im2col"
FORWARD: Final = "forward"
GRADIENTS: Final = "with gradients"
COLUMNS: Final = (NBGRAD, TORCH, THERE_AND_BACK, ONEDNN, IM2COL)
Works = dict[str, Callable[[], Any]]  # by what is computed


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


def works(layer: Layer) -> dict[str, Works]:
    """Of those who are installed, what computes the forward pass, and all three products."""
    rng = np.random.default_rng(0)
    shapes = (layer.batch, layer.channels, layer.size, layer.size), (layer.filters, layer.channels, *[layer.kernel] * 2)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    made = {name: _of_library(name, layer, x, w) for name in (NBGRAD, TORCH) if not why_absent(name, False)}
    if not onednn.why_absent():
        window = onednn.Window(*shapes, layer.stride, layer.padding)
        conv = onednn.Convolution(window, x, w, np.ones(window.y, np.float32))
        conv.step(gradients=True, moves=True)()  # its own layouts hold numbers from here on
        for name, moves in ((ONEDNN, False), (THERE_AND_BACK, True)):
            made[name] = {what: conv.step(gradients=what == GRADIENTS, moves=moves) for what in (FORWARD, GRADIENTS)}
    made[IM2COL] = {FORWARD: lambda: by_columns(layer, x, w)}
    return made


def _of_library(contestant: str, layer: Layer, *arrays: Any) -> Works:
    lib = library(contestant)
    if contestant == TORCH:
        lib.set_num_threads(1)
    x, w = (lib.tensor(array, requires_grad=True) for array in arrays)
    conv = lib.nn.functional.conv2d

    def forward() -> Any:
        with lib.no_grad():
            return conv(x, w, None, layer.stride, layer.padding)

    def step() -> Any:
        y = conv(x, w, None, layer.stride, layer.padding)
        return y, *lib.autograd.grad(y, (x, w), g)

    g = lib.ones_like(forward())
    functions = {FORWARD: forward, GRADIENTS: step}
    return {name: lib.compile(f, fullgraph=True) if contestant == NBGRAD else f for name, f in functions.items()}


def by_columns(layer: Layer, x: Any, w: Any) -> Any:
    """The forward pass as one product of each image: filters by columns that are copied."""
    n, padding, stride = layer.kernel, layer.padding, layer.stride
    padded = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (n, n), (2, 3))[:, :, ::stride, ::stride]
    out = seen.shape[2]
    columns = seen.transpose(0, 1, 4, 5, 2, 3).reshape(len(x), -1, out * out)
    return (w.reshape(len(w), -1) @ columns).reshape(len(x), len(w), out, out)


def line(layer: Layer) -> str:
    """A row of the table: GFLOP/s of all, and nbgrad's time as a share of the best of the others that begin and end row
    by row."""
    made = works(layer)
    cells = [layer.name, f"{layer.batch} x {layer.channels} x {layer.size}^2 to {layer.filters}"]
    for what, products in ((FORWARD, 1), (GRADIENTS, 3)):
        seconds = best_seconds({name: work[what] for name, work in made.items() if what in work})
        rates = [f"{products * layer.flops / seconds[name] / 1e9:.0f}" if name in seconds else "" for name in COLUMNS]
        peers = [s for name, s in seconds.items() if name not in (NBGRAD, ONEDNN)]
        cells += [*rates, f"{seconds[NBGRAD] / min(peers):.2f}" if peers else ""]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.convolutions", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="only layers with this in their name")
    args = parser.parse_args()
    on_one_thread("bench.convolutions")
    print(f"| convolution | of | {FORWARD}: {' | '.join(COLUMNS)} | time | {GRADIENTS}: {' | '.join(COLUMNS)} | time |")
    print("| --- " * (4 + 2 * len(COLUMNS)) + "|")
    for layer in LAYERS:
        if args.name in layer.name:
            print(line(layer), flush=True)


if __name__ == "__main__":
    main()

"""Two small programs written for PyTorch, run in both libraries by the change of one import: a transformer that learns
to write sequences backwards, and a network of characters over packed words. Weights are PyTorch's; losses and gradients
are compared over steps of training.

    python -m tests.nn.test_ports        measures them, in turns
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from tests.beside_torch import theirs

PAD, BEGIN = 0, 1
WORDS = ["tensor", "gradient", "tape", "kernel", "fuse", "loop", "stride", "view"]
LETTERS = sorted(set("".join(WORDS)))

Program = tuple[Any, Callable[[], Any]]  # a module, and what gives its loss


def backwards(torch: Any, dtype: str, *, width: int = 16, length: int = 6, batch: int = 4) -> Program:
    """A transformer of tokens that is taught to give them in reverse order."""
    nn, vocabulary = torch.nn, 11

    class Reverser(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(vocabulary, width, padding_idx=PAD)
            at = torch.arange(length + 1).unsqueeze(1)
            rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
            places = torch.zeros(length + 1, width)
            places[:, 0::2], places[:, 1::2] = torch.sin(at * rate), torch.cos(at * rate)
            self.register_buffer("places", places)
            self.transformer = nn.Transformer(width, 4, 2, 2, 2 * width, dropout=0.0, batch_first=True)
            self.head = nn.Linear(width, vocabulary)

        def forward(self, src: Any, tgt: Any) -> Any:
            mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1)) < 0
            found = self.transformer(
                self.embed(src) * math.sqrt(width) + self.places[: src.size(1)],
                self.embed(tgt) * math.sqrt(width) + self.places[: tgt.size(1)],
                tgt_mask=mask,
                src_key_padding_mask=src == PAD,
                memory_key_padding_mask=src == PAD,
            )
            return self.head(found)

    rng = np.random.default_rng(0)
    src, tgt = np.full((batch, length), PAD), np.full((batch, length + 1), PAD)
    for k in range(batch):
        n = int(rng.integers(length // 2, length + 1))
        src[k, :n] = rng.integers(2, vocabulary, n)
        tgt[k, 0], tgt[k, 1 : n + 1] = BEGIN, src[k, :n][::-1]
    model = Reverser().to(getattr(torch, dtype))
    x, y = torch.tensor(src), torch.tensor(tgt)

    def loss() -> Any:
        scores = model(x, y[:, :-1])
        return nn.functional.cross_entropy(
            scores.reshape(-1, vocabulary), y[:, 1:].reshape(-1), ignore_index=PAD, label_smoothing=0.1
        )

    return model, loss


def letters(torch: Any, dtype: str, *, width: int = 12, words: int = 8) -> Program:
    """A network that says the next letter of each word, over words of different lengths."""
    nn, rnn = torch.nn, torch.nn.utils.rnn

    class Speller(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(len(LETTERS), 8)
            self.lstm = nn.LSTM(8, width, num_layers=2, batch_first=True, proj_size=width // 2)
            self.head = nn.Linear(width // 2, len(LETTERS))

        def forward(self, x: Any, lengths: Any) -> Any:
            packed = rnn.pack_padded_sequence(self.embed(x), lengths, batch_first=True, enforce_sorted=False)
            output, (h, c) = self.lstm(packed)
            padded, _ = rnn.pad_packed_sequence(output, batch_first=True, total_length=x.size(1))
            return self.head(padded), h, c

    coded = [torch.tensor([LETTERS.index(letter) for letter in WORDS[k % len(WORDS)]]) for k in range(words)]
    lengths = torch.tensor([len(word) - 1 for word in coded])
    x = rnn.pad_sequence([word[:-1] for word in coded], batch_first=True)
    y = rnn.pad_sequence([word[1:] for word in coded], batch_first=True, padding_value=-100)
    model = Speller().to(getattr(torch, dtype))

    def loss() -> Any:
        scores, h, c = model(x, lengths)
        return nn.functional.cross_entropy(scores.transpose(1, 2), y) + 1e-3 * (h.square().mean() + c.square().mean())

    return model, loss


def both(port: Callable[..., Program], dtype: str, **sizes: int) -> list[tuple[Any, Program]]:
    """The port in PyTorch, and with the same weights in nbgrad."""
    torch = theirs()
    torch.manual_seed(0)
    other, own = port(torch, dtype, **sizes), port(nb, dtype, **sizes)
    own[0].load_state_dict({k: nb.tensor(v.numpy()) for k, v in other[0].state_dict().items()})
    return [(torch, other), (nb, own)]


def trained(lib: Any, program: Program, steps: int) -> tuple[list[float], dict[str, Any]]:
    """The loss of each step, and the gradients of the first."""
    model, loss = program
    optimiser = lib.optim.Adam(model.parameters(), lr=0.01)
    losses, first = [], {}
    for k in range(steps):
        optimiser.zero_grad()
        value = loss()
        value.backward()
        if not k:
            first = {name: p.grad.clone().numpy() for name, p in model.named_parameters()}
        lib.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(value.item())
    return losses, first


@pytest.mark.cpu
@pytest.mark.parametrize("port", [backwards, letters])
def test_ports_train_as_in_pytorch(port: Callable[..., Program]) -> None:
    (torch, other), (_, own) = both(port, "float64")
    want, theirs_first = trained(torch, other, 5)
    got, first = trained(nb, own, 5)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert list(first) == list(theirs_first)
    for name, grad in first.items():
        np.testing.assert_allclose(grad, theirs_first[name], rtol=1e-8, atol=1e-11, err_msg=name)
    assert got[-1] < got[0]


def measured(port: Callable[..., Program], steps: int, rounds: int, **sizes: int) -> tuple[float, float, float]:
    """Seconds of a step: PyTorch, nbgrad, nbgrad compiled; the medians of rounds in turns."""
    (torch, other), (_, own) = both(port, "float32", **sizes)
    _, fast = both(port, "float32", **sizes)[1]
    torch.set_num_threads(1)

    def step_of(lib: Any, program: Program) -> Callable[[], Any]:
        model, loss = program
        optimiser = lib.optim.Adam(model.parameters(), lr=1e-3)

        def step() -> Any:
            optimiser.zero_grad()
            value = loss()
            value.backward()
            optimiser.step()
            return value

        return step

    runs = [step_of(torch, other), step_of(nb, own), nb.compile(step_of(nb, fast))]
    for run in runs:
        for _ in range(20):
            run().item()
    times: list[list[float]] = [[], [], []]
    for _ in range(rounds):
        for k, run in enumerate(runs):
            begin = time.perf_counter()
            for _ in range(steps):
                value = run()
            value.item()
            times[k].append((time.perf_counter() - begin) / steps)
    return tuple(map(statistics.median, times))  # type: ignore[return-value]


if __name__ == "__main__":
    for port, sizes in (
        (backwards, {}),
        (backwards, {"width": 64, "length": 20, "batch": 16}),
        (letters, {}),
        (letters, {"width": 64, "words": 32}),
    ):
        torch_s, own_s, compiled_s = measured(port, 5, 15, **sizes)
        print(
            f"{port.__name__} {sizes}: PyTorch {torch_s * 1e3:.2f} ms, nbgrad {own_s * 1e3:.2f} ms "
            f"({own_s / torch_s:.2f} of it), compiled {compiled_s * 1e3:.2f} ms ({compiled_s / torch_s:.2f})"
        )

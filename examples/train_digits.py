"""Train a small network on handwritten digits, in a plain PyTorch-style loop.

    python examples/train_digits.py                      the digits that come with scikit-learn
    python examples/train_digits.py --data mine.npz      your own arrays (see --help)
    python examples/train_digits.py --resume             go on where Ctrl-C stopped it

Writes OUT/checkpoint.npz and OUT/loss.png.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from digits_data import KEYS_HELP, Data, DataError, digits, from_file
from tqdm import tqdm

import nbgrad as nb
from nbgrad import nn, optim

DEFAULTS: dict[str, Any] = {"batch_size": 64, "lr": 1e-3, "seed": 0, "hidden": 128}  # a checkpoint fixes these
INTERRUPTED = 130  # the shell's exit status for a program stopped by Ctrl-C


class Training:
    """Everything that goes on from step to step, so everything that a checkpoint holds."""

    def __init__(self, data: Data, settings: dict[str, Any]) -> None:
        nb.manual_seed(settings["seed"])
        self.settings = settings
        self.data = data
        self.model = nn.Sequential(
            nn.Linear(data.x.shape[1], settings["hidden"]),
            nn.ReLU(),
            nn.Linear(settings["hidden"], data.classes),
        )
        self.optimizer = optim.Adam(self.model.parameters(), lr=settings["lr"])
        self.loss_fn = nn.CrossEntropyLoss()
        self.losses: list[float] = []  # one per step: its length says where we are
        self.x, self.y = nb.from_numpy(data.x), nb.from_numpy(data.y)
        self.x_test, self.y_test = nb.from_numpy(data.x_test), nb.from_numpy(data.y_test)

    @property
    def steps_per_epoch(self) -> int:
        return math.ceil(len(self.data.x) / self.settings["batch_size"])

    def save(self, path: Path) -> None:
        """Write all of it at once: a crash leaves the former checkpoint."""
        nb.save(
            {
                "settings": self.settings,
                "data": self.data.fingerprint,
                "losses": np.array(self.losses),
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
            },
            path,
        )

    def restore(self, saved: dict[str, Any]) -> None:
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.losses = saved["losses"].tolist()

    def accuracy(self) -> float:
        """The share of test samples whose largest score is the right one."""
        with nb.no_grad():
            return (self.model(self.x_test).argmax(1) == self.y_test).to(nb.float32).mean().item()


class Clock:
    """Adds up the time between laps under each lap's name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.epochs_s: list[float] = []  # how long each epoch took, its test included
        self.last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now

    def end_epoch(self) -> None:
        self.epochs_s.append(sum(self.seconds.values()) - sum(self.epochs_s))


class Interrupt:
    """Ctrl-C asks the loop to stop between two steps; a second Ctrl-C stops at once, without saving."""

    def __init__(self) -> None:
        self.asked = False
        signal.signal(signal.SIGINT, self.ask)

    def ask(self, signum: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


def train(training: Training, epochs: int, clock: Clock, interrupt: Interrupt) -> bool:
    """Train up to ``epochs`` in all; False when Ctrl-C came first."""
    model, optimizer, loss_fn = training.model, training.optimizer, training.loss_fn
    batch, n = training.settings["batch_size"], len(training.data.x)
    first_epoch, first_step = divmod(len(training.losses), training.steps_per_epoch)
    with tqdm(total=epochs * training.steps_per_epoch, initial=len(training.losses), unit="step") as bar:
        for epoch in range(first_epoch, epochs):
            # The order depends on seed and epoch alone, so a resumed run draws the same one.
            order = np.random.default_rng([training.settings["seed"], epoch]).permutation(n)
            x, y = training.x[order], training.y[order]
            first = first_step if epoch == first_epoch else 0
            for start in range(first * batch, n, batch):
                x_batch, y_batch = x[start : start + batch], y[start : start + batch]
                clock.lap("data")
                loss = loss_fn(model(x_batch), y_batch)
                clock.lap("recording the forward pass")
                optimizer.zero_grad()
                loss.backward()
                training.losses.append(loss.item())
                clock.lap("backward: forward and backward run")
                optimizer.step()
                clock.lap("recording the optimiser")
                bar.update()
                if interrupt.asked:
                    return False
            accuracy = training.accuracy()
            bar.set_description(f"epoch {epoch + 1}/{epochs}  test accuracy {100 * accuracy:.2f} %", refresh=False)
            clock.lap("test accuracy")
            clock.end_epoch()
    return True


def draw(losses: list[float], steps_per_epoch: int, path: Path) -> None:
    """The loss curve as a picture: every step, and the mean of each epoch."""
    import matplotlib

    matplotlib.use("Agg")  # no display needed
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    epochs = np.arange(1, len(losses) + 1) / steps_per_epoch
    axes.plot(epochs, losses, linewidth=0.5, alpha=0.5, label="each step")
    whole = len(losses) // steps_per_epoch
    if whole:
        means = np.reshape(losses[: whole * steps_per_epoch], (whole, steps_per_epoch)).mean(axis=1)
        axes.plot(np.arange(1, whole + 1), means, label="mean of an epoch")
    axes.set(xlabel="epoch", ylabel="loss", yscale="log", title="train_digits")
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def report(training: Training, clock: Clock, steps: int) -> None:
    """What was reached, how fast, and where the time went."""
    print(f"test accuracy {100 * training.accuracy():.2f} %, loss of the last step {training.losses[-1]:.4f}")
    total = sum(clock.seconds.values())
    best_s = min(clock.epochs_s)
    print(f"{steps} steps in {total:.2f} s: {steps / total:.0f} steps per second, compiling and testing included")
    print(f"best epoch: {training.steps_per_epoch / best_s:.0f} steps per second")
    print("where the time went:")
    for name, seconds in clock.seconds.items():
        print(f"  {name:36} {seconds:8.3f} s  {100 * seconds / total:5.1f} %")


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="FILE.npz", help=KEYS_HELP)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for checkpoint and picture (out)")
    parser.add_argument("--epochs", type=_positive_int, default=30, help="passes over the data, in all (30)")
    parser.add_argument("--batch-size", type=_positive_int, help="samples of a step (64)")
    parser.add_argument("--lr", type=_positive_float, help="learning rate of Adam (0.001)")
    parser.add_argument("--seed", type=_seed, help="fixes starting weights and order of samples (0)")
    parser.add_argument("--hidden", type=_positive_int, help="width of the hidden layer (128)")
    parser.add_argument("--resume", action="store_true", help="go on from OUT/checkpoint.npz, to the same numbers")
    return parser.parse_args(argv)


def _positive_int(text: str) -> int:
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def _seed(text: str) -> int:
    if (value := int(text)) < 0:
        raise argparse.ArgumentTypeError(f"must not be negative, not {value}")
    return value


def _positive_float(text: str) -> float:
    if not 0 < (value := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"must be a positive number, not {text}")
    return value


def prepared(args: argparse.Namespace, checkpoint: Path) -> Training:
    """A fresh training, or the one that the checkpoint holds; DataError when data or settings do not fit it."""
    data = from_file(args.data) if args.data else digits()
    given = {name: getattr(args, name) for name in DEFAULTS if getattr(args, name) is not None}
    if not args.resume:
        return Training(data, {**DEFAULTS, **given})
    if not checkpoint.is_file():
        raise DataError(f"there is no {checkpoint} to resume from; run without --resume, or give the right --out")
    saved = nb.load(checkpoint)
    for name, value in given.items():
        if value != saved["settings"][name]:
            option = "--" + name.replace("_", "-")
            raise DataError(
                f"{option} {value} differs from the checkpoint's {saved['settings'][name]}; a resumed run goes on with "
                f"its settings: leave {option} out"
            )
    if saved["data"] != data.fingerprint:
        raise DataError(f"{checkpoint} was trained on other data; resume with the same --data")
    training = Training(data, saved["settings"])
    training.restore(saved)
    return training


def finish(training: Training, clock: Clock, steps: int, args: argparse.Namespace, checkpoint: Path) -> None:
    """Report and draw a training that reached its last epoch."""
    if steps:
        report(training, clock, steps)
    else:
        print(f"nothing to do: {checkpoint} has all {len(training.losses) // training.steps_per_epoch} epochs already")
    draw(training.losses, training.steps_per_epoch, args.out / "loss.png")
    print(f"wrote {checkpoint} and {args.out / 'loss.png'}")


def run(args: argparse.Namespace, interrupt: Interrupt) -> int:
    """Prepare, train, save; gives the exit status."""
    checkpoint = args.out / "checkpoint.npz"
    training = prepared(args, checkpoint)
    args.out.mkdir(parents=True, exist_ok=True)
    done = len(training.losses)
    sizes = f"{len(training.x)} training samples, {len(training.x_test)} for the test, {training.data.classes} classes"
    print(sizes + (f", going on after step {done}" if args.resume else ""), flush=True)
    clock = Clock()
    finished = train(training, args.epochs, clock, interrupt)
    training.save(checkpoint)
    if not finished:
        print(f"interrupted: saved {checkpoint} after step {len(training.losses)}; go on with --resume")
        return INTERRUPTED
    finish(training, clock, len(training.losses) - done, args, checkpoint)
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run the program; gives the exit status."""
    args = arguments(argv)
    interrupt = Interrupt()
    try:
        return run(args, interrupt)
    except (DataError, nb.errors.StateError, OSError) as error:
        print(f"train_digits: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped at the second Ctrl-C, nothing was saved", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())

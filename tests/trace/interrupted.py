"""A loop that is interrupted again and again by code that uses tensors, and must not notice; run as a script.

    python interrupted.py HOW SEED [LOOP ...]

HOW code comes between two lines of the program, and which LOOP that is. The loop's values are those that it has
undisturbed, bit for bit, and so are those of whoever comes between.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import random
import signal
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import nbgrad as nb

STEPS = 30


def plain(step: int) -> list[Any]:
    w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    a = w * float(step % 7)
    b = a + 1.0
    (a * b).sum().backward()
    return [a, b, w.grad]


def baseline_tier(step: int) -> list[Any]:
    w = nb.full((2 + step % 50,), 0.5, requires_grad=True)
    h = w
    for k in range(step % 11):
        h = (h * 1.5).tanh() if (step >> k) & 1 else h + w
    h.sum().backward()
    return [h, w.grad]


class Training:
    """A model and its optimiser; ``model`` is looked at by whoever comes between."""

    def __init__(self, kind: str) -> None:
        nb.manual_seed(0)
        self.model = nb.nn.Sequential(nb.nn.Linear(8, 130), nb.nn.Tanh(), nb.nn.Linear(130, 1))
        make = {"adam": nb.optim.Adam, "sgd": nb.optim.SGD}[kind]
        self.optimizer = make(self.model.parameters(), lr=0.01)
        self.x = nb.randn(4, 8)

    def __call__(self, step: int) -> list[Any]:
        loss = (self.model(self.x) ** 2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return [loss] if step % 3 == 0 else []


class Compiled(Training):
    """The same, compiled."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.run = nb.compile(super().__call__)

    def __call__(self, step: int) -> list[Any]:
        return self.run(0)


class Momentum:
    """Writes in place, views, and derivatives of second order."""

    def __init__(self) -> None:
        self.m = nb.zeros(40, 30)

    def __call__(self, step: int) -> list[Any]:
        x = nb.full((30,), 0.1, requires_grad=True)
        (g,) = nb.autograd.grad((x**3).sum(), x, create_graph=True)
        (h,) = nb.autograd.grad(g.sum(), x)
        self.m[step % 40] += h
        self.m.mul_(0.9)
        self.m.T[:, 1:3].add_(0.25)
        return [h, self.m[1:4]] if step % 2 else [self.m]


LOOPS: dict[str, Callable[[], Callable[[int], list[Any]]]] = {
    "plain": lambda: plain,
    "baseline_tier": lambda: baseline_tier,
    "adam": lambda: Training("adam"),
    "sgd": lambda: Training("sgd"),
    "compiled": lambda: Compiled("adam"),
    "momentum": Momentum,
}


class Stranger:
    """Whoever comes between, with tensors of its own and a look at those of the loop."""

    def __init__(self, what: str, rng: random.Random) -> None:
        self.what, self.rng = what, rng
        self.own = nb.ones(3)
        self.count = 0
        self.came = 0
        self.seen: list[tuple[str, bytes]] = []
        self.model: Any = None
        self.inside = False
        self.path = os.path.join(tempfile.mkdtemp(), "saved.npz")

    def __call__(self, *_: Any) -> None:
        if self.inside:  # one at a time, as a signal may come while it works
            return
        self.inside = True
        try:
            self.came += 1
            getattr(self, self.what if self.what != "all" else self.rng.choice(WHAT))()
        finally:
            self.inside = False

    def read(self) -> None:
        value = (self.own * 2).sum().item()
        assert value == 6.0 + 6.0 * self.count, (value, self.count)

    def write(self) -> None:
        with nb.no_grad():
            self.own += 1.0
        self.count += 1
        assert self.own.tolist() == [1.0 + self.count] * 3

    def backward(self) -> None:
        w = nb.tensor([1.0, 2.0, 3.0], requires_grad=True)
        with nb.enable_grad():
            ((w * w).sum() + (w.tanh() * 0.5).sum() * 0).backward()
        assert w.grad is not None and w.grad.tolist() == [2.0, 4.0, 6.0]

    def save(self) -> None:
        if self.model is None:
            return self.read()
        state = self.model.state_dict()
        nb.save(state, self.path)
        for name, value in nb.load(self.path).items():
            self.seen.append((name, value.numpy().tobytes()))
        return None


OWN = ("read", "write", "backward")
WHAT = (*OWN, "save")


@contextlib.contextmanager
def signals(stranger: Stranger, rng: random.Random) -> Iterator[None]:
    is_over = False

    def wait() -> None:
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(5e-5, 3e-3))

    def handler(*_: Any) -> None:
        stranger()
        if not is_over:  # else the next one would find no handler, and end the process
            wait()

    before = signal.signal(signal.SIGALRM, handler)
    wait()
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Garbage:
    def __init__(self, call: Callable[[], None]) -> None:
        self.me, self.call = self, call
        self.t = nb.full((3,), 2.0) * 2

    def __del__(self) -> None:
        assert self.t.tolist() == [4.0] * 3
        self.call()


@contextlib.contextmanager
def garbage(stranger: Stranger, rng: random.Random) -> Iterator[None]:
    """Finalizers of cycles, and a callback of the collector, which comes often or seldom."""
    before = gc.get_threshold()
    gc.set_threshold(rng.choice((1, 2, 5, 20, 100, 700, 1000)))

    def called(phase: str, _: Any) -> None:
        if phase == "stop" and rng.random() < 0.01:
            stranger()
        if phase == "stop" and rng.random() < 0.1 and not stranger.inside:
            _Garbage(stranger)

    gc.callbacks.append(called)
    try:
        yield
    finally:
        gc.callbacks.remove(called)
        gc.set_threshold(*before)


@contextlib.contextmanager
def finalizers(stranger: Stranger, rng: random.Random) -> Iterator[None]:
    """Objects that die when a tensor does."""
    make = nb.Tensor.tanh

    class Held:
        pass

    def tanh(self: Any) -> Any:
        held = Held()
        weakref.finalize(held, stranger)
        y = make(self)
        del held
        return y

    nb.Tensor.tanh = tanh  # type: ignore[method-assign]
    try:
        yield
    finally:
        nb.Tensor.tanh = make  # type: ignore[method-assign]


def _every(stranger: Stranger, rng: random.Random, most: int) -> Callable[[], None]:
    wait = [rng.randrange(most)]

    def count() -> None:
        wait[0] -= 1
        if wait[0] < 0:
            wait[0] = rng.randrange(most)
            stranger()

    return count


@contextlib.contextmanager
def profile(stranger: Stranger, rng: random.Random) -> Iterator[None]:
    count = _every(stranger, rng, 2000)
    sys.setprofile(lambda *_: None if stranger.inside else count())
    try:
        yield
    finally:
        sys.setprofile(None)


@contextlib.contextmanager
def lines(stranger: Stranger, rng: random.Random) -> Iterator[None]:
    """Each line of the recorder may be the one."""
    count = _every(stranger, rng, 4000)

    def trace(frame: Any, event: str, arg: Any) -> Any:
        if stranger.inside or "nbgrad" not in frame.f_code.co_filename:
            return None
        count()
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(None)


HOW = {"signals": signals, "garbage": garbage, "finalizers": finalizers, "profile": profile, "lines": lines}


@functools.cache
def undisturbed(name: str) -> tuple[list[list[bytes]], set[tuple[str, bytes]]]:
    """What each step of the loop gives, and every state of each of its parameters."""
    loop = LOOPS[name]()
    model = getattr(loop, "model", None)
    given, states = [], set()
    for step in range(STEPS + 1):
        if model is not None:
            states |= {(k, v.detach().numpy().tobytes()) for k, v in model.state_dict().items()}
        given.append(_bytes(loop(step)))
    return given, states


def _bytes(tensors: list[Any]) -> list[bytes]:
    return [y.detach().numpy().tobytes() for y in tensors]


def disturb(name: str, what: str, how: str, rng: random.Random) -> Stranger:
    """Run the loop while code that does ``what`` comes between its lines."""
    alone, states = undisturbed(name)
    loop, stranger = LOOPS[name](), Stranger(what, rng)
    stranger.model = getattr(loop, "model", None)
    errors: list[BaseException] = []
    sys.unraisablehook = lambda unraisable: errors.append(unraisable.exc_value)  # type: ignore[assignment, arg-type]
    with HOW[how](stranger, rng):
        for step in range(STEPS):
            given = _bytes(loop(step))
            assert given == alone[step], f"step {step} gave something else"
    if errors:
        raise errors[0]
    strange = {k for k, v in stranger.seen if (k, v) not in states}
    assert not strange, f"half-written, or of no step: {strange}"
    return stranger


def main(how: str, seed: int, *names: str) -> None:
    rng = random.Random(seed)
    for name in names or LOOPS:
        for what in ("all", "save") if how in ("signals", "profile") else (*WHAT, "all"):
            stranger = disturb(name, what, how, rng)
            print(name, what, how, seed, "came", stranger.came, "saved", len(stranger.seen), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])

"""Functions as people write them, all of which have to be compiled: each gives (function, arguments of call k)."""

from __future__ import annotations

import argparse
import contextlib
import functools
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import nbgrad as nb
from nbgrad import nn, optim
from nbgrad.nn import functional as F

Made = tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]
log = logging.getLogger("people")


def model() -> Any:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def batch(k: int) -> tuple[Any, ...]:
    return nb.ones(5, 4) * (k + 1), nb.ones(5, 1)


def a_training_step() -> Made:
    net = model()
    optimizer = optim.SGD(net.parameters(), lr=0.1)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, batch


def a_trainer_with_a_schedule() -> Made:
    class Trainer:
        def __init__(self) -> None:
            self.net = model()
            self.optimizer = optim.Adam(self.net.parameters(), lr=0.1)
            self.schedule = optim.lr_scheduler.StepLR(self.optimizer, 3)
            self.steps, self.mean = 0, nb.zeros(())

        def step(self, x: Any, y: Any) -> Any:
            self.steps += 1
            loss = ((self.net(x) - y) ** 2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            self.mean = 0.9 * self.mean + 0.1 * loss.detach()
            return self.mean / (1 - 0.9**self.steps)

    return Trainer().step, batch


def parameters_that_are_arguments_too() -> Made:
    net = model()
    optimizer = optim.SGD(net.parameters(), lr=0.1)

    def step(params: Any, x: Any) -> Any:
        optimizer.zero_grad()
        loss = sum(p.pow(2).sum() for p in params) + net(x).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, lambda k: ([*net.parameters()], batch(k)[0])


def options_in_a_dataclass() -> Made:
    @dataclass
    class Options:
        rate: float = 0.5
        layers: list[int] = field(default_factory=lambda: [1, 2])

    options = Options()

    def run(x: Any) -> Any:
        for n in options.layers:
            x = x * options.rate + n
        return x

    return run, lambda k: batch(k)[:1]


def parsed_options() -> Made:
    options = argparse.Namespace(rate=0.5, verbose=False)
    return (lambda x: x * options.rate if not options.verbose else print(x)), lambda k: batch(k)[:1]


def nested_options() -> Made:
    options = {"model": {"dim": 4, "heads": 2}, "betas": (0.9, 0.99)}

    def run(x: Any) -> Any:
        first, second = options["betas"]
        heads = options["model"]["heads"]
        return x.reshape(5, heads, options["model"]["dim"] // heads) * first + options.get("rate", second)

    return run, lambda k: batch(k)[:1]


def printing_now_and_then() -> Made:
    def run(x: Any, i: int) -> Any:
        if i % 100 == 99:
            print("step", i)
        log.debug("step %s", i)
        return x * 2

    return run, lambda k: (batch(k)[0], k)


def an_enum_and_a_tuple() -> Made:
    class Mode(Enum):
        L1 = 1
        L2 = 2

    class State(NamedTuple):
        position: Any
        speed: Any

    mode = Mode.L2

    def run(x: Any) -> Any:
        state = State(x, x * 0.5)
        state = state._replace(position=state.position + state.speed)
        return state.position.abs() if mode is Mode.L1 else state.position**2

    return run, lambda k: batch(k)[:1]


def layers_by_name() -> Made:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for i in range(3):
                setattr(self, f"layer{i}", nn.Linear(4, 4))

        def forward(self, x: Any) -> Any:
            for i in range(3):
                x = getattr(self, f"layer{i}")(x).tanh()
            return x

    return Net().forward, lambda k: batch(k)[:1]


def a_table_of_functions() -> Made:
    table = {"relu": nb.relu, "swish": lambda v: v * v.sigmoid()}
    order = ["relu", "swish"]
    return (lambda x: functools.reduce(lambda v, name: table[name](v), order, x)), lambda k: batch(k)[:1]


def a_cached_helper() -> Made:
    @functools.lru_cache(maxsize=64)
    def order(pattern: str) -> tuple[int, ...]:
        left, right = (side.split() for side in pattern.split("->"))
        return tuple(left.index(name) for name in right)

    return (lambda x: x.permute(*order("a b -> b a"))), lambda k: batch(k)[:1]


def decorators_and_partials() -> Made:
    def twice(f: Any) -> Any:
        @functools.wraps(f)
        def g(*args: Any) -> Any:
            return f(f(*args))

        return g

    @twice
    def wave(x: Any) -> Any:
        return x.sin()

    scaled = functools.partial(lambda scale, x: x * scale, 2.0)
    return (lambda x: scaled(wave(x))), lambda k: batch(k)[:1]


def a_context_manager() -> Made:
    net = model()

    @contextlib.contextmanager
    def frozen() -> Any:
        with nb.no_grad():
            yield net

    def run(x: Any) -> Any:
        with frozen() as inner, contextlib.nullcontext():
            return inner(x)

    return run, lambda k: batch(k)[:1]


def constants_of_numpy() -> Made:
    frequencies = np.linspace(0.0, 1.0, 4)
    return (lambda x: x * nb.tensor(frequencies.astype(np.float32)) * float(np.sqrt(2.0))), lambda k: batch(k)[:1]


def a_schedule_of_math() -> Made:
    return (lambda x, t: x * (0.5 * (1 + math.cos(math.pi * min(t, 100) / 100)))), lambda k: (batch(k)[0], k)


def an_import_inside() -> Made:
    def run(x: Any) -> Any:
        import operator
        from functools import reduce

        return x * reduce(operator.add, [1.0, 2.0])

    return run, lambda k: batch(k)[:1]


def options_that_may_be_missing() -> Made:
    def run(x: Any, options: Any) -> Any:
        try:
            rate = options["rate"]
        except KeyError:
            rate = 1.0
        if isinstance(rate, (int, float)) and hasattr(x, "shape"):
            return x * rate
        raise TypeError(f"rate is a {type(rate).__name__}")

    return run, lambda k: (batch(k)[0], {})


def a_namespace_argument() -> Made:
    p = SimpleNamespace(k=2.0, m=4.0)
    return (lambda x, p: x * p.k / p.m), lambda k: (batch(k)[0], p)


def many_builtins() -> Made:
    weights = [1.0, 3.0, 2.0]

    def run(x: Any) -> Any:
        y = 0
        for i, (a, b) in enumerate(zip(weights, sorted(weights, key=lambda v: -v), strict=True)):
            y = y + x * max(a, b) * (i + 1)
        for v in reversed(weights):
            y = y / abs(v)
        return y * sum(weights) * any(v > 2 for v in weights) + len(list(map(float, filter(None, weights))))

    return run, lambda k: batch(k)[:1]


def two_optimizers() -> Made:
    g, d = model(), nn.Linear(1, 1)
    og, od = optim.Adam(g.parameters(), lr=0.01), optim.RMSprop(d.parameters(), lr=0.01)

    def step(z: Any) -> Any:
        fake = g(z)
        od.zero_grad()
        ld = F.softplus(d(fake.detach())).mean()
        ld.backward()
        od.step()
        og.zero_grad()
        lg = F.softplus(-d(fake)).mean()
        lg.backward()
        og.step()
        return {"g": lg.detach(), "d": ld.detach()}

    return step, lambda k: batch(k)[:1]


PEOPLE = [f for f in list(globals().values()) if getattr(f, "__annotations__", {}).get("return") == "Made"]

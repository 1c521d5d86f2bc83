"""A network built from 0-d numbers, 674 operations: the graph of those who learn autograd by writing one."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from bench.libraries import (
    AUTOGRAD,
    COMPILED,
    JAX,
    NBGRAD,
    NBGRAD_COMPILED,
    NUMBA,
    TORCH,
    autograd_functions,
    jax_functions,
    library,
)
from bench.measure import Case, Work

SAMPLES, HIDDEN = 15, 6  # 15 * (6 * (2 + 2 + 1) + 2 * 6 + 3) - 1 operations
OPERATIONS = 674
PYTHON = "Python by hand"


def _loss(tanh: Any, weights: Any, samples: list[tuple[float, float, float]]) -> Any:
    """Squared error of a network of two inputs, six hidden units and one output; ``weights`` are 25 numbers."""
    total: Any = None
    for a, b, wanted in samples:
        out = weights[-1]
        for k in range(HIDDEN):
            w0, w1, shift, up = weights[4 * k : 4 * k + 4]
            out = out + tanh(w0 * a + w1 * b + shift) * up
        error = out - wanted
        square = error * error
        total = square if total is None else total + square
    return total


class Value:
    """A number that remembers how it was made: the tape of textbooks, in pure Python."""

    __slots__ = ("data", "grad", "local", "parents")

    def __init__(self, data: float, parents: tuple[Value, ...] = (), local: tuple[float, ...] = ()) -> None:
        self.data, self.parents, self.local, self.grad = data, parents, local, 0.0

    def __add__(self, other: Value) -> Value:
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __sub__(self, other: float) -> Value:
        return Value(self.data - other, (self,), (1.0,))

    def __mul__(self, other: Any) -> Value:
        if isinstance(other, Value):
            return Value(self.data * other.data, (self, other), (other.data, self.data))
        return Value(self.data * other, (self,), (other,))

    def tanh(self) -> Value:
        t = math.tanh(self.data)
        return Value(t, (self,), (1.0 - t * t,))

    def backward(self) -> None:
        order: list[Value] = []
        seen, stack = set(), [(self, False)]
        while stack:
            value, done = stack.pop()
            if done:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                stack.append((value, True))
                stack += [(parent, False) for parent in value.parents]
        self.grad = 1.0
        for value in reversed(order):
            for parent, slope in zip(value.parents, value.local, strict=True):
                parent.grad += slope * value.grad


def _python(numbers: Any, samples: Any) -> Work:
    def work() -> Any:
        weights = [Value(w) for w in numbers.tolist()]
        loss = _loss(Value.tanh, weights, samples)
        loss.backward()
        return loss.data, np.array([w.grad for w in weights])

    return work


def _define_by_run(name: str, numbers: Any, samples: Any) -> Work:
    lib = library(name)
    loss_fn = partial(_loss, lib.tanh)
    if name == COMPILED:
        loss_fn = lib.compile(loss_fn)
    weights = [lib.tensor(w, requires_grad=True, dtype=lib.float64) for w in numbers.tolist()]

    def step() -> Any:
        for w in weights:
            w.grad = None
        loss = loss_fn(weights, samples)
        loss.backward()
        return loss.detach()

    run = lib.compile(step, fullgraph=True) if name == NBGRAD_COMPILED else step
    return lambda: (run(), np.array([w.grad.item() for w in weights]))


def _jax(numbers: Any, samples: Any) -> Work:
    jnp = jax_functions()
    import jax

    step = jax.jit(jax.value_and_grad(lambda weights: _loss(jnp.tanh, weights, samples)))
    weights = [jnp.asarray(w) for w in numbers.tolist()]

    def work() -> Any:
        loss, grads = step(weights)
        return loss, np.array([g.item() for g in grads])

    return work


def _autograd(numbers: Any, samples: Any) -> Work:
    anp = autograd_functions()
    import autograd

    step = autograd.value_and_grad(lambda weights: _loss(anp.tanh, weights, samples))
    weights = numbers.tolist()

    def work() -> Any:
        loss, grads = step(weights)
        return loss, np.array(grads)

    return work


def _by_hand(numbers: Any, samples: Any) -> Work:
    from numba import njit

    @njit
    def run(w: Any, samples: Any) -> Any:
        grad, total = np.zeros_like(w), 0.0
        hidden = np.empty(HIDDEN)
        for s in range(samples.shape[0]):
            a, b, wanted = samples[s]
            out = w[-1]
            for k in range(HIDDEN):
                hidden[k] = math.tanh(w[4 * k] * a + w[4 * k + 1] * b + w[4 * k + 2])
                out += hidden[k] * w[4 * k + 3]
            total += (out - wanted) ** 2
            g = 2 * (out - wanted)
            grad[-1] += g
            for k in range(HIDDEN):
                grad[4 * k + 3] += g * hidden[k]
                inner = g * w[4 * k + 3] * (1 - hidden[k] ** 2)
                grad[4 * k] += inner * a
                grad[4 * k + 1] += inner * b
                grad[4 * k + 2] += inner
        return total, grad

    array = np.array(samples)
    return lambda: run(numbers, array)


def cases(quick: bool) -> list[Case]:
    """Loss and gradient of every library, of a tape in pure Python, and of two loops."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=4 * HIDDEN + 1)
    samples = [(float(a), float(b), float(a * b)) for a, b in rng.uniform(-1, 1, (SAMPLES, 2))]
    makers = {
        NBGRAD: partial(_define_by_run, NBGRAD, numbers, samples),
        NBGRAD_COMPILED: partial(_define_by_run, NBGRAD_COMPILED, numbers, samples),
        TORCH: partial(_define_by_run, TORCH, numbers, samples),
        COMPILED: partial(_define_by_run, COMPILED, numbers, samples),
        JAX: partial(_jax, numbers, samples),
        AUTOGRAD: partial(_autograd, numbers, samples),
        PYTHON: partial(_python, numbers, samples),
        NUMBA: partial(_by_hand, numbers, samples),
    }
    goals = {TORCH: 0.1, PYTHON: 1.0}
    return [
        Case(
            "scalar graph, forward and backward",
            f"{OPERATIONS} operations on float64 numbers",
            makers,
            per=OPERATIONS,
            goals=goals,
            compiled_goals={JAX: 0.1},
            floor=NUMBA,
            rtol=1e-9,
        )
    ]

"""Linear regression over 100 epochs, as the documents of PyTorch's C++ API write it: tiny tensors, in-place updates."""

from __future__ import annotations

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
    NUMPY,
    TORCH,
    jax_functions,
    library,
)
from bench.measure import Case, Work

EPOCHS, POINTS, RATE, EVERY = 100, 100, 0.01, 10
SCAN = "JAX jit, scan"


def _define_by_run(name: str, x_array: Any, y_array: Any) -> Work:
    lib = library(name)
    x, y = lib.tensor(x_array), lib.tensor(y_array)

    def loss_of(w: Any, b: Any) -> Any:
        return (x.mm(w) + b - y).pow(2).mean()

    forward = lib.compile(loss_of) if name == COMPILED else loss_of

    def work() -> Any:
        w = lib.zeros(1, 1, requires_grad=True)
        b = lib.zeros(1, requires_grad=True)
        losses = []
        for epoch in range(EPOCHS):
            loss = forward(w, b)
            loss.backward()
            with lib.no_grad():
                w -= RATE * w.grad
                b -= RATE * b.grad
                w.grad.zero_()
                b.grad.zero_()
            if epoch % EVERY == 0:
                losses.append(loss.item())
        return losses, w, b

    return work


def _compiled(x_array: Any, y_array: Any) -> Work:
    """An epoch compiled, updates included."""
    lib = library(NBGRAD)
    x, y = lib.tensor(x_array), lib.tensor(y_array)

    @lib.compile(fullgraph=True)
    def train(w: Any, b: Any) -> Any:
        loss = (x.mm(w) + b - y).pow(2).mean()
        loss.backward()
        with lib.no_grad():
            w -= RATE * w.grad
            b -= RATE * b.grad
            w.grad.zero_()
            b.grad.zero_()
        return loss.detach()

    def work() -> Any:
        w = lib.zeros(1, 1, requires_grad=True)
        b = lib.zeros(1, requires_grad=True)
        losses = []
        for epoch in range(EPOCHS):
            loss = train(w, b)
            if epoch % EVERY == 0:
                losses.append(loss.item())
        return losses, w, b

    return work


def _jax_loss(params: Any, x: Any, y: Any) -> Any:
    w, b = params
    return ((x @ w + b - y) ** 2).mean()


def _jax(x_array: Any, y_array: Any) -> Work:
    """One compiled step, called in a Python loop."""
    jnp = jax_functions()
    import jax

    x, y = jnp.asarray(x_array), jnp.asarray(y_array)

    @jax.jit
    def train(params: Any) -> Any:
        loss, grads = jax.value_and_grad(_jax_loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - RATE * g, params, grads), loss

    def work() -> Any:
        params = jnp.zeros((1, 1), jnp.float32), jnp.zeros(1, jnp.float32)
        losses = []
        for epoch in range(EPOCHS):
            params, loss = train(params)
            if epoch % EVERY == 0:
                losses.append(float(loss))
        return losses, *jax.block_until_ready(params)

    return work


def _jax_scan(x_array: Any, y_array: Any) -> Work:
    """The whole training as one compiled loop."""
    jnp = jax_functions()
    import jax

    x, y = jnp.asarray(x_array), jnp.asarray(y_array)

    def train(params: Any, _: Any) -> Any:
        loss, grads = jax.value_and_grad(_jax_loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - RATE * g, params, grads), loss

    run = jax.jit(lambda params: jax.lax.scan(train, params, length=EPOCHS))

    def work() -> Any:
        params, losses = run((jnp.zeros((1, 1), jnp.float32), jnp.zeros(1, jnp.float32)))
        return [float(loss) for loss in np.asarray(losses)[::EVERY]], *params

    return work


def _autograd(x: Any, y: Any) -> Work:
    import autograd

    step = autograd.value_and_grad(_jax_loss)

    def work() -> Any:
        w, b = np.zeros((1, 1), np.float32), np.zeros(1, np.float32)
        losses = []
        for epoch in range(EPOCHS):
            loss, (grad_w, grad_b) = step((w, b), x, y)
            w, b = w - RATE * grad_w, b - RATE * grad_b
            if epoch % EVERY == 0:
                losses.append(float(loss))
        return losses, w, b

    return work


def _numpy(x: Any, y: Any) -> Work:
    def work() -> Any:
        w, b = np.zeros((1, 1), np.float32), np.zeros(1, np.float32)
        losses = []
        for epoch in range(EPOCHS):
            error = x @ w + b - y
            g = error * np.float32(2 / POINTS)
            w -= np.float32(RATE) * (x.T @ g)
            b -= np.float32(RATE) * g.sum(0)
            if epoch % EVERY == 0:
                losses.append(float((error * error).mean()))
        return losses, w, b

    return work


def _by_hand(x: Any, y: Any) -> Work:
    from numba import njit

    @njit
    def run(x: Any, y: Any) -> Any:
        w = b = np.float32(0)
        losses = np.empty(EPOCHS // EVERY, np.float32)
        for epoch in range(EPOCHS):
            loss = grad_w = grad_b = np.float32(0)
            for i in range(x.size):
                error = x[i] * w + b - y[i]
                loss += error * error
                grad_w += error * x[i]
                grad_b += error
            w -= np.float32(2 * RATE / POINTS) * grad_w
            b -= np.float32(2 * RATE / POINTS) * grad_b
            if epoch % EVERY == 0:
                losses[epoch // EVERY] = loss / np.float32(POINTS)
        return losses, w, b

    flat_x, flat_y = x[:, 0].copy(), y[:, 0].copy()

    def work() -> Any:
        losses, w, b = run(flat_x, flat_y)
        return losses.tolist(), np.full((1, 1), w), np.full(1, b)

    return work


def cases(quick: bool) -> list[Case]:
    """100 points on y = 3 x + 2 with noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(POINTS, 1)).astype(np.float32)
    y = (3 * x + 2 + 0.1 * rng.normal(size=x.shape)).astype(np.float32)
    makers = {name: partial(_define_by_run, name, x, y) for name in (NBGRAD, TORCH, COMPILED)}
    others = {
        NBGRAD_COMPILED: _compiled,
        JAX: _jax,
        SCAN: _jax_scan,
        AUTOGRAD: _autograd,
        NUMPY: _numpy,
        NUMBA: _by_hand,
    }
    makers |= {name: partial(make, x, y) for name, make in others.items()}
    return [
        Case(
            "linear regression",
            f"{EPOCHS} epochs",
            makers,
            per=EPOCHS,
            goals={TORCH: 0.15},
            compiled_goals={JAX: 0.5},
            floor=NUMBA,
            rtol=1e-3,
        )
    ]

"""Training steps of a 784-256-128-10 network with cross entropy: the loop that most people write first."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from bench import jax_optimizers
from bench.floor import GEMMS, gemms
from bench.libraries import (
    AUTOGRAD,
    COMPILED,
    JAX,
    NBGRAD,
    NBGRAD_COMPILED,
    TORCH,
    autograd_functions,
    jax_functions,
    library,
)
from bench.measure import Case, Work
from bench.ways import training_step

WIDTHS = (784, 256, 128, 10)
BATCHES = 8
RATE = {"SGD": 0.05, "Adam": 1e-3}


def _arrays(batch: int) -> tuple[Any, Any, list[Any]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(BATCHES * batch, WIDTHS[0])).astype(np.float32)
    y = rng.integers(0, WIDTHS[-1], len(x))
    weights = []
    for fan_in, fan_out in pairwise(WIDTHS):
        weights += [
            (rng.normal(size=(fan_out, fan_in)) / fan_in**0.5).astype(np.float32),
            np.zeros(fan_out, np.float32),
        ]
    return x, y, weights


def define_by_run(name: str, batch: int, rule: str, device: str = "cpu") -> Work:
    """nbgrad and PyTorch."""
    lib = library(name)
    nn = lib.nn
    x_array, y_array, weights = _arrays(batch)
    x, y = lib.from_numpy(x_array).to(device), lib.from_numpy(y_array).to(device)
    layers = [nn.Linear(n, m) for n, m in pairwise(WIDTHS)]
    model = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    model.load_state_dict({key: lib.tensor(w) for key, w in zip(model.state_dict(), weights, strict=True)})
    model.to(device)
    optimizer = getattr(lib.optim, rule)(model.parameters(), lr=RATE[rule])
    criterion = nn.CrossEntropyLoss()
    mode = "reduce-overhead" if device == "cuda" else None  # CUDA graphs
    forward = lib.compile(model, mode=mode) if name == COMPILED else model
    run = training_step(name, optimizer, lambda images, labels: criterion(forward(images), labels))
    step = 0

    def work() -> float:
        nonlocal step
        begin = step % BATCHES * batch
        step += 1
        loss: float = run(x[begin : begin + batch], y[begin : begin + batch]).item()
        return loss

    return work


def by_jax(batch: int, rule: str) -> Work:
    """JAX, the whole step compiled."""
    jnp = jax_functions()
    import jax

    x, y, weights = _arrays(batch)
    begin_state, update = {"SGD": jax_optimizers.sgd, "Adam": jax_optimizers.adam}[rule](RATE[rule])

    def loss_of(params: Any, x: Any, y: Any) -> Any:
        for w, b in (params[0:2], params[2:4]):
            x = jnp.relu(x @ w.T + b)
        log_p = jnp.log_softmax(x @ params[4].T + params[5])
        return -jnp.take_along_axis(log_p, y[:, None], 1).mean()

    @partial(jax.jit, donate_argnums=(0, 1))
    def train(params: Any, state: Any, x: Any, y: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(params, x, y)
        return (*update(params, grads, state), loss)

    params = [jnp.asarray(w) for w in weights]
    state = begin_state(params)
    step = 0

    def work() -> float:
        nonlocal params, state, step
        begin = step % BATCHES * batch
        step += 1
        params, state, loss = train(params, state, x[begin : begin + batch], y[begin : begin + batch])
        return float(loss)

    return work


def by_autograd(batch: int, rule: str) -> Work:
    """HIPS autograd, the parameters updated in NumPy."""
    anp = autograd_functions()
    import autograd

    x, y, weights = _arrays(batch)

    def loss_of(params: Any, x: Any, y: Any) -> Any:
        for w, b in (params[0:2], params[2:4]):
            x = anp.maximum(anp.dot(x, w.T) + b, 0)
        z = anp.dot(x, params[4].T) + params[5]
        return anp.mean(anp.logsumexp(z, axis=1) - z[np.arange(len(y)), y])

    gradient = autograd.value_and_grad(loss_of)
    moments = [(np.zeros_like(w), np.zeros_like(w)) for w in weights]
    step = 0

    def adam(w: Any, g: Any, mean: Any, square: Any) -> None:
        mean += 0.1 * (g - mean)
        square += 0.001 * (g * g - square)
        w -= RATE[rule] / (1 - 0.9**step) * mean / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)

    def work() -> float:
        nonlocal step
        begin = step % BATCHES * batch
        step += 1
        loss, grads = gradient(weights, x[begin : begin + batch], y[begin : begin + batch])
        for w, g, (mean, square) in zip(weights, grads, moments, strict=True):
            if rule == "SGD":
                w -= RATE[rule] * g
            else:
                adam(w, g, mean, square)
        return float(loss)

    return work


def _products(batch: int) -> list[tuple[int, int, int]]:
    """Forward, weights' gradients, and inputs' gradients of all layers but the first."""
    pairs = list(pairwise(WIDTHS))
    forward = [(batch, n, m) for n, m in pairs]
    return forward + [(m, batch, n) for n, m in pairs] + [(batch, m, n) for n, m in pairs[1:]]


def _case(batch: int, rule: str, goals: dict[str, float], compiled_goals: dict[str, float]) -> Case:
    names = (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)
    makers = {name: partial(define_by_run, name, batch, rule) for name in names}
    makers[JAX] = partial(by_jax, batch, rule)
    makers[AUTOGRAD] = partial(by_autograd, batch, rule)
    makers[GEMMS] = partial(gemms, _products(batch))
    # Rounding differs from library to library and grows from step to step.
    size = f"batch {batch}"
    return Case(f"MLP step, {rule}", size, makers, 1, 2e-3, goals, compiled_goals, floor=GEMMS, compared=8)


def cases(quick: bool) -> list[Case]:
    """A small batch, where overhead counts, and a large one, where matrix products do."""
    small = [_case(32, rule, {TORCH: 0.5}, {JAX: 0.7}) for rule in ("SGD", "Adam")]
    peers = (TORCH, JAX, COMPILED)
    large = [_case(512, rule, dict.fromkeys(peers, 1.0), dict.fromkeys(peers, 0.9)) for rule in ("SGD", "Adam")]
    return small[:1] if quick else [*small, *large]

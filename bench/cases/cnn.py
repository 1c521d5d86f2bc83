"""Training steps of a LeNet-like network: two convolutions with pooling, three linear layers, 28 x 28 images, SGD."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench import jax_optimizers
from bench.floor import GEMMS, gemms
from bench.libraries import AUTOGRAD, COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, TORCH, jax_functions, library
from bench.measure import Case, Work
from bench.ways import training_step

SIDE, CLASSES, BATCHES, RATE = 28, 10, 8, 0.05
SHAPES = ((6, 1, 5, 5), (16, 6, 5, 5), (120, 400), (84, 120), (CLASSES, 84))


def _arrays(batch: int) -> tuple[Any, Any, list[Any]]:
    rng = np.random.default_rng(0)
    images = rng.normal(size=(BATCHES, batch, 1, SIDE, SIDE)).astype(np.float32)
    labels = rng.integers(0, CLASSES, (BATCHES, batch))
    weights = []
    for shape in SHAPES:
        fan_in = float(np.prod(shape[1:]))
        weights += [(rng.normal(size=shape) / fan_in**0.5).astype(np.float32), np.zeros(shape[0], np.float32)]
    return images, labels, weights


def _define_by_run(name: str, batch: int) -> Work:
    lib = library(name)
    nn = lib.nn
    images, labels, weights = _arrays(batch)
    x, y = lib.tensor(images), lib.tensor(labels)
    model = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()),
        *(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, CLASSES)),
    )
    model.load_state_dict({key: lib.tensor(w) for key, w in zip(model.state_dict(), weights, strict=True)})
    optimizer = lib.optim.SGD(model.parameters(), lr=RATE)
    criterion = nn.CrossEntropyLoss()
    forward = lib.compile(model) if name == COMPILED else model
    run = training_step(name, optimizer, lambda images, labels: criterion(forward(images), labels))
    step = 0

    def work() -> float:
        nonlocal step
        k = step % BATCHES
        step += 1
        loss: float = run(x[k], y[k]).item()
        return loss

    return work


def _jax(batch: int) -> Work:
    jnp = jax_functions()
    import jax

    images, labels, weights = _arrays(batch)
    begin, update = jax_optimizers.sgd(RATE)

    def convolved(x: Any, w: Any, b: Any, padding: str) -> Any:
        y = jnp.relu(jax.lax.conv(x, w, (1, 1), padding) + b[:, None, None])
        return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss_of(p: Any, x: Any, labels: Any) -> Any:
        x = convolved(x, p[0], p[1], "SAME")
        x = convolved(x, p[2], p[3], "VALID").reshape(batch, -1)
        x = jnp.relu(x @ p[4].T + p[5])
        x = jnp.relu(x @ p[6].T + p[7])
        log_p = jnp.log_softmax(x @ p[8].T + p[9])
        return -jnp.take_along_axis(log_p, labels[:, None], 1).mean()

    @partial(jax.jit, donate_argnums=(0, 1))
    def train(p: Any, state: Any, x: Any, labels: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(p, x, labels)
        return (*update(p, grads, state), loss)

    params = [jnp.asarray(w) for w in weights]
    state = begin(params)
    step = 0

    def work() -> float:
        nonlocal params, state, step
        k = step % BATCHES
        step += 1
        params, state, loss = train(params, state, images[k], labels[k])
        return float(loss)

    return work


def _products(batch: int) -> list[tuple[int, int, int]]:
    """Each layer as one product: forward, weights' gradient, and the input's for all but the first."""
    first, second = (batch * 28 * 28, 25, 6), (batch * 10 * 10, 150, 16)
    layers = [first, second, *((batch, *shape[::-1]) for shape in SHAPES[2:])]
    turned = [(k, n, m) for n, k, m in layers] + [(n, m, k) for n, k, m in layers[1:]]
    return layers + turned


def cases(quick: bool) -> list[Case]:
    """Batches of 64 images."""
    batch = 8 if quick else 64
    makers = {name: partial(_define_by_run, name, batch) for name in (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)}
    makers |= {JAX: partial(_jax, batch), GEMMS: partial(gemms, _products(batch))}
    absent = {AUTOGRAD: "it has no pooling, and no convolution of images"}
    return [
        Case(
            "CNN step",
            f"batch {batch}",
            makers,
            per=1,
            rtol=2e-3,
            goals={TORCH: 1.0},
            compiled_goals={TORCH: 0.8},
            floor=GEMMS,
            compared=8,
            absent=absent,
        )
    ]

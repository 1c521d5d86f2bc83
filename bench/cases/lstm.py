"""An LSTM over 100 steps, written from basic operators: a loop in which small products and gates alternate."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

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

BATCH, INPUTS, HIDDEN = 32, 64, 128
FUSED = "torch nn.LSTM"


def _arrays(steps: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    shapes = (INPUTS, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (4 * HIDDEN,)
    x = rng.normal(size=(steps, BATCH, INPUTS)).astype(np.float32)
    return x, *((rng.normal(size=shape) / HIDDEN**0.5).astype(np.float32) for shape in shapes)


def _define_by_run(name: str, steps: int) -> Work:
    lib = library(name)
    x_array, *arrays = _arrays(steps)
    x = lib.tensor(x_array)
    w_in, w_hidden, bias = weights = [lib.tensor(w, requires_grad=True) for w in arrays]

    def loss_of() -> Any:
        h = c = lib.zeros(BATCH, HIDDEN)
        for x_t in x:
            i, f, g, o = (x_t @ w_in + h @ w_hidden + bias).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return (h * h).mean()

    forward = lib.compile(loss_of) if name == COMPILED else loss_of

    def step() -> Any:
        for w in weights:
            w.grad = None
        loss = forward()
        loss.backward()
        return loss.detach()

    run = lib.compile(step, fullgraph=True) if name == NBGRAD_COMPILED else step
    return lambda: (run(), *(w.grad for w in weights))


def _jax_scan(steps: int) -> Work:
    """Unrolled, it compiles for a minute and runs slower."""
    jnp = jax_functions()
    import jax

    x, *weights = [jnp.asarray(array) for array in _arrays(steps)]

    def loss_of(weights: Any, x: Any) -> Any:
        w_in, w_hidden, bias = weights

        def step(state: Any, x_t: Any) -> Any:
            h, c = state
            i, f, g, o = jnp.split(x_t @ w_in + h @ w_hidden + bias, 4, 1)
            c = jnp.sigmoid(f) * c + jnp.sigmoid(i) * jnp.tanh(g)
            return (jnp.sigmoid(o) * jnp.tanh(c), c), None

        zeros = jnp.zeros((BATCH, HIDDEN), jnp.float32)
        (h, _), _ = jax.lax.scan(step, (zeros, zeros), x)
        return (h * h).mean()

    run = jax.jit(jax.value_and_grad(loss_of))

    def work() -> Any:
        loss, grads = jax.block_until_ready(run(weights, x))
        return loss, *grads

    return work


def _autograd(steps: int) -> Work:
    anp = autograd_functions()
    import autograd

    x, *weights = _arrays(steps)

    def loss_of(w_in: Any, w_hidden: Any, bias: Any) -> Any:
        h = c = np.zeros((BATCH, HIDDEN), np.float32)
        for x_t in x:
            i, f, g, o = anp.split(anp.dot(x_t, w_in) + anp.dot(h, w_hidden) + bias, 4, 1)
            c = anp.sigmoid(f) * c + anp.sigmoid(i) * anp.tanh(g)
            h = anp.sigmoid(o) * anp.tanh(c)
        return anp.mean(h * h)

    step = autograd.value_and_grad(loss_of, (0, 1, 2))

    def work() -> Any:
        loss, grads = step(*weights)
        return loss, *grads

    return work


def _torch_module(steps: int) -> Work:
    """PyTorch's own LSTM, forward and backward written in C++."""
    torch = library(TORCH)
    x_array, w_in, w_hidden, bias = _arrays(steps)
    x, module = torch.tensor(x_array), torch.nn.LSTM(INPUTS, HIDDEN)
    values = w_in.T.copy(), w_hidden.T.copy(), bias, np.zeros_like(bias)
    module.load_state_dict({key: torch.tensor(v) for key, v in zip(module.state_dict(), values, strict=True)})

    def work() -> Any:
        module.zero_grad()
        h = module(x)[0][-1]
        loss = (h * h).mean()
        loss.backward()
        grads = [p.grad for p in module.parameters()]
        return loss, grads[0].T, grads[1].T, grads[2]

    return work


def _products(steps: int) -> list[tuple[int, int, int]]:
    """What has to be multiplied step by step, and what can be taken over all steps at once."""
    one_by_one = [(BATCH, HIDDEN, 4 * HIDDEN), (BATCH, 4 * HIDDEN, HIDDEN)] * steps
    rows = steps * BATCH
    return [*one_by_one, (rows, INPUTS, 4 * HIDDEN), (INPUTS, rows, 4 * HIDDEN), (HIDDEN, rows, 4 * HIDDEN)]


def cases(quick: bool) -> list[Case]:
    """Batch 32, 64 inputs, 128 hidden units."""
    steps = 10 if quick else 100
    makers = {name: partial(_define_by_run, name, steps) for name in (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)}
    makers |= {
        JAX: partial(_jax_scan, steps),
        AUTOGRAD: partial(_autograd, steps),
        FUSED: partial(_torch_module, steps),
        GEMMS: partial(gemms, _products(steps)),
    }
    return [
        Case(
            "LSTM from basic operators",
            f"{steps} steps, batch {BATCH}, {INPUTS} to {HIDDEN}",
            makers,
            per=steps,
            goals={TORCH: 0.3},
            compiled_goals={FUSED: 1.0},
            floor=GEMMS,
            rtol=1e-3,  # sums over all steps
        )
    ]

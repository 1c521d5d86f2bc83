"""Training steps of a small character GPT: 4 layers, embedding 128, 4 heads, blocks of 64, batch 12, AdamW."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench import jax_optimizers
from bench.floor import GEMMS, gemms
from bench.libraries import COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, TORCH, jax_functions, library
from bench.measure import Case, Work
from bench.ways import training_step

VOCABULARY, WIDTH, HEADS, BLOCK, BATCH = 65, 128, 4, 64, 12
BATCHES, RATE, DECAY = 8, 1e-3, 0.1


def model_of(lib: Any, layers: int) -> Any:
    """The model in nbgrad or PyTorch."""
    nn, f = lib.nn, lib.nn.functional

    class Attention(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
            self.out = nn.Linear(WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            batch, steps, _ = x.shape
            q, k, v = (t.view(batch, steps, HEADS, -1).transpose(1, 2) for t in self.qkv(x).split(WIDTH, 2))
            y = f.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(y.transpose(1, 2).reshape(batch, steps, WIDTH))

    class Layer(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.attention = nn.LayerNorm(WIDTH), Attention()
            self.norm2, self.up, self.down = (
                nn.LayerNorm(WIDTH),
                nn.Linear(WIDTH, 4 * WIDTH),
                nn.Linear(4 * WIDTH, WIDTH),
            )

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.down(f.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(BLOCK, WIDTH)
            self.layers = nn.ModuleList([Layer() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

        def forward(self, characters: Any) -> Any:
            x = self.tokens(characters) + self.places(lib.arange(BLOCK))
            for layer in self.layers:
                x = layer(x)
            return self.head(self.norm(x))

    return Gpt()


def _weights(layers: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"tokens.weight": (VOCABULARY, WIDTH), "places.weight": (BLOCK, WIDTH)}
    for k in range(layers):
        for name, rows, columns in (
            ("attention.qkv", 3 * WIDTH, WIDTH),
            ("attention.out", WIDTH, WIDTH),
            ("up", 4 * WIDTH, WIDTH),
            ("down", WIDTH, 4 * WIDTH),
        ):
            shapes |= {f"layers.{k}.{name}.weight": (rows, columns), f"layers.{k}.{name}.bias": (rows,)}
        for name in ("norm1", "norm2"):
            shapes |= {f"layers.{k}.{name}.weight": (WIDTH,), f"layers.{k}.{name}.bias": (WIDTH,)}
    shapes |= {"norm.weight": (WIDTH,), "norm.bias": (WIDTH,)}
    shapes |= {"head.weight": (VOCABULARY, WIDTH), "head.bias": (VOCABULARY,)}
    drawn = {name: (0.05 * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()}
    return {name: w + np.float32("norm" in name and name.endswith("weight")) for name, w in drawn.items()}


def _text() -> tuple[Any, Any]:
    characters = np.random.default_rng(1).integers(0, VOCABULARY, (BATCHES, BATCH, BLOCK + 1))
    return characters[..., :-1].copy(), characters[..., 1:].copy()


def _define_by_run(name: str, layers: int) -> Work:
    lib = library(name)
    x, y = (lib.from_numpy(array) for array in _text())
    model = model_of(lib, layers)
    model.load_state_dict({key: lib.tensor(w) for key, w in _weights(layers).items()})
    optimizer = lib.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    forward = lib.compile(model) if name == COMPILED else model

    def loss_of(characters: Any, wanted: Any) -> Any:
        return lib.nn.functional.cross_entropy(forward(characters).view(-1, VOCABULARY), wanted.view(-1))

    run = training_step(name, optimizer, loss_of)
    step = 0

    def work() -> float:
        nonlocal step
        k = step % BATCHES
        step += 1
        loss: float = run(x[k], y[k]).item()
        return loss

    return work


def _jax(layers: int) -> Work:
    jnp = jax_functions()
    import jax

    def norm(p: Any, name: str, x: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        scale = jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
        return centred * scale * p[f"{name}.weight"] + p[f"{name}.bias"]

    def linear(p: Any, name: str, x: Any) -> Any:
        return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]

    def layer(p: Any, name: str, x: Any) -> Any:
        qkv = jnp.split(linear(p, f"{name}.attention.qkv", norm(p, f"{name}.norm1", x)), 3, -1)
        q, k, v = (t.reshape(BATCH, BLOCK, HEADS, -1) for t in qkv)
        attended = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(BATCH, BLOCK, WIDTH)
        x = x + linear(p, f"{name}.attention.out", attended)
        up = linear(p, f"{name}.up", norm(p, f"{name}.norm2", x))
        return x + linear(p, f"{name}.down", jax.nn.gelu(up, approximate=False))

    def loss_of(p: Any, characters: Any, wanted: Any) -> Any:
        x = p["tokens.weight"][characters] + p["places.weight"]
        for k in range(layers):
            x = layer(p, f"layers.{k}", x)
        log_p = jax.nn.log_softmax(linear(p, "head", norm(p, "norm", x)))
        return -jnp.take_along_axis(log_p, wanted[..., None], -1).mean()

    begin, update = jax_optimizers.adam(RATE, DECAY)

    @partial(jax.jit, donate_argnums=(0, 1))
    def train(p: Any, state: Any, characters: Any, wanted: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(p, characters, wanted)
        return (*update(p, grads, state), loss)

    params = {key: jnp.asarray(w) for key, w in _weights(layers).items()}
    state, (x, y) = begin(params), _text()
    step = 0

    def work() -> float:
        nonlocal params, state, step
        k = step % BATCHES
        step += 1
        params, state, loss = train(params, state, x[k], y[k])
        return float(loss)

    return work


def _products(layers: int) -> list[tuple[int, int, int]]:
    rows, head = BATCH * BLOCK, WIDTH // HEADS
    linear = [(WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)] * layers
    linear.append((WIDTH, VOCABULARY))
    products = [p for n, m in linear for p in ((rows, n, m), (rows, m, n), (n, rows, m))]
    wide, narrow = (BLOCK, head, BLOCK), (BLOCK, BLOCK, head)
    return products + [wide, narrow, narrow, narrow, wide, narrow] * (BATCH * HEADS * layers)


def cases(quick: bool) -> list[Case]:
    """One layer is enough to see that it runs."""
    layers = 1 if quick else 4
    makers = {name: partial(_define_by_run, name, layers) for name in (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)}
    makers |= {JAX: partial(_jax, layers), GEMMS: partial(gemms, _products(layers))}
    size = f"{layers} layers, embedding {WIDTH}, block {BLOCK}, batch {BATCH}"
    goals = {COMPILED: 1.0, TORCH: 1.0}
    return [Case("character GPT step", size, makers, 1, 2e-3, goals, {COMPILED: 0.8}, floor=GEMMS, compared=6)]

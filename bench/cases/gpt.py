"""Training steps of a small character GPT: 4 layers, embedding 128, 4 heads, blocks of 64, batch 12, AdamW."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bench import jax_optimizers
from bench.floor import GEMMS, gemms
from bench.libraries import AUTOGRAD, COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, TORCH, jax_functions, library
from bench.measure import Case, Work
from bench.ways import training_step

BATCHES, RATE, DECAY = 8, 1e-3, 0.1


class Sizes(NamedTuple):
    """Of a model, and of the text that it reads in a step."""

    layers: int
    vocabulary: int
    width: int
    heads: int
    block: int
    batch: int


CHARACTERS = Sizes(layers=4, vocabulary=65, width=128, heads=4, block=64, batch=12)


def model_of(lib: Any, sizes: Sizes) -> Any:
    """The model in nbgrad or PyTorch."""
    nn, f = lib.nn, lib.nn.functional
    layers, vocabulary, width, heads, block, _ = sizes

    class Attention(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(width, 3 * width)
            self.out = nn.Linear(width, width)

        def forward(self, x: Any) -> Any:
            batch, steps, _ = x.shape
            q, k, v = (t.view(batch, steps, heads, -1).transpose(1, 2) for t in self.qkv(x).split(width, 2))
            y = f.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(y.transpose(1, 2).reshape(batch, steps, width))

    class Layer(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.attention = nn.LayerNorm(width), Attention()
            self.norm2, self.up, self.down = (
                nn.LayerNorm(width),
                nn.Linear(width, 4 * width),
                nn.Linear(4 * width, width),
            )

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.down(f.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(block, width)
            self.layers = nn.ModuleList([Layer() for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

        def forward(self, characters: Any) -> Any:
            x = self.tokens(characters) + self.places(lib.arange(block, device=characters.device))
            for layer in self.layers:
                x = layer(x)
            return self.head(self.norm(x))

    return Gpt()


def _weights(sizes: Sizes) -> dict[str, Any]:
    layers, vocabulary, width, _, block, _ = sizes
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"tokens.weight": (vocabulary, width), "places.weight": (block, width)}
    for k in range(layers):
        for name, rows, columns in (
            ("attention.qkv", 3 * width, width),
            ("attention.out", width, width),
            ("up", 4 * width, width),
            ("down", width, 4 * width),
        ):
            shapes |= {f"layers.{k}.{name}.weight": (rows, columns), f"layers.{k}.{name}.bias": (rows,)}
        for name in ("norm1", "norm2"):
            shapes |= {f"layers.{k}.{name}.weight": (width,), f"layers.{k}.{name}.bias": (width,)}
    shapes |= {"norm.weight": (width,), "norm.bias": (width,)}
    shapes |= {"head.weight": (vocabulary, width), "head.bias": (vocabulary,)}
    drawn = {name: (0.05 * rng.normal(size=shape)).astype(np.float32) for name, shape in shapes.items()}
    return {name: w + np.float32("norm" in name and name.endswith("weight")) for name, w in drawn.items()}


def _text(sizes: Sizes) -> tuple[Any, Any]:
    shape = (BATCHES, sizes.batch, sizes.block + 1)
    characters = np.random.default_rng(1).integers(0, sizes.vocabulary, shape)
    return characters[..., :-1].copy(), characters[..., 1:].copy()


def define_by_run(name: str, sizes: Sizes, device: str = "cpu") -> Work:
    """nbgrad and PyTorch."""
    lib = library(name)
    x, y = (lib.from_numpy(array).to(device) for array in _text(sizes))
    model = model_of(lib, sizes)
    model.load_state_dict({key: lib.tensor(w) for key, w in _weights(sizes).items()})
    model.to(device)
    optimizer = lib.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    forward = lib.compile(model) if name == COMPILED else model

    def loss_of(characters: Any, wanted: Any) -> Any:
        return lib.nn.functional.cross_entropy(forward(characters).view(-1, sizes.vocabulary), wanted.view(-1))

    run = training_step(name, optimizer, loss_of)
    step = 0

    def work() -> float:
        nonlocal step
        k = step % BATCHES
        step += 1
        loss: float = run(x[k], y[k]).item()
        return loss

    return work


def by_jax(sizes: Sizes) -> Work:
    """JAX, the whole step compiled."""
    layers, _, width, heads, block, batch = sizes
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
        q, k, v = (t.reshape(batch, block, heads, -1) for t in qkv)
        attended = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, block, width)
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

    params = {key: jnp.asarray(w) for key, w in _weights(sizes).items()}
    state, (x, y) = begin(params), _text(sizes)
    step = 0

    def work() -> float:
        nonlocal params, state, step
        k = step % BATCHES
        step += 1
        params, state, loss = train(params, state, x[k], y[k])
        return float(loss)

    return work


def _products(sizes: Sizes) -> list[tuple[int, int, int]]:
    layers, vocabulary, width, heads, block, batch = sizes
    rows, head = batch * block, width // heads
    linear = [(width, 3 * width), (width, width), (width, 4 * width), (4 * width, width)] * layers
    linear.append((width, vocabulary))
    products = [p for n, m in linear for p in ((rows, n, m), (rows, m, n), (n, rows, m))]
    wide, narrow = (block, head, block), (block, block, head)
    return products + [wide, narrow, narrow, narrow, wide, narrow] * (batch * heads * layers)


def cases(quick: bool) -> list[Case]:
    """One layer is enough to see that it runs."""
    sizes = CHARACTERS._replace(layers=1) if quick else CHARACTERS
    makers = {name: partial(define_by_run, name, sizes) for name in (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)}
    makers |= {JAX: partial(by_jax, sizes), GEMMS: partial(gemms, _products(sizes))}
    size = f"{sizes.layers} layers, embedding {sizes.width}, block {sizes.block}, batch {sizes.batch}"
    return [
        Case(
            "character GPT step",
            size,
            makers,
            per=1,
            rtol=2e-3,
            goals={COMPILED: 1.0, TORCH: 1.0},
            compiled_goals={COMPILED: 0.8},
            memory_share=0.7,
            floor=GEMMS,
            compared=6,
            absent={AUTOGRAD: "it has neither layers nor modules: its user would write a transformer by hand"},
        )
    ]

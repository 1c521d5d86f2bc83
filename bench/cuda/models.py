"""Training steps of large models, where matrix products take the time: with TF32 and without."""

from __future__ import annotations

from functools import partial

from bench.cases import gpt, mlp
from bench.libraries import COMPILED, JAX, NBGRAD, NBGRAD_COMPILED, TORCH, library
from bench.measure import Case, Maker, Work

NAMES = (NBGRAD, NBGRAD_COMPILED, TORCH, COMPILED)
GOALS = {TORCH: 1.03, COMPILED: 1.03}
GOAL = "within 3 % of PyTorch, eager or compiled"
SMALL = gpt.Sizes(
    layers=12, vocabulary=50_257, width=768, heads=12, block=1024, batch=8
)  # GPT-2's, Radford et al. 2019
TINY = gpt.Sizes(layers=1, vocabulary=65, width=32, heads=2, block=16, batch=2)


def _with_tf32(name: str, allowed: bool, make: Maker) -> Work:
    """The work that ``make`` gives, with the library's switch for TF32 set whenever it runs."""
    work = make()
    if name == JAX:
        import jax

        precision = "tensorfloat32" if allowed else "float32"
        return lambda: _in_jax(jax, precision, work)
    matmul = library(name).backends.cuda.matmul

    def run() -> float:
        matmul.allow_tf32 = allowed
        loss: float = work()
        return loss

    return run


def _in_jax(jax: object, precision: str, work: Work) -> object:
    with jax.default_matmul_precision(precision):  # type: ignore[attr-defined]
        return work()


def _cases(title: str, size: str, makers: dict[str, Maker], compared: int) -> list[Case]:
    found = []
    for allowed in (False, True):
        switched = {name: partial(_with_tf32, name, allowed, maker) for name, maker in makers.items()}
        note = f"{size}, TF32 {'on' if allowed else 'off'}"
        rtol = 5e-2 if allowed else 5e-3
        found.append(Case(title, note, switched, 1, rtol, GOALS, GOALS, GOAL, compared=compared))
    return found


def cases(quick: bool) -> list[Case]:
    """An MLP with 4096 rows, and GPT-2 small."""
    batch = 16 if quick else 4096
    makers = {name: partial(mlp.define_by_run, name, batch, "Adam", "cuda") for name in NAMES}
    makers[JAX] = partial(mlp.by_jax, batch, "Adam")
    sizes = TINY if quick else SMALL
    models = {name: partial(gpt.define_by_run, name, sizes, "cuda") for name in NAMES}
    models[JAX] = partial(gpt.by_jax, sizes)
    size = f"{sizes.layers} layers, embedding {sizes.width}, block {sizes.block}, batch {sizes.batch}"
    return [
        *_cases("MLP step, Adam", f"batch {batch}", makers, 8),
        *_cases("GPT step, AdamW", size, models, 4),
    ]

"""The update rules that JAX users take from a library of their own, by PyTorch's formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Update = Callable[[Any, Any, Any], tuple[Any, Any]]  # (parameters, gradients, state) -> (parameters, state)


def sgd(lr: float) -> tuple[Any, Update]:
    """(how a state begins, update) of plain gradient descent."""
    from jax import tree

    def update(params: Any, grads: Any, state: Any) -> tuple[Any, Any]:
        return tree.map(lambda p, g: p - lr * g, params, grads), state

    return (lambda params: ()), update


def adam(lr: float, weight_decay: float = 0.0) -> tuple[Any, Update]:
    """Adam; with ``weight_decay`` AdamW (decay apart from the gradient)."""
    from jax import numpy as jnp
    from jax import tree

    beta1, beta2, eps = 0.9, 0.999, 1e-8

    def begin(params: Any) -> Any:
        # Two sets of zeros: a buffer that is donated must not be given twice.
        return jnp.zeros((), jnp.float32), tree.map(jnp.zeros_like, params), tree.map(jnp.zeros_like, params)

    def update(params: Any, grads: Any, state: Any) -> tuple[Any, Any]:
        count, mean, square = state
        count = count + 1
        mean = tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, mean, grads)
        square = tree.map(lambda s, g: beta2 * s + (1 - beta2) * g * g, square, grads)
        step, root = lr / (1 - beta1**count), jnp.sqrt(1 - beta2**count)
        new = tree.map(
            lambda p, m, s: p * (1 - lr * weight_decay) - step * m / (jnp.sqrt(s) / root + eps), params, mean, square
        )
        return new, (count, mean, square)

    return begin, update

"""The usual ways to differentiate one function: each library's own, as its documentation shows them.

A case writes its function once, ``f(lib, *inputs)``, where ``lib`` is the library's module of functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

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
from bench.measure import Maker, Work

Function = Callable[..., Any]  # f(lib, *inputs, *constants) -> scalar


def gradients(f: Function, inputs: Sequence[Any], constants: Sequence[Any] = ()) -> dict[str, Maker]:
    """Makers of works that compute ``f`` and its gradients with respect to ``inputs``, by library."""
    return {
        NBGRAD: partial(by_backward, NBGRAD, f, inputs, constants),
        NBGRAD_COMPILED: partial(by_nbgrad_compile, f, inputs, constants),
        TORCH: partial(by_backward, TORCH, f, inputs, constants),
        COMPILED: partial(by_torch_compile, f, inputs, constants),
        JAX: partial(by_jax, f, inputs, constants),
        AUTOGRAD: partial(by_autograd, f, inputs, constants),
    }


def without(makers: Mapping[str, Maker], *names: str) -> dict[str, Maker]:
    """``makers`` but for those of ``names``, which the case does in another way or not at all."""
    return {name: maker for name, maker in makers.items() if name not in names}


def by_backward(name: str, f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """nbgrad and PyTorch: record, then ``backward``."""
    lib = library(name)
    return _backward(lib, partial(f, lib), inputs, constants)


def by_torch_compile(f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """PyTorch with the function compiled; its backward is compiled with it."""
    torch = library(COMPILED)
    return _backward(torch, torch.compile(partial(f, torch)), inputs, constants)


def by_nbgrad_compile(f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """nbgrad with the whole step compiled: forward and backward."""
    lib = library(NBGRAD)
    leaves = [lib.tensor(x, requires_grad=True) for x in inputs]
    others = [lib.tensor(x) for x in constants]

    @lib.compile(fullgraph=True)
    def step(*others: Any) -> Any:
        for x in leaves:
            x.grad = None
        value = f(lib, *leaves, *others)
        value.backward()
        return value.detach()

    return lambda: (step(*others), *(x.grad for x in leaves))


def _backward(lib: Any, f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    leaves = [lib.tensor(x, requires_grad=True) for x in inputs]
    others = [lib.tensor(x) for x in constants]

    def work() -> Any:
        for x in leaves:
            x.grad = None
        value = f(*leaves, *others)
        value.backward()
        return value, *(x.grad for x in leaves)

    return work


def training_step(name: str, optimizer: Any, loss_of: Function) -> Function:
    """A function of inputs and targets that trains on them and gives the loss; compiled whole for nbgrad.compile."""

    def train(x: Any, y: Any) -> Any:
        loss = loss_of(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return library(name).compile(train, fullgraph=True) if name == NBGRAD_COMPILED else train  # type: ignore[no-any-return]


def by_jax(f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """JAX: value and gradient in one compiled function."""
    jnp = jax_functions()
    import jax

    arrays = [jnp.asarray(x) for x in (*inputs, *constants)]
    step = jax.jit(jax.value_and_grad(partial(f, jnp), argnums=tuple(range(len(inputs)))))
    return lambda: jax.block_until_ready(step(*arrays))


def by_autograd(f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """HIPS autograd: value and gradient over NumPy."""
    anp = autograd_functions()
    import autograd

    arrays = [*inputs, *constants]
    step = autograd.value_and_grad(partial(f, anp), tuple(range(len(inputs))))
    return lambda: step(*arrays)

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
    drjit_functions,
    jax_functions,
    library,
)
from bench.measure import Enqueued, Maker, Work

Function = Callable[..., Any]  # f(lib, *inputs, *constants) -> scalar


def gradients(f: Function, inputs: Sequence[Any], constants: Sequence[Any] = ()) -> dict[str, Maker]:
    """Makers of works that compute ``f`` and its gradients with respect to ``inputs``, by library."""
    return {**gradients_on("cpu", f, inputs, constants), AUTOGRAD: partial(by_autograd, f, inputs, constants)}


def gradients_on(device: str, f: Function, inputs: Sequence[Any], constants: Sequence[Any] = ()) -> dict[str, Maker]:
    """The same on "cpu" or "cuda", by the libraries that know devices. JAX takes the device it finds."""
    return {
        NBGRAD: partial(by_backward, NBGRAD, f, inputs, constants, device),
        NBGRAD_COMPILED: partial(by_nbgrad_compile, f, inputs, constants, device),
        TORCH: partial(by_backward, TORCH, f, inputs, constants, device),
        COMPILED: partial(by_torch_compile, f, inputs, constants, device),
        JAX: partial(by_jax, f, inputs, constants),
    }


def without(makers: Mapping[str, Maker], *names: str) -> dict[str, Maker]:
    """``makers`` but for those of ``names``, which the case does in another way or not at all."""
    return {name: maker for name, maker in makers.items() if name not in names}


def by_backward(name: str, f: Function, inputs: Sequence[Any], constants: Sequence[Any], device: str = "cpu") -> Work:
    """nbgrad and PyTorch: record, then ``backward``."""
    lib = library(name)
    return _backward(lib, partial(f, lib), inputs, constants, device)


def by_torch_compile(f: Function, inputs: Sequence[Any], constants: Sequence[Any], device: str = "cpu") -> Work:
    """PyTorch with the function compiled; its backward is compiled with it. On a GPU it launches CUDA graphs."""
    torch = library(COMPILED)
    mode = "reduce-overhead" if device == "cuda" else None
    return _backward(torch, torch.compile(partial(f, torch), mode=mode), inputs, constants, device)


def by_nbgrad_compile(f: Function, inputs: Sequence[Any], constants: Sequence[Any], device: str = "cpu") -> Work:
    """nbgrad with the whole step compiled: forward and backward."""
    lib = library(NBGRAD)
    leaves = [lib.tensor(x, requires_grad=True, device=device) for x in inputs]
    others = [lib.tensor(x, device=device) for x in constants]

    @lib.compile(fullgraph=True)
    def step(*others: Any) -> Any:
        for x in leaves:
            x.grad = None
        value = f(lib, *leaves, *others)
        value.backward()
        return value.detach()

    return waiting(lambda: (step(*others), *(x.grad for x in leaves)), lib, device)


def waiting(work: Work, lib: Any, device: str) -> Work:
    """``work``, on a GPU with the way to wait until it is done."""
    return work if device == "cpu" else Enqueued(work, lib.cuda.synchronize)


def _backward(lib: Any, f: Function, inputs: Sequence[Any], constants: Sequence[Any], device: str) -> Work:
    leaves = [lib.tensor(x, requires_grad=True, device=device) for x in inputs]
    others = [lib.tensor(x, device=device) for x in constants]

    def work() -> Any:
        for x in leaves:
            x.grad = None
        value = f(*leaves, *others)
        value.backward()
        return value, *(x.grad for x in leaves)

    return waiting(work, lib, device)


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
    if jax.default_backend() == "gpu":
        answers: list[Any] = []
        return Enqueued(lambda: kept(answers, step(*arrays)), lambda: jax.block_until_ready(answers))
    return lambda: jax.block_until_ready(step(*arrays))


def by_drjit(f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """Dr.Jit: value and gradient in a frozen function, which knows the kernels that it ran the first time."""
    dj = drjit_functions()
    arrays = [dj.array(x) for x in (*inputs, *constants)]

    @dj.freeze  # type: ignore[untyped-decorator]
    def step(*arrays: Any) -> Any:
        leaves = [type(x)(x) for x in arrays[: len(inputs)]]
        dj.enable_grad(leaves)
        value = f(dj, *leaves, *arrays[len(inputs) :])
        dj.backward(value)
        return dj.detach(value), *[dj.grad(x) for x in leaves]

    return evaluated(lambda: step(*arrays))


def evaluated(work: Work) -> Work:
    """``work`` of Dr.Jit's, whose results are there when it is done."""
    dj = drjit_functions()

    def both() -> Any:
        found = work()
        dj.eval(found)
        dj.sync_thread()
        return found

    return both


def kept(answers: list[Any], answer: Any) -> Any:
    """``answer``, and the list has it alone: what came before is waited for with it."""
    answers[:] = [answer]
    return answer


def by_autograd(f: Function, inputs: Sequence[Any], constants: Sequence[Any]) -> Work:
    """HIPS autograd: value and gradient over NumPy."""
    anp = autograd_functions()
    import autograd

    arrays = [*inputs, *constants]
    step = autograd.value_and_grad(partial(f, anp), tuple(range(len(inputs))))
    return lambda: step(*arrays)

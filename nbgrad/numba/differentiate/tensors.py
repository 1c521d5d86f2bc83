"""The backward function of an operator on tensors, of its forward function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from nbgrad.numba.differentiate.refusal import TEXT


@functools.lru_cache(maxsize=1024)
def backward_of(forward: Any, floating: tuple[bool, ...], n_results: int, vjp: Callable[..., Any]) -> Any:
    """Of ``forward(*inputs, *results)``, which writes its results: ``backward(*inputs, *results, *cotangents,
    *gradients)``, which writes the gradient of each of the inputs that is ``floating``."""
    inputs = [f"x{k}" for k in range(len(floating))]
    results = [f"y{k}" for k in range(n_results)]
    cotangents = [f"g{k}" for k in range(n_results)]
    gradients = [f"d{k}" for k, is_floating in enumerate(floating) if is_floating]
    scope: dict[str, Any] = {"forward": forward, "zeros_like": np.zeros_like}
    lines = [f"def written({', '.join([*inputs, *results])}):", f"    forward({', '.join([*inputs, *results])})"]
    _run([*lines, f"    return ({', '.join(results)},)"], scope)
    options = {key: value for key, value in forward.targetoptions.items() if key == "error_model"}
    scope["pull"] = vjp(numba.njit(**options)(scope["written"]))
    empty = [f"zeros_like({name})" for name in results]
    given = f"({', '.join([*inputs, *empty])},), ({', '.join(cotangents)},)"
    lines = [
        f"def backward({', '.join([*inputs, *results, *cotangents, *gradients])}):",
        f"    made = pull({given})[1]",
    ]
    _run([*lines, *[f"    {name}[...] = made[{k}]" for k, name in enumerate(gradients)]], scope)
    return numba.njit(nogil=True)(scope["backward"])


def _run(lines: list[str], scope: dict[str, Any]) -> None:
    exec(compile("\n".join(lines), TEXT, "exec"), scope)

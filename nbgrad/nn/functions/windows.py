"""The largest element of windows that lie anywhere: where it is, found without derivatives, and what is there, with."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from nbgrad.autograd import no_grad
from nbgrad.calls.arguments import int_of
from nbgrad.errors import ShapeError
from nbgrad.functions.ramps import arange
from nbgrad.trace import tensor_of

Sizes = int | Sequence[int]
WORDS = {1: "2D or 3D", 2: "3D or 4D", 3: "4D or 5D"}


def pooled(name: str, input: Any, spatial: int) -> Any:
    """``input``, which has ``spatial`` dims after the channels."""
    x: Any = tensor_of(name, "input", input)
    if x.dim() not in (spatial + 1, spatial + 2):
        raise ShapeError(f"{name}: Expected {WORDS[spatial]} tensor, but got {list(x.shape)}")
    return x


def each(name: str, argument: str, given: Any, spatial: int) -> tuple[int, ...]:
    """One number for each of ``spatial`` dims; a single one stands for all of them."""
    values = given if isinstance(given, (tuple, list)) else (given,) * spatial
    if len(values) == 1:
        values = (*values,) * spatial
    if len(values) != spatial:
        raise ShapeError(f"{name}: {argument} must be one number or {spatial} of them, got {list(given)}")
    return tuple([int_of(name, argument, n) for n in values])


def flat(x: Any, spatial: int) -> Any:
    """``x`` with its last ``spatial`` dims as one."""
    return x.reshape(*x.shape[: x.dim() - spatial], prod(x.shape[x.dim() - spatial :]))


def largest(x: Any, places: Any, spatial: int) -> tuple[Any, Any]:
    """(values, where they are among the elements of a channel) of windows whose elements have the numbers ``places``:
    (..., *result, window), which broadcasts over the dims of ``x`` before the last ``spatial`` ones."""
    *result, size = places.shape[places.dim() - spatial - 1 :]
    elements, lead = flat(x, spatial), x.shape[: x.dim() - spatial]
    with no_grad():
        wide = places.expand(*lead, *result, size).reshape(*lead, prod(result) * size)
        seen = elements.detach().gather(-1, wide).reshape(*lead, prod(result), size)
        best = seen.argmax(-1, keepdim=True)
        at = wide.reshape(*lead, prod(result), size).gather(-1, best).squeeze(-1)
    return elements.gather(-1, at).reshape(*lead, *result), at.reshape(*lead, *result)


def numbered(shape: Sequence[int], along: Sequence[Any]) -> Any:
    """The numbers, in row-major order of ``shape``, of the elements of windows: ``along`` has for each dim the places
    (..., result, window) along it. Gives (..., *results, window)."""
    dims = len(shape)
    total: Any = 0
    for k, places in enumerate(along):
        *lead, count, size = places.shape
        ones = [1] * dims
        counts, sizes = [*ones], [*ones]
        counts[k], sizes[k] = count, size
        total = total + places.reshape(*lead, *counts, *sizes) * prod(shape[k + 1 :])
    return total.flatten(total.dim() - dims)


def counted(n: int, device: Any) -> Any:
    """0, 1, ... n - 1."""
    return arange(n, device=device)

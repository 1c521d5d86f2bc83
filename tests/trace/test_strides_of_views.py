"""Strides, offsets and contiguity of views beside PyTorch's, dims of size 1 and without elements among them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import nbgrad as nb
from tests.beside_torch import theirs

VIEWS: dict[str, Callable[[Any], Any]] = {
    "transpose": lambda x: x.transpose(0, -1),
    "permute": lambda x: x.permute(*reversed(range(x.dim()))) if x.dim() else x[...],
    "unsqueeze first": lambda x: x.unsqueeze(0),
    "unsqueeze last": lambda x: x.unsqueeze(-1),
    "squeeze": lambda x: x.squeeze(),
    "squeeze one": lambda x: x.squeeze(0),
    "narrow": lambda x: x.narrow(-1, 0, 1),
    "step": lambda x: x[::2],
    "no rows": lambda x: x[:0],
    "select": lambda x: x[0],
    "select last": lambda x: x[..., 0],
    "unbind": lambda x: x.unbind(-1)[0],
    "chunk": lambda x: x.chunk(2, -1)[-1],
    "expand": lambda x: x.expand(2, *x.shape),
    "a row": lambda x: x.view(-1),
    "a column": lambda x: x.view(-1, 1),
    "flatten": lambda x: x.flatten(0, 1),
    "unflatten": lambda x: x.unflatten(0, (1, -1)),
    "diagonal": lambda x: x.diagonal(),
    "unfold": lambda x: x.unfold(0, 1, 1),
    "None": lambda x: x[None, :, None],
    "as_strided": lambda x: x.as_strided(x.shape, x.stride()),
    "detach": lambda x: x.detach(),
}
SHAPES = [(3,), (1,), (2, 3), (1, 3), (3, 1), (2, 1, 3), (1, 3, 1), (0, 3), (3, 0), ()]


def told(m: Any, shape: tuple[int, ...], chain: tuple[str, ...]) -> Any:
    x = before = m.zeros(shape)
    try:
        for name in chain:
            x, before = VIEWS[name](x), x
    except (RuntimeError, IndexError, TypeError):
        return "refused"
    if (name in ("a row", "a column") and x.shape == before.shape) or (name == "as_strided" and not x.numel()):
        return tuple(x.shape), x.is_contiguous()  # PyTorch computes strides of dims of size 1 anew; ours stay
    stands = tuple(x.shape), tuple(x.stride()), x.is_contiguous(), x.contiguous() is x
    return (*stands, x.storage_offset() if x.numel() else 0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES)
def test_views_lie_in_memory_as_pytorchs(shape: tuple[int, ...]) -> None:
    torch = theirs()
    for chain in [(name,) for name in VIEWS] + [*itertools.product(VIEWS, repeat=2)]:
        assert told(nb, shape, chain) == told(torch, shape, chain), chain

"""Sizes of one number, or of one for each dim, as layers take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def _ntuple(n: int) -> Callable[[Any], tuple[Any, ...]]:
    def several(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    return several


_single, _pair, _triple, _quadruple = map(_ntuple, (1, 2, 3, 4))

"""Calls of the user's scalar functions; ``nbgrad.elementwise`` makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgrad.calls.base import call
from nbgrad.graph.node import Node


class ScalarFunction:
    """A function of numbers. ``outside`` are numbers that it and its callees find outside of them, by function and
    name: where each stands, a dict or a cell."""

    outside: dict[tuple[Callable[..., Any], str], Any]


@call("elementwise", function=False)
def elementwise(tensors: tuple[Node, ...], function: Any, which: int) -> Node:
    """Result number ``which`` of ``function``, as ``numba/elementwise.py`` read it."""
    made: Node = function.on(tensors, which)
    return made

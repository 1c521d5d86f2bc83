"""The first places of a sorted dim: what ``topk`` and ``kthvalue`` ask for."""

from __future__ import annotations

from nbgrad.calls.base import call
from nbgrad.calls.sort import places_in_order
from nbgrad.graph.node import Node


@call(function=False, shown="topk")
def first_places(input: Node, dim: int, descending: bool, kept: int) -> Node:
    """The first ``kept`` places of ``argsort``."""
    return places_in_order("topk", input, dim, descending, kept)

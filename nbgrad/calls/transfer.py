"""Moving a tensor to another place. The public functions, with devices as users write them, are in tensor.py."""

from __future__ import annotations

from typing import Final

from nbgrad.calls.base import CALLS, call
from nbgrad.graph.node import Node
from nbgrad.ops.transfer import find_place, moved


@call("transfer", function=False, shown="to")
def transfer(input: Node, *, place: int) -> Node:
    """``input`` at ``place``; itself where it is there."""
    source = find_place(input, {})
    return input if source == place else moved(input, place, max(source, 0))


TRANSFER: Final = CALLS["transfer"]

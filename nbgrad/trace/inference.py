"""Tensors made in inference mode never take part in a derivative."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS_BY_NUMBER
from nbgrad.calls.key import NONE, number_node, split_key
from nbgrad.errors import GradError
from nbgrad.graph.node import Node, reach
from nbgrad.ops.source import input_node
from nbgrad.trace.handle import Handle
from nbgrad.trace.trie import TrieNode, entry_at
from nbgrad.transform.vjp import stand_in, vjp

is_known = False  # whether inference mode was ever entered in this process: until then nobody need look for its tensors


def refuse(end: TrieNode, key: tuple[Any, ...], operands: tuple[Any, ...]) -> None:
    """PyTorch's error where the derivative of this call would keep an inference tensor. Runs on a miss only."""
    tensors = [a for a in operands if isinstance(a, Handle)]
    if not (any(a._at.inference for a in tensors) and any(a._at.requires_grad for a in tensors)):
        return
    call, (refs, statics) = CALLS_BY_NUMBER[key[0]], split_key(key)
    nodes = tuple([_stand_in(end, place, ref) for place, ref in enumerate(refs)])
    made = {x for x, a in zip(nodes, operands, strict=True) if isinstance(a, Handle) and a._at.inference}
    result = call.on(nodes, statics)
    leaves = zip(nodes, operands, strict=True)
    wanted = [x for x, a in leaves if x is not None and isinstance(a, Handle) and a._at.requires_grad]
    grads = [g for g in vjp([result], [stand_in(result)], wanted) if g is not None]
    read = reach([result, *grads], lambda x: () if x is result else x.inputs)
    if not made.isdisjoint(read):
        raise cannot_be_saved()


def cannot_be_saved() -> GradError:
    """The error of an inference tensor that a derivative would read."""
    return GradError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
        "in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
        "and use it in autograd, or use `nbgrad.no_grad()` instead of `nbgrad.inference_mode()`"
    )


def _stand_in(end: TrieNode, place: int, ref: int) -> Node | None:
    if ref == NONE:
        return None
    if ref < 0:
        return number_node(place, ref)
    spec = entry_at(end, ref).spec
    assert spec is not None
    return input_node(place, spec)

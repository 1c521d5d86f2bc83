"""Tensors made in inference mode never take part in a derivative."""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS_BY_NUMBER
from nbgrad.errors import GradError
from nbgrad.graph import dtypes
from nbgrad.graph.node import Node, reach
from nbgrad.ops.compare import cast_to
from nbgrad.ops.source import input_node, scalar_node
from nbgrad.trace.handle import Handle, spec_of
from nbgrad.trace.trie import split_key
from nbgrad.transform.vjp import stand_in, vjp

is_known = False  # whether inference mode was ever entered in this process: until then nobody need look for its tensors


def refuse(key: tuple[Any, ...], operands: tuple[Any, ...]) -> None:
    """PyTorch's error where the derivative of this call would keep an inference tensor. Runs on a miss only."""
    tensors = [a for a in operands if isinstance(a, Handle)]
    if not (any(a.at.inference for a in tensors) and any(a.at.requires_grad for a in tensors)):
        return
    call, statics = CALLS_BY_NUMBER[key[0]], split_key(key)[1]
    nodes = tuple([_stand_in(place, a) for place, a in enumerate(operands)])
    made = {x for x, a in zip(nodes, operands, strict=True) if isinstance(a, Handle) and a.at.inference}
    result = call.on(nodes, statics)
    leaves = zip(nodes, operands, strict=True)
    wanted = [x for x, a in leaves if x is not None and isinstance(a, Handle) and a.at.requires_grad]
    grads = [g for g in vjp([result], [stand_in(result)], wanted) if g is not None]
    read = reach([result, *grads], lambda x: () if x is result else x.inputs)
    if not made.isdisjoint(read):
        raise GradError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
            "in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
            "and use it in autograd, or use `nbgrad.no_grad()` instead of `nbgrad.inference_mode()`"
        )


def _stand_in(place: int, operand: Any) -> Node | None:
    if operand is None:
        return None
    if isinstance(operand, Handle):
        return input_node(place, spec_of(operand))
    number = scalar_node(place, dtypes.float64 if isinstance(operand, float) else dtypes.int64)
    return cast_to(number, dtypes.bool_) if isinstance(operand, bool) else number

"""What derivatives read of a call's operands. Tensors made in inference mode never take part in one."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from nbgrad.calls.base import CALLS_BY_NUMBER, Call
from nbgrad.calls.key import NONE, count_of, number_node, split_key
from nbgrad.errors import GradError
from nbgrad.graph.node import Node, reach, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.trace.handle import Handle
from nbgrad.trace.trie import TrieNode, entry_at
from nbgrad.transform.vjp import stand_in, vjp

RESULT: Final = -1  # what an operation gives, where its operands are told by their places


def refuse(end: TrieNode, key: tuple[Any, ...], operands: tuple[Any, ...]) -> None:
    """PyTorch's error where the derivative of this call would keep an inference tensor. Runs on a miss only."""
    states = [a._at if isinstance(a, Handle) else None for a in operands]
    made = {k for k, at in enumerate(states) if at is not None and at.inference}
    wanted = [k for k, at in enumerate(states) if at is not None and at.requires_grad]
    if made and wanted:
        refs, statics = split_key(key)
        specs = tuple([entry_at(end, ref).spec if ref >= 0 else None for ref in refs])
        if not made.isdisjoint(
            places_read(CALLS_BY_NUMBER[key[0]], tuple([min(r, 0) for r in refs]), statics, specs, tuple(wanted))
        ):
            raise cannot_be_saved()


@lru_cache(10_000)
def places_read(
    call: Call, refs: tuple[int, ...], statics: tuple[Any, ...], specs: tuple[Spec | None, ...], wanted: tuple[int, ...]
) -> tuple[int, ...]:
    """Which operands of a call, tensors of these ``specs`` among them, its derivatives by the operands ``wanted`` read,
    and RESULT. ``refs`` are 0 for tensors, wherever they stand."""
    numbers = accumulate([0, *map(count_of, refs)])
    operands: list[Node | None] = [
        input_node(k, spec) if spec is not None else None if r == NONE else number_node(place, r)
        for k, (r, spec, place) in enumerate(zip(refs, specs, numbers, strict=False))
    ]
    y = call.on(tuple(operands), statics)
    given = [x for x in operands if x is not None]
    made = vjp([y], [stand_in(y)], [x for k in wanted if (x := operands[k])], order=[*given, *toposort([y], given)])
    ends = {*given, y}
    read = reach([x for x in made if x is not None], lambda x: () if x in ends else x.inputs)
    places = [k for k, x in enumerate(operands) if x in read and specs[k] is not None]
    return (*places, *([RESULT] if y in read else []))


def cannot_be_saved() -> GradError:
    """The error of an inference tensor that a derivative would read."""
    return GradError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
        "in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor "
        "and use it in autograd, or use `nbgrad.no_grad()` instead of `nbgrad.inference_mode()`"
    )

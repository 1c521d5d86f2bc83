"""What derivatives read of a call's operands."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from nbgrad.calls.base import Call
from nbgrad.calls.key import NONE, count_of, number_node
from nbgrad.graph.node import Node, reach, toposort
from nbgrad.graph.spec import Spec
from nbgrad.ops.source import input_node
from nbgrad.transform.vjp import stand_in, vjp

RESULT: Final = -1  # what an operation gives, where its operands are told by their places


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

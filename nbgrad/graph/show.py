"""A graph as text: ``%3: f32[64,10] = tanh %2   train.py:41``. The numbers are the same in every stage's text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from nbgrad.graph.dtypes import DType
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.spec import Spec, place_name

SITE_COLUMN = 56  # where the user's line starts, so that lines read as a table


def numbering(roots: Sequence[Node]) -> dict[Node, int]:
    """Numbers for all nodes, in the order in which they are computed."""
    return {node: i for i, node in enumerate(toposort(roots))}


def show(roots: Sequence[Node]) -> str:
    """The text of the graph that computes ``roots``, one node a line, the results last."""
    numbers = numbering(roots)
    lines = [show_node(node, numbers) for node in numbers]
    return "\n".join([*lines, "return " + " ".join([f"%{numbers[r]}" for r in roots])])


def show_node(node: Node, numbers: Mapping[Node, int]) -> str:
    """One line: number, spec, operator, inputs, static arguments, the user's line."""
    words = [node.op.name, *[f"%{numbers[x]}" for x in node.inputs], *_arguments(node)]
    text = f"%{numbers[node]}: {node.spec} = {' '.join(words)}"
    return f"{text:<{SITE_COLUMN}}{node.site}" if node.site else text


def _arguments(node: Node) -> list[str]:
    if node.op.name in ("input", "scalar", "const"):
        return [str(node.params[0]), *[place_name(place) for place in node.params[2:]]]  # the spec stands on the left
    if node.op.name == "transfer":
        return [place_name(node.params[0])]
    return [_argument(p) for p in node.params]


def _argument(p: object) -> str:
    if isinstance(p, tuple):
        return "[" + ",".join([_argument(x) for x in p]) + "]"
    if isinstance(p, DType):
        return p.short
    return repr(p) if isinstance(p, Spec) else shortened(p)


def shortened(p: object) -> str:
    """A static argument in a word: a text of several lines by a name."""
    if isinstance(p, str) and "\n" in p:
        return f"body_{hashlib.sha256(p.encode()).hexdigest()[:8]}"
    return str(p)

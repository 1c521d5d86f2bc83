"""Whether a graph keeps the rules: run after each pass under NBGRAD_CHECK=1."""

from __future__ import annotations

from collections.abc import Sequence

from nbgrad.errors import NbgradError
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import Kind
from nbgrad.graph.show import numbering, show_node
from nbgrad.graph.spec import Spec


class InvalidGraph(AssertionError):
    """A graph broke a rule: a mistake in a pass or an operator, never the user's."""


def verify(roots: Sequence[Node], stage: str = "graph") -> None:
    """Raise InvalidGraph where a spec is not what its operator infers, or where sources contradict each other."""
    bound: dict[tuple[str, int], Spec] = {}
    for node in toposort(roots):
        problem = _problem(node) or _contradiction(node, bound)
        if problem:
            raise InvalidGraph(f"after {stage}: {problem}\n  {show_node(node, numbering(roots))}")


def _problem(node: Node) -> str:
    try:
        inferred = node.op.infer(tuple([x.spec for x in node.inputs]), node.params)
    except NbgradError as error:
        return f"the inputs do not fit: {error}"
    if inferred is not node.spec:
        return f"spec is {node.spec}, but the operator infers {inferred}"
    if node.op.kind is Kind.MAP and node.op.name != "take":
        shapes = {x.spec.shape for x in node.inputs} - {()}
        if shapes and shapes != {node.spec.shape}:
            return "a map's inputs have its shape or none"
    if node.op.kind is Kind.SOURCE and node.inputs:
        return "a source has no inputs"
    return ""


def _contradiction(node: Node, bound: dict[tuple[str, int], Spec]) -> str:
    if node.op.name != "input":
        return ""
    known = bound.setdefault(("input", node.params[0]), node.spec)
    return "" if known is node.spec else f"input {node.params[0]} is also {known}"

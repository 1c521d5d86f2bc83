"""Groups as text, and why what was not fused was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nbgrad.graph.geometry import base_of
from nbgrad.graph.node import Node
from nbgrad.graph.op import LIBRARY, MAP, REDUCE, VIEW
from nbgrad.graph.show import numbering
from nbgrad.passes.fuse import fusable
from nbgrad.passes.group import Group, read_by
from nbgrad.passes.stages import sweeps_of


def show_groups(roots: Sequence[Node], groups: Sequence[Group], unfused: str = "") -> str:
    """One line a group, ``group 0: %2 %3 %5-%9   row ...``, and a line for every edge that stayed between groups.

    Where nothing was to be fused, ``unfused`` says why, in place of these.
    """
    numbers = numbering(roots)
    lines = [_line(i, group, numbers) for i, group in enumerate(groups)]
    return "\n".join([*lines, f"not fused: {unfused}"] if unfused else [*lines, *_refusals(groups, numbers)])


def _line(i: int, group: Group, numbers: Mapping[Node, int]) -> str:
    nodes = _ranges(sorted({numbers[n] for n in group.computed}))
    if group.is_library:
        return f"group {i}: {nodes}   {group.nodes[0].op.name}"
    reads = {x for _, x in read_by(group.nodes, group.finish)}
    what = f"over {list(group.shape)}" + (f" reducing {list(group.dims)}" if group.dims else "")
    sweeps = sweeps_of(group, group.stores)
    if group.is_staged and len(sweeps.stages) > 1:
        what += f" in {len(sweeps.stages)} stages"
    elif group.finish:
        what += f", then {_ranges([numbers[n] for n in group.finish])}"
    return f"group {i}: {nodes}   1 loop {what}, {len(reads)} in, {len(group.stores)} out"


def _ranges(numbers: Sequence[int]) -> str:
    """%2 %3 %5-%9."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return " ".join([f"%{a}" if a == b else f"%{a} %{b}" if b == a + 1 else f"%{a}-%{b}" for a, b in runs])


def _refusals(groups: Sequence[Group], numbers: Mapping[Node, int]) -> list[str]:
    home = {node: i for i, group in enumerate(groups) for node in group.stores}
    lines = []
    for i, group in enumerate(groups):
        for node, x in read_by(group.nodes, group.finish):
            made = base_of(x)
            if made in home and home[made] != i:
                lines.append(f"not fused: %{numbers[made]} {made.op.name} with %{numbers[node]}: {_why(x, node)}")
    return list(dict.fromkeys(lines))


def _why(x: Node, node: Node) -> str:
    if node.op.kind is LIBRARY or x.op.kind is LIBRARY:
        return "a library kernel"
    if x.op.kind is VIEW:
        return f"the consumer reads it through a view ({x.op.name})"
    if x.op.kind is REDUCE:
        return "a reduction has to be complete"
    if x.spec.shape != node.spec.shape and node.op.kind is MAP:
        return "the consumer reads another shape"
    return "other reduced dims, or a later stage" if fusable(x, node) else "the consumer needs all of it"

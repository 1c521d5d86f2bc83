"""Which operators run as one loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import LIBRARY, MAP, REDUCE, SOURCE, VIEW
from nbgrad.graph.spec import Shape
from nbgrad.passes.group import NO_DONATIONS, PLACED, Group
from nbgrad.passes.keep import keep_less
from nbgrad.passes.portions import ALIKE, portions
from nbgrad.passes.recompute import recompute
from nbgrad.passes.rows import join_rows
from nbgrad.passes.schedule import Draft, scheduled
from nbgrad.passes.sets import Sets
from nbgrad.passes.uniform import uniform_nodes


def fuse(
    roots: Sequence[Node], donations: Mapping[int, int] = NO_DONATIONS, few: bool = False, *, gpu: bool = False
) -> list[Group]:
    """Groups of maps and reductions that run as one loop each, in an order that respects their edges.

    Needs: a canonical graph.   Gives: groups of one stage and one iteration shape, whose reductions share their dims;
    0-d maps of numbers repeated in each group that uses them; cheap maps repeated where that moves fewer bytes.
    Keeps: values bit for bit.   Cost: O(edges).

    A map joins its inputs' loop, and a reduction that of the value it folds; everything else waits for complete values,
    so stage(n) = max of stage(input), one more over such an edge. Groups of one stage cannot depend on each other in a
    circle: a path that leaves a group comes back at a later stage, but for reductions in a loop of their own, from
    where no path goes on. Loops over the same rows are joined then, see ``rows.py``.
    ``few``: the graph stands for one with many more rounds of a loop, see ``portions.py``.
    """
    order = toposort(roots)
    uniform = uniform_nodes(order)
    stages = _stages(order, uniform)
    buckets: dict[tuple[int, Shape], list[Node]] = {}
    drafts: list[Draft] = []
    for node in order:
        kind = node.op.kind
        if kind is LIBRARY:
            drafts.append(Draft([node], node.spec.shape, ()))
        elif kind is REDUCE:
            buckets.setdefault((stages[node], node.inputs[0].spec.shape), []).append(node)
        elif kind is MAP and node not in uniform:
            buckets.setdefault((stages[node], node.spec.shape), []).append(node)
    for (_, shape), nodes in buckets.items():
        for draft in _components(nodes, shape, few):
            drafts += _cut(draft, few)
    drafts = join_rows(order, drafts, uniform, few, gpu=gpu)
    recompute(roots, drafts, uniform)
    keep_less(roots, order, drafts, uniform)
    return scheduled(roots, order, drafts, uniform, donations)


def _stages(order: Sequence[Node], uniform: set[Node]) -> dict[Node, int]:
    """The stage of each node."""
    stages: dict[Node, int] = {}
    computed: set[Node] = set()  # values that some group makes, and views of them
    for node in order:
        kind = node.op.kind
        if kind is SOURCE:
            stages[node] = 0
            continue
        stage = 0
        for x in node.inputs:
            if x in computed:
                before = stages[x]
                if kind is not VIEW and not fusable(x, node):
                    before += 1
                if before > stage:
                    stage = before
        stages[node] = stage
        if kind is VIEW:
            if node.inputs[0] in computed:
                computed.add(node)
        elif node not in uniform:
            computed.add(node)
    return stages


def fusable(x: Node, node: Node) -> bool:
    """Whether ``node`` may read ``x`` inside the loop that computes it."""
    if x.op.kind is not MAP:
        return False
    if node.op.kind is REDUCE:
        return True
    from_memory = node.op.name in PLACED and x is node.inputs[0]
    return node.op.kind is MAP and x.spec.shape == node.spec.shape and not from_memory


def _components(nodes: Sequence[Node], shape: Shape, few: bool) -> list[Draft]:
    """The nodes of one stage and shape as loops: those joined by an edge, then those that read the same array.

    A loop reduces over one set of dims; a second reduction of its values, over others, makes a loop of its own.
    Where ``few`` rounds of a loop stand for many, an array that each round reads joins nothing: a loop of all rounds is
    no round's.
    """
    loops = Sets(nodes)
    for node in nodes:
        if node.op.kind is MAP:
            for x in node.inputs:
                if x in loops.members and fusable(x, node):
                    loops.join(node, x)
    for node in nodes:
        if node.op.kind is REDUCE and node.inputs[0] in loops.members:
            loops.join(node, node.inputs[0])
    reader: dict[Node, Node] = {}
    readers = Counter([x for node in nodes for x in node.inputs]) if few else {}
    for node in nodes:
        for x in node.inputs:
            if x in loops.members or not x.spec.shape or (few and readers[x] >= ALIKE):
                continue
            loops.join(node, reader.setdefault(x, node))
    return [Draft(members, shape, dims) for members, dims in loops.found()]


def _cut(draft: Draft, few: bool) -> list[Draft]:
    """``draft`` in pieces that are not too large for one kernel."""
    cut = portions(draft.nodes, few)
    if len(cut) == 1:
        return [draft]
    parts = []
    for nodes in cut:
        folds = any([n.op.kind is REDUCE for n in nodes])  # noqa: C419  (faster)
        part = Draft(list(nodes), draft.shape, draft.dims if folds else ())
        part.is_part = True
        parts.append(part)
    return parts

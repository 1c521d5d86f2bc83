"""Which maps follow the reductions of a loop inside its kernel: ``mean = sum / n``, ``norm = sqrt(sum)``."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.geometry import Geometry, long_dims, plain, resolve
from nbgrad.graph.node import Node
from nbgrad.graph.op import REDUCE
from nbgrad.graph.spec import Shape
from nbgrad.passes.schedule import Draft

MOST_FINISHING: Final = 60  # operators behind the reductions of one loop
# A row kernel finishes one output at a time, so that an operator costs as much as on 16 outputs of a map. Measured:
# cheap ones cost nothing (20000 x 32 and a product: 128 us, 132 in two kernels), an elementary function 7 ns. That is
# little beside a long reduction, or where there are few outputs.
CHEAP: Final = 8.0
ROW_ELEMENTS: Final = 64  # reduced elements for each unit of cost
LITTLE: Final = 500.0


class Key(NamedTuple):
    """Reductions that can share a loop: of one stage, over the same ``dims`` of one ``shape``."""

    stage: int
    shape: Shape
    dims: Shape

    @property
    def kept(self) -> Shape:
        return tuple([n for d, n in enumerate(self.shape) if d not in self.dims])

    @property
    def is_row(self) -> bool:
        """Whether lanes lie along the reduced dims, see ``Loop.form``."""
        return all(n == 1 for n in self.shape[self.dims[-1] + 1 :])


class Finishing:
    """Maps found to be made of reductions of one key and of values that are complete at an earlier stage.

    ``pairs`` are reductions that have to share a loop, by its stage and shape, for a map of both to follow them.
    ``uniform`` values are in no memory; a finish finds its operands there, so it has numbers of them and no places.
    """

    def __init__(self, uniform: Container[Node] = ()) -> None:
        self._uniform = uniform
        self.maps: dict[Node, Key] = {}
        self.pairs: dict[tuple[int, Shape], list[tuple[Node, Node]]] = {}
        self._keys: dict[Node, Key] = {}  # of reductions and of maps
        self._anchors: dict[Node, Node] = {}  # a reduction that the value is made of
        self._costs: dict[Node, float] = {}
        self._geometries: dict[Node, Geometry] = {}

    def enter_reduction(self, node: Node, stage: int) -> None:
        self._keys[node] = Key(stage, node.inputs[0].spec.shape, node.params[0])
        self._anchors[node] = node
        self._costs[node] = 0.0

    def accepts(self, node: Node, stages: Mapping[Node, int], computed: set[Node]) -> bool:
        """Whether ``node``, a map, can follow the reductions it reads; it is entered then, at their stage."""
        last = max([stages[x] for x in node.inputs if x in computed], default=-1)
        made = [plain(x) for x in node.inputs if x in computed and stages[x] == last]
        key = self._keys.get(made[0]) if made else None
        if key is None or key.stage != last or any([self._keys.get(x) != key for x in made]):  # noqa: C419  (faster)
            return False
        cost = node.op.cost + max([self._costs[x] for x in made])
        late = [x for x in node.inputs if x not in computed or stages[x] < last]
        if not self._fits(node, key, late) or not is_worth(key, cost):
            return False
        self.maps[node] = self._keys[node] = key
        self._costs[node] = cost
        anchors = [self._anchors[x] for x in made]
        self._anchors[node] = anchors[0]
        self.pairs.setdefault((key.stage, key.shape), []).extend([(anchors[0], a) for a in anchors[1:]])
        return True

    def _fits(self, node: Node, key: Key, late: Iterable[Node]) -> bool:
        """Whether there is one element of ``node`` for each output, and strides express what it reads."""
        if node.op.name in ("take", "guard") or long_dims(node.spec.shape) != long_dims(key.kept):
            return False
        if any([x.spec.shape and x in self._uniform for x in node.inputs]):  # noqa: C419  (faster)
            return False
        geometries = [resolve(x, self._geometries) for x in late]
        if any(g.base.op.name == "iota" for g in geometries):
            return False
        inner = len(long_dims(key.shape[key.dims[-1] + 1 :]))
        return all(_is_one_run(x, g, inner) for x, g in zip(late, geometries, strict=True))

    def attach(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Put each map behind the loop of its reductions; gives loops for those whose reductions are in several.

        Such maps are complete within the stage, too. Nothing else of that stage reads them, so that loops of their own
        come last in it; of several shapes they stay alone, for reshapes lead from one to the other and back.
        """
        home = {node: draft for draft in drafts for node in draft.nodes if node.op.kind is REDUCE}
        left: dict[Key, list[Node]] = {}
        for node, key in self.maps.items():
            made = {home.get(plain(x)) for x in node.inputs if self._keys.get(plain(x)) == key}
            draft = made.pop() if len(made) == 1 else None
            if draft is not None and len(draft.finish) < MOST_FINISHING:
                draft.finish.append(node)
                home[node] = draft
            else:
                left.setdefault(key, []).append(node)
        alone: list[Draft] = []
        for nodes in left.values():
            together = len({node.spec.shape for node in nodes}) == 1
            alone += [Draft(part, part[0].spec.shape, ()) for part in ([nodes] if together else [[n] for n in nodes])]
        return alone


def is_worth(key: Key, cost: float, elements: int = ROW_ELEMENTS) -> bool:
    """Whether maps of such a cost may follow reductions; in row form ``elements`` have to be there for each unit."""
    if not key.is_row:
        return True
    reduced = prod([key.shape[d] for d in key.dims])
    return cost <= CHEAP or cost * elements <= reduced or cost * prod(key.kept) <= LITTLE


def _is_one_run(x: Node, g: Geometry, inner: int) -> bool:
    """Whether ``x`` moves evenly over the last ``inner`` dims: a column kernel takes these as one long row."""
    pairs = [(n, s) for n, s in zip(x.spec.shape, g.strides, strict=True) if n > 1]
    run = pairs[len(pairs) - inner :] if inner and pairs else []
    return all(s == n * t for (_, s), (n, t) in pairwise(run))

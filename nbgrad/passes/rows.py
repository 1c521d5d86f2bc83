"""Loops over the rows of one array as one kernel: what waits for a row's sums goes over that row once more."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, NamedTuple

from nbgrad.graph.blocks import ENOUGH_WARPS, item_rows, row_blocks
from nbgrad.graph.geometry import Geometry, base_of, is_contiguous, long_dims, resolve
from nbgrad.graph.node import Node
from nbgrad.graph.op import REDUCE
from nbgrad.graph.spec import Shape, contiguous_strides
from nbgrad.passes.group import PLACED, WRITERS
from nbgrad.passes.schedule import Draft, in_order
from nbgrad.passes.stages import sweeps_of

MOST_NODES: Final = 120  # statements of one row kernel: it takes some 40 ms to make
MOST_STAGES: Final = 10
# With sums down the columns an item is at least a run of rows: so many items keep threads busy, so few elements don't
# need threads. On a GPU an item is one warp's: 8192 rows of a layer norm and the sums for its weights are 32 of
# them together, and thousands apart.
ENOUGH_ITEMS: Final = 8
FEW_ELEMENTS: Final = 1 << 17
# What follows a row's sums is computed one row at a time, so that an operator costs as much as on 16 outputs of a map.
# Cheap ones cost nothing (20000 x 32 and a product: 128 us, 132 in two kernels), an elementary function 7 ns. That is
# little beside so many elements of a row for each unit, or where there are few outputs. Measured for log_softmax: 128
# elements lose, 253 win.
CHEAP: Final = 8.0
LATE_ELEMENTS: Final = 16
LITTLE: Final = 500.0


class Key(NamedTuple):
    """The rows of reductions over ``dims``, the last ones of ``shape``, that can share a kernel."""

    shape: Shape
    dims: Shape

    @property
    def kept(self) -> Shape:
        return tuple([n for d, n in enumerate(self.shape) if d not in self.dims])


def join_rows(
    order: Sequence[Node], drafts: Sequence[Draft], uniform: set[Node], few: bool = False, *, gpu: bool = False
) -> list[Draft]:
    """``drafts`` with loops over the same rows joined, where all that they exchange are elements and rows' results.

    Two loops are joined if one reads the other or both read an array, and no third one stands between them. A row has
    to fit one block of the reduction's order, and what later stages need of it the scratch. Sums down the columns of
    such rows join, too. Where ``few`` rounds of a loop stand for many, equal loops with sums stay apart: they are of
    different rounds (a loss that each step adds to), and a kernel of several rounds is no round's. Loops that read an
    array before and after something is written into it stay apart: otherwise all of it would be copied.
    """
    if not any(map(_key_of, drafts)):
        return list(drafts)
    return _Joining(order, drafts, uniform, few, gpu).joined()


def _key_of(draft: Draft) -> Key | None:
    """The rows that a loop reduces; None where it reduces none, or rows of several blocks."""
    if not draft.dims or draft.is_library or draft.is_part:
        return None
    key = Key(draft.shape, draft.dims)
    is_row = all(n == 1 for n in draft.shape[draft.dims[-1] + 1 :])  # lanes lie along them, see ``Loop.form``
    outer = prod([draft.shape[d] for d in draft.dims[:-1]])
    return key if is_row and row_blocks(outer, draft.shape[draft.dims[-1]])[3] == 1 else None


def _body_of(draft: Draft) -> Hashable:
    """What a loop computes, but for what it reads."""
    return draft.shape, draft.dims, tuple([(n.op, n.params, len(n.inputs)) for n in (*draft.nodes, *draft.finish)])


@dataclass(slots=True, eq=False)
class _Cluster:
    """Loops that run as one. Sets of loops are bits of an int: ``mask`` are its own, ``before`` all it waits for,
    ``reads`` those whose values it reads.

    ``bodies``: what loops with sums compute, where equal ones stay apart. ``looks`` are the values that are read of
    arrays which are written part by part, by the array.
    """

    drafts: list[Draft]
    key: Key | None
    mask: int
    reads: int
    bodies: frozenset[Hashable] = frozenset()
    before: int = 0
    looks: Mapping[Node, Node] = field(default_factory=dict)


class _Joining:
    def __init__(
        self, order: Sequence[Node], drafts: Sequence[Draft], uniform: set[Node], few: bool, gpu: bool
    ) -> None:
        self.drafts = drafts
        self.gpu = gpu
        self.position = {node: i for i, node in enumerate(order)}
        self.uniform = uniform
        self.home = {node: i for i, draft in enumerate(drafts) for node in (*draft.nodes, *draft.finish)}
        self.geometries: dict[Node, Geometry] = {}
        bodies = [frozenset([_body_of(d)] if few and d.dims else []) for d in drafts]
        # by draft
        self.of = [_Cluster([d], _key_of(d), 1 << i, self._reads(i, d), bodies[i]) for i, d in enumerate(drafts)]
        self.ordered = in_order([set(_bits(cluster.reads)) for cluster in self.of], range(len(drafts)))
        arrays: dict[Node, Node] = {}  # by what it is before or after a write
        for i in self.ordered:
            cluster = self.of[i]
            for j in _bits(cluster.reads):
                cluster.before |= self.of[j].mask | self.of[j].before
            node = drafts[i].nodes[0] if drafts[i].nodes else None
            if node is not None and node.op.name in WRITERS:
                before = base_of(node.inputs[0])
                arrays[node] = arrays.setdefault(before, before)
        for cluster in self.of if arrays else ():
            read = [base_of(x) for node in cluster.drafts[0].nodes for x in node.inputs]
            cluster.looks = {arrays[x]: x for x in read if x in arrays}

    def _reads(self, i: int, draft: Draft) -> int:
        found = 0
        for node in (*draft.nodes, *draft.finish):
            for x in node.inputs:
                j = self.home.get(base_of(x))
                if j is not None and j != i:
                    found |= 1 << j
        return found

    def joined(self) -> list[Draft]:
        for i in self.ordered:
            for j in sorted(_bits(self.of[i].reads), reverse=True):
                self._try(self.of[j], self.of[i])
        reader: dict[Node, int] = {}
        for i in self.ordered:
            for x in self._arrays(i):
                self._try(self.of[reader.setdefault(x, i)], self.of[i])
        return [self._draft_of(cluster) for cluster in dict.fromkeys(self.of)]

    def _arrays(self, i: int) -> list[Node]:
        """What loop ``i`` reads element by element of what it does not compute."""
        draft = self.drafts[i]
        inputs = dict.fromkeys([x for node in draft.nodes for x in node.inputs])
        return [x for x in inputs if x.spec.shape == draft.shape != () and self.home.get(x) != i]

    def _try(self, a: _Cluster, b: _Cluster) -> None:
        """One cluster of both, if they can run as one."""
        key = a.key or b.key
        if a is b or key is None or (b.key and key != b.key) or a.bodies & b.bodies:
            return
        if self._stands_between(a, b) or self._stands_between(b, a):
            return
        if any([a.looks.get(array, x) is not x for array, x in b.looks.items()]):  # noqa: C419  (faster)
            return
        mask = a.mask | b.mask
        whole = _Cluster([*a.drafts, *b.drafts], key, mask, (a.reads | b.reads) & ~mask, a.bodies | b.bodies)
        if not (all(_is_over(draft, key, self.gpu) for draft in whole.drafts) and self._fits(whole)):
            return
        whole.before = (a.before | b.before) & ~whole.mask
        whole.looks = {**a.looks, **b.looks}
        for draft in _bits(whole.mask):
            self.of[draft] = whole
        for cluster in dict.fromkeys(self.of):
            if cluster.before & whole.mask:
                cluster.before |= whole.before | whole.mask

    def _stands_between(self, a: _Cluster, b: _Cluster) -> bool:
        """Whether ``b`` waits for a third cluster that waits for ``a``."""
        return any(self.of[j].before & a.mask for j in _bits(b.reads & ~a.mask & ~b.mask))

    def _fits(self, cluster: _Cluster) -> bool:
        """Whether all that its loops exchange can be had inside a row kernel, and that kernel is no monster."""
        draft, key = self._draft_of(cluster), cluster.key
        assert key is not None
        folded = {n: n.params[0] == key.dims for n in draft.nodes if n.op.kind is REDUCE}
        rows = {*draft.finish, *[n for n, is_row in folded.items() if is_row]}
        if len(draft.nodes) + len(draft.finish) > MOST_NODES:
            return False
        inside = {*draft.nodes, *draft.finish}
        late = set(draft.finish)
        for node in inside:
            for x in node.inputs:
                base = base_of(x)
                if node in late and (node.op.name in PLACED or base.op.name == "iota"):
                    return False
                if base in self.uniform and (x is not base or (node in late and x.spec.shape)):
                    return False
                if base in inside and (base in folded and base not in rows):
                    return False
                if base in inside and not self._is_met(x, base, node, key, base in rows, node in late):
                    return False
        sweeps = sweeps_of(draft, ())
        return not sweeps.is_tight and len(sweeps.stages) <= MOST_STAGES

    def _is_met(self, x: Node, base: Node, node: Node, key: Key, is_row: bool, late: bool) -> bool:
        """Whether ``node`` finds ``x``, which shows ``base``, at its own element, or at its row."""
        if node.op.name in PLACED and x is node.inputs[0]:
            return False  # they read memory
        if not is_row:
            return x is base and not late
        g = resolve(x, self.geometries)
        if g.base is not base or not g.is_whole:
            return False
        if not x.spec.shape:
            return base.spec.size == 1
        if late:
            return long_dims(x.spec.shape) == long_dims(key.kept) and is_contiguous(x.spec.shape, g.strides)
        kept = iter(contiguous_strides(key.kept))
        steps = [0 if d in key.dims else next(kept) for d in range(len(key.shape))]
        return x.spec.shape == key.shape and all(
            s == step for n, s, step in zip(key.shape, g.strides, steps, strict=True) if n > 1
        )

    def _draft_of(self, cluster: _Cluster) -> Draft:
        """The cluster's loop. Nodes once a row are its finish."""
        if len(cluster.drafts) == 1:
            return cluster.drafts[0]
        key = cluster.key
        assert key is not None
        late = [n for d in cluster.drafts for n in d.finish]
        late += [n for d in cluster.drafts if _is_late(d, key) for n in d.nodes]
        nodes = [n for d in cluster.drafts if not _is_late(d, key) for n in d.nodes]
        draft = Draft(sorted(nodes, key=self.position.__getitem__), key.shape, key.dims)
        draft.finish = sorted(late, key=self.position.__getitem__)
        draft.is_staged = True
        return draft


def _is_over(draft: Draft, key: Key, gpu: bool) -> bool:
    """Whether ``draft`` is a loop over elements or rows of ``key``, or folds its columns."""
    if draft.is_library or draft.is_part or not draft.nodes:
        return False
    if draft.dims not in ((), key.dims):
        return draft.shape == key.shape and _adds_across(draft, key, gpu)
    if draft.shape == key.shape:
        return True
    cost = sum([n.op.cost for n in draft.nodes])
    reduced = prod([key.shape[d] for d in key.dims])
    is_worth = cost <= CHEAP or cost * LATE_ELEMENTS <= reduced or cost * prod(key.kept) <= LITTLE
    return is_worth and _is_late(draft, key)


def _adds_across(draft: Draft, key: Key, gpu: bool) -> bool:
    """Whether ``draft`` folds whole columns, in blocks that rows can be cut into without leaving threads idle."""
    columns = tuple([d for d, n in enumerate(key.shape) if n > 1 and d not in key.dims])
    if draft.dims != columns or draft.finish or any([n.op.name in ("argmax", "argmin") for n in draft.nodes]):  # noqa: C419  (faster)
        return False
    rows, elements = prod(key.kept), prod([key.shape[d] for d in key.dims])
    many = item_rows(elements, rows)
    if many == 0:
        return False
    items = -(-rows // many)
    return items >= ENOUGH_WARPS if gpu else rows * elements <= FEW_ELEMENTS or items >= ENOUGH_ITEMS


def _is_late(draft: Draft, key: Key) -> bool:
    """Whether ``draft`` has one element a row."""
    return draft.shape != key.shape and not draft.dims and long_dims(draft.shape) == long_dims(key.kept)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low

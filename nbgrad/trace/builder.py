"""Graph nodes from a trie path. Runs on a miss only: on a hit no node exists."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, NamedTuple

from nbgrad.calls.autocast import autocast
from nbgrad.calls.base import Call
from nbgrad.calls.base import is_number as is_users_number
from nbgrad.calls.device_check import check_devices
from nbgrad.calls.key import NONE, count_of, number_node
from nbgrad.errors import RunError, shown_instruction
from nbgrad.graph.node import Node, append_new, apply, reach, toposort
from nbgrad.graph.spec import HOST, Spec
from nbgrad.log import fall_back
from nbgrad.ops.composite import passed_back, read_by
from nbgrad.ops.put import is_view_of
from nbgrad.ops.source import boundary, example, input_node
from nbgrad.ops.transfer import ANYWHERE, find_place, moved
from nbgrad.trace.handle import ROOT
from nbgrad.trace.trie import KINDS, TrieNode, path_between
from nbgrad.transform.vjp import is_number, reads_constants, reads_values

_SAVING = frozenset(["mul", "div", "true_divide"])  # calls for whose derivatives PyTorch saves numbers, too
_DRAWING = frozenset(["philox"])
ALL_FREED = frozenset([-1])  # of an earlier segment: every node of it was used up
SPENT = -2  # and below, the same of node SPENT - number, where it was recorded by a function transform, which may go on
Links = tuple[tuple[int, int, int], ...]  # (entry, the earlier segment and entry that it is)
ANY_DEPTH = 1 << 30
OWN = -1  # the segment itself; the earlier segments it entered are numbered from 0


def refuse_examples(builder: Builder, nodes: Sequence[Node]) -> None:
    """RuntimeError for a value of one example, which nobody has."""
    if not builder.examples:
        return
    for x in reach(nodes, read_by):
        if x.op is example:
            function = x.params[1]
            raise RunError(
                f"{function}: this tensor depends on the examples that {function} runs over, so it has no one value to "
                f"look at (item(), bool(), print, a shape that depends on values), to steer the program by, or to be "
                f"kept after {function} has ended. Use nbgrad.where for choices, and return what is needed outside"
            )


def depends_on_examples(builder: Builder, ref: int, entries: Sequence[TrieNode]) -> bool:
    """Whether entry ``ref`` depends on the examples that ``entries`` stand for, be it through others."""
    known, inside = builder.examples, {builder.node_of(entry.ix) for entry in entries}
    found = reach([builder.node_of(ref)], lambda x: (known[x][0],) if x in known else read_by(x))
    return not inside.isdisjoint(found)


class FunctionEdge(NamedTuple):
    """A custom function in the graph: the entries it read with gradient (-1 for others), and its outputs'
    boundaries."""

    inputs: tuple[int, ...]
    boundaries: tuple[Node, ...]
    has_vmap: bool = False  # whether its values were computed for all examples of a vmap


class Builder:
    """The graph of one segment, grown entry by entry along the trie path.

    ``env[ix]`` is the node of entry ``ix``, None for events. ``nodes`` are all nodes in the order they were made: the
    same in every rebuild, so an index into it names a node across flushes. ``origin`` maps an input position to
    (earlier segment, index of its buffer). ``places`` says where nodes are computed, as far as that was asked. Builders
    of entered earlier segments share the books of the segment that entered them. ``segment`` knows the user's lines.
    """

    def __init__(self, outer: Builder | None = None, number: int = OWN, segment: Any = None) -> None:
        self.number = number
        self.segment = segment
        self.env: list[Node | None] = []
        self.nodes: list[Node] = []
        self.functions: list[FunctionEdge] = []
        self.results: dict[int, list[Node | None]] = {}  # of grad events, by entry
        self.earlier: list[Builder] = []
        self.entered: list[Builder] = []  # for a replay: the builders of the earlier segments it had entered
        self.at = ROOT
        self.grad_enabled = True
        self.autocast: Any = None
        self.site = ""
        self.n_inputs = 0
        self.n_scalars = 0
        self.known: set[Node] = outer.known if outer else set()
        self.stops: set[Node] = outer.stops if outer else set()  # values without gradient
        self.freed: set[Node] = outer.freed if outer else set()
        self.saving: set[Node] = outer.saving if outer else set()  # PyTorch saves something for their derivatives
        self.spent: set[Node] = outer.spent if outer else set()  # freed, but for the transform that recorded it
        self.saved: dict[Node, Node] = outer.saved if outer else {}  # node -> the input that holds its value
        self.last_kept = -1  # the last entry that says so of a node of its own segment
        self.packed: dict[Node, Sequence[Node]] = outer.packed if outer else {}  # nodes that keep their own -> operands
        # By leaf node: (earlier segment, entry).
        self.leaves: dict[Node, tuple[int, int]] = outer.leaves if outer else {}
        self.pasts: set[Node] = outer.pasts if outer else set()  # histories: inputs with something behind them
        # What function transforms differentiate by: in how many each is; and in how many what others gave is.
        self.variables: dict[Node, int] = outer.variables if outer else {}
        self.lowered: dict[Node, int] = outer.lowered if outer else {}
        # What stands for one of many examples: all of them, and how many nodes were made before.
        self.examples: dict[Node, tuple[Node, int]] = {}
        # Where tangents begin, and end, in a dual level that is open.
        self.given: tuple[Sequence[Node], Sequence[Node]] = (), ()
        self.same: dict[Node, Node] = outer.same if outer else {}  # leaf or history -> the node that it is, elsewhere
        self.places: dict[Node, int] = outer.places if outer else {}
        self.by_age: list[Builder] = []  # the entered earlier segments, the oldest first
        self.origin: list[tuple[int, int]] = outer.origin if outer else []
        self.scalar_origin: list[tuple[int, int]] = outer.scalar_origin if outer else []

    def sync(self, node: TrieNode) -> Builder:
        """Build everything on the path up to ``node``."""
        path = path_between(self.at, node)
        assert path is not None, "the path does not lead through where the builder is"
        here, lines = self.site, {} if self.segment is None else self.segment.lines
        for entry in path:
            line = lines.get(entry.ix) if entry.can_fail else None
            self.site = entry.site if line is None else shown_instruction(*line)
            self.step(entry)
        self.site = here
        return self

    def step(self, entry: TrieNode) -> None:
        """Build one entry and write down its spec and flags."""
        name, *arguments = entry.record
        kind = KINDS[name]
        if kind.has_grad:
            entry.requires_grad = True
        node: Node | None = kind.graph(self, entry, *arguments)
        if node is not None and is_users_number(node):
            node = apply("detach", node)  # a tensor, which promotes as one: full((), 0.1), the gradient of x * 2
        self.env.append(node)
        self.at = entry
        if node is not None:
            entry.spec = self.spec_of(node) if Spec.any_placed else node.spec
            self._number(node, name == "out")
            if not entry.requires_grad:
                self.stops.add(node)

    def _number(self, node: Node, is_derived: bool) -> None:
        """Give the new nodes under ``node`` their places in ``nodes`` and the user's line."""
        first, here = len(self.nodes), self.site
        append_new(self.nodes, self.known, [node])
        if here:
            lines = {"": here}
            for x in self.nodes[first:]:
                own = x.site
                if own not in lines:
                    lines[own] = f"{own}, differentiated at {here}" if is_derived else own
                x.site = lines[own]

    def forget_numbers(self, count: int) -> None:
        """Only ``count`` numbers came in: take back those of a call that was a mistake, all that such a one leaves."""
        del self.scalar_origin[len(self.scalar_origin) - (self.n_scalars - count) :]
        self.n_scalars = count

    def node_of(self, ref: int) -> Node:
        node = self.env[ref]
        assert node is not None
        return node

    def place_of(self, node: Node) -> int:
        """Where the value of ``node`` lives."""
        return max(find_place(node, self.places), HOST) if Spec.any_placed else HOST

    def spec_of(self, node: Node) -> Spec:
        """Shape, dtype and place of the value of ``node``."""
        return node.spec.on(self.place_of(node))

    def wanted_at(self, node: Node, place: int) -> Node:
        """``node``, or a transfer of what is computed anywhere, so that it is computed at ``place``."""
        return moved(node, place) if place != HOST and find_place(node, self.places) == ANYWHERE else node

    def order_behind(self, outputs: Sequence[Node], ends: Container[Node] = ()) -> list[Node]:
        """The same, in the order in which it was recorded: the order that derivatives are added up in."""
        needed = self.behind(outputs, ends)
        return [x for x in self.all_nodes() if x in needed]

    def all_nodes(self) -> list[Node]:
        """The nodes of earlier segments, too, in the order in which they were recorded."""
        return [x for part in (*self.by_age, self) for x in part.nodes]

    def behind(self, roots: Sequence[Node], ends: Container[Node] = ()) -> dict[Node, None]:
        """All that derivatives of ``roots`` may pass, in earlier segments too, up to ``ends``."""

        def inputs(x: Node) -> Sequence[Node]:
            if x in ends:
                return ()
            return (self.same[x],) if x in self.same else passed_back(x)  # which gets the cotangent of ``x``

        return reach(roots, inputs)

    def origin_of(self, node: Node) -> Node:
        """The one node that a leaf or a history is, however often it came in."""
        while node in self.same:
            node = self.same[node]
        return node

    def origins(self) -> dict[Node, Node]:
        """The same of all that came in more than once."""
        return {x: self.origin_of(x) for x in self.same}

    def unite(self, node: Node, other: Node) -> None:
        """``node`` is the value that ``other`` is."""
        node, other = self.origin_of(node), self.origin_of(other)
        if node is not other:
            self.same[node] = other

    def unite_all(self, part: Builder, pairs: Links) -> None:
        """Entry by entry of ``part``: (entry, the earlier segment and entry that it is)."""
        for ix, earlier, other in pairs:
            self.unite(part.node_of(ix), self.inside(earlier).node_of(other))

    def requires_grad(self, ref: int) -> bool:
        node = self.env[ref]
        return node is not None and node not in self.stops

    def edge(self, function: tuple[int, int]) -> tuple[Builder, FunctionEdge]:
        """The custom function called ``function`` = (earlier segment, index), and the builder its entries count in."""
        earlier, index = function
        owner = self.inside(earlier)
        return owner, owner.functions[index]

    def edge_of(self, mark: Node) -> tuple[Builder, FunctionEdge]:
        """The same of the function whose boundary ``mark`` is: that counts earlier segments as the outermost builder
        does."""
        earlier, index = mark.params[0]
        owner = next(part for part in (self, *self.earlier) if part.number == earlier)
        return owner, owner.functions[index]

    def read_by_function(self, mark: Node) -> list[Node]:
        """What gets cotangents of the custom function whose boundary ``mark`` is."""
        owner, edge = self.edge_of(mark)
        return [owner.node_of(r) for r in edge.inputs if r >= 0]

    def inside(self, earlier: int) -> Builder:
        """The builder of an earlier segment that this segment entered, or of the segment itself."""
        return self if earlier == OWN else self.earlier[earlier]

    @property
    def replays(self) -> bool:
        """Whether this graph is a flushed segment's, built again: what its events used up is known from its earlier
        segment."""
        return self.number != OWN

    def _place_input(self, earlier: int, index: int) -> int:
        self.origin.append((earlier, index))
        return len(self.origin) - 1

    def distinct(self, node: Node, requires_grad: bool) -> Node:
        """``node``, or a wrapper where it already stands for a value with the other gradient flag."""
        if node not in self.known or requires_grad != (node in self.stops):
            return node
        return apply("rebase_history", node, node) if requires_grad else apply("detach", node)

    def called(
        self, entry: TrieNode, call: Call, refs: Sequence[int], statics: tuple[Any, ...], grad_enabled: bool
    ) -> Node:
        operands = [self._operand(ref) for ref in refs]
        if self.autocast is not None:
            operands = autocast(call, operands, self.autocast, self.place_of)
        node = self._placed_call(call, operands, statics) if Spec.any_placed else call.on(tuple(operands), statics)
        entry.requires_grad = (
            grad_enabled and node.spec.dtype.is_inexact and any(ref >= 0 and self.requires_grad(ref) for ref in refs)
        )
        first = operands[0] if operands else None
        entry.view = first is not None and refs[0] >= 0 and is_view_of(node, first)
        if call.name in _SAVING:
            self.saving.add(node)
        return self.distinct(node, entry.requires_grad)

    def _placed_call(self, call: Call, operands: list[Node | None], statics: tuple[Any, ...]) -> Node:
        """A call whose operands may live elsewhere: together, or the user's mistake. Its result lives there too, and so
        does what it makes of nothing, a dropout's mask for one."""
        place = check_devices(call, operands, self.place_of)
        node = call.on(tuple(operands), statics)
        if place == HOST:
            return node
        if any(x.op.is_for_cpus for x in toposort([node], known=[x for x in operands if x is not None])):
            fall_back("tape", f"{call.name}: computed on the CPU, copied there and back")
            there = [x if x is None or is_number(x) else moved(x, HOST, place) for x in operands]
            return moved(call.on(tuple(there), statics), place)
        node = self.wanted_at(node, place)
        for x in toposort([node]):
            if x not in self.known and find_place(x, self.places) == ANYWHERE and not is_number(x):
                self.places[x] = place
        return node

    def _operand(self, ref: int) -> Node | None:
        if ref >= 0:
            return self.node_of(ref)
        if ref == NONE:
            return None
        place = len(self.scalar_origin)
        for _ in range(count_of(ref)):
            self.scalar_origin.append((self.number, self.n_scalars))
            self.n_scalars += 1
        return number_node(place, ref)

    def apart(self, ref: int) -> Node | None:
        """An operand as a node of its own."""
        node = self._operand(ref)
        return apply("reshape", node, params=(node.spec.shape,)) if node is not None and ref >= 0 else node

    def next_input(self, spec: Spec) -> Node:
        """The node of the next tensor that comes in from memory."""
        self.n_inputs += 1
        return input_node(self._place_input(self.number, self.n_inputs - 1), spec)

    def make_leaf(self, entry: TrieNode, node: Node) -> None:
        """Let the value of ``entry`` be a leaf that requires grad."""
        entry.requires_grad = True
        entry.leaf = entry.ix
        self.leaves[node] = (self.number, entry.ix)

    def enter_earlier(
        self,
        struct: Any,
        inner: tuple[int, ...],
        freed: frozenset[int],
        links: Links,
        same: Links,
        rank: int,
    ) -> None:
        """A flushed segment comes in: its graph again, its kept nodes bound to the buffers that hold them."""
        if self.replays:
            sub = self.entered[len(self.earlier)]
            self.earlier.append(sub)
            self.by_age.insert(rank, sub)
            self.unite_all(sub, same)
            return
        number, known = len(self.earlier), () if self.segment is None else self.segment.earlier
        sub = Builder(self, number, known[number] if number < len(known) else None)  # None as it enters
        sub.entered = [self.earlier[k] for k in inner]
        used_up = struct.readers <= freed
        sub.sync(struct.end)
        self.earlier.append(sub)
        self.by_age.insert(rank, sub)
        self.unite_all(sub, links)
        self.unite_all(sub, same)
        if not used_up:
            for place, index in enumerate(struct.saved):
                node = sub.nodes[index]
                position = self._place_input(sub.number, struct.n_inputs + place)
                self.saved[node] = input_node(position, node.spec.on(self.place_of(node)))
        count = len(sub.nodes)
        self.freed.update(sub.nodes if freed >= ALL_FREED else [sub.nodes[i] for i in freed if 0 <= i < count])
        self.spent.update([sub.nodes[SPENT - i] for i in freed if 0 <= SPENT - i < count])

    def saves(self, node: Node) -> bool:
        """Whether PyTorch saves something for the derivative of ``node``, so that there is none once it was freed."""
        return node in self.saving or reads_values(node, self._is_made) or reads_constants(node, self.stops)

    def _is_made(self, node: Node) -> bool:
        """Whether ``node`` is made of numbers, by the user's call or inside of it, as a triangle is: not drawn."""
        pending, seen = [] if is_number(node) else [node], set[Node]()
        while pending:
            x = pending.pop()
            if x in self.stops or x.op.name in _DRAWING or not (x.inputs or is_number(x)):
                return False
            pending += [y for y in x.inputs if y not in seen]
            seen.update(x.inputs)
        return True

    def spent_of(self, part: Builder) -> frozenset[int]:
        """What stands among numbers of freed nodes for those of ``part`` that are spent."""
        return frozenset([SPENT - i for i, x in enumerate(part.nodes) if x in self.spent])

    def mark_output(self, index: int, place: int, inputs: tuple[int, ...], value: int, has_vmap: bool) -> Node:
        """The boundary of output ``place`` of custom function ``index``, which read ``inputs``."""
        mark = apply(boundary, params=((self.number, index), place, self.node_of(value).spec))
        if Spec.any_placed:
            self.places[mark] = self.place_of(self.node_of(value))
        if place == 0:
            self.functions.append(
                FunctionEdge(tuple([r if r >= 0 and self.requires_grad(r) else -1 for r in inputs]), (mark,), has_vmap)
            )
        else:
            edge = self.functions[index]
            self.functions[index] = edge._replace(boundaries=(*edge.boundaries, mark))
        return mark

    def depends(self, root: Node, depth: int) -> bool:
        """Whether a leaf, or a variable of at most ``depth``, stands behind ``root`` on a differentiable path."""
        if not (self.leaves or self.pasts or any([d <= depth for d in self.variables.values()])):  # noqa: C419  (faster)
            return False
        return any(
            x in self.leaves or x in self.pasts or self.variables.get(x, ANY_DEPTH + 1) <= depth
            for x in self._upstream(root, depth != ANY_DEPTH)
        )

    def depth_of(self, root: Node) -> int:
        """How many function transforms ``root`` belongs to: that of the innermost variable behind it."""
        found = self._upstream(root, True, self.lowered)
        return max(
            [
                min(self.lowered[x], self.depth_of(x.inputs[0])) if x in self.lowered else self.variables.get(x, 0)
                for x in found
            ]
        )

    def _upstream(self, root: Node, is_across: bool, ends: Container[Node] = ()) -> Iterator[Node]:
        """What stands behind ``root``, up to ``ends``, on a differentiable path; ``is_across`` segments, too."""
        pending, seen = [root], set()
        while pending:
            x = pending.pop()
            x = self.origin_of(x) if is_across else x
            if x in seen or x in self.stops or not x.spec.dtype.is_inexact:
                continue
            yield x
            seen.add(x)
            if x in ends:
                continue
            if x.op is boundary:
                pending.extend(self.read_by_function(x))
            else:
                pending.extend([self.examples[x][0]] if x in self.examples else x.inputs)

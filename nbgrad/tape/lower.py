"""From groups to a tape: kernels in order, results in memory of their own, temporaries in one arena."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nbgrad.config import settings
from nbgrad.graph.dtypes import int64
from nbgrad.graph.geometry import affine, is_contiguous
from nbgrad.graph.node import Node, toposort
from nbgrad.graph.op import LIBRARY, SOURCE, VIEW
from nbgrad.ops.native import Native
from nbgrad.ops.product_sum import product_sum
from nbgrad.passes.group import NO_DONATIONS, WRITERS, Group
from nbgrad.tape.block import ARENA, CONSTS, SCALARS, Ref, output_slot
from nbgrad.tape.build import Step, TapeBuilder
from nbgrad.tape.donations import Donations, find_donations
from nbgrad.tape.library import lower_library
from nbgrad.tape.loop import row_major
from nbgrad.tape.memory import count_lives, plan_memory
from nbgrad.tape.operands import copy, lower_loop
from nbgrad.tape.pieces import find_pieces
from nbgrad.tape.rows import lower_rows
from nbgrad.tape.sums import join_sums
from nbgrad.tape.tape import Instruction, Life, StartBounds, Tape
from nbgrad.tape.verify import verify_steps
from nbgrad.tape.waves import form_waves

LARGE = 1 << 12  # bytes of a temporary that is worth a word about memory


def lower(
    roots: Sequence[Node],
    groups: Sequence[Group],
    *,
    padded: bool,
    reuse: bool = True,
    donations: Mapping[int, int] = NO_DONATIONS,
    gpu: bool = False,
) -> Tape:
    """The tape that computes ``roots`` by ``groups``, which come in an order that respects their edges.

    ``padded``: kernels of rounded ranks, so that few serve all shapes. ``reuse``: temporaries share memory.
    ``donations``: results that are to take the memory of an input, where that can be. ``gpu``: long columns are shared
    among warps.
    """
    return finished(written(roots, groups, padded=padded, donations=donations, gpu=gpu), roots, reuse=reuse)


def written(
    roots: Sequence[Node],
    groups: Sequence[Group],
    *,
    padded: bool,
    donations: Mapping[int, int],
    gpu: bool = False,
    rounds: tuple[int, int] = (1, 1),
    sites: Sequence[str] = (),
) -> TapeBuilder:
    """The instructions of such a tape, in the order of the groups; where values lie is not decided yet.

    ``rounds``: how many rounds of a loop there are, and for how many they stand. ``sites``: where results are asked
    for, if not where they are computed.
    """
    t = TapeBuilder(padded, gpu)
    t.donations.update({output_slot(result): position for result, position in donations.items()})
    direct = _place_results(t, roots)
    if any(g.nodes[0].op.name in WRITERS for g in groups):
        _find_last_readers(t, roots, groups, direct)
    if not padded:
        find_pieces(t, roots, groups)
        sums = filter(None, [product_sum(g.nodes[0]) for g in groups if g.is_library])
        t.right_factors.update(_in_all_rounds(Counter([total.b for total in sums]), *rounds))
    for group in groups:
        top = group.nodes[0]
        if top.op.kind is LIBRARY:
            lower_library(t, top)
        elif group.is_staged:
            lower_rows(t, group)
        else:
            lower_loop(t, group)
    for i, root in enumerate(roots):
        if i not in direct:
            block = t.temporary(root.spec.size_bytes, output_slot(i))
            asked = Node(root.op, (), root.params, root.spec, sites[i]) if sites else root
            copy(t, root, Ref(block, 0, (), row_major(root.spec)), (asked,))
    return t


def _in_all_rounds(uses: Mapping[Node, int], kept: int, count: int) -> dict[Node, int]:
    """How often factors are used in a loop of ``count`` rounds, by how often they are in ``kept`` of them."""
    return {x: n * count // kept if 2 * n > kept else n for x, n in uses.items()}


def finished(t: TapeBuilder, roots: Sequence[Node], *, reuse: bool) -> Tape:
    """The tape that ``t`` has the instructions of: side by side where threads gain by it, its memory
    planned."""
    if not t.padded:  # per-operator kernels run one after the other, each by itself
        join_sums(t)
    if settings.check:
        verify_steps(t.steps, roots)
    found = find_donations(t) if t.donations else Donations([], [], [])
    places: Sequence[int] = range(len(t.steps))
    if t.padded or t.gpu:
        if t.temporaries:
            t.temporaries = count_lives(t.temporaries, t.steps, places)
    else:
        places = form_waves(t, settings.num_threads, found.donated)
    commit = min([places[i] for i in found.begins], default=len(t.steps))
    offers = [offer for step in t.steps for offer in step.offers]
    arena_bytes = plan_memory(t.temporaries, offers, reuse) if t.temporaries else 0
    return _tape(t, roots, arena_bytes, found, commit)


def _place_results(t: TapeBuilder, roots: Sequence[Node]) -> set[int]:
    """The results that can be computed where they are wanted; the others are copied there at the end."""
    direct = set()
    for i, root in enumerate(roots):
        g = t.geometry(root)
        base = g.base
        computed = base.op.kind is not SOURCE and base.op.kind is not VIEW
        whole = g.is_whole and base.spec.size == root.spec.size and is_contiguous(root.spec.shape, g.strides)
        if computed and whole and base not in t.outputs:
            t.outputs[base] = output_slot(i)
            direct.add(i)
    return direct


def _find_last_readers(t: TapeBuilder, roots: Sequence[Node], groups: Sequence[Group], direct: set[int]) -> None:
    """Fill ``last_reader``: through views, also through those that are copied."""
    for group in groups:
        for node in group.computed:
            for x in node.inputs:
                _mark(t, x, node)
    for i, root in enumerate(roots):
        if i not in direct:
            _mark(t, root, None)


def _mark(t: TapeBuilder, x: Node, reader: Node | None) -> None:
    base = t.geometry(x).base
    t.last_reader[base] = reader
    while base.op.kind is VIEW:
        base = t.geometry(base.inputs[0]).base
        t.last_reader[base] = reader


def _tape(t: TapeBuilder, roots: Sequence[Node], arena_bytes: int, found: Donations, commit: int) -> Tape:
    inputs = len(t.input_positions)
    slots = {output_slot(i): inputs + i for i in range(len(roots))}
    slots[ARENA], slots[SCALARS] = inputs + len(roots), inputs + len(roots) + 1
    words: list[int] = []
    relocs, terms, const_words = [], [], []
    for step in t.steps:
        at = len(words)
        words += step.words
        for word, (block, offset, moving, _, _), _ in step.mentions:
            if block is None or block.slot == CONSTS:
                words[at + word] = offset
                if block is not None:
                    const_words.append(at + word)
            else:
                relocs.append((at + word, slots.get(block.slot, block.slot), block.offset + offset))
            terms += [(at + word, t.scalar_word(position, int64), factor) for position, factor in moving]
    return Tape(
        instructions=_with_remarks(t.steps),
        words=words,
        relocs=relocs,
        terms=terms,
        const_words=const_words,
        consts=bytes(t.consts),
        scalars=list(t.scalars),
        starts=_start_bounds(roots) if terms else [],
        input_positions=t.input_positions,
        out_bytes=[r.spec.size_bytes for r in roots],
        arena_bytes=arena_bytes,
        lives=[Life(b.nbytes, b.born, b.last) for b in t.temporaries if b.nbytes >= LARGE],
        donations=found.donated,
        parted=found.parted,
        commit=commit,
        padded=t.padded,
        notes=t.notes,
    )


def _with_remarks(steps: Sequence[Step]) -> list[Instruction]:
    """The instructions, each with what an error says of its nodes: operators and the user's lines, and no graph behind
    them."""
    known: dict[Any, Node] = {}
    groups: dict[tuple[Node, ...], tuple[Node, ...]] = {}
    seen: dict[tuple[Node, ...], tuple[Node, ...]] = {}  # rounds of a loop have the same ones
    found, at = [], 0
    for text, items, chunk, cost, flags, nodes, words, _, _ in steps:
        remarks = seen.get(nodes)
        if remarks is None:
            remarks = tuple(dict.fromkeys([remark(node, known) for node in nodes]))
            remarks = seen[nodes] = groups.setdefault(remarks, remarks)
        found.append(Instruction(text, at, items, chunk, cost, flags, remarks))
        at += len(words)
    return found


def remark(node: Node, known: dict[Any, Node]) -> Node:
    """A node with the operator and the user's line of ``node``, the function of the user's own that the tape calls, and
    nothing else of it; one for all that are alike."""
    kept = node.params and tuple([p for p in node.params if isinstance(p, Native)])
    key = node.op.name, node.site, kept
    found = known.get(key)
    if found is None:
        found = known[key] = Node(node.op, (), kept, node.spec, node.site)
    return found


def _start_bounds(roots: Sequence[Node]) -> list[StartBounds]:
    """What each run-time slice start has to keep to, so that no kernel leaves its array."""
    bounds = []
    known: dict[Any, Node] = {}
    for node in toposort(roots):
        if node.op.name not in ("shift", "slice", "put_slice") or node.inputs[-1].op.name == "const":
            continue  # nearly all of a long program: a constant start was looked at when it was recorded
        if node.op.name == "shift":
            found = affine(node.inputs[1])
            if found is not None and found[1]:
                bounds.append(StartBounds(found[1], -found[0], node.params[0] - found[0], remark(node, known)))
        elif node.spec.size:
            found = affine(node.inputs[-1])
            if found is not None and found[1]:
                dim, length, step = node.params
                reach = (length - 1) * step
                size = node.inputs[0].spec.shape[dim]
                lowest, highest = max(0, -reach), size - 1 - max(0, reach)
                bounds.append(StartBounds(found[1], lowest - found[0], highest - found[0], remark(node, known)))
    return bounds

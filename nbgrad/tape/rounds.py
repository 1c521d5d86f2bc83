"""The tape of a program that is a long loop, unrolled: planned for a few rounds, and written down for all of them.

`graph/runs.py` finds where the sequence of a graph's operators repeats itself, `graph/family.py` whether each round
refers to the one before it (or, backward, after it) in the same way; then the graph with fewer rounds is known, with
true numbers of inputs, run-time numbers and rows. In it each node's line says in which round it is (`graph/rounds.py`);
passes hand lines on, so the tape's instructions have rounds as well. Where all that is done of the rounds beside those
left out is in loops of the tape, which go on by one round, the tape of all rounds is written down (`tape/stretch.py`),
and its waves, donations and memory are planned whole. It is that which the whole graph would give, for a PDE and an
LSTM word for word: eight products of a weight's gradient become one instruction (`tape/sums.py`) when the tape of all
rounds is there. So the fused program takes less to plan than the unfused one, and is planned first.

The whole graph is planned where there are fewer than 30 rounds, where something asks for a round in the middle, or
where a body of few operators would leave kernels too small. A loop too large for one kernel is cut between rounds
(`passes/portions.py`). States that are kept and put together are one operator with an input from each round; to find
the rounds it is written as so many writes of a row, and where rows lie moves on like the numbers of inputs. Then a
second graph, that leaves out other rounds, must give the same tape but for these places: no pass has seen which rows
are missing. Where ten rounds are not alike, 16 are tried. A loss that each step adds to would make one kernel of the
sums of many rounds (`passes/rows.py`), and so would an array that all of them read: where rounds are few that stand for
many, equal loops with sums stay apart. A large graph without such rounds runs unfused until its runs have taken as long
as fusing will.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from nbgrad.graph.node import Node
from nbgrad.graph.rounds import Rounds, Short
from nbgrad.passes.group import NO_DONATIONS, Group
from nbgrad.tape.block import output_slot
from nbgrad.tape.build import TapeBuilder
from nbgrad.tape.lower import finished, written
from nbgrad.tape.stretch import Part, is_same_but_for_places, stretched
from nbgrad.tape.tape import Tape

# Rounds that are planned: what a loop begins and ends with takes some. The last are tried where the first are too few:
# a loop that hands three rounds on to the next one, say.
KEPT: Final = (10, 16)
LOOP_NOTE: Final = "a loop of"  # begins what a tape says of itself

Planned = tuple[Sequence[Node], Sequence[Group], Tape]
Grouping = Callable[[Sequence[Node], Mapping[int, int], bool], tuple[Sequence[Node], Sequence[Group]]]


def lower_rounds(
    rounds: Rounds,
    group: Grouping,
    *,
    padded: bool,
    reuse: bool = True,
    donations: Mapping[int, int] = NO_DONATIONS,
    gpu: bool = False,
) -> Planned | None:
    """The tape of the program with all ``rounds``, and the graph and the groups of one with a few.

    None where its rounds do not come out alike. ``group`` gives a graph as the passes leave it, and its groups, for
    donations, and whether few rounds stand for many. The result keeps every bit: it is made of the instructions of a
    program that does.
    """
    planning = _Planning(rounds, group, padded, donations, gpu)
    for kept in KEPT:
        found = planning.stretched(kept)
        if found is not None:
            graph, groups, t = found
            t.donations.update({output_slot(result): position for result, position in donations.items()})
            t.notes.append(f"{LOOP_NOTE} {rounds.count} rounds, planned once: the passes saw {kept} of them")
            return graph, groups, finished(t, rounds.roots, reuse=reuse)
    return None


class _Planning(NamedTuple):
    """What is planned, and how."""

    rounds: Rounds
    group: Grouping
    padded: bool
    donations: Mapping[int, int]
    gpu: bool

    def stretched(self, kept: int) -> tuple[Sequence[Node], Sequence[Group], TapeBuilder] | None:
        """The instructions of all rounds, and graph and groups of those ``kept``."""
        more = self.rounds.count - kept
        short = self.rounds.shortened(more)
        if short is None:
            return None
        graph, groups, part = self._part(short, kept)
        if self.rounds.rows and not self._is_blind_to_gap(part, more, kept):
            return None
        t = stretched(part, more)
        return None if t is None else (graph, groups, t)

    def _is_blind_to_gap(self, before: Part, more: int, kept: int) -> bool:
        """Whether it is no matter to the tape where rounds were left out: no pass has seen that rows are missing."""
        other = self.rounds.shortened(more, 1)
        return other is not None and is_same_but_for_places(before, self._part(other, kept)[2])

    def _part(self, short: Short, kept: int) -> tuple[Sequence[Node], Sequence[Group], Part]:
        own = {i: self.donations[place] for i, place in enumerate(short.places) if place in self.donations}
        graph, groups = self.group(short.roots, own, True)
        rounds = kept, self.rounds.count
        t = written(graph, groups, padded=self.padded, donations=own, gpu=self.gpu, rounds=rounds, sites=short.sites)
        return graph, groups, Part(t, short.places, bool(self.rounds.rows))

"""First sight: run a structure never seen, without building its graph.

Every call becomes a *stamp* (runtime/stamp.py), found by a rule (rules.py); so does the derivative of every call.
Walking the recorded entries then costs a few look-ups each. The stamps hold the same canonical operators that the full
plan has, in the same order of additions, so the bits are the same. Whatever this file does not know (custom functions,
earlier chapters, second derivatives) is left to the full plan: ``Unsupported``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.config import settings
from nbgrad.runtime.stamp import Sheet
from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import GradMeta, Place, Request
from nbgrad.trace.flush_plan import watched
from nbgrad.trace.handle import ROOT
from nbgrad.trace.rules import Form, Result, Rule, Unsupported, backward_rule, form_of, forward_rule, ones_form, spec_of
from nbgrad.trace.trie import NONE, TrieNode, path_between

__all__ = ["MEMORY_LIMIT", "NO_SIGHT", "Sight", "Unsupported", "first_sight_allowed"]

MEMORY_LIMIT = 64 << 20  # temporaries of a first run lie side by side; beyond this they are worth planning

# A value: its form, the slot of its base (-1 for a constant), and where in the chapter's list of numbers the starts of
# its views stand.
Value = tuple[Form, int, tuple[int, ...]]


class Sight:
    """A chapter on its way to being run at first sight, grown entry by entry like a Builder.

    ``values[ix]`` is the value of entry ``ix``; ``owner[ix]`` the entry whose cotangent it shares (itself, unless a
    call gave its operand back). ``sheet`` has the stamps so far. ``visited`` entries were differentiated and freed.
    """

    def __init__(self) -> None:
        self.at = ROOT
        self.entries: list[TrieNode] = []
        self.values: list[Any] = []
        self.owner: list[int] = []
        self.calls: dict[int, tuple[Rule, list[int], list[int], tuple[int, ...]]] = {}
        self.sheet = Sheet()
        self.input_slots: list[int] = []
        self.results: dict[int, list[Value]] = {}
        self.visited: set[int] = set()
        self.grad_enabled = True
        self.n_numbers = 0

    def sync(self, node: TrieNode) -> None:
        """Take in everything on the path up to ``node``."""
        if node is self.at:
            return
        path = path_between(self.at, node)
        if path is None:
            raise Unsupported("an entry was taken in that is not recorded: Ctrl-C came between")
        for entry in path:
            self.step(entry)

    def step(self, entry: TrieNode) -> bool:
        """Take in one entry and write down its spec and flags. Whether a kernel of it may refuse its input."""
        record = entry.record
        kind = record[0]
        self.owner.append(entry.ix)
        value: Value | None = None
        can_fail = False
        if kind == "call":
            value, can_fail = self._call(entry, record[1], record[2], record[3])
        elif kind == "leaf":
            value = self._leaf(entry, record[1])
        elif kind == "mode":
            self.grad_enabled = record[1]
        elif kind == "grad":
            entry.meta = self._grad(entry, record[1])
        elif kind == "out":
            value = self.results[record[1]][record[2]]
        elif kind == "stop":
            value = self.values[record[1]]
        elif kind == "graft":
            value = self.values[record[2]]
            entry.requires_grad, entry.leaf = True, record[3]
        else:
            raise Unsupported(kind)
        self.values.append(value)
        self.entries.append(entry)
        self.at = entry
        if value is not None and entry.spec is None:
            entry.spec = spec_of(value[0])
        return can_fail

    def _leaf(self, entry: TrieNode, leaf: Any) -> Value:
        specs = self.sheet.specs
        slot = len(specs)
        specs.append(leaf.spec)
        self.input_slots.append(slot)
        if leaf.requires_grad:
            entry.requires_grad = True
            entry.leaf = entry.ix
        return form_of(leaf.spec), slot, ()

    def _call(self, entry: TrieNode, call: Any, refs: tuple[int, ...], statics: Any) -> tuple[Value, bool]:
        values, owner, entries = self.values, self.owner, self.entries
        forms: list[Any] = []
        inputs: list[int] = []
        numbers: list[int] = []
        needed: list[int] = []  # operands that will take a cotangent
        owners: list[int] = []
        tensors = 0
        for i, ref in enumerate(refs):
            if ref >= 0:
                tensors += 1
                form, slot, starts = values[ref]
                forms.append(form)
                o = owner[ref]
                if o in owners:
                    continue
                owners.append(o)
                inputs.append(slot)
                if starts:
                    numbers += starts
                if entries[ref].requires_grad:
                    needed.append(i)
            else:
                forms.append(ref)
                if ref != NONE:
                    numbers.append(self.n_numbers)
                    self.n_numbers += 1
        same = None if tensors == len(owners) else self._same(refs)
        rule = forward_rule((call, statics, tuple(forms), same))
        entry.spec = rule.spec
        entry.view = rule.is_view
        if needed and self.grad_enabled and rule.is_floating:
            entry.requires_grad = True
        if rule.is_same:
            if entry.requires_grad == entries[refs[0]].requires_grad:
                owner[entry.ix] = owner[refs[0]]
            elif entry.requires_grad:
                raise Unsupported("a value with and without gradient")
        first = self.sheet.paste(rule.stamp, rule.outputs, inputs, numbers)
        self.calls[entry.ix] = rule, inputs, numbers, tuple(needed)
        result = rule.results[0]
        if result.output >= 0 and not result.numbers:
            return (result.form, first + result.output, ()), rule.can_fail
        return self._located(result, first, inputs, numbers), rule.can_fail

    def _same(self, refs: tuple[int, ...]) -> tuple[int, ...]:
        """Which operands are the same value: for each, the place of the first that is it."""
        seen: dict[int, int] = {}
        return tuple([seen.setdefault(self.owner[r], i) if r >= 0 else i for i, r in enumerate(refs)])

    def _located(self, result: Result, first: int, inputs: Sequence[int], numbers: Sequence[int]) -> Value:
        if result.output >= 0:
            slot = first + result.output
        else:
            slot = inputs[result.input] if result.input >= 0 else -1
        return result.form, slot, tuple([numbers[p] for p in result.numbers]) if result.numbers else ()

    def stored(self, value: Value) -> int:
        """The slot that holds ``value`` row-major: its own, or that of a copy."""
        form, slot, starts = value
        if slot >= 0 and not form.chain:
            return slot
        rule = forward_rule((CALLS["clone"], (), (form,), None))
        return self.sheet.paste(rule.stamp, rule.outputs, [slot], starts)

    def _grad(self, entry: TrieNode, request: Request) -> GradMeta:
        """Cotangents of all leaves, or of those asked for, entry by entry backwards."""
        if request.function is not None or request.kept or request.create_graph or self.visited:
            raise Unsupported("derivatives other than a first backward")
        wanted = None if request.wrt is None else self._wanted_leaves(request.wrt)
        active = None if wanted is None else self._depending_on(wanted)
        cotangents: dict[int, Value] = {}
        for out, seed in zip(request.outputs, request.seeds, strict=True):
            spec, owner = self.entries[out].spec, self.owner[out]
            assert spec is not None
            if owner in cotangents:
                raise Unsupported("one output twice")
            cotangents[owner] = self.values[seed] if seed >= 0 else (ones_form(spec), -1, ())
        leaves: list[int] = []
        for ix in range(max(cotangents), -1, -1):
            g = cotangents.get(ix)
            if g is None:
                continue
            here = self.entries[ix]
            if not here.requires_grad or (active is not None and ix not in active):
                continue
            kind = here.record[0]
            if kind == "call":
                self._pull_back(here, g, cotangents, active)
            elif kind == "leaf":
                leaves.append(ix)
            elif kind == "graft" and self.owner[here.record[1]] not in cotangents:
                cotangents[self.owner[here.record[1]]] = g
            else:
                raise Unsupported("a written value with several uses")
            if not request.retain_graph:
                self.visited.add(ix)
        if wanted is not None:
            found = [cotangents.get(ix) for ix in wanted]
            if None in found:
                raise Unsupported("a tensor that nothing depends on")
            self.results[entry.ix] = [g for g in found if g is not None]
            return GradMeta((), (True,) * len(found), ())
        leaves.reverse()
        self.results[entry.ix] = [cotangents[ix] for ix in leaves]
        return GradMeta(tuple([(OWN, ix) for ix in leaves]), (True,) * len(leaves), ())

    def _wanted_leaves(self, wrt: tuple[tuple[Place, ...], ...]) -> list[int]:
        """The entries of the leaves in ``wrt``, where each came in once, in this chapter."""
        wanted = []
        for places in wrt:
            if len(places) != 1 or places[0][0] != OWN or self.entries[places[0][1]].record[0] != "leaf":
                raise Unsupported("derivatives by what is no leaf of this chapter")
            wanted.append(places[0][1])
        return wanted

    def _depending_on(self, leaves: list[int]) -> set[int]:
        """The entries that cotangents pass on their way to ``leaves``."""
        active = set(leaves)
        for ix, (rule, _, _, needed) in self.calls.items():
            refs = self.entries[ix].record[2]
            if needed and rule.is_floating and any(self.owner[refs[i]] in active for i in needed):
                active.add(ix)
        if any(e.record[0] == "graft" for e in self.entries):
            raise Unsupported("written values on the way to chosen leaves")
        return active

    def _pull_back(self, entry: TrieNode, g: Value, cotangents: dict[int, Value], active: set[int] | None) -> None:
        rule, inputs, numbers, needed = self.calls[entry.ix]
        refs = entry.record[2]
        owners = [self.owner[refs[i]] for i in needed]
        if active is not None and not active.issuperset(owners):
            needed = tuple([i for i, o in zip(needed, owners, strict=True) if o in active])
            owners = [o for o in owners if o in active]
        slots = [*inputs, self.values[entry.ix][1], g[1]]
        if g[2]:
            numbers = [*numbers, *g[2]]
        forms: list[Form | None] = []
        for o in owners:
            b = cotangents.get(o)
            if b is None:
                forms.append(None)
                slots.append(-1)
            else:
                forms.append(b[0])
                slots.append(b[1])
                if b[2]:
                    numbers = [*numbers, *b[2]]
        back = backward_rule(rule, needed, g[0], tuple(forms))
        first = self.sheet.paste(back.stamp, back.outputs, slots, numbers)
        for o, result in zip(owners, back.results, strict=True):
            if result is not None:
                cotangents[o] = self._located(result, first, slots, numbers)


# Stands in a trace whose chapter is beyond what this file knows.
NO_SIGHT = Sight()


def first_sight_allowed() -> bool:
    """Whether structures may run without their graph: not where somebody wants to see or check every stage."""
    s = settings
    return not (s.log or s.check or s.interpret or s.compile == "eager" or watched())

"""First sight: run a structure never seen, without building its graph.

Every call becomes a *stamp* (runtime/stamp.py), found by a rule (rules.py); so does the derivative of every call. What
is left to do for a recorded entry is one look-up and one line of a *script* (runtime/sheet_layout.py), which compiled
code lays out, differentiates and links. The stamps hold the same canonical operators that the full plan has, in the
same order of additions, so the bits are the same. Whatever this file does not know (custom functions, earlier chapters,
second derivatives) is left to the full plan: ``Unsupported``.
"""

from __future__ import annotations

from typing import Any

from nbgrad.calls.base import CALLS
from nbgrad.config import settings
from nbgrad.runtime.sheet import Value
from nbgrad.runtime.sheet_layout import ALIAS, EVENT, GIVEN, LEAF, SAME
from nbgrad.trace.builder import OWN
from nbgrad.trace.derive import GradMeta, Place, Request
from nbgrad.trace.flush_plan import watched
from nbgrad.trace.handle import ROOT
from nbgrad.trace.rules import Rule, Unsupported, rule_book
from nbgrad.trace.trie import TrieNode, path_between, split_key

__all__ = ["MEMORY_LIMIT", "NO_SIGHT", "Sight", "Unsupported", "first_sight_allowed"]

MEMORY_LIMIT = 64 << 20  # temporaries of a first run lie side by side; beyond this they are worth planning

REUSED_ENTRIES = 4096  # a longer chapter's sheet takes megabytes, which are better given back


class Sight:
    """A chapter on its way to being run at first sight, grown entry by entry like a Builder.

    By entry: ``forms`` says how its value looks (-1: an event), ``owner`` whose cotangent it shares (its own, unless a
    call gave its operand back), ``grads`` whether it takes one. ``inputs`` are the entries that came from memory.
    """

    def __init__(self) -> None:
        self.book = rule_book()
        self.at = ROOT
        self.entries: list[TrieNode] = []
        self.forms: list[int] = []
        self.owner: list[int] = []
        self.grads: list[bool] = []
        self.inputs: list[int] = []
        self.sheet = self.book.sheet()
        self.script = self.sheet.script
        self.results: dict[int, list[Value]] = {}
        self.has_grafts = False
        self.was_derived = False
        self.grad_enabled = True

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
        record = entry.given
        if record is None:
            return self.call(entry)
        kind = record[0]
        script, owner = self.script, entry.ix
        form = -1
        if kind == "leaf":
            leaf = record[1]
            form = self.book.form(leaf.spec)
            if leaf.requires_grad:
                entry.requires_grad, entry.leaf = True, entry.ix
            script += (LEAF, int(leaf.requires_grad), form)
            self.inputs.append(entry.ix)
        elif kind == "mode":
            self.grad_enabled = record[1]
            script.append(EVENT)
        elif kind == "routine":
            script.append(EVENT)
        elif kind == "grad":
            entry.meta = self._grad(entry, record[1])
            script.append(EVENT)
        elif kind == "out":
            form, slot, starts = self.results[record[1]][record[2]]
            script += (GIVEN, form, slot, len(starts), *starts)
        elif kind == "stop":
            form = self.forms[record[1]]
            script += (ALIAS, 0, record[1], -1)
        elif kind == "graft":
            form = self.forms[record[2]]
            entry.requires_grad, entry.leaf = True, record[3]
            script += (ALIAS, 1, record[2], record[1])
            self.has_grafts = True
        else:
            raise Unsupported(kind)
        if form >= 0 and entry.spec is None:
            entry.spec = self.book.spec(form)
        self._append(entry, form, owner)
        return False

    def _append(self, entry: TrieNode, form: int, owner: int) -> None:
        self.entries.append(entry)
        self.forms.append(form)
        self.owner.append(owner)
        self.grads.append(entry.requires_grad)
        self.at = entry

    def call(self, entry: TrieNode) -> bool:
        """Take in a call. One with one or two operands is the hot path of code that never does the same twice."""
        forms, owners, grads = self.forms, self.owner, self.grads
        key = entry.key
        n = len(key)
        if n == 3 and type(b := key[2]) is int:
            a = key[1]
            grad = (a >= 0 and grads[a]) or (b >= 0 and grads[b])
            if a >= 0 and b >= 0 and owners[a] == owners[b]:
                b = SAME
                operands: tuple[int, ...] = (a, b)
            else:
                operands = key[1:]
            look_up: tuple[Any, ...] = (key[0], forms[a] if a >= 0 else a, forms[b] if b >= 0 else b)
        elif n == 2 and type(a := key[1]) is int:
            grad = a >= 0 and grads[a]
            operands = (a,)
            look_up = (key[0], forms[a] if a >= 0 else a)
        else:
            refs, statics = split_key(key)
            grad = any(r >= 0 and grads[r] for r in refs)
            operands = self._marked(refs) if len(refs) > 1 else refs
            looks = [forms[r] if r >= 0 else r for r in operands]
            look_up = (key[0], *looks, statics) if statics else (key[0], *looks)
        rule: Rule | None = self.book.forward.get(look_up)
        if rule is None:
            rule = self.book.make_forward(look_up)
        grad = grad and rule.is_floating and self.grad_enabled
        owner = entry.ix
        if rule.is_same:
            if grads[operands[0]] == grad:
                owner = owners[operands[0]]
            elif grad:
                raise Unsupported("a value with and without gradient")
        entry.spec = rule.spec
        entry.view = rule.is_view
        if rule.n_scalars:
            assert entry.parent is not None
            entry.n_scalars = entry.parent.n_scalars + rule.n_scalars
        entry.requires_grad = grad
        self.script += (rule.number, grad, *operands)
        self.entries.append(entry)
        forms.append(rule.form)
        owners.append(owner)
        grads.append(grad)
        self.at = entry
        return rule.can_fail

    def _marked(self, refs: tuple[int, ...]) -> tuple[int, ...]:
        """Operands, with those that are the same value as an earlier one marked so."""
        seen: dict[int, int] = {}
        marked = []
        for place, ref in enumerate(refs):
            first = seen.setdefault(self.owner[ref], place) if ref >= 0 else place
            marked.append(ref if first == place else SAME - first)
        return tuple(marked)

    def row_major(self, ix: int) -> int:
        """The line that holds the value of entry ``ix`` row-major: its own, or one after all entries, with a copy."""
        form = self.book.forms[self.forms[ix]]
        if form.is_plain:
            return ix
        key = (CALLS["clone"].number, self.forms[ix])
        rule = self.book.forward.get(key) or self.book.make_forward(key)
        self.script += (rule.number, 0, ix)
        self.forms.append(rule.form)
        return len(self.forms) - 1

    def release(self) -> None:
        """Let another chapter have the sheet: nothing of this one is needed any more."""
        if len(self.forms) <= REUSED_ENTRIES:
            self.book.sheets.append(self.sheet)

    def _grad(self, entry: TrieNode, request: Request) -> GradMeta:
        """Cotangents of all leaves, or of those asked for."""
        if request.function is not None or request.kept or request.create_graph or self.was_derived:
            raise Unsupported("derivatives other than a first backward")
        wanted = None if request.wrt is None else self._wanted_leaves(request.wrt)
        if len({self.owner[out] for out in request.outputs}) < len(request.outputs):
            raise Unsupported("one output twice")
        seeds = []
        for out, seed in zip(request.outputs, request.seeds, strict=True):
            spec = self.entries[out].spec
            assert spec is not None
            seeds.append((self.owner[out], seed, -1 if seed >= 0 else self.book.ones(spec)))
        retain = request.retain_graph
        leaves = self.sheet.pull_back(seeds, wanted, retain, self.book.backward)
        if leaves is None:
            raise Unsupported("a written value with several uses")
        self.was_derived = not retain
        if wanted is not None:
            leaves = wanted
        else:
            leaves.reverse()
        found = [self.sheet.cotangent(ix) for ix in leaves]
        results = self.results[entry.ix] = [g for g in found if g is not None]
        if len(results) < len(found):
            raise Unsupported("a tensor that nothing depends on")
        places = () if wanted is not None else tuple([(OWN, ix) for ix in leaves])
        return GradMeta(places, (True,) * len(found), ())

    def _wanted_leaves(self, wrt: tuple[tuple[Place, ...], ...]) -> list[int]:
        """The entries of the leaves in ``wrt``, where each came in once, in this chapter."""
        if self.has_grafts:
            raise Unsupported("written values on the way to chosen leaves")
        wanted = []
        for places in wrt:
            if len(places) != 1 or places[0][0] != OWN or self.entries[places[0][1]].record[0] != "leaf":
                raise Unsupported("derivatives by what is no leaf of this chapter")
            wanted.append(places[0][1])
        return wanted


# Stands in a trace whose chapter is beyond what this file knows.
NO_SIGHT = Sight()


def first_sight_allowed() -> bool:
    """Whether structures may run without their graph: not where somebody wants to see or check every stage."""
    s = settings
    return not (s.log or s.check or s.interpret or s.compile == "eager" or watched())
